"""generate(model, prompts, lengths, total, window, chunk=64, temperature=0.0, top_k=None, top_p=None, generator=None)."""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    SeededGenerator,
    StandIn,
    Student,
    exercise,
    expect,
    inputs,
    points,
    promises,
    within_error_rate,
)
from autograder.lessons.language_models import references

NAME = "generate"
V, D = 23, 13
#: What reading each column once, and reading all of them for every token, need for a quarter of the tokens: 1/4 and 1/16.
LEAST = 0.125
#: How often each token of a text may be read, on average: reading in vain would hide how the work grows.
MOST_READ = 2.0
#: How tokens are drawn where chance decides.
SAMPLINGS: tuple[dict[str, Any], ...] = (
    {"temperature": 1.0},
    {"temperature": 0.5},
    {"temperature": 1.0, "top_k": 3},
    {"temperature": 1.0, "top_p": 0.4},
)


class Case:
    """A spy whose every token depends on all before it, prompts of these lengths, and what is written behind them."""

    def __init__(self, draw: Draw, lengths, total, window=10**6, waste=0, dtype=torch.float64):
        self.total, self.window = total, window
        self.given = {
            "words": draw.normal(V, D, dtype=dtype),
            "places": draw.normal(min(window, total), D, dtype=dtype),
            "output": draw.normal(V, D, scale=3.0, dtype=dtype),
        }
        self.read = 0  # tokens that the last answer has given to the model
        self.lengths = torch.tensor(lengths)
        self.prompts = draw.integers(V, len(lengths), max(lengths) + waste)
        self.want = self._written()

    def model(self, **more):
        return StandIn("course_lib.training.SpyLanguageModel", self.given | more)

    def logits(self, ids):
        """Return the logits (B, V) behind these columns, read at once from the first place on."""
        added = self.given["words"][ids] * self.given["places"][: ids.shape[1]]
        return torch.tanh(added.sum(1)) @ self.given["output"].T

    def _written(self):
        """Write greedily without a cache, and read anew what is visible for each token."""
        ids = torch.zeros(len(self.lengths), self.total, dtype=torch.int64)
        width = min(self.total, self.prompts.shape[1])
        ids[:, :width] = self.prompts[:, :width]
        start = 0
        for n in range(int(self.lengths.min()), self.total):
            if n - start > self.window:
                start = n - self.window // 2
            ids[:, n] = torch.where(n < self.lengths, ids[:, n], self.logits(ids[:, start:n]).argmax(1))
        return ids

    def ask(self, student: Student, **options):
        model, window = self.model(longest=options.get("chunk", 64)), min(self.window, self.total)
        with _model_errors_named():
            answer = student.answer(Request(NAME, (model, self.prompts, self.lengths, self.total, window), options))
        self.read = answer.args_after[0].tokens_read
        ids = expect.tensor(answer.value, "The result")
        expect.shape(ids, self.want.shape, "The result", "(B, total)", self.describe(**options))
        inputs.id_tensor(ids, "The result")
        return ids

    def describe(self, **options):
        shown = {
            "lengths": self.lengths.tolist(),
            "total": self.total,
            "window": min(self.window, self.total),
        } | options
        return ", ".join(f"{name} = {value}" for name, value in shown.items())

    def agree(self, student: Student, **options):
        ids = self.ask(student, **options)
        wrong = ids != self.want
        if not bool(wrong.any()):
            return
        column = int(wrong.any(0).nonzero()[0])
        row = int(wrong[:, column].nonzero()[0])
        inside = column < int(self.lengths[row])
        cut = slice(max(0, column - 5), column + 6)
        raise CheckFailure(
            "value",
            f"The prompt of row {row} is not kept." if inside else f"Row {row} is wrong from column {column} on.",
            setting=self.describe(**options),
            expected=f"ids[{row}, {cut.start}:{cut.stop}] = {self.want[row, cut].tolist()}",
            yours=f"ids[{row}, {cut.start}:{cut.stop}] = {ids[row, cut].tolist()}",
            received=ids.double(),
            wanted=self.want.double(),
        )


