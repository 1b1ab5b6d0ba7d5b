"""Grade the graders: known right answers must earn every point, known wrong ones must lose some and be told why."""

import multiprocessing
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from joblib import cpu_count
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from autograder import catalogue
from autograder.cases import OWN_BANK, Case, read_bank
from autograder.course import Course, find_course

#: A case that has not been checked after this many seconds is stopped. The slowest wrong answers need about twenty.
LIMIT = 180

#: The part of the wrong answers whose misconception has to be named.
NAMED = 0.9

#: Loaded once into the process from which a fresh one is forked for every case. Nothing of PyTorch runs there.
_PRELOAD = ["torch", "IPython.core.interactiveshell", "matplotlib.pyplot", "sklearn.datasets"]
_PRELOAD += ["autograder.audit", "autograder.runner"]


@dataclass(frozen=True)
class Verdict:
    """What the checks said about one case."""

    case: Case
    earned: float
    points: float
    named: tuple[str, ...] = ()
    trouble: str = ""
    seconds: float = 0.0

    @property
    def right(self) -> bool:
        """Whether the verdict is the right one: all points for a right answer, fewer for a wrong one."""
        full = self.earned == self.points and not self.trouble
        return full if self.case.right else self.earned < self.points

    def __str__(self) -> str:
        told = f"  named: {', '.join(self.named)}" if self.named else ""
        more = f"  {self.trouble}" if self.trouble else ""
        return f"{self.case}: {self.earned:g} of {self.points:g} in {self.seconds:.1f} s{told}{more}"


def check_case(case: Case, notebook: Path, seed: int | None) -> Verdict:
    """Run the solution notebook with the case in its place, and check that exercise. Meant for a process of its own."""
    import torch

    from autograder import notebooks
    from autograder.files import files_in
    from autograder.local import LocalStudent
    from autograder.runner import run_checks

    start = time.perf_counter()
    torch.set_num_threads(1)
    run = notebooks.run(notebook, {case.exercise: case.text})
    # The error of the case's own cell is part of its being wrong; the checks then say what is missing.
    # All else in the notebook is the solution, which earns every point: the build has seen to that.
    rest = dict.fromkeys(catalogue.builds_on(case.exercise), True)
    student = LocalStudent(run.namespace, catalogue.forbidden(case.assignment), file=files_in(notebook.parent))
    report = run_checks(case.exercise, student, seed, rest)
    lost = [f"{r.sentence}: {r.failure}" for r in report.results if r.earned < r.points] if case.right else []
    return Verdict(
        case, report.earned, report.points, tuple(report.named), " | ".join(lost)[:600], time.perf_counter() - start
    )


