"""AttentionDecoder(vocab_size, memory_width, state_width=128, embedding_width=64, hidden_width=64): step."""

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
from autograder.lessons.translation import references

NAME = "AttentionDecoder"
WHAT = ("The logits", "A (weights)")
V, M, S, EMBEDDING, HIDDEN = 11, 7, 13, 5, 3
BUILD = (V, M, S, EMBEDDING, HIDDEN)


def _twins(student: Student, draw: Draw, build=BUILD, dtype=torch.float64, scores=1.0):
    """Return the student's decoder and the reference, whose scores are multiplied by ``scores``."""
    pair = ModulePair(student, NAME, build, references.AttentionDecoder(*build), draw, dtype)
    if scores == 1.0:
        return pair
    weights = {key: scores * each if key == "scores.v.weight" else each for key, each in pair.weights.items()}
    return ModulePair(student, NAME, build, references.AttentionDecoder(*build), draw, dtype, weights)


def _inputs(draw: Draw, B=2, N=5, T=4, dtype=torch.float64, width=M):
    """Draw a memory (B, N, M) and words (B, T), in which neighbouring words differ."""
    words = (draw.integers(V, B, 1) + (1 + draw.integers(V - 1, B, T)).cumsum(1)) % V
    return draw.normal(B, N, width, dtype=dtype), words


def _setting(memory, words, allowed=None):
    hidden = "" if allowed is None else f", allowed {allowed.int().tolist()}"
    return f"memory {tuple(memory.shape)}, words {tuple(words.shape)}, {memory.dtype}{hidden}"


def _results(value, B, T, N):
    logits, weights = expect.pair(value, "logits", "weights")
    expect.shape(logits, (B, T, V), "The logits", "(B, T, V)", f"B = {B}, T = {T}, V = {V}, N = {N}")
    expect.shape(weights, (B, T, N), "The weights", "(B, T, N)", f"B = {B}, T = {T}, V = {V}, N = {N}")
    return logits, weights


def _needs_all(module, memory, words):
    uses_its_inputs(module, (memory, words), (memory.flip(-1), words))
    uses_its_inputs(module, (memory, words), (memory, (words + 1) % V))


@exercise(NAME)
@points(2)
def check_shapes(student: Student, draw: Draw) -> None:
    """The parts are as they are given; every step gives logits (B, V) and weights (B, N)"""
    for build in (BUILD, (V, M)):
        has_parameters(student, NAME, build, dict(references.AttentionDecoder(*build).named_parameters()))
    module = _twins(student, draw).module
    for B, N, T in ((1, 1, 1), (2, 5, 4), (1, 3, 1), (3, 1, 7), (3, 2, 3)):
        _results(module(*_inputs(draw, B, N, T)), B, T, N)
    _needs_all(module, *_inputs(draw))


@exercise(NAME)
@points(3)
def check_one_word(student: Student, draw: Draw) -> None:
    """Read the word; look with the new state; tanh of W_c [context; state]; logits from that"""
    for B, N, build in ((1, 1, BUILD), (1, 2, BUILD), (2, 5, BUILD), (5, 3, (V, 4, 4, 4, 4)), (3, 3, (V, 3, 3, 3, 3))):
        twins = _twins(student, draw, build)
        memory, words = _inputs(draw, B, N, 1, width=build[1])
        _results(twins.module(memory, words), B, 1, N)
        twins.agree(memory, words, what=WHAT, setting=_setting(memory, words))


@exercise(NAME)
@points(3)
def check_several_words(student: Student, draw: Draw) -> None:
    """Every step goes on from the new state of the step before"""
    for B, N, T in ((1, 1, 2), (1, 2, 2), (2, 5, 3), (3, 7, 6), (4, 4, 4), (1, 3, 29)):
        twins = _twins(student, draw)
        memory, words = _inputs(draw, B, N, T)
        _results(twins.module(memory, words), B, T, N)
        twins.agree(memory, words, what=WHAT, setting=_setting(memory, words))


