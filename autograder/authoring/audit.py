"""Grade the graders: known right answers must earn every point, known wrong ones must lose some and get a diagnosis."""

import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from joblib import cpu_count
from rich.console import Console
from rich.table import Table

from autograder.authoring.diagnosis_names import audit_names
from autograder.content.known_answers import Case, course_cases, read_bank
from autograder.content.lesson import Lessons, package_of
from autograder.grading.console import console as make_console
from autograder.grading.console import progress
from autograder.grading.course import Course, find_course
from autograder.grading.run.batch import in_threads
from autograder.grading.run.pool import GradingJob, ManualReviewNeeded, WorkerCrashed, WorkerPool
from autograder.grading.settings import Settings
from autograder.grading.submission.model import from_notebook
from autograder.grading.submission.released import released_in
from autograder.runtime.seeds import fresh_seed
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside.bubblewrap import problem


def select_cases(
    course: Course, banks: Sequence[Path] | None, only: Sequence[str] | None, since: str | None, tenth: int | None
) -> Iterator[Case]:
    """Yield the cases of the banks, or else the course's own.

    Raises LookupError if a case belongs to no exercise, if a name in ``only`` has no case, or if there are no cases.
    """
    for bank in banks or ():
        if not bank.is_dir():
            raise FileNotFoundError(
                f"There is no folder {bank}. Expected one with files <assignment>/<exercise>/<right|wrong>/<name>.py."
            )
    cases_of_course = _course_cases(course, since, tenth) if not banks else []
    cases = [*cases_of_course, *(case for bank in banks or () for case in read_bank(bank))]
    if not cases:
        raise LookupError(f"{course.root} has no lesson with known answers. Run this in a checkout of the course.")
    for case in cases:
        exercises = course.lessons.of(case.assignment).exercises
        if case.exercise not in exercises:
            raise LookupError(
                f"{case}: {case.assignment} has no exercise {case.exercise!r}. Expected one of: {', '.join(exercises)}."
            )
    answered = {case.exercise for case in cases}
    if unknown := [name for name in only or () if name not in answered]:
        raise LookupError(
            f"There is no known answer to {unknown[0]!r} here. Expected one of: {', '.join(sorted(answered))}."
        )
    yield from (case for case in cases if not only or case.exercise in only)


