"""The glossary: the field's terms with the places that explain them, and other names of the lessons' letters."""

import re
from collections.abc import Iterator

import nbformat

from autograder.grading.course import Course

PAGE = "docs/glossary.md"
#: The column that is computed, and those that are written by hand.
_COMPUTED, _BY_HAND = "where", ("term", "what it is", "in PyTorch and Hugging Face", "paper")
_COLUMNS = (*_BY_HAND[:2], _COMPUTED, *_BY_HAND[2:])
#: The column of a lesson's notation table with the names that others use.
_ELSEWHERE = "in papers and libraries"
_LETTERS = "## Letters"
_LINK = re.compile(r"\]\(\.\./assignments/(\d\d-[\w-]+)/[\w-]+\.ipynb\)")


def glossary_page(course: Course) -> str:
    """Return the page with its computed parts renewed: the places of the terms, and the letters.

    A term is explained where the lessons first write it in bold, or else where it first occurs. Raises LookupError for a term
    that no lesson has, ValueError for a line of the table with too few columns.
    """
    head, _, table = (course.root / PAGE).read_text(encoding="utf8").partition(f"| {_COLUMNS[0]} |")
    lessons = {name: _prose(course, name) for name in course.assignments}
    rows = [_cells(line) for line in table.partition(_LETTERS)[0].splitlines()[2:] if line.strip()]
    if wrong := [row for row in rows if len(row) != len(_COLUMNS)]:
        raise ValueError(f"{PAGE}: expected {len(_COLUMNS)} columns, got {len(wrong[0])}: {' | '.join(wrong[0])}")
    terms = [(term, meaning, _place(course, lessons, term), *more) for term, meaning, _, *more in rows]
    letters = [row for name in lessons for row in _letters(course, name, lessons[name])]
    parts = [
        head + _table(_COLUMNS, sorted(terms, key=lambda row: row[0].lower())),
        _LETTERS,
        _table(("letter", "in the lessons", _ELSEWHERE, "lesson"), letters),
    ]
    return "\n\n".join(parts) + "\n"


def refresh_glossary(course: Course) -> None:
    """Rewrite the page if the course has one."""
    if (course.root / PAGE).is_file():
        (course.root / PAGE).write_text(glossary_page(course), encoding="utf8")


def on_site(text: str) -> str:
    """Redirect the links to notebooks to the lessons' pages."""
    return _LINK.sub(r"](lessons/\1.ipynb)", text)


def pattern(term: str) -> str:
    """Return a regular expression for a term in running text: across lines, with or without the hyphen, in the plural too."""
    return r"(?<!\w)" + r"[\s-]+".join(map(re.escape, re.split(r"[\s-]", term))) + r"(?:e?s)?(?!\w)"


def _prose(course: Course, assignment: str) -> str:
    [path] = (course.release / assignment).glob("*.ipynb")
    return "\n\n".join(cell.source for cell in nbformat.read(path, 4).cells if cell.cell_type == "markdown")


def _place(course: Course, lessons: dict[str, str], term: str) -> str:
    """Return a link to the lesson that explains a term, and the number of the section."""
    for wanted in (rf"\*\*(?:\w+[\s-]+)?{pattern(term)}(?:\s\w+)?\*\*", pattern(term)):
        for name, text in lessons.items():
            if match := re.search(wanted, text, re.IGNORECASE):
                sections = re.findall(r"^##+ (\d[\d.]*)", text[: match.start()], re.MULTILINE)
                return f"{_link(course, name)}{', section ' + sections[-1] if sections else ''}"
    raise LookupError(f"{PAGE}: no lesson has the term {term!r}.")


def _letters(course: Course, assignment: str, text: str) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a lesson's notation table that give the name in papers and libraries."""
    for header, rows in re.findall(r"^(\|.*)\n\|[-|: ]+\|\n((?:\|.*\n)+)", text + "\n", re.MULTILINE):
        names = _cells(header.lower())
        if _ELSEWHERE in names:
            for row in map(_cells, rows.splitlines()):
                symbol = row[0] if row[0] != "–" else row[1].split(",")[0]
                yield symbol, row[names.index("meaning")], row[names.index(_ELSEWHERE)], _link(course, assignment)


def _link(course: Course, assignment: str) -> str:
    [path] = (course.release / assignment).glob("*.ipynb")
    return f"[{assignment}](../{path.relative_to(course.root).as_posix()})"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [columns, ("---",) * len(columns), *rows])
