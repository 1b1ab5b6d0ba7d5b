"""Every word sees only itself. Look at which keys row i may look at: 0 to i."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        allowed = torch.eye(X.shape[1], dtype=torch.bool, device=X.device)
        return super().forward(X, allowed)
