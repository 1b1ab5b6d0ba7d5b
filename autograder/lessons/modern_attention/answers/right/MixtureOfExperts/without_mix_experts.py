"""The mixture written out, with masks in place of mix_experts."""


class MixtureOfExperts(nn.Module):
    def __init__(self, width, num_experts, k, hidden_width=None):
        super().__init__()
        self.k = k
        self.router = nn.Linear(width, num_experts, bias=False)
        self.experts = nn.ModuleList(SwiGLU(width, hidden_width) for _ in range(num_experts))

    def forward(self, X):
        logits = self.router(X)
        kth = logits.topk(self.k, dim=-1).values[..., -1:]
        weights = logits.masked_fill(logits < kth, float("-inf")).softmax(dim=-1)
        Y = torch.zeros_like(X)
        for e, expert in enumerate(self.experts):
            mine = logits[..., e] >= kth[..., 0]
            part = torch.zeros_like(X)
            part[mine] = weights[mine][:, e, None] * expert(X[mine])
            Y = Y + part
        return Y, logits
