"""my_search(), with the weights that were handed in."""

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks import CheckFailure, Draw, Student, exercise, expect, measured, modules, points
from autograder.checks import weights as checkpoint
from autograder.lessons.retrieval import references

NAME = "my_search"
FILE = "search.safetensors"
#: Questions, and tasks whose documents stand beside theirs in the catalogue.
QUESTIONS, OTHERS = 500, 3
FEW = 8  # on which the student's model is compared with ours
#: Mean reciprocal rank: full points from the first on, none up to the second. Guessing: below 0.01.
MRR = (0.90, 0.30)
#: What has to be reached for the controls.
LEAST = 0.50
#: What part of the mean reciprocal rank may be left if two questions exchange their second halves. The solution: 0.21.
HALVES = 0.6
#: What part of the lead over the twin may be left if the words of a question come in another order. The solution: 0.17 to 0.33,
#: and after a third of its steps, when it confuses a fifth of the pairs, 0.55 to 0.63. A model without positions has no lead but
#: rounding. (The mean reciprocal rank would not do: the words alone give 0.90 of it, and more if twins are confused.)
ORDER, ROUNDING = 0.8, 1e-4
#: In how many of the pairs the right sentence has to come before its twin: full points from the first on. Chance is one half.
TWINS = (0.90, 0.60)


@dataclass(frozen=True)
class Drawn:
    """Questions drawn by the grading seed, the whole catalogue, and the positions of answers and twins in it."""

    queries: Tensor
    documents: Tensor
    targets: Tensor
    twins: Tensor


@functools.lru_cache(maxsize=4)
def _drawn(seed: int) -> Drawn:
    from course_lib.data import draw_search

    draw = Draw(seed, NAME)
    own = draw_search(QUESTIONS, draw.new_seed(), "held_out")
    beside = [draw_search(QUESTIONS, draw.new_seed(), "held_out").documents for _ in range(OTHERS)]
    known = {text(row) for row in own.documents}
    rows = {text(row): row for part in beside for row in part if text(row) not in known}
    return Drawn(own.queries, joined([*own.documents, *rows.values()]), own.targets, own.twins)


def text(row: Tensor) -> tuple[int, ...]:
    """Return the ids of a text without its padding."""
    return tuple(row[row != 0].tolist())


def joined(rows: list[Tensor]) -> Tensor:
    """Return texts of different lengths as one tensor with padding behind."""
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


def _loaded(student: Student, seed: int) -> nn.Module:
    """Return the course's TwoTower with the submitted weights. Fail unless it computes what the student's computes."""
    module, drawn = checkpoint.load(student, NAME, FILE), _drawn(seed)
    some = drawn.queries[:FEW], drawn.documents[:FEW]
    pair = expect.pair(module(*some), "the queries' vectors", "the documents' vectors")
    own = dict(zip(("queries", "documents"), pair, strict=True))
    for name, vectors in own.items():
        if vectors.dim() != 2 or len(vectors) != FEW:
            expect.shape(vectors, (FEW, *vectors.shape[1:2]), f"the {name}' vectors", "(B, D)")
        checkpoint.are_numbers(vectors)
    return OWN.like(module, own, lambda model: dict(zip(own, model(*some), strict=True)))


def _candidates(weights: Mapping[str, Tensor]) -> list[Callable[[], nn.Module]]:
    """Return how to make a TwoTower with the sizes of these weights, for every number of heads."""
    french, D = modules.sizes(weights, "queries.embedding.weight", 2)
    english, _ = modules.sizes(weights, "documents.embedding.weight", 2)
    longest, _ = modules.sizes(weights, "queries.positions.table", 2)
    blocks = modules.count(weights, "queries.encoder.blocks.{}.norm_1.gamma")
    if longest < max(_LONGEST):
        raise modules.OtherModel(f"{longest} places")
    make = functools.partial(references.TwoTower, french, english, D)
    return [functools.partial(make, heads, blocks, longest) for heads in modules.possible_heads(D)]


#: Words of the longest question and document, frame included, for which there have to be places.
_LONGEST = (24, 20)
OWN = modules.OwnModel(NAME, "a TwoTower", _candidates)


def _catalogue(model: Any, drawn: Drawn) -> Tensor:
    """Return the vectors of all documents. They take most of a check's time, so each check computes them once."""
    return modules.in_batches(model.documents, drawn.documents, model=model)


def _scores(model: Any, queries: Tensor, catalogue: Tensor) -> Tensor:
    return (modules.in_batches(model.queries, queries, model=model) @ catalogue.T).double()


def _mrr(model: Any, queries: Tensor, catalogue: Tensor, drawn: Drawn) -> float:
    """Return the mean reciprocal rank over the whole catalogue; equal scores count against the model.

    So do scores that are no numbers: nothing is smaller than the target's then, and its rank is the last.
    """
    scores = _scores(model, queries, catalogue)
    smaller = scores < scores.gather(1, drawn.targets[:, None])
    return float((1 / (~smaller).sum(dim=1)).double().mean())


def _setting(drawn: Drawn, seed: int) -> str:
    return f"{len(drawn.queries)} new questions, {len(drawn.documents)} documents, seed {seed}"