def _course_cases(course: Course, since: str | None, tenth: int | None) -> list[Case]:
    """Return the course's own cases; with ``since``, those of lessons changed since that commit and a tenth of the others."""
    cases = course_cases(course.lessons, course.assignments)
    if since is None:
        return cases
    changed = changed_lessons(course, since)
    chosen_tenth = int(time.time() // 86400) % 10 if tenth is None else tenth % 10
    print(
        f"audit: all of {', '.join(changed) or 'no lesson'}, and tenth {chosen_tenth} of the others (--tenth {chosen_tenth})"
    )
    return [case for number, case in enumerate(cases) if case.assignment in changed or number % 10 == chosen_tenth]


def changed_lessons(course: Course, since: str) -> list[str]:
    """Return the assignments whose source or content differs from a commit. Raises ValueError for an unknown commit."""
    command = ["git", "diff", "--name-only", since, "--"]
    diff = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    if diff.returncode:
        raise ValueError(f"git cannot compare with {since!r}: {diff.stderr.strip()}")
    parts = {part for line in diff.stdout.splitlines() for part in Path(line).parts}
    return [name for name in course.assignments if name in parts or package_of(name) in parts]


#: Seconds after which a case is stopped. The slowest answers need about twenty, on a busy machine ten times as many; limits on
#: processor time stop those that do not end.
LIMIT = 900

#: Minimum share of wrong answers whose misconception the feedback names.
NAMED = 0.9


@dataclass(frozen=True)
class Verdict:
    """The verdict of the checks on one case."""

    case: Case
    earned: float
    points: float
    named: tuple[str, ...] = ()
    trouble: str = ""
    seconds: float = 0.0
    reached: bool = True  # False if a grading process died without a verdict

    @property
    def right(self) -> bool:
        """True if the verdict is correct: all points for a right answer, fewer for a wrong one."""
        full = self.earned == self.points
        return self.reached and (full if self.case.right else not full)

    def __str__(self) -> str:
        causes = f"  named: {', '.join(self.named)}" if self.named else ""
        more = f"  {self.trouble}" if self.trouble else ""
        earned = f"{self.earned:g} of {self.points:g}" if self.reached else "no verdict"
        return f"{self.case}: {earned} in {self.seconds:.1f} s{causes}{more}"


def job_of(case: Case, course: Course, seed: int | None, settings: Settings) -> GradingJob:
    """Return the job that grades a submission of the solution in which the case replaces one answer.

    The build has verified that the solution itself earns every point.
    """
    released = released_in(course, case.assignment)
    submission = from_notebook(course.solution_notebook(case.assignment), released, {case.exercise: case.text})
    earlier = course.lessons.of(case.assignment).builds_on(case.exercise)
    return GradingJob(submission, fresh_seed() if seed is None else seed, settings, [case.exercise], earlier)


def verdict_of(case: Case, job: GradingJob, pool: WorkerPool) -> Verdict:
    """Grade a case. There is no verdict if the grading process dies, or if the case ends the unsandboxed process that runs it."""
    start = time.perf_counter()
    try:
        result = pool.grade(job)
    except (WorkerCrashed, ManualReviewNeeded) as error:
        points = job.settings.lessons.of(case.assignment).points(case.exercise)
        return Verdict(case, 0.0, points, (), str(error), time.perf_counter() - start, reached=False)
    [report] = result.exercises
    failures = [f"{c['sentence']}: {c['failure']}" for c in report["checks"] if c["earned"] < c["points"]]
    reasons = " | ".join(failures)[:600] if case.right else ""
    seconds = time.perf_counter() - start
    return Verdict(case, report["earned"], report["points"], tuple(report["named"]), reasons, seconds)


def run_cases(cases: Sequence[Case], course: Course, workers: int, seed: int | None) -> Iterator[Verdict]:
    """Yield a verdict for every case: graded in the sandbox if there is one, otherwise each in its own process."""
    settings = Settings(
        trust=bool(problem()), limits=Limits(total_wall=LIMIT), label=course.label, lessons=course.lessons
    )
    with WorkerPool(workers) as pool:

        def grade_case(case: Case) -> Verdict:
            return verdict_of(case, job_of(case, course, seed, settings), pool)

        yield from in_threads(grade_case, cases, workers)


def audit(
    banks: Sequence[Path] | None,
    only: Sequence[str] | None,
    workers: int | None,
    seed: int | None,
    verbose: bool,
    attacks: bool = True,
    since: str | None = None,
    tenth: int | None = None,
    names: Sequence[str] | None = None,
) -> int:
    """Run the audit, print a table, and return 0 if every verdict is right and few diagnoses mislead.

    A full run of the course's own bank also runs the attack suite, unless ``attacks`` is False or there is no sandbox. With
    ``since``, a commit, only lessons changed since then are audited in full, and a ``tenth`` of the others, by default today's.
    With ``names``, a list of lessons (empty: all), only the diagnoses are measured.
    """
    course, workers = find_course(), workers or cpu_count()
    if names is not None:
        lessons = [course.lessons.of(name) for name in names or course.assignments]
        return audit_names(lessons, workers, course.solutions, unread=True)
    cases = list(select_cases(course, banks, only, since, tenth))
    console = make_console()
    verdicts: list[Verdict] = []
    try:
        with progress("checking answers", len(cases)) as step:
            for verdict in run_cases(cases, course, workers, seed):
                verdicts.append(verdict)
                step()
                if verbose or not verdict.right:
                    console.print(str(verdict), markup=False, highlight=False, soft_wrap=True)
    except KeyboardInterrupt:  # what an hour has found is worth a table
        _print(console, verdicts, course.lessons)
        raise
    bad = _print(console, verdicts, course.lessons)
    if banks or only or since:
        return bad
    misled = audit_names([course.lessons.of(name) for name in course.assignments], workers, course.solutions)
    return (_attack(course, console) if attacks else 0) or bad or misled


def _attack(course: Course, console: Console) -> int:
    """Run the attack suite against both ways of grading a class, print the results, and return 0 if no attack succeeded."""
    from autograder.authoring.attacks import attack, read_cases
    from autograder.sandbox.outside.bubblewrap import SandboxMissing, find

    if not read_cases(course):
        return 0  # another course, without its own attack suite
    try:
        find()
    except SandboxMissing as error:
        console.print(f"attacks: not tried. {error}", soft_wrap=True, highlight=False)
        return 0
    tallies = {command: attack(course, command) for command in ("autograder", "nbgrader")}
    for command, tally in tallies.items():
        console.print(f"{command}: {tally}", markup=False, highlight=False, soft_wrap=True)
    return 0 if all(tally.good for tally in tallies.values()) else 1


def _print(console: Console, verdicts: Sequence[Verdict], lessons: Lessons) -> int:
    verdicts = sorted(verdicts, key=lambda verdict: str(verdict.case))
    table = Table(title="Known answers")
    for title in ("exercise", "right accepted", "wrong rejected", "wrong named"):
        table.add_column(title, justify="left" if title == "exercise" else "right")
    names = list(dict.fromkeys((v.case.assignment, v.case.exercise) for v in verdicts))
    for assignment, exercise in sorted(names, key=lambda n: (n[0], lessons.of(n[0]).exercises.index(n[1]))):
        group = [v for v in verdicts if (v.case.assignment, v.case.exercise) == (assignment, exercise)]
        table.add_row(f"{assignment}  {exercise}", *_counts(group))
    table.add_section()
    table.add_row("all", *_counts(verdicts))
    console.print(table)
    bad = [verdict for verdict in verdicts if not verdict.right]
    unnamed = [verdict for verdict in verdicts if not verdict.case.right and verdict.right and not verdict.named]
    silent = [verdict for verdict in bad if not verdict.reached]
    wrong_ones = [verdict for verdict in bad if verdict.reached]
    for title, group in (("NO VERDICT", silent), ("WRONG VERDICT", wrong_ones), ("rejected without a name", unnamed)):
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
