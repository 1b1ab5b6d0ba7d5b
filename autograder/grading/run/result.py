"""The result of grading one submission, as plain data, and a version of everything that it depends on."""

import hashlib
import json
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from autograder.content import packed
from autograder.content.lesson import Lessons

#: Every file on which a verdict or its feedback depends, relative to the folder that holds ``autograder``. A
#: test follows the imports of the checks and verifies this list. Right answers are excluded: the installed package has none.
_FOLDERS = "runtime content checks diagnosis verdict sandbox grading/submission"
_NOTEBOOK = "__init__ api errors history practice progress session"  # the lessons' packages import its check
_RUN = "__init__ grade executors sandbox_executor result"
PARTS = (
    "autograder/__init__.py",
    *(f"autograder/{folder}/**/*.py" for folder in _FOLDERS.split()),
    *(f"autograder/notebook/{name}.py" for name in _NOTEBOOK.split()),
    "autograder/grading/__init__.py",
    "autograder/grading/course.py",
    *(f"autograder/grading/run/{name}.py" for name in _RUN.split()),
    "autograder/sandbox/outside/system_calls/*.bpf",
    "course_lib/**/*.py",
    "course_lib/**/*.safetensors",
)

#: The same for the lessons' package, relative to its folder. Right answers are excluded: the installed package has none.
CONTENT = ("*.py", "*/__init__.py", "*/references.py", "*/reference_*.py", "*/checks/*.py", "*/answers/*.diff")

ROOT = Path(__file__).resolve().parents[3]


def files(root: Path = ROOT) -> Iterator[Path]:
    """Yield the files of the autograder on which a verdict depends."""
    for pattern in PARTS:
        yield from root.glob(pattern)


def content(folder: Path) -> Iterator[Path]:
    """Yield the files of the lessons' package on which a verdict depends."""
    for pattern in CONTENT:
        yield from folder.glob(pattern)


@cache
def checks_version(lessons: Lessons, root: Path = ROOT) -> str:
    """Return a hash of the files on which a verdict depends: the same in a checkout and in an installed package."""
    digest = hashlib.sha256(lessons.package.encode())
    for base, paths in ((root, files(root)), (lessons.folder, content(lessons.folder))):
        texts = {path.relative_to(base).as_posix(): path.read_bytes() for path in paths}
        for path in base.glob(f"*/{packed.NAME}"):  # an installed package's: the same names and texts as in a checkout
            texts |= {
                f"{path.parent.name}/{name}": text.encode() for name, text in packed.texts_in(path.parent).items()
            }
        for name, data in sorted(texts.items()):
            digest.update(f"{name}\0".encode() + data + b"\0")
    return digest.hexdigest()[:16]


@cache
def environment() -> dict[str, str]:
    """Return the versions of software that a result depends on."""
    versions = {name: metadata.version(name) for name in ("torch", "numpy", "ipython")}
    return {"python": ".".join(map(str, sys.version_info[:3])), **versions}


Output = dict[str, Any]


@dataclass
class Result:
    """The verdict on one submission.

    ``outputs`` maps a cell's number to its outputs, in nbformat's form. ``scores`` maps the grade_id of a check cell that ran to
    (points earned, points possible). ``errors`` lists the cells that stopped, as (cell, error), and ``notes`` are for a person.
    ``author`` is the id for the numbers in exercises with variants.
    """

    assignment: str
    digest: str
    seed: int
    sealed: bool
    checks: str
    environment: Mapping[str, str]
    outputs: dict[int, list[Output]] = field(default_factory=dict)
    scores: dict[str, tuple[float, float]] = field(default_factory=dict)
    exercises: list[dict[str, Any]] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    author: str = ""

    @property
    def earned(self) -> float:
        return sum(exercise["earned"] for exercise in self.exercises)

    @property
    def points(self) -> float:
        return sum(exercise["points"] for exercise in self.exercises)

    @property
    def identity(self) -> tuple[str, str]:
        """The identity of the work: its content, and the id for its numbers."""
        return self.digest, self.author

    @property
    def whose_numbers(self) -> str:
        """A sentence with the id for the numbers of the work; empty if it has none."""
        return f"The numbers are those of {self.author}." if self.author else ""

    def as_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=True, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Result":
        """Read a result. Raises ValueError for anything else."""
        try:
            data = json.loads(text)
            data["outputs"] = {int(number): items for number, items in data["outputs"].items()}
            data["scores"] = {name: (float(e), float(of)) for name, (e, of) in data["scores"].items()}
            data["errors"] = [(str(which), str(error)) for which, error in data["errors"]]
            return cls(**data)
        except (TypeError, KeyError, AttributeError) as error:
            raise ValueError(f"not a result: {error!r}") from None


def clamp_points(earned: float, most: float) -> float:
    """Return ``earned`` as a plain finite float between 0 and ``most``."""
    return min(max(float(earned), 0.0), float(most)) if math.isfinite(earned) else 0.0


def scale_points(score: tuple[float, float], points: float) -> float:
    """Scale (earned, maximum) to the number of points that the gradebook gives the exercise."""
    earned, of = score
    return earned if of == points or not of else round(earned / of * points, 4)
