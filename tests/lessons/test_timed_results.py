"""What is measured in a notebook has to be right there, as it has to be in the sandbox."""

import math

import pytest
import torch

from autograder.checks import CheckFailure
from autograder.checks.execute import NotebookStudent
from autograder.content.lesson import Lessons

NAME = "blockwise_attention"


def drawn():
    return tuple(torch.randn(1, 1, 64, 8) for _ in range(3))


@pytest.mark.parametrize("wrong", [{"causal": True}, {"causal": False}])
def test_a_wrong_result_saves_no_work(wrong):
    def blockwise_attention(Q, K, V, causal=False, block_size=16):
        if causal == wrong["causal"]:
            return torch.zeros_like(Q)
        E = Q @ K.mT / math.sqrt(Q.shape[-1])
        E = torch.where(torch.ones_like(E).tril() > 0, E, -math.inf) if causal else E
        return torch.softmax(E, -1) @ V

    student = NotebookStudent({NAME: blockwise_attention}, Lessons().of("01-attention"))
    with pytest.raises(CheckFailure, match="wrong values") as found:
        student.work_ratio(NAME, drawn, {"causal": True}, {"causal": False}, 0.95)
    assert found.value.setting == "after its operations were counted"
