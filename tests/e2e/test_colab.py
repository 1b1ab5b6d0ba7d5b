"""The wheel in a fresh environment of its own: the released notebook, as in Colab, and the workers of a cluster."""

import importlib.util
import json
import os
import subprocess
import sys
import types
import venv
import zipfile

import pytest
from cluster import Cluster
from known import ASSIGNMENTS as LESSONS
from whole_way import full, in_gradebook, lay_out, run

from autograder.authoring.every_notebook import SET_UP
from autograder.authoring.leaks import answer_runs, answers_in
from autograder.content import notebook as notebooks
from autograder.grading.course import Course, find_course

RELEASE = "assignments/01-attention/attention.ipynb"

nightly = pytest.mark.nightly(reason="a fresh environment with PyTorch in it takes minutes")


def set_up_in(root):
    """Return the text of the set-up cell, the first of all code cells."""
    cells = notebooks.read(root / RELEASE)["cells"]
    return notebooks.source(next(cell for cell in cells if cell["cell_type"] == "code"))


def test_the_first_cell_installs_from_the_one_address(root):
    text = set_up_in(root)
    assert text == SET_UP.format(package=find_course().package, repository=find_course().repository)
    assert text.count(find_course().repository) == 2, "once to install, once in the sentence of what went wrong"


def test_a_link_below_the_title_of_every_notebook_opens_it_in_colab(root):
    for assignment in LESSONS:
        [path] = (root / "assignments" / assignment).glob("*.ipynb")
        head = notebooks.source(notebooks.read(path)["cells"][1])
        place = find_course().repository.removeprefix("https://github.com/")
        assert head.startswith("[Open in Colab]("), path
        assert f"colab.research.google.com/github/{place}/blob/main/assignments/{assignment}/{path.name}" in head


def run_set_up(root, monkeypatch, capsys, in_colab, installed, pip=None):
    """Run the set-up cell in a stand-in for an environment; return what it printed and the commands that it ran."""
    commands = []

    def run(command, **_):
        commands.append(command)
        return pip

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if installed else None)
    monkeypatch.setattr(subprocess, "run", run)
    if in_colab:
        monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    exec(set_up_in(root), {})
    return capsys.readouterr().out, commands


def test_the_first_cell_does_nothing_where_the_course_is_there(root, monkeypatch, capsys):
    for in_colab in (False, True):
        assert run_set_up(root, monkeypatch, capsys, in_colab, installed=True) == ("", [])


def test_in_colab_the_first_cell_installs_without_the_words_of_pip(root, monkeypatch, capsys):
    done = types.SimpleNamespace(returncode=0, stderr="WARNING: a long list")
    told, [command] = run_set_up(root, monkeypatch, capsys, True, installed=False, pip=done)
    assert told == "Installing the course, which takes about a minute …\n"
    assert command[1:5] == ["-m", "pip", "install", "--quiet"]
    assert command[5] == f"{find_course().package} @ git+{find_course().repository}"


def test_reports_an_unreachable_address_in_one_sentence(root, monkeypatch, capsys):
    failed = types.SimpleNamespace(returncode=1, stderr="a\nfatal: unable to access\n")
    told, _ = run_set_up(root, monkeypatch, capsys, True, installed=False, pip=failed)
    [_, sentence] = told.splitlines()
    where = find_course().repository
    assert sentence.startswith(f"The course could not be installed from {where} (fatal: unable to access).")


def test_reports_a_kernel_of_another_environment_in_one_sentence(root, monkeypatch, capsys):
    told, commands = run_set_up(root, monkeypatch, capsys, False, installed=False)
    assert commands == []
    [sentence] = told.splitlines()
    assert sys.executable in sentence
    assert "Kernel > Change Kernel" in sentence


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory):
    place = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        place,
        root,
    ]
    subprocess.run(command, check=True, capture_output=True)
    [path] = place.glob("*.whl")
    return path


