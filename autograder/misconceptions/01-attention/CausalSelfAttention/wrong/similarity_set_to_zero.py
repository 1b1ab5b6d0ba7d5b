"""The similarities of hidden keys are set to 0, which still gives them a weight above 0. Look at
which similarity the softmax turns into a weight of exactly 0."""


class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        E = (Q @ K.mT / math.sqrt(Q.shape[-1])).tril()
        A = torch.softmax(E, dim=-1)
        return A @ V, A
