"""A sample class, graded from hand-in to feedback with plain nbgrader commands."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from autograder import catalogue, notebooks
from autograder.cases import OWN_BANK, read_bank
from autograder.course import NBGRADER_CONFIG, Course, find_course
from autograder.grading.outcome import FAILED, GRADED, HUMAN, recall
from autograder.progress import progress
from autograder.sandbox.bubblewrap import problem

ASSIGNMENT = "01-attention"
_MARKER = "made-by-autograder-demo"


@dataclass(frozen=True)
class Pupil:
    """One hand-in: which known answers stand in the place of the solution's, and what it should earn.

    ``lost`` maps an exercise to the points that its wrong answer should cost; everything else earns all its points.
    """

    name: str
    about: str
    answers: dict[str, str] = field(default_factory=dict)
    lost: dict[str, float] = field(default_factory=dict)
    kind: str = "answers"

    def expected(self) -> float | None:
        """The points that the hand-in should earn, or None where a human has to look."""
        if self.kind in ("missing", "corrupt"):
            return None
        if self.kind == "release":
            return 0.0
        return sum(catalogue.points_of(name) for name in catalogue.exercises(ASSIGNMENT)) - sum(self.lost.values())


SDPA = "scaled_dot_product_attention"
CLASS = (
    Pupil("ada", "the solution as it is"),
    Pupil("alan", "einsum throughout", {"attend": "right/einsum", SDPA: "right/einsum"}),
    Pupil(
        "barbara",
        "loops where speed is not asked",
        {"attend": "right/loop_over_inputs", SDPA: "right/loop_over_queries"},
    ),
    Pupil(
        "claude",
        "warnings and prints in right answers",
        {
            "softmax": "right/warns_and_prints",
            SDPA: "right/warns_and_prints",
            "SelfAttention": "right/warns_and_prints",
        },
    ),
    Pupil(
        "dorothy",
        "lists, named tuples, other masks",
        {SDPA: "right/named_tuple", "SelfAttention": "right/list_returned", "causal_mask": "right/arange_comparison"},
    ),
    Pupil("edsger", "composition instead of inheritance", {"CausalSelfAttention": "right/composed"}),
    Pupil("frances", "bmm, baddbmm, log-sum-exp", {"softmax": "right/logsumexp", SDPA: "right/baddbmm_with_finfo_min"}),
    Pupil("grace", "no maximum subtracted", {"softmax": "wrong/no_maximum_subtracted"}, {"softmax": 2}),
    Pupil("hedy", "dim ignored", {"softmax": "wrong/last_dimension_always"}, {"softmax": 1}),
    Pupil("ivan", "similarities not scaled", {SDPA: "wrong/no_scaling"}, {SDPA: 11}),
    Pupil("john", "softmax over the queries", {SDPA: "wrong/softmax_over_queries"}, {SDPA: 12}),
    Pupil("katherine", "mask after the softmax", {SDPA: "wrong/mask_after_softmax"}, {SDPA: 7}),
    Pupil(
        "leslie", "W_Q used for the keys too", {"SelfAttention": "wrong/query_weights_for_keys"}, {"SelfAttention": 6}
    ),
    Pupil("margaret", "the mask's triangle off by one", {"causal_mask": "wrong/one_place_ahead"}, {"causal_mask": 4}),
    Pupil("niklaus", "looks ahead", {"CausalSelfAttention": "wrong/no_mask"}, {"CausalSelfAttention": 7}),
    Pupil(
        "ole",
        "the accumulator is not rescaled",
        {"blockwise_attention": "wrong/accumulator_not_rescaled"},
        {"blockwise_attention": 10},
    ),
    Pupil("peter", "the release, untouched", kind="release"),
    Pupil("radia", "a syntax error in one cell", lost={"causal_mask": 5}, kind="syntax error"),
    Pupil("sophie", "no notebook in the folder", kind="missing"),
    Pupil("tim", "a file that is no notebook", kind="corrupt"),
)


def demo(folder: Path) -> int:
    """Make the class in ``folder``, grade it, print a table, and return 0 when every score is as expected."""
    source = find_course()
    missing = problem()
    if missing:  # the sample class is our own, so it may be trusted; students are not
        print(f"{missing}\nThe sample class is graded without a sandbox, and its pages say so.")
    course = _fresh_course(source, folder.resolve(), trust=bool(missing))
    for pupil in CLASS:
        _hand_in(course, source, pupil)
    _nbgrader(course, "generate_assignment", ASSIGNMENT)
    with progress(f"grading {len(CLASS)} submissions with nbgrader", len(CLASS)) as step:
        _nbgrader(course, "autograde", ASSIGNMENT, step=step)
    with progress("writing feedback pages", len(CLASS) - 2) as step:
        _nbgrader(course, "generate_feedback", ASSIGNMENT, step=step)
    _nbgrader(course, "export")
    return _print(course, _scores(course))


def _fresh_course(source: Course, root: Path, trust: bool) -> Course:
    """Empty the folder, if it is an earlier demonstration's, and lay out a course in it."""
    if root.exists() and any(root.iterdir()) and not (root / _MARKER).exists():
        raise ValueError(
            f"{root} exists and was not made by an earlier demo. Choose another folder with --folder, or remove it."
        )
    shutil.rmtree(root, ignore_errors=True)
    (root / "solutions" / ASSIGNMENT).mkdir(parents=True)
    (root / _MARKER).touch()
    more = "get_config().SealedAutograde.trust_submissions = True\n" if trust else ""
    (root / "nbgrader_config.py").write_text(NBGRADER_CONFIG + more, encoding="utf8")
    shutil.copy(source.solution_notebook(ASSIGNMENT), root / "solutions" / ASSIGNMENT)
    return Course(root)


