"""Known answers: bases, edits, whole texts, and banks from outside."""

import ast
import builtins

import pytest
from known import ASSIGNMENTS, CASES, COURSE, LESSONS

from autograder.content import notebook as notebooks
from autograder.content.known_answers import cases_of, entries_of, misconceptions, read_bank, read_entries
from autograder.runtime.errors import Diagnosis

#: Names that IPython gives to every notebook, and Python to every module.
IN_EVERY_KERNEL = {"get_ipython", "In", "Out", "display", "__name__", "__file__", "__doc__"}
TWO = """\
Comments stand above the first entry.
@@ plain (right) @@ The usual way.
|def double(x):
|    y = x * 2
|    return y
@@ squared @@ The number is multiplied by itself. Look at
the second factor.
x * 2 → x * x
@@ cubed < squared @@ Once more.
     y = x * x
+    y = y * x
     return y
@@ nothing_returned @@ The result is lost.
-    return y
@@ in_one_line (right) @@ Short.
|def double(x): return x + x
"""


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_every_exercise_has_wrong_and_right_answers(assignment):
    lesson = LESSONS.of(assignment)
    for name in lesson.exercises:
        assert len([case for case in cases_of(lesson, name) if case.right]) >= 4
        assert len(misconceptions(lesson, name)) >= 10


EXERCISES = {(case.assignment, case.exercise): None for case in CASES.values()}


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
def test_every_case_defines_its_exercise_and_says_what_it_is(assignment, exercise):
    cases = [case for case in CASES.values() if (case.assignment, case.exercise) == (assignment, exercise)]
    assert [str(case) for case in cases if not case.hint or "!" in case.hint.replace("!=", "")] == []
    assert [str(case) for case in cases if exercise not in names_in(case.text)] == []


def names_in(text):
    """Return the names that a text defines or assigns at its top level."""
    nodes = ast.parse(text).body
    assigned = [target for node in nodes if isinstance(node, ast.Assign) for target in node.targets]
    return {getattr(node, "name", None) for node in nodes} | {getattr(target, "id", None) for target in assigned}


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_a_base_is_right_or_a_mistake_with_a_hint_and_every_file_belongs_to_an_exercise(assignment):
    lesson = LESSONS.of(assignment)
    names = {path.stem for path in (lesson.folder / "answers").glob("*.diff")}
    assert names == set(lesson.exercises)
    for name in names:
        assert entries_of(lesson, name)[0].right, f"the first entry of {name}.diff is the base of most of the others"


def test_edits_are_applied_to_their_bases():
    entries = {entry.name: entry for entry in read_entries(TWO, "two.diff")}
    assert [entry.name for entry in entries.values() if entry.right] == ["plain", "in_one_line"]
    assert entries["squared"].text == "def double(x):\n    y = x * x\n    return y\n"
    assert entries["squared"].hint == "The number is multiplied by itself. Look at the second factor."
    assert entries["cubed"].text == "def double(x):\n    y = x * x\n    y = y * x\n    return y\n"
    assert entries["nothing_returned"].text == "def double(x):\n    y = x * 2\n"
    assert entries["squared"].diff().splitlines()[1:3] == ["-    y = x * 2", "+    y = x * x"]


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ("@@ again @@ Hint.\nx → z", "'x' exactly once in the base, but it is there 2 times"),
        ("@@ again @@ Hint.\nq * 2 → q", "'q \\* 2' exactly once in the base, but it is there 0 times"),
        ("@@ again @@ Hint.\n-    y = 7", "'y = 7' exactly once"),
        ("@@ again < nobody @@ Hint.\nx * 2 → x", "base 'nobody' is not an entry above it"),
        ("@@ squared @@ Hint.\nx * 2 → x", "two entries of this name"),
        ("@@ again @@ Hint and nothing else.", "neither a text nor an edit"),
        ("@@ again Hint.", "line 17: expected '@@ name @@ hint'"),
    ],
)
def test_an_entry_that_cannot_be_applied_is_an_error_that_says_where(entry, told):
    with pytest.raises(ValueError, match=f"two.diff.*{told}"):
        read_entries(TWO + entry + "\n", "two.diff")


def test_a_folder_without_cases_is_an_error_that_says_what_was_expected(tmp_path):
    with pytest.raises(ValueError, match=r"<assignment>/<exercise>/<right\|wrong>/<name>\.py"):
        read_bank(tmp_path)


def test_a_why_is_read_and_gives_the_hint_its_three_steps():
    why = TWO.replace("the second factor.\n", "the second factor.\n? Squares grow faster.\n? Try: `double(3)`.\n")
    entries = {entry.name: entry for entry in read_entries(why, "two.diff")}
    assert entries["squared"].why == "Squares grow faster. Try: `double(3)`."
    assert entries["squared"].text == "def double(x):\n    y = x * x\n    return y\n"
    hint = entries["squared"].hint
    assert Diagnosis("squared", hint, "Because.").steps() == (
        "The number is multiplied by itself.",
        "Because.",
        "Look at the second factor.",
    )
    assert Diagnosis("squared", hint).steps() == (hint, "", "")


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_right_answers_need_only_names_that_the_notebook_has(assignment):
    """They stand in the cell of the exercise alone; a module that no cell imports is not there when it runs."""
    cells = notebooks.read(COURSE.solution_notebook(assignment))["cells"]
    for cell in cells:
        cell["source"] = notebooks.source(cell)
    runs = [cell for cell, needed in zip(cells, notebooks.dependencies(cells), strict=True) if needed]
    there = set(dir(builtins)).union(*(notebooks.bound_names(cell["source"])[0] for cell in runs))
    missing = {}
    for case in CASES.values():
        if case.assignment == assignment and case.right:
            bound, used = notebooks.bound_names(case.text)
            if left := used - bound - there - IN_EVERY_KERNEL:
                missing[str(case)] = left
    assert missing == {}
