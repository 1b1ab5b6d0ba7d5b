"""The catalogue of known mistakes: the effect, the reason and a place to look for each, without the answers."""

from pathlib import Path
from typing import Any

from autograder.checks.execute import NotebookStudent, call_check, suppress_output
from autograder.content.known_answers import Case, misconceptions
from autograder.content.lesson import Lesson, mark_value
from autograder.content.references import namespace
from autograder.runtime.errors import Diagnosis
from autograder.runtime.limits import check_timeout
from autograder.runtime.state import known_torch_state
from autograder.verdict import html

#: Seed of the pictures' inputs, fixed so that the site is reproducible.
_SEED = 1729
#: Seconds for the first call of a mistake, and for each call after one that did not end.
_PATIENCE = 5.0, 1.0


def write_mistakes(lesson: Lesson, folder: Path, drawn: bool) -> None:
    """Write a page for each exercise, with pictures if ``drawn``, and an index of them."""
    below = folder / lesson.assignment
    below.mkdir(parents=True)
    for exercise in lesson.exercises:
        (below / f"{exercise}.md").write_text(_page(lesson, exercise, drawn), encoding="utf8")
    (folder / f"{lesson.assignment}.md").write_text(_contents(lesson), encoding="utf8")


def _contents(lesson: Lesson) -> str:
    rows = [
        f"| [`{exercise}`]({lesson.assignment}/{exercise}.md) | {len(misconceptions(lesson, exercise))} |"
        for exercise in lesson.exercises
    ]
    hidden = [f"{lesson.assignment}/{exercise}" for exercise in lesson.exercises]
    lines = [
        f"# {lesson.assignment}: known mistakes",
        f"\nThe lesson is [here](../lessons/{lesson.assignment}.ipynb).\n",
        "| exercise | mistakes |\n|---|---:|",
        *rows,
        "\n```{toctree}\n:hidden:\n",
        *hidden,
        "```",
    ]
    return "\n".join(lines) + "\n"


def _page(lesson: Lesson, exercise: str, drawn: bool) -> str:
    cases = misconceptions(lesson, exercise)
    notebook = f"../../lessons/{lesson.assignment}.ipynb"
    head = (
        f"# `{exercise}`: known mistakes\n\nThe checks of this exercise, in [{lesson.assignment}]({notebook}), "
        f"know {len(cases)} mistakes by name. A picture shows the right result and the wrong one for the same inputs.\n"
    )
    return "\n".join([head, *(_entry(case, _picture(lesson, case) if drawn else "") for case in cases)])


def _entry(case: Case, picture: str) -> str:
    effect, why, where = (html.with_code(step) for step in Diagnosis(case.title, case.hint, case.why).steps())
    more = "".join(
        html.collapsible(title, f"<p>{text}</p>") for title, text in (("Why?", why), ("Where to look", where)) if text
    )
    # A blank line would end the HTML.
    body = " ".join(f'<div class="mistake"><p>{effect}</p>{more}{picture}</div>'.split())
    return f"## {case.title}\n\n{body}\n"


def _picture(lesson: Lesson, case: Case) -> str:
    """Return the first picture that a check draws of the mistake, as in a notebook; empty if none does.

    Checks that measure time or memory draw none, and are left out.
    """
    try:
        with suppress_output():
            names: dict[str, Any] = namespace(lesson)
            exec(compile(case.text, str(case), "exec"), names)
            student = NotebookStudent(names, lesson)
    except Exception:  # a mistake may fail even when it is defined
        return ""
    with known_torch_state(), check_timeout(*_PATIENCE):
        for check in lesson.checks(case.exercise).values():
            failure = None if mark_value(check, "measured") else call_check(check, student, _SEED)
            if failure and failure.picture:
                return failure.picture.html().replace(">yours (", ">with this mistake (")
    return ""
