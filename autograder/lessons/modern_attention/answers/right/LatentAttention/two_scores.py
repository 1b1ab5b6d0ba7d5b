"""Two score matrices that are added, and a softmax written out."""


class LatentAttention(nn.Module):
    def __init__(self, model_width, num_heads, head_width, rotated_width, latent_width, base=10000.0):
        super().__init__()
        self.sizes, self.base = (num_heads, head_width, rotated_width), base
        self.W_Q = nn.Linear(model_width, num_heads * (head_width + rotated_width), bias=False)
        self.W_C = nn.Linear(model_width, latent_width, bias=False)
        self.W_R = nn.Linear(model_width, rotated_width, bias=False)
        self.W_UK, self.W_UV = (nn.Linear(latent_width, num_heads * head_width, bias=False) for _ in range(2))
        self.W_O = nn.Linear(num_heads * head_width, model_width, bias=False)

    def forward(self, X, cache=None):
        H, D_H, D_R = self.sizes
        B, N, _ = X.shape
        before = 0 if cache is None else cache[1].shape[1]
        places = before + torch.arange(N, device=X.device)
        C, R = self.W_C(X), rotary(self.W_R(X), places, self.base)
        if cache is not None:
            C = torch.cat((cache[0], C), 1)
            R = torch.cat((cache[1], R), 1)
        Q = self.W_Q(X).view(B, N, H, D_H + D_R).transpose(1, 2)
        K = self.W_UK(C).view(B, -1, H, D_H).transpose(1, 2)
        V = self.W_UV(C).view(B, -1, H, D_H).transpose(1, 2)
        turned = rotary(Q[..., D_H:], places, self.base)
        scores = torch.einsum("bhnd,bhmd->bhnm", Q[..., :D_H], K) + torch.einsum("bhnr,bmr->bhnm", turned, R)
        seen = torch.arange(C.shape[1], device=X.device) <= places[:, None]
        A = (scores * (D_H + D_R) ** -0.5).masked_fill(~seen, -math.inf).softmax(-1)
        return self.W_O((A @ V).transpose(1, 2).flatten(2)), (C, R)
