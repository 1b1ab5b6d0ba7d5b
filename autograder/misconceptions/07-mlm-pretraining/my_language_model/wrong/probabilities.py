"""Probabilities are returned. The loss wants logits."""


class Probable(MaskedLanguageModel):
    def forward(self, ids, segments=None):
        return super().forward(ids, segments).softmax(-1)


def my_language_model():
    return Probable(75, 64, 4, 2, 19, 0.0)
