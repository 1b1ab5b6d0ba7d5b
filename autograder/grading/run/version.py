"""The versions of the checks and of the environment on which a result depends."""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from autograder.content.lesson import Lessons

#: Every file on which a verdict or its feedback depends, relative to the folder that holds ``autograder``. A
#: test follows the imports of the checks and verifies this list. Right answers are excluded: the installed package has none.
PARTS = (
    "autograder/__init__.py",
    "autograder/runtime/**/*.py",
    "autograder/content/**/*.py",
    "autograder/checks/**/*.py",
    "autograder/diagnosis/**/*.py",
    "autograder/verdict/**/*.py",
    "autograder/grading/__init__.py",
    "autograder/grading/run/bounds.py",
    "autograder/grading/submission/folder.py",
    "autograder/grading/run/grade.py",
    "autograder/grading/run/hosts.py",
    "autograder/grading/submission/match.py",
    "autograder/grading/run/outputs.py",
    "autograder/grading/submission/released.py",
    "autograder/grading/run/result.py",
    "autograder/grading/run/sealed.py",
    "autograder/grading/submission/model.py",
    "autograder/grading/run/version.py",
    "autograder/sandbox/**/*.py",
    "autograder/sandbox/outside/system_calls/*.bpf",
    "course_lib/**/*.py",
    "course_lib/**/*.safetensors",
)

#: The same for the lessons' package, relative to its folder. Right answers are excluded: the installed package has none.
CONTENT = ("*.py", "*/__init__.py", "*/references.py", "*/reference_*.py", "*/checks/*.py", "*/answers/*.diff")

ROOT = Path(__file__).resolve().parents[3]


def files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files on which a verdict depends."""
    for part in PARTS:
        yield from root.glob(part)


def content(folder: Path) -> Iterator[Path]:
    """Yield the files of the lessons' package on which a verdict depends."""
    for part in CONTENT:
        yield from folder.glob(part)


@cache
def checks_version(lessons: Lessons, root: Path = ROOT) -> str:
    """Return a hash of the files on which a verdict depends: the same in a checkout and in an installed package."""
    digest = hashlib.sha256(lessons.package.encode())
    for base, found in ((root, files(root)), (lessons.folder, content(lessons.folder))):
        for path in sorted(set(found)):
            digest.update(f"{path.relative_to(base).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def environment() -> dict[str, str]:
    """Return the versions that a result depends on."""
    versions = {name: metadata.version(name) for name in ("torch", "numpy", "ipython")}
    return {"python": ".".join(map(str, sys.version_info[:3])), **versions}
