"""From source to release: the same bytes each time, nothing leaks, and an unfit lesson is refused."""

import ast
import json
import re
import shutil

import nbformat
import pytest

from autograder import catalogue
from autograder.build import BuildError, build, differences
from autograder.buildrun import build_all
from autograder.course import Course, find_course
from autograder.leaks import leaked_lines
from autograder.notebooks import experiment_mark, fingerprint, grade_id, needed_cells, read, source

LESSONS = find_course().sources()


@pytest.fixture(scope="module", params=LESSONS, ids=lambda path: path.parent.name)
def built(request):
    return build(find_course(), request.param)


@pytest.fixture
def small_course(tmp_path, root):
    """A course of one lesson with one exercise, whose source the test writes."""
    (tmp_path / "solutions" / "01-attention").mkdir(parents=True)
    shutil.copy(root / "pyproject.toml", tmp_path)
    shutil.copy(root / "nbgrader_config.py", tmp_path)

    def write(body, prose="Exercise."):
        text = (
            f"# %% [markdown]\n# {prose}\n\n"
            "# %%\nimport torch\nfrom autograder import check\n\n"
            f'# %% nbgrader={{"grade_id": "softmax", "solution": true}}\ndef softmax(E, dim=-1):\n{body}\n\n'
            '# %% nbgrader={"grade_id": "check-softmax", "grade": true}\ncheck("softmax")\n'
        )
        (tmp_path / "solutions" / "01-attention" / "attention.py").write_text(text, encoding="utf8")
        return Course(tmp_path)

    return write


SOLUTION = """\
    ### BEGIN SOLUTION Return the weights.
    weights = torch.softmax(E, dim)
    return weights
    ### END SOLUTION"""


def test_what_is_committed_is_what_the_source_builds(built):
    assert list(differences(built)) == []


def test_a_rebuild_gives_the_same_bytes(built):
    again = build(find_course(), built.solution_path.with_suffix(".py"))
    assert (again.solution, again.release) == (built.solution, built.release)


def test_both_notebooks_are_valid_and_hold_no_outputs(built):
    for text in (built.solution, built.release):
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
        assert not [cell for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")]


def test_every_exercise_has_its_check_with_the_points_of_the_checks(built):
    cells = {grade_id(cell): cell for cell in json.loads(built.release)["cells"] if grade_id(cell)}
    for name in catalogue.exercises(built.assignment):
        assert cells[name]["metadata"]["nbgrader"]["solution"]
        marks = cells[f"check-{name}"]["metadata"]["nbgrader"]
        assert marks["points"] == catalogue.points_of(name) > 0
        assert marks["locked"]
        assert source(cells[f"check-{name}"]) == f'check("{name}")'


def test_stubs_say_what_to_write(built):
    cells = {grade_id(cell): source(cell) for cell in json.loads(built.release)["cells"]}
    for name in catalogue.exercises(built.assignment):
        assert 'raise NotImplementedError("' in cells[name]
        assert "raise NotImplementedError()" not in cells[name]


def test_experiments_are_known_by_their_fingerprint(built):
    cells = [c for c in json.loads(built.release)["cells"] if "experiment" in c["metadata"].get("tags", [])]
    assert cells
    assert all(experiment_mark(cell) == fingerprint(source(cell)) for cell in cells)


def test_no_released_file_holds_a_line_of_the_solution(built):
    released = [path for path in built.release_path.parent.rglob("*") if path.is_file()]
    assert [path.name for path in released] == [built.release_path.name]
    for path in released:
        assert leaked_lines(built.solution, path.read_text(encoding="utf8")) == []
    assert "BEGIN SOLUTION" not in built.release
    assert "MARK SCHEME" not in built.release


def test_the_leak_test_finds_a_leak(small_course):
    course = small_course(SOLUTION, prose="Hint: weights = torch.softmax(E, dim)")
    with pytest.raises(BuildError, match=r"weights = torch\.softmax"):
        build(course, course.sources()[0])


@pytest.fixture
def edited_course(tmp_path, root):
    """The real lesson with an edit to its source."""

    def edit(change):
        (tmp_path / "solutions" / "01-attention").mkdir(parents=True)
        for name in ("pyproject.toml", "nbgrader_config.py"):
            shutil.copy(root / name, tmp_path)
        text = (root / "solutions" / "01-attention" / "attention.py").read_text(encoding="utf8")
        assert change(text) != text
        (tmp_path / "solutions" / "01-attention" / "attention.py").write_text(change(text), encoding="utf8")
        return Course(tmp_path)

    return edit


def test_a_solution_that_loses_points_is_refused(edited_course, capsys):
    course = edited_course(lambda text: text.replace("j <= i", "j < i").replace(".tril(", ".triu("))
    assert build_all(course, only_check=False) == 1
    assert "does not earn every point: causal_mask" in capsys.readouterr().err


def test_a_release_that_earns_points_is_refused(edited_course, capsys):
    given = '"grade_id": "softmax", "locked": true'
    answer = "\n    return torch.softmax(E, dim)\n"

    def give_away(text):
        before, cell = text.split('"grade_id": "softmax", "solution": true')
        region = re.search(r"\n    ### BEGIN SOLUTION.*?### END SOLUTION\n", cell, re.DOTALL)[0]
        return before + given + cell.replace(region, answer, 1)

    assert build_all(edited_course(give_away), only_check=False) == 1
    assert "The untouched release earns points: softmax" in capsys.readouterr().err


def test_a_built_file_that_was_edited_is_noticed(small_course, capsys):
    course = small_course(SOLUTION)
    assert build_all(course, only_check=True) == 1
    assert "is missing" in capsys.readouterr().err


def test_a_graded_cell_without_points_is_refused(small_course):
    course = small_course(SOLUTION)
    path = course.sources()[0]
    path.write_text(path.read_text(encoding="utf8").replace('"check-softmax"', '"other"'), encoding="utf8")
    with pytest.raises(BuildError, match="points are not given"):
        build(course, path)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.parent.name)
def test_grading_runs_nothing_but_the_imports_and_the_exercises(lesson):
    """An experiment that is run for its definitions would be run again for every submission of the class."""
    cells = read(lesson.with_suffix(".ipynb"))["cells"]
    needed = [cell for cell, wanted in zip(cells, needed_cells(cells), strict=True) if wanted]
    others = [cell for cell in needed if grade_id(cell) not in catalogue.exercises(lesson.parent.name)]
    others = [cell for cell in others if not _only_defines(source(cell))]
    assert len(others) <= 2, [source(cell)[:60] for cell in others]


def _only_defines(text):
    """Tell whether a cell holds classes and functions alone, which costs nothing."""
    try:
        return all(isinstance(node, ast.ClassDef | ast.FunctionDef) for node in ast.parse(text).body)
    except SyntaxError:  # magics
        return False
