"""Each lesson asks for a prediction by a click, and code decides from the experiment's numbers what came out."""

import ast
import re
from collections import Counter

import jupytext
import pytest
from known import COURSE

SOURCES = {path.parent.name: path for path in COURSE.sources()}


def _calls(assignment: str, function: str) -> dict[str, tuple[int, ast.Call]]:
    """Return the calls of a function that are the last line of an experiment: name of the prediction, cell and call."""
    found = {}
    for number, cell in enumerate(jupytext.read(SOURCES[assignment]).cells):
        if cell.cell_type != "code" or not re.search(rf"(?<![.\w]){function}\(", cell.source):
            continue
        last = ast.parse(cell.source).body[-1]
        call = last.value if isinstance(last, ast.Expr) else None
        assert isinstance(call, ast.Call), f"cell {number + 1}: {function} is not the last line, so nobody sees it"
        assert isinstance(call.func, ast.Name), call
        assert call.func.id == function, f"cell {number + 1}: {function} is not the last line, so nobody sees it"
        assert "experiment" in cell.metadata.get("tags", []), f"cell {number + 1} would run where a class is graded"
        found[ast.literal_eval(call.args[0])] = number, call
    return found


def _results(node: ast.expr) -> list[str]:
    """Return what an expression may say: of a chain of conditions, of a choice from a tuple, of the largest of a tuple."""
    if isinstance(node, ast.IfExp):
        assert any(isinstance(part, ast.Name) for part in ast.walk(node.test)), "a condition without a number"
        return _results(node.body) + _results(node.orelse)
    if isinstance(node, ast.Subscript):
        return list(ast.literal_eval(node.value))
    if isinstance(node, ast.Call):
        return list(ast.literal_eval(node.args[0]))
    return [ast.literal_eval(node)]


@pytest.mark.parametrize("assignment", SOURCES)
def test_each_prediction_is_compared_and_each_option_can_come_out(assignment):
    asked, compared = _calls(assignment, "predict"), _calls(assignment, "came_out")
    assert asked, "no experiment of this lesson asks for a click"
    assert asked.keys() == compared.keys()
    for name, (number, call) in asked.items():
        options = ast.literal_eval(call.args[2])
        assert len(options) == len(set(options)) >= 2, name
        assert number < compared[name][0], f"{name} is asked after its result"
        assert set(_results(compared[name][1].args[1])) == set(options), name


def test_a_name_is_used_once_in_the_course():
    names = Counter(name for assignment in SOURCES for name in _calls(assignment, "predict"))
    assert [name for name, times in names.items() if times > 1] == []
