"""The decoder's blocks and its last norm are called one by one; in-place sums on own tensors."""
class TransformerCaptioner(nn.Module):
    """A Transformer that reads a picture cell by cell."""

    def __init__(
        self, vocab_size: int, feature_width: int, model_width: int = 64, num_heads: int = 4, num_blocks: int = 2
    ):
        super().__init__()
        self.scale = math.sqrt(model_width)
        self.features_in = nn.Linear(feature_width, model_width)
        self.embedding = nn.Embedding(vocab_size, model_width)
        self.decoder = layers.Decoder(num_blocks, model_width, num_heads, 4 * model_width, norm="pre")
        self.output = nn.Linear(model_width, vocab_size)

    def forward(self, features: torch.Tensor, captions: torch.Tensor, allowed: torch.Tensor | None = None):
        memory = self.features_in(features)
        X = self.embedding(captions) * self.scale
        X += layers.sinusoidal_positions(*X.shape[1:])
        for block in self.decoder.blocks:
            X, (_, A) = block(X, memory, memory_allowed=allowed if allowed is None else allowed[:, None, None, :])
        return self.output(self.decoder.norm(X)), sum(A.unbind(dim=1)) / A.shape[1]
