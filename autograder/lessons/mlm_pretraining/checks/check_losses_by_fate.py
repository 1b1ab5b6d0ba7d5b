"""losses_by_fate(logits, inputs, labels), and the experiment that is measured with it."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks import (
    CheckFailure,
    Draw,
    Student,
    close_numbers,
    exercise,
    measured,
    modules,
    no_return,
    points,
    scalar,
    weights,
)
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks import trained
from autograder.lessons.mlm_pretraining.references import IGNORE, MASK, ORDINARY

NAME = "losses_by_fate"
FATES = ("hidden", "stayed", "replaced")
FILE = "always_mask.safetensors"
RESULTS = "results.json"
NAMES = ("hidden", "stayed", "hidden, always [MASK]", "stayed, always [MASK]")
#: What the names of the first model's numbers end in, and of the second's.
MODELS = ("", ", always [MASK]")
#: The held-out sentences of the notebook's section 2.
SENTENCES, SEED = 4000, 5
#: The drawn ones on which both models are compared.
DRAWN = 200
#: How far a measured loss may lie from the one that is measured here, in nats: rounding on another machine.
WITHIN = 0.01
#: A loss at hidden words that no model reaches without training, in nats. Who knows nothing has log 75 = 4.3.
LEARNED = 3.0
#: Who was asked about words that are there copies them: the loss at them is at most this part of that at hidden ones (0.12 to
#: 0.41, and 0.73 after a twentieth of the steps). Who was not has at least 0.84.
COPIES = 0.78
#: The loss at words that are there grows, in nats, if nobody asks about them; that at hidden ones does not. It grows by 1.7 to
#: 3.8 in the first 600 steps and by 0.6 in many small ones, when two models that begin with the same weights are still similar,
#: and by 0.8 to 0.96 in 2200; at hidden words by at most an eightieth of it. Noise in the weights of a model that copies, or
#: embeddings moved towards that of [MASK], cost at hidden words at least a tenth of what they cost at the others.
EFFECT, TIMES = 0.45, 10.0
V = 13
#: What may become of a token, and how it is said. An "m" was MASK before, and nobody chose it.
MEANINGS = {"h": "hidden", "s": "stayed", "r": "replaced", ".": "not chosen", "m": "MASK without being chosen"}


def _drawn(draw: Draw, rows: int, columns: int, fates: str = "hsr.") -> tuple[Tensor, Tensor, Tensor]:
    """Draw logits, inputs and labels; each place has the next one of ``fates``, keys of MEANINGS, in an order that is drawn."""
    ids = ORDINARY + draw.integers(V - ORDINARY, rows, columns)
    turns = draw.permutation(rows * columns).reshape(rows, columns) % len(fates)
    fate = torch.tensor([ord(name) for name in fates])[turns]
    other = ORDINARY + (ids + 1 - ORDINARY) % (V - ORDINARY)
    masked, chosen = (fate == ord("h")) | (fate == ord("m")), (fate != ord(".")) & (fate != ord("m"))
    inputs = torch.where(masked, MASK, torch.where(fate == ord("r"), other, ids))
    return draw.normal(rows, columns, V), inputs, ids.masked_fill(~chosen, IGNORE)


def _agree(student: Student, given: tuple[Tensor, Tensor, Tensor], setting: str = "") -> None:
    setting = setting or f"logits {tuple(given[0].shape)}"
    got = _numbers(student.losses_by_fate(*given), setting)
    close_numbers(got, references.losses_by_fate(*given), "The losses are wrong.", setting)


def _numbers(value: Any, setting: str) -> dict[str, float]:
    """Return the loss of each fate as a float."""
    if value is None:
        raise no_return()
    if not isinstance(value, Mapping) or set(value) != set(FATES):
        named = ", ".join(map(str, value)) if isinstance(value, Mapping) else f"a {type(value).__name__}"
        raise CheckFailure(
            "type",
            "A dictionary with the three fates is expected.",
            setting=setting,
            expected=", ".join(FATES),
            yours=named[:200],
            received=named[:200],
            cause="not a dictionary of the three fates",
            hint='Return {"hidden": …, "stayed": …, "replaced": …}, with a float for each.',
        )
    return {name: scalar(value[name], f'The loss of "{name}"', setting) for name in FATES}


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """The mean of −log p(label) over the chosen tokens that became [MASK], over those that stayed, and over the others"""
    for shape in ((1, 4), (2, 4), (3, 5), (4, 7), (7, 3)):
        _agree(student, _drawn(draw, *shape))


@exercise(NAME)
@points(1)
def check_fates_that_no_token_has(student: Student, draw: Draw) -> None:
    """A fate that no token has gets 0.0, and tokens that were not chosen count for nothing"""
    for fates in ("h", "s", "r", "hr", "h.", "s.", "r.", ".", "hm"):
        names = " and ".join(MEANINGS[name] for name in fates)
        _agree(student, _drawn(draw, 3, 5, fates), f"logits (3, 5, {V}), all tokens {names}")


@exercise(NAME)
@points(1)
@measured
def check_results_are_there(student: Student, seed: int) -> None:
    """results.json holds a prediction and a measurement for both models"""
    weights.results(student, RESULTS, NAMES)


@exercise(NAME)
@points(3)
@measured
def check_results_are_measured(student: Student, draw: Draw) -> None:
    """The numbers in results.json are those of the two models that were handed in, measured again"""
    from course_lib.data import draw_sentences, framed

    found = weights.results(student, RESULTS, NAMES)
    inputs, labels = _by_turns()
    models = [trained.loaded(student, inputs[:8], file) for file in (trained.FILE, FILE)]
    again: dict[str, float] = {}
    for model, more in zip(models, MODELS, strict=True):
        losses = references.losses_by_fate(modules.in_batches(model, inputs), inputs, labels)
        again |= {f"{fate}{more}": losses[fate] for fate in ("hidden", "stayed")}
    setting = f"{SENTENCES} sentences, every third word of which is chosen"
    unlearned = {name: loss for name, loss in again.items() if name.startswith("hidden") and not loss < LEARNED}
    weights.require_learned(unlearned, f"less than {LEARNED} nats", setting)
    drawn = framed(draw_sentences(DRAWN, seed=draw.new_seed()))
    chosen = (drawn >= ORDINARY) & (torch.arange(drawn.shape[1]) % 3 == 1)
    pages = torch.stack([drawn.masked_fill(chosen, MASK), drawn])

    def answers(model: nn.Module) -> Tensor:
        """Return the probabilities of the chosen words, hidden (where good models agree) and as they are (where they cannot)."""
        return torch.cat([modules.in_batches(model, page)[chosen].softmax(-1) for page in pages])

    (hidden, stayed), (hidden_later, stayed_later) = (
        (again[f"hidden{more}"], again[f"stayed{more}"]) for more in MODELS
    )
    grows = stayed_later - stayed > max(EFFECT, TIMES * (hidden_later - hidden))
    weights.require_two_trainings(
        models,
        "feed_forward.W_1",
        answers,
        f"{DRAWN} drawn sentences, every third word hidden or as it is",
        may_be_similar=grows and stayed < COPIES * hidden and stayed_later > COPIES * hidden_later,
    )
    weights.confirm(found, again, WITHIN, setting)


def _by_turns() -> tuple[Tensor, Tensor]:
    """Return the notebook's (inputs, labels): every third word is chosen; it is hidden, stays or is replaced, in turn."""
    from course_lib.data import draw_sentences, framed

    ids, words = framed(draw_sentences(SENTENCES, seed=SEED)), trained.vocabulary() - ORDINARY
    rows, places = torch.arange(len(ids))[:, None], torch.arange(ids.shape[1])
    chosen = (ids >= ORDINARY) & ((places + rows // 3) % 3 == 0)
    other = ORDINARY + (ids + 1 - ORDINARY) % words
    fate = torch.where(rows % 3 == 0, MASK, torch.where(rows % 3 == 1, ids, other))
    return torch.where(chosen, fate, ids), ids.masked_fill(~chosen, IGNORE)
