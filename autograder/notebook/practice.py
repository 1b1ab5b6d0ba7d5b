"""Practice after passing: small questions with known answers, drawn from the checks' own inputs and the known mistakes.

A question shows the inputs of an exercise and several results: the right one, and those of known mistakes. The answer names the
mistakes behind the other results. Nothing here counts.
"""

import contextlib
import copy
import inspect
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import product
from typing import Any

import torch
from torch import Tensor

from autograder.checks.execute import NotebookStudent, execute
from autograder.content import references
from autograder.content.known_answers import misconceptions
from autograder.content.lesson import Lesson
from autograder.notebook.errors import UserError
from autograder.runtime.student import Request

#: Maximum count of numbers to compare by eye: in the inputs and in a result.
MOST_INPUT, MOST_RESULT = 64, 32
#: Maximum number of rows and of columns kept of a larger tensor.
LARGEST_SIZE = 4
#: Maximum number of results to choose from, and their decimals. Results have to differ in these.
MOST_OPTIONS, DIGITS = 4, 2


@dataclass(frozen=True)
class Question:
    """A question: ``options`` by letter, the letter of the ``right`` one, and the ``causes`` of the others by letter."""

    exercise: str
    inputs: str
    options: dict[str, str]
    right: str
    causes: dict[str, str]

    def answer(self, letter: str) -> "Verdict":
        """Return the verdict on a letter, with the mistakes behind the other options. Raises ValueError for an unknown letter."""
        if letter not in self.options:
            raise ValueError(f"Expected one of {', '.join(self.options)}, got {letter!r}.")
        lines = [self._verdict(letter) if letter == self.right else f"{self._verdict(letter)} {self.right} is right."]
        lines += [f"{option} comes from: {cause}." for option, cause in self.causes.items() if option != letter]
        return Verdict("\n".join(lines))

    def _verdict(self, letter: str) -> str:
        """Judge a letter, without revealing the right one."""
        return "Right." if letter == self.right else f"No: {letter} comes from this mistake: {self.causes[letter]}."

    def __str__(self) -> str:
        options = [f"{letter})\n{text}" for letter, text in self.options.items()]
        return "\n".join(
            [f"What does {self.exercise} return for", self.inputs, *options, f"Answer with {self._how_to_answer}"]
        )

    @property
    def _how_to_answer(self) -> str:
        """Say how to answer in a notebook (not by ``_``, to which a cell may have assigned)."""
        return f'practice("{self.exercise}", "a")'

    __repr__ = __str__

    def _repr_html_(self) -> str:
        options = "".join(
            f'<details style="margin:0.4em 0"><summary style="cursor:pointer"><b>{letter}</b> '
            f'<pre style="display:inline-block;vertical-align:top;margin:0 0 0 0.5em">{escape(text)}</pre></summary>'
            f'<div style="margin-left:1.5em">{escape(self._verdict(letter))}</div></details>'
            for letter, text in self.options.items()
        )
        return (
            f"<p>What does <code>{escape(self.exercise)}</code> return for</p><pre>{escape(self.inputs)}</pre>"
            f"<p>Click on your answer, or write <code>{escape(self._how_to_answer, quote=False)}</code> in a cell.</p>{options}"
        )


class Verdict(str):
    """A string that a notebook displays without quotes."""

    def __repr__(self) -> str:
        return str(self)


def draw(lesson: Lesson, exercise: str, seed: int) -> Question:
    """Return a question about an exercise. Raises LookupError if inputs are too large or no known mistake differs."""
    names, chance = references.namespace(lesson), random.Random(seed)
    right_student = NotebookStudent(names, lesson)
    exchanges = [execute(check, right_student, seed).exchange for check in lesson.checks(exercise).values()]
    requests = [_cropped(exchange.request) for exchange in exchanges if exchange and _is_single_call(exchange.request)]
    chance.shuffle(requests)
    for request in requests:
        if _count((*request.args, *request.kwargs.values())) > MOST_INPUT:
            continue
        value = _outcome("", names, request)
        right = _format_value(value) if _count(value) <= MOST_RESULT else ""
        if not right or not _worth_asking(value):
            continue
        mistake_of = {right: ""}
        cases = list(misconceptions(lesson, exercise))
        chance.shuffle(cases)
        for case in cases:
            outcome = _outcome(case.text, names, request)
            text = _format_value(outcome) if _count(outcome) <= MOST_RESULT else ""
            if text and text not in mistake_of and len(mistake_of) < MOST_OPTIONS:
                mistake_of[text] = case.title
        if len(mistake_of) > 1:
            return _question(exercise, names[exercise], request, mistake_of, right, chance)
    function_names = [name for name in lesson.exercises if name[0].islower()]
    raise UserError(
        f"There is no practice for {exercise}: what goes into it, or comes out, is too much to be compared by eye. "
        f"Try another exercise of this lesson: {', '.join(name for name in function_names if name != exercise)}."
    )


