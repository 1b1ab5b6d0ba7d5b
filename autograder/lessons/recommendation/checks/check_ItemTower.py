"""ItemTower(num_known, num_features, width, hidden, dropout=0.0)."""

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Student,
    exercise,
    expect,
    points,
    promises,
    slack,
    works_where_its_inputs_are,
)
from autograder.lessons.recommendation import references
from autograder.lessons.retrieval.checks import towers

NAME = "ItemTower"
WHAT = "The videos' vectors"
KNOWN, F, D, HIDDEN = 11, 5, 7, 13
BUILD = (KNOWN, F, D, HIDDEN)
BUILDS = (BUILD, (1, 1, 3, 2), (5, 5, 5, 5))
#: Shapes of ids: one, a catalogue, histories, and a batch of batches.
SHAPES = ((1,), (9,), (1, 4), (3, 5), (2, 3, 4))


def _twins(student: Student, draw: Draw, build: tuple = BUILD, dtype: torch.dtype = torch.float64) -> ModulePair:
    return ModulePair(student, NAME, build, references.ItemTower(*build), draw, dtype)


def _inputs(draw: Draw, shape: tuple[int, ...], build: tuple, new: bool) -> tuple[Tensor, Tensor]:
    """Draw ids, the first and the last known one among them, some new ones if wanted, and their content."""
    ids = draw.integers(build[0], *shape)
    ids.view(-1)[-1] = build[0] - 1
    if new:
        ids.view(-1)[::2] = build[0] + draw.integers(4, *ids.view(-1)[::2].shape)
    return ids, draw.normal(*shape, build[1])


def _setting(ids: Tensor, content: Tensor, build: tuple, more: str = "") -> str:
    shown = ids.tolist() if ids.numel() <= 9 else tuple(ids.shape)
    return f"{build[0]} known videos, ids {shown}, content {tuple(content.shape)}{more}"


def _agree(twins: ModulePair, ids: Tensor, content: Tensor, more: str = "") -> Tensor:
    setting = _setting(ids, content, twins.build, more)
    towers.result(twins.module(ids, content), (*ids.shape, twins.build[2]), WHAT, "(..., D)", setting)
    return twins.agree(ids, content, what=(WHAT,), setting=setting)


@exercise(NAME)
@points(1)
def check_parts_and_shape(student: Student, draw: Draw) -> None:
    """Its parts are those of __init__, and it returns a vector for each id, for ids of any shape"""
    towers.parameters(student, NAME, BUILDS, references.ItemTower)
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for shape in SHAPES:
            ids, content = _inputs(draw, shape, build, new=False)
            setting = _setting(ids, content, build)
            found = towers.result(twins.module(ids, content), (*shape, build[2]), WHAT, "(..., D)", setting)
        expect.depends_on_its_inputs(found, twins.module(ids, content + 1), WHAT)


@exercise(NAME)
@points(3)
def check_known_videos(student: Student, draw: Draw) -> None:
    """A known video's vector is that of its content plus its own"""
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for shape in SHAPES:
            _agree(twins, *_inputs(draw, shape, build, new=False))


@exercise(NAME)
@points(3)
def check_new_videos(student: Student, draw: Draw) -> None:
    """A new video's vector is that of its content alone, whatever its id"""
    for build in BUILDS:
        twins = _twins(student, draw, build)
        for shape in SHAPES:
            _agree(twins, *_inputs(draw, shape, build, new=True))
        _agree(twins, build[0] + torch.arange(3), draw.normal(3, build[1]), ", all of them new")
        _agree(twins, torch.tensor([build[0] + 10**9]), draw.normal(1, build[1]))


