"""PyTorch's fused attention with a mask; a dictionary made into a list at the end; a named function for the logits."""
class CachedGPT(GPT):
    def head(self, Y):
        return F.linear(Y, self.embedding.weight) if self.output is None else self.output(Y)

    def forward(self, ids, cache=None):
        N_old = cache[0][0].shape[-2] if cache else 0
        N_all = N_old + ids.shape[-1]
        if N_all > self.positions.table.shape[0]:
            raise ValueError(f"{N_all} tokens are more than {self.positions.table.shape[0]}")
        places = torch.arange(N_old, N_all, device=ids.device)
        X = self.embedding(ids) + self.positions.table[places]
        mask = torch.ones(N_all, N_all, dtype=torch.bool, device=ids.device).tril()[N_old:]
        found = {}
        for i, block in enumerate(self.decoder.blocks):
            Z = block.norm_1(X)
            parts = [layers.split_heads(m(Z), block.attention.num_heads) for m in
                     (block.attention.W_Q, block.attention.W_K, block.attention.W_V)]
            K = parts[1] if not cache else torch.cat([cache[i][0], parts[1]], -2)
            V = parts[2] if not cache else torch.cat([cache[i][1], parts[2]], -2)
            Y = F.scaled_dot_product_attention(parts[0], K, V, attn_mask=mask)
            X = X + block.attention.W_O(layers.merge_heads(Y))
            X = X + block.feed_forward(block.norm_2(X))
            found[i] = [K, V]
        return self.head(self.decoder.norm(X)), list(found.values())
