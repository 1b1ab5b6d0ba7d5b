"""One head after the other, with columns of the projections."""


class GroupedQueryAttention(nn.Module):
    def __init__(self, model_width, num_heads, num_groups):
        super().__init__()
        if model_width % num_heads or num_heads % num_groups:
            raise ValueError("sizes")
        self.num_heads, self.num_groups = num_heads, num_groups
        narrow = model_width * num_groups // num_heads
        for name, width in (("W_Q", model_width), ("W_K", narrow), ("W_V", narrow), ("W_O", model_width)):
            self.add_module(name, nn.Linear(model_width, width, bias=False))

    def forward(self, X, cache=None):
        new = [split_heads(W(X), self.num_groups) for W in (self.W_K, self.W_V)]
        K, V = new if cache is None else [torch.cat(both, dim=-2) for both in zip(cache, new)]
        N, N_K = X.shape[-2], K.shape[-2]
        allowed = torch.ones(N, N_K, dtype=torch.bool, device=X.device).tril(N_K - N)
        heads = []
        for h, Q in enumerate(self.W_Q(X).chunk(self.num_heads, dim=-1)):
            g = h // (self.num_heads // self.num_groups)
            heads.append(scaled_dot_product_attention(Q, K[:, g], V[:, g], allowed=allowed)[0])
        return self.W_O(torch.cat(heads, dim=-1)), (K, V)
