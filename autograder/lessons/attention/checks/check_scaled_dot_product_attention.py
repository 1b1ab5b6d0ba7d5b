"""scaled_dot_product_attention(Q, K, V, allowed=None) -> (Y, A)."""

from dataclasses import replace

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Sizes,
    Student,
    exercise,
    expect,
    is_stateless,
    points,
    promises,
)
from autograder.lessons.attention import references

NAME = "scaled_dot_product_attention"
LONG = 263  # longer than a block in which somebody may treat the keys


def _setting(Q, V, more="float64"):
    lead = f"leading dimensions {tuple(Q.shape[:-2])}, " if Q.dim() > 2 else ""
    return f"{lead}N_Q = {Q.shape[-2]}, N_K = {V.shape[-2]}, D_Q = {Q.shape[-1]}, D_V = {V.shape[-1]}, {more}"


def _attention(student: Student, *args, **options):
    return expect.pair(student.call(NAME, *args, **options), "Y", "A")


def _compare(student: Student, Q, K, V, more="float64", size=1.0, **options):
    Y, A = _attention(student, Q, K, V, **options)
    want_Y, want_A = references.scaled_dot_product_attention(Q.double(), K.double(), V.double(), options.get("allowed"))
    setting = _setting(Q, V, more)
    expect.allclose(A, want_A, "A", size=size, setting=setting, inputs=Q.dtype)
    expect.allclose(Y, want_Y, "Y", size=size, setting=setting, inputs=Q.dtype)
    return Y, A


def _leads(sizes: Sizes):
    return [(), (sizes.B,), (sizes.B, sizes.H), (1, sizes.B, sizes.H)]


@exercise(NAME)
@points(1)
def check_one_output_row_for_every_query(student: Student, sizes: Sizes, draw: Draw) -> None:
    """One output row for every query: Y (…, N_Q, D_V) and A (…, N_Q, N_K)"""
    one = replace(sizes, N_Q=1, N_K=1)
    for lead, size in [((), sizes), ((sizes.B,), sizes), ((sizes.B, sizes.H), sizes), ((), one)]:
        Q, K, V = draw.attention_inputs(lead, size)
        Y, A = _attention(student, Q, K, V)
        setting = _setting(Q, V)
        expect.shape(Y, (*lead, size.N_Q, size.D_V), "Y", "(…, N_Q, D_V)", setting)
        expect.depends_on_its_inputs(Y, _attention(student, Q, K, V.square())[0], "Y")
        expect.shape(A, (*lead, size.N_Q, size.N_K), "A", "(…, N_Q, N_K)", setting)