def run_cases(cases: Sequence[Case], course: Course, workers: int, seed: int | None) -> Iterator[Verdict]:
    """Yield a verdict for every case, each checked in a process of its own that is stopped after ``LIMIT`` seconds."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOAD)
    os.environ.setdefault("MPLBACKEND", "Agg")
    with ThreadPoolExecutor(workers) as pool:
        tasks = [
            pool.submit(_in_own_process, context, case, course.solution_notebook(case.assignment), seed)
            for case in cases
        ]
        yield from (task.result() for task in as_completed(tasks))


def _in_own_process(context: Any, case: Case, notebook: Path, seed: int | None) -> Verdict:
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send_verdict, args=(sender, case, notebook, seed))
    process.start()
    sender.close()
    nothing = Verdict(case, 0.0, catalogue.points_of(case.exercise))
    try:
        if receiver.poll(LIMIT):
            return receiver.recv()
        return replace(nothing, named=("never finishes",), trouble=f"stopped after {LIMIT} s")
    except EOFError:
        process.join()
        return replace(nothing, named=("ends the process",), trouble=f"its process ended with code {process.exitcode}")
    finally:
        process.kill()
        process.join()


def _send_verdict(sender: Any, case: Case, notebook: Path, seed: int | None) -> None:
    sender.send(check_case(case, notebook, seed))


def audit(
    banks: list[Path] | None,
    only: list[str] | None,
    workers: int | None,
    seed: int | None,
    verbose: bool,
    attacks: bool = True,
) -> int:
    """Run the audit, print a table, and return 0 when every verdict is right.

    The course's own bank, taken whole, is followed by the attack suite, unless ``attacks`` is False or there is no sandbox.
    """
    course = find_course()
    cases = list(_selected(banks or [OWN_BANK], only))
    console = Console(width=None if os.isatty(1) else 110)
    verdicts: list[Verdict] = []
    with Progress(console=console, disable=not console.is_terminal, transient=True) as progress:
        bar = progress.add_task("checking answers", total=len(cases))
        for verdict in run_cases(cases, course, workers or cpu_count(), seed):
            verdicts.append(verdict)
            progress.advance(bar)
            if verbose:
                console.print(str(verdict), markup=False, highlight=False, soft_wrap=True)
    verdicts.sort(key=lambda verdict: str(verdict.case))
    bad = _print(console, verdicts)
    return _attack(course, console) or bad if attacks and not banks and not only else bad


def _attack(course: Course, console: Console) -> int:
    """Run the attack suite against both ways of grading a class, print what came of it, and return 0 when it came to nothing."""
    from autograder.attacks import attack
    from autograder.sandbox.bubblewrap import SandboxMissing, find

    folder = course.root / "tests" / "attacks" / "cases"
    try:
        find()
    except SandboxMissing as error:
        console.print(f"attacks: not tried. {error}", soft_wrap=True, highlight=False)
        return 0
    tallies = {command: attack(course, folder, command) for command in ("autograder", "nbgrader")}
    for command, tally in tallies.items():
        console.print(f"{command}: {tally}", markup=False, highlight=False, soft_wrap=True)
    return 0 if all(tally.good for tally in tallies.values()) else 1


def _selected(banks: Iterable[Path], only: list[str] | None) -> Iterator[Case]:
    for bank in banks:
        if not bank.is_dir():
            raise FileNotFoundError(
                f"There is no folder {bank}. Expected one with files <assignment>/<exercise>/<right|wrong>/<name>.py."
            )
        for case in read_bank(bank):
            if case.exercise not in catalogue.exercises(case.assignment):
                known = ", ".join(catalogue.exercises(case.assignment))
                raise LookupError(
                    f"{case.path}: {case.assignment} has no exercise {case.exercise!r}. Expected one of: {known}."
                )
            if not only or case.exercise in only:
                yield case


def _print(console: Console, verdicts: Sequence[Verdict]) -> int:
    table = Table(title="Known answers")
    for title in ("exercise", "right accepted", "wrong rejected", "wrong named"):
        table.add_column(title, justify="left" if title == "exercise" else "right")
    names = list(dict.fromkeys((v.case.assignment, v.case.exercise) for v in verdicts))
    for assignment, exercise in sorted(names, key=lambda n: (n[0], catalogue.exercises(n[0]).index(n[1]))):
        group = [v for v in verdicts if (v.case.assignment, v.case.exercise) == (assignment, exercise)]
        table.add_row(f"{assignment}  {exercise}", *_counts(group))
    table.add_section()
    table.add_row("all", *_counts(verdicts))
    console.print(table)
    bad = [verdict for verdict in verdicts if not verdict.right]
    unnamed = [verdict for verdict in verdicts if not verdict.case.right and verdict.right and not verdict.named]
    for title, group in (("WRONG VERDICT", bad), ("rejected without a name", unnamed)):
        for verdict in group:
            console.print(f"{title}: {verdict}", markup=False, highlight=False, soft_wrap=True)
    console.print(
        f"audit: {len(verdicts)} answers, {len(bad)} wrong verdicts, {len(unnamed)} wrong answers without a name"
    )
    wrong = sum(not verdict.case.right for verdict in verdicts)
    return 1 if bad or len(unnamed) > (1 - NAMED) * wrong else 0


def _counts(verdicts: Iterable[Verdict]) -> list[str]:
    verdicts = list(verdicts)
    good, wrong = [v for v in verdicts if v.case.right], [v for v in verdicts if not v.case.right]
    named = sum(bool(v.named) for v in wrong if v.right)
    return [
        f"{sum(v.right for v in good)} of {len(good)}",
        f"{sum(v.right for v in wrong)} of {len(wrong)}",
        f"{named} of {len(wrong)}",
    ]
