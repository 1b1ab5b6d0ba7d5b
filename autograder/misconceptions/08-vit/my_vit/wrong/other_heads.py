"""The number of heads is another one than in training. The weights fit, but mean something else."""


def my_vit():
    return VisionTransformer(ViTConfig(num_heads=1))
