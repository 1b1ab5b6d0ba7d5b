"""The small edits of Python code that people really make: what is left out, doubled, exchanged, or counted from another end."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """``old``, a node of a tree, becomes ``new``. ``kind`` names that in general and ``sentence`` says it of this place, going on
    from "in which"; ``shown`` is the code in which it happens.
    """

    old: ast.AST
    new: ast.AST
    kind: str
    sentence: str
    shown: ast.AST


#: Calls without which the numbers are the same, or are drawn: an edit of them explains no wrong number.
_IDLE = frozenset(
    {"to", "contiguous", "clone", "dropout", "Dropout", "detach", "super", "len", "tuple", "list", "float", "int"}
)
_IDLE_KEYWORDS = frozenset({"device", "dtype", "training", "bias", "strict"})


def edits(tree: ast.AST) -> Iterator[Edit]:
    """Yield edits of a tree, the likeliest kinds first. What makes the parts of a module, or refuses an argument, stays."""
    nodes = list(_edited(tree))
    for look in _KINDS:
        for node in nodes:
            yield from look(node)
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            yield from _other_names(node)


def _edited(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may be edited, the outer before the inner ones."""
    for node in ast.iter_child_nodes(tree):
        refuses = isinstance(node, ast.If) and any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
        makes = isinstance(node, ast.FunctionDef) and node.name == "__init__"
        if not refuses and not makes and not isinstance(node, ast.Raise | ast.arguments | ast.Import | ast.ImportFrom):
            yield node
            yield from _edited(node)


def _left_out(node: ast.AST) -> Iterator[Edit]:
    """A call ``f(x, ...)`` becomes ``x``, and ``x.f(...)`` becomes ``x``."""
    if not isinstance(node, ast.Call):
        return
    inner = node.args[0] if node.args else None
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value) and not _is_self(node.func.value):
        inner = node.func.value
    name = _called(node)
    if inner is not None and not isinstance(inner, ast.Starred) and name not in _IDLE:
        yield Edit(node, inner, "a step left out", f"{name} is left out", node)


def _term(node: ast.AST) -> Iterator[Edit]:
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


def _operator(node: ast.AST) -> Iterator[Edit]:
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


def _number(node: ast.AST) -> Iterator[Edit]:
    """Another axis, or one more or less, in a call or a slice."""
    if isinstance(node, ast.Call):
        for place in [*node.args, *(keyword.value for keyword in node.keywords)]:
            value = _whole(place)
            for other in _axes(value) if value is not None else ():
                said = f"{other} stands in the place of {value}"
                yield Edit(place, ast.Constant(other), "another axis or number", said, node)
    elif isinstance(node, ast.Subscript):
        for place in ast.walk(node.slice):
            value = _whole(place)
            if value is not None:
                for other in (value + 1, value - 1):
                    said = f"{other} stands in the place of {value}"
                    yield Edit(place, ast.Constant(other), "another place", said, node)
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


def _argument(node: ast.AST) -> Iterator[Edit]:
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
                keyword.value, flipped, "an argument the other way round", f"{keyword.arg} is {flipped.value}", node
            )
    if len(node.args) >= 2 and not any(isinstance(argument, ast.Starred) for argument in node.args):
        shorter = ast.Call(node.func, node.args[:-1], node.keywords)
        yield Edit(node, shorter, "an argument not passed on", "the last argument is not passed on", node)
        for place in range(len(node.args) - 1):
            order = [*node.args[:place], node.args[place + 1], node.args[place], *node.args[place + 2 :]]
            changed = ast.Call(node.func, order, node.keywords)
            yield Edit(node, changed, "arguments exchanged", "two arguments have changed places", node)


def _choice(node: ast.AST) -> Iterator[Edit]:
    """A distinction of cases that is not made."""
    if isinstance(node, ast.IfExp):
        said = "no difference is made"
        yield Edit(node, node.body, "a distinction left out", said, node.test)
        yield Edit(node, node.orelse, "a distinction left out", said, node.test)
    elif isinstance(node, ast.If) and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
        for value in (True, False):
            said = "this is taken to be always so" if value else "this is taken to be never so"
            yield Edit(node.test, ast.Constant(value), "a distinction left out", said, node.test)


def _doubled(node: ast.AST) -> Iterator[Edit]:
    """What is done twice."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield Edit(node, ast.BinOp(node, ast.Add(), node.left), "a term added twice", "one term is added twice", node)
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and _of_self(node.func):
        again = ast.Call(node.func, [node], [])
        yield Edit(node, again, "a step taken twice", f"{_called(node)} is applied twice", node)


def _statement(node: ast.AST) -> Iterator[Edit]:
    """A step that is not made: an assignment to a name that already has a value."""
    if isinstance(node, ast.AugAssign):
        yield Edit(node, ast.Pass(), "a step left out", "this step is left out", node)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        own = node.targets[0].id
        if any(isinstance(inner, ast.Name) and inner.id == own for inner in ast.walk(node.value)):
            yield Edit(node, ast.Pass(), "a step left out", "this step is left out", node)


def _other_names(function: ast.FunctionDef) -> Iterator[Edit]:
    """One name in the place of another: two arguments or variables of one kind, or two parts of a module with similar names."""
    inner = list(ast.walk(function))
    parts = [node for node in inner if _of_self(node) and isinstance(getattr(node, "ctx", None), ast.Load)]
    attributes = list(dict.fromkeys(part.attr for part in parts if isinstance(part, ast.Attribute)))
    for part in parts:
        for other in attributes if isinstance(part, ast.Attribute) else ():
            if _similar(part.attr, other):
                said = f"{other} stands in the place of {part.attr}"
                yield Edit(part, ast.Attribute(part.value, other, ast.Load()), "another part", said, part)
    made = {
        node.id: node.lineno
        for node in reversed(inner)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    made |= {argument.arg: 0 for argument in function.args.args if argument.arg != "self"}
    for node in inner:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in made:
            for other, line in made.items():
                # By the course's notation a capital is a matrix: a number in its place would only stop with an error.
                if other != node.id and line < node.lineno and other[0].isupper() == node.id[0].isupper():
                    said = f"{other} stands in the place of {node.id}"
                    yield Edit(node, ast.Name(other, ast.Load()), "another variable", said, node)


def _similar(one: str, other: str) -> bool:
    """Return whether two names of parts differ, and share a word: norm_1 and norm_2, self_attention and cross_attention."""
    return one != other and bool({*one.split("_")} & {*other.split("_")})


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def _is_module(node: ast.AST) -> bool:
    return ast.unparse(node) in ("torch", "F", "nn", "math", "torch.nn", "torch.nn.functional")


def _is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and _is_self(node.value)


_KINDS: tuple[Callable[[ast.AST], Iterator[Edit]], ...] = (
    *(_left_out, _term, _argument, _number),
    *(_operator, _choice, _statement, _doubled),
)
