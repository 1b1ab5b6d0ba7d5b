"""The model is made and not returned."""


def my_vit():
    VisionTransformer(ViTConfig())
