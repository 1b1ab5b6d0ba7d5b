"""The head has too few classes for the ten digits."""


def my_vit():
    return VisionTransformer(ViTConfig(classes=9))
