"""The model has another width than the one that was trained and saved."""


def my_vit():
    return VisionTransformer(ViTConfig(model_width=32))
