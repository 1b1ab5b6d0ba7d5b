"""A module that keeps something of an earlier call."""

import pytest
import torch
from torch import nn

from autograder.checks.execute import NotebookStudent
from autograder.checks.inputs import Draw
from autograder.checks.modules import ModulePair, no_side_effects
from autograder.runtime.errors import CheckFailure


class Reference(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Linear(3, 3)

    def forward(self, X, allowed=None):
        return self.W(X if allowed is None else X * allowed[..., None])


class KeepsItsMask(Reference):
    def forward(self, X, allowed=None):
        if allowed is not None:
            self.__dict__.setdefault("hidden", ~allowed)
            allowed = ~self.hidden
        return super().forward(X, allowed)


@pytest.mark.parametrize(("layer", "cause"), [(Reference, ""), (KeepsItsMask, "remembers earlier calls")])
def test_a_mask_of_the_first_call_that_is_kept_is_told(layer, cause):
    draw = Draw(5, "test")
    twins = ModulePair(NotebookStudent({"Layer": layer}, forbid=("nothing",)), "Layer", (), Reference(), draw)
    X, allowed = draw.normal(2, 4, 3), torch.tensor([[True, True, False, True], [True, False, False, True]])
    try:
        no_side_effects(twins, [(X, allowed)], X, what=("Y",))
    except CheckFailure as failure:
        found = failure.cause
    else:
        found = ""
    assert found == cause
