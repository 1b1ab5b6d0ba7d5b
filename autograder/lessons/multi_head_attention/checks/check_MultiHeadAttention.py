"""MultiHeadAttention(model_width, num_heads, dropout=0.0, bias=True)."""

import torch
from torch import Tensor, nn

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    computed,
    computes,
    describe,
    exercise,
    expect,
    has_parameters,
    independent_elements,
    no_side_effects,
    points,
    promises,
    raises_value_error,
    same_dropout_distribution,
    same_twice,
    share_is,
    uses_its_inputs,
)
from autograder.lessons.multi_head_attention import references

NAME = "MultiHeadAttention"
#: (B, N_Q, N_K, D, H): sixteen combinations, the smallest first; in the last four, sizes that should be told apart are equal.
SHAPES = (
    (1, 1, 2, 2, 1),
    (1, 2, 3, 4, 2),
    (2, 3, 5, 6, 3),
    (2, 5, 7, 22, 2),
    (3, 7, 5, 33, 3),
    (2, 1, 7, 26, 13),
    (1, 5, 1, 15, 5),
    (5, 2, 3, 14, 7),
    (1, 11, 13, 12, 4),
    (4, 3, 2, 20, 5),
    (2, 13, 11, 21, 3),
    (3, 2, 17, 10, 2),
    (3, 3, 3, 9, 3),
    (4, 4, 4, 16, 4),
    (2, 2, 2, 4, 2),
    (6, 6, 6, 6, 6),
)
WHAT = ("Y", "A")
D, H = 33, 3


def _twins(student, draw, width=D, num_heads=H, more=(), dtype=torch.float64, weights=None):
    build = (width, num_heads, *more)
    return ModulePair(student, NAME, build, references.MultiHeadAttention(*build), draw, dtype, weights)


