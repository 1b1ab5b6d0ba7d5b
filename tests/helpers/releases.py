"""A pytest plug-in: what nbgrader's ``generate_assignment`` makes of a lesson is kept for all tests of one run.

Some fifty classes are laid out in a run, and the command takes five seconds of processor time for each. Tests of the command
run it themselves.
"""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from autograder.authoring import lay_out

#: What the command writes into a course that has no gradebook yet.
WRITTEN = ("assignments", "grading")


@pytest.fixture(scope="session", autouse=True)
def releases_are_made_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let ``lay_out`` copy a release and its gradebook that another test, perhaps in another process, has made."""
    base, run = tmp_path_factory.getbasetemp(), lay_out.nbgrader
    kept = (base.parent if base.name.startswith("popen-") else base) / "releases"

    def nbgrader(root: Path, *arguments: str) -> None:
        if any((root / name).exists() for name in WRITTEN):
            run(root, *arguments)
            return
        place = kept / key(root, arguments)
        place.mkdir(parents=True, exist_ok=True)
        with FileLock(place / "lock"):
            if not (place / "whole").exists():
                run(root, *arguments)
                for name in WRITTEN:
                    shutil.copytree(root / name, place / name, dirs_exist_ok=True)
                (place / "whole").touch()
                return
        for name in WRITTEN:
            shutil.copytree(place / name, root / name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lay_out, "nbgrader", nbgrader)
        yield


def key(root: Path, arguments: tuple[str, ...]) -> str:
    """Return a name for these arguments in a course with these files."""
    digest = hashlib.sha256(repr(arguments).encode())
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        digest.update(repr((str(path.relative_to(root)), path.read_bytes())).encode())
    return digest.hexdigest()[:24]
