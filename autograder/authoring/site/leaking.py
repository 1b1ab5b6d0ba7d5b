"""Find text of an answer on the built site: in visible and hidden text of its pages, and in the search index."""

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import nbformat

from autograder.authoring.bundle import scheme_lines
from autograder.authoring.leaks import leaked_lines
from autograder.content.known_answers import cases_of
from autograder.grading.course import Course

#: Characters. Shorter lines of a right answer may occur in any code.
_SHORTEST = 16


def leaks(course: Course, built: Path) -> list[str]:
    """Find lines of solutions, of known right answers, or of mark schemes on any page.

    Lines of a release are not secret, even if another lesson asks for them: students have them. Nor is the feedback of another
    lesson.
    """
    secrets = [(line, {*line.split()[1:-1]}) for line in _all_secrets(course)]
    problems = []
    for name, text in _texts(built):
        words = {*text.split()}  # few of the thousands of lines have all their inner words on a page
        lines = [line for line, inner in secrets if inner <= words and line in text]
        problems += [f"{name} holds a line of an answer: {line!r}" for line in lines]
    return problems


@functools.cache
def _all_secrets(course: Course) -> Sequence[str]:
    released = "\n".join(_released(course, assignment) for assignment in course.assignments)
    feedback = {assignment: _feedback(course, assignment) for assignment in course.assignments}
    lines: dict[str, None] = {}
    for assignment in course.assignments:
        public = [released, *(text for name, text in feedback.items() if name != assignment)]
        lines |= dict.fromkeys(
            line for line in _secrets(course, assignment) if not any(line in text for text in public)
        )
    return [*lines]


def _released(course: Course, assignment: str) -> str:
    """Return the text of a lesson's release."""
    [path] = (course.release / assignment).glob("*.ipynb")
    return _plain("\n".join(cell.source for cell in nbformat.read(path, 4).cells))


def _feedback(course: Course, assignment: str) -> str:
    """Return the feedback on the known mistakes."""
    lesson = course.lessons.of(assignment)
    cases = (case for name in lesson.exercises for case in cases_of(lesson, name))
    return _plain("\n".join(f"{case.hint}\n{case.why}" for case in cases if not case.right))


def _secrets(course: Course, assignment: str) -> list[str]:
    """Return the lines of a lesson's answers."""
    notebook = course.solution_notebook(assignment).read_text(encoding="utf8")
    lesson = course.lessons.of(assignment)
    right = [case.text for name in lesson.exercises for case in cases_of(lesson, name) if case.right]
    lines: Iterable[str] = [
        *leaked_lines(notebook, notebook),
        *(line for text in right for line in text.splitlines() if len(line.strip()) >= _SHORTEST),
        *scheme_lines(course.source_of(assignment).read_text(encoding="utf8")),
    ]
    return [*dict.fromkeys(map(_plain, lines))]


def _texts(built: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and text of each file of the site except the theme's: first the visible text, then the source."""
    for path in sorted(built.rglob("*")):
        name = path.relative_to(built).as_posix()
        if path.suffix in (".html", ".js", ".txt", ".json", ".md") and not name.startswith("_static/"):
            text = re.sub(r'"data:[^"]*"', '""', path.read_text(encoding="utf8"))
            yield name, _plain(f"{_read(text)}\n{unescape(text)}")


def _read(page: str) -> str:
    """Return the text of a page without its tags."""
    parser = _Text()
    parser.feed(page)
    return "".join(parser.parts)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


def _plain(text: str) -> str:
    """Normalise the white space of a text, so that lines can be found however they are indented."""
    return " ".join(text.split())
