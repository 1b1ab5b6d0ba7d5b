"""PyTorch's own function repeats the heads."""
class ModernBlock(nn.Module):
    def __init__(self, width, num_heads, num_groups, hidden_width, base=10000.0, eps=1e-6):
        super().__init__()
        self.base, self.eps = base, eps
        self.attention = GroupedQueryAttention(width, num_heads, num_groups)
        self.feed_forward = SwiGLU(width, hidden_width)
        self.gamma_1, self.gamma_2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))

    def forward(self, X, cache=None, allowed=None):
        past = 0
        if cache is not None:
            past = cache[0].size(2)
        where = torch.arange(X.size(1), device=X.device).add(past)
        inner = rms_norm(X, self.gamma_1, self.eps)
        att = self.attention
        K = rotary(split_heads(att.W_K(inner), att.num_groups), where, self.base)
        V = split_heads(att.W_V(inner), att.num_groups)
        if past:
            K = torch.cat([cache[0], K], 2)
            V = torch.cat([cache[1], V], 2)
        Q = rotary(split_heads(att.W_Q(inner), att.num_heads), where, self.base)
        if allowed is None:
            allowed = torch.ones(X.size(1), K.size(2), dtype=torch.bool, device=X.device).tril(past)
        Y = F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed, enable_gqa=True)
        middle = att.W_O(merge_heads(Y)) + X
        return self.feed_forward(rms_norm(middle, self.gamma_2, self.eps)) + middle, (K, V)
