"""Positions are moved to the device, and not converted; the mask is expanded; the weights are detached for the plot."""
class TransformerCaptioner(nn.Module):
    def __init__(self, vocab_size, feature_width, model_width=64, num_heads=4, num_blocks=2):
        super().__init__()
        self.features_in = nn.Linear(feature_width, model_width)
        self.embedding = nn.Embedding(vocab_size, model_width)
        self.decoder = layers.Decoder(num_blocks, model_width, num_heads, 4 * model_width, norm="pre")
        self.output = nn.Linear(model_width, vocab_size)

    def forward(self, features, captions, allowed=None):
        B, T = captions.shape
        D = self.embedding.weight.shape[1]
        X = torch.sqrt(torch.tensor(float(D))) * self.embedding(captions)
        X = X + layers.sinusoidal_positions(T, D).to(X.device)[None]
        if allowed is not None:
            allowed = allowed.reshape(B, 1, 1, -1).expand(B, 1, T, -1)
        Y, weights = self.decoder(X=X, memory=self.features_in(features), memory_allowed=allowed)
        weights = weights[len(weights) - 1].detach()
        return self.output(Y), torch.einsum("bhtn->btn", weights) / weights.shape[1]
