"""All slots under a mask of those in use; what is not in use becomes 0 first."""


def window_step(Q, K, V, ring, seen, sinks=0):
    slots = ring[0].shape[-2]
    W = slots - sinks
    outputs = []
    for p, (q, k, v) in enumerate(zip(Q.unbind(-2), K.unbind(-2), V.unbind(-2)), start=seen):
        slot = min(p, sinks) + max(p - sinks, 0) % W
        ring[0][..., slot, :] = k
        ring[1][..., slot, :] = v
        used = torch.arange(slots) <= p
        keys, values = (X.masked_fill(~used[:, None], 0.0) for X in ring)
        outputs.append(scaled_dot_product_attention(q[..., None, :], keys, values, allowed=used[None])[0])
    return torch.cat(outputs, -2)