@contextlib.contextmanager
def _model_errors_named() -> Iterator[None]:
    """Say which limit of `generate` has been passed where the model refuses what it is given."""
    try:
        yield
    except CheckFailure as failure:
        error = str(failure.received)
        if failure.kind == "crash" and "tokens in a call" in error:
            failure.cause = "more than chunk columns in a call"
            failure.hint = (
                "The error is the model's: no call may give it more than `chunk` columns, neither of the prompts nor where "
                "columns are read anew."
            )
        elif failure.kind == "crash" and "tokens in all" in error:
            failure.cause = "more than window columns in the cache"
            failure.hint = (
                "The error is the model's: it has `window` positions. Before each call, count the columns in the cache and "
                "those still to be read."
            )
        raise


@exercise(NAME)
@points(3)
def check_one_length(student: Student, draw: Draw) -> None:
    """Prompts of one length: every row begins with its prompt, and goes on with the most probable token each time"""
    for lengths, total in (([1], 2), ([1], 7), ([3], 11), ([2, 2], 5), ([5, 5, 5], 17), ([4], 4)):
        Case(draw, lengths, total).agree(student)


@exercise(NAME)
@points(2)
def check_ragged_prompts(student: Student, draw: Draw) -> None:
    """Prompts of different lengths: each row is written as it would be alone, and no padding is read"""
    for lengths, total in (([1, 2], 4), ([2, 1], 4), ([3, 7, 1], 13), ([5, 2, 5, 4], 11), ([1, 12], 12)):
        Case(draw, lengths, total).agree(student)
    Case(draw, [3, 2], 9, waste=4).agree(student)  # columns that are padding everywhere


@exercise(NAME)
@points(1)
def check_prefill_in_chunks(student: Student, draw: Draw) -> None:
    """The prompts are read in pieces of at most `chunk` columns, and the tokens are the same for every chunk"""
    case = Case(draw, [11, 13], 19)
    for chunk in (1, 2, 3, 5, 11, 64):
        case.agree(student, chunk=chunk)
    Case(draw, [71, 70], 73).agree(student)


@exercise(NAME)
@points(2)
def check_window(student: Student, draw: Draw) -> None:
    """When the window is full, the last half of it is read anew, as if the text began there; and again, and again"""
    for lengths, total, window in (
        ([1], 4, 2),
        ([2], 9, 4),
        ([1], 23, 5),
        ([3, 2], 19, 7),
        ([9, 2], 19, 6),
        ([11, 12], 17, 5),
        ([4], 8, 8),
        ([4], 9, 8),
    ):
        for chunk in (64, 2):
            Case(draw, lengths, total, window).agree(student, chunk=chunk)


@exercise(NAME)
@points(1)
def check_sampling(student: Student, draw: Draw) -> None:
    """Temperature, top-k, top-p and the generator go to `sample`: the tokens have its probabilities"""
    B = 5000
    case = Case(draw, [1], 2)
    case.given["output"] = draw.normal(V, D, scale=0.4)
    prompts, lengths = case.prompts[:, :1].expand(B, 1).contiguous(), torch.ones(B, dtype=torch.int64)
    for options in SAMPLINGS:
        [want] = references.next_probabilities(case.logits(prompts[:1]), **options)
        seed = int(draw.integers(2**40))
        args = (case.model(), prompts, lengths, 3, 3)
        options_and_generator = {**options, "generator": SeededGenerator(seed)}
        runs = [student.answer(Request(NAME, args, options_and_generator, times=times)).value for times in (1, 1, 2)]
        first, again, second = (expect.tensor(run, "The result") for run in runs)
        setting = ", ".join(f"{name} = {value}" for name, value in options.items())
        expect.shape(first, (B, 3), "The result", "(B, total)", setting)
        counts = torch.bincount(first[:, 1].clamp(0, V - 1), minlength=V)
        if not all(within_error_rate(int(count), B, min(float(p), 1.0)) for count, p in zip(counts, want, strict=True)):
            raise CheckFailure(
                "value",
                "The first token is not drawn with the probabilities of `sample`.",
                setting=f"{B} equal prompts, {setting}",
                expected=f"shares near {[round(p, 2) for p in want.tolist()[:8]]}, …",
                yours=f"{[round(p, 2) for p in (counts / B).tolist()[:8]]}, …",
                received=counts.double(),
                wanted=want.double() * B,
            )
        _draws_from_the_generator(first, again, second, setting)
    _all_rows_draw(student, draw)


