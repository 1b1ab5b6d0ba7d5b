"""Mutation operators: small edits that turn a right answer into a mistake."""

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """The replacement of ``old``, a node of a syntax tree, by ``new``; an ``ast.Module`` as ``new`` stands for several
    statements.

    ``kind`` names the type of edit; ``sentence`` describes this edit, as a clause; ``excerpt`` is the code around it.
    """

    old: ast.expr | ast.stmt
    new: ast.AST
    kind: str
    sentence: str
    excerpt: ast.AST


def called_name(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def is_module(node: ast.AST) -> bool:
    return ast.unparse(node) in ("torch", "F", "nn", "math", "torch.nn", "torch.nn.functional")


def is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and is_self(node.value)


#: Calls that do not change the numbers, or draw them: an edit of one explains no wrong number.
_IDLE = frozenset(
    {"to", "contiguous", "clone", "dropout", "Dropout", "detach", "super", "len", "tuple", "list", "float", "int"}
)
#: Functions of which any argument may remain, not only the first: in ``min(N, end)``, omitting the limit leaves ``end``.
_OF_EQUAL_ARGUMENTS = frozenset({"min", "max", "minimum", "maximum", "logical_and", "logical_or"})
_IDLE_KEYWORDS = frozenset({"device", "dtype", "training", "bias", "strict"})


def omit_call(node: ast.AST) -> Iterator[Edit]:
    """Replace a call ``f(x, ...)`` or ``x.f(...)`` by ``x``."""
    if not isinstance(node, ast.Call):
        return
    inner = node.args[0] if node.args else None
    if isinstance(node.func, ast.Attribute) and not is_module(node.func.value) and not is_self(node.func.value):
        inner = node.func.value
    name = called_name(node)
    if inner is None or isinstance(inner, ast.Starred) or name in _IDLE:
        return
    yield Edit(node, inner, "a step left out", f"{name} is left out", node)
    for argument in node.args if name in _OF_EQUAL_ARGUMENTS else ():
        is_operand = not isinstance(argument, ast.Starred) and _integer(argument) is None  # a number may be an axis
        if argument is not inner and is_operand:
            yield Edit(node, argument, "a step left out", f"{name} is left out", node)


def change_argument(node: ast.AST) -> Iterator[Edit]:
    """Omit an argument, negate it, or swap it with its neighbour."""
    if not isinstance(node, ast.Call):
        return
    for keyword in node.keywords:
        other_keywords = [other_keyword for other_keyword in node.keywords if other_keyword is not keyword]
        if keyword.arg and keyword.arg not in _IDLE_KEYWORDS:
            dropped = ast.Call(node.func, node.args, other_keywords)
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


def change_number(node: ast.AST) -> Iterator[Edit]:
    """Change an axis, or a number by one, in a call or a slice."""
    if isinstance(node, ast.Call):
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            value = _integer(argument)
            for new_value in _axes(value) if value is not None else ():
                sentence = f"{new_value} instead of {value}"
                yield Edit(argument, ast.Constant(new_value), "another axis or number", sentence, node)
    elif isinstance(node, ast.Subscript):
        for inner in ast.walk(node.slice):
            value = _integer(inner)
            if isinstance(inner, ast.expr) and value is not None:
                for new_value in (value + 1, value - 1):
                    sentence = f"{new_value} instead of {value}"
                    yield Edit(inner, ast.Constant(new_value), "another place", sentence, node)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Pow | ast.Div):
        for operand in (node.left, node.right):
            value = _integer(operand)
            for new_value in (value + 1, value - 1) if value is not None else ():
                yield Edit(operand, ast.Constant(new_value), "another number", f"{new_value} instead of {value}", node)


def _axes(value: int) -> list[int]:
    alternatives = {-1: (-2, -3, 0), -2: (-1, -3), -3: (-1, -2), 0: (1, -1), 1: (0, 2, -1), 2: (1, -1, 3)}
    return list(alternatives.get(value, (value - 1, value + 1)))