@exercise(NAME)
@points(3)
def check_mask(student: Student, draw: Draw) -> None:
    """Padding gets weight 0, and what stands there changes nothing"""
    for B, N, T in ((1, 2, 1), (2, 5, 3), (3, 7, 4), (4, 4, 4)):
        twins = _twins(student, draw)
        memory, words = _inputs(draw, B, N, T)
        allowed = draw.allowed(B, N)
        allowed[:, 0] = True  # a sentence begins with a word
        setting = _setting(memory, words, allowed)
        twins.agree(memory[:1], words[:1], allowed[:1], what=WHAT, setting=f"the first alone, {setting}")
        got = twins.agree(memory, words, allowed, what=WHAT, setting=setting)
        _results(got, B, T, N)
        other = torch.where(allowed[..., None], memory, draw.normal(*memory.shape, scale=5.0))
        message = "The values at padding change the result."
        for value, old, what in zip(twins.module(other, words, allowed), got, WHAT, strict=True):
            expect.allclose(value, old, what, size=4.0, setting=setting, message=message)
    twins.agree(memory, words, torch.ones_like(allowed), what=WHAT, setting="everything allowed")
    twins, (memory, words) = _twins(student, draw, scores=400.0), _inputs(draw, 6, 7, 4)
    allowed = torch.arange(7) < torch.tensor([1, 2, 3, 4, 5, 6])[:, None]
    twins.agree(memory, words, allowed, what=WHAT, setting="scores of hundreds, of hidden words too")


@exercise(NAME)
@points(2)
def check_sentences_are_separate(student: Student, draw: Draw) -> None:
    """A sentence is translated by itself; mixing up its memory, all but the first place, only mixes up the weights"""
    twins, N = _twins(student, draw), 5
    memory, words = _inputs(draw, 3, N, 4)
    _needs_all(twins.module, memory, words)
    logits, weights = _results(twins.module(memory, words), 3, 4, N)
    for b in range(3):
        alone = _results(twins.module(memory[b : b + 1], words[b : b + 1]), 1, 4, N)
        for value, own, what in zip(alone, (logits, weights), WHAT, strict=True):
            message = "A sentence's result depends on the other sentences of the batch."
            expect.allclose(value, own[b : b + 1], what, size=4.0, setting=f"sentence {b} alone", message=message)
    # The first place stays: it makes the first state.
    order = torch.cat((torch.zeros(1, dtype=torch.int64), 1 + draw.permutation(N - 1)))
    moved, moved_weights = _results(twins.module(memory[:, order], words), 3, 4, N)
    if not torch.allclose(moved, logits) or not torch.allclose(moved_weights, weights[..., order]):
        raise CheckFailure(
            "order",
            "The order of the memory, its first place apart, changes the result.",
            received="order",
            cause="place in the memory matters",
            hint="In step the memory is a set (only first_state looks at a place): the context is a weighted sum over all of it.",
        )


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients flow back through all steps to the memory and to all weights with the right values"""
    twins = _twins(student, draw)
    memory, words = _inputs(draw)
    for outputs in (1, 2):
        twins.gradients_agree(memory, words, draw=draw, names=("memory",), outputs=outputs)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same output, in float32 too and after other calls, and the input is not changed"""
    memory, words = _inputs(draw, dtype=torch.float32)
    allowed = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    _twins(student, draw).agree(memory.double(), words, allowed, what=WHAT)
    twins = _twins(student, draw, dtype=torch.float32)
    for given in ((memory, words), (memory, words, allowed)):
        for value, what in zip(twins.agree(*given, what=WHAT), WHAT, strict=True):
            expect.dtype(value, torch.float32, what)
    same_twice(twins.module, memory, words)
    others = [_inputs(draw, 3, 2, 4, torch.float32), (memory.flip(0), words[:, :2]), (-memory, words)]
    no_side_effects(twins, others, memory, words, what=WHAT, masked=(memory, words, allowed))
    twins.agree(memory.mT.contiguous().mT, words.T.contiguous().T, what=WHAT, setting="transposed tensors")
