"""Edits of order and of counting: two steps that have changed places, and one more or one less than there should be."""

import ast
import itertools
from collections.abc import Iterator

from autograder.diagnosis.edit import Edit, called

#: Statements that fit on one line, so that two of them can be written in the other order there.
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


def exchanged(node: ast.AST) -> Iterator[Edit]:
    """Two neighbouring steps in the other order: the state is renewed before it is read, the mask comes after the softmax."""
    for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
        for first, second in itertools.pairwise(block) if isinstance(block, list) else ():
            if isinstance(first, _SIMPLE) and isinstance(second, _SIMPLE) and not _is_text(first):
                both = ast.copy_location(ast.Pass(), first)
                both.end_lineno, both.end_col_offset = second.end_lineno, second.end_col_offset
                said = "this step comes before the one that it should follow"
                yield Edit(both, ast.Module([second, first], []), "two steps in the other order", said, second)


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring: that it comes later changes nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def off_by_one(node: ast.AST) -> Iterator[Edit]:
    """A count or a place that is one too large or too small: in a range, a slice, a comparison, a product or a quotient."""
    for place in _counts(node):
        if isinstance(place, ast.Name):
            for sign, kind in ((ast.Add(), "one too many"), (ast.Sub(), "one too few")):
                said = f"{place.id} {'+' if kind == 'one too many' else '-'} 1 stands in the place of {place.id}"
                yield Edit(place, ast.BinOp(place, sign, ast.Constant(1)), kind, said, node)


def _counts(node: ast.AST) -> Iterator[ast.expr | None]:
    if isinstance(node, ast.Call) and called(node) in ("range", "arange"):
        yield from node.args
    elif isinstance(node, ast.Slice):
        yield from (node.lower, node.upper)
    elif isinstance(node, ast.Compare):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Pow | ast.Mod):
        yield from (node.left, node.right)
