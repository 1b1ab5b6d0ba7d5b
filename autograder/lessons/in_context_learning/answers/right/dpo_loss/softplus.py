"""−log σ(x) is softplus(−x)."""


def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    if not beta > 0:
        raise ValueError("beta has to be above 0")
    moved, reference = chosen - rejected, reference_chosen - reference_rejected
    return F.softplus(-beta * (moved - reference)).mean()
