"""Reading banks of known answers."""

import ast

import pytest

from autograder import catalogue
from autograder.cases import OWN_BANK, misconceptions, read_bank

CASES = list(read_bank(OWN_BANK))


@pytest.mark.parametrize("assignment", sorted({case.assignment for case in CASES}))
def test_every_exercise_has_wrong_and_right_answers(assignment):
    for name in catalogue.exercises(assignment):
        right = [case for case in CASES if case.exercise == name and case.right]
        assert len(right) >= 4
        assert len(misconceptions(name)) >= 10


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_case_defines_its_exercise_and_says_what_it_is(case):
    tree = ast.parse(case.text)
    assert case.hint, "the docstring is the hint"
    assert "!" not in case.hint.replace("!=", "")
    names = {getattr(node, "name", None) for node in tree.body} | {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    assert case.exercise in names


def test_a_folder_without_cases_is_an_error_that_says_what_was_expected(tmp_path):
    with pytest.raises(ValueError, match=r"<assignment>/<exercise>/<right\|wrong>/<name>\.py"):
        list(read_bank(tmp_path))


def test_the_wheel_leaves_the_right_answers_out(root):
    import tomllib

    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["tool"]["setuptools"]
    assert settings["package-data"]["autograder"] == ["misconceptions/*/*/wrong/*.py"]
    assert settings["exclude-package-data"]["autograder"] == ["misconceptions/*/*/right/*.py"]
