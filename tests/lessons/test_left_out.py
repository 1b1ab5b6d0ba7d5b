"""What a lesson says may be left out: no cell of the rest uses a name as it was last bound there."""

import re

import pytest
from known import COURSE

from autograder.content import notebook

NUMBER = r"\d+(?:\.\d+)?"
SENTENCE = re.compile(
    rf"leave out sections? ({NUMBER}(?:(?:, | and | to ){NUMBER})*)(, which stands? by (?:itself|themselves))?"
)
NOTEBOOKS = {source.parent.name: source.with_suffix(".ipynb") for source in COURSE.sources()}


def said(text: str) -> list[set[str]]:
    """Return the sets of sections that may be left out by this text: "6 to 8" are 6, 7 and 8, then 7 and 8, then 8.

    Sections that stand by themselves may be left out singly, too.
    """
    found = []
    for numbers, alone in SENTENCE.findall(" ".join(text.split())):
        left: list[str] = []
        for first, last in re.findall(rf"({NUMBER})(?: to (\d+))?", numbers):
            left += map(str, range(int(first), int(last) + 1)) if last else [first]
        found += [{*left[n:]} for n in range(len(left))] + [{number} for number in left if alone]
    return found


def places(cells) -> list[set[str]]:
    """Return for each cell the section and the subsection in which it stands: {"7", "7.4"}."""
    section, part, found = "", "", []
    for cell in cells:
        if cell["cell_type"] == "markdown":
            for marks, number in re.findall(r"^(##+) (\d[\d.]*)?", notebook.source(cell), re.MULTILINE):
                section, part = (number, "") if marks == "##" else (section, number)
        found.append({section, part} - {""})
    return found


def missing(cells, left: set[str]) -> set[str]:
    """Return the names that the cells outside these sections use as they were last bound inside."""
    wanted: set[str] = set()
    found: set[str] = set()
    for cell, place in reversed([*zip(cells, places(cells), strict=True)]):
        if cell["cell_type"] == "code" and not notebook.is_check(cell):
            bound, used = notebook.bound_names(notebook.source(cell))
            if place & left:
                found |= bound & wanted
            else:
                wanted = (wanted - bound) | used
    return found


def written(*cells: str):
    """Return cells of a notebook: prose if a text begins with "#", else code."""
    return [{"cell_type": "markdown" if text[0] == "#" else "code", "source": text, "metadata": {}} for text in cells]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("if time is short, leave out\nsections 7.4 and 8, which stand by themselves.", ["7.4 8", "8", "7.4", "8"]),
        ("leave out sections 6 to 8: they repeat", ["6 7 8", "7 8", "8"]),
        ("leave out section 3. Plan", ["3"]),
        ("leave out the word", []),
    ],
)
def test_the_sentence_is_understood(text, expected):
    assert said(text) == [set(numbers.split()) for numbers in expected]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["a = 1", "## 4 Left", "b = 2", "## 5 Kept", "print(b)"], {"b"}),
        (["b = [1]", "## 4 Left", "### 4.1", "b = {}", "## 5 Kept", "def f():\n    return b"], {"b"}),
        (["a = 1", "## 4 Left", "b = a", "## 5 Kept", "b = 3", "print(a, b)"], set()),
        (["## 3 Kept", "### 4.1 not a part of 4", "b = 1", "print(b)"], set()),
    ],
)
def test_a_name_that_is_bound_in_what_is_left_out_is_missing(cells, expected):
    assert missing(written(*cells), {"4"}) == expected


@pytest.mark.parametrize("assignment", NOTEBOOKS)
def test_the_rest_runs_without_what_may_be_left_out(assignment):
    cells = notebook.read(NOTEBOOKS[assignment])["cells"]
    prose = " ".join(notebook.source(cell) for cell in cells if cell["cell_type"] == "markdown")
    assert bool(said(prose)) == (" leave out section" in " ".join(prose.split()))
    code = [place for cell, place in zip(cells, places(cells), strict=True) if cell["cell_type"] == "code"]
    for left in said(prose):
        assert all(any(number in place for place in code) for number in left), (
            f"One of the sections {left} has no code."
        )
        assert not missing(cells, left), f"Without {left} these names are missing, or are others."
