"""Odd: the scale holds log2 e, so that powers of 2 take the place of exponentials."""
@torch.inference_mode()
def _powers(Q, K, V, causal, block_size):
    Q = Q * (math.log2(math.e) / math.sqrt(Q.shape[-1]))
    Y = Q.new_empty(*Q.shape[:-1], V.shape[-1])
    for i in range(0, Q.shape[-2], block_size):
        q, y = Q[..., i : i + block_size, :], 0
        m, total = q.new_full((*q.shape[:-1], 1), -torch.inf), 0
        for j in range(0, i + 1 if causal else K.shape[-2], block_size):
            e = q @ K[..., j : j + block_size, :].mT
            if causal and j == i:
                e.masked_fill_(torch.ones_like(e, dtype=torch.bool).triu_(1), -torch.inf)
            m, old = torch.maximum(m, e.amax(-1, True)), m
            e.sub_(m).exp2_()
            y = e @ V[..., j : j + block_size, :] + y * torch.exp2(old - m)
            total = e.sum(-1, True) + total * torch.exp2(old - m)
        Y[..., i : i + block_size, :] = y / total
    return Y


def blockwise_attention(Q, K, V, causal=False, block_size=256):
    return _powers(Q, K, V, causal, block_size).clone()
