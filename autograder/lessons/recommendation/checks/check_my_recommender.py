"""my_recommender(), with the weights that were handed in."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, measured, modules, points
from autograder.checks import weights as checkpoint
from autograder.lessons.recommendation import references

NAME = "my_recommender"
FILE = "recommender.safetensors"
VIEWERS, LENGTH, KNOWN, K = 1000, 16, 10_000, 10
FEW = 8  # viewers for whom the student's model is compared with ours
#: The recall of known videos as a part of the highest possible: full points from the first on, none up to the second.
#: The most popular videos reach 0.23 of it.
RECALL = (0.80, 0.35)
#: The same for new videos, whose vectors are computed from their content. Chance is 0.03.
NEW = (0.70, 0.15)
RIDGE = 10.0
#: What has to be reached for the controls, and what part of it may be left with another's history, or another video's content.
LEAST, CONTROL, NEW_CONTROL = 0.45, 0.6, 0.4


@dataclass(frozen=True)
class Drawn:
    """Viewers that the TA's seed decides on, and how probable each video is as their next one."""

    histories: Tensor
    known: Tensor  # (B, 10,000)
    new: Tensor  # (B, 500)


@functools.lru_cache(maxsize=2)
def _drawn(seed: int) -> Drawn:
    from course_lib.data import video_world

    world = video_world()
    histories = world.draw_histories(VIEWERS, LENGTH, Draw(seed, NAME).generator)
    each = (world.next_probabilities, world.new_probabilities)
    return Drawn(histories, *(modules.in_batches(compute, histories) for compute in each))


def _loaded(student: Student, seed: int) -> nn.Module:
    """Return the course's SequentialRecommender with the submitted weights. Fail unless it agrees with the student's."""
    module, some = checkpoint.load(student, NAME, FILE), _drawn(seed).histories[:FEW]
    vectors = expect.tensor(module(some), "the viewers' vectors")
    if vectors.dim() != 3 or vectors.shape[:2] != some.shape:
        expect.shape(vectors, (*some.shape, *vectors.shape[2:3]), "the viewers' vectors", "(B, N, D)")
    checkpoint.are_numbers(vectors)
    return OWN.like(module, {"vectors": vectors}, lambda model: {"vectors": model(some)})


def _candidates(weights: Mapping[str, Tensor]) -> list[Callable[[], nn.Module]]:
    """Return how to make a SequentialRecommender with the sizes of these weights, for every number of heads."""
    videos, D = modules.sizes(weights, "embedding.weight", 2)
    longest, _ = modules.sizes(weights, "positions.table", 2)
    blocks = modules.count(weights, "encoder.blocks.{}.norm_1.gamma")
    if videos != KNOWN or longest < LENGTH:
        raise modules.OtherModel(f"{videos} videos, {longest} places")
    make = functools.partial(references.SequentialRecommender, videos, D)
    return [functools.partial(make, heads, blocks, longest) for heads in modules.possible_heads(D)]


OWN = modules.OwnModel(NAME, "a SequentialRecommender", _candidates)


def share_of_best(scores: Tensor, probabilities: Tensor) -> float:
    """Return the expected recall@10 of the videos with the highest scores, as a part of the highest possible."""
    chosen = scores.topk(K, dim=1).indices
    return float(probabilities.gather(1, chosen).sum() / probabilities.topk(K, dim=1).values.sum())


def _viewers(model: Any, histories: Tensor) -> Tensor:
    return modules.in_batches(lambda ids: model(ids)[:, -1], histories, model=model)


def _known(model: Any, viewers: Tensor, drawn: Drawn) -> float:
    return share_of_best(viewers @ model.embedding.weight.T, drawn.known)


def _new(model: Any, viewers: Tensor, drawn: Drawn, order: Tensor | None = None) -> float:
    """Return the share for the new videos; with ``order``, each has the content of another."""
    from course_lib.data import video_world

    content = video_world().content.double()
    new = content[KNOWN:] if order is None else content[KNOWN:][order]
    vectors = references.cold_start_vector(content[:KNOWN], model.embedding.weight.double(), new, RIDGE)
    return share_of_best(viewers.double() @ vectors.T, drawn.new)


