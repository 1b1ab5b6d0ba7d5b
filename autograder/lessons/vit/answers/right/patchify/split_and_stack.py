"""Rows of patches by split, and a nested comprehension."""
def patchify(images, patch_size):
    height, width = images.shape[2:]
    if height % patch_size != 0 or width % patch_size != 0:
        raise ValueError("the patch size has to divide both sides")
    bands = images.split(patch_size, dim=2)
    cut = [patch.flatten(1) for band in bands for patch in band.split(patch_size, dim=3)]
    return torch.stack(cut, 1)
