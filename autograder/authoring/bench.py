"""The course's benchmarks: ratios and slopes, each measured within one run."""

import contextlib
import itertools
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from autograder.authoring.attacks import scores_of
from autograder.authoring.lay_out import NBGRADER_CONFIG, folder_of, lay_out
from autograder.checks.timing import BenchmarkResult
from autograder.content import notebook as notebooks
from autograder.content.known_answers import cases_of, misconceptions
from autograder.content.lesson import Lesson
from autograder.grading.course import Course, find_course

#: Names besides those of lessons that ``--only`` takes.
GROUPS = ("lessons", "checks", "diagnosis", "imports", "threads", "grading")


def bench(output: Path, large: bool = False, only: Sequence[str] = ()) -> int:
    """Run all benchmarks, print a table, write ``output``, and return 0 if every target is met.

    If a benchmark raises an error, its traceback is printed and the others still run.
    only: names of GROUPS or of lessons; the benchmarks with one of these names run. Raises LookupError for an unknown name.
    """
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    # Make threads wait without spinning: on a busy machine, spinning delays every parallel step.
    # OpenMP reads this when it is loaded, so set it before importing torch.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    course, figures, stopped = find_course(), [], 0
    if unknown := sorted({*only} - {*GROUPS, *course.assignments}):
        raise LookupError(
            f"There is no benchmark {unknown[0]!r}. Expected one of: {', '.join((*GROUPS, *course.assignments))}."
        )
    table = Table(title="Benchmarks")
    for title in ("figure", "value", "target", "unit", "met"):
        table.add_column(title, justify="right" if title in ("value", "target") else "left")
    chosen = (made() for names, made in _benchmarks(course, large) if not only or names & {*only})
    for figure in itertools.chain.from_iterable(map(_results_of, chosen)):
        if figure is None:
            stopped += 1
            continue
        figures.append(figure)
        parts = ", ".join(f"{part} {share:.0%}" for part, share in figure.parts.items()) if not figure.passed else ""
        print(f"{figure.name}: {figure.value:.3g} {figure.unit}{parts and f' ({parts})'}", file=sys.stderr, flush=True)
        sign = "≤" if figure.better == "lower" else "≥"
        row = (figure.name, f"{figure.value:.3g}", f"{sign} {figure.target:g}", figure.unit)
        table.add_row(*row, "yes" if figure.passed else "no", style=None if figure.passed else "bold red")
    Console(width=120).print(table)
    output.write_text(json.dumps([asdict(f) | {"passed": f.passed} for f in figures], indent=2) + "\n", encoding="utf8")
    missed = sum(not figure.passed for figure in figures)
    errors = f", {stopped} stopped with an error, printed above" if stopped else ""
    print(f"bench: {len(figures)} figures, {missed} targets missed{errors}; written to {output}")
    return 1 if missed or stopped else 0


def _benchmarks(course: Course, large: bool) -> Iterator[tuple[set[str], Callable[[], Iterator[BenchmarkResult]]]]:
    """Yield the names by which each benchmark can be chosen, and a function that yields its results as they are measured."""
    lessons = _lessons(course)
    benched = [lesson for lesson in lessons if lesson.has("bench")]
    for lesson in benched:
        solution = CourseSolution(course, lesson.assignment)
        yield {"lessons", lesson.assignment}, partial(lesson.module("bench").figures, solution)
    for lesson in lessons:
        yield {"checks", lesson.assignment}, partial(_check_times, course, lesson)
    seconds: list[float] = []
    for lesson in benched:
        yield {"diagnosis", lesson.assignment}, partial(_diagnosis_times, course, lesson, seconds)
    yield {"diagnosis"}, partial(_soon_enough, seconds)
    yield {"imports"}, _import_times
    yield {"threads"}, _threads
    yield {"grading"}, partial(_class, large)


def _results_of(benchmark: Iterator[BenchmarkResult]) -> Iterator[BenchmarkResult | None]:
    """Yield the results of a benchmark, followed by None if it raises an error."""
    try:
        yield from benchmark
    except Exception:
        traceback.print_exc()
        yield None


def _lessons(course: Course) -> list[Lesson]:
    return [lesson for name in course.assignments if (lesson := course.lessons.find(name))]


