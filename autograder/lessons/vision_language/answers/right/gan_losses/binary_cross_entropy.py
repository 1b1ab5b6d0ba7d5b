"""Binary cross-entropy with logits, against ones and zeros."""


def gan_losses(real, fake):
    bce = F.binary_cross_entropy_with_logits
    as_fake = bce(fake, torch.zeros_like(fake))
    return bce(real, torch.ones_like(real)) + as_fake, -as_fake, bce(fake, torch.ones_like(fake))
