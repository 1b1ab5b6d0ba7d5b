"""Every test runs somewhere: in ``make test``, in ``make test-full``, or, with a reason, in ``make nightly`` alone."""

import ast
import re

import nights
import pytest
from known import ASSIGNMENTS
from some_cases import one_in, only


@pytest.fixture(scope="module")
def expressions(root):
    """The expressions by which the Makefile chooses tests, by name."""
    return dict(re.findall(r"^(FAST|FULL) := (.+)$", (root / "Makefile").read_text(encoding="utf8"), re.MULTILINE))


def test_each_test_is_in_one_of_the_commands(request, expressions):
    """All tests that this session has collected, whatever it then chose."""
    words = {word for text in expressions.values() for word in re.findall(r"\w+", text)} - {"and", "or", "not"}
    for item in request.session.collected:
        has = {word: item.get_closest_marker(word) is not None for word in words}
        chosen = [eval(text, {}, has) for text in expressions.values()]
        assert sum([*chosen, has["nightly"]]) == 1, item.nodeid


def test_nightly_tests_give_a_reason(request):
    """All tests that this session has collected, whatever it then chose."""
    marks = [mark for item in request.session.collected for mark in item.iter_markers("nightly")]
    assert [mark for mark in marks if not mark.kwargs.get("reason")] == []


def test_the_commands_run_what_is_there(root, expressions):
    """The Makefile's targets use the expressions, and nothing that looks like a test lies where pytest does not look."""
    makefile = (root / "Makefile").read_text(encoding="utf8")
    for target, name in {"test": "FAST", "test-full": "FULL"}.items():
        recipe = makefile.partition(f"\n{target}: ")[2].partition("\n\n")[0]
        assert f'-m "$({name})"' in recipe
        last = recipe.rstrip().removesuffix("endif").rstrip()
        assert last.endswith(" tests notebooks" if target == "test-full" else " tests")
    assert "-m nightly" in makefile.partition("\nnightly: ")[2]
    hidden = [
        path.relative_to(root)
        for path in (root / "tests").rglob("*.py")
        if not path.name.startswith("test_") and "cases" not in path.parts and "second_course" not in path.parts
        for node in ast.parse(path.read_text(encoding="utf8")).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    assert hidden == []


def test_a_nightly_case_keeps_its_id_and_its_marks():
    case = pytest.param(1, 2, id="both", marks=pytest.mark.slow)
    [first, second] = one_in(2, [case, case], "why")
    assert first == case
    assert (second.values, second.id) == (case.values, case.id)
    assert [mark.name for mark in second.marks] == ["slow", "nightly"]


def test_only_those_named_are_in_every_run():
    first, second = only(["b"], ["a", "b"], "why")
    assert (first.values, [mark.kwargs for mark in first.marks]) == (("a",), [{"reason": "why"}])
    assert second == "b"
    with pytest.raises(ValueError, match=r"no case 'c' .*\['a', 'b'\]"):
        only(["c"], ["a", "b"], "why")


@pytest.mark.parametrize("name", ["test_a[11-vit-augment]", "test_a[1-11-vit]", "test_a[x-11-vit-2]"])
def test_a_case_is_of_the_lesson_that_it_names(name):
    assert nights.lesson_number(Item(name)) == 11


@pytest.mark.parametrize("name", ["test_a", "test_a[11]", "test_a[softmax-11]"])
def test_a_case_that_names_no_lesson_is_of_none(name):
    assert nights.lesson_number(Item(name)) is None


def test_every_lesson_has_its_night_and_what_is_of_no_lesson_has_all(monkeypatch):
    lessons = [Item(f"test_a[{assignment}]", nightly=True) for assignment in ASSIGNMENTS]
    always = [Item("test_b", nightly=True), Item(f"test_c[{ASSIGNMENTS[0]}]")]
    turns = []
    for night in range(4):
        monkeypatch.setenv("NIGHT", str(night))
        items = [*lessons, *always]
        nights.pytest_collection_modifyitems(Chosen(4), items)
        assert items[-2:] == always
        turns += items[:-2]
    assert sorted(item.name for item in turns) == sorted(item.name for item in lessons)


class Item:
    def __init__(self, name, nightly=False):
        self.name, self.nightly = name, nightly

    def get_closest_marker(self, name):
        return self.nightly


class Chosen:
    """A configuration with --nights."""

    def __init__(self, number):
        self.getoption = lambda name: number
        self.hook = self

    def pytest_deselected(self, items):
        assert items
