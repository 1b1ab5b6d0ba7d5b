"""The syllabus, ``docs/syllabus.md``: the lessons of each week. Its hours come from the lessons' sources."""

import re

import jupytext

from autograder.authoring.workload import Workload, workload
from autograder.grading.course import Course

PAGE = "docs/syllabus.md"
#: The columns that are computed, and the first cell of a row that adds up those above it.
CORE, OPTIONAL, SUM = "core", "optional", "in all"

_LESSON = re.compile(r"`(\d\d-[\w-]+)`")


def syllabus_page(course: Course) -> str:
    """Return the page with its hours renewed. Raises LookupError for a lesson that is not in the course."""
    loads: dict[str, tuple[Workload, Workload]] = {}
    lines, places, total = [], (0, 0), [Workload(), Workload()]
    for line in (course.root / PAGE).read_text(encoding="utf8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if CORE in cells and OPTIONAL in cells:
            places, total = (cells.index(CORE), cells.index(OPTIONAL)), [Workload(), Workload()]
        elif cells and not set(line) <= set("|-: "):
            added = [Workload(), Workload()]
            for name in _LESSON.findall(line):
                if name not in loads:
                    loads[name] = workload(jupytext.read(course.source_of(name)).cells)
                added = [row_load + lesson_load for row_load, lesson_load in zip(added, loads[name], strict=True)]
            total = [subtotal + row_load for subtotal, row_load in zip(total, added, strict=True)]
            for place, load in zip(places, total if cells[0] == SUM else added, strict=True):
                cells[place] = f"{max(1, round(load.minutes / 30)) / 2:g}" if load.minutes else "–"
            line = f"| {' | '.join(cells)} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def refresh_syllabus(course: Course) -> None:
    """Rewrite the page if the course has one."""
    if (course.root / PAGE).is_file():
        (course.root / PAGE).write_text(syllabus_page(course), encoding="utf8")
