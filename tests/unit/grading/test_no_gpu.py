"""A notebook that asks for a GPU where there is none is listed under "please look", with its own statement."""

from types import SimpleNamespace

import pytest
from known import LESSONS

from autograder.grading.run.grade import grade
from autograder.sandbox.outside.cell_result import CellResult

CHOICE = "torch.set_default_device('cuda')"


class _Host:
    """An executor in which a cell that mentions ``ones`` stops with an error."""

    sealed = True

    def __init__(self, error):
        self.error = error

    def look_ahead(self, texts):
        """Do nothing."""

    def run(self, text):
        return CellResult(error=(*self.error, ": ".join(self.error)) if "ones" in text else None)

    def close(self):
        """Do nothing."""


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (("AssertionError", "Torch not compiled with CUDA enabled"), True),
        (("RuntimeError", "Found no NVIDIA driver on your system."), True),
        (("ValueError", "cuda"), False),
    ],
)
def test_the_statement_that_asks_for_a_gpu_is_named(error, told):
    texts = f"import torch\n{CHOICE}\nx = 1", "def f():\n    return g", "g = torch.ones(1)\nf()"
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in texts]
    work = SimpleNamespace(assignment=LESSONS.of("01-attention").assignment, digest="", author="", cells=cells)
    notes = grade(work, LESSONS, 1, _Host(error), causes=False).notes
    want = [f"cell number 3 stopped, because there is no GPU here: “{CHOICE}” asks for one"] if told else []
    assert notes == want
