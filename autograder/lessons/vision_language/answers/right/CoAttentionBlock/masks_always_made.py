"""A mask of ones where none is given."""


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
        if image_allowed is None:
            image_allowed = torch.ones(image.shape[:2], dtype=torch.bool, device=image.device)
        if text_allowed is None:
            text_allowed = torch.ones(text.shape[:2], dtype=torch.bool, device=text.device)
        V, A = self.image_attention(image, text, text, allowed=text_allowed.unsqueeze(1).unsqueeze(1))
        W, C = self.text_attention(text, image, image, allowed=image_allowed.unsqueeze(1).unsqueeze(1))
        V, W = self.image_norm_1(self.dropout(V) + image), self.text_norm_1(self.dropout(W) + text)
        V = self.image_norm_2(self.dropout(self.image_feed_forward(V)) + V)
        W = self.text_norm_2(self.dropout(self.text_feed_forward(W)) + W)
        return [V, W, A, C]
