"""What a source mentions: its own names, those of attributes behind a dot, and numbers."""

import pytest

from autograder.runtime.blocked.source import names_used, variables_for_arguments

SOURCES = {
    "attend": "def attend(E):\n    A = torch.softmax(E, dim=-1)\n    return scaled(A)[:, 2]",
    "scaled": "def scaled(A):\n    return A.mean(-2) * 0.5",
}


@pytest.mark.parametrize("name", ["E", ".softmax", "-1", "scaled", "2", ".mean", "-2", "0.5"])
def test_mentioned_names(name):
    assert names_used("attend", [name], lambda each: SOURCES.get(each, "")) == [name]


@pytest.mark.parametrize("name", ["softmax", ".scaled", "-3", "3", "mean"])
def test_unmentioned_names(name):
    assert names_used("attend", [name], lambda each: SOURCES.get(each, "")) == []


def test_without_a_source_all_may_be_mentioned():
    assert names_used("attend", ["softmax", "-3"], lambda each: None) == ["softmax", "-3"]


@pytest.mark.parametrize(
    ("text", "unread", "values"),
    [
        ("def f(A, ids):\n    return (chains[:, None] == chains) * A", ["ids"], ["chains"]),
        ("def f(A, ids):\n    return torch.where(ids, helper(A), np.pi)", [], []),
        ("def f(A, ids):\n    chains = ids\n    return chains + PAD", ["A"], ["PAD"]),
        ("pass\ndef forward(self, X, mask=None):\n    return self.W(X)", ["mask"], []),
        ("def f(A:", [], []),
    ],
)
def test_arguments_that_are_never_read_and_variables_that_are(text, unread, values):
    assert variables_for_arguments(text, "f") == (unread, values)
