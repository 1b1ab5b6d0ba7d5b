"""``autograder progress`` and ``autograder hand-in``: what a student has, and the one file that grading reads."""

import importlib.metadata
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from sample_class import SHARES

from autograder.cli.main import main
from autograder.content import notebook as notebooks
from autograder.content.lesson import Lessons
from autograder.grading.course import find_course
from autograder.grading.run.executors import TrustedExecutor
from autograder.grading.student.locate_lesson import released_for
from autograder.grading.student.submit import contents, pack, read_back
from autograder.grading.student.working_copy import copy_new, find_notebook, open_lab, progress_in, released_notebooks
from autograder.grading.submission.model import from_folder
from autograder.notebook.history import Entry, History
from autograder.sandbox.inside import notebook_stub

SOFTMAX = f"def softmax(E, dim=-1):\n{SHARES}"


@pytest.fixture
def work(root, tmp_path, monkeypatch):
    """A working copy of two lessons, in which softmax is written, and the current folder."""
    folder = tmp_path / "work"
    folder.mkdir()
    for lesson in ("01-attention", "06-captioning"):
        shutil.copytree(root / "assignments" / lesson, folder / lesson)
    edit(folder / "01-attention" / "attention.ipynb", softmax=SOFTMAX)
    monkeypatch.chdir(tmp_path)
    return folder


def edit(path, **texts):
    notebook = notebooks.read(path)
    for cell in notebook["cells"]:
        cell["source"] = texts.get(notebooks.grade_id(cell).replace("-", "_"), cell["source"])
    path.write_text(json.dumps(notebook), encoding="utf8")


@pytest.mark.parametrize("what", ["01-attention", "work/01-attention", "work/01-attention/attention.ipynb"])
def test_a_lesson_is_found_by_its_name_its_folder_and_its_notebook(work, what):
    assert find_notebook(what).resolve() == (work / "01-attention" / "attention.ipynb").resolve()


def test_reports_a_missing_lesson_in_one_sentence(work, capsys):
    assert main(["hand-in", "03-transformer-blocks"]) == 2
    assert capsys.readouterr().err.startswith("autograder: There is no notebook of 03-transformer-blocks here")


def test_progress_lists_every_lesson_here_without_running_anything(work, capsys):
    entry = Entry("softmax", 1.0, "a", 7.0, 7.0, SOFTMAX)
    History(work / "01-attention", "attention").add(entry)
    assert main(["progress"]) == 0
    told = capsys.readouterr().out
    assert "01-attention: 7 of 69 points by your last checks, 0 of 2 written questions answered" in told
    assert told.endswith("work/06-captioning/captioning.ipynb: not begun\n")
    assert main(["progress", "06-captioning"]) == 0
    told = capsys.readouterr().out
    assert "06-captioning: 0 of" in told
    assert "0 of 3 files ready" in told
    assert "No check has been run" in told


def test_progress_loads_no_torch(work):
    code = "import sys\nfrom autograder.cli.main import main\nmain(['progress'])\nprint('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=work, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False", "it answers at once"


def test_the_file_holds_the_notebook_its_weights_and_modules_and_nothing_else(work, root):
    lesson = work / "06-captioning"
    for name in ("captioner.safetensors", "results.json"):
        shutil.copy(root / "solutions" / "06-captioning" / name, lesson)
    (lesson / "mine.py").write_text("x = 1", encoding="utf8")
    (lesson / "secret.txt").write_text("mine", encoding="utf8")
    History(lesson, "captioning").add(Entry("grid_features", 1.0, "a", 6.0, 6.0))
    (lesson / "captioning.ipynb").rename(lesson / "captioning (1).ipynb")
    made = pack(lesson / "captioning (1).ipynb")
    assert made.archive == lesson / "06-captioning.zip"
    with zipfile.ZipFile(made.archive) as archive:
        assert archive.namelist() == ["captioning.ipynb", "captioner.safetensors", "results.json", "mine.py"]
    submission = read_back(made)
    assert set(submission.files) == {"captioner.safetensors", "results.json", "mine.py"}
    assert "✗ missing: no_price.safetensors" in contents(made)
    assert sorted(path.name for path in lesson.iterdir() if path.suffix == ".part") == []


