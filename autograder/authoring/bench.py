"""The course's benchmarks: ratios and slopes, each measured within one run."""

import itertools
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder.authoring.solution import CourseSolution
from autograder.checks.timing import BenchmarkResult
from autograder.content import notebook as notebooks
from autograder.content.known_answers import misconceptions
from autograder.content.lesson import Lesson
from autograder.grading.course import Course, find_course


def bench(output: Path, large: bool = False) -> int:
    """Run all benchmarks, print a table, write ``output``, and return 0 if every target is met."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    # Make threads wait without spinning: on a busy machine, spinning delays every parallel step.
    # OpenMP reads this when it is loaded, so set it before importing torch.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    course, figures = find_course(), []
    table = Table(title="Benchmarks")
    for title in ("figure", "value", "target", "unit", "met"):
        table.add_column(title, justify="right" if title in ("value", "target") else "left")
    for figure in itertools.chain(
        _of_lessons(course), _check_times(course), _import_times(), _threads(), _class(large)
    ):
        figures.append(figure)
        print(f"{figure.name}: {figure.value:.3g} {figure.unit}", file=sys.stderr, flush=True)
        sign = "≤" if figure.better == "lower" else "≥"
        row = (figure.name, f"{figure.value:.3g}", f"{sign} {figure.target:g}", figure.unit)
        table.add_row(*row, "yes" if figure.passed else "no", style=None if figure.passed else "bold red")
    Console(width=120).print(table)
    output.write_text(json.dumps([asdict(f) | {"passed": f.passed} for f in figures], indent=2) + "\n", encoding="utf8")
    missed = sum(not figure.passed for figure in figures)
    print(f"bench: {len(figures)} figures, {missed} targets missed; written to {output}")
    return 1 if missed else 0


def _lessons(course: Course) -> list[Lesson]:
    return [lesson for name in course.assignments if (lesson := course.lessons.find(name))]


def _of_lessons(course: Course) -> Iterator[BenchmarkResult]:
    """Yield the benchmark results of each lesson."""
    for lesson in _lessons(course):
        if lesson.has("bench"):
            yield from lesson.module("bench").figures(CourseSolution(course, lesson.assignment))


def _threads() -> Iterator[BenchmarkResult]:
    """Yield the cost of a small training's steps beside other programs."""
    from autograder.authoring.bench_threads import LOAD, under_load

    name = f"processor time of training steps beside {LOAD} busy processes"
    yield BenchmarkResult(name, under_load(), 1.5, "of that without them")


def _class(large: bool) -> Iterator[BenchmarkResult]:
    """Yield the speed of grading a class; with ``large``, also how it scales with the class."""
    from autograder.authoring import bench_class
    from autograder.sandbox.outside.bubblewrap import SandboxMissing, find

    try:
        find()
    except SandboxMissing as error:
        print(f"The class runner is not measured: {error}")
        return
    for name, value, target, unit in (*bench_class.times_stock(), *(bench_class.large_class() if large else ())):
        yield BenchmarkResult(
            name, value, target, unit, "lower" if "time for each" in name or "memory" in name else "higher"
        )


_TIMING = """\
import json, time
from IPython.utils.capture import capture_output
times = {{}}
for name in {names}:
    times[name] = []
    for _ in range(5):
        with capture_output():
            start = time.perf_counter(); check(name); times[name].append(time.perf_counter() - start)
print("TIMES" + json.dumps(times))
"""


def _check_times(course: Course) -> Iterator[BenchmarkResult]:
    """Yield the time of ``check`` in a kernel, as a fraction of one second, for solutions and for frequent mistakes."""
    for lesson in _lessons(course):
        names = [name for name in lesson.exercises if not lesson.measures(name)]
        for name, times in _in_kernel(course, lesson, _TIMING.format(names=names)).items():
            yield BenchmarkResult(f"check: {name}", statistics.median(times), 1.0, "of 1 s")
    for lesson in _lessons(course):
        for name, mistake in lesson.module("bench").MISTAKES if lesson.has("bench") else ():
            [wrong] = [case.text for case in misconceptions(lesson, name) if case.name == mistake]
            times = _in_kernel(course, lesson, wrong, _TIMING.format(names=[name]))[name]
            yield BenchmarkResult(
                f"check: {name}, wrong ({mistake}), with diagnosis", statistics.median(times), 1.0, "of 1 s"
            )


def _in_kernel(course: Course, lesson: Lesson, *cells: str) -> dict[str, list[float]]:
    """Run the solution's needed cells and then ``cells`` in a fresh kernel; return the times that the last cell prints."""
    import nbformat
    from nbclient import NotebookClient

    given = notebooks.read(course.solution_notebook(lesson.assignment))["cells"]
    needed = [cell for cell, wanted in zip(given, notebooks.dependencies(given), strict=True) if wanted]
    texts = [*(notebooks.source(cell) for cell in needed), *cells]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    quiet = ["--log-level=40"]  # errors only
    NotebookClient(notebook, timeout=300, kernel_name="python3", extra_arguments=quiet).execute()
    [line] = [o.text for o in notebook.cells[-1].outputs if o.output_type == "stream" and o.text.startswith("TIMES")]
    return json.loads(line.removeprefix("TIMES"))


def _import_times() -> Iterator[BenchmarkResult]:
    """Yield the time that imports of the course's packages add to that of torch, in fresh processes, as a fraction of 0.1 s."""
    for package in ("course_lib", "autograder"):
        code = f"import torch, time; start = time.perf_counter(); import {package}; print(time.perf_counter() - start)"
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)
        ]
        yield BenchmarkResult(
            f"import {package}", statistics.median(float(run.stdout) for run in runs) / 0.1, 1.0, "of 0.1 s"
        )