def _threads() -> Iterator[BenchmarkResult]:
    """Yield the cost of the steps of a small training run beside other programs, where waiting threads must not spin."""
    name = f"processor time of training steps beside {_LOAD} busy processes"
    yield BenchmarkResult(name, _cost_under_load(), 1.5, "of that without them")


def _class(large: bool) -> Iterator[BenchmarkResult]:
    """Yield the speed of grading a class; with ``large``, also how it scales with the class."""
    from autograder.sandbox.outside.bubblewrap import SandboxMissing, find

    try:
        find()
    except SandboxMissing as error:
        print(f"The class runner is not measured: {error}")
        return
    yield from _compared_with_stock()
    if large:
        yield from _large_class()


_TIMING = """\
import functools, importlib, json, time
from IPython.utils.capture import capture_output
from autograder.authoring.check_parts import shares
references, found = importlib.import_module("{package}.references"), {{}}
for name in {names}:
    times = []
    with capture_output():
        for _ in range(5):
            start = time.process_time(); check(name); times.append(time.process_time() - start)
        found[name] = times, shares(functools.partial(check, name), references)
print("TIMES" + json.dumps(found))
"""


def _check_times(course: Course, lesson: Lesson) -> Iterator[BenchmarkResult]:
    """Yield the processor time of ``check`` for the solution in a kernel, as a fraction of one second."""
    names = [name for name in lesson.exercises if not lesson.measures(name)]
    for name, (times, parts) in _in_kernel(course, lesson, _TIMING.format(names=names, package=lesson.package)).items():
        yield BenchmarkResult(f"check: {name}", statistics.median(times), 1.0, "of 1 s", parts=parts)


def _diagnosis_times(course: Course, lesson: Lesson, seconds: list[float]) -> Iterator[BenchmarkResult]:
    """Yield the same for the lesson's frequent mistakes, which includes the search for their cause, and append it to ``seconds``.

    A diagnosis may take two seconds, in the largest modules; nine in ten should take one at most.
    """
    for name, mistake in lesson.module("bench").MISTAKES:
        [wrong] = [case.text for case in misconceptions(lesson, name) if case.name == mistake]
        times, parts = _in_kernel(course, lesson, wrong, _TIMING.format(names=[name], package=lesson.package))[name]
        title = f"check: {name}, wrong ({mistake}), with diagnosis"
        seconds.append(statistics.median(times))
        yield BenchmarkResult(title, seconds[-1] / 2, 1.0, "of 2 s", parts=parts)


def _soon_enough(seconds: Sequence[float]) -> Iterator[BenchmarkResult]:
    """Yield the share of these times that are at most one second."""
    share = sum(duration <= 1 for duration in seconds) / len(seconds)
    yield BenchmarkResult("checks of mistakes, with diagnosis, within 1 s", share, 0.9, "of all", better="higher")


def _in_kernel(course: Course, lesson: Lesson, *cells: str) -> dict[str, tuple[list[float], dict[str, float]]]:
    """Run the solution's needed cells and then ``cells`` in a fresh kernel.

    Returns the times that the last cell prints, in seconds, and the parts of these times, by exercise.
    """
    import nbformat
    from nbclient import NotebookClient

    solution_cells = notebooks.read(course.solution_notebook(lesson.assignment))["cells"]
    needed = [
        cell for cell, wanted in zip(solution_cells, notebooks.dependencies(solution_cells), strict=True) if wanted
    ]
    texts = [*(notebooks.source(cell) for cell in needed), *cells]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    quiet = ["--log-level=40"]  # errors only
    NotebookClient(notebook, timeout=300, kernel_name="python3", extra_arguments=quiet).execute()
    [line] = [o.text for o in notebook.cells[-1].outputs if o.output_type == "stream" and o.text.startswith("TIMES")]
    return json.loads(line.removeprefix("TIMES"))


def _import_times() -> Iterator[BenchmarkResult]:
    """Yield the time that importing the course's packages adds to importing torch, in fresh processes, as a fraction of 0.1 s."""
    for package in ("course_lib", "autograder"):
        code = f"import torch, time; start = time.perf_counter(); import {package}; print(time.perf_counter() - start)"
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)
        ]
        yield BenchmarkResult(
            f"import {package}", statistics.median(float(run.stdout) for run in runs) / 0.1, 1.0, "of 0.1 s"
        )


