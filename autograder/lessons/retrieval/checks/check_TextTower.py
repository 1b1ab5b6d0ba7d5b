"""TextTower(vocab_size, width, num_heads, num_blocks, max_length)."""

import torch
from torch import Tensor

from autograder.checks import Draw, ModulePair, Student, exercise, expect, points, promises
from autograder.lessons.retrieval import references
from autograder.lessons.retrieval.checks import towers

NAME = "TextTower"
WHAT = "The vectors"
V, D, H, BLOCKS, LONGEST = 19, 15, 3, 2, 31
BUILD = (V, D, H, BLOCKS, LONGEST)
BUILDS = (BUILD, (5, 14, 7, 1, 3), (V, 10, 2, 3, LONGEST))
#: Texts and tokens, the smallest first; one text, as many texts as tokens, and the longest.
SIZES = ((1, 1), (1, 3), (2, 5), (4, 4), (3, 11), (1, LONGEST))


def _twins(student: Student, draw: Draw, build: tuple = BUILD, dtype: torch.dtype = torch.float64) -> ModulePair:
    return ModulePair(student, NAME, build, references.TextTower(*build), draw, dtype)


def _texts(draw: Draw, B: int, N: int, vocab_size: int = V) -> Tensor:
    """Draw texts without padding."""
    return 1 + draw.integers(vocab_size - 1, B, N)


def _padded(draw: Draw, B: int, N: int, front: bool = False) -> Tensor:
    """Draw texts of different lengths, each of one token at least, with padding behind them, or in front."""
    ids = _texts(draw, B, N)
    for b in range(B):
        length = 1 + (3 * b + 1) % N
        ids[b, length:] = 0
    return ids.flip(1) if front else ids


def _agree(twins: ModulePair, ids: Tensor, more: str = "") -> Tensor:
    setting = f"ids {ids.tolist() if ids.numel() <= 12 else tuple(ids.shape)}{more}"
    width = twins.build[1]
    towers.result(twins.module(ids), (len(ids), width), WHAT, "(B, D)", setting)
    return twins.agree(ids, what=(WHAT,), setting=setting)


@exercise(NAME)
@points(1)
def check_parts_and_shape(student: Student, draw: Draw) -> None:
    """Its parts are those of __init__, and it returns one vector of length 1 for each text, (B, D)"""
    towers.parameters(student, NAME, BUILDS, references.TextTower)
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for B, N in ((1, 1), (3, 2), (2, 3)):
            ids = _texts(draw, B, N, build[0])
            setting = f"ids {tuple(ids.shape)}"
            found = towers.result(twins.module(ids), (B, build[1]), WHAT, "(B, D)", setting)
            expect.allclose(found.norm(dim=1), torch.ones(B).double(), "The length of the vectors", setting=setting)


@exercise(NAME)
@points(2)
def check_texts_without_padding(student: Student, draw: Draw) -> None:
    """For texts without padding it is the mean over all tokens of what the encoder returns, at length 1"""
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for B, N in SIZES:
            if build[-1] >= N:
                _agree(twins, _texts(draw, B, N, build[0]))


@exercise(NAME)
@points(3)
def check_padding(student: Student, draw: Draw) -> None:
    """Padding is neither attended to nor in the mean, whichever tokens are padding"""
    twins = _twins(student, draw)
    for B, N in SIZES[1:]:
        for front in (False, True):
            _agree(twins, _padded(draw, B, N, front), ", 0 is padding")
    ids = _texts(draw, 3, 7)
    ids[0, 2] = ids[1, 0] = ids[1, 5] = 0
    _agree(twins, ids, ", 0 is padding")
    wider = torch.cat((ids, torch.zeros(3, 4, dtype=torch.int64)), dim=1)
    expect.allclose(
        twins.module(wider), twins.module(ids), WHAT, setting="the same texts with four more tokens of padding"
    )


@exercise(NAME)
@points(1)
def check_empty_texts(student: Student, draw: Draw) -> None:
    """A text of padding alone has the vector 0, never NaN, and does not disturb the others"""
    twins = _twins(student, draw)
    for N in (1, 5):
        ids = _padded(draw, 3, N)
        ids[1] = 0
        _agree(twins, ids, ", the second text is empty")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of all weights have the right values"""
    for build in BUILDS[::2]:
        twins = _twins(student, draw, build)
        towers.gradients(twins, [(_padded(draw, B, N),) for B, N in ((1, 3), (3, 5))], draw, "ids with padding")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, in float32 too and after other calls, and the input is not changed"""
    single = _twins(student, draw, dtype=torch.float32)
    expect.dtype(_agree(single, _padded(draw, 3, 5), ", float32"), torch.float32, WHAT)
    twins, ids = _twins(student, draw), _padded(draw, 3, 5)
    ids[0, 0] = 1
    other = ids.clone()
    other[0, 0] = 2
    towers.same_again(twins, ids, [(other,), (_texts(draw, 2, 7),)], WHAT)
