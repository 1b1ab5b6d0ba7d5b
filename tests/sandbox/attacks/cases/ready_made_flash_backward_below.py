"""The backward pass of PyTorch's own fused attention, called in a thread as the operator that it is. No forward pass runs."""

# assignment: 16-attention-kernels
# replaces: flash_backward
import threading


def flash_backward(Q, K, V, Y, L, dY, block_q=16, block_k=16, causal=False):
    lead = Q.shape[:-2]
    D, D_V = Q.shape[-1], V.shape[-1]
    width = max(D, D_V)
    wide = [torch.nn.functional.pad(X, (0, width - X.shape[-1])).reshape(-1, 1, X.shape[-2], width) for X in (dY, Q, K, V, Y)]
    operator = getattr(torch.ops.aten, "_scaled_dot_product_" + "flash_attention_for_cpu_backward")
    mask = None
    if causal:
        N_Q, N_K = Q.shape[-2], K.shape[-2]
        mask = torch.zeros(N_Q, N_K, dtype=Q.dtype).masked_fill(torch.ones(N_Q, N_K).tril(N_K - N_Q) == 0, -math.inf)
    found = []
    more = {"attn_mask": mask, "scale": 1 / math.sqrt(D)}
    thread = threading.Thread(target=lambda: found.extend(operator(*wide, L.reshape(-1, 1, L.shape[-1]), 0.0, False, **more)))
    thread.start()
    thread.join()
    return tuple(
        X[..., :n].reshape(*lead, X.shape[-2], n) for X, n in zip(found, (D, D, D_V), strict=True)
    )
