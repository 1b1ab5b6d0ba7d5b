"""What is said of a wrong answer that nothing explains is true of every call that was looked at."""

import pytest
import torch
from answers import student

from autograder.diagnosis.conditions import condition
from autograder.runtime.student import Request

generator = torch.Generator().manual_seed(0)
QKV = [tuple(torch.randn(2, n, 3, generator=generator, dtype=torch.float64) for n in (4, 5, 5)) for _ in range(8)]
RIGHT = """
def attention(Q, K, V, allowed=None, kind="softmax"):
    E = Q @ K.mT
    A = torch.softmax(E, -1) if kind == "softmax" else torch.sigmoid(E)
    A = A if allowed is None else A * allowed
    return A @ V, A
"""
CALLS = [
    Request("attention", args, {"kind": kind, "allowed": allowed})
    for number, args in enumerate(QKV)
    for kind in ("softmax", "sigmoid")
    for allowed in [torch.rand(2, 4, 5, generator=generator) < 0.7 if number % 2 else None]
]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (("torch.sigmoid(E)", "torch.tanh(E)"), "wrong only with kind='sigmoid'"),
        (("A * allowed", "A"), "wrong only with allowed given"),
        (("A @ V,", "A @ V.relu(),"), "only the second result is right"),
        (("A @ V, A", "A @ V, A + 1"), "only the first result is right"),
        (("A @ V, A", "A @ V + 1, A + 1"), "always too large"),
        (("A @ V, A", "A @ V - 1, A - 1"), "always too small"),
        (("A @ V, A", "A @ V + torch.inf, A + torch.inf"), None),
        (("A @ V, A", "A @ V + 1, A * torch.nan"), None),
        (("A @ V, A", "-(A @ V), -A"), "off by a constant factor"),
        (("A @ V, A", "2 * A @ V, A"), "only the second result is right"),
        (("", ""), None),
    ],
)
def test_names_the_condition_under_which_calls_fail(edit, said):
    right, other = student(RIGHT), student(RIGHT.replace(*edit))
    found = condition(other, right, right.namespace["attention"], CALLS)
    assert (found and found[0]) == said


def test_calls_without_numbers_are_left_out():
    right, other = student(RIGHT), student(RIGHT.replace("A @ V, A", "A @ V + 1, A + 1"))
    meta = [
        Request("attention", tuple(x.to("meta") for x in QKV[0]), {"kind": kind}) for kind in ("softmax", "sigmoid")
    ]
    found = condition(other, right, right.namespace["attention"], [*meta, *CALLS])
    assert found
    assert found[0] == "always too large"


def test_names_the_length_with_which_an_answer_fails():
    right = student(RIGHT)
    other = student(RIGHT.replace("    E = Q @ K.mT\n", "    E = Q @ K.mT if Q.shape[1] > 1 else 2 * Q @ K.mT\n"))
    calls = [Request("attention", (Q[:, : 1 + number % 2], K, V)) for number, (Q, K, V) in enumerate(QKV)]
    found = condition(other, right, right.namespace["attention"], calls)
    assert found
    assert found[0] == "wrong only with axis 1 of Q of length 1"


@pytest.mark.parametrize("factor", [1, 3])
def test_changed_zeros_are_no_factor(factor):
    """Padding of 0 that became −100: every other number is the expected one, or the same multiple of it."""
    code = "import torch\ndef labels(ids):\n    return ids[:, 1:], ids[:, 0]\n"
    wrong = code.replace("ids[:, 1:],", f"{factor} * ids[:, 1:].masked_fill(ids[:, 1:] == 0, -100),").replace(
        "ids[:, 0]", f"{factor} * ids[:, 0]"
    )
    calls = [Request("labels", (torch.tensor([[1, 5 + n, 2, 0], [1, 7, 8 + n, 9]]),)) for n in range(5)]
    right = student(code)
    found = condition(student(wrong), right, right.namespace["labels"], calls)
    assert found is None or found[0] != "off by a constant factor"


def test_two_calls_are_no_evidence():
    right, other = student(RIGHT), student(RIGHT.replace("A @ V,", "A @ V + 1,"))
    assert condition(other, right, right.namespace["attention"], CALLS[:2]) is None
