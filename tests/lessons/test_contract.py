"""The contract of every exercise, in one process and with nothing timed: what a lesson promises a student and its teacher.

The solution is full, the release earns nothing, the first known mistake loses points and is named, both for two seeds, and an
answer that calls one blocked function earns nothing, whatever it returns. What takes seconds (names of mistakes in whole
models, trained models) is for `make test-full`, other known answers for `make audit`, and other seeds for `make nightly`.
"""

import contextlib
import functools
import importlib
import random

import numpy as np
import pytest
import torch
from answers import runs_in
from known import ASSIGNMENTS, COURSE, LESSONS, of
from some_cases import one_in
from whole_way import with_files

from autograder.checks.execute import NotebookStudent
from autograder.content import notebook
from autograder.content.lesson import Lesson, mark_value
from autograder.runtime.blocked import calls
from autograder.runtime.blocked.calls import raising
from autograder.verdict.runner import diagnose_failures, run_single

pytestmark = pytest.mark.usefixtures("shapes_unchecked")

EXERCISES = [(lesson, name) for lesson in ASSIGNMENTS for name in LESSONS.of(lesson).exercises]
SEEDS = (1, 2)

#: Those that read a file that is handed in: a trained model is evaluated, which takes seconds.
TRAINED = {(lesson, name) for lesson in ASSIGNMENTS for name in with_files(lesson)}

#: Models of several blocks, built a hundred times by their checks: the second seed is for `make nightly`, as for TRAINED.
COSTLY = {
    "BertEncoder",
    "BidirectionalLanguageModel",
    "CachedGPT",
    "Decoder",
    "DecoderBlock",
    "DualEncoder",
    "Encoder",
    "GPT",
    "MaskedLanguageModel",
    "PretrainedEncoder",
    "SequentialRecommender",
    "TextTower",
    "Transformer",
    "TransformerCaptioner",
    "TransformerTranslator",
    "linear_probe",
}

#: Their solutions are evaluated for two to ten seconds; the notebooks, which `make test-full` runs, check them.
EVALUATED_LONG = {
    "my_answers",
    "my_captioner",
    "my_gpt",
    "my_language_model",
    "my_learner",
    "my_recommender",
    "my_search",
    "my_translator",
    "my_vit",
}


NIGHTLY = pytest.mark.nightly(reason="the notebooks that make test-full runs check these solutions")


def takes_long(assignment: str, exercise: str, seed: int) -> bool:
    again = seed != SEEDS[0]
    return exercise in EVALUATED_LONG or (again and (exercise in COSTLY or (assignment, exercise) in TRAINED))


def with_seeds(*seeds):
    """Parametrise a test with every exercise and these seeds; what takes long is nightly."""
    return pytest.mark.parametrize(
        ("assignment", "exercise", "seed"),
        [
            pytest.param(*pair, seed, marks=[NIGHTLY] if takes_long(*pair, seed) else [])
            for pair in EXERCISES
            for seed in seeds
        ],
    )


every_exercise = pytest.mark.parametrize(("assignment", "exercise"), EXERCISES)


@pytest.fixture(autouse=True)
def nothing_timed(request, monkeypatch):
    """Leave out the checks that are marked as measured, unless they read a file that is handed in."""
    assignment, exercise = (request.node.callspec.params[name] for name in ("assignment", "exercise"))
    if (assignment, exercise) in TRAINED:
        return
    every = Lesson.checks

    def checks(self, name):
        return {key: check for key, check in every(self, name).items() if name != exercise or not _measured(check)}

    monkeypatch.setattr(Lesson, "checks", checks)


def _measured(check):
    return mark_value(check, "measured")


@functools.cache
def solved(assignment):
    """Return what the solution notebook defines, and the files that are handed in with it."""
    path = COURSE.solution_notebook(assignment)
    return notebook.run(path).namespace, {
        name: (path.parent / name).read_bytes() for name in LESSONS.of(assignment).handed_in
    }


def solution(assignment, **changed):
    """Return the student who hands in the solution, with these names changed."""
    names, files = solved(assignment)
    return NotebookStudent(names | changed, LESSONS.of(assignment), file=files.get, deep=False)


