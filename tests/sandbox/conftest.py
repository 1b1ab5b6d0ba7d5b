"""One sandbox for all tests of it, with limits that make what never ends take seconds."""

import pytest

from autograder.sandbox.limits import Limits
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.sandbox.outside.session import Session

QUICK = Limits(cell_cpu=3.0, request_cpu=3.0, idle=3.0, memory=800 * 2**20, processes=20, disk=32 * 2**20, stops=3)


@pytest.fixture(scope="session")
def box():
    with Sandbox(QUICK) as started:
        yield started


@pytest.fixture
def session(box):
    opened = Session(box)
    yield opened
    opened.close()


@pytest.fixture
def run(session):
    """Run a cell and return what it printed and showed as text."""

    def text_of(cell):
        result = session.run_cell(cell)
        shown = "".join(o.get("text", "") or o["data"].get("text/plain", "") for o in result.outputs)
        return shown + (f"\n{result.error[0]}: {result.error[1]}" if result.error else "")

    return text_of
