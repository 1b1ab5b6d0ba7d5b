"""The two implicit rewards as the logits of two classes, of which the first is right."""


def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    if beta <= 0:
        raise ValueError(f"beta is {beta}")
    rewards = beta * torch.stack((chosen - reference_chosen, rejected - reference_rejected), dim=1)
    return F.cross_entropy(rewards, torch.zeros(len(rewards), dtype=torch.long, device=rewards.device))
