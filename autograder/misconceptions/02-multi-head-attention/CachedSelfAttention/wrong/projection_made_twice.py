"""A second projection of the keys is made and never used. It is saved, moved and counted with the model all the same."""


class CachedSelfAttention(nn.Module):
    def __init__(self, model_width: int, num_heads: int) -> None:
        super().__init__()
        self.H, self.D_H = num_heads, model_width // num_heads
        if self.H * self.D_H != model_width:
            raise ValueError("num_heads has to divide model_width")
        self.W_O = nn.Linear(model_width, model_width)
        self.W_V = nn.Linear(model_width, model_width)
        self.W_K = nn.Linear(model_width, model_width)
        self.W_Q = nn.Linear(model_width, model_width)
        self.past = nn.ModuleDict({"W_K": nn.Linear(model_width, model_width)})

    def forward(
        self, X: torch.Tensor, cache: tuple[torch.Tensor, torch.Tensor] | None = None
    ) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
        B, N, D = X.shape
        Q, K, V = (
            W(X).view(B, N, self.H, self.D_H).transpose(1, 2)
            for W in (self.W_Q, self.W_K, self.W_V)
        )
        if cache:
            past_K, past_V = cache
            K, V = torch.cat((past_K, K), 2), torch.cat((past_V, V), 2)
        N_K = K.shape[2]
        keys = torch.arange(N_K, device=X.device)
        positions = torch.arange(N_K - N, N_K, device=X.device)
        E = Q @ K.transpose(2, 3) / math.sqrt(self.D_H)
        E = E.masked_fill(keys > positions.unsqueeze(1), -torch.inf)
        Y = (E.softmax(dim=-1) @ V).transpose(1, 2).reshape(B, N, D)
        return self.W_O(Y), (K, V)
