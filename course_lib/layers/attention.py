"""Scaled dot-product attention, with its weights and (faster) without them.

Source of the equations: Vaswani et al. (2017), Attention Is All You Need, section 3.2.1.
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.layers.dropout import drop
from course_lib.layers.masks import check_mask, join_causal


def attention_weights(
    Q: Float[Tensor, "... N_Q D_Q"], K: Float[Tensor, "... N_K D_Q"], allowed: Bool[Tensor, "..."] | None = None
) -> Float[Tensor, "... N_Q N_K"]:
    """Return A = softmax(Q Kᵀ / √D_Q), over the keys.

    allowed: None (every query may attend to every key) or a mask that broadcasts to (..., N_Q, N_K), True where the
    query may attend to the key. The row of a query that may attend to nothing is zero, and passes no gradient.
    Raises ValueError if the shapes do not fit and TypeError if `allowed` is not bool.
    """
    check_widths(Q, K)
    E = (Q / math.sqrt(Q.shape[-1])) @ K.mT  # (..., N_Q, N_K); dividing Q is less work than dividing E
    if allowed is None:
        return torch.softmax(E, dim=-1)
    check_mask(allowed, E.shape)
    some = allowed.any(dim=-1, keepdim=True)  # (..., N_Q, 1)
    # A row of nothing but -inf would give NaN. It keeps its similarities instead, and its weights are set to 0.
    A = torch.softmax(E.masked_fill(some & ~allowed, -math.inf), dim=-1)
    return A.masked_fill(~some, 0.0)


def scaled_dot_product_attention(
    Q: Float[Tensor, "... N_Q D_Q"],
    K: Float[Tensor, "... N_K D_Q"],
    V: Float[Tensor, "... N_K D_V"],
    allowed: Bool[Tensor, "..."] | None = None,
) -> tuple[Float[Tensor, "... N_Q D_V"], Float[Tensor, "... N_Q N_K"]]:
    """Return Y = A V and A = attention_weights(Q, K, allowed); raises what `attention_weights` raises."""
    check_values(K, V)
    A = attention_weights(Q, K, allowed)
    return A @ V, A


def weights_shape(Q: Float[Tensor, "... N_Q D_Q"], K: Float[Tensor, "... N_K D_Q"]) -> tuple[int, ...]:
    """Return the shape (..., N_Q, N_K) of the attention weights."""
    return (*torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2]), Q.shape[-2], K.shape[-2])


def attend_without_weights(
    Q: Float[Tensor, "... N_Q D_Q"],
    K: Float[Tensor, "... N_K D_Q"],
    V: Float[Tensor, "... N_K D_V"],
    allowed: Bool[Tensor, "..."] | None = None,
    causal: bool = False,
    dropout: float = 0.0,
) -> Float[Tensor, "... N_Q D_V"]:
    """Return Y of `scaled_dot_product_attention`, computed in the fastest way on this device.

    causal: hide later keys, as `causal_mask` does, in addition to those that `allowed` hides.
    dropout: the probability with which a weight is set to 0; give 0 when not training.
    Raises the errors of `scaled_dot_product_attention`.
    """
    check_widths(Q, K)
    check_values(K, V)
    shape = weights_shape(Q, K)
    # PyTorch's own causal mask cannot be joined with another, and aligns the first query with the first key.
    plain = allowed is None and shape[-2] == shape[-1]
    # On the CPU only the kernel that materialises A has dropout, and it is slower than this module's.
    written_out = dropout > 0 and Q.device.type == "cpu"
    if causal and (written_out or not plain):
        allowed, causal = join_causal(allowed, shape, Q.device), False
    if written_out:
        return drop(attention_weights(Q, K, allowed), dropout) @ V
    if allowed is None:
        return F.scaled_dot_product_attention(Q, K, V, dropout_p=dropout, is_causal=causal)
    check_mask(allowed, shape)
    return attend_fused(Q, K, V, allowed, dropout)


def attend_fused(
    Q: Float[Tensor, "... N_Q D_Q"],
    K: Float[Tensor, "... N_K D_Q"],
    V: Float[Tensor, "... N_K D_V"],
    allowed: Bool[Tensor, "..."],
    dropout: float,
) -> Float[Tensor, "... N_Q D_V"]:
    """Return PyTorch's scaled dot-product attention under a mask, with zeros for a query that may attend to nothing.

    PyTorch's own output for such a query depends on its version and on the kernel: zeros or NaN. So here it may attend to
    everything, and its output is set to 0.
    """
    none = ~allowed.any(dim=-1, keepdim=True)  # (..., N_Q, 1)
    mask = torch.atleast_2d(allowed | none)  # the kernels need both axes, of queries and of keys
    Y = F.scaled_dot_product_attention(Q, K, V, attn_mask=mask, dropout_p=dropout)
    return Y.masked_fill(none, 0.0)


def check_widths(Q: Tensor, K: Tensor) -> None:
    """Raise ValueError unless queries and keys are equally wide."""
    if Q.shape[-1] != K.shape[-1]:
        raise ValueError(
            f"Expected queries (..., N_Q, D_Q) and keys (..., N_K, D_Q) of one width D_Q, got {tuple(Q.shape)} and "
            f"{tuple(K.shape)}. Project one of them to the width of the other."
        )


def check_values(K: Tensor, V: Tensor) -> None:
    """Raise ValueError unless there is one value for each key."""
    if K.shape[-2] != V.shape[-2]:
        raise ValueError(
            f"Expected one value for each key, got {K.shape[-2]} keys and {V.shape[-2]} values: K is "
            f"{tuple(K.shape)}, V is {tuple(V.shape)}. Make both from the same positions."
        )
