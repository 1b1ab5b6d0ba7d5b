"""A further mask may be passed; a list is returned; A is kept on self besides."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X, allowed=None):
        past = causal_mask(X.shape[1], device=X.device)
        Y, self.A = super().forward(X, past if allowed is None else past & allowed)
        return [Y, self.A]
