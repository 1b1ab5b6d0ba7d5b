"""predict_by_counts(ids, V, concentration)."""

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, points, promises
from autograder.lessons.in_context_learning import references

NAME = "predict_by_counts"
#: (B, N, V), the smallest first; one sequence, as many of one thing as of another, and a long one.
SIZES = (
    (1, 1, 2),
    (1, 2, 2),
    (1, 3, 2),
    (2, 3, 2),
    (2, 5, 3),
    (3, 3, 3),
    (3, 7, 5),
    (5, 11, 3),
    (1, 37, 2),
    (2, 61, 7),
)
PRIORS = (0.2, 1.0, 1.7)


def _setting(ids: Tensor, V: int, prior: float) -> str:
    shown = f"ids {ids.tolist()}" if ids.numel() <= 12 else f"ids {tuple(ids.shape)}"
    return f"{shown}, V = {V}, concentration {prior}"


def _agree(student: Student, ids: Tensor, V: int, prior: float, more: str = "") -> Tensor:
    setting = _setting(ids, V, prior) + more
    P = expect.tensor(student.predict_by_counts(ids, V, prior), "P")
    expect.shape(P, (*ids.shape, V), "P", "(B, N, V)", setting)
    # Its dtype is not asked for, nor its digits beyond float32.
    P = P if P.dtype == torch.float32 else P.double().float()
    expect.allclose(P, references.predict_by_counts(ids, V, prior), "P", setting=setting)
    return P


@exercise(NAME)
@points(3)
def check_values(student: Student, draw: Draw) -> None:
    """Each token's probability is (concentration + how often it followed) / (V · concentration + how often anything did)"""
    for prior in PRIORS:
        for B, N, V in SIZES:
            _agree(student, draw.integers(V, B, N), V, prior)


@exercise(NAME)
@points(1)
def check_nothing_is_known_at_first(student: Student, draw: Draw) -> None:
    """A token that has not come before says nothing: all tokens are equally probable, also those that never come"""
    for V in (3, 7, 11):
        for prior in PRIORS:
            for N in (1, 2, 3):
                ids = draw.permutation(V)[None, :N]
                P = _agree(student, ids, V, prior)
                expect.allclose(P, torch.full((1, N, V), 1 / V).double(), "P", setting=_setting(ids, V, prior))


@exercise(NAME)
@points(1)
def check_it_does_not_look_ahead(student: Student, draw: Draw) -> None:
    """What comes later changes nothing, and no sequence learns from another"""
    V, N = 3, 11
    ids = draw.integers(V, 2, N)
    whole = _agree(student, ids, V, 0.5)
    for n in (1, 4, 10):
        other = ids.clone()
        other[:, n:] = (other[:, n:] + 1) % V
        P = expect.tensor(student.predict_by_counts(other, V, 0.5), "P")
        expect.shape(P, whole.shape, "P", "(B, N, V)")
        if not torch.allclose(P[:, :n].double(), whole[:, :n].double(), atol=1e-6):
            raise CheckFailure(
                "future",
                f"Other tokens from place {n} on change what is predicted before.",
                setting=_setting(ids, V, 0.5),
                received="future",
                cause="later tokens counted",
                hint="At place i, only the pairs inside ids[:, : i + 1] have been seen. Look at where the counts are added up.",
            )
    for rows in ([0], [1], [1, 0]):
        P = _agree(student, ids[rows], V, 0.5)
        expect.allclose(P, whole[rows].double(), "P", setting=f"sequences {rows} of {ids.tolist()}")


@exercise(NAME)
@points(1)
@promises
def check_arguments_stay(student: Student, draw: Draw) -> None:
    """The same call gives the same result, on any memory layout, and the ids are not changed"""
    ids = draw.integers(5, 3, 7)
    ids[:, 1] = ids[:, 0]  # a pair that is needed as soon as it is there
    _agree(student, ids, 5, 0.3)
    _agree(student, ids.T.contiguous().T, 5, 0.3, ", a transposed tensor")
    _agree(student, ids, 5, 2, ", a whole number")
