"""The hostile submissions, and which of them are tried where."""

from pathlib import Path

from known import COURSE
from test_defences import DEFENCES

from autograder.authoring import attacks

FOLDER = Path(__file__).parent / "cases"
CASES = attacks.read_cases(COURSE, FOLDER)
FIRST = COURSE.assignments[0]

#: Those that aim at nbgrader itself, and a few of every other kind: the whole set takes nbgrader, which is serial, six minutes.
AT_NBGRADER = [
    case
    for case in CASES
    if (case.header("replaces") is None and case.lesson.assignment == FIRST)
    or case.name
    in ("check_replaced", "check_returns_nan", "equal_to_everything", "html_in_a_failure", "process_ended_in_a_cell")
]

#: Those that attack a measurement take ten seconds and more. In every run a third of them.
MEASURED = [case for case in CASES if (name := case.header("replaces")) and case.lesson.measures(name)]
LATER = [case for number, case in enumerate(MEASURED) if number % 3]
#: Each other case once here, one way or the other, and some general ones in each other lesson. Three honest neighbours stand in
#: the first lesson's class; nightly, and in the audit, in every lesson's, with all cases.
EVERY = 60
AT_THE_CLASS_RUNNER = {
    assignment: [
        case
        for case in cases
        if case not in LATER
        and (assignment != FIRST or (case not in AT_NBGRADER and case.name not in DEFENCES.values()))
    ]
    for assignment, cases in attacks.by_assignment(COURSE, CASES, lambda number: number % EVERY == 0).items()
}
