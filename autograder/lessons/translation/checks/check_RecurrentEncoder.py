"""RecurrentEncoder(vocab_size, embedding_width, state_width)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
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

NAME = "RecurrentEncoder"
V, E, S = 19, 7, 5
WHAT = ("The states",)
#: The lengths of the sentences of a batch, and how many places they have. The smallest first.
BATCHES = (
    ((1,), 1),
    ((2,), 2),
    ((1,), 3),
    ((2, 3), 3),
    ((3, 3), 3),
    ((1, 4, 2), 4),
    ((2, 5, 3), 7),
    ((4, 1, 3, 2, 5), 5),
    ((37,), 41),
)


def _twins(student: Student, draw: Draw, build=(V, E, S), dtype=torch.float64):
    return ModulePair(student, NAME, build, references.RecurrentEncoder(*build), draw, dtype)


def _sentences(draw: Draw, lengths, N, pad=0):
    """Draw sentences (B, N) of these lengths, with the id ``pad`` behind them."""
    source = 4 + draw.integers(V - 4, len(lengths), N)
    lengths = torch.tensor(lengths)
    return source.masked_fill(torch.arange(N) >= lengths[:, None], pad), lengths


def _setting(source, lengths):
    return f"source {tuple(source.shape)}, lengths {lengths.tolist()}"


def _states(module, source, lengths, width=2 * S):
    states = expect.tensor(module(source, lengths), WHAT[0])
    expect.shape(states, (*source.shape, width), WHAT[0], "(B, N, 2 · state_width)", _setting(source, lengths))
    return states


@exercise(NAME)
@points(1)
def check_shapes(student: Student, draw: Draw) -> None:
    """The parts are embedding and gru, in both directions; every word has a state of 2 · state_width, in any batch"""
    has_parameters(student, NAME, (V, E, S), dict(references.RecurrentEncoder(V, E, S).named_parameters()))
    module = _twins(student, draw).module
    for lengths, N in BATCHES:
        _states(module, *_sentences(draw, lengths, N))
    source, lengths = _sentences(draw, (3, 4), 4)
    uses_its_inputs(module, (source, lengths), (V - 1 - source, lengths))


@exercise(NAME)
@points(2)
def check_full_sentences(student: Student, draw: Draw) -> None:
    """Without padding: forward states beside backward states, word by word"""
    for build in ((V, 1, 1), (V, 2, 1), (V, E, S), (V, 4, 4)):
        twins = _twins(student, draw, build)
        for B, N in ((1, 1), (1, 2), (2, 3), (3, 5), (4, 4), (1, 41)):
            source, lengths = _sentences(draw, (N,) * B, N)
            _states(twins.module, source, lengths, 2 * build[2])
            twins.agree(source, lengths, what=WHAT, setting=_setting(source, lengths))


@exercise(NAME)
@points(3)
def check_padding_changes_nothing(student: Student, draw: Draw) -> None:
    """A short sentence has the same states in any company, in both directions, and zeros at padding"""
    twins = _twins(student, draw)
    for lengths, N in BATCHES:
        source, count = _sentences(draw, lengths, N)
        states = _states(twins.module, source, count)
        behind = torch.arange(N) >= count[:, None]
        if bool(states[behind].ne(0).any()):
            _in_their_own_rows(twins, states, source, count)
            raise CheckFailure(
                "padding",
                "The states at padding are not 0.",
                setting=_setting(source, count),
                expected="zeros after the last word",
                yours=expect.numbers(states[behind][0]),
                received="states at padding",
                cause="states at padding",
                hint="Packed sequences leave padding out, and pad_packed_sequence writes zeros in its place.",
            )
        twins.agree(source, count, what=WHAT, setting=_setting(source, count))
        other = source.masked_fill(behind, 5)  # whatever stands there: the lengths say that it is padding
        twins.agree(other, count, what=WHAT, setting=f"{_setting(source, count)}, other ids after the sentences")


def _in_their_own_rows(twins: ModulePair, states, source, count):
    """Fail if the states are the right ones with their sentences in another order: then padding is not where it should be."""
    with torch.no_grad():
        want = twins.reference(source, count)
    equal = (states.detach()[:, None] - want).abs().amax(dim=(2, 3)) < 1e-6  # row i, column j: row i holds sentence j
    if bool(equal.any(dim=1).all() and equal.any(dim=0).all()):
        raise CheckFailure(
            "padding",
            "The sentences come back in another order.",
            setting=_setting(source, count),
            expected="the states of each sentence in its own row",
            yours=f"those of the sentences {equal.long().argmax(dim=1).tolist()}",
            received="sentences in other rows",
            cause="sentences in other rows",
            hint="Whoever sorts by length for packing has to undo it, by the inverse of the order, order.argsort(): that is "
            "not the order itself. With enforce_sorted=False both are done for you.",
        )


@exercise(NAME)
@points(1)
def check_each_direction_sees_its_side(student: Student, draw: Draw) -> None:
    """The left half of a state depends on its word and all before it, the right half on its word and all behind it"""
    twins, N = _twins(student, draw), 5
    source, lengths = 4 + draw.permutation(V - 4)[None, :N], torch.tensor([N])
    others = source.repeat(N, 1)
    others[torch.arange(N), torch.arange(N)] = 4 + (source[0] - 4 + 1) % (V - 4)  # row j: another word at place j
    states = _states(twins.module, torch.cat((source, others)), torch.full((N + 1,), N))
    changed = (states[1:] - states[:1]).abs()
    for half, name in ((slice(0, S), "left"), (slice(S, 2 * S), "right")):
        moves = changed[..., half].amax(dim=2) > 1e-9  # row j, column i: the word at j changes the state at i
        want = torch.ones(N, N, dtype=torch.bool)
        want = want.triu() if name == "left" else want.tril()
        if not torch.equal(moves, want):
            j, i = (moves != want).nonzero()[0].tolist()
            does = "changes" if moves[j, i] else "does not change"
            raise CheckFailure(
                "direction",
                f"Another word at place {j} {does} the {name} half of the state at place {i}.",
                setting=_setting(source, lengths),
                expected=f"the {name} half depends on places {'0 to i' if name == 'left' else 'i to the last'}",
                received=moves.double(),
                cause=_knows(moves, want),
                hint="The forward direction comes first. Write down which words each half of a state has read.",
            )


def _knows(moves, want):
    """Return what a half of the states depends on: moves[j, i], whether the word at j changes the state at i."""
    if bool(moves.all()):
        return "every state knows the whole sentence"
    if torch.equal(moves, want.T):
        return "the half of the other direction"
    if bool((moves.sum(dim=0) == 1).all()):
        return "every state knows one word"
    return "words missing or too many in a state"


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradients of all weights have the right values"""
    twins = _twins(student, draw)
    for lengths, N in (((3,), 3), ((2, 4, 1), 5)):
        source, count = _sentences(draw, lengths, N)
        twins.gradients_agree(source, count, draw=draw, names=(), setting=_setting(source, count))


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 too and after other calls, and the input is not changed"""
    source, lengths = _sentences(draw, (3, 5, 2), 6)
    _twins(student, draw).agree(source, lengths, what=WHAT)
    twins = _twins(student, draw, dtype=torch.float32)
    expect.dtype(twins.agree(source, lengths, what=WHAT), torch.float32, WHAT[0])
    same_twice(twins.module, source, lengths)
    others = [_sentences(draw, (2, 2, 7), 7), _sentences(draw, (6, 1, 4), 6)]
    no_side_effects(twins, others, source, lengths, what=WHAT)
    twins.agree(source.T.contiguous().T, lengths, what=WHAT, setting="a transposed tensor")
