"""The two halves are methods of their own."""
class ModernBlock(nn.Module):
    def __init__(self, width, num_heads, num_groups, hidden_width, base=10000.0, eps=1e-6):
        super().__init__()
        self.base, self.eps = base, eps
        self.attention = GroupedQueryAttention(width, num_heads, num_groups)
        self.feed_forward = SwiGLU(width, hidden_width)
        self.gamma_1, self.gamma_2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))

    def forward(self, X, cache=None, allowed=None):
        change, new_cache = self.attend(rms_norm(X, self.gamma_1, self.eps), cache, allowed)
        return self.widen(X + change), new_cache

    def attend(self, X, cache, allowed):
        layer, N = self.attention, X.shape[1]
        old = cache[0].shape[2] if cache else 0
        where = old + torch.arange(N, device=X.device)
        Q, K, V = layer.W_Q(X), layer.W_K(X), layer.W_V(X)
        Q, K, V = split_heads(Q, layer.num_heads), split_heads(K, layer.num_groups), split_heads(V, layer.num_groups)
        Q, K = (rotary(Z, where, base=self.base, layout="half") for Z in (Q, K))
        if cache:
            K = torch.cat((cache[0], K), dim=2)
            V = torch.cat((cache[1], V), dim=2)
        if allowed is None:
            allowed = causal_mask(N, old + N, device=X.device)
        reads = torch.arange(layer.num_heads, device=X.device) // (layer.num_heads // layer.num_groups)
        Y = scaled_dot_product_attention(Q, K[:, reads], V[:, reads], allowed=allowed)[0]
        return layer.W_O(merge_heads(Y)), (K, V)

    def widen(self, X):
        return X + self.feed_forward(rms_norm(X, self.gamma_2, self.eps))