@pytest.mark.parametrize("unpacked", [False, True])
def test_grading_reads_the_file_as_it_is_and_unpacked(work, tmp_path, unpacked):
    made = pack(work / "01-attention" / "attention.ipynb")
    folder = tmp_path / "submitted" / "ada" / "01-attention"
    folder.mkdir(parents=True)
    if unpacked:
        zipfile.ZipFile(made.archive).extractall(folder)
        (folder / ".autograder").mkdir()
        (folder / ".autograder" / "attention.jsonl").write_text("forged", encoding="utf8")
    else:
        shutil.copy(made.archive, folder)
    submission = from_folder("ada", folder, released_for(made.notebook, "01-attention", made.lesson.lessons))
    assert any(notebooks.source(cell) == SOFTMAX for cell in submission.cells)
    assert dict(submission.files) == {}, "the history is not read"


def test_hand_in_lists_what_will_be_graded_and_what_is_missing(work, capsys):
    path = work / "01-attention" / "attention.ipynb"
    wanted = {"softmax", "check-softmax", "attend", "check-attend", "written-scaling"}
    notebook = notebooks.read(path)
    edit(path, written_scaling="Because the softmax saturates.")
    assert main(["hand-in", "01-attention"]) == 0
    told = capsys.readouterr().out
    assert wanted <= {notebooks.grade_id(cell) for cell in notebook["cells"]}
    assert "✓ softmax" in told
    assert "○ attend: not written" in told
    assert "✓ Written question 1: answered; a person marks it" in told
    assert "✗ Written question 2: not answered" in told
    assert "Missing: write attend" in told
    assert "answer written question 2" in told
    total = next(line for line in told.splitlines() if line.startswith("total"))
    assert total.endswith(" 7 of 69")
    assert told.splitlines()[-1] == f"Hand in this one file: {path.with_name('01-attention.zip').resolve()}"


def test_the_file_is_there_before_the_checks_run(work, capsys):
    assert main(["hand-in", "06-captioning", "--no-checks"]) == 0
    assert (work / "06-captioning" / "06-captioning.zip").is_file()
    assert "✗ missing: captioner.safetensors" in capsys.readouterr().out


@pytest.fixture
def hostile(work, tmp_path, monkeypatch):
    """A teacher stands in a hand-in that looks like a course, and whose package of lessons writes a file."""
    lesson = work / "01-attention"
    (lesson / "nbgrader_config.py").touch()
    (lesson / "solutions" / "01-attention").mkdir(parents=True)
    (lesson / "pyproject.toml").write_text('[tool.autograder]\nlessons = "mine"\n', encoding="utf8")
    (lesson / "mine" / "attention" / "checks").mkdir(parents=True)
    (lesson / "mine" / "attention" / "checks" / "check_softmax.py").touch()
    for folder in ("mine", "mine/attention"):
        code = f"open({str(tmp_path / 'ran')!r}, 'w')\nEXERCISES, HANDED_IN = ('softmax',), ()\n"
        (lesson / folder / "__init__.py").write_text(code, encoding="utf8")
    monkeypatch.chdir(lesson)
    return lesson


@pytest.mark.parametrize("command", [["progress"], ["hand-in", "attention.ipynb", "--no-checks"]])
def test_nothing_of_a_hand_in_that_looks_like_a_course_is_run(hostile, tmp_path, capsys, command):
    assert main(command) == 0
    assert "softmax" in capsys.readouterr().out or command[0] == "hand-in"
    assert not (tmp_path / "ran").exists()


def test_a_course_that_is_not_installed_is_refused_with_the_command(hostile, tmp_path, capsys):
    notebook = notebooks.read(hostile / "attention.ipynb")
    notebook["metadata"]["course"] = {"assignment": "01-waves"}
    (hostile / "waves").mkdir()
    (hostile / "waves" / "waves.ipynb").write_text(json.dumps(notebook), encoding="utf8")
    assert main(["hand-in", "waves/waves.ipynb", "--no-checks"]) == 2
    assert "names 'mine' as the package of its lessons, which is not installed" in capsys.readouterr().err
    assert not (tmp_path / "ran").exists()


