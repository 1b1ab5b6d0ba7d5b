"""What students get holds no answer, and works: as a zip, and as a branch that grows by commits."""

import subprocess
import sys
import zipfile

import pytest
from known import LESSONS

from autograder.authoring.bundle import bundle, contents, leaks, scheme_lines, whole_text
from autograder.content.known_answers import cases_of, read_entries
from autograder.grading.course import Course

ONE = ["01-attention"]


@pytest.fixture(scope="module")
def files(root):
    return contents(Course(root), ONE)


def test_bundle_contains_assignments_package_and_data(files):
    assert "assignments/01-attention/attention.ipynb" in files
    assert not [name for name in files if name.startswith("assignments/") and "01-attention" not in name]
    assert {"pyproject.toml", "constraints.txt", "LICENSE", "README.md", "course_lib/__init__.py"} <= files.keys()
    assert [name for name in files if name.startswith("course_lib/data/") and name.endswith(".py")]
    assert b"## For a student" in files["README.md"]
    assert b"nbgrader autograde" not in files["README.md"], "the teacher's part stays here"


def test_contains_no_answer(root, files):
    assert leaks(Course(root), files) == []
    for name in files:
        assert not name.startswith(("solutions/", "tests/", "grading/", "docs/")), name
        assert "/right/" not in name
        assert not name.endswith("sample_class.py")


def test_the_known_mistakes_are_whole_texts_and_the_same(root, files):
    """Students' own checks name the same mistakes with the same hints."""
    course = Course(root)
    for exercise in course.lessons.of(ONE[0]).exercises:
        own = {case.name: case for case in cases_of(course.lessons.of(ONE[0]), exercise) if not case.right}
        name = f"autograder/lessons/attention/answers/{exercise}.diff"
        given = {entry.name: entry for entry in read_entries(files[name].decode(), name)}
        assert own.keys() == given.keys()
        for mistake, case in own.items():
            entry = given[mistake]
            assert (entry.text, entry.hint, entry.why, entry.right) == (case.text, case.hint, case.why, False)
            assert read_entries(whole_text(entry), "")[0] == entry


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("course_lib/notes.py", "<scheme>", "holds a line of a mark scheme"),
        ("assignments/01-attention/attention.ipynb", "<line>", "holds a line of the solution"),
        ("assignments/01-attention/x.py", "### BEGIN SOLUTION", "holds a region of a solution"),
        ("autograder/lessons/attention/answers/softmax.diff", "@@ by_hand (right) @@ x\n|y", "holds a right answer"),
    ],
)
def test_every_kind_of_leak_is_found(root, files, name, text, told):
    course = Course(root)
    scheme = scheme_lines((root / "solutions" / ONE[0] / "attention.py").read_text(encoding="utf8"))
    assert len(scheme) >= 2
    text = text.replace("<scheme>", scheme[0]).replace("<line>", _line_of_solution(course))
    assert any(told in one for one in leaks(course, {**files, name: text.encode()}))


def _line_of_solution(course):
    from autograder.authoring.leaks import solution_lines
    from autograder.content import notebook

    cells = notebook.read(course.solution_notebook(ONE[0]))["cells"]
    lines = [
        line
        for cell in cells
        if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code"
        for line in solution_lines(cell)
    ]
    return max(lines, key=len)


def test_the_zip_checks_a_notebook_by_itself(root, tmp_path):
    """In a folder where nothing else of the course is."""
    [line] = bundle(Course(root), ONE, tmp_path / "course.zip", None)
    assert "01-attention" in line
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        archive.extractall(tmp_path)
    code = "import autograder; from autograder.content.lesson import Lessons; print(autograder.__file__, len(Lessons().all()))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "course", env={"PYTHONPATH": "."}, capture_output=True, text=True
    )
    shown = subprocess.run(
        [sys.executable, "-m", "autograder", "--help"],
        cwd=tmp_path / "course",
        env={"PYTHONPATH": "."},
        capture_output=True,
        text=True,
    )
    assert "Run a notebook and check its exercises" in shown.stdout, shown.stderr
    assert done.stdout.split() == [str(tmp_path / "course" / "autograder" / "__init__.py"), str(len(LESSONS.all()))], (
        done.stderr
    )


def test_the_branch_grows_and_the_working_tree_stays(root, tmp_path):
    def git(*arguments):
        done = subprocess.run(["git", *arguments], cwd=place, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    place = tmp_path / "private"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", root, place], check=True)
    git("config", "user.name", "T")
    git("config", "user.email", "t@example.org")
    course = Course(place)
    assert "is at" in bundle(course, ONE, tmp_path / "a.zip", "students")[1]
    names = git("ls-tree", "-r", "--name-only", "students").splitlines()
    assert "assignments/01-attention/attention.ipynb" in names
    assert not [name for name in names if name.startswith("solutions")]
    assert git("status", "--porcelain") == ""
    assert "holds this already" in bundle(course, ONE, tmp_path / "a.zip", "students")[1]
    (place / "LICENSE").write_text("changed", encoding="utf8")
    bundle(course, ONE, tmp_path / "a.zip", "students")
    assert git("rev-list", "--count", "students") == "2"
    git("branch", "-q", "-D", "students")
    git("branch", "-q", "-m", "students")  # the one that is checked out
    with pytest.raises(ValueError, match="is checked out"):
        bundle(course, ONE, tmp_path / "a.zip", "students")


def test_reports_a_missing_release(root, tmp_path):
    with pytest.raises(LookupError, match="no released notebook"):
        bundle(Course(root), ["99-nothing"], tmp_path / "a.zip", None)
