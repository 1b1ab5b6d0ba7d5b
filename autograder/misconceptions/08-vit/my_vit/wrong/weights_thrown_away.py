"""The model makes its weights anew in each forward, so those that were loaded count for nothing."""


class Forgetful(VisionTransformer):
    def forward(self, images, need_weights=True):
        torch.manual_seed(0)
        fresh = VisionTransformer(ViTConfig()).to(images.dtype)
        return fresh(images, need_weights)


def my_vit():
    return Forgetful(ViTConfig())
