"""greedy_caption(decoder, features, allowed=None, max_length=20)."""

import contextlib
import itertools

import torch

from autograder.checks import (
    CheckFailure,
    Constructed,
    Draw,
    ModulePair,
    Request,
    Student,
    exercise,
    expect,
    inputs,
    points,
    promises,
)
from autograder.lessons.captioning import references
from autograder.lessons.captioning.checks import tables
from autograder.lessons.captioning.references import END, PAD, START

NAME = "greedy_caption"
V, N = 11, 13
FORM = ("the captions", "the weights")


class Case:
    """A table, pictures of which each has its own caption of its own length, and these captions."""

    def __init__(self, draw, lengths):
        while True:
            self.table = tables.spaced_table(draw, V)
            self.table[..., END] = tables.NEVER / 2
            self.features, self.means = tables.whole_features(draw, len(lengths), N, V)
            paths = [tables.greedy(self.table, added, n - 1) for added, n in zip(self.means, lengths, strict=True)]
            pairs = [list(itertools.pairwise([START, START, *path])) for path in paths]
            passed = {pair for path in pairs for pair in path[:-1]}
            last = {path[-1] for path in pairs}
            if len(last) == len(lengths) and not last & passed:  # no caption ends early where another one ends
                break
        for pair in last:
            self.table[(*pair, END)] = -tables.NEVER
        self.words = [[*path, END] for path in paths]

    def ask(self, student, dtype=torch.float64, **options):
        return captions_and_weights(
            student.greedy_caption(tables.decoder(self.table.to(dtype)), self.features.to(dtype), **options)
        )


def captions_and_weights(value):
    captions, weights = expect.pair(value, *FORM)
    if captions.is_floating_point() or captions.is_complex() or captions.dtype == torch.bool:
        raise CheckFailure(
            "dtype",
            "The captions should hold ids, whole numbers.",
            expected="torch.int64",
            yours=str(captions.dtype),
            received=str(captions.dtype),
            cause="captions are not ids",
            hint="Return the captions first, then the weights; the ids are what argmax returns.",
        )
    return captions, weights


def padded(words):
    """Return captions of different lengths as one tensor, filled up with PAD."""
    longest = max(map(len, words))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in words])


def same_words(captions, want, setting):
    """Compare captions, each with END, filled up with PAD."""
    if captions.dim() != 2 or captions.shape[0] != want.shape[0]:
        raise CheckFailure(
            "shape",
            "The captions have the wrong shape.",
            expected=f"{tuple(want.shape)} = (B, L)",
            yours=str(tuple(captions.shape)),
            setting=setting,
            received=list(captions.shape),
        )
    if captions.shape == want.shape and torch.equal(captions, want):
        return
    wide = max(captions.shape[1], want.shape[1])
    differs = next(b for b in range(len(want)) if captions[b].tolist() != want[b].tolist())
    words = f"{wide} words" if captions.shape == want.shape else f"(B, L) = {tuple(want.shape)}"
    raise CheckFailure(
        "value",
        f"The caption of picture {differs} is wrong.",
        setting=f"{setting}; END = {END}, PAD = {PAD}",
        expected=f"{want[differs].tolist()}     {words}",
        yours=f"{captions[differs].tolist()}"
        + ("" if captions.shape == want.shape else f"     (B, L) = {tuple(captions.shape)}"),
        received=captions.double(),
        wanted=want.double(),
    )


def agree(student: Student, case, setting, **options):
    """Compare the captions with those that were found step by step. Tell when they are another each time."""
    captions, weights = case.ask(student, **options)
    try:
        same_words(captions, padded(case.words), setting)
    except CheckFailure as failure:
        if failure.kind == "value" and any(
            not torch.equal(captions, case.ask(student, **options)[0]) for _ in range(5)
        ):
            failure.kind, failure.received = "random", "random"
            failure.cause = "words drawn at random"
            failure.hint = (
                "The same call gives different captions each time. Greedy means: the most probable word, always."
            )
        raise
    return captions, weights


@exercise(NAME)
@points(1)
def check_one_picture(student: Student, draw: Draw) -> None:
    """One picture: the most probable word each time, from the word before and the state; the last word is END"""
    for length in (1, 2, 3, 7):
        case = Case(draw, [length])
        agree(student, case, f"B = 1, a TableDecoder with V = {V}")


@exercise(NAME)
@points(2)
def check_several_pictures(student: Student, draw: Draw) -> None:
    """Every picture has its own caption; after its END it holds PAD, until the longest caption has ended"""
    for lengths in ([2, 3], [4, 2, 6], [3, 7, 5, 2]):
        case = Case(draw, lengths)
        agree(student, case, f"B = {len(lengths)}, captions of {lengths} words")
    case = Case(draw, [4, 2, 5])
    order = torch.tensor([2, 0, 1])  # the same pictures in other company
    want = padded(case.words)
    captions, _ = captions_and_weights(student.greedy_caption(tables.decoder(case.table), case.features[order].clone()))
    same_words(captions, want[order], "the same pictures in another order")


@exercise(NAME)
@points(1)
def check_max_length(student: Student, draw: Draw) -> None:
    """Without an END it stops after `max_length` words; one that comes with the last word counts"""
    for B, longest in ((1, 1), (1, 2), (2, 3), (3, 7), (2, None)):
        case = Case(draw, range(2, 2 + B))
        case.table[..., END] = tables.NEVER
        options = {} if longest is None else {"max_length": longest}
        case.words = [tables.greedy(case.table, added, longest or 20) for added in case.means]
        agree(student, case, f"B = {B}, max_length {longest or 'left out (20)'}, nothing ever ends", **options)
    case, longest = Case(draw, [3, 5]), 5
    for most in (longest + 1, longest, longest - 1):
        case.words = [tables.greedy(case.table, added, most) for added in case.means]
        agree(student, case, f"B = 2, max_length = {most}", max_length=most)


