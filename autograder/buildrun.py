"""Build every lesson, and refuse one whose solution does not earn every point or whose untouched release earns any."""

import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import cpu_count

from autograder.build import BuildError, Built, build, differences, write
from autograder.course import Course


def build_all(course: Course, only_check: bool) -> int:
    """Build (or with ``only_check`` compare) all lessons; print what happened; return the exit status."""
    status = 0
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(cpu_count()) as pool:
        # Every notebook is checked in a process of its own, while the next lesson is being built.
        begun = [(source, _begin(course, source, only_check, Path(folder), pool)) for source in course.sources()]
        for source, lesson in begun:
            try:
                print(_finish(lesson, only_check))
            except BuildError as error:
                print(f"{source}: {error}", file=sys.stderr)
                status = 1
    return status


@dataclass(frozen=True)
class _Lesson:
    built: Built
    differs: bool
    solution: Future[dict[str, Any]]
    release: Future[dict[str, Any]]


def _begin(
    course: Course, source: Path, only_check: bool, folder: Path, pool: ThreadPoolExecutor
) -> _Lesson | BuildError:
    """Build a lesson and have both notebooks checked, before either is written to its place."""
    try:
        built = build(course, source)
    except BuildError as error:
        return error
    found = list(differences(built))
    if only_check and found:
        return BuildError("\n".join([*found, "Run `autograder build` and commit what it writes."]))
    texts = {"solution": built.solution, "release": built.release}
    scores = {}
    for name, text in texts.items():
        path = folder / built.assignment / name / built.solution_path.name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf8")
        if name == "solution":  # it is handed in with what it has trained
            for file in source.parent.glob("*.safetensors"):
                shutil.copy(file, path.parent)
        scores[name] = pool.submit(_score, path)
    return _Lesson(built, bool(found), **scores)


def _finish(lesson: _Lesson | BuildError, only_check: bool) -> str:
    """Write a lesson that is fit to be handed out and return what to print; raise BuildError for any other."""
    if isinstance(lesson, BuildError):
        raise lesson
    solution, release = lesson.solution.result(), lesson.release.result()
    lost = [e["name"] for e in solution["exercises"] if e["earned"] != e["points"]]
    if lost or solution["errors"]:
        raise BuildError(f"The solution does not earn every point: {', '.join(lost)} {solution['errors'] or ''}")
    if release["earned"] != 0:
        won = [e["name"] for e in release["exercises"] if e["earned"]]
        raise BuildError(f"The untouched release earns points: {', '.join(won)}")
    if not only_check:
        write(lesson.built)
    done = "as built" if only_check else "built" if lesson.differs else "unchanged"
    return f"{lesson.built.assignment}: {done}; the solution earns every point and the untouched release none"


def _score(path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "autograder", "check", str(path), "--json"]
    # In a folder that stays: nbgrader changes this process's folder while the next lesson is built.
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise BuildError(f"{path} could not be checked:\n{done.stderr}")
    return json.loads(done.stdout)
