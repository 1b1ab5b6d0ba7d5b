"""Edits of operators and of decisions: a term left out, another sign, another comparison, a distinction that is not made."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.edit import Edit


def term(node: ast.AST) -> Iterator[Edit]:
    """``a + b`` becomes ``a`` or ``b``, and the same with other operators."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in _TERMS:
        return
    kind, sentence = _TERMS[type(node.op)]
    yield Edit(node, node.left, kind, sentence, node)
    if isinstance(node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
        yield Edit(node, node.right, kind, sentence, node)


_TERMS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("a term left out", "one term of the sum is left out"),
    ast.Sub: ("a difference left out", "nothing is subtracted"),
    ast.Mult: ("a factor left out", "one factor is left out"),
    ast.Div: ("a division left out", "nothing is divided"),
    ast.BitAnd: ("a condition left out", "only one of the two conditions holds"),
    ast.BitOr: ("a condition left out", "only one of the two conditions counts"),
    ast.Pow: ("a power left out", "the power is left out"),
}


def operator(node: ast.AST) -> Iterator[Edit]:
    """Another operator, or the two sides exchanged."""
    if isinstance(node, ast.BinOp):
        for new in _OPERATORS.get(type(node.op), ()):
            other = ast.BinOp(node.left, new(), node.right)
            yield Edit(
                node, other, "another operator", f"{_SIGNS[new]} stands in the place of {_SIGNS[type(node.op)]}", node
            )
        if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
            yield Edit(
                node, ast.BinOp(node.right, node.op, node.left), "sides exchanged", "the two sides are exchanged", node
            )
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for compared in _COMPARED.get(type(node.ops[0]), ()):
            changed = ast.Compare(node.left, [compared()], node.comparators)
            said = f"{_SIGNS[compared]} stands in the place of {_SIGNS[type(node.ops[0])]}"
            yield Edit(node, changed, "another comparison", said, node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.Not | ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield Edit(node, node.operand, "a sign or a not left out", f"{_SIGNS[type(node.op)]} is left out", node)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield Edit(node, value, "a condition left out", "only one of the conditions counts", node)


_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
}
_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Invert: "~",
    ast.Not: "not",
    ast.USub: "the sign",
}


def choice(node: ast.AST) -> Iterator[Edit]:
    """A distinction of cases that is not made."""
    if isinstance(node, ast.IfExp):
        said = "no difference is made"
        yield Edit(node, node.body, "a distinction left out", said, node.test)
        yield Edit(node, node.orelse, "a distinction left out", said, node.test)
    elif isinstance(node, ast.If) and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
        for value in (True, False):
            said = "this is taken to be always so" if value else "this is taken to be never so"
            yield Edit(node.test, ast.Constant(value), "a distinction left out", said, node.test)


def statement(node: ast.AST) -> Iterator[Edit]:
    """A step that is not made: an assignment to a name that already has a value."""
    if isinstance(node, ast.AugAssign):
        yield Edit(node, ast.Pass(), "a step left out", "this step is left out", node)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        own = node.targets[0].id
        if any(isinstance(inner, ast.Name) and inner.id == own for inner in ast.walk(node.value)):
            yield Edit(node, ast.Pass(), "a step left out", "this step is left out", node)
