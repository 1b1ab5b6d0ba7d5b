"""From source to release: the same bytes each time, nothing leaks, and an unfit lesson is refused."""

import ast
import json
import re
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pytest
from known import LESSONS as OWN
from known import points

from autograder.authoring.build import BuildError, build, build_all, differences, write
from autograder.authoring.leaks import leaked_lines
from autograder.cli.main import main
from autograder.content.notebook import dependencies, experiment_mark, fingerprint, grade_id, read, source
from autograder.grading.course import find_course

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


def test_committed_notebooks_are_up_to_date(built):
    assert list(differences(built)) == []


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


def release_that_earns(text):
    """Return the source with the first exercise solved outside the region that students do not see."""
    region = "    ### BEGIN SOLUTION Subtract the mean, divide by the standard deviation.\n"
    body = "    centred = x - x.mean()\n    return centred / (centred**2).mean().sqrt()\n"
    end = "    ### END SOLUTION\n"
    assert region + body + end in text
    stub = f"    if x is None:\n    {region}        return None\n    {end}{body}"
    return text.replace(region + body + end, stub)


@pytest.mark.slow
def test_the_lessons_asked_for_are_graded_and_each_is_written_or_refused(second_course, monkeypatch, capsys):
    """The second's solution is wrong, the third's release is right, and the fourth is not asked for."""
    [source] = second_course.sources()
    text = source.read_text(encoding="utf8")
    unbiased = text.replace("(centred**2).mean().sqrt()", "centred.std()")
    assert unbiased != text
    for number, content in ((2, unbiased), (3, release_that_earns(text)), (4, text)):
        path = second_course.solutions / f"0{number}-averages" / source.name
        path.parent.mkdir()
        path.write_text(content, encoding="utf8")
    monkeypatch.setattr("autograder.authoring.build.cpu_count", lambda: 1)
    assert build_all(second_course, only=["01-averages", "02-averages", "03-averages"]) == 1
    told = capsys.readouterr()
    assert told.out.splitlines() == [
        "01-averages: built; the solution earns every point and the untouched release none"
    ]
    lost, won = [line.rstrip() for line in told.err.splitlines() if "averages.py: " in line]
    assert lost.endswith("02-averages/averages.py: The solution does not earn every point: standardise")
    assert won.endswith("03-averages/averages.py: The untouched release earns points: standardise")
    assert [path.name for path in second_course.release.iterdir()] == ["01-averages"]
    assert [path.parent.name for path in second_course.solutions.glob("*/*.ipynb")] == ["01-averages"]


@pytest.fixture
def in_this_process(monkeypatch):
    """What is refused before it is graded is built in this process, not in one of nbgrader's."""
    monkeypatch.setattr("autograder.authoring.build.ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))


@pytest.mark.usefixtures("in_this_process")
def test_notices_an_edited_built_file(second_course, capsys):
    built = build(second_course, second_course.sources()[0])
    assert build_all(second_course, only_check=True) == 1
    assert "averages.ipynb is missing." in capsys.readouterr().err
    write(built)
    assert list(differences(built)) == []
    built.release_path.write_text(built.release.replace("Windows", "Doors"), encoding="utf8")
    assert build_all(second_course, only_check=True) == 1
    told = capsys.readouterr().err
    assert f"{built.release_path} is not what its source builds." in told
    assert "Run `autograder build` and commit what it writes." in told


def test_a_lesson_that_is_not_there_is_a_clear_error(second_course):
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
        ('"check-moving_average"', '"check-standardise"', "cell 5 (check-", "'check-standardise' occurs 2 times"),
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


@pytest.mark.usefixtures("in_this_process")
def test_a_refusal_says_the_file_and_writes_nothing(changed, monkeypatch, capsys):
    course = changed("### 1.2 Windows", "### 1.1 Windows")
    monkeypatch.chdir(course.root)
    assert main(["build"]) == 1
    assert (
        "01-averages/averages.py: cell 6 (### 1.1 Windows …): there is a second section 1.1" in capsys.readouterr().err
    )
    assert not course.release.exists()


def test_a_check_above_its_solution_is_refused(changed):
    changed(CHECK, "")
    cell = f"# %%{CELL}"
    course = changed(cell, f"{CHECK}\n{cell}")
    with pytest.raises(BuildError, match=r"cell 4 \(check-standardise\): it comes before cell 5"):
        build(course, course.sources()[0])


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("__init__.py", '("standardise", "moving_average"', '("moving_average"', "standardise is not in EXERCISES"),
        ("checks/check_standardise.py", "@points(", "@points(0 * ", "give no points; expected @points"),
        ("checks/check_standardise.py", '@exercise("standardise")', '@exercise("x")', "is a check of standardise"),
    ],
)
def test_content_that_does_not_fit_the_source_is_refused_in_a_sentence(second_course, file, old, new, told):
    path = second_course.root / "signal_lessons" / "averages" / file
    text = path.read_text(encoding="utf8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf8")
    with pytest.raises(BuildError, match=re.escape(told)):
        build(second_course, second_course.sources()[0])


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.parent.name)
def test_grading_runs_nothing_but_the_imports_and_the_exercises(lesson):
    """An experiment that is run for its definitions would be run again for every submission of the class."""
    cells = read(lesson.with_suffix(".ipynb"))["cells"]
    needed = [cell for cell, wanted in zip(cells, dependencies(cells), strict=True) if wanted]
    others = [cell for cell in needed if grade_id(cell) not in (*OWN.of(lesson.parent.name).exercises, "predicted")]
    others = [cell for cell in others if not _only_defines(source(cell))]
    assert len(others) <= 2, [source(cell)[:60] for cell in others]


def _only_defines(text):
    """Tell whether a cell holds classes and functions alone, which costs nothing."""
    try:
        return all(isinstance(node, ast.ClassDef | ast.FunctionDef) for node in ast.parse(text).body)
    except SyntaxError:  # magics
        return False
