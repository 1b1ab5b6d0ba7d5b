"""Build every lesson, and refuse one whose solution does not earn every point or whose untouched release earns any."""

import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from autograder.build import BuildError, Built, build, differences, write
from autograder.course import Course


def build_all(course: Course, only_check: bool) -> int:
    """Build (or with ``only_check`` compare) all lessons; print what happened; return the exit status."""
    status = 0
    for source in course.sources():
        try:
            built = build(course, source)
            found = list(differences(built))
            if only_check and found:
                raise BuildError("\n".join([*found, "Run `autograder build` and commit what it writes."]))
            _prove(built)
            if not only_check:
                write(built)
        except BuildError as error:
            print(f"{source}: {error}", file=sys.stderr)
            status = 1
        else:
            print(
                f"{built.assignment}: {'as built' if only_check else 'built' if found else 'unchanged'}; "
                "the solution earns every point and the untouched release none"
            )
    return status


def _prove(built: Built) -> None:
    """Check both notebooks, at the same time and in processes of their own, before either is written to its place."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        paths = [Path(folder) / f"{name}.ipynb" for name in ("solution", "release")]
        for path, text in zip(paths, (built.solution, built.release), strict=True):
            path.write_text(text, encoding="utf8")
        solution, release = pool.map(_score, paths)
    lost = [e["name"] for e in solution["exercises"] if e["earned"] != e["points"]]
    if lost or solution["errors"]:
        raise BuildError(f"The solution does not earn every point: {', '.join(lost)} {solution['errors'] or ''}")
    if release["earned"] != 0:
        won = [e["name"] for e in release["exercises"] if e["earned"]]
        raise BuildError(f"The untouched release earns points: {', '.join(won)}")


def _score(path: Path) -> dict:
    command = [sys.executable, "-m", "autograder", "check", str(path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise BuildError(f"{path} could not be checked:\n{done.stderr}")
    return json.loads(done.stdout)
