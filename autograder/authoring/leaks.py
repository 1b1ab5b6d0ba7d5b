"""Find text of the solution in files for students."""

import json

from autograder.content.notebook import Cell, source

#: Characters. Shorter lines, such as ``return Y, A``, may legitimately occur in a docstring or in the prose.
_SHORTEST = 16


def solution_lines(cell: Cell) -> list[str]:
    """Return the lines of a solution cell that a student has to write: those inside its regions, or all if it has none."""
    text = source(cell)
    if "### BEGIN SOLUTION" not in text:
        return [line.strip() for line in text.splitlines()]
    lines, inside = [], False
    for line in text.splitlines():
        if "### BEGIN SOLUTION" in line:
            inside = True
        elif "### END SOLUTION" in line:
            inside = False
        elif inside:
            lines.append(line.strip())
    return lines


def leaked_lines(solution: str, released: str) -> list[str]:
    """Return the lines of the solution notebook's answers (as JSON text) that occur in a released file."""
    secrets = [
        line
        for cell in json.loads(solution)["cells"]
        if cell["metadata"].get("nbgrader", {}).get("solution")
        for line in solution_lines(cell)
        if len(line) >= _SHORTEST
    ]
    return [
        line
        for line in dict.fromkeys(secrets)
        if line in released or json.dumps(line, ensure_ascii=False)[1:-1] in released
    ]
