"""torch.nn.Unfold, type annotations, and the check by divmod."""
def patchify(images: torch.Tensor, patch_size: int) -> torch.Tensor:
    *_, height, width = images.shape
    for side in (height, width):
        whole, rest = divmod(side, patch_size)
        if rest != 0:
            raise ValueError(f"{side} = {whole} * {patch_size} + {rest}")
    return nn.Unfold(kernel_size=patch_size, stride=patch_size)(images).transpose(-2, -1)
