"""Odd: the prefixes are computed one after the other."""
class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        N_X = X.shape[1]
        outputs, weights = [], []
        for i in range(N_X):
            past = X[:, : i + 1]
            Y, A = scaled_dot_product_attention(self.W_Q(X[:, i : i + 1]), self.W_K(past), self.W_V(past))
            outputs.append(Y)
            weights.append(F.pad(A, (0, N_X - i - 1)))
        return torch.cat(outputs, dim=1), torch.cat(weights, dim=1)
