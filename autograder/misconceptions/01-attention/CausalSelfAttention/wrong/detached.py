"""The results are cut off from the graph, so no gradient reaches the weights. Look for detach,
.data, .item() or no_grad."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        with torch.no_grad():
            return super().forward(X, causal_mask(X.shape[1], device=X.device))
