"""The model is made for pictures of one channel. These have three."""


def my_vit():
    return VisionTransformer(ViTConfig(channels=1))
