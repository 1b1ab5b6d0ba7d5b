"""A sentence about a result goes by whether its name is that of one thing or of several."""

import pytest
import torch

from autograder.checks import expect, inputs
from autograder.checks.expect import says
from autograder.runtime.errors import CheckFailure

SEVERAL = (
    *(
        "The pictures",
        "The scores",
        "logits",
        "The vectors of the pictures",
        "the bits per byte",
        "The viewers' vectors",
    ),
    *("keys and values", "5 documents, k = 9, chunk = 2", "translations of shape (2,)", "The losses"),
)
ONE = (
    *(
        "Y",
        "A of block 0",
        "A (weights)",
        "The loss",
        "The discriminator's loss",
        "d/d logits",
        "K",
        "Q[0]",
        "relevant",
    ),
    *("The class", "The axis", "The bias", "The mean of the rows", "nDCG", "(K, V)", "A row of 9 tokens", "k = 3", ""),
    *("The minimax loss of the generator", "A width of 10 with 3 heads"),
)


@pytest.mark.parametrize("what", SEVERAL)
def test_verb_for_plural_names(what):
    assert says(what, "has") == f"{what} have"


@pytest.mark.parametrize("what", ONE)
def test_verb_for_singular_names(what):
    assert says(what, "has") == f"{what} has"


@pytest.mark.parametrize(("what", "said"), [("The pictures", "The pictures have wrong"), ("Y", "Y has wrong")])
def test_a_comparison_says_it(what, said):
    with pytest.raises(CheckFailure, match=f"{said} values"):
        expect.allclose(torch.zeros(2, 2), torch.ones(2, 2), what)
    with pytest.raises(CheckFailure, match="The ids are wrong"):
        inputs.equal([1], [2], "The ids")
