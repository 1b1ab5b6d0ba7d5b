"""What the checks of an exercise ask a right answer, and what it returns."""

import functools
from dataclasses import replace

import course_lib.layers
from autograder.checks.execute import NotebookStudent, call_check
from autograder.content.known_answers import cases_of, entries_of
from autograder.content.lesson import mark_value
from autograder.content.references import namespace
from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import copy_tensor
from autograder.runtime.student import Exchange, RequestBuilder

SEED = 3


class Recorder(RequestBuilder):
    """A student that hands every question on to another one, and keeps the question with a copy of the answer."""

    def __init__(self, inner):
        self.inner, self.forbid, self.exchanges = inner, inner.forbid, []

    @property
    def lesson(self):
        return self.inner.lesson

    def __getattr__(self, name):
        return (
            getattr(self.inner, name)
            if name in ("file", "uses", "forbidden_use", "timed")
            else super().__getattr__(name)
        )

    def _carry_out(self, request):
        kept = replace(request, args=copied(request.args), kwargs=copied(dict(request.kwargs)))
        answer = self.inner.answer(request)
        self.exchanges.append(Exchange(kept, copied(answer.value)))
        return answer


def copied(value):
    """Return the value with all tensors in it copied, and all modules left out."""
    if isinstance(value, tuple | list):
        return (
            type(value)(copied(item) for item in value) if type(value) in (tuple, list) else tuple(map(copied, value))
        )
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return copy_tensor(value.detach()) if hasattr(value, "detach") else value


@functools.cache
def right_names(lesson, exercise):
    """Return the namespace in which a right answer to the exercise has run: the one that the known answers begin with."""
    names = namespace(lesson) | {"layers": course_lib.layers, "TransformerConfig": course_lib.layers.TransformerConfig}
    case = next(case for case in (*entries_of(lesson, exercise), *cases_of(lesson, exercise)) if case.right)
    exec(compile(case.text, case.name, "exec"), names)
    return names


def checks_of(lesson, exercise):
    """Return the checks that give points and measure nothing."""
    checks = lesson.checks(exercise).items()
    return {name: c for name, c in checks if mark_value(c, "points", 0) and not mark_value(c, "measured")}


@functools.cache
def exchanges(lesson, exercise):
    """Return the questions that all checks ask about the exercise itself, with a right answer's values."""
    recorder = Recorder(NotebookStudent(dict(right_names(lesson, exercise)), lesson, deep=False))
    for name, check in checks_of(lesson, exercise).items():
        failure = call_check(check, recorder, SEED)
        if isinstance(failure, CheckFailure):
            raise AssertionError(f"{lesson.assignment}, {exercise}, {name}: the right answer fails: {failure}")
    return [one for one in recorder.exchanges if one.request.name == exercise]
