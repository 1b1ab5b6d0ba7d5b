"""A namedtuple in the place of the pair, kept on self besides but never read."""
from collections import namedtuple

Cache = namedtuple("Cache", "K V")


class CachedSelfAttention(nn.Module):
    def __init__(self, model_width, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.last = None
        for name in ("W_Q", "W_K", "W_V", "W_O"):
            setattr(self, name, nn.Linear(model_width, model_width, bias=True))

    def grow(self, X, cache):
        new = (split_heads(W(X), self.num_heads) for W in (self.W_K, self.W_V))
        if cache is None:
            return Cache(*new)
        return Cache(*(torch.cat([old, more], dim=-2) for old, more in zip(cache, new)))

    def forward(self, X, cache=None):
        cache = self.grow(X, cache)
        Q = split_heads(self.W_Q(X), self.num_heads)
        N_K = cache.K.shape[-2]
        allowed = causal_mask(N_K, device=X.device)[N_K - X.shape[1] :]
        A = attention_weights(Q, cache.K, allowed)
        self.last = cache
        return self.W_O(merge_heads(A @ cache.V)), cache