def _question(
    exercise: str,
    function: Callable[..., Any],
    request: Request,
    mistake_of: dict[str, str],
    right: str,
    chance: random.Random,
) -> Question:
    texts = list(mistake_of)
    chance.shuffle(texts)
    options = dict(zip("abcdefgh", texts, strict=False))
    letter = next(letter for letter, text in options.items() if text == right)
    causes = {option: mistake_of[text] for option, text in options.items() if option != letter}
    arguments = inspect.signature(function).bind(*request.args, **request.kwargs).arguments
    argument_texts = [_named(name, value) for name, value in arguments.items()]
    return Question(exercise, "\n".join(argument_texts), options, letter, causes)


def _named(name: str, value: Any) -> str:
    """Format an argument with its name; a tensor also with its shape, on a line above its numbers."""
    shapes = " and ".join(str(tuple(tensor.shape)) for tensor in _tensors(value))
    return f"{name}, of shape {shapes}:\n{_format_value(value)}" if shapes else f"{name} = {value!r}"


def _is_single_call(request: Request) -> bool:
    simple = request.build is None and request.cotangents is None and request.times == 1 and not request.before
    return simple and bool(request.args or request.kwargs)


def _cropped(request: Request) -> Request:
    """Return the call with its tensors cut to a few rows and columns. Axes of equal length remain equal."""
    arguments = (*request.args, *request.kwargs.values())
    sizes = {size for tensor in _tensors(arguments) for size in tensor.shape}
    sizes |= {value for value in arguments if type(value) is int}
    large = sorted(size for size in sizes if size > LARGEST_SIZE)
    small = {size: LARGEST_SIZE - number % 2 for number, size in enumerate(large)}

    def cut(value: Any) -> Any:
        if isinstance(value, Tensor):
            return value[tuple(slice(small.get(size, size)) for size in value.shape)].clone()
        if isinstance(value, tuple | list):
            return type(value)(map(cut, value))
        return small.get(value, value) if type(value) is int else value

    return replace(request, args=cut(request.args), kwargs={name: cut(value) for name, value in request.kwargs.items()})


def _outcome(text: str, names: dict[str, Any], request: Request) -> Any:
    """Return the result of an answer, or of the references if ``text`` is empty; None if it raises an error."""
    namespace = dict(names)
    with contextlib.suppress(Exception):
        exec(compile(text, "<practice>", "exec"), namespace)
        with torch.no_grad():
            return namespace[request.name](*copy.deepcopy(request.args), **copy.deepcopy(dict(request.kwargs)))
    return None


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _tensors(item)


def _count(value: Any) -> int:
    return sum(tensor.numel() for tensor in _tensors(value))


def _worth_asking(value: Any) -> bool:
    """Return whether a result has several different numbers: the softmax of a single number teaches nothing."""
    return len({number for tensor in _tensors(value) for number in tensor.flatten().tolist()}) > 1


def _format_value(value: Any) -> str:
    """Format tensors as rows of rounded numbers; return "" for a value without tensors.

    With more than two axes, the leading indices precede each matrix. A matrix with one column is written on one line, with bars
    between its rows.
    """
    texts = []
    for tensor in _tensors(value):
        if tensor.is_meta:  # checks of devices use tensors without numbers
            return ""
        numbers = tensor.detach().double()
        tables = numbers.reshape(-1, *numbers.shape[-2:]) if numbers.dim() > 2 else numbers.reshape(1, *_table(numbers))
        indices = product(*map(range, numbers.shape[:-2])) if numbers.dim() > 2 else [()]
        for index, table in zip(indices, tables.tolist(), strict=True):
            head = f"[{', '.join(map(str, index))}]" if index else ""
            rows = [" ".join(f"{number:6.{DIGITS}f}" for number in row) for row in table]
            rows = [" | ".join(rows)] if len(table) > 1 and len(table[0]) == 1 else rows
            texts.append("\n".join(f"{head if n == 0 else '':{len(head)}}{row}" for n, row in enumerate(rows)))
    return ("\n\n" if any("\n" in text for text in texts) else "\n").join(texts)


def _table(numbers: Tensor) -> tuple[int, int]:
    """Return the numbers of rows and columns with which a scalar, a vector or a matrix is shown."""
    return (numbers.shape[0], numbers.shape[1]) if numbers.dim() == 2 else (1, numbers.numel())
