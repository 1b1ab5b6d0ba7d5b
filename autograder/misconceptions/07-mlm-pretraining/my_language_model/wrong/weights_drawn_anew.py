"""The weights are drawn anew in forward, whatever was loaded."""


class Forgetful(MaskedLanguageModel):
    def forward(self, ids, segments=None):
        for weight in self.parameters():
            nn.init.normal_(weight, std=0.02)
        return super().forward(ids, segments)


def my_language_model():
    return Forgetful(75, 64, 4, 2, 19, 0.0)
