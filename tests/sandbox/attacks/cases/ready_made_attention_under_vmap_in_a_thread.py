"""vmap has kernels of its own for PyTorch's attention, beside the dispatcher: called in a thread, which no profiler sees."""

# assignment: 01-attention
# replaces: scaled_dot_product_attention
from concurrent.futures import ThreadPoolExecutor


def scaled_dot_product_attention(Q, K, V, allowed=None):
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2], *([] if allowed is None else [allowed.shape[:-2]]))
    four = lambda X: X.expand(*batch, *X.shape[-2:]).reshape(1, -1, 1, *X.shape[-2:])
    some = mask = None
    if allowed is not None:
        some = allowed.any(-1, keepdim=True)
        mask = torch.zeros(allowed.shape, dtype=Q.dtype).masked_fill(~allowed & some, -torch.inf)
        mask = mask.expand(*batch, Q.shape[-2], K.shape[-2]).reshape(-1, 1, Q.shape[-2], K.shape[-2])
    run = lambda q, k, v: torch.ops.aten._scaled_dot_product_attention_math(q, k, v, mask)
    with ThreadPoolExecutor(1) as pool:
        Y, A = pool.submit(lambda: torch.vmap(run)(four(Q), four(K), four(V))).result()
    Y, A = Y.reshape(*batch, *Y.shape[-2:]), A.reshape(*batch, *A.shape[-2:])
    return (Y, A) if some is None else (Y * some, A * some)
