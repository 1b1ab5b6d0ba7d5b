"""Which earlier exercises an answer uses, read from its source as a notebook keeps it."""

import linecache
import sys

import pytest
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.grading.run.sandbox_executor import defined_names
from autograder.sandbox.outside.remote import RemoteStudent

EARLIER = ("Inner", "Block", "helper")
BASE = """
from dataclasses import dataclass

class Inner:
    pass

class Block:
    def forward(self, x):
        return x

def helper(x):
    return x
"""


def local(text):
    names = {"__name__": "__main__"}
    linecache.cache["<answer that is read>"] = (
        len(text),
        None,
        text.splitlines(keepends=True),
        "<answer that is read>",
    )
    exec(compile(text, "<answer that is read>", "exec"), names)
    return NotebookStudent(names, forbid=())


def remote(text):
    return RemoteStudent(None, {"": ""} | defined_names(text), LESSONS.of("11-vit"))


@pytest.mark.parametrize("make", [local, remote])
@pytest.mark.parametrize(
    ("text", "used"),
    [
        ("def answer():\n    return Block()", ["Block"]),
        (
            "class Mine(Block):\n    def forward(self, x):\n        return x\n\ndef answer():\n    return Mine()",
            ["Block"],
        ),
        ("class Mine(Block):\n    pass\n\nclass answer(Mine):\n    pass", ["Block"]),
        ("class answer(Block):\n    def forward(self, x):\n        return helper(x)", ["Block", "helper"]),
        ("class answer:\n    kind = Inner\n    def forward(self, x):\n        return self.kind()", ["Inner"]),
        ("class answer:\n    @staticmethod\n    def forward(x):\n        return helper(x)", ["helper"]),
        ("class answer:\n    @property\n    def forward(self):\n        return helper(self)", ["helper"]),
        ("@dataclass\nclass answer:\n    size: int\n    def forward(self, x):\n        return helper(x)", ["helper"]),
        ("def answer(x):\n    return x", []),
    ],
)
def test_uses_of_an_answer(make, text, used):
    assert make(BASE + text).uses("answer", EARLIER) == used


def test_where_the_text_cannot_be_found_all_may_be_used():
    """Also in a process that has imported a module of the notebook's name: its text is another one."""
    names = {"__name__": "json"}
    exec(compile(f"{BASE}def answer():\n    return Block()", "gone", "exec"), names)
    assert "json" in sys.modules
    assert NotebookStudent(names, forbid=()).uses("answer", EARLIER) == [*EARLIER]
