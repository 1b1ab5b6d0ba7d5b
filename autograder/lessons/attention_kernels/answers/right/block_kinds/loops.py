"""Two loops with slices."""


def block_kinds(allowed, block_q, block_k):
    N_Q, N_K = allowed.shape
    kinds = torch.zeros(math.ceil(N_Q / block_q), math.ceil(N_K / block_k), dtype=torch.int64, device=allowed.device)
    for a in range(kinds.shape[0]):
        for b in range(kinds.shape[1]):
            tile = allowed[a * block_q : (a + 1) * block_q, b * block_k : (b + 1) * block_k]
            if tile.all():
                kinds[a, b] = 2
            elif tile.any():
                kinds[a, b] = 1
    return kinds
