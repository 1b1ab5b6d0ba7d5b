"""Dropout has no weights: another rate loads the same file."""


def my_vit():
    return VisionTransformer(ViTConfig(dropout=0.1))