def _integer(node: ast.AST) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _integer(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
        return node.value
    return None


def double_step(node: ast.AST) -> Iterator[Edit]:
    """Add a term, or apply a submodule, twice."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield Edit(node, ast.BinOp(node, ast.Add(), node.left), "a term added twice", "one term is added twice", node)
    elif isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords and of_self(node.func):
        again = ast.Call(node.func, [node], [])
        yield Edit(node, again, "a step taken twice", f"{called_name(node)} is applied twice", node)


#: Functions that are easily confused.
_FAMILIES = (
    ("tanh", "sigmoid", "relu", "gelu", "silu", "softsign"),
    ("softmax", "log_softmax", "sigmoid"),
    ("sum", "mean", "amax"),
    ("amax", "amin", "mean"),
    ("max", "min"),
    ("log", "log2", "log10", "log1p"),
    ("argmax", "argmin"),
    ("tril", "triu"),
    ("zeros", "ones"),
    ("cumsum", "cumprod"),
    ("any", "all"),
)
#: Only torch.nn.functional has all of these.
_ACTIVATIONS = frozenset(_FAMILIES[0])


def swap_function(node: ast.AST) -> Iterator[Edit]:
    """Replace a function by another of the same kind: the sum by the mean, tanh by ReLU."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return
    name = called_name(node)
    if name == "gelu" and all(keyword.arg != "approximate" for keyword in node.keywords):
        changed = ast.Call(node.func, node.args, [*node.keywords, ast.keyword("approximate", ast.Constant("tanh"))])
        yield Edit(node, changed, "the tanh approximation of GELU", "GELU is approximated with tanh", node)
    for family in _FAMILIES:
        for other_name in family if name in family else ():
            if other_name == name:
                continue
            function: ast.expr
            if other_name in _ACTIVATIONS and name in _ACTIVATIONS:
                operands = node.args or ([node.func.value] if isinstance(node.func, ast.Attribute) else [])
                function, args = ast.Attribute(ast.Name("F", ast.Load()), other_name, ast.Load()), operands[:1]
            elif isinstance(node.func, ast.Attribute):
                function, args = ast.Attribute(node.func.value, other_name, ast.Load()), node.args
            else:
                function, args = ast.Name(other_name, ast.Load()), node.args
            sentence = f"{other_name} instead of {name}"
            yield Edit(
                node, ast.Call(function, args, node.keywords), f"{other_name} in the place of {name}", sentence, node
            )


#: Steps that are applied to a value, x, once too often. Rows of one number are left unchanged where a softmax or a division by
#: the sum would turn any number into 1, which discards the value.
_STEPS = {
    "softmax": "torch.softmax(x, -1) if x.shape[-1] > 1 else x",
    "the logarithm of a softmax": "torch.log_softmax(x, -1) if x.shape[-1] > 1 else x",
    "ReLU": "torch.relu(x)",
    "tanh": "torch.tanh(x)",
    "sigmoid": "torch.sigmoid(x)",
    "a normalisation of each row": "F.layer_norm(x, x.shape[-1:]) if x.shape[-1] > 1 else x",
    "a division by the length of each row": "F.normalize(x, dim=-1) if x.shape[-1] > 1 else x",
    "a division by √D": "x / x.shape[-1] ** 0.5",
    "a factor of √D": "x * x.shape[-1] ** 0.5",
    "a factor of 2": "2 * x",
    "a division by 2": "x / 2",
    "a change of sign": "-x",
    "a flip of the last axis": "x.flip(-1)",
    "a flip of the first axis": "x.flip(0)",
    "a flip of the rows": "x.flip(-2)",
    "a flip of the third axis from the end": "x.flip(-3)",
    "a transposition": "x.mT",
    "exp": "x.exp()",
    "a square": "x * x",
    "a square root": "x ** 0.5",
    "an absolute value": "abs(x)",
    "1 minus it": "1 - x",
    "1 more": "x + 1",
    "1 less": "x - 1",
    "rounding": "round(x, 2)",
    "a division by the sum of each row": "x / x.sum(-1, keepdim=True) if x.shape[-1] > 1 else x",
    "a subtraction of the mean of each row": "x - x.mean(-1, keepdim=True) if x.shape[-1] > 1 else x",
}
#: Replacements for a value: values of other rows or examples, or zeros.
_OTHERS = {
    "one average for the whole batch": "x.mean(0, keepdim=True).expand_as(x)",
    "the first of the batch for all": "x[:1].expand_as(x)",
    "one average for all rows": "x.mean(-2, keepdim=True).expand_as(x)",
    "one row later": "x.roll(1, -2)",
    "one row earlier": "x.roll(-1, -2)",
    "zeros in its place": "torch.zeros_like(x)",
}
#: The expressions by their descriptions.
_TEMPLATES = {f"{name} too many": text for name, text in _STEPS.items()} | _OTHERS


def add_step(node: ast.AST) -> Iterator[Edit]:
    """Add a step to a value that is returned, assigned, multiplied or passed to a call, or replace that value."""
    for value in _values_passed_on(node):
        for sentence, text in _TEMPLATES.items():
            step = _FillTemplate(value).visit(ast.parse(text, mode="eval").body)
            yield Edit(value, step, sentence, sentence, value)


def _values_passed_on(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Return) and node.value is not None:
        yield from node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        if not isinstance(node.value, ast.Constant | ast.Tuple | ast.List | ast.Lambda):
            yield node.value
    elif isinstance(node, ast.Call) and node.args and called_name(node) != "dropout":
        if of_self(node.func) or isinstance(node.args[0], ast.BinOp | ast.Call):
            yield node.args[0]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield from (side for side in (node.left, node.right) if isinstance(side, ast.Name))


class _FillTemplate(ast.NodeTransformer):
    def __init__(self, value: ast.expr):
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.value if node.id == "x" else node


def swap_names(function: ast.AST) -> Iterator[Edit]:
    """Replace a name by another: an argument or variable of the same kind, or a submodule with a similar name."""
    if not isinstance(function, ast.FunctionDef):
        return
    inner = list(ast.walk(function))
    attributes = [
        node for node in inner if isinstance(node, ast.Attribute) and of_self(node) and isinstance(node.ctx, ast.Load)
    ]
    attribute_names = list(dict.fromkeys(attribute.attr for attribute in attributes))
    for attribute in attributes:
        for other_name in attribute_names:
            if _similar(attribute.attr, other_name):
                sentence = f"{other_name} instead of {attribute.attr}"
                yield Edit(
                    attribute,
                    ast.Attribute(attribute.value, other_name, ast.Load()),
                    "another part",
                    sentence,
                    attribute,
                )
    line_of = {
        node.id: node.lineno
        for node in reversed(inner)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    line_of |= {argument.arg: 0 for argument in function.args.args if argument.arg != "self"}
    lists = _lists_filled_by(inner)
    for node in inner:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in line_of:
            for other_name, line in line_of.items():
                # In the course's notation a capital letter is a matrix: a number in its place would only raise an error.
                fits = other_name != node.id and line < node.lineno and other_name[0].isupper() >= node.id[0].isupper()
                if fits and lists.get(node) != other_name:
                    sentence = f"{other_name} instead of {node.id}"
                    yield Edit(node, ast.Name(other_name, ast.Load()), "another variable", sentence, node)


#: Methods of lists that insert their argument.
_PUTS = ("append", "extend", "insert")


def _lists_filled_by(nodes: Sequence[ast.AST]) -> dict[ast.AST, str]:
    """Map each node that is stored in a list to the name of that list: ``lists[c].append(x)``, ``lists[c] = x``.

    An edit must not put a list into itself: converting such a list to a tensor crashes the process.
    """
    list_names: dict[ast.AST, str] = {}
    for node in nodes:
        stored: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS:
            stored, target = node.args, node.func.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            stored, target = [node.value], node.targets[0]
        while stored and isinstance(target, ast.Subscript | ast.Attribute):
            target = target.value
        if stored and isinstance(target, ast.Name):
            list_names.update({inner: target.id for value in stored for inner in ast.walk(value)})
    return list_names


def _similar(first: str, second: str) -> bool:
    """Return whether two names of submodules differ but share a word: norm_1, norm_2; self_attention, cross_attention."""
    return first != second and bool({*first.split("_")} & {*second.split("_")})


def omit_term(node: ast.AST) -> Iterator[Edit]:
    """Replace ``a + b`` by ``a`` or ``b``; also for other operators."""
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


def omit_parentheses(node: ast.AST) -> Iterator[Edit]:
    """Omit parentheses, so that another operator comes first: ``a * (b + c)`` becomes ``a * b + c``."""
    if isinstance(node, ast.BinOp):
        sign = ast.unparse(ast.BinOp(ast.Name("x"), node.op, ast.Name("x")))[1:-1]
        left, right = ast.unparse(node.left), ast.unparse(node.right)
        for text in (f"{left}{sign}({right})", f"({left}){sign}{right}"):
            bare = ast.parse(text, mode="eval").body
            if ast.dump(bare) != ast.dump(ast.parse(ast.unparse(node), mode="eval").body):
                yield Edit(node, bare, "parentheses left out", "the parentheses are left out", node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.BinOp):
        sign = ast.unparse(ast.UnaryOp(node.op, ast.Name("x")))[:-1]
        bare = ast.parse(f"{sign}{ast.unparse(node.operand)}", mode="eval").body
        if not isinstance(bare, ast.UnaryOp):
            yield Edit(node, bare, "parentheses left out", "the parentheses are left out", node)


def change_operator(node: ast.AST) -> Iterator[Edit]:
    """Change an operator, or swap its sides."""
    if isinstance(node, ast.BinOp):
        for new in _OPERATORS.get(type(node.op), ()):
            operation = ast.BinOp(node.left, new(), node.right)
            yield Edit(node, operation, "another operator", f"{_SIGNS[new]} instead of {_SIGNS[type(node.op)]}", node)
        if isinstance(node.op, ast.Sub | ast.Div | ast.MatMult):
            yield Edit(
                node, ast.BinOp(node.right, node.op, node.left), "sides exchanged", "the two sides are exchanged", node
            )
    elif isinstance(node, ast.Compare) and len(node.ops) == 1:
        for compared in _COMPARED.get(type(node.ops[0]), ()):
            changed = ast.Compare(node.left, [compared()], node.comparators)
            sentence = f"{_SIGNS[compared]} instead of {_SIGNS[type(node.ops[0])]}"
            yield Edit(node, changed, "another comparison", sentence, node)
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


def omit_branch(node: ast.AST) -> Iterator[Edit]:
    """Always take the same branch of a condition."""
    if isinstance(node, ast.IfExp):
        sentence = "no difference is made"
        yield Edit(node, node.body, "a distinction left out", sentence, node.test)
        yield Edit(node, node.orelse, "a distinction left out", sentence, node.test)
    elif isinstance(node, ast.If) and not any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
        for value in (True, False):
            sentence = "this is taken to be always so" if value else "this is taken to be never so"
            yield Edit(node.test, ast.Constant(value), "a distinction left out", sentence, node.test)


def omit_statement(node: ast.AST) -> Iterator[Edit]:
    """Omit an assignment to a name that already has a value."""
    if isinstance(node, ast.AugAssign):
        yield Edit(node, ast.Pass(), "a step left out", "this step is left out", node)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        name = node.targets[0].id
        if any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(node.value)):
            yield Edit(node, ast.Pass(), "a step left out", "this step is left out", node)


#: Statements that fit on one line, where two of them can be swapped.
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr)


