"""CaptionDecoder(vocab_size, feature_width, state_width=128, embedding_width=32, hidden_width=64): step and forward."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Student,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.captioning import references

NAME = "CaptionDecoder"
WHAT = ("The logits", "A (weights)")
V, D, S, EMBEDDING, HIDDEN = 11, 7, 13, 5, 3
N, T = 5, 4
FIRST = 1 + max(references.PAD, references.START, references.END)
WORDS = V - FIRST


def _twins(student, draw, build=(V, D, S, EMBEDDING, HIDDEN), dtype=torch.float64):
    return ModulePair(student, NAME, build, references.CaptionDecoder(*build), draw, dtype)


def _inputs(draw: Draw, B=2, cells=N, words=T, dtype=torch.float64):
    """Draw features (B, cells, D) and captions (B, words) in which neighbouring words differ, and none is END or PAD."""
    steps = 1 + draw.integers(WORDS - 1, B, words)
    return draw.normal(B, cells, D, dtype=dtype), FIRST + steps.cumsum(1) % WORDS


def _other_words(captions, shift=1):
    return FIRST + (captions - FIRST + shift) % WORDS


def _setting(features, captions):
    return f"B = {len(captions)}, N = {features.shape[1]}, T = {captions.shape[1]}, D = {D}, {features.dtype}"


def _results(value, B, cells, words):
    """Return (logits, weights) if they have the right shapes."""
    logits, weights = expect.pair(value, "logits", "weights")
    expect.shape(logits, (B, words, V), "The logits", "(B, T, V)", f"B = {B}, T = {words}, V = {V}, N = {cells}")
    expect.shape(weights, (B, words, cells), "The weights", "(B, T, N)", f"B = {B}, T = {words}, V = {V}, N = {cells}")
    return logits, weights


def _needs_all(module, features, captions):
    """Fail for logits that depend on neither the picture nor the words."""
    uses_its_inputs(module, (features, captions), (features.flip(-1), captions))
    uses_its_inputs(module, (features, captions), (features, _other_words(captions)))


@exercise(NAME)
@points(1)
def check_parameters(student: Student, draw: Draw) -> None:
    """The parts are embedding, attention, start, cell and output, as they are given, and nothing besides"""
    for build in ((V, D, S, EMBEDDING, HIDDEN), (V, D)):
        has_parameters(student, NAME, build, dict(references.CaptionDecoder(*build).named_parameters()))
    _needs_all(_twins(student, draw).module, *_inputs(draw))


@exercise(NAME)
@points(1)
def check_shapes(student: Student, draw: Draw) -> None:
    """forward returns logits (B, T, V) and weights (B, T, N)"""
    module = _twins(student, draw).module
    for B, cells, words in ((2, N, T), (1, 3, 1), (3, 1, 7), (3, 2, 3)):
        features, captions = _inputs(draw, B, cells, words)
        _results(module(features, captions), B, cells, words)
    _needs_all(module, *_inputs(draw))


@exercise(NAME)
@points(2)
def check_one_word(student: Student, draw: Draw) -> None:
    """One step: attend with the old state; put word and context into the cell; logits from the new state and the context"""
    for B, cells, build in ((1, 1, ()), (1, 2, ()), (2, 5, ()), (3, 4, (V, D, D, D, D))):
        twins = _twins(student, draw, *([build] if build else []))
        features, captions = _inputs(draw, B, cells, 1)
        _results(twins.module(features, captions), B, cells, 1)
        twins.agree(features, captions, what=WHAT, setting=_setting(features, captions))


@exercise(NAME)
@points(2)
def check_teacher_forcing(student: Student, draw: Draw) -> None:
    """Step t goes on from the state of the step before, and is given the word captions[:, t]"""
    for B, cells, words in ((1, 1, 2), (1, 2, 2), (2, 5, 3), (3, 7, 6), (4, 4, 4), (1, 3, 41)):
        twins = _twins(student, draw)
        features, captions = _inputs(draw, B, cells, words)
        _results(twins.module(features, captions), B, cells, words)
        twins.agree(features, captions, what=WHAT, setting=_setting(features, captions))
    captions[:, 1:3] = torch.tensor([[2, 0]])  # END and PAD are words like others here
    twins.agree(features, captions, what=WHAT, setting=f"captions {captions.tolist()}")


@exercise(NAME)
@points(1)
def check_sees_the_past_only(student: Student, draw: Draw) -> None:
    """The logits at t depend on the words up to captions[:, t], that one included, and on none after it"""
    module = _twins(student, draw).module
    features, captions = _inputs(draw)
    _needs_all(module, features, captions)
    logits, weights = _results(module(features, captions), 2, N, T)
    for t in range(T):
        other = captions.clone()
        other[:, t] = _other_words(captions[:, t], 3)
        changed, changed_weights = _results(module(features, other), 2, N, T)
        before = torch.allclose(changed[:, :t], logits[:, :t]) and torch.allclose(
            changed_weights[:, : t + 1], weights[:, : t + 1]
        )
        if not before:
            raise CheckFailure(
                "leak",
                f"Another word captions[:, {t}] changes what is computed before that word is used.",
                expected=f"the logits before {t} and the weights up to {t} as they were",
                received=f"leak at {t}",
                cause="looks ahead",
                hint="Step t is given the word captions[:, t], and its attention the state before it.",
            )
        for b in range(2):
            if torch.allclose(changed[b, t], logits[b, t]):
                raise CheckFailure(
                    "blind",
                    f"Another word captions[{b}, {t}] does not change the logits at {t}.",
                    received=f"blind at {t}",
                    cause="given word not used",
                    hint="Teacher forcing: step t is given the word captions[:, t].",
                )


@exercise(NAME)
@points(1)
def check_mask(student: Student, draw: Draw) -> None:
    """Cells that are not allowed get no weight, and their content changes nothing, not even the first state"""
    for B, cells, words in ((1, 2, 1), (2, 5, 3), (3, 7, 4), (4, 4, 4)):
        twins = _twins(student, draw)
        features, captions = _inputs(draw, B, cells, words)
        allowed = draw.allowed(B, cells)
        setting = f"{_setting(features, captions)}, allowed {allowed.int().tolist()}"
        got = twins.agree(features, captions, allowed, what=WHAT, setting=setting)
        other = torch.where(allowed[..., None], features, draw.normal(*features.shape, scale=5.0))
        for value, old, what in zip(twins.module(other, captions, allowed=allowed), got, WHAT, strict=True):
            expect.allclose(value, old, what, size=4.0, setting=f"other features where not allowed, {setting}")
    twins.agree(features, captions, torch.ones_like(allowed), what=WHAT, setting="everything allowed")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients flow back through all steps to the features and to all weights with the right values"""
    twins = _twins(student, draw)
    features, captions = _inputs(draw)
    for outputs in (1, 2):
        twins.gradients_agree(features, captions, draw=draw, names=("features",), outputs=outputs)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """A picture's result depends neither on the others nor on earlier calls, in float32 too; the inputs are not changed"""
    twins = _twins(student, draw, dtype=torch.float32)
    features, captions = _inputs(draw, 3, dtype=torch.float32)
    logits, weights = twins.agree(features, captions, what=WHAT, setting="float32")
    expect.dtype(logits, torch.float32, "The logits")
    expect.dtype(weights, torch.float32, "The weights")
    same_twice(twins.module, features, captions)
    no_side_effects(twins, [(2 * features, captions), (features[:1], captions[:1, :2])], features, captions, what=WHAT)
    transposed = features.transpose(1, 2).contiguous().transpose(1, 2)  # what grid_features returns
    twins.agree(transposed, captions.T.contiguous().T, what=WHAT, setting="transposed tensors")
    twins = _twins(student, draw)
    features, captions = _inputs(draw, 3)
    logits, _ = _results(twins.module(features, captions), 3, N, T)
    for b in range(3):
        alone, _ = _results(twins.module(features[b : b + 1], captions[b : b + 1]), 1, N, T)
        expect.allclose(
            alone,
            logits[b : b + 1].double(),
            "The logits",
            size=4.0,
            setting=f"picture {b} by itself",
            message="The result of a picture depends on the others in the batch.",
        )