def _setting(seed: int) -> str:
    return f"{VIEWERS} new viewers, all {KNOWN:,} videos, recall@{K}, seed {seed}"


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the SequentialRecommender that my_recommender() makes anew at every call"""
    _loaded(student, seed)
    checkpoint.made_anew(student, NAME, FILE)


@exercise(NAME)
@points(1)
@measured
def check_near_the_best(student: Student, seed: int) -> None:
    """For new viewers its ten videos are nearly as good as the best possible ten"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    value, (full, none) = _known(model, _viewers(model, drawn.histories), drawn), RECALL
    failure = CheckFailure(
        "recall",
        "Too many of the next videos are missed.",
        setting=_setting(seed),
        expected=f"at least {full:.0%} of the highest possible recall (points in eighths above {none:.0%})",
        yours=f"{value:.1%} of it",
        received=value,
        cause="recommender not good enough yet",
        hint="Does the loss still fall? Then train longer. Has it levelled off far too high? Look at the ids of the positives "
        "and at the correction for frequent videos.",
    )
    checkpoint.judge(value, full, none, failure)


@exercise(NAME)
@points(1)
@measured
def check_new_videos(student: Student, seed: int) -> None:
    """Of videos that nobody has watched it finds the right ones too, by vectors that are computed from their content"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    viewers = _viewers(model, drawn.histories)
    order = Draw(seed, "content").permutation(drawn.new.shape[1])
    value, without, (full, none) = _new(model, viewers, drawn), _new(model, viewers, drawn, order), NEW
    reads = without <= NEW_CONTROL * value
    failure = CheckFailure(
        "new videos",
        "Too many of the new videos are missed." if reads else "With another video's content it is hardly worse.",
        setting=f"{VIEWERS} new viewers, 500 new videos, ridge {RIDGE:g}, seed {seed}",
        expected=f"at least {full:.0%} of the highest possible recall (points in eighths above {none:.0%}), and at most "
        f"{NEW_CONTROL} times that when each has the content of another",
        yours=f"{value:.1%} of it, and {without:.1%} with the content of another",
        received=(value, without),
        cause="vectors that content does not explain",
        hint="New vectors are fitted to the known ones. No content predicts what each video's own vector has learned: did the "
        "training begin with vectors made from content?",
    )
    if not reads:
        raise failure
    checkpoint.judge(value, full, none, failure)


@exercise(NAME)
@points(1)
@measured
def check_it_reads_the_history(student: Student, seed: int) -> None:
    """It recommends by what was watched: with another viewer's history, or another's last video, it is far worse"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    histories = {
        "as they are": drawn.histories,
        "with another's history": drawn.histories.roll(1, 0),
        "with another's last video": torch.cat((drawn.histories[:, :-1], drawn.histories[:, -1:].roll(1, 0)), dim=1),
    }
    shares = {name: _known(model, _viewers(model, ids), drawn) for name, ids in histories.items()}
    value, *others = shares.values()
    enough = value >= LEAST
    if enough and max(others) <= CONTROL * value:
        return
    raise CheckFailure(
        "control",
        "The recommender makes too little of the history."
        if enough
        else "Too many of the next videos are missed as it is.",
        setting=_setting(seed),
        expected=f"at least {LEAST:.0%} of the highest possible recall as they are, "
        f"and at most {CONTROL} times that with each control",
        yours=", ".join(f"{share:.1%} {name}" for name, share in shares.items()),
        received=tuple(shares.values()),
        cause="history ignored" if enough else "recommender not good enough yet",
        hint="Which control leaves too much? With another's history, it recommends much the same to everybody; with another's "
        "last video, it makes too little of what was watched last."
        if enough
        else "Without a model that has learned something, the controls say nothing. See above.",
    )