def swap_statements(node: ast.AST) -> Iterator[Edit]:
    """Swap two neighbouring statements: the state is updated before it is read, the mask is applied after the softmax."""
    for block in (getattr(node, "body", None), getattr(node, "orelse", None)):
        for first, second in itertools.pairwise(block) if isinstance(block, list) else ():
            if isinstance(first, _SIMPLE) and isinstance(second, _SIMPLE) and not _is_text(first):
                both = ast.copy_location(ast.Pass(), first)
                both.end_lineno, both.end_col_offset = second.end_lineno, second.end_col_offset
                sentence = "this step comes before the one that it should follow"
                yield Edit(both, ast.Module([second, first], []), "two steps in the other order", sentence, second)


def _is_text(node: ast.AST) -> bool:
    """Return whether a statement is a docstring, whose position does not matter."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def shift_by_one(node: ast.AST) -> Iterator[Edit]:
    """Change a count or an index by one, in a range, a slice, a comparison, a product or a quotient."""
    for operand in _count_operands(node):
        if isinstance(operand, ast.Name):
            for sign, kind in ((ast.Add(), "one too many"), (ast.Sub(), "one too few")):
                sentence = f"{operand.id} {'+' if kind == 'one too many' else '-'} 1 instead of {operand.id}"
                yield Edit(operand, ast.BinOp(operand, sign, ast.Constant(1)), kind, sentence, node)


def _count_operands(node: ast.AST) -> Iterator[ast.expr | None]:
    if isinstance(node, ast.Call) and called_name(node) in ("range", "arange"):
        yield from node.args
    elif isinstance(node, ast.Slice):
        yield from (node.lower, node.upper)
    elif isinstance(node, ast.Compare) and not _compares_ids(node):
        yield from (node.left, *node.comparators)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv | ast.Pow | ast.Mod):
        yield from (node.left, node.right)


def _compares_ids(node: ast.AST) -> bool:
    """Return whether a comparison excludes one value, as ``ids != pad`` does: its operands are ids, not counts."""
    return isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.NotEq)


def leave_nothing_out(node: ast.AST) -> Iterator[Edit]:
    """Replace ``ids != pad`` by a mask that is True everywhere."""
    if isinstance(node, ast.Compare) and _compares_ids(node):
        everywhere = ast.Compare(node.left, [ast.Eq()], [node.left])
        yield Edit(node, everywhere, "nothing left out", "nothing is left out", node)


#: The operators, the likeliest first, each with the number of right answers in which it is tried: which steps can be omitted
#: depends on the style of an answer, which steps can be repeated hardly does.
KINDS: tuple[tuple[Callable[[ast.AST], Iterator[Edit]], int], ...] = (
    (omit_call, 8),
    (omit_term, 8),
    (swap_function, 4),
    (change_argument, 4),
    (change_number, 4),
    (change_operator, 4),
    (omit_parentheses, 8),
    (omit_branch, 4),
    (swap_statements, 4),
    (shift_by_one, 4),
    (leave_nothing_out, 4),
    (add_step, 2),
    (omit_statement, 4),
    (double_step, 3),
    (swap_names, 3),
)


#: Nodes that are not edited: raised errors, and those whose location in the text the parser does not give.
_LEFT_ALONE = (ast.Raise, ast.arguments, ast.Import, ast.ImportFrom, ast.JoinedStr)


def edits(trees: Sequence[ast.AST]) -> Iterator[tuple[int, Edit]]:
    """Yield edits of right answers, each with the index of its tree.

    The constructors of modules, and the validation of arguments, are not edited.
    """
    nodes = [list(_editable_nodes(tree)) for tree in trees]
    for operator, most in KINDS:
        for index, tree_nodes in enumerate(nodes[:most]):
            for node in tree_nodes:
                for edit in operator(node):
                    yield index, edit


def _editable_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may be edited, outer before inner ones."""
    for node in ast.iter_child_nodes(tree):
        refuses = isinstance(node, ast.If) and any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
        makes = isinstance(node, ast.FunctionDef) and node.name == "__init__"
        if not refuses and not makes and not isinstance(node, _LEFT_ALONE):
            yield node
            yield from _editable_nodes(node)
