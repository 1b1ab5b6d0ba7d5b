"""Already in the absorbed form, with sums over named axes."""


class LatentAttention(nn.Module):
    def __init__(self, model_width, num_heads, head_width, rotated_width, latent_width, base=10000.0):
        super().__init__()
        self.num_heads, self.head_width, self.rotated_width, self.base = num_heads, head_width, rotated_width, base
        self.W_Q = nn.Linear(model_width, num_heads * (head_width + rotated_width), bias=False)
        self.W_C = nn.Linear(model_width, latent_width, bias=False)
        self.W_R = nn.Linear(model_width, rotated_width, bias=False)
        self.W_UK = nn.Linear(latent_width, num_heads * head_width, bias=False)
        self.W_UV = nn.Linear(latent_width, num_heads * head_width, bias=False)
        self.W_O = nn.Linear(num_heads * head_width, model_width, bias=False)

    def up(self, W):
        return W.weight.unflatten(0, (self.num_heads, self.head_width))

    def forward(self, X, cache=None):
        past = cache[0].shape[1] if cache is not None else 0
        positions = torch.arange(past, past + X.shape[1], device=X.device)
        new = self.W_C(X), rotary(self.W_R(X), positions, self.base)
        C, R = new if cache is None else [torch.cat(pair, 1) for pair in zip(cache, new)]
        Q = split_heads(self.W_Q(X), self.num_heads)
        content, place = Q[..., : self.head_width], Q[..., self.head_width :]
        latent = torch.einsum("bhnd,hdc->bhnc", content, self.up(self.W_UK))
        scores = torch.einsum("bhnc,bmc->bhnm", latent, C)
        scores = scores + torch.einsum("bhnr,bmr->bhnm", rotary(place, positions, self.base), R)
        scores = scores / math.sqrt(Q.shape[-1])
        later = torch.ones(X.shape[1], C.shape[1], dtype=torch.bool, device=X.device).triu(past + 1)
        A = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        Y = torch.einsum("bhnm,bmc,hdc->bhnd", A, C, self.up(self.W_UV))
        return self.W_O(merge_heads(Y)), (C, R)
