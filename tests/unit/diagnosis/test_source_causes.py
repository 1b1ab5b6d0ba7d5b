"""A variable in the place of an argument and a kept result are named; a misspelt argument and a harmless store are not."""

import linecache

import pytest
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.verdict.runner import run_checks

CAUSE = "a variable of the notebook in the place of an argument"
KEPT = "results remembered"


def _named(code, exercise="ranked_gains"):
    [lesson] = LESSONS.containing(exercise)
    names = namespace(lesson)
    linecache.cache["<the answer>"] = (len(code), None, code.splitlines(keepends=True), "<the answer>")
    exec(compile(code, "<the answer>", "exec"), names)
    return run_checks(exercise, NotebookStudent(names, lesson), 3)


def test_the_variable_and_the_argument_are_named():
    report = _named(
        "found = torch.rand(3, 4)\n\n"
        "def ranked_gains(scores, gains):\n    return gains.gather(1, torch.argsort(found, dim=1, descending=True))\n"
    )
    assert report.named == [CAUSE]
    hint = next(result.diagnosis.hint for result in report.results if result.diagnosis)
    assert "No line reads the argument scores. Instead the function reads found" in hint


def test_a_misspelt_argument_is_no_variable():
    report = _named("def ranked_gains(scores, gains):\n    return gains.gather(1, score.argsort(dim=1))\n")
    assert report.named == ["a name that does not exist"]


@pytest.mark.parametrize(
    "code",
    [
        "def causal_mask(N_Q, N_K=None, device=None, kept=[]):\n"
        "    N_K = N_Q if N_K is None else N_K\n"
        "    if not kept:\n"
        "        kept.append(torch.ones(N_Q, N_K, dtype=torch.bool, device=device).tril(N_K - N_Q))\n"
        "    return kept[0]\n",
        "def causal_mask(N_Q, N_K=None, device=None):\n"
        "    N_K = N_Q if N_K is None else N_K\n"
        "    if not hasattr(causal_mask, 'kept'):\n"
        "        causal_mask.kept = torch.ones(N_Q, N_K, dtype=torch.bool, device=device).tril(N_K - N_Q)\n"
        "    return causal_mask.kept\n",
    ],
    ids=["default", "attribute"],
)
def test_what_keeps_the_first_result_is_named(code):
    report = _named(code, "causal_mask")
    assert report.named == [KEPT]


def test_a_result_that_is_looked_up_by_too_little_is_named():
    report = _named(
        "_cache = {}\n\n"
        "def softmax(E, dim=-1):\n"
        "    key = (E.shape, E.dtype, dim)\n"
        "    if key not in _cache:\n"
        "        e = torch.exp(E - E.amax(dim, keepdim=True))\n"
        "        _cache[key] = e / e.sum(dim, keepdim=True)\n"
        "    return _cache[key]\n",
        "softmax",
    )
    assert report.named == [KEPT]
    hint = next(result.diagnosis.hint for result in report.results if result.diagnosis)
    assert "The function writes into _cache, which outlives the call." in hint


def test_a_store_beside_another_mistake_is_not_blamed():
    report = _named(
        "_calls = []\n\n"
        "def softmax(E, dim=-1):\n"
        "    _calls.append(E.shape)\n"
        "    e = torch.exp(E - E.amax(dim, keepdim=True))\n"
        "    return e / (e.sum(dim, keepdim=True) + 0.37)\n",
        "softmax",
    )
    assert report.earned < report.points
    assert KEPT not in report.named
