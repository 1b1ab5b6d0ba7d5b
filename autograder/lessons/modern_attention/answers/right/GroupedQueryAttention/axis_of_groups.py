"""Queries with an axis of groups; keys and values are broadcast, never copied."""


class GroupedQueryAttention(nn.Module):
    def __init__(self, model_width, num_heads, num_groups):
        super().__init__()
        if model_width % num_heads != 0:
            raise ValueError("num_heads does not divide model_width")
        if num_heads % num_groups != 0:
            raise ValueError("num_groups does not divide num_heads")
        self.H, self.G, self.D_H = num_heads, num_groups, model_width // num_heads
        self.W_Q = nn.Linear(model_width, model_width, bias=False)
        self.W_K = nn.Linear(model_width, self.G * self.D_H, bias=False)
        self.W_V = nn.Linear(model_width, self.G * self.D_H, bias=False)
        self.W_O = nn.Linear(model_width, model_width, bias=False)

    def forward(self, X, cache=None):
        B, N, D = X.shape
        Q = self.W_Q(X).view(B, N, self.G, self.H // self.G, self.D_H).permute(0, 2, 3, 1, 4)
        K = self.W_K(X).view(B, N, self.G, self.D_H).transpose(1, 2)
        V = self.W_V(X).view(B, N, self.G, self.D_H).transpose(1, 2)
        if cache is not None:
            K = torch.cat((cache[0], K), dim=2)
            V = torch.cat((cache[1], V), dim=2)
        E = torch.einsum("bgrnd,bgmd->bgrnm", Q, K) / math.sqrt(self.D_H)
        past = K.shape[2] - N
        hidden = torch.arange(K.shape[2], device=X.device) > torch.arange(N, device=X.device)[:, None] + past
        A = E.masked_fill(hidden, -math.inf).softmax(dim=-1)
        Y = torch.einsum("bgrnm,bgmd->bngrd", A, V)
        return self.W_O(Y.reshape(B, N, D)), (K, V)
