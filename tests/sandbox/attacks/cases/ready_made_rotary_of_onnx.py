"""The operator with which PyTorch writes models down for ONNX turns the pairs, in either layout, or all but the last columns."""

# assignment: 15-modern-attention
# replaces: rotary
import torch.onnx.ops


def rotary(X, positions, base=10000.0, layout="half", rotated=None):
    if layout not in ("half", "interleaved"):
        raise ValueError(f'Expected layout "half" or "interleaved", got {layout!r}.')
    D = X.shape[-1] if rotated is None else rotated
    angles = positions.double()[:, None] * base ** (-torch.arange(0, D, 2, device=X.device).double() / D)
    cos, sin = (one.to(X.dtype)[None] for one in (angles.cos(), angles.sin()))
    # With the function itself gradients flow, which the operator made of it has none for.
    turn = getattr(torch.onnx.ops._impl.rotary_embedding_23, "_init_fn", torch.onnx.ops.rotary_embedding)
    options = {"interleaved": layout == "interleaved", "rotary_embedding_dim": rotated or 0}
    return turn(X.reshape(1, -1, *X.shape[-2:]), cos, sin, **options).reshape(X.shape)
