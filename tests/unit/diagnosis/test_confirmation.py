"""A misconception and a symptom hold on more and larger inputs, or they are not named."""

import pytest
import torch
from answers import student
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.diagnosis import diagnose, search
from autograder.diagnosis.search import FailedCheck, Recording, RequestRecorder, drop_consequences
from autograder.runtime.errors import CheckFailure, Diagnosis
from autograder.runtime.student import Exchange, Request

LESSON = LESSONS.of("01-attention")
RIGHT = NotebookStudent(namespace(LESSON), LESSON, deep=False)
CHECKS = list(LESSON.checks("softmax").values())
SIGMOID = student("def softmax(E, dim=-1): return torch.sigmoid(E)")
#: The softmax, but for inputs of more than two numbers.
UP_TO_TWO = student(
    "def softmax(E, dim=-1): return E.exp() / E.exp().sum(dim, keepdim=True) if E.numel() <= 2 else torch.sigmoid(E)"
)


def test_the_requests_are_those_of_the_check_the_largest_first():
    requests = Recording(RIGHT, 3).largest(CHECKS[0])
    sizes = [sum(x.numel() for x in request.args if isinstance(x, torch.Tensor)) for request in requests]
    assert 1 < len(requests) <= 6
    assert sizes == sorted(sizes, reverse=True)


def test_one_request_for_each_set_of_shapes():
    requests = Recording(RIGHT, 3).shape_variants(CHECKS, "softmax")
    shapes = [(tuple(r.args[0].shape), str(r.args[1:]), str(r.kwargs)) for r in requests]
    assert len(set(shapes)) == len(shapes) > 3
    assert Recording(RIGHT, 3).shape_variants(CHECKS, "another") == []


def test_two_that_agree_on_the_smallest_input_only_do_not_agree():
    small, large = (Request("softmax", (torch.linspace(0, 1, n),)) for n in (2, 7))
    assert search.same_answers(UP_TO_TWO, RIGHT, [small])
    assert not search.same_answers(UP_TO_TWO, RIGHT, [small, large])
    assert search.same_answers(UP_TO_TWO, SIGMOID, [large])


def test_a_random_answer_is_no_evidence_and_does_not_repeat():
    noise = student("def softmax(E, dim=-1): return torch.rand_like(E)")
    request = Request("softmax", (torch.zeros(5),))
    assert search.same_answers(SIGMOID, noise, [request])
    assert not search.repeats(noise, request)
    assert search.repeats(SIGMOID, request)


def test_nan_equals_nan():
    nan, one = float("nan"), 1.0
    assert search.same_outcome(nan, nan)
    assert search.same_outcome({"stayed": nan, "hidden": one}, {"stayed": nan, "hidden": one})
    assert not search.same_outcome(nan, one)
    assert not search.same_outcome(one, nan)
    assert not search.same_outcome({"stayed": one}, {"hidden": one})


def test_a_number_agrees_with_a_tensor_without_axes():
    """Where one number is asked for, both are right, and a misconception with one may explain an answer with the other."""
    assert search.same_outcome(torch.tensor(1 / 3), 1 / 3)
    assert search.same_outcome((1 / 3, 2.0), (torch.tensor(1 / 3, dtype=torch.float64), torch.tensor(2.0)))
    assert not search.same_outcome(torch.tensor(0.5), 1 / 3)
    assert not search.same_outcome(torch.tensor([0.5]), 0.5)
    assert search.same_outcome(torch.tensor(2), 2)
    assert not search.same_outcome(torch.tensor(1), 1.0)
    assert not search.same_outcome(torch.tensor(True), 1)
    assert not search.same_outcome(torch.tensor(1 / 3).expand(2), 1 / 3)


def test_an_answer_with_tensors_is_reproduced_by_one_with_numbers():
    request, half = Request("halves", (torch.ones(2),)), torch.tensor(0.5)
    numbers = student("def halves(x): return 0.5, x.sum().item()")
    assert search.reproduces(numbers, Exchange(request, (half, torch.tensor(2.0))), torch.tensor([0.5]))
    assert not search.reproduces(numbers, Exchange(request, (half / 2, torch.tensor(3.0))), torch.tensor([0.25]))
    assert not search.reproduces(numbers, Exchange(request, half), half)


def test_results_that_a_mistake_leaves_right_do_not_make_it_a_candidate():
    """Of two results one is wrong in both answers, in different ways; no tensor came with the failure."""
    right = student("def halves(x): return x / 2, x.sum()")
    recording = Recording(right, 3)
    one, other = (student(f"def halves(x): return x / 2, {wrong}") for wrong in ("x.mean()", "x.prod()"))
    request = Request("halves", (torch.tensor([1.0, 2.0, 5.0]),))
    exchange = Exchange(request, one.answer(request).value)
    assert search.reproduces(one, exchange, "no tensor", recording)
    assert not search.reproduces(other, exchange, "no tensor", recording)
    assert search.reproduces(other, exchange, torch.tensor([0.5, 1.0, 2.5]), recording), (
        "the failure is about the first"
    )


