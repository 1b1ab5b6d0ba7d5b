"""The projected features lose their history, so features_in and whatever makes the features cannot
learn."""


class TransformerCaptioner(nn.Module):
    def __init__(self, vocab_size, feature_width, model_width=64, num_heads=4, num_blocks=2):
        super().__init__()
        self.features_in = nn.Linear(feature_width, model_width)
        self.embedding = nn.Embedding(vocab_size, model_width)
        self.decoder = layers.Decoder(num_blocks, model_width, num_heads, 4 * model_width, norm="pre")
        self.output = nn.Linear(model_width, vocab_size)

    def forward(self, features, captions, allowed=None):
        T, width = captions.shape[1], self.embedding.embedding_dim
        X = self.embedding(captions) * math.sqrt(width)
        X = X + layers.sinusoidal_positions(T, width).to(X)
        memory_allowed = None if allowed is None else allowed[:, None, None]
        Y, A = self.decoder(X, self.features_in(features).detach(), memory_allowed=memory_allowed)
        return self.output(Y), A[-1].mean(dim=1)
