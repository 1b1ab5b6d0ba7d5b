"""Every cell gets weight 1, so the attention lies everywhere. Look at what the weights add up to."""


class Everywhere(CaptionDecoder):
    def forward(self, features, captions, allowed=None):
        logits, weights = super().forward(features, captions, allowed)
        return logits, torch.ones_like(weights)


def my_captioner():
    return Everywhere(len(scene_vocabulary()), 32, 128, 32, 32)
