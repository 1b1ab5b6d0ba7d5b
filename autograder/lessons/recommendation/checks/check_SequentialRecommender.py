"""SequentialRecommender(num_videos, width, num_heads, num_blocks, max_length)."""

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, ModulePair, Student, exercise, expect, points, promises
from autograder.lessons.recommendation import references
from autograder.lessons.retrieval.checks import towers

NAME = "SequentialRecommender"
WHAT = "The viewers' vectors"
V, D, H, BLOCKS, LONGEST = 23, 15, 3, 2, 31
BUILD = (V, D, H, BLOCKS, LONGEST)
BUILDS = (BUILD, (5, 14, 7, 1, 3), (V, 10, 2, 3, LONGEST))
#: Viewers and videos, the smallest first; one viewer, as many viewers as videos, and the longest.
SIZES = ((1, 1), (1, 3), (2, 5), (4, 4), (3, 11), (1, LONGEST))


def _twins(student: Student, draw: Draw, build: tuple = BUILD, dtype: torch.dtype = torch.float64) -> ModulePair:
    return ModulePair(student, NAME, build, references.SequentialRecommender(*build), draw, dtype)


def _ids(draw: Draw, B: int, N: int, videos: int = V) -> Tensor:
    """Draw histories; video 0, which some take for padding, is always among them."""
    ids = draw.integers(videos, B, N)
    ids[-1, -1] = 0
    return ids


def _agree(twins: ModulePair, ids: Tensor, more: str = "") -> Tensor:
    setting = f"ids {ids.tolist() if ids.numel() <= 12 else tuple(ids.shape)}{more}"
    width = twins.build[1]
    towers.result(twins.module(ids), (*ids.shape, width), WHAT, "(B, N, D)", setting)
    return twins.agree(ids, what=(WHAT,), setting=setting)


@exercise(NAME)
@points(1)
def check_parts_and_shape(student: Student, draw: Draw) -> None:
    """Its parts are those of __init__, and it returns a vector for each viewer after each video, (B, N, D)"""
    towers.parameters(student, NAME, BUILDS, references.SequentialRecommender)
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for B, N in ((1, 1), (3, 2), (2, 3)):
            ids = _ids(draw, B, N, build[0])
            found = towers.result(twins.module(ids), (B, N, build[1]), WHAT, "(B, N, D)", f"ids {tuple(ids.shape)}")
        expect.depends_on_its_inputs(found, twins.module((ids + 1) % build[0]), WHAT)


@exercise(NAME)
@points(5)
def check_values(student: Student, draw: Draw) -> None:
    """They are the output of causal blocks, whose input is each video's vector plus the vector of its place"""
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for B, N in SIZES:
            if build[-1] >= N:
                _agree(twins, _ids(draw, B, N, build[0]))


@exercise(NAME)
@points(2)
def check_no_look_ahead(student: Student, draw: Draw) -> None:
    """A video changes the vectors from its own place on, and none before it"""
    twins = _twins(student, draw)
    for N in (2, 7):
        ids = draw.permutation(V)[None, :N]
        others = ids.repeat(N, 1)
        others[range(N), range(N)] = (ids[0] + 1) % V  # row j: another video at place j
        both = torch.cat((ids, others))
        found = towers.result(twins.module(both), (N + 1, N, D), WHAT, "(B, N, D)", f"ids {tuple(both.shape)}")
        moves = (found[1:] - found[:1]).abs().amax(dim=2) > 1e-12  # row j, column i
        want = torch.ones(N, N, dtype=torch.bool).triu()
        if not torch.equal(moves, want):
            cause, hint = _direction(moves, want)
            j, i = (moves != want).nonzero()[0].tolist()
            raise CheckFailure(
                "direction",
                f"Another video at place {j} {'changes' if moves[j, i] else 'does not change'} the vector at place {i}.",
                setting=f"{N} videos",
                expected="the vector at place i depends on the videos 0 to i, on all of them and on no other",
                received=moves.double(),
                cause=cause,
                hint=hint,
            )


def _direction(moves: Tensor, want: Tensor) -> tuple[str, str]:
    """Return (cause, hint) for which videos (rows) move the vectors of which places (columns), where other ones should."""
    if torch.equal(moves, want.flip(0)):
        return "the history read from its end", "The first place sees the last video, and so on. Look for a flip."
    if torch.equal(moves, want.T):
        return "the mask is turned round", (
            "Each place sees itself and what comes later. The vector at place i has to foretell video i + 1 from those up to i. "
            "Look at which half of the mask is True."
        )
    if torch.equal(moves | torch.eye(len(want), dtype=torch.bool), want):
        return (
            "a place does not see its own video",
            "The vector at place i may know video i. Look at the diagonal of the mask.",
        )
    if bool((moves & ~want).any()):
        return (
            "the future is seen",
            "The vector at place i has to foretell video i + 1. Who may attend to whom? Look at the mask.",
        )
    return (
        "the history is not seen",
        "What was watched before is all that is known of a viewer. Look at what reaches the encoder.",
    )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of all weights have the right values"""
    for build in BUILDS[::2]:
        twins = _twins(student, draw, build)
        towers.gradients(twins, [(_ids(draw, B, N),) for B, N in ((1, 3), (3, 5))], draw, "histories of 3 and 5 videos")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, in float32 too and after other calls, and the input is not changed"""
    single = _twins(student, draw, dtype=torch.float32)
    expect.dtype(_agree(single, _ids(draw, 3, 5), ", float32"), torch.float32, WHAT)
    twins, ids = _twins(student, draw), _ids(draw, 3, 5)
    towers.same_again(twins, ids, [((ids + 1) % V,), (_ids(draw, 2, 7),)], WHAT)
