"""Create stubs for a new exercise or lesson. They build at once, and say what replaces them."""

import ast
import keyword
import re
from pathlib import Path

from autograder.content.lesson import Lesson, package_of
from autograder.grading.course import Course

_LESSON = '''\
"""{assignment}."""

from autograder.notebook.api import check_of

#: In the order of the lesson.
EXERCISES = ()

#: Dotted names of ready-made functions that do what an exercise asks for.
FORBIDDEN = ()

#: What an exercise may import beside PyTorch and the course's own, if something is forbidden: none that holds its answer.
LIBRARIES_IN = {{}}

#: Files handed in beside the notebook.
HANDED_IN = ()

#: Exercises that build on earlier ones. When an earlier one does not pass yet, they are checked with a right one in its place.
BUILDS_ON = {{}}

check = check_of(__name__)
'''

_CHECKS = '"""The checks of {assignment}: one file an exercise, one function a property."""\n'

_REFERENCES = '''\
"""Right versions of what {assignment} asks for."""

from torch import Tensor
'''

_SOURCE = '''\
# %% [markdown]
r"""
# {title}
What this lesson is about, in two sentences.
"""

# %%
import torch

from {package} import check
'''

_REFERENCE = '''

def {name}(x: Tensor) -> Tensor:
    """The equation and its source stand here. As a stub: y_i = 2 x_i."""
    return 2 * x
'''

_CHECK = '''\
"""{name}(x)."""

from autograder.checks import Draw, Sizes, Student, exercise, expect, points
from {package} import references


@exercise("{name}")
@points(1)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """y_i = 2 x_i"""
    for N in (1, sizes.N_K):
        x = draw.normal(N)
        y = expect.tensor(student.call("{name}", x), "y")
        expect.allclose(y, references.{name}(x), "y", setting=f"{{N}} values")
'''

_ANSWERS = """\
Known answers to {name}. How to read and write them: CONTRIBUTING.md, "Known answers".
@@ product (right) @@ A factor of two.
|def {name}(x):
|    return 2 * x
@@ square @@ The values are squared. Look at what is multiplied by what.
2 * x → x * x
"""

_CELLS = '''
# %% [markdown]
r"""
### {section} What the step is for
One paragraph and one equation. Which shape has the result?

$$y_i = 2 x_i$$

**Exercise {number}.** Write `{name}`.
"""

# %% nbgrader={{"grade_id": "{name}", "solution": true}}
def {name}(x):
    """Return y, the same shape as x."""
    ### BEGIN SOLUTION Return twice the values of x.
    return 2 * x
    ### END SOLUTION

# %% nbgrader={{"grade_id": "check-{name}", "grade": true}}
check("{name}")
'''


def new_lesson(course: Course, assignment: str, exercise: str) -> list[Path]:
    """Write a lesson with one exercise. Returns the files written or changed.

    Raises ValueError for an invalid name, and FileExistsError, before writing anything, if a file exists already.
    """
    if not re.fullmatch(r"\d\d-[a-z][a-z0-9-]*", assignment):
        raise ValueError(f"Expected a name such as 20-graphs, two digits and words, but got {assignment!r}.")
    _require_name(exercise)
    lesson = Lesson(assignment, course.lessons, package_of(assignment))
    source = course.solutions / assignment / f"{lesson.name}.py"
    title = f"{int(assignment[:2])} {assignment[3:].replace('-', ' ').capitalize()}"
    texts = {
        lesson.folder / "__init__.py": _LESSON,
        lesson.folder / "checks" / "__init__.py": _CHECKS,
        lesson.folder / "references.py": _REFERENCES,
        source: _SOURCE,
    }
    _write(
        {path: text.format(assignment=assignment, title=title, package=lesson.package) for path, text in texts.items()}
    )
    return list(dict.fromkeys([*texts, *new_exercise(course, assignment, exercise)]))


def new_exercise(course: Course, assignment: str, name: str) -> list[Path]:
    """Append an exercise to a lesson. Returns the files written or changed.

    Raises LookupError if the lesson does not exist, ValueError for an invalid name, and FileExistsError, before
    writing anything, if a file exists already.
    """
    _require_name(name)
    lesson = course.lessons.of(assignment)
    source = course.source_of(assignment)
    settings = lesson.folder / "__init__.py"
    text = source.read_text(encoding="utf8")
    if f'"{name}"' in settings.read_text(encoding="utf8"):
        raise FileExistsError(f"{assignment} has an exercise {name} already, or names it in {settings}.")
    filled = {"name": name, "package": lesson.package}
    section, number = _next_section(text), 1 + max(map(int, re.findall(r"\*\*Exercise (\d+)", text)), default=0)
    check, answers = lesson.folder / "checks" / f"check_{name}.py", lesson.folder / "answers" / f"{name}.diff"
    _write({check: _CHECK.format(**filled), answers: _ANSWERS.format(**filled)})
    changes = {
        settings: _with_exercise(settings.read_text(encoding="utf8"), name),
        lesson.folder / "references.py": (lesson.folder / "references.py").read_text(encoding="utf8").rstrip("\n")
        + "\n"
        + _REFERENCE.format(**filled),
        source: text.rstrip("\n") + "\n" + _CELLS.format(**filled, section=section, number=number),
    }
    for path, changed in changes.items():
        path.write_text(changed, encoding="utf8")
    return [check, answers, *changes]


def _require_name(name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(
            f"An exercise is named after the function that students write, such as moving_average; got {name!r}."
        )


def _write(texts: dict[Path, str]) -> None:
    for path in texts:
        if path.exists():
            raise FileExistsError(f"{path} already exists. Nothing was written.")
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf8")


def _next_section(text: str) -> str:
    """Return a section number that the source does not use yet."""
    sections = re.findall(r"^##+ (\d+(?:\.\d+)?)(?=\s)", text, re.MULTILINE)
    numbers = [tuple(map(int, section.split("."))) for section in sections]
    first = max((number[0] for number in numbers), default=1)
    return f"{first}.{1 + max((number[1] for number in numbers if number[0] == first and len(number) > 1), default=0)}"


def _with_exercise(text: str, name: str) -> str:
    """Return a lesson's settings with one more name in EXERCISES."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and [getattr(target, "id", "") for target in node.targets] == ["EXERCISES"]:
            lines = text.splitlines(keepends=True)
            names = [*ast.literal_eval(node.value), name]
            new = ["EXERCISES = (\n", *(f'    "{exercise}",\n' for exercise in names), ")\n"]
            return "".join([*lines[: node.lineno - 1], *new, *lines[node.end_lineno :]])
    raise ValueError("The lesson's __init__.py has no EXERCISES.")
