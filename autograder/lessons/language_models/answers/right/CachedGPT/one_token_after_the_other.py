"""One token after the other, without a mask; positions by embedding; tuples."""
class CachedGPT(GPT):
    def one(self, token, cache):
        place = cache[0][0].shape[2]
        X = self.embedding(token) + self.positions.table[place]
        new = []
        for block, (K, V) in zip(self.decoder.blocks, cache):
            Z, a = block.norm_1(X), block.attention
            q, k, v = (layers.split_heads(W(Z), a.num_heads) for W in (a.W_Q, a.W_K, a.W_V))
            K, V = torch.cat((K, k), 2), torch.cat((V, v), 2)
            X = X + a.W_O(layers.merge_heads(layers.scaled_dot_product_attention(q, K, V)[0]))
            X = X + block.feed_forward(block.norm_2(X))
            new.append((K, V))
        return self.decoder.norm(X), tuple(new)

    def forward(self, ids, cache=None):
        if cache is None:
            H = self.decoder.blocks[0].attention.num_heads
            empty = self.embedding.weight.new_empty(len(ids), H, 0, self.embedding.weight.shape[1] // H)
            cache = [(empty, empty) for _ in self.decoder.blocks]
        if cache[0][0].shape[2] + ids.shape[1] > len(self.positions.table):
            raise ValueError(f"at most {len(self.positions.table)} tokens")
        rows = []
        for column in ids.split(1, dim=1):
            Y, cache = self.one(column, cache)
            rows.append(Y)
        weight = self.embedding.weight if self.output is None else self.output.weight
        return F.linear(torch.cat(rows, 1), weight), cache
