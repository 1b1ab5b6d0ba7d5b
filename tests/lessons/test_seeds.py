"""Every known answer gets the right verdict, and it does not depend on the seed: the same checks fail, whatever is drawn."""

import pytest
from known import ASSIGNMENTS, LESSONS

import course_lib.layers
from autograder.checks.execute import NotebookStudent, call_check
from autograder.content.known_answers import cases_of
from autograder.content.lesson import mark_value
from autograder.content.references import namespace

#: The contract of a lesson has two, for the solution and the first mistake; `make audit` judges all answers in their notebooks.
SEEDS = range(1, 9)
EXERCISES = [(lesson, name) for lesson in ASSIGNMENTS for name in LESSONS.of(lesson).exercises]

#: Wrong only in time or memory, or on trained weights, which is measured by the audit and not here.
ONLY_MEASURED = (
    "blockwise_attention",
    "parameter_count",
    "my_captioner",
    "my_language_model",
    "my_vit",
    "my_translator",
    "my_learner",
    "my_gpt",
    "train_bpe_fast",
    "my_clip",
    "my_answers",
    "my_search",
    "my_recommender",
)


@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)
@pytest.mark.nightly(reason="all known answers with eight seeds take hours")
def test_a_known_answer_fails_the_same_checks_for_every_seed(assignment, exercise):
    lesson = LESSONS.of(assignment)
    checks = [c for c in lesson.checks(exercise).values() if mark_value(c, "points", 0)]
    checks = [c for c in checks if not mark_value(c, "measured")]
    cases = cases_of(lesson, exercise)
    assert cases
    for case in cases:
        failed = {seed: _failed(lesson, case, checks, seed) for seed in SEEDS}
        assert len(set(failed.values())) == 1, f"{case}: {failed}"
        if case.right or exercise not in ONLY_MEASURED:
            assert bool(failed[SEEDS[0]]) != case.right, f"{case}: {failed}"


def _failed(lesson, case, checks, seed):
    """Run the checks on the case as a fresh notebook would: an answer that keeps results starts with none."""
    names = namespace(lesson) | {"layers": course_lib.layers, "TransformerConfig": course_lib.layers.TransformerConfig}
    try:
        exec(compile(case.text, str(case), "exec"), names)
    except Exception as error:
        return f"does not run: {type(error).__name__}"
    student = NotebookStudent(names, lesson, deep=case.right)
    return tuple(check.__name__ for check in checks if _fails(check, student, seed))


def _fails(check, student, seed):
    """Return whether the check fails, or a call of it changed an argument, which costs a point although its values are right."""
    student.breach = None
    return call_check(check, student, seed) is not None or student.breach is not None
