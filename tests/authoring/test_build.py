"""From source to release: the same bytes each time, nothing leaks, and an unfit lesson is refused."""

import ast
import json

import nbformat
import pytest
from known import LESSONS as OWN
from known import points

from autograder.authoring.build import BuildError, build, differences
from autograder.authoring.build_all import build_all
from autograder.authoring.leaks import leaked_lines
from autograder.grading.course import find_course
from autograder.judging.notebooks import experiment_mark, fingerprint, grade_id, needed_cells, read, source

LESSONS = find_course().sources()


@pytest.fixture(scope="module", params=LESSONS, ids=lambda path: path.parent.name)
def built(request):
    return build(find_course(), request.param)


@pytest.fixture
def changed(second_course):
    """The second course with an edit to its source: ``old`` is replaced by ``new``, everywhere or ``times`` times."""

    def edit(old, new, times=-1):
        path = second_course.sources()[0]
        text = path.read_text(encoding="utf8")
        assert old in text
        path.write_text(text.replace(old, new, times), encoding="utf8")
        return second_course

    return edit


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
    for name, worth in points(built.assignment).items():
        assert cells[name]["metadata"]["nbgrader"]["solution"]
        marks = cells[f"check-{name}"]["metadata"]["nbgrader"]
        assert marks["points"] == worth > 0
        assert marks["locked"]
        assert source(cells[f"check-{name}"]) == f'check("{name}")'


def test_stubs_say_what_to_write(built):
    cells = {grade_id(cell): source(cell) for cell in json.loads(built.release)["cells"]}
    for name in OWN.of(built.assignment).exercises:
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


def test_the_leak_test_finds_a_leak(changed):
    course = changed("It standardises first.", "Hint: return centred / (centred**2).mean().sqrt()")
    with pytest.raises(BuildError, match=r"return centred / \(centred"):
        build(course, course.sources()[0])


def test_a_solution_that_loses_points_is_refused(changed, capsys):
    assert build_all(changed("(centred**2).mean().sqrt()", "centred.std()")) == 1
    assert "does not earn every point: standardise" in capsys.readouterr().err


def test_a_release_that_earns_points_is_refused(changed, capsys):
    region = "    ### BEGIN SOLUTION Subtract the mean, divide by the standard deviation.\n"
    course = changed(region, f"    if x is None:\n    {region}")
    text = course.sources()[0].read_text(encoding="utf8")
    first, second = text.split("    ### END SOLUTION", 1)
    body = "    centred = x - x.mean()\n    return centred / (centred**2).mean().sqrt()\n"
    stub = first.replace(body, "        return None\n")
    course.sources()[0].write_text(f"{stub}        ### END SOLUTION\n{body}{second.lstrip(chr(10))}", encoding="utf8")
    assert build_all(course) == 1
    assert "The untouched release earns points: standardise" in capsys.readouterr().err


def test_a_built_file_that_was_edited_is_noticed(second_course, capsys):
    assert build_all(second_course, only_check=True) == 1
    assert "is missing" in capsys.readouterr().err


def test_one_lesson_can_be_built_alone_and_one_that_is_not_there_is_a_clear_error(second_course, capsys):
    assert build_all(second_course, only=["01-averages"]) == 0
    assert "01-averages: built" in capsys.readouterr().out
    with pytest.raises(LookupError, match=r"'02-waves'\. There is one for: 01-averages"):
        build_all(second_course, only=["02-waves"])


CHECK = '# %% nbgrader={"grade_id": "check-standardise", "grade": true}\ncheck("standardise")\n'
CELL = ' nbgrader={"grade_id": "standardise", "solution": true}'


@pytest.mark.parametrize(
    ("old", "new", "where", "told"),
    [
        (CHECK, "", "cell 4 (standardise)", 'the exercise standardise has no check cell; expected a cell with check("'),
        ('check("standardise")', 'check("standardize")', "cell 5 (check-standardise)", "did you mean 'standardise'?"),
        ('check("standardise")', "print(1)", "cell 5 (check-standardise)", "it is graded but checks no exercise"),
        (
            "    ### BEGIN SOLUTION Sub",
            "    # Sub",
            "cell 4 (standardise)",
            "it has 0 lines '### BEGIN SOLUTION' and 1",
        ),
        (CELL, "", "cell 4 (def standardise", 'is not marked "solution": true; students would see the solution'),
        ('"grade_id": "standardise"', '"grade_id": "standardize"', "cell 4 (standardize)", "expected 'standardise'"),
        ("### 1.2 Windows", "### 1.1 Windows", "cell 6 (", "a second section 1.1; the first is in cell 3"),
        ("**Exercise 2.**", "**Exercise 1.**", "cell 6 (", "a second exercise 1; the first is in cell 3"),
        ('"check-moving_average"', '"check-standardise"', "cell 5 (check-", "'check-standardise' stands 2 times"),
        (
            "def standardise(x):",
            "def standard(x):",
            "there is no solution",
            "no solution cell that defines standardise",
        ),
    ],
)
def test_a_source_that_must_not_be_built_is_refused_in_a_sentence(changed, old, new, where, told):
    course = changed(old, new)
    with pytest.raises(BuildError) as caught:
        build(course, course.sources()[0])
    line = next((line for line in str(caught.value).splitlines() if told in line), "")
    assert line.startswith(where), caught.value


def test_a_refusal_says_the_file_and_writes_nothing(changed, capsys):
    course = changed("### 1.2 Windows", "### 1.1 Windows")
    assert build_all(course) == 1
    assert (
        "01-averages/averages.py: cell 6 (### 1.1 Windows …): there is a second section 1.1" in capsys.readouterr().err
    )
    assert not course.release.exists()


def test_a_check_above_its_solution_is_refused(changed):
    changed(CHECK, "")
    cell = f"# %%{CELL}"
    course = changed(cell, f"{CHECK}\n{cell}")
    with pytest.raises(BuildError, match=r"cell 4 \(check-standardise\): it stands above cell 5"):
        build(course, course.sources()[0])


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("__init__.py", '"standardise", "moving_average")', '"moving_average",)', "standardise is not in EXERCISES"),
        ("checks/check_standardise.py", "@points(", "@points(0 * ", "give no points; expected @points"),
        ("checks/check_standardise.py", '@exercise("standardise")', '@exercise("x")', "is a check of standardise"),
    ],
)
def test_content_that_does_not_fit_the_source_is_refused_in_a_sentence(second_course, command, file, old, new, told):
    path = second_course.root / "signal_lessons" / "averages" / file
    text = path.read_text(encoding="utf8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf8")
    done = command("autograder", "build", cwd=second_course.root)  # in a process that has imported nothing of it yet
    assert done.returncode == 1
    assert told in done.stderr


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.parent.name)
def test_grading_runs_nothing_but_the_imports_and_the_exercises(lesson):
    """An experiment that is run for its definitions would be run again for every submission of the class."""
    cells = read(lesson.with_suffix(".ipynb"))["cells"]
    needed = [cell for cell, wanted in zip(cells, needed_cells(cells), strict=True) if wanted]
    others = [cell for cell in needed if grade_id(cell) not in OWN.of(lesson.parent.name).exercises]
    others = [cell for cell in others if not _only_defines(source(cell))]
    assert len(others) <= 2, [source(cell)[:60] for cell in others]


def _only_defines(text):
    """Tell whether a cell holds classes and functions alone, which costs nothing."""
    try:
        return all(isinstance(node, ast.ClassDef | ast.FunctionDef) for node in ast.parse(text).body)
    except SyntaxError:  # magics
        return False
