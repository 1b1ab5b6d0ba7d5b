"""my_language_model(), with the weights that were handed in."""

import functools

import torch
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Student, exercise, measured, modules, points, weights
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.checks.trained import FILE, NAME, loaded
from autograder.lessons.mlm_pretraining.references import IGNORE, MASK, ORDINARY

SENTENCES = 2000
FEW = 8  # sentences on which the student's model is compared with ours
#: How far the loss may lie above the lowest possible one, in nats: full points up to the first, none from the second on.
#: The solution, from five seeds, on 4000 sentences: 0.025 on average, with a standard deviation of 0.003.
GAP = (0.12, 0.60)


@functools.lru_cache(maxsize=4)
def _drawn(seed: int):
    """Return (inputs, labels, the lowest loss, the lowest without the other words) of sentences that the TA's seed decides on."""
    from course_lib.data import (
        Masking,
        agreement_language,
        agreement_words,
        draw_sentences,
        framed,
        lowest_loss,
        unframed,
    )

    draw, V = Draw(seed, NAME), len(agreement_words())
    ids = framed(draw_sentences(SENTENCES, draw.new_seed()))
    inputs, labels = references.mask_tokens(ids, V, draw.generator)
    # What is left is the place in the sentence.
    blind = torch.where((labels == IGNORE) & (ids >= ORDINARY), MASK, inputs)
    language, masking = agreement_language(), Masking(V, MASK, ORDINARY)

    def lowest(seen: Tensor) -> float:
        """Return the lowest loss, computed for a few sentences at a time: for all at once it takes 180 MB."""
        parts = [*zip(unframed(seen).split(100), labels[:, 1:-1].split(100), strict=True)]
        chosen = [int((part != IGNORE).sum()) for _, part in parts]
        losses = [float(lowest_loss(language, *part, masking)) for part in parts]
        return sum(loss * count for loss, count in zip(losses, chosen, strict=True)) / sum(chosen)

    return inputs, labels, lowest(inputs), lowest(blind)


def _loaded(student: Student, seed: int):
    return loaded(student, _drawn(seed)[0][:FEW])


def _loss(model, inputs, labels):
    """Return the mean cross-entropy, in nats, of the course's model on these inputs."""
    return float(references.mlm_loss(modules.in_batches(model, inputs).double(), labels))


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the MaskedLanguageModel that my_language_model() makes anew at every call"""
    _loaded(student, seed)
    weights.made_anew(student, NAME, FILE)


@exercise(NAME)
@points(5)
@measured
def check_near_the_limit(student: Student, seed: int) -> None:
    """On new sentences its loss comes near the lowest that is possible in this language"""
    model = _loaded(student, seed)
    inputs, labels, limit, _ = _drawn(seed)
    loss = _loss(model, inputs, labels)
    full, none = GAP
    failure = CheckFailure(
        "loss",
        "The loss is too far above the lowest possible one.",
        setting=f"{SENTENCES} new sentences, seed {seed}",
        expected=f"at most {limit + full:.3f} nats, {full} above the limit of {limit:.3f} (points in eighths up to {none} above)",
        yours=f"{loss:.3f} nats, {loss - limit:.3f} above the limit",
        received=loss,
        cause="language model not good enough yet",
        hint="Has training ended while the loss still falls? Then train longer. If it has levelled off far above, look "
        "at what is fed in: are all chosen tokens labelled, does every token see both sides, are padding and mask right?",
    )
    weights.judge(loss - limit, full, none, failure)


@exercise(NAME)
@points(2)
@measured
def check_it_uses_the_context(student: Student, seed: int) -> None:
    """It reads the other words: its loss is far below the lowest that is possible for a model that cannot see them"""
    model = _loaded(student, seed)
    inputs, labels, limit, alone = _drawn(seed)
    loss, enough = _loss(model, inputs, labels), (limit + alone) / 2
    if loss <= enough:
        return
    raise CheckFailure(
        "control",
        "The model makes too little of the other words.",
        received=loss,
        cause="context ignored",
        setting=f"{SENTENCES} new sentences, seed {seed}",
        expected=f"at most {enough:.2f} nats, half-way from the limit, {limit:.2f}, to that without the other words, {alone:.2f}",
        yours=f"{loss:.2f} nats",
        hint="A model that only knows which words are frequent, and which stand at which place, is not yet a language model. Was "
        "its training interrupted? Then run the cell to its end.",
    )
