"""One head after the other, with slices of the weights."""


class LatentAttention(nn.Module):
    def __init__(self, model_width, num_heads, head_width, rotated_width, latent_width, base=10000.0):
        super().__init__()
        self.H, self.D_H, self.D_R, self.base = num_heads, head_width, rotated_width, base
        self.W_Q = nn.Linear(model_width, num_heads * (head_width + rotated_width), bias=False)
        self.W_C = nn.Linear(model_width, latent_width, bias=False)
        self.W_R = nn.Linear(model_width, rotated_width, bias=False)
        self.W_UK = nn.Linear(latent_width, num_heads * head_width, bias=False)
        self.W_UV = nn.Linear(latent_width, num_heads * head_width, bias=False)
        self.W_O = nn.Linear(num_heads * head_width, model_width, bias=False)

    def forward(self, X, cache=None):
        old = [] if cache is None else [cache]
        start = sum(C.shape[-2] for C, _ in old)
        positions = torch.arange(X.shape[-2], device=X.device) + start
        C = torch.cat([c for c, _ in old] + [self.W_C(X)], dim=-2)
        R = torch.cat([r for _, r in old] + [rotary(self.W_R(X), positions, self.base)], dim=-2)
        allowed = causal_mask(X.shape[-2], C.shape[-2], device=X.device)
        heads = []
        wide = self.D_H + self.D_R
        for h in range(self.H):
            own = slice(h * self.D_H, (h + 1) * self.D_H)
            q = X @ self.W_Q.weight[h * wide : (h + 1) * wide].mT
            q = rotary(q.roll(self.D_R, -1), positions, self.base, rotated=self.D_R)
            k = torch.cat([R, C @ self.W_UK.weight[own].mT], dim=-1)
            y, _ = scaled_dot_product_attention(q, k, C @ self.W_UV.weight[own].mT, allowed=allowed)
            heads.append(y)
        return self.W_O(torch.cat(heads, dim=-1)), (C, R)
