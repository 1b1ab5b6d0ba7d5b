"""The zip for Gradescope, tried in the documented folder layout, and what it says when nothing can be sealed."""

import json
import os
import stat
import subprocess
import sys
import zipfile

import pytest
import readers
from sample_class import SHARES

from autograder.content import notebook as notebooks
from autograder.grading.course import Course
from autograder.grading.gradescope import container
from autograder.grading.gradescope.zip_file import build

pytestmark = pytest.mark.e2e

ASSIGNMENT = "01-attention"


@pytest.fixture(scope="module")
def built(root, tmp_path_factory):
    return build(Course(root), ASSIGNMENT, tmp_path_factory.mktemp("zip") / "autograder.zip")


def unpacked(path, place):
    """Lay out a container: the zip in ``source``, and beside it the folders that Gradescope makes."""
    with zipfile.ZipFile(path) as archive:
        archive.extractall(place / "source")
    (place / "results").mkdir()
    (place / "submission").mkdir()
    return place


def hand_in(place, root, text):
    notebook = notebooks.read(root / "assignments" / ASSIGNMENT / "attention.ipynb")
    for cell in notebook["cells"]:
        if notebooks.grade_id(cell) == "softmax":
            cell["source"] = text
    (place / "submission" / "attention (1).ipynb").write_text(json.dumps(notebook), encoding="utf8")


def test_the_zip_holds_what_gradescope_wants_and_no_answer(built, root):
    with zipfile.ZipFile(built) as archive:
        infos = {info.filename: info for info in archive.infolist()}
        for name in ("setup.sh", "run_autograder"):
            assert stat.S_IMODE(infos[name].external_attr >> 16) & 0o100, f"{name} can be run"
            assert archive.read(name).startswith(b"#!/usr/bin/env bash\n")
            assert b"\r" not in archive.read(name)
            done = subprocess.run(["bash", "-n"], input=archive.read(name), capture_output=True)
            assert done.returncode == 0, done.stderr
        settings = json.loads(archive.read("gradescope.json"))
        assert (settings["assignment"], settings["trusted"], len(settings["secret"])) == (ASSIGNMENT, False, 64)
        assert f"assignments/{ASSIGNMENT}/attention.ipynb" in infos
        assert not [name for name in infos if name.startswith(("solutions", "grading/", "tests")) or "/right/" in name]
        assert not [name for name in infos if name.startswith("assignments/") and ASSIGNMENT not in name]
    assert built.stat().st_size < 30 * 2**20


def test_every_zip_has_its_own_secret(root, tmp_path):
    secrets = set()
    for name in ("a", "b"):
        with zipfile.ZipFile(build(Course(root), ASSIGNMENT, tmp_path / name)) as archive:
            secrets.add(json.loads(archive.read("gradescope.json"))["secret"])
    assert len(secrets) == 2


@pytest.mark.sandbox
def test_a_submission_in_the_documented_layout(built, root, tmp_path):
    place = unpacked(built, tmp_path / "autograder")
    hand_in(place, root, f"def softmax(E, dim=-1):\n{SHARES}")
    environment = {**os.environ, "AUTOGRADER_ROOT": str(place), "AUTOGRADER_PYTHON": sys.executable}
    done = subprocess.run(
        ["bash", place / "source" / "run_autograder"], env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    data = json.loads((place / "results" / "results.json").read_text(encoding="utf8"))
    assert readers.gradescope(data) == 7.0
    assert data["max_score"] == 69.0, "written questions are marked in Gradescope"
    softmax = [test for test in data["tests"] if test["name"].startswith("softmax: ")]
    assert sum(test["score"] for test in softmax) == 7.0
    assert {test["status"] for test in softmax} == {"passed"}
    assert "the notebook is called “attention (1).ipynb”" in data["output"]
    assert sum(test["max_score"] for test in data["tests"]) == 69.0


def test_refuses_without_a_sandbox(built, root, tmp_path, monkeypatch):
    place = unpacked(built, tmp_path / "autograder")
    hand_in(place, root, f"def softmax(E, dim=-1):\n{SHARES}")
    monkeypatch.setattr(container, "problem", lambda: "no namespaces here")
    data = container.results(Course(place / "source"), place / "submission", {})
    assert readers.gradescope(data) is None, "no points are not 0 points"
    assert data["output"].startswith("NOT GRADED.")
    assert data["output"].endswith("no namespaces here")


def test_a_hand_in_that_needs_a_human_has_no_points(built, tmp_path, monkeypatch):
    place = unpacked(built, tmp_path / "autograder")
    monkeypatch.setattr(container, "problem", str)
    data = container.results(Course(place / "source"), place / "submission", {})
    assert readers.gradescope(data) is None
    assert "there is no attention.ipynb" in data["output"]


@pytest.mark.parametrize(
    ("about", "days"),
    [
        (
            {"created_at": "2026-10-05T23:00:00-07:00", "assignment": {"due_date": "2026-10-05T23:00:00.000000-07:00"}},
            0,
        ),
        (
            {"created_at": "2026-10-05T23:00:01-07:00", "assignment": {"due_date": "2026-10-05T23:00:00.000000-07:00"}},
            1,
        ),
        (
            {
                "created_at": "2026-10-08T00:00:00Z",
                "assignment": {"due_date": "2026-10-05T00:00:00Z"},
                "users": [
                    {"email": "a", "assignment": {"due_date": "2026-10-05T00:00:00Z"}},
                    {"email": "b", "assignment": {"due_date": "2026-10-07T00:00:00Z"}},
                ],
            },
            1,
        ),
        ({"created_at": "2026-10-08T00:00:00Z", "users": "nonsense", "assignment": None}, 0),
        ({}, 0),
    ],
)
def test_extensions_in_the_metadata_count(about, days):
    from autograder.grading.gradescope.zip_file import Settings
    from autograder.grading.roster.roster import LateRule

    found = container._lateness(Settings(ASSIGNMENT, late=LateRule(per_day=0.1)), about, 50.0, 69.0)
    assert found == (days, days * 5.0)


def test_a_course_without_its_package_cannot_be_packed(second_course, tmp_path):
    with pytest.raises(LookupError, match=r"no released notebook|Build the zip in a checkout"):
        build(second_course, "01-averages", tmp_path / "x.zip")
