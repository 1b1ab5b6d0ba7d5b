"""A word may not look at itself, so the first word sees nothing and gets zeros. Look at whether row
i may look at key i."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        N_X = X.shape[1]
        allowed = torch.ones(N_X, N_X, dtype=torch.bool, device=X.device).tril(-1)
        return super().forward(X, allowed)
