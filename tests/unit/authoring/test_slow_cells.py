"""Cells that take long stay out of the notebooks that ``make test-full`` runs, and no exercise may need them."""

from pathlib import Path

import jupytext
import nbformat
import pytest
from click.testing import CliRunner
from known import COURSE

from autograder.authoring import with_numbers
from autograder.authoring.slow_cells import quick_cells
from autograder.authoring.source_rules import Source


def _cell(source, *tags, grade_id=None):
    marks = {"nbgrader": {"grade_id": grade_id}} if grade_id else {}
    return nbformat.v4.new_code_cell(source, metadata={"tags": [*tags], **marks})


def _quick_texts(*cells):
    return [cell.source for cell in quick_cells(cells)]


SLOW = _cell("import math\nfrom itertools import chain\nlosses = train(1000)", "experiment", "slow")


def test_a_quick_notebook_lacks_slow_cells_and_what_uses_them():
    cells = [
        SLOW,
        _cell("worst = max(losses)"),
        _cell("def f():\n    return worst"),
        _cell("worst, other = 1, math.pi"),
        _cell("says('1 is 1', worst)\nsays('it falls to 2', losses[-1])\nclaims('so', other > 3)", "numbers"),
        nbformat.v4.new_markdown_cell("losses"),
    ]
    assert _quick_texts(*cells) == [
        "import math\nfrom itertools import chain",
        "",
        "",
        cells[3].source,
        "says('1 is 1', worst)\nclaims('so', other > 3)",
        "losses",
    ]


@pytest.mark.parametrize(
    "text", ["losses = losses[:10]", "losses += [0.0]", "losses: list = sorted(losses)", "a = 1\nb = losses"]
)
def test_a_cell_that_rebinds_a_name_of_a_slow_cell_with_its_value_is_left_out(text):
    assert _quick_texts(SLOW, _cell(text), _cell("print(losses)"))[1:] == ["", ""]


def test_a_cell_that_binds_the_name_before_it_uses_it_stays():
    text = "losses = []\nfor loss in range(3):\n    losses.append(loss)"
    assert _quick_texts(SLOW, _cell(text), _cell("print(losses)"))[1:] == [text, "print(losses)"]


def test_a_numbers_cell_from_which_nothing_is_left_out_stays_as_it_is():
    text = "%matplotlib inline\nsays('1 is 1', 1)  # one"
    assert _quick_texts(SLOW, _cell(text, "numbers"))[1] == text


@pytest.mark.parametrize(
    "needed",
    [
        _cell("def softmax(x):\n    return losses", grade_id="softmax"),
        _cell("assert losses", grade_id="check-softmax"),
        _cell("def softmax(x):\n    return x", "slow", grade_id="softmax"),
    ],
)
def test_the_build_refuses_a_slow_cell_that_an_exercise_needs(needed):
    [problem] = [text for text in Source(Path("x.py"), [SLOW, needed], None).problems() if "slow" in text]
    assert problem.startswith(f"cell 2 ({needed.metadata.nbgrader.grade_id}): ")


@pytest.mark.slow
def test_no_notebook_that_is_handed_out_tells_what_is_slow(tmp_path):
    slow = 0
    for source in COURSE.sources():
        slow += sum("slow" in cell.metadata.get("tags", []) for cell in jupytext.read(source).cells)
        for path in (source.with_suffix(".ipynb"), COURSE.release / source.parent.name / f"{source.stem}.ipynb"):
            assert '"slow"' not in path.read_text(encoding="utf8")
    assert slow > 20
    for path in with_numbers.write(COURSE, tmp_path / "quick", quick=True):
        checks = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.source.startswith("check(")]
        assert len(checks) >= len(COURSE.lessons.of(path.parent.name).exercises)


def test_only_a_folder_that_it_has_written_is_replaced(second_course, tmp_path):
    with pytest.raises(ValueError, match="solutions is not empty"):
        with_numbers.write(second_course, second_course.solutions)
    assert second_course.sources()
    for _ in range(2):
        [path] = with_numbers.write(second_course, tmp_path / "notebooks")
        assert path.is_file()


@pytest.mark.parametrize("arguments", [[], ["--quik", "notebooks"], ["notebooks", "other"]])
def test_the_command_refuses_what_it_does_not_know(arguments, monkeypatch):
    monkeypatch.setattr(with_numbers, "write", lambda *given: pytest.fail("written"))
    assert CliRunner().invoke(with_numbers.main, arguments).exit_code == 2
