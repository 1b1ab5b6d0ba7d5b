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
        kept: list[ast.stmt] = []
        for part in [[each] for each in statements] if TAG in tags and SLOW not in tags else [statements]:
            if SLOW in tags or names_needed(_text(part)) & missing:
                imports = [each for each in part if isinstance(each, ast.Import | ast.ImportFrom)]
                missing = (missing | _bound(part)) - _bound(imports)
                kept += imports
            else:
                missing -= _bound(part)
                kept += part
        if SLOW in tags or len(kept) < len(statements):
            cell = nbformat.v4.new_code_cell(_text(kept))
        quick.append(cell)
    return quick


def _bound(statements: Sequence[ast.stmt]) -> set[str]:
    return bound_names(_text(statements))[0]


def _text(statements: Sequence[ast.stmt]) -> str:
    return "\n".join(map(ast.unparse, statements))
