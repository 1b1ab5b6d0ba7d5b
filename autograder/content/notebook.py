"""Read a notebook, and run its cells as Jupyter would, in this process."""

import ast
import codecs
import hashlib
import itertools
import json
import re
import symtable
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.runtime.text import parse_json, source_lines

Cell = dict[str, Any]


#: Matches a cell that only checks an exercise.
_CHECK = re.compile(r"""\s*check\(\s*(["'])(\w+)\1\s*(?:,\s*(?:seed\s*=\s*)?\d+\s*)?\)\s*(?:;\s*)?""")
#: Characters. A longer text is not searched: a hostile one could make the regular expression run for hours.
_LONGEST_CHECK = 300
#: Maximum of JSON values in a notebook without its outputs, each of up to 250 bytes in memory. The course's have two thousand.
_MOST_PARTS = 500_000
#: Bytes of a notebook without its outputs and pictures, and in how many places there a larger one is not ASCII.
_MOST_BYTES, _MOST_PLACES = 32 * 2**20, 2**20
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
_PICTURE = re.compile(rb'"[A-Za-z0-9+/=]{64,}+(?:\\n[A-Za-z0-9+/=]++)*+(?:\\n)?"')
#: Brackets in all outputs.
_MOST_BRACKETS = 2_000_000
#: The levels of a heading of nbformat 3.
_LEVELS = range(1, 7)
#: A notebook of this course has far fewer cells.
MOST_CELLS = 2_000
_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_OUTPUTS = re.compile(rb'"outputs"\s*:\s*\[')
_TO_BRACKET = re.compile(rb'(?:[^"\[\]]++|"(?:[^"\\]++|\\.)*+")*+([\[\]])', re.DOTALL)
_DEFINED = re.compile(r"^(?:async\s+def|def|class)\s+(\w+)", re.MULTILINE)


@dataclass
class Run:
    """The result of running a notebook: the names that it defines, and the errors of its cells as (cell, error)."""

    namespace: dict[str, Any]
    errors: list[tuple[str, str]] = field(default_factory=list)


def read(path: Path) -> dict[str, Any]:
    """Read a notebook as a dictionary. Raises ValueError if the file is not a notebook."""
    return parse(path.read_bytes(), str(path))


