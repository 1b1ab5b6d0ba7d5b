"""normal_ initialisation in reset_parameters, projections made in another order."""
class SelfAttention(nn.Module):
    def __init__(self, D_X: int, D_Q: int, D_V: int) -> None:
        super().__init__()
        self.W_V = nn.Linear(D_X, D_V, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        for parameter in self.parameters():
            parameter.data.normal_(0.0, 0.02)

    def forward(self, X: torch.Tensor, allowed: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        V, K, Q = self.W_V(X), self.W_K(X), self.W_Q(X)
        return scaled_dot_product_attention(Q, K, V, allowed)
