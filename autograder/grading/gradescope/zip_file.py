"""``autograder gradescope``: build the zip that Gradescope installs with ``setup.sh`` and calls with ``run_autograder``.

It contains the package, the released assignment and the late rule, but no solution, no known right answer, and nothing of the
teacher's folder ``grading/``.
"""

import json
import secrets
import stat
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from autograder.grading.course import Course
from autograder.grading.roster.roster import DEFAULT_RULE, LateRule, OptionalRule, read_policy
from autograder.grading.submission.released import released_in

SETTINGS = "gradescope.json"


@dataclass(frozen=True)
class Settings:
    """``trusted``: submissions may run without a sandbox. ``secret`` makes the inputs unpredictable."""

    assignment: str
    trusted: bool = False
    leaderboard: bool = False
    secret: str = ""
    late: LateRule | None = None
    optional: OptionalRule = DEFAULT_RULE


def read_settings(source: Path) -> Settings:
    """Read the settings in the unpacked zip. Raises ValueError if they are missing or damaged."""
    path = source / SETTINGS
    try:
        data = json.loads(path.read_text(encoding="utf8"))
        late = LateRule(**data["late"]) if data.get("late") else None
        return Settings(**data | {"late": late, "optional": OptionalRule(data.get("optional", DEFAULT_RULE))})
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} cannot be read ({error}). Build the zip again: autograder gradescope") from None


_SETUP = """\
#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the container.
set -euo pipefail
apt-get update
apt-get install -y --no-install-recommends bubblewrap python3 python3-venv
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: choose a newer base image")'
python3 -m venv /autograder/env
/autograder/env/bin/python -m pip install --no-cache-dir --constraint /autograder/source/constraints.txt \\
    --extra-index-url https://download.pytorch.org/whl/cpu '/autograder/source[teach]'
"""

_RUN = """\
#!/usr/bin/env bash
# Gradescope runs this for each submission. AUTOGRADER_ROOT and AUTOGRADER_PYTHON are for trying it elsewhere.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
cd "$root/source"
exec "${AUTOGRADER_PYTHON:-$root/env/bin/python}" -P -m autograder.grading.gradescope.container "$root"
"""

#: Files at the course's root that the installation needs.
_FILES = ("pyproject.toml", "constraints.txt", "README.md", "LICENSE")
_LEFT_OUT = ("__pycache__", "right", ".ipynb_checkpoints")


def build(course: Course, assignment: str, output: Path, trusted: bool = False, leaderboard: bool = False) -> Path:
    """Write the zip, and return it. Raises LookupError if there is no release, or no source of the package to include.

    Raises ValueError for a lesson with exercises that have individual numbers for each student.
    """
    if released_in(course, assignment).variants:
        raise ValueError(
            f"{assignment} has exercises with each student's own numbers, and Gradescope's container does not know the ids of "
            f"your class. Collect from Gradescope, and grade here: autograder collect {assignment} EXPORT.zip"
        )
    policy = read_policy(course)
    missing = [name for name in _FILES if not (course.root / name).is_file()]
    if missing or not (course.root / "autograder").is_dir():
        raise LookupError(
            f"{course.root} lacks {', '.join([*missing, 'autograder/'])}. Build the zip in a checkout of the course."
        )
    settings = Settings(assignment, trusted, leaderboard, secrets.token_hex(32), policy.late, policy.optional)
    output.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "setup.sh", _SETUP.encode(), executable=True)
        _add(archive, "run_autograder", _RUN.encode(), executable=True)
        _add(archive, SETTINGS, json.dumps(asdict(settings), indent=1).encode())
        for path in sorted(_files(course, assignment)):
            _add(archive, path.relative_to(course.root).as_posix(), path.read_bytes())
    return output


def _files(course: Course, assignment: str) -> Iterator[Path]:
    """Yield the files of the course that the container needs."""
    yield from (course.root / name for name in _FILES)
    yield from (path for path in (course.release / assignment).rglob("*") if path.is_file())
    packages = {course.root / "autograder", course.root / "course_lib"}
    if course.lessons.root:
        packages.add(course.lessons.folder)
    for package in packages:
        for path in package.rglob("*"):
            inside = path.relative_to(package).parts
            if path.is_file() and not set(inside) & set(_LEFT_OUT) and path.suffix != ".pyc":
                yield path


def _add(archive: zipfile.ZipFile, name: str, data: bytes, executable: bool = False) -> None:
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.external_attr = (stat.S_IFREG | (0o755 if executable else 0o644)) << 16
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, data)
