"""The router's weight in a sum over named axes, and a dictionary of functions."""


class MixtureOfExperts(nn.Module):
    def __init__(self, width, num_experts, k, hidden_width=None):
        super().__init__()
        self.router = nn.Linear(width, num_experts, bias=False)
        layers = [SwiGLU(width, hidden_width) for _ in range(num_experts)]
        self.experts, self.k = nn.Sequential(*layers), k

    def forward(self, X):
        logits = torch.einsum("...d,ed->...e", X, self.router.weight)
        calls = dict(enumerate(self.experts))
        D, E = X.shape[-1], logits.shape[-1]
        Y = mix_experts(X.reshape(-1, D), logits.reshape(-1, E), lambda e, part: calls[e](part), self.k)
        return Y.reshape_as(X), logits
