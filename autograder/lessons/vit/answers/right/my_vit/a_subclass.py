"""Odd: a subclass with nothing new, made in the function."""
def my_vit():
    class Mine(VisionTransformer):
        """The same."""

    return Mine(ViTConfig())
