"""The model is used without the positions with which it was trained."""


class Unordered(MaskedLanguageModel):
    def forward(self, ids, segments=None):
        X = self.encoder.embeddings.norm(self.encoder.embeddings.tokens(ids))
        Y, _ = self.encoder.blocks(X, (ids != PAD)[:, None, None])
        Z = self.output_norm(F.gelu(self.transform(Y)))
        return F.linear(Z, self.encoder.embeddings.tokens.weight, self.output_bias)


def my_language_model():
    return Unordered(75, 64, 4, 2, 19, 0.0)