def _hand_in(course: Course, source: Course, pupil: Pupil) -> None:
    place = course.grading / "submitted" / pupil.name / ASSIGNMENT
    place.mkdir(parents=True)
    solution = source.solution_notebook(ASSIGNMENT)
    released = source.release / ASSIGNMENT / solution.name
    if pupil.kind == "missing":
        (place / "notes.txt").write_text("I could not find my notebook.\n", encoding="utf8")
    elif pupil.kind == "corrupt":
        (place / solution.name).write_bytes(released.read_bytes()[:5000])
    else:
        notebook = notebooks.read(released)
        if pupil.kind != "release":
            _fill_in(notebook, notebooks.read(solution), pupil)
        (place / solution.name).write_text(json.dumps(notebook), encoding="utf8")


def _fill_in(notebook: dict, solution: dict, pupil: Pupil) -> None:
    """Write the pupil's answers into the released notebook, as a student would."""
    known = {str(case): case for case in read_bank(OWN_BANK)}
    answers = {notebooks.grade_id(cell): notebooks.source(cell) for cell in solution["cells"]}
    for cell in notebook["cells"]:
        name = notebooks.grade_id(cell)
        if not cell["metadata"].get("nbgrader", {}).get("solution"):
            continue
        cell["source"] = answers[name] if cell["cell_type"] == "code" else f"An answer by {pupil.name}."
        if name in pupil.answers:
            cell["source"] = known[f"{ASSIGNMENT}/{name}/{pupil.answers[name]}"].answer
        if pupil.kind == "syntax error" and name in pupil.lost:
            cell["source"] = cell["source"].replace("):", ")", 1)


#: What nbgrader prints when it is done with one submission.
_DONE = re.compile(r"INFO\] \S+: [\d.]+ of |WARNING\] \S+: (needs|failed)|Writing \d+ bytes to .*\.html")


def _nbgrader(course: Course, *arguments: str, step: Callable[[], None] = lambda: None) -> None:
    """Run an nbgrader command in the course, and call ``step`` whenever it is done with a submission."""
    command = [sys.executable, "-P", "-m", "nbgrader", *arguments]
    with open(course.grading / "commands.log", "a", encoding="utf8") as log:
        log.write(f"\n$ nbgrader {' '.join(arguments)}\n")
        process = subprocess.Popen(
            command, cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf8"
        )
        for line in process.stdout or ():
            log.write(line)
            if _DONE.search(line):
                step()
        process.wait()


def _scores(course: Course) -> dict[str, float]:
    """Return the points of everyone whom nbgrader has graded, without the questions that wait for a human's marks."""
    from nbgrader.api import Gradebook

    done = [student for student, outcome in recall(course.grading, ASSIGNMENT).items() if outcome.state == GRADED]
    with Gradebook(f"sqlite:///{course.grading / 'gradebook.db'}") as gradebook:
        return {
            s.student_id: float(s.score) for s in gradebook.assignment_submissions(ASSIGNMENT) if s.student_id in done
        }


def _print(course: Course, scores: dict[str, float]) -> int:
    table = Table(title=f"{ASSIGNMENT}: the sample class")
    ended = {student: outcome.state for student, outcome in recall(course.grading, ASSIGNMENT).items()}
    state = {pupil.name: ended.get(pupil.name, FAILED) for pupil in CLASS}
    for title in ("student", "handed in", "points", "expected", "state"):
        table.add_column(title, justify="right" if title in ("points", "expected") else "left")
    as_expected = True
    for pupil in CLASS:
        got, want = scores.get(pupil.name), pupil.expected()
        as_expected &= got == want
        table.add_row(
            pupil.name,
            pupil.about,
            *("–" if x is None else f"{x:g}" for x in (got, want)),
            state[pupil.name],
            style=None if got == want else "bold red",
        )
    console = Console(width=110)
    console.print(table)
    states = Counter(state.values())
    console.print(
        f"feedback pages: {course.grading / 'feedback'}/<student>/{ASSIGNMENT}/attention.html",
        soft_wrap=True,
        highlight=False,
    )
    console.print(f"grades: {course.grading / 'grades.csv'}", soft_wrap=True, highlight=False)
    console.print(f"log of the nbgrader commands: {course.grading / 'commands.log'}", soft_wrap=True, highlight=False)
    print(
        f"demo: {len(CLASS)} submissions, {states[GRADED]} graded, {states[HUMAN]} need a human, "
        f"{states[FAILED]} failed; scores as expected: {'yes' if as_expected else 'no'}"
    )
    return 0 if as_expected else 1