@exercise(NAME)
@points(2)
def check_dropout(student: Student, draw: Draw) -> None:
    """In training each video's own vector is left out with probability `dropout`, whole, and for each id by itself"""
    calls, B, N, p = 24, 8, 10, 0.3
    twins = _twins(student, draw, (*BUILD, p))
    ids, content = draw.integers(KNOWN, B, N), draw.normal(B, N, F)
    full = _agree(twins, ids, content).double()
    bare = twins.module(ids + KNOWN, content).double()
    details = {"setting": f"training mode, dropout={p}, ids {(B, N)}", "received": "dropout"}
    trained = []
    for _ in range(calls):
        found = expect.tensor(twins.module.when(training=True).request(ids, content).value, WHAT)
        expect.shape(found, (B, N, D), WHAT, "(B, N, D)", details["setting"])
        trained.append(found.double())
    share = (torch.stack(trained) - bare) / (full - bare)  # of the own vector that is there, number by number
    left_out, kept = (torch.isclose(share, torch.tensor(x).double(), atol=1e-6).all(dim=3) for x in (0.0, 1.0))
    if bool((left_out | kept).all()):
        _judge_decisions(left_out, p, details)
        return
    scaled = torch.isclose(share, torch.tensor(1 / (1 - p)).double(), atol=1e-6)
    zero = torch.isclose(share, torch.tensor(0.0).double(), atol=1e-6)
    if bool((left_out | scaled.all(dim=3)).all()):
        cause = "dropout rescales"
        hint = (
            "A known video has its own vector as it is when the model is used. Nothing is divided by 1 − dropout here."
        )
    elif bool((zero | scaled | torch.isclose(share, torch.tensor(1.0).double(), atol=1e-6)).all()):
        cause = "single numbers dropped"
        hint = "A new video lacks its whole vector, so a whole vector is left out: one random number for each id."
    else:
        cause, hint = "dropout in the wrong place", "Only the own vector is left out. The vector of the content stays."
    raise CheckFailure(
        "dropout",
        "In training the vectors are neither those with the own vector nor those without it.",
        **details,
        expected="for each id the vector of the content, with its own vector or without",
        yours="something else",
        cause=cause,
        hint=hint,
    )


def _judge_decisions(left_out: Tensor, p: float, details: dict[str, str]) -> None:
    """Fail unless the own vectors are left out (calls, B, N) with probability p, each by itself."""
    part = left_out.double().mean().item()
    together = {
        "of a call": left_out.flatten(1),
        "of a row": left_out.flatten(0, 1),
        "at one place": left_out.mT.flatten(0, 1),
    }
    for which, groups in together.items():
        if bool((groups == groups[:, :1]).all()) and 0 < part < 1:
            raise CheckFailure(
                "dropout",
                f"The own vectors {which} are all left out or all kept.",
                **details,
                expected="each id by itself",
                yours=f"one decision for all ids {which}",
                cause="the same decision for several ids",
                hint="Each id of the batch is dropped or kept independently. Look at the shape of the random numbers.",
            )
    if abs(part - p) <= slack(p, left_out.numel()):
        return
    if part == 0:
        cause, message = "dropout missing", "In training no own vector is left out."
        hint = "self.training says whether the module is in training. Only then ids lose their own vector by chance."
    elif abs(part - (1 - p)) <= slack(p, left_out.numel()):
        cause, message = "dropout is the probability of keeping", "Own vectors are kept with probability `dropout`."
        hint = "dropout is how often they are left out. Look at the comparison with the random numbers."
    else:
        cause, message = "another share", "The wrong share of own vectors is left out."
        hint = "Look at the comparison with the random numbers."
    yours = f"{part:.0%} left out"
    raise CheckFailure("dropout", message, **details, expected=f"{p:.0%} left out", yours=yours, cause=cause, hint=hint)


@exercise(NAME)
@points(1)
@promises
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of all weights and of the content are right; so is the result in float32, and in training on any device"""
    for build in BUILDS[::2]:
        twins = _twins(student, draw, build)
        ids, content = _inputs(draw, (3, 5), build, new=True)
        twins.gradients_agree(ids, content, draw=draw, names=("content",), setting=_setting(ids, content, build))
    single = _twins(student, draw, dtype=torch.float32)
    ids, content = _inputs(draw, (3, 5), BUILD, new=True)
    expect.dtype(_agree(single, ids, content.float(), ", float32"), torch.float32, WHAT)
    _agree(_twins(student, draw), ids.T.contiguous().T, content.transpose(0, 1).contiguous().transpose(0, 1))
    works_where_its_inputs_are(_twins(student, draw).module, ids, content, training=True)