def test_a_course_inside_a_hand_in_is_not_taken_for_the_course(second_course, monkeypatch):
    place = second_course.grading / "submitted" / "mallory"
    shutil.copytree(second_course.root, place, ignore=shutil.ignore_patterns("grading"))
    monkeypatch.chdir(place)
    assert find_course().root == second_course.root


def test_links_are_followed_in_neither_direction(work, tmp_path, capsys):
    """They may lead to files of the teacher who stands in a hand-in."""
    lesson = work / "06-captioning"
    (tmp_path / "secret").write_bytes(b"secret")
    (lesson / "captioner.safetensors").symlink_to(tmp_path / "secret")
    (lesson / ".06-captioning.zip.part").symlink_to(tmp_path / "secret")
    (lesson / "06-captioning.zip").symlink_to(tmp_path / "secret")
    assert main(["hand-in", "06-captioning", "--no-checks"]) == 0
    told = capsys.readouterr().out
    assert "✗ left out: captioner.safetensors is a symbolic link; copy the file itself here" in told
    with zipfile.ZipFile(lesson / "06-captioning.zip") as archive:
        assert archive.namelist() == ["captioning.ipynb"]
    assert (tmp_path / "secret").read_bytes() == b"secret"
    (tmp_path / "elsewhere" / "mine").mkdir(parents=True)
    moved = (work / "01-attention" / "attention.ipynb").rename(tmp_path / "elsewhere" / "mine" / "attention.ipynb")
    (work / "01-attention" / "attention.ipynb").symlink_to(moved)
    assert main(["hand-in", "01-attention", "--no-checks"]) == 2
    assert "is a symbolic link, which is not followed" in capsys.readouterr().err


def test_does_not_pack_an_invalid_notebook(work, capsys):
    (work / "01-attention" / "attention.ipynb").write_text("{", encoding="utf8")
    assert main(["hand-in", "work/01-attention/attention.ipynb"]) == 2
    assert "is not a Jupyter notebook" in capsys.readouterr().err
    assert not (work / "01-attention" / "01-attention.zip").exists()


