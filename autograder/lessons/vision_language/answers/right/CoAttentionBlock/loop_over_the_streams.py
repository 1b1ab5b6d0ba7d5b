"""Both streams in one loop."""


class CoAttentionBlock(nn.Module):
    """Two streams, each with its own queries and the other's keys and values (Lu et al. 2019, figure 2b)."""

    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0):
        super().__init__()
        self.image_attention = layers.MultiHeadAttention(model_width, num_heads, dropout)
        self.text_attention = layers.MultiHeadAttention(model_width, num_heads, dropout)
        self.image_feed_forward = layers.FeedForward(model_width, hidden_width, dropout, "gelu")
        self.text_feed_forward = layers.FeedForward(model_width, hidden_width, dropout, "gelu")
        self.image_norm_1, self.image_norm_2 = layers.LayerNorm(model_width), layers.LayerNorm(model_width)
        self.text_norm_1, self.text_norm_2 = layers.LayerNorm(model_width), layers.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, image, text, image_allowed=None, text_allowed=None):
        """Return (image (B, N_I, D), text (B, N_T, D), A_image (B, H, N_I, N_T), A_text (B, H, N_T, N_I)).

        image_allowed: None or (B, N_I), text_allowed: None or (B, N_T); bool, True where a region or a word may be attended to.
        """
        streams, masks = {"image": image, "text": text}, {"image": image_allowed, "text": text_allowed}
        results, weights = [], []
        for name, other in (("image", "text"), ("text", "image")):
            mask = masks[other]
            layer = {part: getattr(self, f"{name}_{part}") for part in ("attention", "norm_1", "feed_forward", "norm_2")}
            added, A = layer["attention"](streams[name], streams[other], allowed=mask if mask is None else mask[:, None, None, :])
            X = layer["norm_1"](streams[name] + self.dropout(added))
            results.append(layer["norm_2"](X + self.dropout(layer["feed_forward"](X))))
            weights.append(A)
        return (*results, *weights)
