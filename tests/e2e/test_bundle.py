"""What students get holds no answer, and works: as a zip, and as a branch that grows by commits."""

import json
import re
import subprocess
import sys
import zipfile

import pytest
from known import LESSONS, of
from sample_class import hand_in_with

from autograder.authoring.bundle import bundle, contents, leaks, scheme_lines
from autograder.authoring.leaks import solution_lines
from autograder.content import notebook
from autograder.grading.course import Course
from autograder.grading.run.result import checks_version

ONE = ["01-attention"]
[MISTAKE] = [case for case in of("softmax", False) if case.name == "base_two"]


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


def test_every_file_that_its_readme_names_is_in_it(root, files):
    text = files["README.md"].decode()
    named = {*re.findall(r"\]\((?!https?:)([^)#]+)\)", text), *re.findall(r"`([\w./-]+)`", text)}
    here = {name.rstrip("/") for name in named if (root / name).exists() and (root / name) != root}
    here -= {".autograder", "work", "grading", "demo", "site", "bench.json"}  # made by commands that were tried here
    assert {"docs/experiment.png", "Dockerfile", "binder", ".devcontainer"} <= here
    assert [name for name in here if name not in files and not any(each.startswith(f"{name}/") for each in files)] == []
    assert re.search(r"^lab:", files["Makefile"].decode(), re.MULTILINE), "make lab"


def test_an_editable_install_of_it_finds_its_notebooks(root, files, tmp_path):
    """That is what its Makefile and environment.yml make."""
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    lab = [sys.executable, "-m", "autograder", "lab", "--no-start"]
    done = subprocess.run(lab, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "1 new lessons" in done.stdout
    assert (tmp_path / "work" / "01-attention" / "attention.ipynb").is_file()


def test_contains_no_answer(root, files):
    assert leaks(Course(root), files) == []
    for name in files:
        assert not name.startswith(("solutions/", "tests/", "grading/")), name
        assert not name.startswith("docs/") or name.endswith(".png"), name
        assert "/right/" not in name
        assert not name.endswith("sample_class.py")


def test_known_answers_and_references_are_packed(files):
    inside = [name for name in files if name.startswith("autograder/lessons/attention/")]
    assert "autograder/lessons/attention/answers.pack" in inside
    assert not [name for name in inside if name.endswith((".diff", "references.py"))]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("course_lib/notes.py", "<scheme>", "holds a line of a mark scheme"),
        ("assignments/01-attention/attention.ipynb", "<line>", "holds a line of the solution"),
        ("assignments/01-attention/x.py", "### BEGIN SOLUTION", "holds a region of a solution"),
        ("course_lib/notes.py", "<right>", "holds lines of an answer to scaled_dot_product_attention"),
        ("autograder/lessons/attention/answers/softmax.diff", "<wrong>", "holds lines of an answer to"),
        ("assignments/01-attention/solved.py", "<solution>", "holds lines of an answer to SelfAttention"),
    ],
)
def test_every_kind_of_leak_is_found(root, files, name, text, told):
    course = Course(root)
    scheme = scheme_lines((root / "solutions" / ONE[0] / "attention.py").read_text(encoding="utf8"))
    assert len(scheme) >= 2
    [right, *_] = of("scaled_dot_product_attention", True)
    [solved] = [text for name, text in solution_cells(course) if name == "SelfAttention"]
    wrong = (
        root / "autograder" / "lessons" / "attention" / "answers" / "scaled_dot_product_attention.diff"
    ).read_text()
    texts = {"<scheme>": scheme[0], "<line>": _line_of_solution(course), "<right>": right.text, "<wrong>": wrong}
    for mark, put in {
        **texts,
        "<solution>": solved.replace("### BEGIN SOLUTION", "").replace("### END SOLUTION", ""),
    }.items():
        text = text.replace(mark, put)
    assert any(told in one for one in leaks(course, {**files, name: text.encode()}))


def solution_cells(course):
    """Yield the name and the text of each exercise's cell in the solution."""
    for cell in notebook.read(course.solution_notebook(ONE[0]))["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution") and cell["cell_type"] == "code":
            yield notebook.grade_id(cell), notebook.source(cell)


def _line_of_solution(course):
    lines = [line for _, text in solution_cells(course) for line in solution_lines({"source": text})]
    return max(lines, key=len)


@pytest.mark.slow
def test_the_zip_checks_a_notebook_by_itself(root, tmp_path):
    """In a folder where nothing else of the course is."""
    [line] = bundle(Course(root), ONE, tmp_path / "course.zip", None)
    assert "01-attention" in line
    with zipfile.ZipFile(tmp_path / "course.zip") as archive:
        archive.extractall(tmp_path)
    place = tmp_path / "course"

    def python(*words, expected=0):
        done = subprocess.run(
            [sys.executable, *words], cwd=place, env={"PYTHONPATH": "."}, capture_output=True, text=True
        )
        assert done.returncode == expected, done.stderr
        return done.stdout

    assert "Run a notebook and check its exercises" in python("-m", "autograder", "--help")
    code = "import autograder; from autograder.content.lesson import Lessons; print(autograder.__file__, len(Lessons().all()))"
    assert python("-c", code).split() == [str(place / "autograder" / "__init__.py"), str(len(LESSONS.all()))]
    hand_in_with(root / "solutions" / ONE[0] / "attention.ipynb", tmp_path / "mine", "softmax", MISTAKE.text)
    told = python(
        "-m", "autograder", "check", str(tmp_path / "mine" / "attention.ipynb"), "--json", "--seed", "3", expected=1
    )
    exercises = {one["name"]: one for one in json.loads(told[told.index("{") :])["exercises"]}
    assert [name for name, one in exercises.items() if one["earned"] < one["points"]] == ["softmax"]
    assert exercises["softmax"]["named"] == [MISTAKE.title]


def test_a_version_is_the_same_packed(root, tmp_path, monkeypatch):
    """Results that were stored by a checkout hold in an installed package."""
    copy = tmp_path / "course"
    for name, data in contents(Course(root), ONE).items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(data)
    code = (
        "from autograder.content.lesson import Lessons; from autograder.grading.run.result import checks_version as v;"
        " print(v(Lessons()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=copy, env={"PYTHONPATH": "."}, capture_output=True, text=True
    )
    assert done.stdout.strip() == checks_version(LESSONS), done.stderr


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
    with pytest.raises(LookupError, match="There is no assignment '99-nothing'"):
        bundle(Course(root), ["99-nothing"], tmp_path / "a.zip", None)


def test_reports_what_a_folder_that_only_grades_lacks(second_course):
    (second_course.release / "01-averages").mkdir(parents=True)
    (second_course.release / "01-averages" / "averages.ipynb").write_text("{}", encoding="utf8")
    with pytest.raises(
        LookupError, match=r"lacks constraints\.txt, LICENSE, README\.md\. Make the bundle in a checkout"
    ):
        contents(second_course, ["01-averages"])
