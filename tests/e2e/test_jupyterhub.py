"""One round of a course in a JupyterHub with nbgrader's exchange: release, fetch, submit, collect, grade, feedback."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import hub
import pytest
from known import COURSE, LESSONS, points
from whole_way import in_gradebook, with_files

from autograder.authoring.lay_out import lay_out
from autograder.grading.course import Course
from autograder.sandbox.outside import bubblewrap

ROOT = Path(__file__).resolve().parents[2]
ASSIGNMENT = "11-vit"
PROXY = shutil.which("configurable-http-proxy")
MISSING = [
    what
    for what, there in {
        "jupyterhub": importlib.util.find_spec("jupyterhub"),
        "configurable-http-proxy, from npm": PROXY,
        "root, for users of its own": os.name == "posix" and os.geteuid() == 0,
    }.items()
    if not there
]

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.nightly(reason="needs JupyterHub, its proxy from npm, and root"),
    pytest.mark.skipif(bool(MISSING), reason=f"this needs {', '.join(MISSING)}"),
]


def opened(paths: Iterable[Path]) -> list[str]:
    """Return mounts that let everyone reach these paths, such as a Python below ``/root``."""
    mounts = []
    for path in paths:
        closed = [parent for parent in path.parents if not parent.stat().st_mode & 0o005]
        if closed:
            between = [parent for parent in reversed(path.parents) if closed[-1] in parent.parents]
            mounts += ["--tmpfs", str(closed[-1])]
            mounts += [part for parent in between for part in ("--perms", "0755", "--dir", str(parent))]
            mounts += ["--ro-bind", str(path), str(path)]
    return mounts


def machine(place: Path) -> list[str]:
    """Return the start of a command that runs on this machine with users, homes and a configuration of its own."""
    own = {"passwd", "group", "shadow", "jupyter"}
    etc = [
        part
        for path in sorted(Path("/etc").iterdir())
        if path.name not in own
        for part in ("--ro-bind-try", *[str(path)] * 2)
    ]
    mounts = [
        "--dev-bind",
        "/",
        "/",
        "--tmpfs",
        "/etc",
        *etc,
        *opened({Path(sys.base_prefix).resolve(), Path(sys.prefix), ROOT}),
    ]
    for inside in ("/etc/passwd", "/etc/group", "/etc/jupyter", "/home", "/srv"):
        mounts += ["--bind", str(place / inside.lstrip("/")), inside]
    return [bubblewrap.find(), *mounts, "--unshare-net", "--die-with-parent", "--cap-add", "ALL"]


def configuration(root: Path) -> str:
    """Return what the guide tells whoever runs the hub to write."""
    text = (root / "docs" / "teaching-week.md").read_text(encoding="utf8")
    [block] = re.findall(r"`/etc/jupyter/nbgrader_config\.py`.*?```python\n(.*?)```", text, re.DOTALL)
    return block


@pytest.fixture(scope="module")
def place(root, tmp_path_factory) -> Path:
    """The files of that machine: users, the teacher's course, what ada (all right) and bob (no weights) write."""
    place = tmp_path_factory.mktemp("hub")
    users = {"root": 0, **hub.USERS}
    for folder in ("etc/jupyter", "srv/nbgrader/exchange", "srv/jupyterhub", "home"):
        (place / folder).mkdir(parents=True)
    (place / "srv/nbgrader/exchange").chmod(0o777)
    homes = {name: "/root" if not uid else f"/home/{name}" for name, uid in users.items()}
    (place / "etc/passwd").write_text("".join(f"{n}:x:{uid}:{uid}::{homes[n]}:/bin/sh\n" for n, uid in users.items()))
    (place / "etc/group").write_text("".join(f"{n}:x:{uid}:\n" for n, uid in users.items()))
    (place / "etc/jupyter/nbgrader_config.py").write_text(configuration(root))
    lay_out(COURSE, place / "home/teacher/course", [ASSIGNMENT])
    shutil.copy(root / "nbgrader_config.py", place / "home/teacher/course")
    solution = COURSE.solution_notebook(ASSIGNMENT)
    for student in hub.STUDENTS:
        work = place / "home" / student / "work"
        (work / ".autograder").mkdir(parents=True)
        (work / ".autograder" / "history.json").write_text("{}")
        shutil.copy(solution, work)
    for name in LESSONS.of(ASSIGNMENT).handed_in:
        shutil.copy(solution.parent / name, place / "home/ada/work")
    for name, uid in hub.USERS.items():
        subprocess.run(["chown", "-R", f"{uid}:{uid}", place / "home" / name], check=True)
    return place


@pytest.fixture(scope="module")
def told(root, place) -> dict:
    """What everyone in the hub has seen, and what the teacher's commands printed."""
    environment = {name: os.environ[name] for name in ("PATH", "OMP_NUM_THREADS", "LANG") if name in os.environ}
    program = [*machine(place), sys.executable, root / "tests" / "helpers" / "hub.py", PROXY, ASSIGNMENT]
    done = subprocess.run(program, cwd="/", capture_output=True, text=True, env=environment)
    assert not done.returncode, done.stdout + done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_students_see_the_lesson_fetch_it_and_submit_their_work(told):
    assert "Released as: attention 11-vit" in told["released"]
    for student in hub.STUDENTS:
        [seen] = told[f"{student} sees"]["value"]
        assert (seen["assignment_id"], seen["status"]) == (ASSIGNMENT, "released")
        [fetched] = told[f"{student} fetches"]["value"]
        assert fetched["status"] == "fetched"
        assert "exit status 0" in told[f"{student} works"]
        assert {"fetched", "submitted"} == {one["status"] for one in told[f"{student} submits"]["value"]}


def test_collects_files_beside_the_notebook_but_not_the_history(told, place):
    assert "exit status 0" in told["collected"]
    submitted = place / "home/teacher/course/grading/submitted"
    notebook = COURSE.solution_notebook(ASSIGNMENT).name
    by_nbgrader = {"timestamp.txt", "submission_secret.txt"}
    for student, files in {"ada": {notebook, *LESSONS.of(ASSIGNMENT).handed_in}, "bob": {notebook}}.items():
        assert {path.name for path in (submitted / student / ASSIGNMENT).iterdir()} == files | by_nbgrader
    assert not list((place / "srv/nbgrader/exchange").rglob(".autograder"))


def test_the_points_are_in_the_gradebook_and_on_the_pages_that_the_students_get(told, place):
    assert "2 graded (2 now, 0 before), 0 need a human, 0 failed" in told["graded"]
    full = points(ASSIGNMENT)
    earned = in_gradebook(Course(place / "home/teacher/course"), ASSIGNMENT)
    assert earned["ada"] == full
    assert [earned["bob"][name] for name in with_files(ASSIGNMENT)] == [0.0]
    for student, scores in earned.items():
        fetched = told[f"{student} gets"]["value"][-1]["local_feedback_path"]
        [page] = (place / "home" / student / fetched).glob("*.html")
        assert f"<b>{sum(scores.values()):g} of {sum(full.values()):g} points</b>" in page.read_text(encoding="utf8")
