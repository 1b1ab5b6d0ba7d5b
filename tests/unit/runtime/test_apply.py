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


HALF_FROZEN = """
class Half(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
        self.fixed = nn.Parameter(torch.full((3,), 5.0), requires_grad=False)

    def forward(self, x):
        return (x * self.w + self.fixed) * self.fixed
"""


def test_a_frozen_parameter_has_no_gradient_and_the_others_have_theirs():
    request = Request("Half", (torch.ones(3),), build=(), cotangents=(torch.ones(3),))
    answer = student(HALF_FROZEN).answer(request)
    assert answer.parameter_gradients["fixed"] is None
    assert answer.parameter_gradients["w"].tolist() == [5.0, 5.0, 5.0]
    assert answer.gradients[0].tolist() == [5.0, 5.0, 5.0]


def test_equal_numbers_are_no_objects_in_common():
    """In the sandbox they come from a message; ``is`` in the place of ``==`` has to fail in the notebook as well."""
    code = "def same(ids, pair, new): return [ids[0] is pair[0], ids[0] == pair[0], ids[0] is ids[1], ids[0] is new]"
    number = 300
    answer = student(code).answer(Request("same", ([number, number], (number, 1), number)))
    assert answer.value == [False, True, False, False]


NESTED = """
def parts(x):
    return 2 * x, [3 * x, (5 * x).detach()], None
"""


def test_each_of_the_nested_results_has_its_cotangent():
    ones = tuple(torch.full((3,), float(n)) for n in (1, 10, 100))
    answer = student(NESTED).answer(Request("parts", (torch.ones(3),), cotangents=ones))
    assert answer.gradients[0].tolist() == [32.0, 32.0, 32.0]
