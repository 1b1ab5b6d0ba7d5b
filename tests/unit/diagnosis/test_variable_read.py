"""A variable of the notebook that is read in the place of an argument is named; a misspelt argument is not taken for one."""

import linecache

from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.verdict.runner import run_checks

LESSON = LESSONS.of("13-retrieval")
CAUSE = "a variable of the notebook in the place of an argument"


def _named(code):
    names = namespace(LESSON)
    linecache.cache["<the answer>"] = (len(code), None, code.splitlines(keepends=True), "<the answer>")
    exec(compile(code, "<the answer>", "exec"), names)
    return run_checks("ranked_gains", NotebookStudent(names, LESSON), 3)


def test_the_variable_and_the_argument_are_named():
    report = _named(
        "found = torch.rand(3, 4)\n\n"
        "def ranked_gains(scores, gains):\n    return gains.gather(1, torch.argsort(found, dim=1, descending=True))\n"
    )
    assert report.named == [CAUSE]
    hint = next(result.diagnosis.hint for result in report.results if result.diagnosis)
    assert "No line reads the argument scores. Instead the function reads found" in hint


def test_a_misspelt_argument_is_no_variable():
    report = _named("def ranked_gains(scores, gains):\n    return gains.gather(1, score.argsort(dim=1))\n")
    assert report.named == ["a name that does not exist"]
