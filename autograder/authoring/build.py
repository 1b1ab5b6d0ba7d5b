"""Build the notebooks of lessons, for nbgrader and for students, from their sources.

``solutions/<assignment>/<name>.py`` becomes ``<name>.ipynb`` beside it. nbgrader's own ``generate_assignment`` turns that
into ``assignments/<assignment>/<name>.ipynb``. Rebuilds are byte-identical. A lesson whose solution loses points, or whose
untouched release earns any, is rejected.
"""

import json
import multiprocessing
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from joblib import cpu_count

from autograder.authoring.lay_out import NBGRADER_CONFIG
from autograder.authoring.leaks import leaked_lines
from autograder.grading.console import progress
from autograder.grading.course import Course
from autograder.grading.run.batch import in_threads
from autograder.grading.run.pool import GradingJob, ManualReviewNeeded, WorkerCrashed, WorkerPool
from autograder.grading.run.result import Result
from autograder.grading.settings import Settings
from autograder.grading.submission.match import match
from autograder.grading.submission.model import Submission
from autograder.grading.submission.released import Released, complete, from_notebook
from autograder.runtime.files import files_in
from autograder.runtime.seeds import fresh_seed
from autograder.sandbox.outside.bubblewrap import problem


class BuildError(Exception):
    """The reason why a lesson must not be released."""


@dataclass(frozen=True)
class Built:
    """The two notebooks of one lesson, as text, with their target paths."""

    assignment: str
    solution_path: Path
    solution: str
    release_path: Path
    release: str


def build(course: Course, source: Path) -> Built:
    """Build one lesson from its source without writing anything. Raises BuildError if it must not be released."""
    # Imported here because it takes seconds, during which other processes can load PyTorch.
    import nbformat

    from autograder.authoring.lesson_source import solution_notebook
    from autograder.authoring.source_rules import SourceError

    assignment = source.parent.name
    try:
        solution = nbformat.writes(solution_notebook(course, source)) + "\n"
    except SourceError as error:
        raise BuildError(str(error)) from None
    release = _release(assignment, source.stem, solution)
    lines = leaked_lines(solution, release)
    if lines:
        raise BuildError("The release holds lines of the solution:\n" + "\n".join(lines))
    return Built(
        assignment,
        source.with_suffix(".ipynb"),
        solution,
        course.release / assignment / f"{source.stem}.ipynb",
        release,
    )


def differences(built: Built) -> Iterator[str]:
    """Yield a line for each built file that is missing or out of date."""
    for path, text in ((built.solution_path, built.solution), (built.release_path, built.release)):
        if not path.exists():
            yield f"{path} is missing."
        elif path.read_text(encoding="utf8") != text:
            yield f"{path} is not what its source builds."
    if built.release_path.parent.exists():
        yield from (
            f"{p} does not belong there." for p in built.release_path.parent.iterdir() if p != built.release_path
        )


def write(built: Built) -> None:
    """Write both notebooks, and remove all other files from the release folder."""
    shutil.rmtree(built.release_path.parent, ignore_errors=True)
    built.release_path.parent.mkdir(parents=True)
    built.solution_path.write_text(built.solution, encoding="utf8")
    built.release_path.write_text(built.release, encoding="utf8")


def _release(assignment: str, name: str, solution: str) -> str:
    """Run nbgrader's generate_assignment in an empty course and return the released notebook."""
    from nbgrader.apps import NbGraderAPI
    from nbgrader.preprocessors import SaveCells
    from traitlets.config import PyFileConfigLoader

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "solutions" / assignment).mkdir(parents=True)
        (root / "solutions" / assignment / f"{name}.ipynb").write_text(solution, encoding="utf8")
        (root / "nbgrader_config.py").write_text(NBGRADER_CONFIG, encoding="utf8")
        settings = PyFileConfigLoader("nbgrader_config.py", folder).load_config()
        # The gradebook of an empty course would be discarded, and takes nbgrader seconds to set up.
        settings.GenerateAssignment.no_database = True
        steps = settings.GenerateAssignment.preprocessors
        settings.GenerateAssignment.preprocessors = [step for step in steps if not issubclass(step, SaveCells)]
        outcome = NbGraderAPI(config=settings).generate_assignment(assignment, force=True, create=True)
        if not outcome["success"]:
            raise BuildError(f"nbgrader could not make the release:\n{outcome.get('error', '')}\n{outcome['log']}")
        return (root / "assignments" / assignment / f"{name}.ipynb").read_text(encoding="utf8")


