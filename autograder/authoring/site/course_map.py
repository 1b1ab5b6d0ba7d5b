"""The map of the course: dependencies between lessons and between exercises."""

import ast
import functools
from collections.abc import Mapping
from html import escape

import nbformat

from autograder.authoring.site.readme import lesson_rows
from autograder.grading.course import Course

#: The ready-made layers that replace those built in earlier lessons.
_READY = "course_lib.layers"
_BOX, _GAP, _ROW = 150, 20, 90
_PAGE = """\
# Map of the course

An arrow leads to a lesson from one whose exercises it uses. You may begin with any lesson: what earlier
ones built is ready-made in `course_lib.layers`.

<div class="map">{picture}</div>

| lesson | from … to | uses of earlier lessons |
|---|---|---|
{rows}

## Which exercise builds on which

An exercise is checked with right versions of those that it builds on, where yours do not pass yet.

{exercises}
"""

Uses = dict[str, dict[str, list[str]]]


def map_page(course: Course) -> str:
    """Return the page with the map, in Markdown."""
    goals = lesson_rows((course.root / "README.md").read_text(encoding="utf8"))
    used = uses(course)
    rows = [f"| {_link(name)} | {goals.get(name, '')} | {_earlier(used[name])} |" for name in course.assignments]
    below = {name: frozenset(earlier) for name, earlier in used.items()}
    tables = (_exercises(course, name) for name in course.assignments)
    return _PAGE.format(picture=_picture(below), rows="\n".join(rows), exercises="\n\n".join(filter(None, tables)))


def uses(course: Course) -> Uses:
    """Return, for each lesson, the exercises of earlier lessons whose ready-made versions its released notebook uses."""
    uses_of: Uses = {}
    for assignment in course.assignments:
        names = {name for path in (course.release / assignment).glob("*.ipynb") for name in _layers(str(path))}
        earlier = {lesson: [n for n in course.lessons.of(lesson).exercises if n in names] for lesson in uses_of}
        uses_of[assignment] = {lesson: these for lesson, these in earlier.items() if these}
    return uses_of


@functools.cache
def _layers(path: str) -> frozenset[str]:
    """Return the names of ready-made layers that the code of a notebook uses."""
    names: set[str] = set()
    for cell in nbformat.read(path, 4).cells:
        nodes = list(ast.walk(ast.parse(cell.source))) if cell.cell_type == "code" else []
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module == _READY:
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names |= {node.attr} if node.value.id == _READY.rpartition(".")[2] else set()
    return frozenset(names)


def _earlier(earlier: Mapping[str, list[str]]) -> str:
    return (
        "; ".join(f"{_link(name)}: {', '.join(f'`{used}`' for used in these)}" for name, these in earlier.items())
        or "–"
    )


def _link(assignment: str) -> str:
    return f"[{assignment}](lessons/{assignment}.ipynb)"


def _exercises(course: Course, assignment: str) -> str:
    lesson = course.lessons.of(assignment)
    rows = [
        f"| [`{name}`](mistakes/{assignment}/{name}.md) | {', '.join(f'`{base}`' for base in lesson.builds_on(name)) or '–'} |"
        for name in lesson.exercises
    ]
    return "\n".join([f"### {assignment}\n", "| exercise | builds on |\n|---|---|", *rows])


def direct(below: Mapping[str, frozenset[str]]) -> dict[str, list[str]]:
    """Return the direct dependencies of each lesson: those that do not follow from its other dependencies."""

    def all_below(name: str) -> frozenset[str]:
        return below[name].union(*map(all_below, below[name]))

    return {
        name: [dependency for dependency in sorted(these) if not any(dependency in all_below(other) for other in these)]
        for name, these in below.items()
    }


def _picture(below: Mapping[str, frozenset[str]]) -> str:
    """Return the map as SVG, in rows: each lesson below the lessons that use it."""
    edges, floors = direct(below), dict[str, int]()
    for name in below:  # in course order, so dependencies come first
        floors[name] = 1 + max((floors[dependency] for dependency in edges[name]), default=0)
    rows = [[name for name in below if floors[name] == floor] for floor in sorted(set(floors.values()))]
    width = max(map(len, rows)) * (_BOX + _GAP)
    places = {
        name: (int(width / 2 + (place - (len(row) - 1) / 2) * (_BOX + _GAP)), floor * _ROW)
        for floor, row in enumerate(rows)
        for place, name in enumerate(row)
    }
    arrows = "".join(_arrow(places[dependency], places[name]) for name, these in edges.items() for dependency in these)
    boxes = "".join(_box(name, *place) for name, place in places.items())
    label = "; ".join(f"{name} uses {', '.join(these)}" for name, these in edges.items() if these)
    return (
        f'<svg viewBox="0 0 {width} {len(rows) * _ROW - 40}" role="img" aria-label="{escape(label)}">'
        f"{_HEAD_OF_ARROW}{arrows}{boxes}</svg>"
    )


_HEAD_OF_ARROW = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0 8 4 0 8z" fill="currentColor"/></marker></defs>'
)


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x, y), (to_x, to_y) = start, end
    line = f"M{x} {y + 45}C{x} {y + 70} {to_x} {to_y - 25} {to_x} {to_y + 4}"
    return f'<path d="{line}" fill="none" stroke="currentColor" marker-end="url(#head)"/>'


def _box(name: str, x: int, y: int) -> str:
    number, _, rest = name.partition("-")
    return (
        f'<rect x="{x - _BOX // 2}" y="{y + 5}" width="{_BOX}" height="40" rx="6" fill="none" stroke="currentColor"/>'
        f'<text x="{x}" y="{y + 22}" text-anchor="middle">{escape(number)}</text>'
        f'<text x="{x}" y="{y + 38}" text-anchor="middle">{escape(rest.replace("-", " "))}</text>'
    )
