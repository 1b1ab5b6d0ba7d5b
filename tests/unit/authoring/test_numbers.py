"""The numbers in the prose are those that the notebooks compute."""

import ast
import functools
import math

import jupytext
import nbformat
import pytest
from known import COURSE

from autograder.authoring import with_numbers
from autograder.authoring.numbers import SHORT, TAG, WrongNumber, claims, numbers_in, says, shown

SOURCES = {path.parent.name: path for path in COURSE.sources()}
#: Lessons whose numbers are not all tied to the notebook yet. A lesson leaves this list, and none joins it.
OPEN: tuple[str, ...] = ()


def _flat(text: str) -> str:
    return " ".join(text.split())


@functools.cache
def _cells(assignment: str):
    return jupytext.read(SOURCES[assignment]).cells


def _prose(assignment: str) -> list[str]:
    return [
        cell.source.removeprefix('r"""').removesuffix('"""')
        for cell in _cells(assignment)
        if cell.cell_type == "markdown"
    ]


@functools.cache
def _passages(assignment: str) -> list[tuple[str, str]]:
    """Return ("says", "claims" or "given", passage) for each passage that a numbers cell names."""
    found = []
    for cell in _cells(assignment):
        if TAG in cell.metadata.get("tags", []):
            for node in ast.walk(ast.parse(cell.source)):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id in ("says", "claims", "given")
                ):
                    passages = node.args if node.func.id == "given" else node.args[:1]
                    found += [(node.func.id, _flat(ast.literal_eval(passage))) for passage in passages]
    return found


@pytest.mark.parametrize("assignment", SOURCES)
def test_every_passage_stands_in_the_prose(assignment):
    prose = [_flat(text) for text in _prose(assignment)]
    assert [passage for _, passage in _passages(assignment) if not any(passage in text for text in prose)] == []


@pytest.mark.parametrize("assignment", [name for name in SOURCES if name not in OPEN])
def test_every_result_is_compared(assignment):
    """Shares, and numbers with digits after the point, in what one should see: a numbers cell computes them, or says why not."""
    missing = []
    for text in _prose(assignment):
        for block in map(_flat, shown(text)):
            left = block
            for _, passage in _passages(assignment):
                left = left.replace(passage, "…")
            missing += [f"{n.text} in: {block[:60]}" for n in numbers_in(left) if n.unit < 1]
    assert missing == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("94 % of the captions, 17 % without", (0.943, 0.168)),
        (r"about 96.2\% and 1,234 words", (0.9617, 1234)),
        ("it falls from 2.5 to −0.25", (2.46, -0.253)),
    ],
)
def test_a_number_that_is_right_to_the_last_digit_passes(text, values):
    says(text, *values)


def test_reports_a_wrong_number(monkeypatch):
    with pytest.raises(WrongNumber, match=r"94 % is 0\.913 in the notebook"):
        says("94 % of the captions", 0.913)
    says("94 % of the captions", 0.913, within=3)
    with pytest.raises(WrongNumber):
        says("a loss of 0.25", math.nan)
    with pytest.raises(ValueError, match="2 in all, got 1"):
        says("94 % and 17 %", 0.94)
    monkeypatch.setenv(SHORT, "1")
    says("94 % of the captions", 0.1, whole=True)


def test_only_the_authors_notebooks_have_the_cells(tmp_path):
    written = {path.parent.name: path for path in with_numbers.write(COURSE, tmp_path / "all")}
    for assignment, source in SOURCES.items():
        own = [cell.source for cell in _cells(assignment) if TAG in cell.metadata.get("tags", [])]
        for path, holds in (
            (written[assignment], True),
            (source.with_suffix(".ipynb"), False),
            (COURSE.release / assignment / f"{source.stem}.ipynb", False),
        ):
            cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
            assert all((text in cells) == holds for text in own)
            assert not any("authoring.numbers" in text for text in cells) or holds
        assert all((written[assignment].parent / file.name).exists() for file in source.parent.glob("*.safetensors"))


def test_reports_a_false_claim(monkeypatch):
    claims("it is larger", True)
    with pytest.raises(WrongNumber, match="it is larger"):
        claims("it is larger", False)
    monkeypatch.setenv(SHORT, "1")
    claims("it is larger after the whole training", False, whole=True)
