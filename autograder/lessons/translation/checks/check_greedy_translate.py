"""greedy_translate(decoder, memory, allowed=None, max_length=20)."""

import contextlib

import torch

from autograder.checks import (
    CheckFailure,
    Constructed,
    Draw,
    ModulePair,
    StandIn,
    Student,
    exercise,
    expect,
    points,
    promises,
)
from autograder.lessons.captioning.checks import check_greedy_caption as shared
from autograder.lessons.captioning.references import END
from autograder.lessons.translation import references
from autograder.lessons.translation.checks.searches import Renamed, worded_as_translation

NAME = "greedy_translate"
V, N = 11, 13


@exercise(NAME)
@points(1)
def check_one_sentence(student: Student, draw: Draw) -> None:
    """One sentence: the most probable word each time, from the word before and the state; the last word is END"""
    with worded_as_translation():
        shared.check_one_picture(Renamed(student), draw)


@exercise(NAME)
@points(2)
def check_several_sentences(student: Student, draw: Draw) -> None:
    """Every sentence has its own translation; after its END it holds PAD, until the longest translation has ended"""
    with worded_as_translation():
        shared.check_several_pictures(Renamed(student), draw)


@exercise(NAME)
@points(1)
def check_max_length(student: Student, draw: Draw) -> None:
    """Without an END it stops after `max_length` words; one that comes with the last word counts"""
    with worded_as_translation():
        shared.check_max_length(Renamed(student), draw)


@exercise(NAME)
@points(2)
def check_weights(student: Student, draw: Draw) -> None:
    """`weights` (B, L, N) holds the weights of every step: at t those with which word t was chosen"""
    with worded_as_translation():
        shared.check_weights(Renamed(student), draw)


@exercise(NAME)
@points(1)
def check_mask(student: Student, draw: Draw) -> None:
    """`allowed` is handed to the decoder at every step: padding of the source gets no weight"""
    with worded_as_translation(), _a_right_decoder(student, draw):
        fields = {"vocab_size": V, "memory_width": 7, "state_width": 11, "embedding_width": 5, "hidden_width": 3}
        decoder = Constructed("AttentionDecoder", fields)
        for B in (1, 3):
            memory, allowed = draw.normal(B, N, 7, dtype=torch.float32), draw.allowed(B, N)
            allowed[:, 0] = True
            words, weights = shared.captions_and_weights(
                student.greedy_translate(decoder, memory, allowed, max_length=4)
            )
            expect.shape(weights, (B, words.shape[1], N), "The weights", "(B, L, N)", f"B = {B}")
            running = (words == END).cumsum(1) - (words == END).long() == 0  # behind an END they do not matter
            hidden = (weights * running[..., None])[(~allowed)[:, None].expand_as(weights)]
            sums = weights.sum(-1)[running]
            if bool(hidden.abs().gt(1e-6).any()) or not torch.allclose(sums, torch.ones_like(sums), atol=1e-4):
                raise CheckFailure(
                    "mask",
                    "Padding of the source gets weight.",
                    setting=f"an AttentionDecoder, allowed {allowed.int().tolist()}",
                    expected="weight 0 there, 1 in all",
                    yours=f"A[0, 0] = {expect.numbers(weights[0, 0], 13)}",
                    received="weight outside of the mask",
                    cause="mask ignored",
                    hint="Every step takes `allowed`, for each sentence its own.",
                )


def _a_right_decoder(student: Student, draw: Draw) -> contextlib.AbstractContextManager[None]:
    """Put a right AttentionDecoder in place of the student's, unless that one handles masks itself."""
    build, allowed = (V, 7, 11, 5, 3), draw.allowed(2, 3)
    allowed[:, 0] = True
    try:
        twins = ModulePair(student, "AttentionDecoder", build, references.AttentionDecoder(*build), draw)
        twins.agree(draw.normal(2, 3, 7), draw.integers(V, 2, 4), allowed, what=("logits", "weights"))
    except CheckFailure:
        return student.with_references(("AttentionDecoder", "AdditiveScores"))
    return contextlib.nullcontext()


@exercise(NAME)
@points(1)
def check_any_state(student: Student, draw: Draw) -> None:
    """The decoder's state is handed on as it came, whatever it is: here it holds all words so far, and grows"""
    with worded_as_translation():
        case = shared.Case(draw, [4, 2, 6])
        decoder = StandIn("course_lib.layers.TableDecoder", {"table": case.table, "grows": True})
        words, _ = shared.captions_and_weights(student.greedy_translate(decoder, case.features))
        shared.same_words(words, shared.padded(case.words), "a decoder whose state grows")


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same translation, in float32 too, and the memory is not changed"""
    with worded_as_translation():
        shared.check_same_input_same_output(Renamed(student), draw)
