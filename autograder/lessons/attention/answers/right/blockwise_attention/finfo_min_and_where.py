"""A finite first maximum, torch.where for the mask, warnings and prints, keyword-only extras."""
import warnings


@torch.no_grad()
def blockwise_attention(Q, K, V, causal=False, block_size=256, *, scale=None, verbose=True):
    if verbose:
        print("attention in blocks of", block_size)
    if Q.shape[-2] < block_size:
        warnings.warn("a single block is enough", stacklevel=2)
    lowest = torch.finfo(Q.dtype).min
    K = K * (Q.shape[-1] ** -0.5 if scale is None else scale)
    place = torch.arange(max(Q.shape[-2], K.shape[-2]), device=Q.device)
    rows = []
    for q, i in zip(Q.split(block_size, -2), place[: Q.shape[-2]].split(block_size)):
        y, total, largest = 0.0, 0.0, torch.full_like(q[..., 0], lowest)
        for k, v, j in zip(K.split(block_size, -2), V.split(block_size, -2), place[: K.shape[-2]].split(block_size)):
            if causal and j[0] > i[-1]:
                break
            e = torch.matmul(q, k.transpose(-2, -1))
            if causal and j[-1] > i[0]:
                e = torch.where(j <= i[:, None], e, lowest)
            new = torch.maximum(largest, e.amax(dim=-1))
            factor = (largest - new).exp()
            a = e.sub_(new[..., None]).exp_()
            total = total * factor + a.sum(dim=-1)
            y = y * factor[..., None] + a @ v
            largest = new
        rows.append(y / total[..., None])
    return torch.cat(rows, dim=-2)
