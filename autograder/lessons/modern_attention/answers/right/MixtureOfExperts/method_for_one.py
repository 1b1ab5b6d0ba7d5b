"""A method that calls one expert, and flattened axes."""


class MixtureOfExperts(nn.Module):
    def __init__(self, width, num_experts, k, hidden_width=None):
        super().__init__()
        self.experts = nn.ModuleList()
        for _ in range(num_experts):
            self.experts.append(SwiGLU(width, hidden_width=hidden_width))
        self.router = nn.Linear(width, num_experts, bias=False)
        self.chosen_ones = k

    def one(self, number, rows):
        return self.experts[number](rows)

    def forward(self, X):
        flat = X.flatten(0, -2)
        logits = self.router(flat)
        Y = mix_experts(flat, logits, self.one, self.chosen_ones)
        return Y.view(*X.shape), logits.unflatten(0, X.shape[:-1])
