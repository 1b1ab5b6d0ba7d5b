"""The course's figures: ratios and slopes, each taken in one run."""

import functools
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from autograder import catalogue
from autograder.cases import OWN_BANK
from autograder.course import find_course

#: Checks that race or measure for longer than a second.
MEASURING = ("blockwise_attention",)
#: Frequent mistakes, for the time that a diagnosis takes.
MISTAKES = (
    "01-attention/scaled_dot_product_attention/wrong/no_scaling",
    "02-multi-head-attention/MultiHeadAttention/wrong/bare_view",
    "03-transformer-blocks/DecoderBlock/wrong/causal_mask_missing",
    "03-transformer-blocks/Transformer/wrong/embedding_not_scaled",
    "07-mlm-pretraining/BertEncoder/wrong/causal_mask_left_on",
    "08-vit/VisionTransformer/wrong/class_token_last",
)
SHAPES = ((1, 8, 2048, 64), (1, 4, 4096, 64))


@dataclass(frozen=True)
class Figure:
    """One measured figure with its target."""

    name: str
    value: float
    target: float
    unit: str
    better: str = "lower"

    @property
    def passed(self) -> bool:
        return self.value <= self.target if self.better == "lower" else self.value >= self.target


def bench(output: Path, large: bool = False) -> int:
    """Measure everything, print one table, write ``output``, and return 0 when every target is met."""
    # Threads that wait without spinning: on a machine that does other things too, spinning makes every parallel step wait.
    # OpenMP reads this when it is loaded, so before torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    figures = []
    table = Table(title="Benchmarks")
    for title in ("figure", "value", "target", "unit", "met"):
        table.add_column(title, justify="right" if title in ("value", "target") else "left")
    for figure in (
        *_blockwise(),
        *_layers(),
        *_captioner(),
        *_pretraining(),
        *_vision(),
        *_check_times(),
        *_import_times(),
        *_class(large),
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


def _class(large: bool) -> Iterator[Figure]:
    """How fast a class is graded; with ``large``, also how that grows with the class."""
    from autograder import bench_class
    from autograder.sandbox.bubblewrap import SandboxMissing, find

    try:
        find()
    except SandboxMissing as error:
        print(f"The class runner is not measured: {error}")
        return
    for name, value, target, unit in (*bench_class.times_stock(), *(bench_class.large_class() if large else ())):
        yield Figure(name, value, target, unit, "lower" if "time for each" in name or "memory" in name else "higher")


def _layers() -> Iterator[Figure]:
    """Modules of the lessons and of the course against PyTorch's."""
    from autograder import bench_layers

    for name, value, target in (*bench_layers.multi_head(solution("02-multi-head-attention")), *bench_layers.encoder()):
        yield Figure(name, value, target, "of PyTorch's")


def _captioner() -> Iterator[Figure]:
    """What a captioner learns in the time that lesson 05 promises."""
    from autograder import bench_captioning

    yield from (Figure(*figure) for figure in bench_captioning.captioner())


def _pretraining() -> Iterator[Figure]:
    """How fast the masked language model of lesson 07 learns, and how much."""
    from autograder import bench_pretraining

    yield from (Figure(*figure) for figure in (*bench_pretraining.steps(), *bench_pretraining.pretraining()))


def _vision() -> Iterator[Figure]:
    """How fast the Vision Transformer of lesson 08 learns, and how well it reads."""
    from autograder import bench_vit

    yield from (Figure(*figure) for figure in (*bench_vit.steps(), *bench_vit.training()))


def solution(lesson: str) -> dict[str, Any]:
    """Return what the solution of a lesson defines."""
    from autograder import notebooks

    return notebooks.run(find_course().solution_notebook(lesson)).namespace


def _blockwise() -> Iterator[Figure]:
    """The solution's blockwise attention against PyTorch's (time) and against the whole matrix (memory)."""
    import torch

    from autograder import measure, references
    from course_lib.devices import peak_memory

    names = solution("01-attention")
    blockwise = lambda *x: names["blockwise_attention"](*x, causal=True)  # noqa: E731
    ready = lambda *x: references.blockwise_attention(*x, causal=True)  # noqa: E731
    generator = torch.Generator().manual_seed(0)

    def inputs(shape: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(torch.randn(shape, generator=generator) for _ in range(3))

    with measure.threads(2), torch.no_grad():
        for shape in SHAPES:
            make = functools.partial(inputs, shape)
            blockwise(*inputs(shape))
            ratio = measure.time_ratio(blockwise, ready, make, [1.5], rounds=(15, 31), clock=time.perf_counter)
            yield Figure(f"blockwise: time at (B, H, N, D) = {shape}", ratio.median, 1.5, "of PyTorch's")
        x = inputs(SHAPES[1])
        whole = peak_memory(lambda: _whole_matrix(names, *x))
        yield Figure(
            "blockwise: memory at N = 4096", peak_memory(lambda: blockwise(*x)) / whole, 0.1, "of the whole matrices'"
        )
        peaks = {n: peak_memory(functools.partial(blockwise, *inputs((1, 4, n, 64)))) for n in (2048, 8192)}
        slope = math.log(peaks[8192] / peaks[2048]) / math.log(4)
        yield Figure("blockwise: growth of memory, N = 2048 to 8192", slope, 1.1, "power of N")


def _whole_matrix(names: dict[str, Any], Q: Any, K: Any, V: Any) -> Any:
    return names["scaled_dot_product_attention"](Q, K, V, names["causal_mask"](Q.shape[-2]))


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


def _check_times() -> Iterator[Figure]:
    """How long ``check`` takes in a notebook's kernel, as a part of one second: the solutions, then frequent mistakes."""
    course = find_course()
    for source in course.sources():
        lesson = source.parent.name
        names = [name for name in catalogue.exercises(lesson) if name not in MEASURING]
        for name, times in _in_kernel(lesson, _TIMING.format(names=names)).items():
            yield Figure(f"check: {name}", statistics.median(times), 1.0, "of 1 s")
    for mistake in MISTAKES:
        lesson, name, _, case = mistake.split("/")
        wrong = (OWN_BANK / f"{mistake}.py").read_text(encoding="utf8")
        times = _in_kernel(lesson, wrong, _TIMING.format(names=[name]))[name]
        yield Figure(f"check: {name}, wrong ({case}), with diagnosis", statistics.median(times), 1.0, "of 1 s")


def _in_kernel(lesson: str, *cells: str) -> dict[str, list[float]]:
    """Run the solution's needed cells and then ``cells`` in a fresh kernel; return the times that the last one prints."""
    import nbformat
    from nbclient import NotebookClient

    from autograder import notebooks

    given = notebooks.read(find_course().solution_notebook(lesson))["cells"]
    needed = [cell for cell, wanted in zip(given, notebooks.needed_cells(given), strict=True) if wanted]
    texts = [*(notebooks.source(cell) for cell in needed), *cells]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    [line] = [o.text for o in notebook.cells[-1].outputs if o.output_type == "stream" and o.text.startswith("TIMES")]
    return json.loads(line.removeprefix("TIMES"))


def _import_times() -> Iterator[Figure]:
    """What importing our packages adds to importing torch, in fresh processes, as a part of a tenth of a second."""
    for package in ("course_lib", "autograder"):
        code = f"import torch, time; start = time.perf_counter(); import {package}; print(time.perf_counter() - start)"
        runs = [
            subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(5)
        ]
        yield Figure(f"import {package}", statistics.median(float(run.stdout) for run in runs) / 0.1, 1.0, "of 0.1 s")
