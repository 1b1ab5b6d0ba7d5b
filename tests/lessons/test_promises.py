"""Each official solution with one general promise broken for one argument: it loses points, and the report says which promise.

In `make test` the first call with a broken argument has to tell, for one argument of every other exercise, and the whole verdict
is made for each argument of the first lesson; `make test-full` has the other exercises, with both kinds of breach, and `make
nightly` each kind and each argument of all.
"""

import functools

import pytest
from broken_promises import BREACHES, Breaking, arguments
from known import ASSIGNMENTS, COURSE, LESSONS

from autograder.checks.execute import NotebookStudent, execute
from autograder.content import notebook
from autograder.verdict.runner import run_single

pytestmark = pytest.mark.usefixtures("shapes_unchecked", "nothing_measured")

SEED = 1
NIGHTLY = pytest.mark.nightly(
    reason="make test judges every argument of the first lesson, and one of each other exercise"
)

#: What an exercise is meant to change: a model is trained, a cache is written.
MAY_CHANGE = {("train", "model"), ("generate", "model"), ("window_step", "ring")}

#: Exercises without an argument that can be changed in place, and beside them those with vectors or plain data only.
OF_NUMBERS = {
    *("causal_mask", "parameter_count", "sinusoidal_positions", "warmup_rate"),
    *("cache_bytes", "llama_name", "our_name", "sliding_window"),
    *("attention_bill", "softmax_kernel", "matmul_kernel", "flash_kernel", "grouped_kernel"),
}
OF_VECTORS = {
    *("padding_mask", "bpe_decode", "bpe_encode", "count_pairs", "merge_pair", "train_bpe", "train_bpe_fast"),
    *("perplexity_and_bits", "sentence_pairs", "bleu", "gan_losses", "speculative_accept"),
    *("dpo_loss", "fold_layer_scale", "off_policy_values"),
}
NOTHING_TO_BREAK = {"mutated": OF_NUMBERS, "layout": OF_NUMBERS | OF_VECTORS}


#: All but those that return a trained model.
EXERCISES = [
    (assignment, exercise)
    for assignment in ASSIGNMENTS
    for exercise in LESSONS.of(assignment).exercises
    if not exercise.startswith("my_")
]


@functools.cache
def solved(assignment):
    return notebook.run(COURSE.solution_notebook(assignment)).namespace


def broken(assignment, exercise, kind):
    """Yield the solution with each of its arguments broken in turn, and the student who hands it in."""
    names = solved(assignment)
    for argument in arguments(names[exercise]):
        if (exercise, argument) not in MAY_CHANGE:
            solution = Breaking(names[exercise], argument, kind)
            namespace = names | {exercise: solution.answer}
            yield solution, NotebookStudent(namespace, LESSONS.of(assignment), deep=False), argument


def when(number, kind):
    """Return the mark of an exercise: one kind of breach is for `make test`, and of every second exercise both are tried."""
    if number % 2:
        return pytest.mark.slow
    return (
        () if kind == "mutated" else pytest.mark.nightly(reason="the same mechanism is asked of every second exercise")
    )


@pytest.mark.parametrize(
    ("assignment", "exercise", "kind"),
    [
        pytest.param(*pair, kind, marks=when(number, kind))
        for number, pair in enumerate(EXERCISES)
        for kind in ("mutated", "layout")
    ],
)
def test_the_first_check_that_meets_a_breach_reports_it(assignment, exercise, kind):
    for solution, student, argument in broken(assignment, exercise, kind):
        for check in LESSONS.of(assignment).checks(exercise).values():
            if breach := execute(check, student, SEED).breach:
                assert breach.kind == kind
                assert solution.met
                assert kind == "layout" or argument in breach.received
                return
        assert not solution.met, argument
    assert exercise in NOTHING_TO_BREAK[kind]


@pytest.mark.parametrize("kind", BREACHES)
@pytest.mark.parametrize(
    ("assignment", "exercise"),
    [pytest.param(*pair, marks=() if pair[0] == ASSIGNMENTS[0] else NIGHTLY) for pair in EXERCISES],
)
def test_each_argument_costs_points_and_is_reported(assignment, exercise, kind):
    for solution, student, argument in broken(assignment, exercise, kind):
        report = run_single(exercise, student, SEED)
        assert solution.met != report.full, f"{argument}: {report}"
        told = [result.failure for result in report.results if result.failure]
        assert not told or kind in [failure.kind for failure in told], f"{argument}: {report}"
