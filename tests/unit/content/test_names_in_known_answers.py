"""A known answer that uses a name which the search does not have stops there with a NameError, and is never found."""

import builtins
import dis
from types import CodeType

import pytest
from known import ASSIGNMENTS, LESSONS

from autograder.content.known_answers import cases_of
from autograder.content.references import namespace

#: What Python adds to a module, or what an answer defines by a call.
ADDED = {"__annotations__", *dir(builtins)}


def _names(code, operations):
    found = {step.argval for step in dis.get_instructions(code) if step.opname in operations}
    return found.union(*(_names(part, operations) for part in code.co_consts if isinstance(part, CodeType)))


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_every_name_is_in_the_namespace_of_the_search(assignment):
    lesson = LESSONS.of(assignment)
    known = namespace(lesson).keys() | ADDED
    for exercise in lesson.exercises:
        for case in cases_of(lesson, exercise):
            try:
                code = compile(case.text, case.name, "exec")
            except SyntaxError:  # a mistake, too
                continue
            defined = _names(code, ("STORE_NAME", "STORE_GLOBAL"))
            missing = _names(code, ("LOAD_NAME", "LOAD_GLOBAL")) - known - defined
            assert not missing, (
                f"{exercise}/{case.name} uses {sorted(missing)}, which {assignment} does not give to it."
            )
