"""The patches are larger than those that the model was trained on."""


def my_vit():
    return VisionTransformer(ViTConfig(patch_size=4))
