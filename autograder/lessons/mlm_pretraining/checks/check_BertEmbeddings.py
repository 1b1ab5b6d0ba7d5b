"""BertEmbeddings(vocab_size, model_width, max_length, dropout=0.1)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    independent_elements,
    no_side_effects,
    points,
    promises,
    raises_value_error,
    same_twice,
    slack,
    uses_its_inputs,
)
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks.bodies import LONGEST, V, describe, ids_of, other_ids, segments_of

NAME = "BertEmbeddings"
WIDTH = 13
BUILD = (V, WIDTH, LONGEST, 0.0)
WHAT = ("X",)


def _twins(student: Student, draw: Draw, build=BUILD, dtype=torch.float64):
    return ModulePair(student, NAME, build, references.BertEmbeddings(*build), draw, dtype)


def _agree(twins, ids, segments=None):
    inputs = (ids,) if segments is None else (ids, segments)
    return twins.agree(*inputs, what=WHAT, size=8.0, setting=describe(ids, segments))


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The module has its three tables and its norm, and gives a vector (B, N, D) for every token"""
    has_parameters(student, NAME, BUILD, dict(references.BertEmbeddings(*BUILD).named_parameters()))
    module = _twins(student, draw).module
    for B, N in [(1, 1), (sizes.B, sizes.N_X), (sizes.N_X, sizes.B)]:
        ids = ids_of(draw, B, N)
        expect.shape(expect.tensor(module(ids), "X"), (B, N, WIDTH), "X", "(B, N, D)", describe(ids))
    uses_its_inputs(module, (ids,), (other_ids(ids),))


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """It is the LayerNorm of the sum of token, segment and position vectors"""
    for B, N, *build in [(1, 1, 7, 3, 5), (1, 2, 7, 3, 5), (3, 3, 7, 3, 3), (sizes.B, sizes.N_K, *BUILD[:3])]:
        ids = ids_of(draw, B, N, build[0])
        twins = _twins(student, draw, (*build, 0.0))
        _agree(twins, ids)
        _agree(twins, ids, segments_of(draw, ids))
    _agree(twins, torch.arange(LONGEST)[None] % V)  # as long as may be
    ids = ids_of(draw, LONGEST, 2)
    _agree(twins, ids, ids % 2)


@exercise(NAME)
@points(1)
def check_segments(student: Student, sizes: Sizes, draw: Draw) -> None:
    """`segments` says which of two vectors is added to each token; without it, it is the first for all"""
    twins = _twins(student, draw)
    ids = ids_of(draw, sizes.B, sizes.N_K)
    for segments in (torch.zeros_like(ids), torch.ones_like(ids), segments_of(draw, ids)):
        _agree(twins, ids, segments)
    none, zeros = _agree(twins, ids), _agree(twins, ids, torch.zeros_like(ids))
    expect.allclose(none, zeros.double(), "X", message="Without segments, X is not what it is with segments of all 0.")
    uses_its_inputs(twins.module, (ids, torch.zeros_like(ids)), (ids, torch.ones_like(ids)))


@exercise(NAME)
@points(1)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training, numbers of the result are dropped with probability `dropout` and the others divided by what is left"""
    B, N, p = 40, 11, 0.25
    ids = ids_of(draw, B, N, padded=False)
    twins = _twins(student, draw, (V, WIDTH, LONGEST, p))
    whole = _agree(twins, ids).double()
    dropped = expect.tensor(twins.module.when(training=True).request(ids).value, "X").double()
    zero = dropped == 0
    kept_right = torch.allclose(dropped[~zero], whole[~zero] / (1 - p), rtol=1e-4, atol=1e-6)
    share, room = zero.double().mean().item(), slack(p, zero.numel())
    details = {"setting": f"training mode, dropout={p}", "received": "dropout"}
    if kept_right and abs(share - p) <= room:
        independent_elements(
            zero, "Whole vectors are dropped, not single numbers.", "nn.Dropout decides for every number.", details
        )
        return
    missing = torch.allclose(dropped, whole)
    raise CheckFailure(
        "dropout",
        "Dropout is not applied to the result.",
        **details,
        expected=f"{p:.0%} of the numbers 0, the others divided by {1 - p}",
        yours=f"{share:.0%} are 0",
        cause="dropout missing" if missing else "dropout in the wrong place",
        hint="self.dropout comes last, after the norm.",
    )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients of all parameters have the right values, and a sequence that is too long raises an error"""
    twins = _twins(student, draw)
    ids = ids_of(draw, sizes.B, sizes.N_K)
    twins.gradients_agree(ids, segments_of(draw, ids), draw=draw, names=())
    raises_value_error(
        f"a sequence of {LONGEST + 1} tokens, with positions for {LONGEST},",
        "There is no vector for the last position.",
        twins.module,
        ids_of(draw, 2, LONGEST + 1),
        error="",
    )


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same ids give the same vectors, whatever was computed before; ids and segments are not changed"""
    twins = _twins(student, draw)
    ids = ids_of(draw, sizes.B, sizes.N_K)
    segments = segments_of(draw, ids)
    same_twice(twins.module, ids, segments)
    no_side_effects(twins, [(ids[:1, :2],), (ids.flip(0), segments)], ids, segments, what=WHAT)
    single = _twins(student, draw, dtype=torch.float32)
    expect.dtype(_agree(single, ids, segments), torch.float32, "X")
    _agree(twins, ids.T.contiguous().T, segments.T.contiguous().T)
