"""The model has fewer blocks than the one that was trained: what the last one learned is
missing."""


def my_vit():
    return VisionTransformer(ViTConfig(num_blocks=1))