@exercise(NAME)
@points(1)
@measured
def check_the_weights_fit(student: Student, seed: int) -> None:
    """The checkpoint is there, can be read, and fits the TwoTower that my_search() makes anew at every call"""
    _loaded(student, seed)
    checkpoint.made_anew(student, NAME, FILE)


@exercise(NAME)
@points(2)
@measured
def check_it_finds(student: Student, seed: int) -> None:
    """It finds the right document for new questions, among all documents"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    value, (full, none) = _mrr(model, drawn.queries, _catalogue(model, drawn), drawn), MRR
    failure = CheckFailure(
        "mrr",
        "The right documents are ranked too low.",
        setting=_setting(drawn, seed),
        expected=f"a mean reciprocal rank of at least {full} (points in eighths above {none})",
        yours=f"{value:.3f}",
        received=value,
        cause="search not good enough yet",
        hint="Does the loss still fall? Then train longer. Is it near 0 and the search bad? Look at the temperature, at the "
        "ids of the documents, and at padding.",
    )
    checkpoint.judge(value, full, none, failure)


@exercise(NAME)
@points(1)
@measured
def check_it_tells_twins_apart(student: Student, seed: int) -> None:
    """It distinguishes subject from object: the twin of the right document, with the two exchanged, scores less"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    catalogue = _catalogue(model, drawn)
    leads, (full, none) = _leads(model, drawn.queries, catalogue, drawn), TWINS
    share = float((leads > 0).double().mean())
    reached = _mrr(model, drawn.queries, catalogue, drawn)
    failure = CheckFailure(
        "twins",
        "Too often the sentence with subject and object exchanged scores higher." if reached >= LEAST else _TOO_BAD,
        setting=_setting(drawn, seed),
        expected=f"in at least {full:.0%} of {len(leads)} pairs the right sentence before its twin (points in eighths above "
        f"{none:.0%}), and a mean reciprocal rank of at least {LEAST}",
        yours=f"{share:.1%}, and a mean reciprocal rank of {reached:.2f}",
        received=(share, reached),
        cause="twins not told apart" if reached >= LEAST else "search not good enough yet",
        hint="A bag of words cannot tell them apart. Did the second half of the training bring hard negatives?"
        if reached >= LEAST
        else "Without a model that finds something, this says nothing. See above.",
    )
    if reached < LEAST:
        raise failure
    checkpoint.judge(share, full, none, failure)


_TOO_BAD = "Even with the questions unchanged, the right documents are ranked too low."


@exercise(NAME)
@points(1)
@measured
def check_it_reads_the_questions(student: Student, seed: int) -> None:
    """It finds, and worse when the words of a question come in another order or two questions exchange their second halves"""
    model, drawn = _loaded(student, seed), _drawn(seed)
    catalogue = _catalogue(model, drawn)
    value = _mrr(model, drawn.queries, catalogue, drawn)
    halves = _mrr(model, crossed(drawn.queries, seed), catalogue, drawn)
    orders = drawn.queries, shuffled(drawn.queries, seed)
    lead, shuffled_lead = (float(_leads(model, queries, catalogue, drawn).mean()) for queries in orders)
    enough = value >= LEAST
    if enough and halves <= HALVES * value and shuffled_lead < ORDER * lead - ROUNDING:
        return
    raise CheckFailure(
        "control",
        "The search makes too little of the question." if enough else _TOO_BAD,
        setting=_setting(drawn, seed),
        expected=f"a mean reciprocal rank of at least {LEAST}, and at most {HALVES} times that with another's second half; a "
        f"lead of the right document over its twin, in similarity, and at most {ORDER} times that with shuffled words",
        yours=f"{value:.2f}, and {halves:.2f} with another's second half; a lead of {lead:.4f}, and {shuffled_lead:.4f}",
        received=(value, halves, lead, shuffled_lead),
        cause="question ignored" if enough else "search not good enough yet",
        hint="A search for which the order of the words does not count is a bag of words. Did the second half of the training "
        "bring hard negatives?"
        if enough
        else "Without a model that finds something, the controls say nothing. See above.",
    )


def _leads(model: Any, queries: Tensor, catalogue: Tensor, drawn: Drawn) -> Tensor:
    """Return by how much each right document that has a twin scores higher than it: only the order of the words says so."""
    some = drawn.twins >= 0
    scores = _scores(model, queries[some], catalogue)
    own, twin = (scores.gather(1, ids[some, None])[:, 0] for ids in (drawn.targets, drawn.twins))
    return own - twin


def shuffled(queries: Tensor, seed: int) -> Tensor:
    """Return the questions with the words between start and end in an order of their own each."""
    rows, generator = [], Draw(seed, "shuffled").generator
    for row in queries:
        n = int((row != 0).sum())
        order = torch.arange(len(row))
        order[1 : n - 1] = 1 + torch.randperm(n - 2, generator=generator)
        rows.append(row[order])
    return torch.stack(rows)


def crossed(queries: Tensor, seed: int) -> Tensor:
    """Return the questions, each with the second half of the next one's words."""
    rows = []
    for row, other in zip(queries, queries.roll(1, 0), strict=True):
        n, m = int((row != 0).sum()), int((other != 0).sum())
        rows.append(torch.cat((row[: n // 2], other[m // 2 : m])))
    return joined(rows)[:, : queries.shape[1]]
