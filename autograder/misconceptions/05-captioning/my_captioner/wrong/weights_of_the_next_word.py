"""The weights that are returned are those of the step after, so they point at what is said next. Look
at which weights made which word."""


class Shifted(CaptionDecoder):
    def forward(self, features, captions, allowed=None):
        logits, weights = super().forward(features, captions, allowed)
        return logits, weights.roll(-1, dims=1)


def my_captioner():
    return Shifted(len(scene_vocabulary()), 32, 128, 32, 32)
