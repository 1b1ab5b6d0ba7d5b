"""The small edits of Python code that people really make: what is left out, doubled, exchanged, or counted from another end."""

import ast
from collections.abc import Callable, Iterator, Sequence

from autograder.diagnosis.calls import argument, doubled, left_out, number
from autograder.diagnosis.edit import Edit
from autograder.diagnosis.functions import swapped, too_many
from autograder.diagnosis.names import other_names
from autograder.diagnosis.operators import choice, operator, statement, term
from autograder.diagnosis.order import exchanged, off_by_one

__all__ = ["Edit", "edits"]

#: The kinds of edits, the likeliest first, and in how many right answers they are tried: which step can be left out depends on
#: how an answer is written, and what can be done once too often hardly does.
KINDS: tuple[tuple[Callable[[ast.AST], Iterator[Edit]], int], ...] = (
    *((left_out, 8), (term, 8), (swapped, 4), (argument, 4), (number, 4), (operator, 4), (choice, 4)),
    *((exchanged, 4), (off_by_one, 4), (too_many, 2), (statement, 4), (doubled, 3), (other_names, 3)),
)


#: What is not edited: neither a stop with an error, nor the places in which the parser finds no place in the text.
_LEFT_ALONE = (ast.Raise, ast.arguments, ast.Import, ast.ImportFrom, ast.JoinedStr)


def edits(trees: Sequence[ast.AST]) -> Iterator[tuple[int, Edit]]:
    """Yield edits of right answers, each with the number of its tree.

    What makes the parts of a module, or refuses an argument, stays.
    """
    nodes = [list(_edited(tree)) for tree in trees]
    for look, most in KINDS:
        for place, of_tree in enumerate(nodes[:most]):
            for node in of_tree:
                for edit in look(node):
                    yield place, edit


def _edited(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that may be edited, the outer before the inner ones."""
    for node in ast.iter_child_nodes(tree):
        refuses = isinstance(node, ast.If) and any(isinstance(inner, ast.Raise) for inner in ast.walk(node))
        makes = isinstance(node, ast.FunctionDef) and node.name == "__init__"
        if not refuses and not makes and not isinstance(node, _LEFT_ALONE):
            yield node
            yield from _edited(node)
