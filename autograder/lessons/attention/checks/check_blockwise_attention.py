"""blockwise_attention(Q, K, V, causal=False, block_size=...) -> Y."""

import math
from dataclasses import replace

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Sizes,
    SpeedTarget,
    Student,
    equal,
    exercise,
    expect,
    is_stateless,
    measured,
    points,
    promises,
)
from autograder.lessons.attention import references

NAME = "blockwise_attention"
RACED = (1, 8, 2048, 64)
SPEED = SpeedTarget(
    NAME,
    full=2.5,
    part=5.0,
    against="F.scaled_dot_product_attention",
    setting=f"(B, H, N, D) = {RACED}, float32, causal, one thread, processor time",
    hint="Where does the time go? Few large matrix products are faster than many small ones: try other block sizes. "
    "A Python loop over single queries or heads, and blocks that the mask hides, cost most.",
)
#: Part of the work of all blocks. Half of them with their masks are 0.8 at most, by operations or by time, and all of them 1.2+.
NOTHING_SAVED = 0.95
#: (N, block_size): one row, blocks of one, whole blocks, a remainder, one block for all, several blocks with a remainder.
CASES = ((1, 4), (5, 1), (8, 4), (11, 4), (11, 64), (23, 7))


def _inputs(draw: Draw, sizes: Sizes, N, scale=1.0, dtype=torch.float64):
    """Q, K and V of one shape (B, H, N, D)."""
    return tuple(draw.normal(sizes.B, sizes.H, N, sizes.D_Q, scale=s, dtype=dtype) for s in (scale, scale, 1.0))


def _compare(student: Student, inputs, size=1.0, more="", **options):
    Y = expect.tensor(student.call(NAME, *inputs, **options), "Y")
    Q, K, V = (x.double() for x in inputs)
    causal = options.get("causal", False)
    allowed = references.causal_mask(Q.shape[-2]) if causal else None
    want, _ = references.scaled_dot_product_attention(Q, K, V, allowed)
    given = ", ".join(f"{key}={value}" for key, value in options.items())
    setting = (
        f"Q {tuple(Q.shape)}, K {tuple(K.shape)}, V {tuple(V.shape)}, {given or 'defaults'}, {inputs[0].dtype}{more}"
    )
    try:
        expect.allclose(Y, want, "Y", size=size, setting=setting)
    except CheckFailure as failure:
        if causal and failure.kind == "value":
            failure.cause, failure.hint = _ahead(student, inputs, Y, options)
        raise
    return Y


def _ahead(student: Student, inputs, Y, options):
    """Return what to say if Y changes at a place when only keys and values behind that place do; else two empty texts."""
    Q, K, V = inputs
    for place in range(Q.shape[-2] - 1):
        keys, values = (torch.cat([x[..., : place + 1, :], x[..., place + 1 :, :].flip(-1) + 1], -2) for x in (K, V))
        other = student.call(NAME, Q, keys, values, **options)
        if (
            isinstance(other, torch.Tensor)
            and other.shape == Y.shape
            and not equal(other[..., place, :], Y[..., place, :])
        ):
            return "later keys seen", (
                f"With other keys and values after position {place}, Y at {place} changes: that query sees later positions. "
                "Look at which blocks of keys reach beyond their queries, and at what is hidden in each of them."
            )
    return "", ""


