"""One small edit of Python code, and what is said of it."""

import ast
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """``old``, a node of a tree, becomes ``new``; a module stands for several steps.

    ``kind`` names that in general and ``sentence`` says it of this place, going on from "in which"; ``shown`` is the code in
    which it happens.
    """

    old: ast.expr | ast.stmt
    new: ast.AST
    kind: str
    sentence: str
    shown: ast.AST


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)


def is_module(node: ast.AST) -> bool:
    return ast.unparse(node) in ("torch", "F", "nn", "math", "torch.nn", "torch.nn.functional")


def is_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and is_self(node.value)
