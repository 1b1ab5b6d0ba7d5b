"""Build every lesson, and refuse one whose solution does not earn every point or whose untouched release earns any."""

import multiprocessing
import multiprocessing.forkserver
import os
import shutil
import sys
import tempfile
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib import cpu_count

from autograder.build import BuildError, Built, build, differences, write
from autograder.course import Course

#: Loaded once into the process from which one is forked for every notebook. Nothing of PyTorch runs there.
_PRELOAD = ["torch", "IPython.core.interactiveshell", "matplotlib.pyplot", "sklearn.datasets", "autograder.grading"]


def build_all(course: Course, only_check: bool) -> int:
    """Build (or with ``only_check`` compare) all lessons; print what happened; return the exit status."""
    status = 0
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    os.environ.setdefault("MPLBACKEND", "Agg")
    multiprocessing.forkserver.ensure_running()  # it loads PyTorch while this process loads nbgrader
    own_process = ProcessPoolExecutor(cpu_count(), context, max_tasks_per_child=1)
    with tempfile.TemporaryDirectory() as folder, own_process as pool:
        # Every notebook is checked in a process of its own, while the next lesson is being built.
        begun = [(source, _begin(course, source, only_check, Path(folder), pool)) for source in course.sources()]
        for source, lesson in begun:
            try:
                print(_finish(lesson, only_check), flush=True)
            except BuildError as error:
                print(f"{source}: {error}", file=sys.stderr, flush=True)
                status = 1
    return status


@dataclass(frozen=True)
class _Lesson:
    built: Built
    differs: bool
    solution: Future[dict[str, Any]]
    release: Future[dict[str, Any]]


def _begin(course: Course, source: Path, only_check: bool, folder: Path, pool: Executor) -> _Lesson | BuildError:
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
    """Check a notebook as its student would. Meant for a process of its own."""
    import torch

    from autograder import grading

    torch.set_num_threads(1)  # as many processes as cores, and none of them with more than one
    # In a folder that stays: nbgrader changes that of the process which builds, where this one begins.
    os.chdir(path.parent)
    return grading.as_json(*grading.check_notebook(path))
