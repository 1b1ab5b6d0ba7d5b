"""Helper methods, unsqueeze, and positions that move with the device."""
class TransformerCaptioner(nn.Module):
    def __init__(self, vocab_size, feature_width, model_width=64, num_heads=4, num_blocks=2):
        super().__init__()
        self.features_in = nn.Linear(feature_width, model_width)
        self.embedding = nn.Embedding(vocab_size, model_width)
        self.decoder = layers.Decoder(num_blocks, model_width, num_heads, 4 * model_width, norm="pre")
        self.output = nn.Linear(model_width, vocab_size)

    def embed(self, captions):
        E = self.embedding(captions)
        D = E.size(-1)
        return E.mul(D**0.5).add(layers.sinusoidal_positions(captions.size(1), D).to(E.device, E.dtype))

    def mask(self, allowed):
        if allowed is None:
            return None
        return allowed.unsqueeze(1).unsqueeze(1)

    def forward(self, features, captions, allowed=None):
        memory = self.features_in(features)
        Y, weights = self.decoder(self.embed(captions), memory, None, self.mask(allowed))
        return self.output(Y), weights.pop().mean(1)
