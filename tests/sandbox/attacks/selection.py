"""The hostile submissions, and which of them are tried where."""

from collections.abc import Sequence

from known import COURSE
from test_defences import DEFENCES

from autograder.authoring import attacks

CASES = attacks.read_cases(COURSE)
FIRST = COURSE.assignments[0]

#: Every run has one in so many cases of a kind, the first of each ten; the audit has all.
ONE_IN = 10
#: Cases that compute for longer than ten seconds. They are left to the nightly run, and so are attacks on a measurement.
EXPENSIVE = {
    "child_killed_before_it_counts",
    "counts_forged_and_numbers_cleaned",
    "half_the_work_kept_between_rounds",
    "new_id_alone",
    "profiler_lies",
    "scenes_recognised",
    "second_check_of_the_same_questions",
    "seeds_tried_out",
    "sentences_parsed",
    "whole_matrix_kept_for_the_second_call_01",
}
assert {case.name for case in CASES} >= EXPENSIVE


def _is_expensive(case: attacks.Case) -> bool:
    replaced = case.header("replaces")
    return case.name in EXPENSIVE or (replaced is not None and case.lesson.measures(replaced))


def _in_every_run(cases: Sequence[attacks.Case]) -> list[attacks.Case]:
    return [case for case in cases if not _is_expensive(case)][::ONE_IN]


#: Cases whose feedback pages a test opens.
PAGES = [case for case in CASES if case.name.startswith("page_")]
PAGES += [case for case in CASES if case.name in ("html_in_a_failure", "output_flood_everywhere", "script_in_the_text")]
#: Cases that aim at nbgrader itself, and a few of other kinds.
AIMED = [case for case in CASES if case.header("replaces") is None and case.lesson.assignment == FIRST]
AIMED += [case for case in CASES if case.name in ("check_replaced", "check_returns_nan", "equal_to_everything")]
AT_NBGRADER = PAGES + [case for case in _in_every_run(AIMED) if case not in PAGES]

#: Of the others, some in the first lesson, with three honest neighbours, and in each other lesson some of its own.
_TRIED_ELSEWHERE = {case.name for case in [*PAGES, *AIMED]} | {*DEFENCES.values()}
AT_THE_CLASS_RUNNER = {
    assignment: _in_every_run(
        [case for case in CASES if case.lesson.assignment == assignment and case.name not in _TRIED_ELSEWHERE]
    )
    for assignment in COURSE.assignments
}
