"""my_gpt(), with the weights that were handed in."""

import functools
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from autograder.checks import CheckFailure, Draw, Student, exercise, measured, points, weights
from autograder.lessons.in_context_learning.checks import handed_in

NAME = "my_gpt"
FILE = "gpt.safetensors"
SENTENCES = 2000
FEW = 200  # of them for the controls, whose contexts are changed place by place
#: How far the loss may lie above the exact entropy, in nats per token: full points up to the first, none from the second on.
GAP = (0.03, 0.40)
#: How much each control has to cost, in nats per token. The solution: 0.18, 1.3 and 1.0; a model that ignores the context: 0.
COST = 0.1


@dataclass(frozen=True)
class Drawn:
    """Framed sentences that the TA's seed decides on, and what the language says of them in nats per token."""

    ids: Tensor
    limit: float

    @property
    def real(self) -> Tensor:
        """Which tokens behind the first are no padding."""
        return self.ids[:, 1:] != 0


@functools.lru_cache(maxsize=4)
def _drawn(seed: int) -> Drawn:
    from course_lib.data import agreement_language, agreement_words, draw_sentences, framed

    sentences, V = draw_sentences(SENTENCES, Draw(seed, NAME).new_seed()), len(agreement_words())
    ids = framed(sentences)
    found = torch.nn.functional.one_hot(sentences, V).double()
    language = agreement_language()  # what it computes for all sentences at once takes 250 MB
    nats = -sum(language.log_probability(part).sum() for part in found.split(FEW))
    return Drawn(ids, float(nats / (ids[:, 1:] != 0).sum()))


def _loaded(student: Student, seed: int) -> nn.Module:
    from course_lib.data import agreement_words

    return handed_in.loaded(student, NAME, FILE, _drawn(seed).ids, len(agreement_words()))


def _loss(model: nn.Module, drawn: Drawn) -> float:
    return float(handed_in.losses(model, drawn.ids)[drawn.real].mean())


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the GPT that my_gpt() makes anew at every call"""
    _loaded(student, seed)
    weights.made_anew(student, NAME, FILE)


@exercise(NAME)
@points(2)
@measured
def check_near_the_entropy(student: Student, seed: int) -> None:
    """On new sentences its loss comes near their exact entropy, the lowest that is possible in this language"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    loss, (full, none) = _loss(model, drawn), GAP
    failure = CheckFailure(
        "loss",
        "The loss is too far above the entropy.",
        setting=f"{SENTENCES} new sentences, seed {seed}",
        expected=f"at most {drawn.limit + full:.3f} nats per token, {full} above the entropy of {drawn.limit:.3f} "
        f"(points in eighths up to {none} above it)",
        yours=f"{loss:.3f} nats, {loss - drawn.limit:.3f} above the entropy",
        received=loss,
        cause="language model not good enough yet",
        hint="Has training ended while the loss still falls? Then train longer. If it has levelled off far above, look "
        "at what is predicted: is the target of a place the token behind it, and is padding left out?",
    )
    weights.judge(loss - drawn.limit, full, none, failure)


@exercise(NAME)
@points(1)
@measured
def check_it_reads_what_came_before(student: Student, seed: int) -> None:
    """It reads what came before: in another order, from another sentence, or with the last word alone, it predicts far worse"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    few = Drawn(drawn.ids[:FEW], drawn.limit)
    loss = _loss(model, few)
    cost = {name: _changed(model, few, change) - loss for name, change in _controls(seed).items()}
    enough = loss <= drawn.limit + GAP[1]
    if enough and min(cost.values()) >= COST:
        return
    raise CheckFailure(
        "control",
        "The model makes too little of the words before the last." if enough else "The loss is too high as it is.",
        received=(loss, *cost.values()),
        cause="context ignored" if enough else "language model not good enough yet",
        setting=f"{FEW} new sentences, seed {seed}",
        expected=f"at most {drawn.limit + GAP[1]:.2f} nats as they are, and {COST} more with each control",
        yours=f"{loss:.2f} nats, and {', '.join(f'{more:.2f} more {name}' for name, more in cost.items())}",
        hint="A model that only knows which word often follows which does not know the language."
        if enough
        else "Without a model that has learned something, the controls say nothing. See above.",
    )


def _controls(seed: int):
    """Return what is done to the tokens between [CLS] and the last one, by name: a function of these tokens (B, n)."""
    generator = Draw(seed, "controls").generator

    def shuffled(before: Tensor) -> Tensor:
        order = torch.rand(before.shape, generator=generator).argsort(dim=1)
        return before.gather(1, order)

    return {
        "in another order": shuffled,
        "from another sentence": lambda before: before.roll(1, 0),
        "with the last word alone": lambda before: torch.full_like(before, 2),
    }


def _changed(model: nn.Module, drawn: Drawn, change) -> float:
    """Return the mean loss when the words between [CLS] and the last one are changed before each prediction."""
    found = []
    for n in range(2, drawn.ids.shape[1]):
        ids = drawn.ids[drawn.real[:, n - 1]]  # sentences that have a token n
        if len(ids):
            seen = torch.cat((ids[:, :1], change(ids[:, 1 : n - 1]), ids[:, n - 1 : n + 1]), dim=1)
            found.append(handed_in.losses(model, seen)[:, -1])
    first = handed_in.losses(model, drawn.ids[:, :2])[:, 0]
    return float(torch.cat([first, *found]).mean())
