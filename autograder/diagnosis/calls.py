"""Edits of calls: a step left out or taken twice, an argument that is not passed on, another axis, another function."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.edit import Edit, called, is_module, is_self, of_self

#: Calls without which the numbers are the same, or are drawn: an edit of them explains no wrong number.
_IDLE = frozenset(
    {"to", "contiguous", "clone", "dropout", "Dropout", "detach", "super", "len", "tuple", "list", "float", "int"}
)
_IDLE_KEYWORDS = frozenset({"device", "dtype", "training", "bias", "strict"})


def left_out(node: ast.AST) -> Iterator[Edit]:
    """A call ``f(x, ...)`` becomes ``x``, and ``x.f(...)`` becomes ``x``."""
    if not isinstance(node, ast.Call):
        return
    inner = node.args[0] if node.args else None
    if isinstance(node.func, ast.Attribute) and not is_module(node.func.value) and not is_self(node.func.value):
        inner = node.func.value
    name = called(node)
    if inner is not None and not isinstance(inner, ast.Starred) and name not in _IDLE:
        yield Edit(node, inner, "a step left out", f"{name} is left out", node)


def argument(node: ast.AST) -> Iterator[Edit]:
    """An argument that is not passed on, that is the other way round, or that changes places with its neighbour."""
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        kept = [other for other in node.keywords if other is not keyword]
        if keyword.arg and keyword.arg not in _IDLE_KEYWORDS:
            dropped = ast.Call(node.func, node.args, kept)
            yield Edit(node, dropped, "an argument not passed on", f"{keyword.arg} is not passed on", node)
        if isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, bool):
            flipped = ast.Constant(not keyword.value.value)
            yield Edit(
                keyword.value,
                flipped,
                "an argument the other way round",
                f"{keyword.arg} is {not keyword.value.value}",
                node,
            )
    if len(node.args) >= 2 and not any(isinstance(argument, ast.Starred) for argument in node.args):
        shorter = ast.Call(node.func, node.args[:-1], node.keywords)
        yield Edit(node, shorter, "an argument not passed on", "the last argument is not passed on", node)
        for place in range(len(node.args) - 1):
            order = [*node.args[:place], node.args[place + 1], node.args[place], *node.args[place + 2 :]]
            changed = ast.Call(node.func, order, node.keywords)
            yield Edit(node, changed, "arguments exchanged", "two arguments have changed places", node)


def number(node: ast.AST) -> Iterator[Edit]:
    """Another axis, or one more or less, in a call or a slice."""
    if isinstance(node, ast.Call):
        for place in [*node.args, *(keyword.value for keyword in node.keywords)]:
            value = _whole(place)
            for other in _axes(value) if value is not None else ():
                said = f"{other} stands in the place of {value}"
                yield Edit(place, ast.Constant(other), "another axis or number", said, node)
    elif isinstance(node, ast.Subscript):
        for inner in ast.walk(node.slice):
            value = _whole(inner)
            if isinstance(inner, ast.expr) and value is not None:
                for other in (value + 1, value - 1):
                    said = f"{other} stands in the place of {value}"
                    yield Edit(inner, ast.Constant(other), "another place", said, node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Pow | ast.Div):
        for place in (node.left, node.right):
            value = _whole(place)
            for other in (value + 1, value - 1) if value is not None else ():
                yield Edit(
                    place, ast.Constant(other), "another number", f"{other} stands in the place of {value}", node
                )


def _axes(value: int) -> list[int]:
    others = {-1: (-2, -3, 0), -2: (-1, -3), -3: (-1, -2), 0: (1, -1), 1: (0, 2, -1), 2: (1, -1, 3)}
    return list(others.get(value, (value - 1, value + 1)))


def _whole(node: ast.AST) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _whole(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


def doubled(node: ast.AST) -> Iterator[Edit]:
    """What is done twice."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield Edit(node, ast.BinOp(node, ast.Add(), node.left), "a term added twice", "one term is added twice", node)
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and of_self(node.func):
        again = ast.Call(node.func, [node], [])
        yield Edit(node, again, "a step taken twice", f"{called(node)} is applied twice", node)
