"""Beside an exercise nothing can call a C function or bring a replaced kernel back, and honest work does not notice."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from known import LESSONS

from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session

pytestmark = [pytest.mark.sandbox, pytest.mark.slow]

CASES = Path(__file__).parent / "attacks" / "cases"
LESSON = LESSONS.of("01-attention")


@pytest.fixture
def exercise(box):
    """A session that sees only what an exercise may use, with softmax forbidden."""
    opened = Session(box, LESSON.forbidden_in("softmax"), libraries=LESSON.libraries_in("softmax"))
    yield opened
    opened.close()


def text_of(result):
    return "".join(item.get("text", "") or item["data"].get("text/plain", "") for item in result.outputs)


@pytest.mark.parametrize("case", ["kernels_put_back_from_memory", "c_functions_by_any_way"])
def test_a_forbidden_function_stays_forbidden(exercise, case):
    exercise.run_cell("import torch")
    assert exercise.run_cell((CASES / f"{case}.py").read_text(encoding="utf8")).error is None
    result = exercise.run_cell("softmax(torch.ones(2), 0)")
    assert result.error is None or result.error[0] == "CheckFailure"
    assert "tensor" not in text_of(result)


@pytest.mark.parametrize(
    "cell",
    [
        "import ctypes, ctypes.util, ctypes.wintypes\nfrom ctypes import CFUNCTYPE, POINTER, byref, c_int, wintypes",
        "import ctypes\nclass Pair(ctypes.Structure):\n    _fields_ = [('a', ctypes.c_int * 3)]\nctypes.sizeof(ctypes.c_int)",
        "import numpy as np, numpy.ctypeslib\nassert np.ones(3).ctypes.data",
        "import multiprocessing.sharedctypes, threadpoolctl, joblib, IPython, PIL.Image, torch.utils.cpp_extension",
        "try:\n    from ctypes import windll\nexcept ImportError:\n    windll = None\nassert windll is None",
    ],
)
def test_libraries_that_name_ctypes_are_there(exercise, cell):
    assert exercise.run_cell(cell).error is None


def test_a_cell_that_uses_ctypes_gets_an_error_and_the_rest_of_it_runs(exercise):
    error = exercise.run_cell("import ctypes\nlibrary = ctypes.CDLL(None)\ndef twice(x):\n    return 2 * x").error
    assert error[:2] == ("NotAvailableHere", "ctypes is not available while this lesson is graded.")
    assert text_of(exercise.run_cell("twice(21)")) == "42"


END_OF_A_HANDLE = """
import warnings, torch
from autograder.sandbox.inside import lockdown
warnings.simplefilter("ignore")
for keep in (False, True):
    handle = torch._C._dispatch_library("IMPL", "aten", "")
    handle.impl("_softmax", "CPU", lambda *_: torch.zeros(1))
    if keep:
        lockdown._keep_for_good(handle)
    del handle
    print(len(torch._softmax(torch.ones(3), 0, False)))
"""


def test_a_kernel_stays_replaced_when_its_handle_ends():
    """In a process of its own: nothing can undo it."""
    done = subprocess.run([sys.executable, "-c", END_OF_A_HANDLE], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "1"]


@pytest.mark.slow
def test_libraries_that_make_pointers_while_they_are_loaded_work_beside_an_exercise():
    """SciPy does: a lesson that allows scikit-learn needs both, and students' code still gets no C function."""
    libraries = ("scikit-learn",)
    with Sandbox(libraries=libraries) as box, contextlib.closing(Session(box, libraries=libraries)) as session:
        fit = "from sklearn.linear_model import LogisticRegression as L\nprint(L().fit([[0.0], [1.0]], [0, 1]).predict([[2.0]]))"
        assert session.run_cell(fit).error is None
        assert "not available" in session.run_cell("import ctypes\nctypes.c_int(3)").error[1]
