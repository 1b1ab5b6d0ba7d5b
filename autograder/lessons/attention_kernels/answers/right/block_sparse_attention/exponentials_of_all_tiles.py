"""Two passes: the maximum of each row, then the sums."""


def block_sparse_attention(Q, K, V, allowed, kinds, block_q, block_k):
    Y = V.new_zeros(Q.shape[0], V.shape[-1])
    for a in range(len(kinds)):
        i = slice(a * block_q, (a + 1) * block_q)
        tiles = []
        for b in range(kinds.shape[1]):
            j = slice(b * block_k, (b + 1) * block_k)
            if kinds[a, b] > 0:
                E = torch.einsum("id,jd->ij", Q[i], K[j]) / math.sqrt(Q.shape[1])
                tiles.append((E if kinds[a, b] == 2 else E.masked_fill(allowed[i, j].logical_not(), -math.inf), V[j]))
        if tiles:
            largest = torch.stack([E.amax(1) for E, _ in tiles]).amax(0).nan_to_num(neginf=0.0)
            weights = [torch.exp(E - largest[:, None]) for E, _ in tiles]
            total = sum(P.sum(1) for P in weights)
            summed = sum(P @ v for P, (_, v) in zip(weights, tiles))
            Y[i] = torch.where(total[:, None] > 0, summed / total[:, None], 0.0)
    return Y