@exercise(NAME)
@points(2)
def check_weights(student: Student, draw: Draw) -> None:
    """`weights` (B, L, N) holds the weights of every step: at t those with which word t was chosen"""
    for lengths in ([3], [4, 2, 6]):
        case, B = Case(draw, lengths), len(lengths)
        captions, weights = agree(student, case, f"B = {B}, captions of {lengths} words")
        before = torch.cat([torch.ones(B, 1, dtype=torch.int64), captions[:, :-1].long()], 1)
        want = torch.nn.functional.one_hot(before % N, N).double()  # the cell of the word that was given
        expect.shape(weights, want.shape, "The weights", "(B, L, N)", f"B = {B}")
        shown = torch.arange(captions.shape[1]) < torch.tensor([[len(words)] for words in case.words])
        weights = torch.where(shown[..., None], weights.detach().double(), want)  # after END they do not matter
        expect.allclose(weights, want, "A (weights)", setting=f"B = {B}, captions {captions.tolist()}")


@exercise(NAME)
@points(1)
def check_mask(student: Student, draw: Draw) -> None:
    """`allowed` is handed to the decoder: what lies in other cells changes nothing and gets no weight"""
    with _with_a_right_decoder(student, draw):
        decoder = Constructed(
            "CaptionDecoder", {"vocab_size": V, "feature_width": 7, "state_width": 11, "embedding_width": 5}
        )
        features = draw.normal(1, N, 7, dtype=torch.float32).repeat(2, 1, 1)
        allowed = draw.allowed(1, N).repeat(2, 1)
        features[1][~allowed[1]] += 5 + draw.normal(int((~allowed[1]).sum()), 7, dtype=torch.float32)
        setting = f"a CaptionDecoder, B = 2, allowed {allowed[0].int().tolist()}"
        _, free = captions_and_weights(student.greedy_caption(decoder, features, max_length=4))
        captions, weights = captions_and_weights(student.greedy_caption(decoder, features, allowed, max_length=4))
        each = draw.allowed(2, N)  # one mask for each picture, not the same for both
        _, own = captions_and_weights(student.greedy_caption(decoder, features, each, max_length=4))
    _no_weight_where_hidden(own[:, :1], each, f"a CaptionDecoder, B = 2, allowed {each.int().tolist()}")
    L = captions.shape[-1]
    expect.shape(captions, (2, L), "The captions", "(B, L)", setting)
    expect.shape(weights, (2, L, N), "The weights", "(B, L, N)", setting)
    running = (captions == END).cumsum(1) - (captions == END).long() == 0  # what stands there after END does not matter
    first, hidden = weights[:, 0], (weights * running[..., None])[(~allowed)[:, None].expand_as(weights)]
    if not bool(hidden.abs().max() <= 1e-6) or not torch.allclose(first.sum(-1), torch.ones(2), atol=1e-4):
        _weight_outside(setting, first)
    if not torch.allclose(first[0], first[1], atol=1e-4):
        raise CheckFailure(
            "mask",
            "The features of cells that are not allowed change the result.",
            setting=setting,
            expected="two pictures that differ only in hidden cells get the same weights",
            yours=f"A[0, 0] = {expect.numbers(first[0])}, A[1, 0] = {expect.numbers(first[1])}",
            received="first state",
            cause="mask ignored in the first state",
            hint="first_state takes `allowed` too.",
        )
    expect.depends_on_its_inputs(weights[:, :1], free[:, :1], "The result")


def _no_weight_where_hidden(first, allowed, setting):
    """Fail if the weights of the first step (B, 1, N) are not 0 where ``allowed`` (B, N) hides a cell."""
    expect.shape(first, (2, 1, N), "The weights of the first step", "(B, 1, N)", setting)
    if not bool(first[:, 0][~allowed].abs().max() <= 1e-6):
        _weight_outside(setting, first[:, 0])


def _weight_outside(setting, first) -> None:
    raise CheckFailure(
        "mask",
        "Cells that are not allowed get weight.",
        setting=setting,
        expected="weight 0 there, 1 in all",
        yours="; ".join(f"A[{b}, 0] = {expect.numbers(row, 13)}" for b, row in enumerate(first)),
        received="weight outside of the mask",
        cause="mask ignored",
        hint="Both first_state and step take `allowed`, for each picture its own.",
    )


@contextlib.contextmanager
def _with_a_right_decoder(student: Student, draw: Draw):
    """Put a right CaptionDecoder in place of the student's, unless that one handles masks itself."""
    build = (V, 7, 11, 5, 3)
    features, captions, allowed = draw.normal(2, 3, 7), draw.integers(V, 2, 4), draw.allowed(2, 3)
    right: contextlib.AbstractContextManager[None]
    try:
        twins = ModulePair(student, "CaptionDecoder", build, references.CaptionDecoder(*build), draw)
        twins.agree(features, captions, allowed, what=("logits", "weights"))
        right = contextlib.nullcontext()
    except CheckFailure:
        right = student.with_references(("CaptionDecoder",))
    with right:
        yield


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, draw: Draw) -> None:
    """The same input gives the same caption, in float32 too, and the features are not changed"""
    case = Case(draw, [4, 2, 5])
    captions, _ = agree(student, case, "float32", dtype=torch.float32)
    inputs.id_tensor(captions, "The captions")
    decoder = tables.decoder(case.table)
    transposed = case.features.transpose(1, 2).contiguous().transpose(1, 2)
    answer = student.answer(Request(NAME, (decoder, transposed), before=((decoder, -case.features),)))
    same_words(captions_and_weights(answer.value)[0], padded(case.words), "after a call with other features")