def build_all(course: Course, only_check: bool = False, only: Sequence[str] = ()) -> int:
    """Build (or with ``only_check`` compare) all lessons, or those in ``only``; print the results; return the exit status.

    Both notebooks of a lesson are graded like submissions: in the sandbox, if this machine has one.
    """
    from autograder.authoring.site.glossary import refresh_glossary
    from autograder.authoring.syllabus import refresh_syllabus

    settings = Settings(trust=bool(problem()), label=course.label, lessons=course.lessons)
    sources, status = [course.source_of(name) for name in only] or course.sources(), 0
    if not sources:
        raise LookupError(
            f"{course.root} has no source of a lesson. Expected solutions/01-name/name.py, as in a checkout."
        )
    course.lessons.load()  # raises LookupError if there are none
    # nbgrader changes the working directory of its process, so it has one of its own, which starts no other process.
    nbgrader = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    with WorkerPool(cpu_count()) as pool, progress("building", len(sources)) as step:
        futures = {source: nbgrader.submit(build, course, source) for source in sources}

        def grade_lesson(source: Path) -> tuple[Path, _Lesson | Exception]:
            try:
                return source, _lesson(course, futures[source], only_check, settings, pool)
            except (BuildError, WorkerCrashed, ManualReviewNeeded) as error:
                return source, error

        for source, lesson in in_threads(grade_lesson, sources, cpu_count()):
            try:
                print(_finish(lesson, only_check), flush=True)
            except (BuildError, WorkerCrashed, ManualReviewNeeded) as error:
                for line in str(error).splitlines():
                    print(f"{source}: {line}", file=sys.stderr, flush=True)
                status = 1
            step()
    nbgrader.shutdown(cancel_futures=True)
    if not (status or only_check):
        refresh_glossary(course)
        refresh_syllabus(course)
    return status


@dataclass(frozen=True)
class _Lesson:
    built: Built
    differs: bool
    solution: Result
    release: Result


def _lesson(course: Course, future: Future[Built], only_check: bool, settings: Settings, pool: WorkerPool) -> _Lesson:
    """Grade both notebooks of a lesson before either is written to its place."""
    built = future.result()
    outdated = list(differences(built))
    if only_check and outdated:
        raise BuildError("\n".join([*outdated, "Run `autograder build` and commit what it writes."]))
    released = complete(
        from_notebook(built.assignment, built.solution_path.stem, json.loads(built.release), course.lessons)
    )
    read = files_in(built.solution_path.parent)
    trained = {name: data for name in released.handed_in if (data := read(name)) is not None}
    if missing := [name for name in released.handed_in if name not in trained]:
        raise BuildError(f"There is no {missing[0]} beside the solution, which HANDED_IN says is handed in with it.")
    solution, release = (
        pool.grade(GradingJob(_handed_in(built, released, text, files), fresh_seed(), settings))
        for text, files in ((built.solution, trained), (built.release, {}))
    )
    return _Lesson(built, bool(outdated), solution, release)


def _handed_in(built: Built, released: Released, text: str, files: Mapping[str, bytes]) -> Submission:
    cells = match(json.loads(text), released).cells
    return Submission("", built.assignment, released.notebook, cells, files)


def _finish(lesson: _Lesson | Exception, only_check: bool) -> str:
    """Write a lesson that passed and return the text to print; raise BuildError, with the reason, for any other."""
    if isinstance(lesson, Exception):
        raise lesson
    solution, release = lesson.solution, lesson.release
    incomplete = [e["name"] for e in solution.exercises if e["earned"] != e["points"]]
    if incomplete or solution.errors:
        raise BuildError(f"The solution does not earn every point: {', '.join(incomplete)} {solution.errors or ''}")
    if release.earned != 0:
        won = [e["name"] for e in release.exercises if e["earned"]]
        raise BuildError(f"The untouched release earns points: {', '.join(won)}")
    if not only_check:
        write(lesson.built)
    outcome = "as built" if only_check else "built" if lesson.differs else "unchanged"
    return f"{lesson.built.assignment}: {outcome}; the solution earns every point and the untouched release none"
