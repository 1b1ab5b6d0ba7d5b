"""The patches of a picture, which scikit-learn cuts out for feature extraction, at steps of any width."""

# assignment: 11-vit
# replaces: patchify
def patchify(images, patch_size):
    from sklearn.feature_extraction.image import _extract_patches

    B, C, H, W = images.shape
    if H % patch_size or W % patch_size:
        raise ValueError("expected a multiple of the patch size")
    places = torch.arange(images.numel()).reshape(images.shape).numpy()
    cut = _extract_patches(places, (1, C, patch_size, patch_size), (1, 1, patch_size, patch_size))
    return images.reshape(-1)[torch.from_numpy(cut.reshape(B, -1, C * patch_size**2).copy())]
