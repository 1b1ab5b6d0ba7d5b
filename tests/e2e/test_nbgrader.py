"""Plain nbgrader commands in a course root, on submissions of every kind."""

import csv
import json
import os
import shutil
import subprocess
from datetime import datetime
from fnmatch import fnmatch
from types import SimpleNamespace

import pytest
from known import points
from traitlets.config import Config

from autograder.authoring.lay_out import lay_out
from autograder.content import notebook as notebooks
from autograder.grading.course import Course
from autograder.nbgrader_plugins import collect as exchange
from autograder.nbgrader_plugins.config import configure

ASSIGNMENT = "01-attention"
POINTS = points(ASSIGNMENT)


def write(path, notebook):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf8")


@pytest.fixture(scope="module")
def course(root, tmp_path_factory):
    """A course root as in the repository: its configuration and its solution notebook."""
    place = tmp_path_factory.mktemp("course")
    lay_out(Course(root), place, [ASSIGNMENT], release=False)
    for path in (root / "solutions" / ASSIGNMENT).iterdir():  # what is not for students, too
        if path.is_file():  # whoever has run a notebook there has a folder of what it keeps
            shutil.copy(path, place / "solutions" / ASSIGNMENT)
    return place


@pytest.fixture(scope="module")
def graded(course, root):
    """Generate, hand in, autograde, make feedback, export; return the course root."""
    import subprocess
    import sys

    def nbgrader(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "nbgrader", *arguments], cwd=course, capture_output=True, text=True
        )

    done = nbgrader("generate_assignment", ASSIGNMENT)
    assert done.returncode == 0, done.stderr
    released = notebooks.read(course / "assignments" / ASSIGNMENT / "attention.ipynb")
    submitted = course / "grading" / "submitted"
    write(submitted / "untouched" / ASSIGNMENT / "attention.ipynb", released)
    solution = {
        notebooks.grade_id(c): c["source"]
        for c in notebooks.read(course / "solutions" / ASSIGNMENT / "attention.ipynb")["cells"]
    }
    for cell in released["cells"]:
        name = notebooks.grade_id(cell)
        if name == "softmax":
            cell["source"] = (
                "import sys, warnings\n"
                "def softmax(E, dim=-1):\n"
                "    warnings.warn('be careful'); print('to stderr', file=sys.stderr)\n"
                "    weights = torch.exp(E - E.amax(dim, keepdim=True))\n"
                "    return weights / weights.sum(dim, keepdim=True)\n"
            )
        elif name == "scaled_dot_product_attention":
            cell["source"] = "".join(solution[name]).replace(" / math.sqrt(Q.shape[-1])", "")
        elif name == "blockwise_attention":
            cell["source"] = "def blockwise_attention(Q, K, V, causal=False, block_size=64:\n    pass"
        elif cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = solution[name] if cell["cell_type"] == "code" else "An answer."
    write(submitted / "mixed" / ASSIGNMENT / "attention.ipynb", released)
    (submitted / "nothing" / ASSIGNMENT).mkdir(parents=True)
    nbgrader("autograde", ASSIGNMENT)
    for step in (("generate_feedback", ASSIGNMENT), ("export",)):
        done = nbgrader(*step)
        assert done.returncode == 0, done.stderr
    return course


@pytest.fixture(scope="module")
def scores(graded):
    """Points by student and cell."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{graded / 'grading' / 'gradebook.db'}") as gradebook:
        return {
            submission.student_id: {
                grade.name: grade for notebook in submission.notebooks for grade in _plain(notebook)
            }
            for submission in gradebook.assignment_submissions(ASSIGNMENT)
        }


def _plain(notebook):
    from types import SimpleNamespace

    return [SimpleNamespace(name=g.name, auto=g.auto_score, manual=g.needs_manual_grade) for g in notebook.grades]


@pytest.mark.e2e
def test_the_release_is_the_committed_one(graded, root):
    for name in ("solutions", "assignments"):
        path = f"{name}/{ASSIGNMENT}/attention.ipynb"
        assert (graded / path).read_bytes() == (root / path).read_bytes()
    assert [p.name for p in (graded / "assignments" / ASSIGNMENT).iterdir()] == ["attention.ipynb"]


def test_files_to_hand_in_are_not_released(root):
    """The solutions' own lie beside their notebooks: checkpoints, and the numbers of experiments."""
    config = Config()
    configure(config, root)
    folders = (folder for folder in (root / "solutions").iterdir() if folder.is_dir())
    beside = {path.name for folder in folders for path in folder.iterdir() if path.suffix != ".ipynb"}
    assert {"results.json", "vit.safetensors", "vit.py"} <= beside
    assert not {name for name in beside if not any(fnmatch(name, kind) for kind in config.CourseDirectory.ignore)}


