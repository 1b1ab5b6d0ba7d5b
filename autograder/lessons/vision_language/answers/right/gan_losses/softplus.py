"""Softplus: −log σ(x) = softplus(−x)."""


def gan_losses(real, fake):
    discriminator = F.softplus(-real).mean() + F.softplus(fake).mean()
    return discriminator, -F.softplus(fake).mean(), F.softplus(-fake).mean()
