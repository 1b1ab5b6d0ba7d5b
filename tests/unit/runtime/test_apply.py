"""What a call may not do to its arguments while gradients are asked for."""

import pytest
import torch
from answers import student

from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Request

FIT = """
def fit(x):
    w = torch.zeros(3, requires_grad=True)
    ((x.detach() if FROZEN else x) * w).sum().backward()
    return w.grad * 2
"""


@pytest.mark.parametrize(("frozen", "kind"), [("True", "detached"), ("False", "mutated")])
def test_reports_a_backward_call_that_reaches_the_arguments(frozen, kind):
    request = Request("fit", (torch.ones(3),), cotangents=(torch.ones(3),))
    with pytest.raises(CheckFailure) as told:
        student(FIT.replace("FROZEN", frozen)).answer(request)
    assert told.value.kind == kind