def test_options_of_jupyterlab_are_passed_on(root, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(root)
    assert main(["lab", "--folder", str(tmp_path / "mine"), "--", "--version"]) == 0
    assert capfd.readouterr().out.splitlines()[-1] == importlib.metadata.version("jupyterlab")


def test_tells_root_how_to_start_jupyterlab(root, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(root)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert main(["lab", "--folder", str(tmp_path / "mine"), "--"]) == 2
    assert "make lab LAB=--allow-root" in capsys.readouterr().err


def test_reports_a_syntax_error_with_its_line(work, capsys):
    path = work / "01-attention" / "attention.ipynb"
    edit(path, softmax="def softmax(E, dim=-1):\n    return (")
    assert main(["hand-in", "01-attention"]) == 0
    told = capsys.readouterr().out
    assert "✗ softmax stopped with SyntaxError: incomplete input (line 2 of the cell)" in told
    assert "Missing: write attend" in told
    assert "; look at softmax; " in told


def test_options_of_jupyterlab_need_nothing_in_front(root, tmp_path, monkeypatch):
    ran = []
    monkeypatch.chdir(root)
    monkeypatch.setattr(
        "subprocess.run", lambda command, **_: ran.append(command) or subprocess.CompletedProcess(command, 0)
    )
    place = ["--folder", str(tmp_path / "mine")]
    assert main(["lab", *place, "--no-browser", "--allow-root"]) == 0
    assert main(["lab", "--allow-root", "--port", "8899", *place]) == 0
    assert main(["lab", *place, "--", "--allow-root", "--port=9"]) == 0
    assert [command[4:] for command in ran] == [
        ["--no-browser", "--allow-root"],
        ["--allow-root", "--port", "8899"],
        ["--allow-root", "--port=9"],
    ]
    assert main(["progress", "--no-browser"]) == 2


def test_a_working_copy_is_never_overwritten(root, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(root)
    folder = tmp_path / "mine"
    assert open_lab(folder, start=False) == 0
    mine = folder / "01-attention" / "attention.ipynb"
    mine.write_text("mine", encoding="utf8")
    shutil.rmtree(folder / "11-vit")
    assert copy_new(root / "assignments", folder) == ["11-vit"]
    assert mine.read_text(encoding="utf8") == "mine"
    assert (folder / "11-vit" / "vit.ipynb").is_file()


def test_the_notebooks_of_an_installed_package_are_found_where_pip_put_them(root, tmp_path, monkeypatch):
    """Debian's pip puts data below /usr/local while sys.prefix is /usr, and --user below the home."""
    packages, share = tmp_path / "lib" / "dist-packages", tmp_path / "share" / "attention-course" / "assignments"
    shutil.copytree(root / "assignments" / "01-attention", share / "01-attention")
    information = packages / "attention_course-9.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: attention-course\nVersion: 9\n", encoding="utf8"
    )
    record = "../../share/attention-course/assignments/01-attention/attention.ipynb,,\nattention_course-9.dist-info/METADATA,,\n"
    (information / "RECORD").write_text(record, encoding="utf8")
    monkeypatch.syspath_prepend(packages)
    monkeypatch.chdir(tmp_path)  # not in a checkout
    assert released_notebooks() == share


WINDOWS = """
import os, signal, sys
for name in ("resource", "fcntl", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("fork", "killpg", "setsid", "getuid"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGALRM", "setitimer", "getitimer", "ITIMER_REAL", "SIGKILL"):
    if hasattr(signal, name):
        delattr(signal, name)
"""


def test_a_student_needs_nothing_of_linux(work):
    """check, progress and hand-in where resource, fcntl, os.fork and SIGALRM are not there, as on Windows."""
    code = WINDOWS + (
        "from autograder.cli.main import main\n"
        "from autograder import check\n"
        f"exec('import torch\\n' + {SOFTMAX!r})\n"
        "print(check('softmax'))\n"
        "assert main(['progress', '01-attention']) == 0\n"
        "assert main(['check', 'work/01-attention/attention.ipynb', '--exercise', 'softmax']) == 0\n"
        "assert main(['hand-in', '01-attention', '--no-checks']) == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=work.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "7.0" in done.stdout
    assert "7 of 7 points" in done.stdout
    assert (work / "01-attention" / "01-attention.zip").is_file()


def test_a_student_needs_no_nbgrader(work):
    """The light installation has neither nbgrader nor what comes with it."""
    gone = (
        "nbgrader",
        "sqlalchemy",
        "nh3",
        "jinja2",
        "filelock",
        "jupytext",
        "nbconvert",
        "playwright",
        "transformers",
    )
    code = (
        "import sys\n"
        + "".join(f"sys.modules[{name!r}] = None\n" for name in gone)
        + (
            "from autograder.cli.main import main\n"
            "assert main(['progress']) == 0\n"
            "assert main(['check', 'work/01-attention/attention.ipynb', '--exercise', 'softmax']) == 0\n"
            "assert main(['hand-in', '01-attention', '--no-checks']) == 0\n"
        )
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=work.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_where_a_notebook_is_graded_the_panel_shows_nothing_and_keeps_nothing(work, monkeypatch):
    """By a teacher's trusting host, and by `autograder check`; in the sandbox a stand-in does the same."""
    monkeypatch.setenv("JPY_SESSION_NAME", str((work / "01-attention" / "attention.ipynb").resolve()))
    host = TrustedExecutor(Lessons().of("01-attention"), {})
    try:
        calls = {
            "progress": "01-attention",
            "hand_in": "01-attention",
            "practice": "softmax",
            "model_answer": "softmax",
        }
        for call, name in calls.items():
            ran = host.run(f'from autograder import {call}\n{call}("{name}")')
            assert (list(ran.outputs), ran.error) == ([], None)
        ran = host.run('from autograder.lessons.attention import check\ncheck("softmax");')
        assert ran.error is None
        assert not Path(".autograder").exists()
    finally:
        host.close()
    for call, name in calls.items():
        assert getattr(notebook_stub, call)(name) is None


def test_progress_of_nothing_is_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="There is no notebook of the course in this folder"):
        progress_in()
    assert list(Path().iterdir()) == []
