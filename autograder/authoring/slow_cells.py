"""Leave out slow cells of a notebook and the cells that depend on them; only the nightly run includes these."""

import ast
from collections.abc import Sequence

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.numbers import TAG
from autograder.content.notebook import bound_names, names_needed, syntax_tree

#: The tag of a cell that takes more than ten seconds and that no exercise needs. It stands in the source only.
SLOW = "slow"


def quick_cells(cells: Sequence[NotebookNode]) -> list[NotebookNode]:
    """Return the cells without those tagged ``slow``, and without those that use a name bound by one of these.

    Imports in omitted cells are kept. A numbers cell loses only the statements that use such a name.
    """
    quick, missing = [], set[str]()
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        tree = syntax_tree(cell.source) if cell.cell_type == "code" else None
        statements = tree.body if tree else []
        remaining: list[ast.stmt] = []
        for group in [[statement] for statement in statements] if TAG in tags and SLOW not in tags else [statements]:
            if SLOW in tags or names_needed(_text(group)) & missing:
                imports = [statement for statement in group if isinstance(statement, ast.Import | ast.ImportFrom)]
                missing = (missing | _bound(group)) - _bound(imports)
                remaining += imports
            else:
                missing -= _bound(group)
                remaining += group
        if SLOW in tags or len(remaining) < len(statements):
            cell = nbformat.v4.new_code_cell(_text(remaining))
        quick.append(cell)
    return quick


def _bound(statements: Sequence[ast.stmt]) -> set[str]:
    return bound_names(_text(statements))[0]


def _text(statements: Sequence[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, statements))