def test_where_all_results_are_right_a_candidate_gives_them_all():
    """The failure is about something else, such as gradients."""
    right, wrong = student("def halves(x): return x / 2, x.sum()"), student("def halves(x): return x / 2, x.mean()")
    request = Request("halves", (torch.tensor([1.0, 2.0, 5.0]),))
    exchange, recording = Exchange(request, right.answer(request).value), Recording(right, 3)
    assert search.reproduces(student("def halves(x): return x * 0.5, sum(x)"), exchange, "detached", recording)
    assert not search.reproduces(wrong, exchange, "detached", recording)


def test_plain_numbers_agree_like_those_of_tensors_up_to_rounding():
    assert search.same_outcome(0.1 + 0.2, 0.3)
    assert search.same_outcome([0.1 + 0.2, 1e-9], [0.3, 1e-9])
    assert not search.same_outcome(0.3, 0.3001)
    assert not search.same_outcome(2e-9, 1e-9)
    assert not search.same_outcome(0.0, False)


def test_an_answer_with_a_number_is_reproduced_by_one_with_a_tensor_and_the_other_way_round():
    """A student returns the mean as a tensor, and the known answer ends in .item(), or the other way round."""
    mean, plain = (student(f"def softmax(E, dim=-1): return E.mean(){end}") for end in ("", ".item()"))
    request = Request("softmax", (torch.linspace(0, 1, 7),))
    for one, other in ((mean, plain), (plain, mean)):
        exchange = Exchange(request, one.answer(request).value, None)
        assert search.reproduces(other, exchange, torch.tensor([0.5]))
        assert not search.reproduces(SIGMOID, exchange, torch.tensor([0.5]))


def test_a_symptom_holds_only_if_it_shows_wherever_the_answer_is_wrong():
    requests = [Request("softmax", (torch.linspace(0, 1, n),)) for n in (3, 7)]

    def look(got, want, request):
        return "half" if len(got) > 3 else "whole"

    assert not search.diagnosis_holds(SIGMOID, RIGHT, requests, 0, "half", look)
    assert search.diagnosis_holds(SIGMOID, RIGHT, requests[1:], 0, "half", look)
    assert search.diagnosis_holds(RIGHT, RIGHT, requests, 0, "anything", look)


def test_outcomes_are_alike_by_kind_of_failure_or_by_numbers():
    assert search.same_outcome(CheckFailure("crash", "a"), CheckFailure("crash", "b"))
    assert not search.same_outcome(CheckFailure("crash", "a"), torch.zeros(2))
    assert search.same_outcome((torch.zeros(2), 3), (torch.zeros(2), 3))
    assert not search.same_outcome(torch.zeros(2), torch.zeros(3))


def test_consequences_of_one_mistake_are_dropped():
    rows = [FailedCheck(CHECKS[0], CheckFailure(kind, "")) for kind in ("value", "shape", "mutated", "value")]
    found = [Diagnosis(name, "") for name in ("first", "second", "another", "first")]
    told = drop_consequences(rows, found, ())
    assert [each and each.name for each in told] == ["first", None, "another", "first"]
    told = drop_consequences(rows, found, {1})
    assert [each and each.name for each in told] == [None, "second", "another", None]


def test_results_without_numbers_are_compared_by_shape_and_device():
    meta = torch.ones(2, 3, device="meta")
    assert search.same_outcome(meta, torch.zeros(2, 3, device="meta"))
    assert not search.same_outcome(meta, torch.ones(2, 3))
    assert not search.same_outcome(meta, torch.ones(3, 2, device="meta"))


def test_of_requests_without_tensors_the_largest_numbers_count():
    """With one query and one key, a mistake in either looks like one in the other."""
    lesson = LESSONS.of("16-attention-kernels")
    right = NotebookStudent(namespace(lesson), lesson, deep=False)
    checks = lesson.checks("attention_bill").values()
    assert all(Recording(right, 3).largest(check)[0].args != (1, 1, 1) for check in checks)


def test_the_words_of_a_value_error_are_the_students_own():
    one, other, index, sizes, others = (
        CheckFailure("crash", "stopped", received=text)
        for text in (
            "ValueError: a",
            "ValueError: b",
            "IndexError: a",
            "RuntimeError: sizes a",
            "RuntimeError: sizes b",
        )
    )
    assert search.same_outcome(one, other)
    assert not search.same_outcome(one, index)
    assert search.same_outcome(
        one, sizes
    )  # attention_weights of course_lib looks at sizes, and that of a candidate does not
    assert not search.same_outcome(sizes, others)


def test_a_recorder_asks_a_student_what_is_no_request():
    """Else a check ends at such a question, and what it asks afterwards is never compared."""
    recorder = RequestRecorder(RIGHT)
    assert recorder.file("handed in by nobody") is None
    assert recorder.forbidden_use("softmax") is None
    with recorder.with_references(("softmax",)):
        recorder.softmax(torch.zeros(3))
    assert [request.name for request in recorder.requests] == ["softmax"]
    with pytest.raises(CheckFailure, match="not recorded"):
        recorder.peak_memory("softmax", lambda: (torch.zeros(3),))


def test_a_known_mistake_is_confirmed_by_checks_that_put_right_versions_in_place():
    lesson = LESSONS.of("05-translation")
    candidate = diagnose.candidate({**namespace(lesson), "train": None}, lesson)
    with candidate.with_references(("train",)):
        assert candidate.namespace["train"] is namespace(lesson)["train"]
    assert candidate.forbid == (), "only its numbers count"
