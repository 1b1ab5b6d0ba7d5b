"""PyTorch's fused attention, which knows groups; the mask is passed on."""


class GroupedQueryAttention(nn.Module):
    def __init__(self, model_width, num_heads, num_groups):
        super().__init__()
        if model_width % num_heads or num_heads % num_groups:
            raise ValueError("sizes")
        self.num_heads, self.num_groups = num_heads, num_groups
        head_width = model_width // num_heads
        self.W_Q, self.W_O = (nn.Linear(model_width, model_width, bias=False) for _ in range(2))
        self.W_K, self.W_V = (nn.Linear(model_width, num_groups * head_width, bias=False) for _ in range(2))

    def forward(self, X, cache=None):
        Q = split_heads(self.W_Q(X), self.num_heads)
        K, V = split_heads(self.W_K(X), self.num_groups), split_heads(self.W_V(X), self.num_groups)
        if cache:
            K, V = torch.cat([cache[0], K], 2), torch.cat([cache[1], V], 2)
        mask = causal_mask(Q.shape[2], K.shape[2], device=X.device)
        Y = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, enable_gqa=True)
        return self.W_O(merge_heads(Y)), (K, V)