def _oracle(twins, num_heads):
    """PyTorch's own module with the same weights."""
    w = twins.weights
    module = nn.MultiheadAttention(len(w["W_O.weight"]), num_heads, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        module.in_proj_weight.copy_(torch.cat([w["W_Q.weight"], w["W_K.weight"], w["W_V.weight"]]))
        module.in_proj_bias.copy_(torch.cat([w["W_Q.bias"], w["W_K.bias"], w["W_V.bias"]]))
        module.out_proj.weight.copy_(w["W_O.weight"])
        module.out_proj.bias.copy_(w["W_O.bias"])
    return module.eval()


def _describe(B, N_Q, N_K, width, num_heads):
    return f"B = {B}, N_Q = {N_Q}, N_K = {N_K}, D = {width}, H = {num_heads}, float64"


def _compare(got, oracle, inputs, setting):
    want_Y, want_A = oracle(*inputs, average_attn_weights=False)
    Y, A = expect.pair(got, *WHAT)
    expect.allclose(A, want_A, "A", setting=setting)
    expect.allclose(Y, want_Y, "Y", size=4.0, setting=setting)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W_Q, W_K, W_V and W_O are linear maps from D to D, with a bias unless bias=False"""
    for more in ((), (0.0, False)):
        want = references.MultiHeadAttention(D, H, *more)
        has_parameters(student, NAME, (D, H, *more), dict(want.named_parameters()))
    X = draw.normal(sizes.B, sizes.N_Q, D)
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y (B, N_Q, D) holds one output for every query, and A (B, H, N_Q, N_K) the weights of every head"""
    twins = _twins(student, draw)
    for N_Q, N_K in ((sizes.N_Q, sizes.N_K), (1, 1)):
        X, Z = draw.normal(sizes.B, N_Q, D), draw.normal(sizes.B, N_K, D)
        Y, A = expect.pair(twins.module(X, Z, Z), *WHAT)
        setting = _describe(sizes.B, N_Q, N_K, D, H)
        expect.shape(Y, (sizes.B, N_Q, D), "Y", "(B, N_Q, D)", setting)
        expect.shape(A, (sizes.B, H, N_Q, N_K), "A", "(B, H, N_Q, N_K)", setting)
    uses_its_inputs(twins.module, (X, Z, Z), (X, Z, Z.square()))


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """Every head attends for itself on its own columns; W_O mixes the heads: what nn.MultiheadAttention computes"""
    for number, (B, N_Q, N_K, width, num_heads) in enumerate(SHAPES):
        twins = _twins(student, draw, width, num_heads)
        inputs = draw.normal(B, N_Q, width), draw.normal(B, N_K, width), draw.normal(B, N_K, width)
        if number == 0:
            twins.module.when(deep=True).request(*inputs)
        _compare(twins.module(*inputs), _oracle(twins, num_heads), inputs, _describe(B, N_Q, N_K, width, num_heads))


@exercise(NAME)
@points(2)
def check_self_and_cross_attention(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without keys the queries are keys and values too; without values the keys are"""
    twins = _twins(student, draw)
    oracle = _oracle(twins, H)
    X, Z, V = (draw.normal(sizes.B, N, D) for N in (sizes.N_Q, sizes.N_K, sizes.N_Q))
    for given, options, meant, what in [
        ((X,), {}, (X, X, X), "self-attention: forward(X)"),
        ((X, Z), {}, (X, Z, Z), "cross-attention: forward(X, Z)"),
        ((X,), {"values": V}, (X, X, V), "values alone: forward(X, values=V)"),
    ]:
        try:
            _compare(
                twins.module(*given, **options),
                oracle,
                meant,
                f"{what}, {_describe(sizes.B, sizes.N_Q, meant[1].shape[1], D, H)}",
            )
        except CheckFailure as failure:
            failure.message = f"{what}: {failure.message}"
            raise


@exercise(NAME)
@points(2)
def check_mask(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`allowed` may have any shape that broadcasts to (B, H, N_Q, N_K); a query that may attend to nothing gets weights 0"""
    twins = _twins(student, draw)
    B, N_Q, N_K = sizes.B, sizes.N_Q, sizes.N_K
    X, Z = draw.normal(B, N_Q, D), draw.normal(B, N_K, D)
    empty = draw.allowed(B, 1, N_Q, N_K)
    empty[:, :, 1] = False
    masks = [draw.allowed(*shape) for shape in [(N_Q, N_K), (B, 1, 1, N_K), (B, H, N_Q, N_K), (H, 1, N_K), (N_K,)]]
    for allowed in (*masks, empty):
        twins.agree(X, Z, allowed=allowed, what=WHAT, setting=f"{describe(X, Z)}, allowed {tuple(allowed.shape)}")


@exercise(NAME)
@points(1)
def check_padding_changes_nothing(student: Student, sizes: Sizes, draw: Draw) -> None:
    """What stands at padded keys has no influence, however large it is"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_K, D)
    allowed = torch.arange(sizes.N_K) < sizes.N_Q
    Y, A = expect.pair(twins.module(X[:, : sizes.N_Q]), *WHAT)
    uses_its_inputs(twins.module, (X,), (X.square(),))
    longer = X.clone()
    longer[:, sizes.N_Q :] = draw.normal(sizes.B, sizes.N_K - sizes.N_Q, D, scale=50.0)
    Y_padded, A_padded = expect.pair(twins.module(longer, allowed=allowed), *WHAT)
    for got, want, what in ((A_padded[..., : sizes.N_Q, : sizes.N_Q], A, "A"), (Y_padded[:, : sizes.N_Q], Y, "Y")):
        expect.allclose(got, want.double(), what, size=4.0, setting="with and without two padded keys")


@exercise(NAME)
@points(1)
def check_permuted_heads(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Permuting the heads, and the columns of W_O with them, changes nothing but the order of A"""
    twins = _twins(student, draw)
    order = draw.permutation(H)
    columns = torch.arange(D).reshape(H, D // H)[order].reshape(-1)
    moved = {key: value[columns] for key, value in twins.weights.items() if not key.startswith("W_O")}
    moved |= {"W_O.weight": twins.weights["W_O.weight"][:, columns], "W_O.bias": twins.weights["W_O.bias"]}
    X = draw.normal(sizes.B, sizes.N_Q, D)
    uses_its_inputs(twins.module, (X,), (X.square(),))
    Y, A = expect.pair(twins.module(X), *WHAT)
    Y_moved, A_moved = expect.pair(student.build(NAME, D, H, weights=moved)(X), *WHAT)
    expect.shape(A, (sizes.B, H, sizes.N_Q, sizes.N_Q), "A", "(B, H, N_Q, N_K)")
    setting = f"heads in the order {order.tolist()}"
    expect.allclose(A_moved, A[:, order].double(), "A", setting=setting)
    expect.allclose(Y_moved, Y.double(), "Y", size=4.0, setting=setting)


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to queries, keys, values and all weights with the right values"""
    twins = _twins(student, draw)
    X, Z, V = draw.normal(sizes.B, sizes.N_Q, D), draw.normal(sizes.B, sizes.N_K, D), draw.normal(sizes.B, sizes.N_K, D)
    twins.gradients_agree(X, Z, V, draw=draw, names=("queries", "keys", "values"), outputs=2)


@exercise(NAME)
@points(1)
def check_dropout_acts_on_the_weights(student: Student, sizes: Sizes, draw: Draw) -> None:
    """In training, dropout sets single weights to 0 and divides the others by 1 − p; in eval mode it does nothing"""
    p, N_Q, N_K, num_heads, B = 0.3, 3, 5, 2, 64
    width = num_heads * 2 * N_K
    names = dict(references.MultiHeadAttention(width, num_heads).named_parameters())
    weights = {
        key: torch.zeros_like(value, dtype=torch.float64) for key, value in names.items() if key.endswith("bias")
    }
    weights |= {key: torch.eye(width, dtype=torch.float64) for key in ("W_V.weight", "W_O.weight")}
    twins = _twins(student, draw, width, num_heads, (p,), weights=weights)
    # In every head, value j is 1 in the columns j and N_K + j. So each weight can be read off the output, in two places.
    V = torch.eye(N_K, dtype=torch.float64).repeat(1, 2 * num_heads).expand(B, -1, -1)
    X, Z = draw.normal(B, N_Q, width), draw.normal(B, N_K, width)
    _, A = twins.agree(X, Z, V, what=WHAT, setting="eval mode")
    Y, returned = expect.pair(twins.module.when(training=True)(X, Z, V), *WHAT)
    expect.shape(Y, (B, N_Q, width), "Y", "(B, N_Q, D)", "training mode")
    first, second = Y.double().reshape(B, N_Q, num_heads, 2, N_K).transpose(1, 2).unbind(-2)
    details = {"setting": f"training mode, dropout={p}", "received": "dropout"}
    zero = _dropped(first, second, A.double(), p, details)
    independent_elements(
        zero, "Weights are dropped together.", "nn.Dropout on A itself decides for every single weight.", details
    )
    hint = "The argument `dropout` is the probability with which a weight is set to 0."
    share_is(zero, p, "The share of weights that are dropped is wrong.", hint, details)
    if returned.shape == A.shape and not torch.allclose(returned.double(), A.double()):
        raise CheckFailure(
            "dropout",
            "The weights that are returned are not those before the dropout.",
            **details,
            cause="weights returned after the dropout",
            hint="Keep A as the softmax gave it, and return that: only the product with the values takes dropped weights.",
        )
    hint = "Dropout acts on the weights alone, after the softmax and before the product with the values."
    pair, example = _twins(student, draw, 6, 2, (p,)), (draw.normal(1, 3, 6), draw.normal(1, 5, 6))
    same_dropout_distribution(pair, *example, what=WHAT, draw=draw, setting=f"training mode, dropout={p}", hint=hint)


def _dropped(first: Tensor, second: Tensor, A: Tensor, p: float, details: dict[str, str]) -> Tensor:
    """Return which weights were dropped, or fail if something else was, or if the others were not divided by 1 − p."""
    zero, kept = first == 0, torch.isclose(first, A / (1 - p), rtol=1e-9, atol=0)
    if torch.allclose(first, A, rtol=1e-9):
        raise CheckFailure(
            "dropout",
            "Nothing is dropped.",
            **details,
            cause="dropout missing",
            hint="Apply dropout to the weights, after the softmax and before the product with the values.",
        )
    if not torch.equal(zero, second == 0):
        raise CheckFailure(
            "dropout",
            "Single numbers of the output (or of the values) are dropped, not weights.",
            **details,
            cause="dropout in the wrong place",
            hint="Dropping a weight hides a key from a query as a whole. Apply dropout to A, before the product with V.",
        )
    if not bool((zero | kept).all()):
        raise CheckFailure(
            "dropout",
            "A weight is neither dropped nor divided by 1 − p.",
            **details,
            expected=f"0 or the weight / {1 - p:.1f}",
            cause="dropout in the wrong place or without its factor",
            hint="After the softmax: nn.Dropout sets weights to 0 and divides the others by 1 − p, once.",
        )
    return zero


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Without dropout the same input gives the same output, in training mode and in float32 too"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_Q, D, dtype=torch.float32)
    twins.agree(X, what=WHAT)
    expect.dtype(expect.pair(twins.module(X), *WHAT)[0], torch.float32, "Y")
    same_twice(twins.module, X)
    longer = draw.normal(sizes.B, sizes.N_K, D, dtype=torch.float32)
    mask = draw.allowed(sizes.N_Q, sizes.N_Q)
    others = [(longer[:1, :2],), (2 * X,), (2 * X, X, X, mask), (X, longer), (X, longer, 2 * longer)]
    no_side_effects(twins, others, X, what=WHAT)
    _twins(student, draw, more=(0.0, False)).agree(X.double(), what=WHAT, setting="bias=False")


@exercise(NAME)
@points(1)
def check_num_heads_must_divide(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A number of heads that does not divide the width raises an error when the module is made"""
    allowed, X = _twins(student, draw, 12, 4).module, draw.normal(1, 2, 12)
    computes(allowed, (X,), (draw.normal(1, 2, 12),), "Y")
    computed(expect.pair(allowed(X), *WHAT)[0], X, "Y", "queries")
    for width, num_heads in ((10, 3), (10, 4)):
        raises_value_error(
            f"A width of {width} with {num_heads} heads",
            "Compare model_width % num_heads with 0 in __init__, and raise a ValueError that says what was expected.",
            student.build(NAME, width, num_heads).parameters,
        )
