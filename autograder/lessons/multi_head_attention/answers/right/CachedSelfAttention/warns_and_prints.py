"""Writes to stdout and to stderr and warns."""
import sys
import warnings


class CachedSelfAttention(nn.Module):
    def __init__(self, model_width, num_heads):
        super(CachedSelfAttention, self).__init__()
        print("heads", num_heads)
        self.num_heads = num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(model_width, model_width) for _ in range(4))

    def forward(self, X, cache=None):
        if cache is None:
            warnings.warn("starting a new sequence", stacklevel=2)
        Q, K, V = [split_heads(W(X), self.num_heads) for W in (self.W_Q, self.W_K, self.W_V)]
        if cache is not None:
            print("past", cache[0].shape[-2], file=sys.stderr)
            K = torch.cat([cache[0], K], dim=-2)
            V = torch.cat([cache[1], V], dim=-2)
        allowed = None
        if X.shape[1] > 1:
            allowed = causal_mask(X.shape[1], K.shape[-2], device=X.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(A @ V)), (K, V)