def parse(data: bytes, name: str) -> dict[str, Any]:
    """Parse a file's bytes as a notebook of nbformat 4, and drop the outputs. Raises ValueError if they are not a notebook."""
    if not data.strip():
        raise ValueError(f"{name} is not a Jupyter notebook: it is empty. Save it again, or download it as .ipynb.")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data = data.decode("utf-16", "replace").encode()
    content = _without_outputs(data, name).removeprefix(codecs.BOM_UTF8)
    if _parts(content) > _MOST_PARTS:
        raise ValueError(
            f"{name} holds more than {_MOST_PARTS:,} values beside its outputs. Copy its cells into a new notebook."
        )
    if not _is_bounded(content):
        raise ValueError(
            f"{name} holds more than {_MOST_BYTES // 2**20} MB beside its outputs and pictures. "
            "Copy its cells into a new notebook."
        )
    try:
        notebook = parse_json(_narrowed(content).decode())
        if isinstance(notebook, dict) and "worksheets" in notebook:
            notebook = _of_today(notebook)
        cells = notebook["cells"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(
            f"{name} is not a Jupyter notebook: expected JSON with a list of cells, but got {type(error).__name__}: {error}. "
            "Save the notebook again, or download it as .ipynb."
        ) from None
    if not isinstance(cells, list):
        raise ValueError(f"{name} is not a Jupyter notebook: its cells are not a list.")
    notebook["cells"] = [_well_formed(cell) for cell in cells if isinstance(cell, dict)]
    return notebook


def _well_formed(cell: Cell) -> Cell:
    """Drop a source that is not text and metadata that are not objects: one malformed cell must not cost the whole notebook."""
    text = cell.get("source", "")
    if not isinstance(text, str):
        cell["source"] = [line for line in text if isinstance(line, str)] if isinstance(text, list) else ""
    if not isinstance(cell.get("metadata", {}), dict):
        cell["metadata"] = {}
    elif not isinstance(cell.get("metadata", {}).get("nbgrader", {}), dict):
        del cell["metadata"]["nbgrader"]
    return cell


def _without_outputs(data: bytes, name: str) -> bytes | bytearray:
    """Empty the lists of outputs in JSON text without parsing it: they are most of a notebook, and are not used."""
    view, stripped, end, brackets = memoryview(data), bytearray(), 0, 0
    while match := _OUTPUTS.search(data, end):
        at, depth = match.end(), 1
        while depth and (bracket := _TO_BRACKET.match(data, at)):
            at, brackets = bracket.end(), brackets + 1
            depth += 1 if bracket[1] == b"[" else -1
            if brackets > _MOST_BRACKETS:
                raise ValueError(f"{name} holds more than {_MOST_BRACKETS:,} lists in its outputs: clear them.")
        if depth:
            break  # it has no end, and is not JSON
        stripped += view[end : match.end()]
        end = at - 1
    return stripped + view[end:] if end else data


def _is_bounded(content: bytes | bytearray) -> bool:
    """Return whether parsed JSON text takes little more memory than its bytes, since its large parts are base64 pictures."""
    if len(content) <= _MOST_BYTES:
        return True
    pictures = sum(match.end() - match.start() for match in _PICTURE.finditer(content))
    places = sum(1 for _ in itertools.islice(_NOT_ASCII.finditer(content), _MOST_PLACES))
    return len(content) - pictures <= _MOST_BYTES and places < _MOST_PLACES


def _narrowed(content: bytes | bytearray) -> bytes | bytearray:
    """Escape non-ASCII characters in a large JSON text: one emoji makes Python use four bytes for each character of a string."""
    if len(content) <= _MOST_BYTES or content.isascii():
        return content
    return _NOT_ASCII.sub(lambda match: json.dumps(match[0].decode())[1:-1].encode(), content)


def _parts(data: bytes | bytearray) -> int:
    """Estimate the number of values in JSON text without parsing it: a few bytes of text become an object of a hundred."""
    if (quotes := data.count(b'"')) > 4 * _MOST_PARTS:
        return quotes // 4
    bare = _TEXT.sub(b"", data) if len(data) > _MOST_PARTS else b""
    return sum(bare.count(mark) for mark in (b",", b"[", b"{"))


def _of_today(notebook: dict[str, Any]) -> dict[str, Any]:
    """Convert a notebook of nbformat 3, whose cells are in worksheets. Raises ValueError if that fails."""
    import nbformat

    cells = sum(len(sheet["cells"]) for sheet in notebook["worksheets"])
    if cells > MOST_CELLS:
        raise ValueError(f"{cells:,} cells of nbformat 3, where {MOST_CELLS:,} are the most that are converted")
    for cell in (cell for sheet in notebook["worksheets"] for cell in sheet["cells"]):
        if cell.get("level", 1) not in _LEVELS:
            cell["level"] = max(_LEVELS)  # it becomes so many characters
    try:
        return nbformat.convert(nbformat.from_dict(notebook), 4)
    except Exception as error:  # a damaged old notebook can make nbformat raise anything
        raise ValueError(f"a notebook of format 3 that cannot be converted ({type(error).__name__})") from None


def source(cell: Cell) -> str:
    """Return a cell's text, which a file may store as a list of lines."""
    text = cell.get("source", "")
    return text if isinstance(text, str) else "".join(text)


def without_magics(text: str) -> str:
    """Return a cell's text with magics and shell commands blanked, so that the rest can be parsed."""
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source_lines(text))