_LOAD = 4
#: A program that trains a model of lesson 11's size as the notebooks do, and prints the processor time of its steps.
_TRAINING = """\
import course_lib
import sys, time, torch
from torch import nn
from course_lib import devices
from course_lib.training import fit
torch.manual_seed(0)
devices.set_threads()
layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
model = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
def train(steps):
    loss = lambda model, batch: model(batch).square().mean()
    fit(model, loss, [torch.randn(64, 17, 64)], steps=steps, learning_rate=1e-3, show=False, device="cpu")
train(3)
start = time.process_time()
train(int(sys.argv[1]))
print(time.process_time() - start)
"""


def _cost_under_load(rounds: int = 3, steps: int = 30) -> float:
    """Return the processor time of the steps beside _LOAD busy processes, relative to that without them."""
    alone, beside = [], []
    for _ in range(rounds):
        alone.append(_cost(steps))
        with _busy(_LOAD):
            beside.append(_cost(steps))
    return statistics.median(beside) / statistics.median(alone)


def _cost(steps: int) -> float:
    """Return the processor time of ``steps`` steps in a fresh process, in seconds."""
    # Without this shell's settings: a notebook does not have them.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OMP_")}
    run = subprocess.run(
        [sys.executable, "-c", _TRAINING, str(steps)], capture_output=True, text=True, check=True, env=environment
    )
    return float(run.stdout)


@contextlib.contextmanager
def _busy(count: int) -> Iterator[None]:
    """Run ``count`` busy processes in the background."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


class CourseSolution:
    """The solution of an assignment; see :class:`autograder.checks.timing.Solution`."""

    def __init__(self, course: Course, assignment: str):
        self.notebook, self.assignment = course.solution_notebook(assignment), assignment

    def names(self) -> dict[str, Any]:
        return notebooks.run(self.notebook).namespace

    def retrain(self, cells: Sequence[str], seed_line: str, seed: int) -> dict[str, Any]:
        names, chosen = self.names(), self.training(cells, seed_line)
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), open(os.devnull, "w") as nowhere:
            with contextlib.redirect_stdout(nowhere):
                for text in chosen:
                    exec(text.replace(seed_line, seed_line.replace("0,", f"{seed},")), names)
        return names

    def training(self, cells: Sequence[str], seed_line: str) -> list[str]:
        """Return the cells that contain these texts, preceded by those of their dependencies that no exercise needs.

        Raises ValueError unless each text, and ``seed_line``, is in exactly one cell.
        """
        read = [cell for cell in notebooks.read(self.notebook)["cells"] if cell["cell_type"] == "code"]
        texts = [notebooks.source(cell) for cell in read]
        chosen = {texts.index(self._only([text for text in texts if excerpt in text], excerpt)) for excerpt in cells}
        self._only([texts[number] for number in sorted(chosen) if seed_line in texts[number]], seed_line)
        ready, names_needed = notebooks.dependencies(read), set[str]()
        for number in range(max(chosen), -1, -1):
            bound, used = notebooks.bound_names(texts[number])
            if number in chosen or (bound & names_needed and not notebooks.is_check(read[number])):
                names_needed = (names_needed - bound) | used
                chosen |= set() if ready[number] else {number}
        return [texts[number] for number in sorted(chosen)]

    def _only(self, texts: Sequence[str], excerpt: str) -> str:
        if len(texts) != 1:
            raise ValueError(f"Expected {excerpt!r} in exactly one cell of {self.assignment}, got {len(texts)}.")
        return texts[0]


#: Stock nbgrader, with the checks in the student's own kernel.
_STOCK = (
    NBGRADER_CONFIG
    + """
from nbgrader.apps import autogradeapp
from nbgrader.converters import Autograde

