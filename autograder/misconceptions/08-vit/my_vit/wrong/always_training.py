"""Dropout is on whenever the model is used."""


class Restless(VisionTransformer):
    def forward(self, images, need_weights=True):
        logits, weights = super().forward(F.dropout(images, 0.6), need_weights)
        return logits, weights


def my_vit():
    return Restless(ViTConfig())
