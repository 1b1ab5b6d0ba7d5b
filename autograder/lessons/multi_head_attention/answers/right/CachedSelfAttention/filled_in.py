"""New tensors of the full length are filled with the past and the new, then einsum."""
class CachedSelfAttention(nn.Module):
    def __init__(self, model_width, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.W_Q = nn.Linear(model_width, model_width)
        self.W_K = nn.Linear(model_width, model_width)
        self.W_V = nn.Linear(model_width, model_width)
        self.W_O = nn.Linear(model_width, model_width)

    def forward(self, X, cache=None):
        Q = split_heads(self.W_Q(X), self.num_heads)
        K = split_heads(self.W_K(X), self.num_heads)
        V = split_heads(self.W_V(X), self.num_heads)
        N, N_past = X.shape[1], 0 if cache is None else cache[0].shape[2]
        all_K = K.new_zeros(*K.shape[:2], N_past + N, K.shape[3])
        all_V = torch.zeros_like(all_K)
        if cache is not None:
            all_K[:, :, :N_past], all_V[:, :, :N_past] = cache
        all_K[:, :, N_past:], all_V[:, :, N_past:] = K, V
        K, V = all_K, all_V
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(A @ V)), (K, V)
