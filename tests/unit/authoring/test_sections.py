"""Where a lesson says "section 3.4", there is such a section: lessons have been split, and their sections numbered anew.

So it is with what its checks and known answers say.
"""

import ast
import functools
import re

import jupytext
import pytest
from known import COURSE, LESSONS

SOURCES = {path.parent.name: path for path in COURSE.sources()}

#: "section 5", "sections 7.4 and 8", "Section 3, 4".
REFERENCE = re.compile(r"\bsections?\s+(\d+(?:\.\d+)?(?:(?:,\s*|,?\s+and\s+|\s+to\s+)\d+(?:\.\d+)?)*)", re.IGNORECASE)
LESSON = re.compile(r"\blessons?\s+(\d+)\b", re.IGNORECASE)
#: A paper with sections of its own: "Devlin et al. 2019, section 4.1".
PAPER = re.compile(r"et al\.|\b(?:19|20)\d\d\b")


@functools.cache
def _prose(assignment: str) -> list[str]:
    return [cell.source for cell in jupytext.read(SOURCES[assignment]).cells if cell.cell_type == "markdown"]


def _headings(assignment: str) -> set[str]:
    return {
        number for text in _prose(assignment) for number in re.findall(r"^#{2,4} (\d+(?:\.\d+)?)\b", text, re.MULTILINE)
    }


def missing(text: str, own: set[str], others: dict[int, set[str]]) -> list[str]:
    """Return the sections that a text names though neither its own lesson nor one that its sentence names has them."""
    found = []
    for reference in REFERENCE.finditer(text):
        before = re.split(r"(?<=[.?!:])\s+(?=[A-Z(*])|\n\n|\|", text[: reference.start()])[-1]
        if PAPER.search(before):
            continue
        lessons = [int(number) for number in LESSON.findall(before)]
        known = own.union(*(others.get(number, set()) for number in lessons)) if lessons else own
        found += [number for number in re.findall(r"\d+(?:\.\d+)?", reference[1]) if number not in known]
    return found


def _said(assignment: str) -> list[str]:
    """Return what students may read beside the notebook: the strings of the checks, and the known answers with their hints."""
    folder = LESSONS.of(assignment).folder
    strings = [
        node.value
        for path in sorted((folder / "checks").glob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return strings + [path.read_text() for path in sorted((folder / "answers").glob("*.diff"))]


@pytest.mark.parametrize("assignment", SOURCES)
def test_a_section_that_is_named_is_there(assignment):
    others = {int(name[:2]): _headings(name) for name in SOURCES}
    own = _headings(assignment)
    texts = [*_prose(assignment), *_said(assignment)]
    assert [(number, text[:60]) for text in texts for number in missing(text, own, others)] == []


def test_a_section_that_is_not_there_is_found():
    others = {1: {"1", "2"}, 2: {"1", "7", "7.1"}}
    assert missing("Section 6.3 lets them.", {"6", "6.1"}, others) == ["6.3"]
    assert missing("Leave out sections 7.4 and 8, please.", {"7", "7.4"}, others) == ["8"]
    assert missing("lesson 2, section 7.1", {"1"}, others) == []
    assert missing("lesson 2, section 7.2", {"1"}, others) == ["7.2"]
    assert missing("(Devlin et al. 2019, section 4.1)", {"1"}, others) == []
