"""einsum over height and width without flattening before the softmax; type hints."""
class ConvSelfAttention(nn.Module):
    def __init__(self, channels: int, inner_channels: int) -> None:
        super().__init__()
        self.W_O = nn.Conv2d(inner_channels, channels, kernel_size=(1, 1))
        self.W_V = nn.Conv2d(channels, inner_channels, kernel_size=(1, 1))
        self.W_K = nn.Conv2d(channels, inner_channels, kernel_size=(1, 1))
        self.W_Q = nn.Conv2d(channels, inner_channels, kernel_size=(1, 1))
        self.scale = inner_channels**-0.5

    def forward(self, X: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        E = torch.einsum("bcij,bckl->bijkl", self.W_Q(X), self.W_K(X)) * self.scale
        A = E.flatten(3).softmax(dim=-1)
        V = self.W_V(X).flatten(start_dim=2)
        Y = torch.einsum("bijn,bcn->bcij", A, V)
        return self.W_O(Y) + X, A.flatten(1, 2)