autogradeapp.Autograde = Autograde
c = get_config()
c.Autograde.sanitize_preprocessors = Autograde.sanitize_preprocessors.default_args[0]
c.Autograde.autograde_preprocessors = Autograde.autograde_preprocessors.default_args[0]
c.Execute.timeout = 180
"""
)


def _make_class(root: Path, number: int, config: str = NBGRADER_CONFIG, most: int | None = None) -> tuple[Course, str]:
    """Create a course with ``number`` different submissions: right answers in many styles, and about one in four wrong.

    They contain at most ``most`` exercises of the first lesson, none with a measurement, so that the time is the grader's own.
    Returns the course and the assignment.
    """
    source = find_course()
    lesson = source.lessons.of(source.assignments[0])
    written = [name for name in lesson.exercises if not lesson.measures(name)][:most]
    course = lay_out(source, root, [lesson.assignment], config)
    notebook = source.solution_notebook(lesson.assignment).name
    released = (course.release / lesson.assignment / notebook).read_text(encoding="utf8")
    known_answers = {
        (name, right): [case for case in cases_of(lesson, name) if case.right == right]
        for name in written
        for right in (True, False)
    }
    choose = random.Random(0)
    for index in range(number):
        work = json.loads(released)
        _fill_in(work, index, known_answers, choose)
        place = folder_of(course, f"student-{index:04}", lesson.assignment)
        (place / notebook).write_text(json.dumps(work), encoding="utf8")
    return course, lesson.assignment


def _fill_in(
    notebook: dict[str, Any], index: int, known_answers: Mapping[tuple[str, bool], Any], choose: random.Random
) -> None:
    for cell in notebook["cells"]:
        name = notebooks.grade_id(cell)
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            continue
        if cell["cell_type"] != "code":
            cell["source"] = f"The answer of student {index}."
        elif (name, True) in known_answers:
            case = choose.choice(known_answers[name, choose.random() < 0.75])
            cell["source"] = f"{case.text}\n# student {index}"


def _seconds(course: Course, assignment: str, *command: str) -> float:
    """Run a grading command in the course and return its duration in seconds."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-P", "-m", *command, assignment], cwd=course.root, capture_output=True)
    return time.perf_counter() - start


def _compared_with_stock(number: int = 64, stock: int = 8) -> Iterator[BenchmarkResult]:
    """Compare submissions per second here, for ``number`` submissions, with stock nbgrader, for ``stock`` submissions."""
    with tempfile.TemporaryDirectory() as course_folder, tempfile.TemporaryDirectory() as stock_folder:
        slow, assignment = _make_class(Path(stock_folder), stock, _STOCK)
        fast, _ = _make_class(Path(course_folder), number)
        stock_seconds = _seconds(slow, assignment, "nbgrader", "autograde") / stock
        course_seconds = _seconds(fast, assignment, "autograder", "grade") / number
        name = f"grading {number} submissions: per second"
        yield BenchmarkResult(name, stock_seconds / course_seconds, 12.0, "of stock nbgrader's", "higher")
        stock_scores, course_scores = scores_of(slow, assignment), scores_of(fast, assignment)
        equal = sum(course_scores[student] == score for student, score in stock_scores.items())
        name = "grading: scores equal to those of stock nbgrader"
        yield BenchmarkResult(name, equal / len(stock_scores), 1.0, f"of {len(stock_scores)}", "higher")


def _large_class(small: int = 100, large: int = 1000) -> Iterator[BenchmarkResult]:
    """Compare a class of ``large`` with one of ``small``, with two exercises each."""
    import resource  # missing on Windows

    seconds_each, complete, memory = {}, {}, {}
    for number in (small, large):
        with tempfile.TemporaryDirectory() as folder:
            course, assignment = _make_class(Path(folder), number, most=2)
            seconds_each[number] = _seconds(course, assignment, "autograder", "grade") / number
            complete[number] = len(scores_of(course, assignment)) / number
            memory[number] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss  # the largest process so far
    name, unit = f"grading {large} submissions", f"of that at {small}"
    yield BenchmarkResult(f"{name}: time for each", seconds_each[large] / seconds_each[small], 1.1, unit)
    yield BenchmarkResult(f"{name}: memory of the largest process", memory[large] / memory[small], 1.1, unit)
    yield BenchmarkResult(f"{name}: in the gradebook", complete[large], 1.0, "of all", "higher")