@exercise(NAME)
@points(1)
def check_weights_sum_to_one_over_the_keys(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each query's weights are not negative and sum to 1 over the keys"""
    for lead in _leads(sizes):
        Q, K, V = draw.attention_inputs(lead, sizes)
        _, A = _attention(student, Q, K, V)
        expect.shape(A, (*lead, sizes.N_Q, sizes.N_K), "A", "(…, N_Q, N_K)", _setting(Q, V))
        if bool((A < 0).any()):
            raise CheckFailure(
                "value",
                "Some weights are negative.",
                setting=_setting(Q, V),
                received=A,
                yours=f"smallest weight {A.min().item():.3f}",
                cause="negative weights",
                hint="Similarities may be negative, weights may not. Was the softmax applied?",
            )
        expect.allclose(
            A.sum(-1),
            torch.ones(*lead, sizes.N_Q, dtype=torch.float64),
            "sum of A over the keys",
            setting=_setting(Q, V),
        )


@exercise(NAME)
@points(3)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A = softmax(Q Kᵀ / √D_Q) over the keys, and Y = A V"""
    _no_ready_made_function(student, draw.attention_inputs((sizes.B, sizes.H), sizes))
    for lead in _leads(sizes):
        _compare(student, *draw.attention_inputs(lead, sizes))
    _compare(student, *draw.attention_inputs((sizes.B,), replace(sizes, N_Q=1, N_K=sizes.N_K)))
    _compare(student, *draw.attention_inputs((), replace(sizes, N_K=1)))
    _compare(student, *draw.attention_inputs((), replace(sizes, N_Q=1, N_K=LONG)))


def _no_ready_made_function(student: Student, inputs):
    """Run once with a record of every operator below the Python level."""
    student.answer(Request(NAME, inputs, deep=True))


@exercise(NAME)
@points(2)
def check_a_key_that_is_not_allowed_gets_no_weight(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A key that is not allowed gets weight exactly 0, and the others share the weight"""
    for lead in _leads(sizes):
        Q, K, V = draw.attention_inputs(lead, sizes)
        allowed = draw.allowed(*lead, sizes.N_Q, sizes.N_K)
        _, A = _compare(student, Q, K, V, allowed=allowed)
        one = replace(sizes, N_Q=1)
        _compare(student, *draw.attention_inputs(lead, one), allowed=draw.allowed(*lead, 1, sizes.N_K))
        if bool(A[~allowed].any()):
            raise CheckFailure(
                "value",
                "A key that is not allowed has a weight other than 0.",
                setting=_setting(Q, V),
                yours=f"largest such weight {A[~allowed].abs().max().item():.3g}",
                received=A,
                cause="small weight on hidden keys",
                hint="The number put in place of a hidden similarity is not small enough; exp(−inf) is exactly 0.",
            )


@exercise(NAME)
@points(1)
def check_mask_of_any_broadcastable_shape(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`allowed` may have any shape that broadcasts to (…, N_Q, N_K)"""
    B, H, N_Q, N_K = sizes.B, sizes.H, sizes.N_Q, sizes.N_K
    for lead, shape in [
        ((), (N_K,)),
        ((), (N_Q, N_K)),
        ((), (1, N_K)),
        ((B,), (N_Q, N_K)),
        ((B,), (B, 1, N_K)),
        ((B,), (B, N_Q, N_K)),
        ((B, H), (N_Q, N_K)),
        ((B, H), (B, 1, 1, N_K)),
        ((B, H), (H, N_Q, N_K)),
        ((B, H), (B, 1, N_Q, N_K)),
    ]:
        Q, K, V = draw.attention_inputs(lead, sizes)
        _compare(student, Q, K, V, f"allowed {shape}, float64", allowed=draw.allowed(*shape))
    square = replace(sizes, N_Q=N_K)  # a key that nobody may see is a query all the same
    for shape in ((N_K,), (B, 1, N_K)):
        Q, K, V = draw.attention_inputs((B,), square)
        _compare(student, Q, K, V, f"as many queries as keys, allowed {shape}, float64", allowed=draw.allowed(*shape))
    Q, K, V = draw.attention_inputs((), sizes)
    _compare(student, Q, K, V, "allowed all True, float64", allowed=torch.ones(N_Q, N_K, dtype=torch.bool))


@exercise(NAME)
@points(1)
def check_a_query_that_may_attend_to_nothing_gets_zeros(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A query that may attend to nothing gets zeros, and the other queries are not disturbed"""
    for lead in _leads(sizes):
        Q, K, V = draw.attention_inputs(lead, sizes)
        allowed = draw.allowed(*lead, sizes.N_Q, sizes.N_K)
        allowed[..., 1, :] = False
        _compare(student, Q, K, V, "query 1 may attend to nothing", allowed=allowed)
    _compare(student, Q, K, V, "nobody may attend to anything", allowed=torch.zeros(sizes.N_K, dtype=torch.bool))


@exercise(NAME)
@points(1)
def check_large_similarities(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Similarities of any magnitude give numbers, with and without a mask"""
    for sign in (1.0, -1.0):
        for length in (30.0, 300.0, 3000.0):
            Q, K, V = _near(sign, length, sizes, draw)
            level = float((Q @ K.mT).abs().max())
            for options in ({}, {"allowed": draw.allowed(sizes.B, sizes.N_Q, sizes.N_K)}):
                more = f"Q Kᵀ near {sign * level:.0f}{', masked' if options else ''}"
                _compare(student, Q, K, V, more, size=level, **options)
    Q, K, V = _near(1.0, 30.0, sizes, draw)
    K[..., 0, :] *= 4  # the hidden key is by far the most similar: its exponential dwarfs all the others
    allowed = torch.tensor([False] + [True] * (sizes.N_K - 1))
    _compare(student, Q, K, V, "key 0 is the most similar and hidden", size=4 * 30.0**2, allowed=allowed)


def _near(sign, length, sizes: Sizes, draw: Draw):
    """Return Q, K and V whose similarities are all near ±length², with differences of order 1 within a row.

    Every key then has a weight that counts, so that a wrong weight cannot go unseen by chance.
    """
    Q, K, V = draw.attention_inputs((sizes.B,), sizes)
    along = torch.nn.functional.normalize(draw.normal(sizes.D_Q), dim=0)
    K = K - (K @ along)[..., None] * along
    return Q + length * along, K + sign * length * along, V


@exercise(NAME)
@points(1)
def check_dtype_is_kept(student: Student, sizes: Sizes, draw: Draw) -> None:
    """float64, float32 and bfloat16 come back as they went in"""
    for dtype in (torch.float64, torch.float32, torch.bfloat16):
        Q, K, V = draw.attention_inputs((sizes.B,), sizes, dtype=dtype)
        allowed = draw.allowed(sizes.N_Q, sizes.N_K)
        allowed[1] = False
        for options in ({}, {"allowed": allowed}):
            Y, A = _attention(student, Q, K, V, **options)
            more = f"{dtype}{', masked' if options else ''}"
            expect.dtype(Y, dtype, "Y", _setting(Q, V, more))
            expect.dtype(A, dtype, "A", _setting(Q, V, more))
            _compare(student, Q, K, V, more, size=2.0, **options)


@exercise(NAME)
@points(1)
@promises
def check_inputs_are_not_changed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Q, K, V and `allowed` are not changed, and need not be contiguous"""
    Q, K, V = (
        x.transpose(-2, -1).contiguous().transpose(-2, -1) for x in draw.attention_inputs((sizes.B, sizes.H), sizes)
    )
    Q = Q.transpose(0, 1).contiguous().transpose(0, 1)
    allowed = draw.allowed(sizes.B, sizes.H, sizes.N_K, sizes.N_Q).transpose(-2, -1)
    allowed[..., 0] = True  # every query may attend to a key
    allowed[..., -1, :] = True  # and one to all keys, so that Y depends on the inputs where only such rows are right
    for mask in (None, allowed, allowed.contiguous()):
        args = (Q, K, V) if mask is None else (Q, K, V, mask)
        answer = student.answer(Request(NAME, args))
        Y, _ = expect.pair(answer.value, "Y", "A")
        expect.shape(Y, (*Q.shape[:-1], V.shape[-1]), "Y", "(…, N_Q, D_V)")
        expect.depends_on_its_inputs(Y, _attention(student, *(x.square() for x in (Q, K, V)), *args[3:])[0], "Y")


@exercise(NAME)
@points(1)
def check_every_call_computes_afresh(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A call with new numbers in tensors of the same place and shape gives the new result"""
    is_stateless(
        student,
        NAME,
        lambda *x: references.scaled_dot_product_attention(*x)[0],
        draw.attention_inputs((sizes.B,), sizes),
        draw,
        first=lambda value: expect.pair(value, "Y", "A")[0],
    )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow back to Q, K and V with the right values"""
    for masked in (False, True):
        Q, K, V = draw.attention_inputs((sizes.B,), sizes)
        allowed = draw.allowed(sizes.N_Q, sizes.N_K) if masked else None
        cotangents = draw.normal(sizes.B, sizes.N_Q, sizes.D_V), draw.normal(sizes.B, sizes.N_Q, sizes.N_K)
        answer = student.answer(Request(NAME, (Q, K, V), {"allowed": allowed}, cotangents=cotangents))
        expect.pair(answer.value, "Y", "A")
        want = _gradients(Q, K, V, allowed, cotangents)
        expect.gradients(answer.gradients, want, "QKV", _setting(Q, V, "masked" if masked else "no mask"))


@exercise(NAME)
@points(0)
def check_an_empty_row_passes_no_nan_back(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Gradients stay numbers when a query may attend to nothing"""
    Q, K, V = draw.attention_inputs((), sizes)
    allowed = draw.allowed(sizes.N_Q, sizes.N_K)
    allowed[1] = False
    cotangents = draw.normal(sizes.N_Q, sizes.D_V), torch.zeros(sizes.N_Q, sizes.N_K, dtype=torch.float64)
    answer = student.answer(Request(NAME, (Q, K, V), {"allowed": allowed}, cotangents=cotangents))
    Y, A = expect.pair(answer.value, "Y", "A")
    if bool(Y.isnan().any()) or bool(A.isnan().any()):
        return  # another check tells that
    if any(g is not None and bool(g.isnan().any()) for g in answer.gradients):
        raise CheckFailure(
            "nan gradient",
            "The results are right, but the gradient is not a number when a query may attend to nothing.",
            cause="not-a-number gradient",
            hint="No points are lost here, but in training one such row would spoil all the weights: "
            "the NaN of the empty row is overwritten on the way forward and comes back on the way back. Keep it from arising.",
        )


def _gradients(Q, K, V, allowed, cotangents):
    """Gradients of Σ Y · G + Σ A · H for A = softmax(Q Kᵀ / √D_Q) with every row allowed something."""
    leaves = [x.detach().requires_grad_() for x in (Q, K, V)]
    E = leaves[0] @ leaves[1].mT / leaves[0].shape[-1] ** 0.5
    A = torch.softmax(E if allowed is None else E.masked_fill(~allowed, float("-inf")), -1)
    return torch.autograd.grad(((A @ leaves[2]) * cotangents[0]).sum() + (A * cotangents[1]).sum(), leaves)
