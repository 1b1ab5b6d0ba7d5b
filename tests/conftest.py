"""What several test files use."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture
def command() -> Callable[..., subprocess.CompletedProcess]:
    """Run a Python module as a command, from the root unless told otherwise, and return what it printed."""

    def run(module: str, *arguments: object, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", module, *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "MPLBACKEND": "Agg", **environment},
            capture_output=True,
            text=True,
        )

    return run