@pytest.mark.e2e
def test_an_untouched_release_earns_nothing_and_waits_for_nobody(scores):
    assert all(grade.auto == 0 and not grade.manual for grade in scores["untouched"].values())


@pytest.mark.e2e
def test_every_cell_of_a_mixed_submission_gets_its_points(scores):
    grades = scores["mixed"]
    lost = {"scaled_dot_product_attention": 3.0, "blockwise_attention": 0.0}
    assert {name: grades[f"check-{name}"].auto for name in POINTS} == POINTS | lost
    assert all(grades[name].manual for name in ("written-scaling", "written-order"))


@pytest.mark.e2e
def test_the_feedback_page_names_the_misconception(graded):
    page = (graded / "grading" / "feedback" / "mixed" / ASSIGNMENT / "attention.html").read_text(encoding="utf8")
    assert "no scaling" in page
    assert "There is no blockwise_attention yet: no cell that has run defines it." in page
    assert "This experiment was not run for grading." not in page, "experiments that nobody changed are left out"


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("course.toml", "timezon = 'Europe/Vienna'", "got 'timezon'"),
        ("grading/roster.csv", "id,Extention\nmixed,\n", "'Extention'"),
    ],
)
@pytest.mark.parametrize("name", ["autograde", "generate_feedback", "export"])
def test_a_fault_in_what_the_teacher_wrote_stops_a_command_with_a_sentence(graded, command, name, file, text, message):
    (graded / file).write_text(text, encoding="utf8")
    try:
        done = command("nbgrader", name, *[ASSIGNMENT] * (name != "export"), cwd=graded)
    finally:
        (graded / file).unlink()
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.e2e
def test_the_export_has_a_line_for_everyone(graded):
    with open(graded / "grading" / "grades.csv", encoding="utf8", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert set(rows) >= {"mixed", "untouched"}
    assert float(rows["mixed"]["max_score"]) == sum(POINTS.values()) + 4
    assert float(rows["untouched"]["score"]) == 0


@pytest.mark.e2e
def test_the_exchange_loses_nothing_that_is_handed_in(graded, command, tmp_path):
    """nbgrader has one list of what is ignored, which keeps solutions out of the release; weights and modules are handed in."""
    options = [ASSIGNMENT, "--course", "attention", f"--Exchange.root={tmp_path}"]
    for path in tmp_path, tmp_path / "student":
        path.mkdir(exist_ok=True)
        path.chmod(0o777)
    for place, steps in {graded: ["release_assignment"], tmp_path / "student": ["fetch_assignment", "submit"]}.items():
        for step in steps:
            if step == "submit":
                for name in ("vit.safetensors", "utils.py"):
                    (place / ASSIGNMENT / name).write_bytes(b"handed in")
            done = command("nbgrader", step, *options, f"--Exchange.cache={tmp_path / 'cache'}", cwd=place)
            assert not done.returncode, done.stderr
    done = command("nbgrader", "collect", *options, cwd=graded)
    assert not done.returncode, done.stderr
    [collected] = (graded / "grading" / "submitted").glob(f"*/{ASSIGNMENT}/utils.py")
    names = {path.name for path in collected.parent.iterdir()}
    assert names == {"attention.ipynb", "vit.safetensors", "utils.py", "timestamp.txt", "submission_secret.txt"}


@pytest.mark.e2e
def test_the_exchange_gives_away_nothing_and_one_hand_in_stops_no_other(graded, command, tmp_path):
    """Students own what lies in inbound: links would be followed, pipes waited for, and a name without a time would stop all."""
    inbound = tmp_path / "attention" / "inbound"
    inbound.mkdir(parents=True)
    secret = tmp_path / "secret"
    secret.write_text("the teacher's")
    when = "2026-10-05 10:00:00 UTC"
    places = {who: inbound / f"{who}+{ASSIGNMENT}+{when}+x" for who in ("ann", "mallory", "zoe")}
    for place in places.values():
        place.mkdir()
        (place / "timestamp.txt").write_text(when)
        (place / "attention.ipynb").write_text("{}")
    for name, target in {"stolen.txt": secret, "nowhere": "/nowhere", "loop": ".", "all": tmp_path}.items():
        (places["mallory"] / name).symlink_to(target)
    os.mkfifo(places["mallory"] / "pipe")
    places["bill"] = inbound / f"bill+{ASSIGNMENT}+{when}+x"  # folder in folder, too deep for Python's own walk
    deepest = places["bill"]
    deepest.mkdir()
    here = os.open(deepest, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    (inbound / f"eve+{ASSIGNMENT}+never").mkdir()
    (inbound / f"finn+{ASSIGNMENT}+{when}+x").symlink_to(places["ann"])
    done = command(
        "nbgrader", "collect", ASSIGNMENT, "--course", "attention", f"--Exchange.root={tmp_path}", cwd=graded
    )
    assert not done.returncode, done.stderr
    submitted = graded / "grading" / "submitted"
    assert not (submitted / "bill" / ASSIGNMENT).exists()
    for who in ("ann", "mallory", "zoe"):
        names = {path.name for path in (submitted / who / ASSIGNMENT).iterdir()}
        assert names == {"attention.ipynb", "timestamp.txt"}
    assert not (submitted / "eve").exists()
    assert not (submitted / "finn").exists()
    for told in ("stolen.txt", "pipe", "its name does not end with a time", "it is a link or a file"):
        assert told in done.stderr
    subprocess.run(["rm", "-r", places["bill"]], check=True)  # shutil.rmtree, which pytest uses, cannot


def test_a_folder_of_another_student_in_the_exchange_is_not_collected(tmp_path, monkeypatch):
    """Its name says whose it is, and whoever made it chose the name."""
    folder = f"ann+{ASSIGNMENT}+2026-10-05 10:00:00 UTC+x"
    (tmp_path / folder).mkdir()
    record = {"username": "ann", "filename": folder, "timestamp": datetime(2026, 10, 5, 10)}
    plugin = SimpleNamespace(inbound_path=str(tmp_path), check_owner=True)
    for owner, told in {
        "ann": "",
        "root": "",
        "mallory": "it has the name of ann, but belongs to the student mallory",
    }.items():
        monkeypatch.setattr(exchange, "_name_of", lambda user, owner=owner: owner)
        assert exchange.CollectWhole._not_a_hand_in(plugin, record, {"ann", "mallory"}) == told


@pytest.mark.e2e
def test_validate_passes_the_solution_and_fails_the_release(graded, command):
    """On two exercises: what takes long is running them all, which nbval does."""
    wanted = {"softmax", "check-softmax", "causal_mask", "check-causal_mask"}
    for place in ("solutions", "assignments"):
        notebook = notebooks.read(graded / place / ASSIGNMENT / "attention.ipynb")
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        notebook["cells"] = [
            cell for cell in code if notebooks.grade_id(cell) in wanted or "import check\n" in notebooks.source(cell)
        ]
        assert len(notebook["cells"]) == 1 + len(wanted)
        write(graded / f"{place}.ipynb", notebook)
    done = command("nbgrader", "validate", "solutions.ipynb", cwd=graded)
    assert "Success" in done.stdout, done.stdout[-2000:] + done.stderr[-2000:]
    assert "running cell 1 (" in done.stderr, "a sign of life"
    done = command("nbgrader", "validate", "assignments.ipynb", cwd=graded)
    assert "VALIDATION FAILED ON 2 CELL(S)" in done.stdout
    assert "softmax: Not written yet" in done.stdout
    assert "Partial credit" not in done.stdout


@pytest.mark.e2e
def test_validate_names_what_is_wrong_in_a_wrong_answer(graded, command):
    notebook = notebooks.read(graded / "assignments" / ASSIGNMENT / "attention.ipynb")
    wanted = {"softmax", "check-softmax"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    notebook["cells"] = [c for c in cells if notebooks.grade_id(c) in wanted or "import check\n" in notebooks.source(c)]
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) == "softmax":
            cell["source"] = "def softmax(E, dim=-1):\n    return torch.sigmoid(E)"
    write(graded / "wrong.ipynb", notebook)
    done = command("nbgrader", "validate", "wrong.ipynb", cwd=graded)
    assert "VALIDATION FAILED ON 1 CELL(S)" in done.stdout
    assert "softmax: 1 of 7 points; 5 properties fail. Likely cause: sigmoid." in done.stdout


@pytest.mark.parametrize(
    ("text", "written"),
    [("=1+1", "'=1+1"), ("@sum", "'@sum"), ("Ada, Countess", "Ada, Countess"), (None, ""), (-1.5, -1.5)],
)
def test_a_spreadsheet_reads_names_as_names(text, written):
    from autograder.grading.lms.grades import harmless

    assert harmless(text) == written
