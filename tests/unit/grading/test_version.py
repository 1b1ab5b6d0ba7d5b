"""On which files a verdict depends: the list is what the imports of the checks reach, and is the same where it is installed."""

import ast
import shutil
from pathlib import Path

import pytest
from known import LESSONS

from autograder.content.lesson import Lessons
from autograder.grading.run import result
from autograder.sandbox.outside.mounts import FOLDERS


def modules_of(path, root):
    """Yield the files of this project that a file imports, also inside its functions."""
    if path == root / "autograder" / "__init__.py":
        return  # it loads ``check`` when a notebook asks for it, and nothing when a submission is graded
    for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            for end in range(1, len(parts) + 1):  # importing a.b runs a/__init__.py too
                place = root.joinpath(*parts[:end])
                yield from (file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file())


def reached(root):
    """Return the files that reading, running, checking and diagnosing a submission can reach."""
    waiting = [
        root / "autograder" / "grading" / name
        for name in ("run/grade.py", "run/sandbox_executor.py", "submission/model.py")
    ]
    waiting += (path for path in result.content(LESSONS.folder) if path.suffix == ".py")
    # Programs of their own.
    waiting += (path for folder in FOLDERS for path in (root / "autograder" / folder).rglob("*.py"))
    waiting.append(root / "autograder" / "sandbox" / "outside" / "launch.py")
    waiting += (root / "autograder" / "checks").rglob("*.py")  # what checks of any course may use
    waiting += (root / "course_lib").rglob("*.py")
    found = set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += modules_of(path, root)
    return found


def everything(root):
    """Return the files on the list, the engine's and the lessons'."""
    return {*result.files(root), *result.content(LESSONS.folder)}


def test_the_list_is_what_the_imports_reach(root):
    listed = {path for path in everything(root) if path.suffix == ".py"}
    expected = reached(root)
    assert {p.relative_to(root).as_posix() for p in expected - listed} == set(), "on these a verdict depends too"
    extra = {p.relative_to(root).as_posix() for p in listed - expected}
    assert extra == set(), "on these no verdict depends: they would make stored results invalid for nothing"


def test_version_covers_files_that_are_read(root):
    listed = {path.relative_to(root).as_posix() for path in everything(root)}
    assert "autograder/lessons/attention/answers/softmax.diff" in listed
    assert any(name.endswith(".safetensors") for name in listed)


def test_every_entry_of_the_list_names_something(root):
    assert [part for part in result.PARTS if not list(root.glob(part))] == []
    assert [part for part in result.CONTENT if not list(LESSONS.folder.glob(part))] == []


@pytest.fixture
def copy(root, tmp_path):
    """The files on which a verdict depends, in a folder of their own."""
    for path in everything(root):
        place = tmp_path / path.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    return tmp_path


class Copied(Lessons):
    """The lessons' package in a copied checkout, which is not imported."""

    @property
    def folder(self):
        return Path(self.root) / "autograder" / "lessons"


def version_of(copy):
    result.checks_version.cache_clear()
    return result.checks_version(Copied(root=str(copy)), copy)


def test_version_depends_on_checks_and_mistakes_but_not_on_right_answers(root, copy):
    before = version_of(copy)
    assert before == result.checks_version(LESSONS, root)
    lesson = copy / "autograder" / "lessons" / "attention"
    right = lesson / "answers" / "right" / "softmax" / "new.py"
    right.parent.mkdir(parents=True)
    right.write_text("def softmax(E, dim=-1): ...", encoding="utf8")
    (lesson / "bench.py").write_text("# on this no verdict depends", encoding="utf8")
    assert version_of(copy) == before
    for path in (lesson / "checks" / "check_softmax.py", lesson / "answers" / "softmax.diff"):
        text = path.read_text(encoding="utf8")
        path.write_text(text + "\n", encoding="utf8")
        assert version_of(copy) != before
        path.write_text(text, encoding="utf8")


def test_the_list_has_no_place_of_a_machine():
    assert all(not Path(part).is_absolute() and ".." not in part for part in result.PARTS)
