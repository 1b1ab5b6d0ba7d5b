"""The query heads of a group are an axis; softmax written out, nothing is repeated."""
class ModernBlock(nn.Module):
    def __init__(self, width, num_heads, num_groups, hidden_width, base=10000.0, eps=1e-6):
        super().__init__()
        self.base, self.eps = base, eps
        self.attention = GroupedQueryAttention(width, num_heads, num_groups)
        self.feed_forward = SwiGLU(width, hidden_width)
        self.gamma_1, self.gamma_2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))

    def forward(self, X, cache=None, allowed=None):
        H, G = self.attention.num_heads, self.attention.num_groups
        B, N, D = X.shape
        Z = rms_norm(X, self.gamma_1, eps=self.eps)
        past = cache[0].shape[-2] if cache is not None else 0
        at = torch.arange(past, past + N, device=X.device)
        Q = rotary(self.attention.W_Q(Z).view(B, N, H, D // H).transpose(1, 2), at, self.base)
        K = rotary(self.attention.W_K(Z).view(B, N, G, D // H).transpose(1, 2), at, self.base)
        V = self.attention.W_V(Z).view(B, N, G, D // H).transpose(1, 2)
        if cache is not None:
            K, V = torch.cat([cache[0], K], -2), torch.cat([cache[1], V], -2)
        if allowed is None:
            columns = torch.arange(K.shape[-2], device=X.device)
            allowed = columns <= at[:, None]
        E = torch.einsum("bghnd,bgmd->bghnm", Q.unflatten(1, (G, H // G)), K) / math.sqrt(D // H)
        A = torch.softmax(E.masked_fill(~allowed, -math.inf), dim=-1)
        Y = torch.einsum("bghnm,bgmd->bnghd", A, V).flatten(2)
        Y = X + self.attention.W_O(Y)
        return Y + self.feed_forward(rms_norm(Y, self.gamma_2, eps=self.eps)), (K, V)
