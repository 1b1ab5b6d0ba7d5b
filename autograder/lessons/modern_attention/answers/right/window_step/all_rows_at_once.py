"""Ring and new rows joined, one call under a mask of positions; the last rows are written afterwards."""


def window_step(Q, K, V, ring, seen, sinks=0):
    K_ring, V_ring = ring
    slots, N = K_ring.shape[-2], Q.shape[-2]
    window = slots - sinks

    def slot(position):
        return position if position < sinks else sinks + (position - sinks) % window

    old = [p for p in range(seen) if p < sinks or p >= seen - window]
    where = [slot(p) for p in old]
    keys = torch.cat([K_ring[..., where, :], K], dim=-2)
    values = torch.cat([V_ring[..., where, :], V], dim=-2)
    j = torch.tensor(old + list(range(seen, seen + N)))
    p = torch.arange(seen, seen + N).unsqueeze(1)
    allowed = (j <= p) & ((j > p - window) | (j < sinks))
    Y, _ = scaled_dot_product_attention(Q, keys, values, allowed=allowed)
    for i in range(N):
        K_ring[..., slot(seen + i), :] = K[..., i, :]
        V_ring[..., slot(seen + i), :] = V[..., i, :]
    return Y
