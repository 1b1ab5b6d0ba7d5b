"""log(1 + exp(−x)) by logaddexp."""


def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    if beta <= 0:
        raise ValueError("Expected beta > 0.")
    x = beta * ((chosen - reference_chosen) - (rejected - reference_rejected))
    return torch.logaddexp(torch.zeros_like(x), -x).sum() / x.numel()
