"""Right answers fit together: a later solution earns its points on any right version of an earlier exercise."""

import pytest

from autograder import catalogue, notebooks
from autograder.cases import OWN_BANK, read_bank
from autograder.course import find_course
from autograder.diagnosis import replay
from autograder.local import LocalStudent
from autograder.marks import mark_value

PATCHIFY = [case for case in read_bank(OWN_BANK) if case.exercise == "patchify" and case.right]
assert len(PATCHIFY) > 3


@pytest.fixture(scope="module")
def solution():
    return notebooks.run(find_course().solution_notebook("08-vit")).namespace


@pytest.mark.parametrize("case", PATCHIFY, ids=str)
@pytest.mark.parametrize("later", ["PatchEmbedding", "VisionTransformer", "shifted_windows"])
def test_the_solution_stands_on_any_right_patchify(solution, case, later):
    names = dict(solution)
    before = names["patchify"]
    exec(compile(case.text, str(case.path), "exec"), names)
    solution["patchify"] = names["patchify"]  # what the later exercises call
    try:
        checks = [check for check in catalogue.checks_of(later).values() if mark_value(check, "points", 0)]
        assert checks
        failed = {check.__name__: replay(check, LocalStudent(solution), 1) for check in checks}
    finally:
        solution["patchify"] = before
    assert not {name: str(failure) for name, failure in failed.items() if failure}
