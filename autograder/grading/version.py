"""On which checks and which environment a result depends: it is only as good as what made it."""

import hashlib
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

#: Every file on which a verdict, or the feedback that comes with it, depends, seen from the folder that holds ``autograder``. A
#: test follows the imports of the checks and keeps this list. Right answers are not among them: the installed package has none.
PARTS = (
    "autograder/__init__.py",
    "autograder/cases.py",
    "autograder/catalogue.py",
    "autograder/diagnosis.py",
    "autograder/draw.py",
    "autograder/expect.py",
    "autograder/failure.py",
    "autograder/files.py",
    "autograder/forbidden.py",
    "autograder/local.py",
    "autograder/marks.py",
    "autograder/measure.py",
    "autograder/notebooks.py",
    "autograder/picture.py",
    "autograder/pytest_plugin.py",
    "autograder/report.py",
    "autograder/runner.py",
    "autograder/student.py",
    "autograder/symptoms.py",
    "autograder/torch_state.py",
    "autograder/checks/**/*.py",
    "autograder/references/*.py",
    "autograder/misconceptions/*/*/wrong/*.py",
    "autograder/grading/__init__.py",
    "autograder/grading/folder.py",
    "autograder/grading/grade.py",
    "autograder/grading/hosts.py",
    "autograder/grading/match.py",
    "autograder/grading/released.py",
    "autograder/grading/result.py",
    "autograder/grading/submission.py",
    "autograder/grading/version.py",
    "autograder/sandbox/*.py",
    "course_lib/**/*.py",
    "course_lib/**/*.safetensors",
)

ROOT = Path(__file__).resolve().parents[2]


def files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files on which a verdict depends."""
    for part in PARTS:
        yield from root.glob(part)


@cache
def checks_version(root: Path = ROOT) -> str:
    """Return a hash of the files on which a verdict depends: the same in a checkout and where the package is installed."""
    digest = hashlib.sha256()
    for path in sorted(set(files(root))):
        digest.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def environment() -> dict[str, str]:
    """Return the versions that a result depends on."""
    versions = {name: metadata.version(name) for name in ("torch", "numpy", "ipython")}
    return {"python": ".".join(map(str, sys.version_info[:3])), **versions}
