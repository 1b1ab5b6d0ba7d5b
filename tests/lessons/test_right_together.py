"""Right answers fit together: a later solution earns its points on any right version of an earlier exercise."""

import pytest
from known import COURSE, LESSONS, of

from autograder.checks.execute import NotebookStudent, call_check
from autograder.content import notebook
from autograder.content.lesson import mark_value

pytestmark = pytest.mark.slow

LESSON = LESSONS.of("11-vit")
PATCHIFY = of("patchify", right=True)
assert len(PATCHIFY) > 3
NIGHTLY = pytest.mark.nightly(reason="more right answers of the same kind")


@pytest.fixture(scope="module")
def solution():
    return notebook.run(COURSE.solution_notebook("11-vit")).namespace


@pytest.mark.parametrize(
    "case", [*PATCHIFY[:3], *(pytest.param(case, marks=NIGHTLY) for case in PATCHIFY[3:])], ids=str
)
@pytest.mark.parametrize("later", ["PatchEmbedding", "VisionTransformer", "shifted_windows"])
def test_the_solution_stands_on_any_right_patchify(solution, case, later):
    names = dict(solution)
    before = names["patchify"]
    exec(compile(case.text, str(case), "exec"), names)
    solution["patchify"] = names["patchify"]  # what the later exercises call
    try:
        checks = [check for check in LESSON.checks(later).values() if mark_value(check, "points", 0)]
        assert checks
        failed = {check.__name__: call_check(check, NotebookStudent(solution, LESSON), 1) for check in checks}
    finally:
        solution["patchify"] = before
    assert not {name: str(failure) for name, failure in failed.items() if failure}
