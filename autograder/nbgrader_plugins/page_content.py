"""Reduce a feedback page to the student's changes, within limits and without paths of the server."""

import functools
import re
import sys
from pathlib import Path

from nbformat.notebooknode import NotebookNode

from autograder.content.notebook import read, source

#: Maximum of characters of outputs with pictures, besides the reports of the checks: a page has at most 300 kB.
MOST_OUTPUT = 90_000
#: Characters of the reports of checks as tables. A report beyond that is shown as text, and cut.
MOST_REPORTS = 120_000
_HEADING = re.compile(r"^#{1,6} .+$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
#: A whole path, so that no part of it is searched again, and the part to cut.
_PATH = re.compile(r"(?:/[\w.+-]++)++")
_PACKAGES = re.compile(r"^.+/(?:site-packages|dist-packages|lib/python3\.\d+)")
_LEFT_OUT = "The output of this cell is left out here, because the page would become too large. Your notebook has it."


def released_texts(release: Path) -> frozenset[str]:
    """Return the texts of the released notebook's cells; empty if there is no such notebook."""
    try:
        return frozenset(source(cell).strip() for cell in read(release)["cells"])
    except (OSError, ValueError):
        return frozenset()


def drop_unchanged_cells(nb: NotebookNode, released: frozenset[str]) -> None:
    """Omit unchanged cells of the release: set-up, experiments, and prose except for the headings above remaining cells."""
    cells = []
    below = 0  # the level of the heading that follows; above all levels where other content does
    for cell in reversed(nb.cells):
        marks = cell.metadata.get("nbgrader", {})
        counts = any(marks.get(mark) for mark in ("grade", "solution", "task"))
        failed = any(output.output_type == "error" for output in cell.get("outputs", ()))
        if counts or failed or cell.source.strip() not in released:
            below = 7
            cells.append(cell)
        elif cell.cell_type == "markdown":
            titles = []
            for title in reversed(_HEADING.findall(_FENCE.sub("", cell.source))):
                level = title.index(" ")
                if level < below:
                    titles.append(title)
                    below = level
            if titles:
                cell.source = "\n\n".join(reversed(titles))
                cells.append(cell)
    nb.cells = cells[::-1]


def shorten(nb: NotebookNode, root: str) -> None:
    """Drop outputs that would make the page too large, and remove the server's own paths from the others."""
    space, reports = MOST_OUTPUT, MOST_REPORTS
    for cell in nb.cells:
        outputs = []
        for output in cell.get("outputs", ()):
            if output.get("metadata", {}).get("autograder") is True:
                reports -= len(output.data.get("text/html", ""))
                if reports < 0:
                    output.data.pop("text/html", None)
                    output.data["text/plain"] = output.data["text/plain"][:4_000]
            else:
                shorten_paths(output, root)
                size = _size(output)
                if size > space:
                    output = NotebookNode(
                        output_type="display_data", metadata={}, data=NotebookNode({"text/plain": _LEFT_OUT})
                    )
                else:
                    space -= size
            outputs.append(output)
        if "outputs" in cell:
            cell.outputs = outputs


def _size(output: NotebookNode) -> int:
    data = output.get("data", {})
    content = next((data[kind] for kind in ("text/html", "image/png", "image/jpeg", "text/plain") if kind in data), "")
    return len(str(content)) + len(str(output.get("text", ""))) + sum(map(len, output.get("traceback", ())))


@functools.cache
def _prefixes(root: str) -> re.Pattern[str]:
    """Return a pattern for the server's folders: of Python, the course and the user."""
    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, root, str(Path.home()), str(Path(__file__).parents[2])}
    longest = sorted((folder for folder in folders if len(folder) > 1), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest)))


def _without_folders(text: str, root: str) -> str:
    """Return a text with the server's folders, and the package folders of any Python, replaced by an ellipsis."""
    return _prefixes(root).sub("…", _PATH.sub(lambda path: _PACKAGES.sub("…", path[0]), text))


def shorten_paths(output: NotebookNode, root: str) -> None:
    """Replace the server's folders in an output's text by an ellipsis."""
    if isinstance(output.get("text"), str):
        output["text"] = _without_folders(output["text"], root)
    if "traceback" in output:
        output["traceback"] = [_without_folders(line, root) for line in output["traceback"]]
    data = output.get("data", {})
    if isinstance(data.get("text/plain"), str):
        data["text/plain"] = _without_folders(data["text/plain"], root)
