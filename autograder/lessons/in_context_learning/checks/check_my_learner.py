"""my_learner(num_blocks), with the weights that were handed in."""

import functools

import torch
from torch import Tensor, nn

from autograder.checks import CheckFailure, Draw, Student, exercise, measured, points, weights
from autograder.lessons.in_context_learning import references
from autograder.lessons.in_context_learning.checks import handed_in

NAME = "my_learner"
FILE, ONE_BLOCK = "in_context.safetensors", "one_block.safetensors"
V, ALPHA, LENGTH, LAST = 8, 0.2, 65, 16
SEQUENCES = 2000
#: The loss at the end of the context as a multiple of the best possible: full points up to the first, none from the second on.
TIMES = (1.06, 1.40)
#: What each control has to cost, as a multiple of the loss as it is.
COST = 1.2


@functools.lru_cache(maxsize=4)
def _drawn(seed: int) -> tuple[Tensor, Tensor]:
    """Return chains that the TA's seed decides on, and the best predictor's losses at the end of the context."""
    from course_lib.data import draw_chains

    ids, _ = draw_chains(SEQUENCES, LENGTH, Draw(seed, NAME).generator, V, ALPHA)
    return ids, best_losses(ids)


def best_losses(ids: Tensor) -> Tensor:
    """Return −log of the best predictor's probabilities for the last tokens, (B, LAST)."""
    P = references.predict_by_counts(ids[:, :-1], V, ALPHA)
    return -P.gather(2, ids[:, 1:, None])[:, -LAST:, 0].log()


def _loaded(student: Student, seed: int) -> nn.Module:
    return handed_in.loaded(student, NAME, FILE, _drawn(seed)[0], V)


def _times(model: nn.Module, ids: Tensor, best: Tensor) -> float:
    return float(handed_in.losses(model, ids)[:, -LAST:].mean() / best.mean())


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """Both checkpoints are there, can be read, and fit the GPT of two blocks and that of one, made anew at every call"""
    _loaded(student, seed)
    one = handed_in.loaded(student, NAME, ONE_BLOCK, _drawn(seed)[0], V, 1)
    blocks = handed_in.blocks_of(one)
    if blocks != 1:
        raise CheckFailure(
            "checkpoint",
            "my_learner(1) has more than one block.",
            expected="1 block",
            yours=f"{blocks} blocks",
            received=blocks,
            cause="number of blocks ignored",
            hint="Section 2.3 compares a model of one block with one of two, so num_blocks has to reach the GPT.",
        )
    weights.made_anew(student, NAME, FILE)


@exercise(NAME)
@points(2)
@measured
def check_near_the_best(student: Student, seed: int) -> None:
    """At the end of the context its loss on new chains comes near that of the best predictor, which counts"""
    model, (ids, best) = _loaded(student, seed), _drawn(seed)
    value, (full, none) = _times(model, ids, best), TIMES
    failure = CheckFailure(
        "loss",
        "The loss at the end of the context is too high.",
        setting=f"{SEQUENCES} new chains, the last {LAST} of {LENGTH} tokens, seed {seed}",
        expected=f"at most {full} times the loss of counting, {best.mean():.3f} nats (points in eighths up to {none} times)",
        yours=f"{value:.3f} times",
        received=value,
        cause="learner not good enough yet",
        hint="Does the loss fall slowly for a while, and then suddenly? Before that, no induction head is there yet: train "
        "longer. Two blocks are needed, and positions.",
    )
    weights.judge(value, full, none, failure)


@exercise(NAME)
@points(1)
@measured
def check_it_learns_from_its_context(student: Student, seed: int) -> None:
    """It learns from its context: with another chain's beginning, or the same tokens in another order, it predicts far worse"""
    model, (ids, best) = _loaded(student, seed), _drawn(seed)
    value, cut = _times(model, ids, best), LENGTH - LAST - 1
    draw = Draw(seed, "shuffled")
    order = torch.rand((len(ids), cut), generator=draw.generator).argsort(dim=1)
    controls = {
        "with another chain's beginning": ids[:, :cut].roll(1, 0),
        "in another order": ids[:, :cut].gather(1, order),
    }
    cost = {name: _times(model, torch.cat((start, ids[:, cut:]), 1), best) / value for name, start in controls.items()}
    enough = value <= TIMES[1]
    if enough and min(cost.values()) >= COST:
        return
    raise CheckFailure(
        "control",
        "The model makes too little of its context." if enough else "The loss is too high as it is.",
        received=(value, *cost.values()),
        cause="context ignored" if enough else "learner not good enough yet",
        setting=f"{SEQUENCES} new chains, seed {seed}",
        expected=f"at most {TIMES[1]} times the best as they are, and at least {COST} times that with each control",
        yours=f"{value:.2f} times the best, and {', '.join(f'{more:.2f} times that {name}' for name, more in cost.items())}",
        hint="What a chain does can only be read off its own beginning. See above if the loss is too high as it is.",
    )
