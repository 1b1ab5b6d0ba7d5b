"""Shared parts of the checks of SelfAttention and CausalSelfAttention."""

from dataclasses import replace

import torch

from autograder.checks import BothModes, CheckFailure, Draw, Sizes, Student, expect, has_parameters
from autograder.lessons.attention import references

NAMES = ("W_Q.weight", "W_K.weight", "W_V.weight")


def weights(sizes: Sizes, draw: Draw, dtype=torch.float64):
    """Draw W_Q (D_Q, D_X), W_K (D_Q, D_X) and W_V (D_V, D_X), as nn.Linear keeps them, so that similarities are of order 1."""
    rows = (sizes.D_Q, sizes.D_Q, sizes.D_V)
    return {
        name: draw.normal(n, sizes.D_X, scale=sizes.D_X**-0.4, dtype=dtype) for name, n in zip(NAMES, rows, strict=True)
    }


def build(student: Student, name, sizes: Sizes, loaded):
    return BothModes.of(student.build(name, sizes.D_X, sizes.D_Q, sizes.D_V, weights=loaded))


def reference(loaded, X, allowed=None):
    """Return (Y, A) of self-attention with these weights."""
    Q, K, V = (X @ loaded[name].to(X.dtype).T for name in NAMES)
    return references.scaled_dot_product_attention(Q, K, V, allowed)


def compare(module, loaded, X, setting, mask=None, size=3.0, **options):
    """Run the student's module on X and compare both results with the reference."""
    Y, A = expect.pair(module(X, **options), "Y", "A")
    want_Y, want_A = reference({k: w.double() for k, w in loaded.items()}, X.double(), mask)
    expect.allclose(A, want_A, "A", setting=setting)
    expect.allclose(Y, want_Y, "Y", size=size, setting=setting)


def describe(X, sizes: Sizes, more=""):
    return f"X {tuple(X.shape)}, D_Q = {sizes.D_Q}, D_V = {sizes.D_V}, {more or X.dtype}"


def has_the_right_parameters(student: Student, name, sizes: Sizes):
    """Fail unless the module has exactly the three weights, of the right shapes."""
    rows = zip(NAMES, (sizes.D_Q, sizes.D_Q, sizes.D_V), strict=True)
    want = {key: torch.empty(n, sizes.D_X) for key, n in rows}
    has_parameters(student, name, (sizes.D_X, sizes.D_Q, sizes.D_V), want)


def depends_on_its_inputs(module, X):
    """Fail when the module gives the same Y for X and for 2 X."""
    first, second = (expect.pair(module(x), "Y", "A")[0] for x in (X, 2 * X))
    expect.depends_on_its_inputs(first, second, "Y")


def same_twice(module, X):
    """Fail unless two calls in training mode give the same result."""
    first, second = (expect.pair(module.when(training=True, times=n)(X), "Y", "A")[0] for n in (1, 2))
    # The calls' inputs lie in memory in other orders.
    slack = expect.tolerance(first.dtype, float(first.detach().abs().max()))
    if first.shape != second.shape or not torch.allclose(first, second, rtol=0.0, atol=slack, equal_nan=True):
        raise CheckFailure(
            "random",
            "The same module gives different results for the same input.",
            received="random",
            cause="result changes from call to call",
            hint="Nothing here is random or remembers earlier calls: make the weights once, in __init__, and use no dropout.",
        )


def earlier_calls_leave_no_trace(module, loaded, X, draw: Draw, sizes: Sizes, mask=None, given=()):
    """Compare a call with the reference after the same module has seen other inputs, of another length too.

    ``given``: further arguments of one more call, such as a mask.
    """
    others = tuple((draw.normal(B, N, sizes.D_X, dtype=X.dtype),) for B, N in ((1, X.shape[1] - 2), (*X.shape[:2],)))
    others = (*others, (2 * X, *given)) if given else others
    answer = module.when(before=others).request(X)
    Y, _ = expect.pair(answer.value, "Y", "A")
    want, _ = reference({k: w.double() for k, w in loaded.items()}, X.double(), mask)
    try:
        expect.allclose(Y, want, "Y", size=3.0, setting="after calls of the same module with other inputs")
    except CheckFailure as failure:
        failure.kind, failure.cause = "memory", "remembers earlier calls"
        failure.hint = (
            "Something computed in an earlier call is kept and used again. Compute it from the inputs in every call."
        )
        raise


def equal_widths(student: Student, name, sizes: Sizes, draw: Draw, mask=None):
    """Compare with the reference where D_X = D_Q = D_V: what is added only if the shapes allow it shows here."""
    same = replace(sizes, D_X=sizes.D_Q, D_V=sizes.D_Q)
    loaded = weights(same, draw)
    X = draw.normal(sizes.B, sizes.N_X, same.D_X)
    module = build(student, name, same, loaded)
    compare(module, loaded, X, describe(X, same), mask)
    # Similarities of tens of thousands: each query attends to one key, and the other weights underflow.
    large = 200.0 * X
    compare(module, loaded, large, f"{describe(X, same)}, large similarities", mask, size=1000.0)


def equivariance(module, X, order):
    """Fail unless permuting the inputs permutes the outputs (and both sides of the weights) in the same way."""
    Y, A = expect.pair(module(X), "Y", "A")
    expect.depends_on_its_inputs(Y, expect.pair(module(X.square()), "Y", "A")[0], "Y")
    Y_moved, A_moved = expect.pair(module(X[:, order]), "Y", "A")
    pairs = ((Y_moved, Y[:, order], "Y"), (A_moved, A[:, order][:, :, order], "A"))
    for got, want, what in pairs:
        try:
            expect.allclose(
                got,
                want.double(),
                what,
                size=3.0,
                setting=f"inputs in the order {order.tolist()}",
                message=f"Permuted inputs do not give a permuted {what}.",
            )
        except CheckFailure as failure:
            failure.cause = "depends on the order of the inputs"
            failure.hint = "Self-attention treats its inputs as a set. Something here uses a vector's position."
            raise
