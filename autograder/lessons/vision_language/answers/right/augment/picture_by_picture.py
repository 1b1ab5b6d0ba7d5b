"""One picture at a time, with clamped rows and columns."""


def augment(images, generator, most=1):
    made = []
    for image in images:
        C, H, W = image.shape
        down, right = (torch.randint(2 * most + 1, (2,), generator=generator) - most).tolist()
        rows = (torch.arange(H) + down).clamp(0, H - 1)
        columns = (torch.arange(W) + right).clamp(0, W - 1)
        made.append(image[torch.randperm(C, generator=generator)][:, rows][:, :, columns])
    return torch.stack(made)
