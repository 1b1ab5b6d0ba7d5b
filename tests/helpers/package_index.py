"""Whether packages can be fetched here."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest


def skip_without_index(folder: Path) -> None:
    """Skip the test unless pip can fetch a small package into ``folder``."""
    small = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--dest",
        str(folder),
        f"pluggy=={version('pluggy')}",
    ]
    if subprocess.run(small, check=False).returncode:
        pytest.skip("no package index can be reached")
