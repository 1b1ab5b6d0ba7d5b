"""A teacher's own repository beside ours: own rules, own known answers, an own lesson; and updates without conflicts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.cli.main import autograder

LESSON, EXERCISE, OWN, NEWER = "01-attention", "softmax", "20-graphs", "11-audio"
CHECK = "autograder/lessons/attention/checks/check_softmax.py"
RULES = "[due]\n01-attention = 2026-10-05T23:59:00\n\n[late]\nper_day = 0.1\n"
MINE = "def softmax(E, dim=-1):\n    return torch.exp(E) / torch.exp(E).sum()\n"


def git(place: Path, *arguments: str) -> str:
    """Run git in a repository, as somebody with a name, and return what it printed."""
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert not done.returncode, done.stdout
    return done.stdout


def program(place: Path, *arguments: str) -> str:
    """Run this repository's own ``autograder``, not the one that is installed, and return what it printed."""
    environment = os.environ | {"PYTHONPATH": str(place), "MPLBACKEND": "Agg"}
    command = [sys.executable, "-m", "autograder", *arguments]
    done = subprocess.run(
        command, cwd=place, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert not done.returncode, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def upstream(root, tmp_path_factory) -> Path:
    """This repository, as it stands, with one commit."""
    place = tmp_path_factory.mktemp("repositories") / "upstream"
    place.mkdir()
    names = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True)
    if names.returncode:  # an unpacked archive has no list of what belongs to the repository
        pytest.skip("this is no checkout: git does not say which files belong to it")
    packed = subprocess.run(["tar", "-c", "--null", "-T", "-"], cwd=root, input=names.stdout, capture_output=True)
    subprocess.run(["tar", "-x"], cwd=place, input=packed.stdout, check=True)
    git(place, "init", "-q", "-b", "main")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "As it stands")
    return place


@pytest.fixture(scope="module")
def own(upstream) -> Path:
    """The teacher's clone, made as the guide says: rules, a known answer, a lesson. Upstream goes on, and is pulled."""
    git(upstream.parent, "clone", "-q", "upstream", "course")
    place = upstream.parent / "course"
    git(place, "remote", "rename", "origin", "upstream")
    (place / "course.toml").write_text(RULES)
    case = place / "bank" / LESSON / EXERCISE / "wrong" / "over_everything.py"
    case.parent.mkdir(parents=True)
    case.write_text(MINE)
    program(place, "new-lesson", OWN, "degree")
    git(place, "add", "-A")
    git(place, "commit", "-qm", "Our rules, our lesson, our known answer")

    program(upstream, "new-lesson", NEWER, "loudness")
    check = upstream / CHECK
    check.write_text(check.read_text(encoding="utf8") + "\n# A newer check.\n", encoding="utf8")
    notebook = upstream / "assignments" / LESSON / "attention.ipynb"
    notebook.write_text(notebook.read_text(encoding="utf8").replace("## 1", "## 1 ", 1), encoding="utf8")
    git(upstream, "add", "-A")
    git(upstream, "commit", "-qm", "A lesson more, and a check changed")
    (place / "grading").mkdir()
    (place / "grading" / "gradebook.db").write_text("theirs")
    git(place, "pull", "-q", "--no-rebase", "--no-edit", "upstream", "main")
    assert git(place, "status", "--short") == "", "before any test builds a notebook"
    return place


@pytest.mark.slow
def test_an_update_makes_no_conflict_and_touches_nothing_of_ones_own(own):
    assert "# A newer check." in (own / CHECK).read_text(encoding="utf8")
    assert (own / "course.toml").read_text() == RULES
    assert (own / "grading" / "gradebook.db").read_text() == "theirs"


@pytest.mark.slow
def test_afterwards_both_new_lessons_build(own):
    told = program(own, "build", OWN, NEWER)
    for lesson in (OWN, NEWER):
        assert f"{lesson}: built; the solution earns every point" in told


@pytest.mark.slow
def test_audits_an_own_bank(own):
    told = program(own, "audit", "--bank", "bank", "--exercise", EXERCISE, "--workers", "1")
    assert "audit: 1 answers, 0 wrong verdicts, 0 wrong answers without a name" in told


@pytest.mark.slow
def test_the_examples_of_new_exercises_and_lessons_work_in_a_fresh_checkout(upstream, tmp_path):
    """Those of CONTRIBUTING.md and of the commands' help."""
    texts = [one.epilog for one in autograder.commands.values()] + [(upstream / "CONTRIBUTING.md").read_text()]
    examples = {found for text in texts for found in re.findall(r"autograder (new-[a-z]+ \d[\w-]* \w+)", text)}
    assert {example.split()[0] for example in examples} == {"new-exercise", "new-lesson"}
    git(tmp_path, "clone", "-q", str(upstream), "course")
    for example in examples:
        assert "run: autograder build" in program(tmp_path / "course", *example.split())
