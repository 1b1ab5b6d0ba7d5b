"""As it was trained."""


def my_vit():
    return VisionTransformer(ViTConfig())
