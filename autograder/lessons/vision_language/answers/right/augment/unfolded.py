"""All windows of the wide picture as a view, one of which is taken."""


def augment(images, generator, most=1):
    B, C, H, W = images.shape
    wide = F.pad(images, [most] * 4, mode="replicate")
    windows = wide.unfold(2, H, 1).unfold(3, W, 1)
    places = torch.randint(0, (2 * most + 1) ** 2, (B,), generator=generator)
    order = torch.argsort(torch.randn(B, C, generator=generator), dim=-1)
    chosen = windows[torch.arange(B), :, places // (2 * most + 1), places % (2 * most + 1)]
    return torch.stack([picture[channels] for picture, channels in zip(chosen, order)])
