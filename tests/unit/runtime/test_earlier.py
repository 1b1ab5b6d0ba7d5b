"""Earlier calls are made in the memory of the one that counts."""

import torch
from answers import student

from autograder.runtime.student import Request

BY_ADDRESS = """
kept = {}

def softmax(E, dim=-1):
    if (E.data_ptr(), E.shape) not in kept:
        e = (E - E.amax(dim, keepdim=True)).exp()
        kept[E.data_ptr(), E.shape] = e / e.sum(dim, keepdim=True)
    return kept[E.data_ptr(), E.shape]
"""


def test_results_that_are_kept_by_address_are_stale_after_an_earlier_call():
    E, other = torch.randn(3, 4), torch.randn(3, 4)
    asked = Request("softmax", (E,), before=((other,),))
    assert torch.allclose(student(BY_ADDRESS).answer(asked).value, torch.softmax(other, -1))
    assert torch.allclose(student().answer(asked).value, torch.softmax(E, -1))


def test_the_arguments_are_given_back_as_they_were_with_their_gradients():
    E = torch.randn(3, 4)
    before = ((torch.randn(3, 4),), (torch.randn(2, 5),))
    answer = student().answer(Request("softmax", (E,), before=before, cotangents=(torch.ones(3, 4),)))
    assert torch.equal(answer.args_after[0], E)
    assert answer.gradients[0].abs().max() < 1e-6, "the rows of a softmax sum to 1, whatever E is"
