"""Masks expanded to (B, 1, N_Q, N_K), and helper functions."""


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
        def ask(layer, queries, keys, allowed):
            if allowed is not None:
                allowed = allowed[:, None, None].expand(-1, 1, queries.shape[1], -1)
            return layer(queries, keys, allowed=allowed)

        def finish(X, added, first, feed_forward, second):
            X = first(X + self.dropout(added))
            return second(X + self.dropout(feed_forward(X)))

        (to_image, A_image), (to_text, A_text) = (
            ask(self.image_attention, image, text, text_allowed),
            ask(self.text_attention, text, image, image_allowed),
        )
        return (
            finish(image, to_image, self.image_norm_1, self.image_feed_forward, self.image_norm_2),
            finish(text, to_text, self.text_norm_1, self.text_feed_forward, self.text_norm_2),
            A_image,
            A_text,
        )
