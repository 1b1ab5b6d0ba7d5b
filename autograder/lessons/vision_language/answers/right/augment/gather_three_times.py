"""Rows, columns and channels, each with gather."""


def augment(images, generator, most=1):
    B, C, H, W = images.shape
    move = torch.randint(-most, most + 1, (B, 2), generator=generator)
    rows = (torch.arange(H) + move[:, :1]).clamp(0, H - 1)[:, None, :, None].expand(B, C, H, W)
    columns = (torch.arange(W) + move[:, 1:]).clamp(0, W - 1)[:, None, None].expand(B, C, H, W)
    order = torch.stack([torch.randperm(C, generator=generator) for _ in range(B)])[:, :, None, None].expand(B, C, H, W)
    return images.gather(2, rows).gather(3, columns).gather(1, order)
