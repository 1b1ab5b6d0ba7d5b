"""A helper for one block; the past cut out of the mask by offsets; scores by einsum."""
class CachedGPT(GPT):
    @staticmethod
    def step(block, X, kept):
        layer = block.attention
        Z = block.norm_1(X)
        B, N, D = Z.shape
        Q, K, V = (W(Z).reshape(B, N, layer.num_heads, -1).transpose(1, 2) for W in (layer.W_Q, layer.W_K, layer.W_V))
        if kept is not None:
            K, V = torch.cat([kept[0], K], dim=2), torch.cat([kept[1], V], dim=2)
        E = torch.einsum("bhqd,bhkd->bhqk", Q, K) / math.sqrt(Q.shape[-1])
        offset = K.shape[2] - N
        later = torch.arange(K.shape[2], device=K.device)[None] > torch.arange(N, device=K.device)[:, None] + offset
        A = E.masked_fill(later, -torch.inf).softmax(-1)
        X = X + layer.W_O((A @ V).transpose(1, 2).reshape(B, N, D))
        return X + block.feed_forward(block.norm_2(X)), (K, V)

    def forward(self, ids, cache=None):
        blocks = list(self.decoder.blocks)
        old = [None] * len(blocks) if cache is None else cache
        first = 0 if cache is None else old[0][0].size(2)
        if first + ids.size(1) > self.positions.table.size(0):
            raise ValueError("no more positions")
        X, kept = self.embedding(ids) + self.positions.table[first:][: ids.size(1)], []
        for block, pair in zip(blocks, old):
            X, pair = self.step(block, X, pair)
            kept.append(pair)
        Y = self.decoder.norm(X)
        return Y @ (self.embedding.weight if self.output is None else self.output.weight).mT, kept