def _draws_from_the_generator(first: torch.Tensor, again: torch.Tensor, second: torch.Tensor, setting: str) -> None:
    """Fail unless a seed gives the same text ``again``, and the ``second`` call with one generator another."""
    if not torch.equal(first, again):
        raise CheckFailure(
            "random",
            "The same state of the generator gives a different text.",
            setting=setting,
            received="random",
            cause="another source of randomness",
            hint="Pass the generator on to sample.",
        )
    if torch.equal(first, second):
        raise CheckFailure(
            "constant",
            "The next call with the same generator gives the same text again.",
            setting=setting,
            received="the same text again",
            cause="seeded anew in every call",
            hint="Pass the generator on to sample as it comes, and seed nothing inside.",
        )


def _all_rows_draw(student: Student, draw: Draw) -> None:
    """Fail if a row's tokens depend on whether another row takes its prompt's token: each step draws for every row.

    The first tokens that some rows were given become part of their prompts, so the same text has to come out again.
    """
    B, total = 40, 6
    case = Case(draw, [1], total)
    lengths, seed = torch.ones(B, dtype=torch.int64), int(draw.integers(2**40))
    first = draw.integers(V, B, 1)
    found: list[torch.Tensor] = []
    for longer in (0, B // 2):
        more = lengths + (torch.arange(B) < longer)
        prompts = torch.cat((first, found[0][:, 1:2] if longer else torch.zeros_like(first)), dim=1)
        options = {"temperature": 1.0, "generator": SeededGenerator(seed)}
        value = student.answer(Request(NAME, (case.model(), prompts, more, total, total), options)).value
        found.append(expect.tensor(value, "The result"))
        expect.shape(found[-1], (B, total), "The result", "(B, total)", "temperature = 1.0")
    if not torch.equal(*found):
        raise CheckFailure(
            "rows",
            "Where the first token that a row was given becomes part of its prompt, the same seed gives a different text.",
            setting=f"{B} rows, temperature = 1.0, the prompts of {B // 2} of them longer by that token",
            expected="the same text",
            yours=f"other tokens in {int((found[0] != found[1]).any(dim=1).sum())} rows",
            received="another text",
            cause="drawn for some rows only",
            hint="Each step draws a token for every row, also where the prompt goes on. Look at which logits sample gets.",
        )


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """Prompts and lengths are not changed; float32 and other memory layouts work as well"""
    Case(draw, [3, 5], 11, dtype=torch.float32).agree(student)
    case = Case(draw, [3, 5, 4], 11)
    for total in (11, case.prompts.shape[1]):  # also where the prompts are as wide as the result
        student.generate(case.model(), case.prompts, case.lengths, total, 11)
    Case(draw, [3, 2], 6, waste=7).agree(student)  # or wider, by columns that belong to no prompt
    case.prompts = case.prompts.T.contiguous().T
    case.agree(student)


@exercise(NAME)
@points(2)
def check_nothing_is_read_twice(student: Student, draw: Draw) -> None:
    """Every column is read once: four times as many tokens take four times the work, not sixteen"""
    read, often = [], 0.0
    for total in (66, 258):
        case = Case(draw, [2], total)
        case.agree(student)
        read.append(case.read)
        often = max(often, case.read / total)
    ratio = read[0] / max(read[1], 1)
    if not LEAST < ratio < 0.5 or often > MOST_READ:
        faster, as_slow = "The work grows faster than the number of tokens.", "The work does not grow with the tokens."
        raise CheckFailure(
            "work",
            faster if ratio <= LEAST else as_slow if ratio >= 0.5 else "Tokens are read again and again.",
            setting="64 and 256 new tokens",
            expected="about a quarter of the work for a quarter of the tokens: each is read once",
            yours=f"{read[0]} and {read[1]} tokens read",
            received="work",
            cause="columns are read again",
            hint="What is in the cache has been read. Give the model only what is new, with the cache of the call before.",
        )