def generator_states():
    """Return the states of the global random generators."""
    return torch.get_rng_state().tolist(), np.random.get_state()[1].tolist(), random.getstate()


@with_seeds(*SEEDS)
def test_the_solution_earns_every_point(assignment, exercise, seed):
    """And no check moves the global random generators."""
    student, before = solution(assignment), generator_states()
    report = run_single(exercise, student, seed)
    assert report.earned == report.points > 0, str(report)
    assert generator_states() == before


@functools.cache
def stubs(assignment):
    [path] = (COURSE.release / assignment).glob("*.ipynb")
    return {notebook.grade_id(cell): notebook.source(cell) for cell in notebook.read(path)["cells"]}


@every_exercise
def test_the_release_earns_nothing_and_says_what_to_write(assignment, exercise):
    names, _ = solved(assignment)
    names = dict(names)
    exec(compile(stubs(assignment)[exercise], exercise, "exec"), names)
    report = run_single(exercise, NotebookStudent(names, LESSONS.of(assignment), deep=False), SEEDS[0])
    assert report.earned == 0
    assert report.unwritten


@functools.cache
def mistake(assignment, exercise):
    """Return the first known mistake that loses points without a stop watch: its student and its report for the first seed."""
    lesson = LESSONS.of(assignment)
    cases = of(exercise, right=False, assignment=assignment)
    # Of a trained model, the usual mistake stands first, and is evaluated for seconds; make test-full and the audit have it.
    for case in sorted(cases, key=str) if (assignment, exercise) in TRAINED else cases:
        student = NotebookStudent(runs_in(lesson, case.text), lesson, file=solved(assignment)[1].get)
        report = run_single(exercise, student, SEEDS[0])
        if not report.full:
            return student, report
    raise AssertionError(f"{exercise}: no known mistake loses points")


@every_exercise
def test_the_first_known_mistake_loses_points(assignment, exercise):
    _, report = mistake(assignment, exercise)
    assert report.earned < report.points


@pytest.mark.parametrize(
    ("assignment", "exercise"),
    [pair for pair in EXERCISES if pair[1] not in COSTLY | EVALUATED_LONG]
    + one_in(
        4,
        [pytest.param(*pair, marks=[pytest.mark.slow]) for pair in EXERCISES if pair[1] in COSTLY | EVALUATED_LONG],
        "a search for the cause in a large model, two seconds each",
    ),
)
def test_it_is_named(assignment, exercise):
    student, report = mistake(assignment, exercise)
    assert diagnose_failures(report, student).named, str(report)


@with_seeds(SEEDS[1])
def test_it_loses_the_same_points_with_another_seed(assignment, exercise, seed):
    student, report = mistake(assignment, exercise)
    assert run_single(exercise, student, seed).earned == report.earned, str(report)


#: The exercises that forbid some function.
FORBIDDING = [pair for pair in EXERCISES if LESSONS.of(pair[0]).forbidden_in(pair[1])]


def blocked(assignment, exercise):
    """Return a function that the exercise forbids and that is written in Python, so that any call of it is seen."""
    forbidden = LESSONS.of(assignment).forbidden_in(exercise)
    for name in forbidden:  # most are functions; a module that nothing has imported yet defines none
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    found = calls.objects_of(forbidden)
    return next(pair[0] for name, thing in found.items() for pair in raising(thing, name))


@pytest.mark.parametrize(("assignment", "exercise"), FORBIDDING)
def test_an_answer_that_calls_a_blocked_function_earns_nothing(assignment, exercise):
    """It is found when it is called, under whatever name, and though the answer hides the error and returns what is right."""
    right, function = solved(assignment)[0][exercise], blocked(assignment, exercise)

    def call_it():
        try:
            function()
        except BaseException:
            return

    def wrapped(*args, **kwargs):
        call_it()
        return right(*args, **kwargs)

    class Wrapped(right if isinstance(right, type) else torch.nn.Module):
        def forward(self, *args, **kwargs):
            call_it()
            return super().forward(*args, **kwargs)

    report = run_single(
        exercise, solution(assignment, **{exercise: Wrapped if isinstance(right, type) else wrapped}), SEEDS[0]
    )
    assert report.earned == 0, str(report)
    assert {result.failure.kind for result in report.results} == {"forbidden"}
