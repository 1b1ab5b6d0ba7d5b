"""What a source mentions: its own names, those of attributes behind a dot, and numbers."""

import pytest

from autograder.runtime.blocked.source import names_used, stores_written, variables_for_arguments

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


@pytest.mark.parametrize(
    ("text", "stores"),
    [
        ("def f(A):\n    global table\n    table = A\n    return table", ["table"]),
        ("def f(A):\n    kept[A.shape] = A\n    return kept", ["kept"]),
        ("def f(A):\n    seen.append(A)\n    return seen[0]", ["seen"]),
        ("def f(A):\n    f.mask = A\n    return f.mask", ["f"]),
        ("def f(A, kept={}):\n    kept[0] = A\n    return kept", ["kept"]),
        ("def f(A, *, kept=dict()):\n    kept.update(a=A)\n    return kept", ["kept"]),
        ("def f(A, kept=None):\n    kept = kept or []\n    kept.append(A)\n    A[0] = 1\n    return kept", []),
        ("def f(A):\n    A = A.clone()\n    A[0] = torch.add(A[0], 1)\n    return A", []),
        ("def f(A:", []),
    ],
)
def test_what_is_written_to_and_outlives_a_call(text, stores):
    assert stores_written(text, "f") == stores
