"""Results that are plain data, compared as they come back from the sandbox."""

import math
from collections import Counter

import pytest
import torch

from autograder.checks import inputs
from autograder.checks.execute import NotebookStudent
from autograder.checks.timing import same_result
from autograder.diagnosis.search import same_outcome
from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Request
from autograder.sandbox.inside.protocol import Packing, Unpacking, pack


def carried(value):
    """Return the value as it comes back from the sandbox."""
    packing = Packing()
    data = pack(value, packing)
    return Unpacking(bytearray(b"".join(packing.parts))).value(data)


@pytest.mark.parametrize("value", [{(1, 2): 3, (4, 5): 6}, Counter({(1, 2): 3}), {}, [(1, 2), (3, 4)], []])
def test_plain_data_equal_their_form_from_the_sandbox(value):
    inputs.equal(carried(value), value, "The result")
    assert same_outcome(carried(value), value)
    same_result(carried(value), value, "timed")


@pytest.mark.parametrize(
    ("got", "want"),
    [
        ({(1, 2): 3}, {(1, 2): 4}),
        ({(1, 2): 3}, {(2, 1): 3}),
        ([(1, 2)], [(1, 2), (3, 4)]),
        ([1, 2], [2, 1]),
        (None, []),
    ],
)
def test_different_plain_data_differ(got, want):
    with pytest.raises(CheckFailure, match="The result is wrong"):
        inputs.equal(got, want, "The result")
    assert not same_outcome(got, want)
    with pytest.raises(CheckFailure):
        same_result(got, want, "timed")


def test_timed_results_may_be_ids_and_numbers():
    same_result(torch.tensor([1, 2]), torch.tensor([1, 2]), "timed")
    same_result(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]), "timed")
    for got, want in (([1, 3], [1, 2]), ([1.0, 3.0], [1.0, 2.0]), ([1], [1, 2])):
        with pytest.raises(CheckFailure):
            same_result(torch.tensor(got), torch.tensor(want), "timed")
    with pytest.raises(CheckFailure, match="should be a tensor"):
        same_result([1, 2], torch.tensor([1, 2]), "timed")


def test_shows_where_a_long_list_differs():
    with pytest.raises(CheckFailure) as caught:
        inputs.equal([*range(100), -1], [*range(101)], "The ids")
    assert caught.value.yours == "[-1], from place 100 on, of 101"
    assert "The ids are wrong" in str(caught.value)


@pytest.mark.parametrize("value", ["abc", b"abc", 3, [1.0], [True], [torch.tensor(1)], (1, None), {1: 2}])
def test_ids_are_a_list_of_whole_numbers(value):
    with pytest.raises(CheckFailure) as caught:
        inputs.token_ids(value, "The result")
    assert (caught.value.kind, caught.value.cause) == ("type", "no list of ids")


def test_lists_and_tuples_of_ids_are_ids():
    assert inputs.token_ids((1, 2), "The result") == inputs.token_ids([1, 2], "The result") == [1, 2]
    with pytest.raises(CheckFailure, match="Nothing is returned"):
        inputs.token_ids(None, "The result")


def test_a_notebook_gets_its_own_copy_of_plain_data():
    """What a check compares with afterwards is still what it asked about."""

    def spoil(counts, words):
        counts["a"] += 1
        words[0].append(4)

    given = {"a": 1}, [[3]]
    answer = NotebookStudent({"spoil": spoil}).answer(Request("spoil", given))
    assert given == ({"a": 1}, [[3]])
    assert answer.args_after == ({"a": 2}, [[3, 4]])


def test_timed_pairs_of_numbers_and_ids_may_differ_where_numbers_are_tied():
    want = torch.tensor([[3.0, 2.0, 2.0 - 1e-7, 1.0]]), torch.tensor([[5, 7, 2, 9]])
    same_result((want[0].clone(), torch.tensor([[5, 2, 7, 9]])), want, "timed")
    same_result([want[0], want[1]], want, "timed")
    for ids in ([[7, 5, 2, 9]], [[5, 7, 2]]):
        with pytest.raises(CheckFailure):
            same_result((want[0], torch.tensor(ids)), want, "timed")
    with pytest.raises(CheckFailure, match="values"):
        same_result((want[0] + 0.1, want[1]), want, "timed")
    with pytest.raises(CheckFailure, match="Two results"):
        same_result(want[0], want, "timed")


def test_several_tensors_of_numbers_are_compared_one_by_one():
    want = torch.tensor([1.0, 2.0]), torch.tensor([[3.0]]), torch.tensor([1000.0])
    same_result([part + 1e-6 for part in want], want, "timed")
    same_result((torch.tensor([1.0]), torch.tensor([2.0])), (torch.tensor([1.0]), torch.tensor([2.0])), "timed")
    for got in (want[:2], want[0], (want[0], want[1] + 1, want[2]), (want[1], want[0], want[2])):
        with pytest.raises(CheckFailure):
            same_result(got, want, "timed")


@pytest.mark.parametrize("wrong", [[0.0, 1.0, 2.0], [-math.inf, 1.0, 2.5], [math.inf, 1.0, 2.0]])
def test_a_measured_result_with_an_infinite_number_is_compared_exactly(wrong):
    """The log-sum-exp of a row without keys is −∞, in a right answer too; it must not excuse other numbers."""
    Y, right = torch.zeros(3, 2), torch.tensor([-math.inf, 1.0, 2.0])
    same_result((Y, right), (Y, right), "")
    with pytest.raises(CheckFailure):
        same_result((Y, torch.tensor(wrong)), (Y, right), "")