@exercise(NAME)
@points(2)
def check_exact_for_any_length_and_block_size(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Y is exact for any N and any block size, also where N is not a multiple of it"""
    _no_ready_made_function(student, _inputs(draw, sizes, 23))
    _compare(student, _inputs(draw, sizes, 23))
    for N, block_size in CASES:
        _compare(student, _inputs(draw, sizes, N), block_size=block_size)


@exercise(NAME)
@points(3)
def check_exact_when_causal(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With causal=True, query i attends to the keys 0 … i, across all blocks"""
    _compare(student, _inputs(draw, sizes, 23), causal=True)
    for N, block_size in CASES:
        _compare(student, _inputs(draw, sizes, N), causal=True, block_size=block_size)


@exercise(NAME)
@points(2)
def check_large_similarities(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Similarities of any magnitude and of either sign give the right numbers"""
    for scale in (10.0, 100.0):
        Q, K, V = _inputs(draw, sizes, 23, scale)
        for keys, more in ((K, ""), (-Q.abs().amax((-2, -1), keepdim=True) - K.abs(), " all similarities far below 0")):
            queries = Q if not more else Q.abs()
            size = float((queries @ keys.mT).abs().max())
            for causal in (False, True):
                _compare(
                    student,
                    (queries, keys, V),
                    size=size,
                    more=f", Q Kᵀ up to ±{size:.0f}{more}",
                    causal=causal,
                    block_size=7,
                )


@exercise(NAME)
@points(2)
@promises
def check_dtype_and_inputs_are_kept(student: Student, sizes: Sizes, draw: Draw) -> None:
    """float64 stays exact float64, float32 stays float32, and Q, K, V are not changed"""
    for dtype in (torch.float64, torch.float32):
        plain = _inputs(draw, sizes, 23, dtype=dtype)
        turned = tuple(x.transpose(1, 2).contiguous().transpose(1, 2) for x in plain)
        for inputs, layout in ((plain, "contiguous"), (turned, "not contiguous")):
            for causal in (False, True):
                answer = student.answer(Request(NAME, inputs, {"causal": causal, "block_size": 8}))
                Y = expect.tensor(answer.value, "Y")
                expect.dtype(Y, dtype, "Y", f"inputs {dtype}, {layout}")
                _compare(student, inputs, causal=causal, block_size=8)


@exercise(NAME)
@points(1)
def check_every_call_computes_afresh(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A call with new numbers in tensors of the same place and shape gives the new result"""
    is_stateless(student, NAME, references.blockwise_attention, _inputs(draw, sizes, 23), draw)


def _attends(student: Student, inputs):
    """Fail unless Y depends on Q, on K and on V. An answer that computes nothing needs no memory either."""
    Y = expect.tensor(student.call(NAME, *inputs), "Y")
    for changed in range(3):
        others = [x.flip(-1) if place == changed else x for place, x in enumerate(inputs)]
        expect.depends_on_its_inputs(Y, expect.tensor(student.call(NAME, *others), "Y"), "Y")


def _one_head(draw: Draw, N):
    return tuple(draw.normal(1, 1, N, 64, dtype=torch.float32) for _ in range(3))


def _peak(student: Student, draw: Draw, N):
    return student.peak_memory(NAME, lambda: _one_head(draw, N), causal=True)


@exercise(NAME)
@points(3)
@measured
def check_memory_is_linear(student: Student, draw: Draw) -> None:
    """Memory grows linearly with N: at N = 4096 at most a fifth of what the whole matrices need"""
    _attends(student, _inputs(draw, Sizes(), 23))
    peaks = {N: _peak(student, draw, N) for N in (1024, 4096)}
    whole = 2 * 4 * 4096**2  # E and A in float32
    slope = math.log(max(peaks[4096], 1) / max(peaks[1024], 1)) / math.log(4)
    measured_text = " and ".join(f"{peak / 2**20:.1f} MiB at N = {N}" for N, peak in peaks.items())
    if peaks[4096] > whole / 5 or (slope > 1.2 and peaks[4096] > 2**20):
        raise CheckFailure(
            "memory",
            "Too much memory is held at once.",
            setting="B = H = 1, D = 64, float32, causal",
            expected=f"at most {whole / 5 / 2**20:.0f} MiB at N = 4096, and twice as much for twice the N",
            yours=f"{measured_text}: grows as N^{slope:.1f}",
            received="memory",
            cause="the whole N × N matrix is in memory",
            hint="Somewhere a tensor has both N queries and N keys. Handle one block at a time, and keep only sums.",
        )


@exercise(NAME)
@points(1)
@measured
def check_hidden_blocks_are_skipped(student: Student, draw: Draw) -> None:
    """What the causal mask hides is not computed: about half the work"""
    part, whole = ({"causal": causal, "block_size": 128} for causal in (True, False))
    ratio = student.work_ratio(NAME, lambda: _one_head(draw, 4099), part, whole, NOTHING_SAVED)
    # Values that no early query may see must not be touched: 0 times NaN is NaN.
    Q, K, V = _one_head(draw, 2053)
    if not _early_rows_are_numbers(student, Q, K, V, part):
        raise CheckFailure(
            "value", "Y holds values that are not numbers.", setting="N = 2053, causal=True", received="NaN"
        )
    if not 0 < ratio <= NOTHING_SAVED:
        raise _hidden_blocks_are_computed(
            "With causal=True, the work is nearly as much, or more.",
            setting="N = 4099, block_size=128",
            expected="about half the work of causal=False",
            yours=f"{ratio:.2f} times the work",
        )
    K[..., 1536:, :] = V[..., 1536:, :] = math.nan
    if not _early_rows_are_numbers(student, Q, K, V, part):
        raise _hidden_blocks_are_computed(
            "With causal=True, keys and values that no early query may see reach early rows of Y.",
            setting="N = 2053, block_size=128, K and V are NaN from row 1536 on",
            expected="numbers in the first 512 rows of Y",
            yours="NaN",
        )


def _hidden_blocks_are_computed(message: str, **details: str) -> CheckFailure:
    return CheckFailure(
        "work",
        message,
        received="work",
        cause="hidden blocks are computed",
        hint="A block of keys that begins after the last query of the block of queries adds nothing. Stop before it.",
        **details,
    )


def _early_rows_are_numbers(student: Student, Q, K, V, options) -> bool:
    return bool(expect.tensor(student.call(NAME, Q, K, V, **options), "Y")[..., :512, :].isfinite().all())


@exercise(NAME)
@points(6)
@measured
def check_speed(student: Student, draw: Draw) -> None:
    """At most 2.5 times the time of PyTorch's own attention (half the points up to 5 times)"""

    def fresh() -> tuple:
        return tuple(torch.randn(RACED, generator=draw.generator) for _ in range(3))

    def right() -> None:
        inputs = fresh()
        Y = student.answer(Request(NAME, inputs, {"causal": True}, deep=True)).value
        expected = references.blockwise_attention(*inputs, causal=True)
        expect.allclose(expect.tensor(Y, "Y"), expected, "Y", size=4.0, setting=f"Q {RACED}, causal=True")

    SPEED.check(student, fresh, right, causal=True)


@exercise(NAME)
@points(1)
def check_other_lengths_and_widths(student: Student, sizes: Sizes, draw: Draw) -> None:
    """As many keys as you like (N_K ≠ N_Q), and values of another width (D_V ≠ D_Q)"""
    for N_Q, N_K in ((11, 17), (17, 11), (1, 9)):
        Q, K, V = draw.attention_inputs((sizes.B, sizes.H), replace(sizes, N_Q=N_Q, N_K=N_K))
        _compare(student, (Q, K, V), block_size=4)


def _no_ready_made_function(student: Student, inputs):
    """Run once with a record of every operator below the Python level."""
    student.answer(Request(NAME, inputs, {"causal": True}, deep=True))
