"""Edits of names: one variable, or one part of a module, in the place of another."""

import ast
from collections.abc import Iterator, Sequence

from autograder.diagnosis.edit import Edit, of_self


def other_names(function: ast.AST) -> Iterator[Edit]:
    """One name in the place of another: two arguments or variables of one kind, or two parts of a module with similar names."""
    if not isinstance(function, ast.FunctionDef):
        return
    inner = list(ast.walk(function))
    parts = [node for node in inner if isinstance(node, ast.Attribute) and of_self(node)]
    parts = [part for part in parts if isinstance(part.ctx, ast.Load)]
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
    kept = _put_into(inner)
    for node in inner:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in made:
            for other, line in made.items():
                # By the course's notation a capital is a matrix: a number in its place would only stop with an error.
                fits = other != node.id and line < node.lineno and other[0].isupper() >= node.id[0].isupper()
                if fits and kept.get(node) != other:
                    said = f"{other} stands in the place of {node.id}"
                    yield Edit(node, ast.Name(other, ast.Load()), "another variable", said, node)


#: Methods of lists that put their argument into the list.
_PUTS = ("append", "extend", "insert")


def _put_into(nodes: Sequence[ast.AST]) -> dict[ast.AST, str]:
    """Return, for each node of what is put into a list, the name of the list: ``lists[c].append(x)``, ``lists[c] = x``.

    A list that contains itself has no end, and making a tensor of it ends the process.
    """
    into: dict[ast.AST, str] = {}
    for node in nodes:
        what: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PUTS:
            what, where = node.args, node.func.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            what, where = [node.value], node.targets[0]
        while what and isinstance(where, ast.Subscript | ast.Attribute):
            where = where.value
        if what and isinstance(where, ast.Name):
            into.update({part: where.id for each in what for part in ast.walk(each)})
    return into


def _similar(one: str, other: str) -> bool:
    """Return whether two names of parts differ, and share a word: norm_1 and norm_2, self_attention and cross_attention."""
    return one != other and bool({*one.split("_")} & {*other.split("_")})
