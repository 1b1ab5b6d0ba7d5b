"""Every word sees itself alone, so the context does not count."""


class Alone(MaskedLanguageModel):
    def forward(self, ids, segments=None):
        X = self.encoder.embeddings(ids, segments)
        itself = torch.eye(ids.shape[1], dtype=torch.bool)
        Y, _ = self.encoder.blocks(X, itself)
        Z = self.output_norm(F.gelu(self.transform(Y)))
        return F.linear(Z, self.encoder.embeddings.tokens.weight, self.output_bias)


def my_language_model():
    return Alone(75, 64, 4, 2, 19, 0.0)
