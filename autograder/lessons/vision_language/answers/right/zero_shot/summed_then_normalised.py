"""The sum has the direction of the mean."""


def zero_shot(images, prompts):
    total = prompts.sum(dim=1)
    total = total / total.norm(dim=-1, keepdim=True)
    return torch.einsum("nd,cd->nc", images, total)