def syntax_tree(text: str) -> ast.Module | None:
    """Return the syntax tree of a cell without its magics; None if it is not Python, or too deep to be parsed."""
    try:
        return ast.parse(without_magics(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def assignment_in(notebook: Mapping[str, Any]) -> str:
    """Return the assignment named in a notebook's metadata, or "". The metadata are untrusted and may have any type."""
    metadata = notebook.get("metadata")
    course = metadata.get("course") if isinstance(metadata, dict) else None
    name = course.get("assignment") if isinstance(course, dict) else None
    return name if isinstance(name, str) else ""


def grade_id(cell: Cell) -> str:
    """Return the nbgrader identifier of a cell, or the empty string."""
    return str(cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", ""))


def is_check(cell: Cell) -> bool:
    """Return whether the cell only checks an exercise."""
    marks = cell.get("metadata", {}).get("nbgrader", {})
    return bool(marks.get("grade")) and not marks.get("solution")


def checked_exercise(text: str) -> str | None:
    """Return the exercise that a cell checks, or None if the cell contains anything else."""
    match = _CHECK.fullmatch(text.strip()) if len(text) < _LONGEST_CHECK else None
    return match[2] if match else None


def defined(text: str) -> frozenset[str]:
    """Return the functions and classes defined at the top level of a text. It is searched, not parsed: it may be hostile."""
    return frozenset(_DEFINED.findall(text))


def fingerprint(text: str) -> str:
    """Return a short hash of a cell's text, to recognise an unchanged experiment."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def experiment_mark(cell: Cell) -> str | None:
    """Return the fingerprint of an experiment at release; None for any other cell."""
    course = cell.get("metadata", {}).get("course", {})
    mark = course.get("experiment") if isinstance(course, dict) else None
    return mark if isinstance(mark, str) else None


def dependencies(cells: Sequence[Cell]) -> list[bool]:
    """Return, for each cell, whether it must run before the exercises can be checked.

    Prose and checks are not needed. Nor are experiments, unless a needed cell uses a name from one: the build has verified that
    no exercise needs an experiment, and a slow experiment must not use up the time of the others. An experiment that contains an
    exercise is needed.
    """
    code = [cell.get("cell_type") == "code" for cell in cells]
    checked = {checked_exercise(source(cell)) for cell in cells if is_check(cell)}
    needed = [
        c and not is_check(cell) and (experiment_mark(cell) is None or bool(defined(source(cell)) & checked))
        for c, cell in zip(code, cells, strict=True)
    ]
    names_needed: set[str] = set()
    for number in range(len(cells) - 1, -1, -1):
        if not code[number] or is_check(cells[number]):
            continue
        bound, used = bound_names(source(cells[number]))
        needed[number] = needed[number] or bool(bound & names_needed)
        if needed[number]:
            names_needed = (names_needed - bound) | used
    return needed


#: Maximum of a scope's names times the scopes in it, since Python's symbol table searches all of them for each name. The longest
#: cell of the course has a few hundred.
_WIDEST = 500_000


def _is_too_wide(table: symtable.SymbolTable) -> bool:
    """Return whether listing the names of a scope, or of a scope inside it, would take too long."""
    scopes, wide = [table], 0
    while scopes and wide <= _WIDEST:
        scope = scopes.pop()
        inner = scope.get_children()
        wide += len(inner) * len(scope.get_identifiers())
        scopes += inner
    return wide > _WIDEST


def bound_names(text: str) -> tuple[set[str], set[str]]:
    """Return the global names that a cell binds, and those that it uses. Magics are ignored.

    Both are empty if the text is not Python, or has more functions than any honest cell.
    """
    try:
        table = symtable.symtable(without_magics(text), "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set(), set()
    if _is_too_wide(table):
        return set(), set()
    bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    inner = list(table.get_children())
    while inner:
        scope = inner.pop()
        inner += scope.get_children()
        used |= {symbol.get_name() for symbol in scope.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return bound, used - bound


def names_needed(text: str) -> set[str]:
    """Return the global names that a cell uses before it binds them; empty if it is not Python."""
    tree, needed, have = syntax_tree(text), set[str](), set[str]()
    for statement in tree.body if tree else ():
        bound, used = bound_names(ast.unparse(statement))
        if isinstance(statement, ast.AugAssign):
            used |= bound
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
            used |= bound_names(ast.unparse(statement.value))[1]  # it is evaluated before the name is bound
        needed |= used - have
        have |= bound
    return needed


def run(path: Path, replace: Mapping[str, str] | None = None) -> Run:
    """Run the needed code cells of a notebook from top to bottom, continue after errors, and return what they define.

    ``replace`` maps the grade_id of a cell to its new text. Raises ValueError if the file is not a notebook.
    """
    import matplotlib
    from IPython.utils.capture import capture_output

    matplotlib.use("Agg")  # not by the environment, which kernels started later would inherit
    shell = _shell()
    result = Run(shell.user_ns)
    cells = read(path)["cells"]
    for cell in cells:
        cell["source"] = (replace or {}).get(grade_id(cell), source(cell))
    for number, needed in enumerate(dependencies(cells)):
        if not needed:
            continue
        text = source(cells[number])
        with capture_output():
            outcome = shell.run_cell(text, store_history=False)
        error = outcome.error_before_exec or outcome.error_in_exec
        if error is not None:
            which = grade_id(cells[number]) or f"cell number {number + 1}"
            result.errors.append((which, f"{type(error).__name__}: {error}"))
    return result


def _shell() -> Any:
    """Return a fresh IPython shell without a history file or a GUI event loop, so that magics and display work."""
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    settings = Config()
    settings.HistoryManager.enabled = False
    settings.InteractiveShell.colors = "nocolor"
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance(config=settings)
    vars(shell)["enable_gui"] = lambda gui=None: None  # there is no GUI event loop to join
    return shell
