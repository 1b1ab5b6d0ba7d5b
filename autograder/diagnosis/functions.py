"""Edits of functions: one in the place of its neighbour, and one step too many."""

import ast
from collections.abc import Iterator

from autograder.diagnosis.edit import Edit, called, of_self

#: Functions that are taken for each other.
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
#: Of these only torch.nn.functional has all.
_ACTIVATIONS = frozenset(_FAMILIES[0])


def swapped(node: ast.AST) -> Iterator[Edit]:
    """Another function of the same kind: the mean for the sum, ReLU for tanh."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute | ast.Name):
        return
    name = called(node)
    for family in _FAMILIES:
        for other in family if name in family else ():
            if other == name:
                continue
            function: ast.expr
            if other in _ACTIVATIONS and name in _ACTIVATIONS:
                given = node.args or ([node.func.value] if isinstance(node.func, ast.Attribute) else [])
                function, args = ast.Attribute(ast.Name("F", ast.Load()), other, ast.Load()), given[:1]
            elif isinstance(node.func, ast.Attribute):
                function, args = ast.Attribute(node.func.value, other, ast.Load()), node.args
            else:
                function, args = ast.Name(other, ast.Load()), node.args
            said = f"{other} stands in the place of {name}"
            yield Edit(node, ast.Call(function, args, node.keywords), f"{other} in the place of {name}", said, node)


#: What is done to a value once too often; the value is called x. Of a row of one number a softmax makes 1, whatever it is, and so
#: does a division by its sum: that is no step too many, but a value thrown away.
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
#: What stands in the place of a value: the values of others, or none.
_OTHERS = {
    "one average for the whole batch": "x.mean(0, keepdim=True).expand_as(x)",
    "the first of the batch for all": "x[:1].expand_as(x)",
    "one average for all rows": "x.mean(-2, keepdim=True).expand_as(x)",
    "one row later": "x.roll(1, -2)",
    "one row earlier": "x.roll(-1, -2)",
    "zeros in its place": "torch.zeros_like(x)",
}
#: By what is said of it.
_PARSED = {
    said: ast.parse(text, mode="eval").body
    for said, text in [*((f"{name} too many", text) for name, text in _STEPS.items()), *_OTHERS.items()]
}


def too_many(node: ast.AST) -> Iterator[Edit]:
    """A step too many, or another value: at what is returned, given a name, or multiplied, and at what goes into a call."""
    for value in _values(node):
        for said, template in _PARSED.items():
            yield Edit(value, _Filled(value).visit(_copy(template)), said, said, value)


def _values(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Return) and node.value is not None:
        yield from node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        if not isinstance(node.value, ast.Constant | ast.Tuple | ast.List | ast.Lambda):
            yield node.value
    elif isinstance(node, ast.Call) and node.args and called(node) != "dropout":
        if of_self(node.func) or isinstance(node.args[0], ast.BinOp | ast.Call):
            yield node.args[0]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield from (side for side in (node.left, node.right) if isinstance(side, ast.Name))


def _copy(template: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(template), mode="eval").body


class _Filled(ast.NodeTransformer):
    def __init__(self, value: ast.expr):
        self.value = value

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.value if node.id == "x" else node
