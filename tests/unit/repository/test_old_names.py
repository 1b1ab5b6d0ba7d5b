"""A course that was written for an earlier version still imports what it needs, and is told the new names."""

import importlib
import subprocess
import sys

import pytest

from autograder import judging


@pytest.mark.parametrize("old", [name for name in judging.MOVED if name != "tools"])
def test_an_old_name_is_the_module_that_it_became(old):
    sys.modules.pop(f"autograder.judging.{old}", None)
    with pytest.warns(DeprecationWarning, match=rf"is now autograder\.{judging.MOVED[old]}"):
        module = importlib.import_module(f"autograder.judging.{old}")
    new = importlib.import_module(f"autograder.{judging.MOVED[old]}")
    assert all(getattr(module, name) is value for name, value in vars(new).items() if not name.startswith("__"))


def test_checks_of_an_earlier_version_are_imported():
    code = """
from autograder.judging.marks import exercise, points
from autograder.judging.student import Student
from autograder.judging.tools import expect
from autograder.judging.tools.draw import Draw, Sizes
from autograder.judging.tools.results import refuses
print(expect.tensor.__name__, Draw.__name__, expect.close.__name__, refuses.__name__)
"""
    done = subprocess.run([sys.executable, "-W", "error::SyntaxWarning", "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["tensor", "Draw", "allclose", "raises_value_error"], done.stderr
