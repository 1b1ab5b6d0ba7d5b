"""The cells of every notebook: the link to Colab and the set-up below its title, and the progress panel at its end."""

from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.content.lesson import OWN
from autograder.grading.course import Course

#: Where Colab opens the released notebook.
COLAB = "https://colab.research.google.com/github/{name}/blob/main/assignments/{assignment}/{notebook}"

#: A text, since Colab's badge would need a network.
_LINK = """\
[Open in Colab]({address}). The folded cell below looks whether the course is there, and in Colab installs it: run it first."""

SET_UP = """\
# Run this cell first. In Colab it installs the course; anywhere else it only looks whether the course is there.
import importlib.util
import sys

if "google.colab" in sys.modules and importlib.util.find_spec("autograder") is None:
    import subprocess

    print("Installing the course, which takes about a minute …")
    address = "{package} @ git+{repository}"
    pip = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", address], capture_output=True, text=True)
    if pip.returncode:
        why = (pip.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
        print(f"The course could not be installed from {repository} ({{why}}). Is this address reachable? Then run this again.")
    importlib.invalidate_caches()
elif importlib.util.find_spec("autograder") is None:
    print(f"This kernel's Python, {{sys.executable}}, does not have the course. Choose the kernel of the environment where you "
          "installed it (Kernel > Change Kernel), or install it here: %pip install {package}")"""

#: For a course without a repository of its own, which is installed by hand.
_ELSEWHERE = """\
# Run this cell first: it looks whether the course is there.
import importlib.util
import sys

if importlib.util.find_spec("autograder") is None:
    print(f"This kernel's Python, {sys.executable}, does not have the course. Choose the kernel of the environment where you "
          "installed it (Kernel > Change Kernel).")"""

_END = """\
## Where you stand

Run the cell below at any time. It runs none of your code: it reads the saved notebook, its files and what your checks have said,
and shows what you have, what is left, and whether it is saved. To hand in, save the notebook and run `hand_in("{assignment}")` in
a new cell: it makes one file, `{assignment}.zip`, and lists what will be graded."""

_PANEL = """\
from autograder import hand_in, progress

progress({arguments})"""


def first_cells(course: Course, source: Path) -> list[NotebookNode]:
    """Return the link to Colab and the set-up cell; without a repository, only a set-up that installs nothing."""
    if course.repository is None:
        return [_locked("set-up", _ELSEWHERE)]
    address = COLAB.format(
        name=course.repository.removeprefix("https://github.com/"),
        assignment=source.parent.name,
        notebook=f"{source.stem}.ipynb",
    )
    text = SET_UP.format(package=course.package, repository=course.repository)
    return [nbformat.v4.new_markdown_cell(_LINK.format(address=address)), _locked("set-up", text)]


def last_cells(course: Course, source: Path) -> list[NotebookNode]:
    """Return the description of the progress panel, and the cell that shows it."""
    assignment, package = source.parent.name, course.lessons.package
    package_argument = "" if package == OWN else f', "{package}"'
    panel = _PANEL.format(arguments=f'"{assignment}"{package_argument}')
    return [
        nbformat.v4.new_markdown_cell(_END.format(assignment=assignment)),
        _locked("where-you-stand", panel, ["experiment"]),
    ]


def _locked(name: str, text: str, tags: Sequence[str] = ()) -> NotebookNode:
    """Return a cell that students leave unchanged. With the tag of an experiment, grading does not run it.

    The set-up is folded.
    """
    metadata = {"nbgrader": {"grade_id": name, "locked": True}, "tags": [*tags]}
    folded = {"jupyter": {"source_hidden": True}} if name == "set-up" else {}
    return nbformat.v4.new_code_cell(text, metadata=metadata | folded)
