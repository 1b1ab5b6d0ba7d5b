"""The keys and values are kept on self and the argument cache is not looked at, so a second
sequence goes on where the first one ended. Look at where the past comes from."""


class CachedSelfAttention(nn.Module):
    def __init__(self, model_width, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(model_width, model_width)
        self.W_K = nn.Linear(model_width, model_width)
        self.W_V = nn.Linear(model_width, model_width)
        self.W_O = nn.Linear(model_width, model_width)
        self.past = None

    def forward(self, X, cache=None):
        Q = split_heads(self.W_Q(X), self.num_heads)
        K = split_heads(self.W_K(X), self.num_heads)
        V = split_heads(self.W_V(X), self.num_heads)
        if self.past is not None:
            K = torch.cat([self.past[0], K], dim=-2)
            V = torch.cat([self.past[1], V], dim=-2)
        self.past = K, V
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(A @ V)), (K, V)
