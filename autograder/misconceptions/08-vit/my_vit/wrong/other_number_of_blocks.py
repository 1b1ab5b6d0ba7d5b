"""The model has more blocks than the one that was trained and saved."""


def my_vit():
    return VisionTransformer(ViTConfig(num_blocks=4))