def test_the_wheel_holds_known_answers_packed_and_no_solutions(root, wheel):
    archive = zipfile.ZipFile(wheel)
    names = archive.namelist()
    assert "autograder/lessons/attention/answers.pack" in names
    assert not [name for name in names if "/lessons/" in name and name.endswith((".diff", "references.py"))]
    secret = answer_runs(Course(root))
    assert len(secret) > 1000
    assert [(name, *found) for name in names for found in answers_in(secret, name, archive.read(name))] == []
    assert not [name for name in names if "/right/" in name or name.startswith(("solutions", "tests", "assignments"))]
    assert "autograder/lessons/attention/checks/check_softmax.py" in names


@pytest.fixture(scope="module")
def place(root, tmp_path_factory):
    """An environment with what Colab brings along: a notebook's kernel and the large packages, in its own versions."""
    made = tmp_path_factory.mktemp("fresh") / "env"
    venv.create(made, with_pip=True)
    install(root, made, "torch==2.13.0", "numpy", "matplotlib", "ipykernel", "nbclient", "nbformat")
    return made


def install(root, place, *packages):
    command = [place / "bin" / "python", "-m", "pip", "install", "--quiet", "--constraint", root / "constraints.txt"]
    subprocess.run([*command, *packages], check=True)


@nightly
def test_the_notebook_runs_in_a_fresh_environment_with_a_stand_in_for_colab(root, place, wheel, tmp_path):
    """The first cell's pip is led to the wheel by a stand-in for git's address; everything else is as in Colab."""
    python = place / "bin" / "python"
    notebook = json.loads((root / RELEASE).read_text(encoding="utf8"))
    stand_in = "import sys, types; sys.modules['google.colab'] = types.ModuleType('google.colab')"
    answer = "def softmax(E, dim=-1):\n    return torch.exp(E - torch.logsumexp(E, dim, keepdim=True))"
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    first, imports = cells[0]["source"], cells[1]["source"]
    address = f"git+{find_course().repository}"
    assert address in "".join(first)
    texts = [
        stand_in,
        "".join(first).replace(f"attention-course @ {address}", str(wheel)),
        imports,
        answer,
        'check("softmax")',
    ]
    script = tmp_path / "run.py"
    script.write_text(
        "import json, nbformat, nbclient\n"
        f"cells = [nbformat.v4.new_code_cell(''.join(text)) for text in {texts!r}]\n"
        "notebook = nbformat.v4.new_notebook(cells=cells)\n"
        "nbclient.NotebookClient(notebook, timeout=600, kernel_name='python3').execute()\n"
        "print(json.dumps([o['data']['text/plain'] for o in notebook.cells[-1].outputs]))\n",
        encoding="utf8",
    )
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "JUPYTER"))
    }
    environment["PATH"] = f"{place / 'bin'}{os.pathsep}{environment['PATH']}"
    # Colab's %pip asks no constraints; here they keep pip from fetching another, much larger torch.
    environment["PIP_CONSTRAINT"] = str(root / "constraints.txt")
    done = subprocess.run([python, script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    table, points = json.loads(done.stdout.splitlines()[-1])
    assert "7 of 7 points" in table
    assert points == "7.0"


@pytest.mark.sandbox
@nightly
def test_a_cluster_of_installed_workers_gives_every_lesson_the_same_points(root, place, wheel, tmp_path):
    """Two workers with four threads each, which have the course from the wheel and not from a checkout."""
    install(root, place, f"attention-course[cluster] @ {wheel.as_uri()}")
    (tmp_path / "cluster").mkdir()
    cluster = Cluster(tmp_path / "cluster", str(place / "bin" / "python"))
    try:
        for _ in range(2):
            cluster.worker(4)
        for lesson in LESSONS:
            (tmp_path / lesson).mkdir()
            course = lay_out(tmp_path / lesson, lesson)
            told = run(course.root, "autograder", "grade", lesson, "--scheduler", cluster.address)
            points = in_gradebook(course, lesson)
            assert f"{len(points)} graded ({len(points)} now, 0 before), 0 need a human, 0 failed" in told
            assert points["solution"] == full(lesson)
            assert "Nobody's points would change" in run(
                course.root, "autograder", "grade", lesson, "--force", "--diff"
            ), "and what is graded here gets the same points"
            told = run(course.root, "autograder", "grade", lesson)
            assert f"{len(points)} graded (0 now, {len(points)} before)" in told, "both have the same checks"
            assert in_gradebook(course, lesson) == points
    finally:
        cluster.close()
