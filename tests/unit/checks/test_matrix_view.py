"""What a failed row shows of two tensors is where they differ, with as many digits as that takes."""

import pytest
import torch

from autograder.checks import expect
from autograder.checks.expect import side_by_side
from autograder.checks.matrix_view import Matrix
from autograder.runtime.errors import CheckFailure
from autograder.verdict.html import with_code


def marked(*places, of):
    wrong = torch.zeros(of, dtype=torch.bool)
    wrong[list(places)] = True
    return wrong


def test_shows_the_first_entries_if_one_differs():
    want = torch.arange(8.0)
    got = want + marked(2, of=8) * 5
    expected, yours = side_by_side(want, got, marked(2, of=8))
    assert expected == "[ 0.000, 1.000, 2.000, 3.000, 4.000, 5.000, … ]"
    assert yours == "[ 0.000, 1.000, 7.000, 3.000, 4.000, 5.000, … ]"


def test_shows_later_entries_if_only_those_differ():
    want = torch.arange(12.0)
    got = want + marked(9, of=12) * 5
    expected, yours = side_by_side(want, got, marked(9, of=12))
    assert expected == "[ …, 8.000, 9.000, 10.000, 11.000 ]"
    assert yours == "[ …, 8.000, 14.000, 10.000, 11.000 ]"


def test_a_small_difference_is_seen():
    want = torch.tensor([0.25, 0.5], dtype=torch.float64)
    expected, yours = side_by_side(want, want + torch.tensor([0.0, 2e-5]), marked(1, of=2))
    assert (expected, yours) == ("[ 0.25000, 0.50000 ]", "[ 0.25000, 0.50002 ]")
    assert len(set(side_by_side(want, want + torch.tensor([0.0, 2e-8]), marked(1, of=2)))) == 2


def test_a_wrong_cell_of_a_picture_shows_another_number():
    want = torch.tensor([[0.03, 0.97]])
    wrong = torch.tensor([[True, True]])
    assert ">×</span>0.02<" in Matrix(want - 0.01, want, wrong, "A").html()
    html = Matrix(want + 0.0004, want, wrong, "A").html()
    assert ">×</span>0.0304<" in html
    assert ">0.0300<" in html


def test_a_word_between_asterisks_is_stressed_and_a_product_is_not():
    assert with_code("of *every* row: `a *b* c`, 2*3*4") == "of <em>every</em> row: <code>a *b* c</code>, 2*3*4"
    assert with_code("one ` alone, <b>") == "one ` alone, &lt;b&gt;"


@pytest.mark.parametrize(
    ("dtype", "rounding", "wrong"),
    [(torch.float64, 1e-14, 1e-10), (torch.float32, 1e-5, 1e-3), (torch.bfloat16, 0.01, 0.3)],
)
@pytest.mark.parametrize("size", [1.0, 1000.0])
def test_rounding_is_no_difference_and_more_than_that_is_one(dtype, rounding, wrong, size):
    """For values up to ``size``, what is attributed to rounding grows with them; for smaller ones it stays that of 1."""
    want = torch.tensor([0.25, 0.5], dtype=torch.float64)
    expect.allclose((want + rounding * size).to(dtype), want, "Y", size=size, inputs=dtype)
    with pytest.raises(CheckFailure, match="wrong values"):
        expect.allclose((want + wrong * size).to(dtype), want, "Y", size=size, inputs=dtype)
