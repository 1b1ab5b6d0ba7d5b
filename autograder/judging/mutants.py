"""Wrong answers made of right ones by one small edit: a term left out, another axis, one argument in the place of another.

Nobody can write down every mistake. Where no known one gives a student's numbers, one of these may, and the edit then says what
was done. All right answers to an exercise are edited, in all their styles.
"""

import ast
import copy
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

from autograder.judging import edits
from autograder.judging.answers import Case, cases_of
from autograder.judging.edits import Edit
from autograder.judging.lesson import Lesson

#: Each costs a call of the exercise.
_MOST = 500
#: A piece of code that is longer says nothing at a glance.
_LONGEST = 40


class Mutant(Case):
    """A right answer with one small edit. Its name may contain code, and is its title as it is."""

    @property
    def title(self) -> str:
        return self.name


def mutants(lesson: Lesson, exercise: str) -> Iterator[Case]:
    """Yield right answers to the exercise with one small edit each; the hint says which."""
    cases = [case for case in cases_of(lesson, exercise) if case.right]
    trees = {case: tree for case in cases if _ends(tree := ast.parse(case.text))}
    known = _shared_names(trees.values())
    # Answers in turn: an idea that one style does not have, another may.
    by_turns = itertools.chain.from_iterable(
        itertools.zip_longest(*(_of(case, tree, known) for case, tree in trees.items()))
    )
    seen = set[str]()
    for case in itertools.islice((case for case in by_turns if case is not None), _MOST):
        if case.text not in seen:
            seen.add(case.text)
            yield case


def _ends(tree: ast.AST) -> bool:
    """Return whether no edit can make a loop of this answer endless."""
    return not any(isinstance(node, ast.While) for node in ast.walk(tree))


def _shared_names(trees: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that several right answers have: those of arguments, of parts of a module and of PyTorch.

    The others are an author's own, and tell a student nothing.
    """
    found = Counter(name for tree in trees for name in {name for node in ast.walk(tree) for name in _names(node)})
    return frozenset(name for name, count in found.items() if count > 1) | {"self"}


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg):
        yield node.arg


def _of(case: Case, tree: ast.Module, known: frozenset[str]) -> Iterator[Case]:
    before = ast.unparse(tree)
    for edit in edits.edits(tree):
        text = ast.unparse(copy.deepcopy(tree, {id(edit.old): edit.new}))
        if text != before:
            yield Mutant(case.assignment, case.exercise, False, *_told(edit, known, text))


def _told(edit: Edit, known: frozenset[str], text: str) -> tuple[str, str, str]:
    """Return the name, the text and the hint of an edit. In the code that is shown, names that a student cannot know are dots."""
    piece = _shown(edit.shown, known)
    name = f"{edit.kind}: {piece}" if any(letter.isalpha() for letter in piece) else edit.kind
    sentence = edit.sentence if set(_names(edit.new)) <= known | set(_names(edit.old)) else edit.kind
    where = f"at `{piece}`, {sentence}" if name != edit.kind else sentence
    return (
        name,
        text,
        f"A right answer with one small change gives exactly your numbers: {where}. Compare that step with yours.",
    )


def _shown(node: ast.AST, known: frozenset[str]) -> str:
    """Return a short form of the code: what is nested deep, or has a name that nobody knows, becomes dots."""
    for depth in (3, 2, 1):
        text = ast.unparse(_Short(known, depth).visit(copy.deepcopy(node))).replace(_DOTS, "…")
        if len(text) <= _LONGEST and "\n" not in text:
            return text
    return "…"


_DOTS = "dots_in_the_place_of_code"


class _Short(ast.NodeTransformer):
    def __init__(self, known: frozenset[str], depth: int):
        self.known, self.depth = known, depth

    def generic_visit(self, node: ast.AST) -> ast.AST:
        inner = isinstance(node, ast.expr) and not isinstance(node, ast.Name | ast.Constant | ast.Attribute)
        if inner and not self.depth:
            return ast.Name(_DOTS, ast.Load())
        self.depth -= inner
        node = super().generic_visit(node)
        self.depth += inner
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return node if node.id in self.known else ast.Name(_DOTS, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if node.attr not in self.known:
            return ast.Name(_DOTS, ast.Load())
        return ast.Attribute(self.visit(node.value), node.attr, node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = self.visit(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else node.func
        if not self.depth:
            return ast.Call(function, [ast.Name(_DOTS, ast.Load())], [])
        self.depth -= 1
        args = [self.visit(argument) for argument in node.args]
        keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        self.depth += 1
        return ast.Call(function, args, keywords)
