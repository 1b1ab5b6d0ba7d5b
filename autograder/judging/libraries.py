"""Libraries that an exercise may use: PyTorch and what the course itself is written with. Others hold ready-made answers.

A list of what is forbidden in scikit-learn or SciPy is never complete: they hold a softmax in some twenty places, most of them
private. So an exercise sees only what stands in :data:`ROOTS`, with all that these need, and what its lesson adds. Cells
outside an exercise may import anything that is installed.
"""

import ast
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping
from importlib import metadata, util
from pathlib import Path
from types import ModuleType
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.judging.failure import CheckFailure

#: Distributions that every exercise may use, if they are installed. Nothing in them is an answer but what PyTorch has, which each
#: lesson forbids by operator.
ROOTS = (
    *(
        "torch",
        "numpy",
        "matplotlib",
        "pillow",
        "einops",
        "opt-einsum",
        "jaxtyping",
        "beartype",
        "typeguard",
        "safetensors",
    ),
    *("tqdm", "pandas", "seaborn", "plotly", "tabulate", "regex", "more-itertools", "torchinfo"),
    *("ipython", "ipykernel", "ipywidgets", "anywidget", "joblib", "packaging", "pytest", "rich", "threadpoolctl"),
)

#: Modules that are never asked about.
_KNOWN = frozenset(sys.stdlib_module_names) | {*ROOTS, "__main__", "autograder", "course_lib", "IPython", "PIL"}

#: The folders in which Python keeps libraries.
_STORES = ("site-packages", "dist-packages")


@functools.cache
def allowed(more: tuple[str, ...] = ()) -> Mapping[str, metadata.Distribution]:
    """Return the distributions that an exercise may use, by canonical name: the ROOTS, ``more``, and what all these need."""
    waiting, missing = [str(canonicalize_name(name)) for name in (*ROOTS, *more)], set[str]()
    found: dict[str, metadata.Distribution] = {}
    while waiting:
        name = waiting.pop()
        if name in found or name in missing:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            missing.add(name)
            continue
        needs = map(Requirement, found[name].requires or ())
        waiting += [
            str(canonicalize_name(each.name))
            for each in needs
            if each.marker is None or each.marker.evaluate({"extra": ""})
        ]
    return found


def tops(distribution: metadata.Distribution) -> set[str]:
    """Return the names of the files and folders that a distribution has put beside other libraries."""
    found = {file.parts[0] for file in distribution.files or ()}
    if not found:  # a system's package manager keeps no list with the package
        modules = (distribution.read_text("top_level.txt") or distribution.name).split()
        found = {top for module in modules for top in (module, f"{module}.py")}
    return found - {"..", "__pycache__"}


@functools.cache
def _modules(libraries: tuple[str, ...]) -> frozenset[str]:
    """Return the modules and packages of the top level that an exercise may import."""
    return frozenset(top.partition(".")[0] for each in allowed(libraries).values() for top in tops(each))


@functools.cache
def is_withheld(module: str, libraries: tuple[str, ...] | None) -> bool:
    """Return whether an exercise that may use ``libraries``, or everything if that is None, cannot import this module.

    A module that lies elsewhere than Python's libraries is the student's own.
    """
    root = module.partition(".")[0]
    return libraries is not None and root not in _KNOWN and _is_library(root) and root not in _modules(libraries)


def _is_library(root: str) -> bool:
    try:
        found = util.find_spec(root)
    except (ImportError, ValueError):  # a module that is broken, or was made by hand
        return False
    places = [found.origin or "", *(found.submodule_search_locations or ())] if found else []
    return any(part in _STORES for place in places for part in Path(place).parts)


def imports(text: str) -> Iterator[tuple[str, int]]:
    """Yield the dotted name of everything that a source imports from elsewhere, with its line. Raises SyntaxError."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


def bound(text: str) -> dict[str, str]:
    """Return the names that the imports of a source bind, with the dotted names of what they mean."""
    found: dict[str, str] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return found


def home(thing: Any) -> str:
    """Return the dotted name of a module, or of a class or function or of an object's type; "" if that cannot be told."""
    if isinstance(thing, ModuleType):
        return thing.__name__
    if type(thing).__name__ == "ufunc":  # does not know its module
        return next(
            (f"{name}.{thing.__name__}" for name, module in [*sys.modules.items()] if _holds(module, thing)), ""
        )
    owner = thing if isinstance(thing, type) or inspect.isroutine(thing) else type(thing)
    module = getattr(owner, "__module__", None)
    return f"{module}.{owner.__name__}" if isinstance(module, str) else ""


def _holds(module: Any, thing: Any) -> bool:
    return isinstance(module, ModuleType) and vars(module).get(thing.__name__) is thing


def needed(name: str, libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]) -> str:
    """Return the library that what has this dotted name needs, if exercises may not use it; otherwise "".

    ``file`` reads a file beside the notebook: a module of the student's own needs what it imports.
    """
    root = name.partition(".")[0]
    if libraries is None or not root or root in _KNOWN:
        return ""
    if is_withheld(name, libraries):
        return name
    text = (file(f"{root}.py") or b"").decode(errors="replace")
    return next((inner for inner, _ in imports(text) if is_withheld(inner, libraries)), "")


def mention(
    source: str, meaning: Callable[[str], str], libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]
) -> CheckFailure | None:
    """Look for a library in a student's source that its exercise may not use. Comments and strings do not count.

    ``meaning`` returns the dotted name of what a global name of the notebook means, or "".
    """
    source = textwrap.dedent(source)
    named = [(node.lineno, meaning(node.id)) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)]
    for line, name in (*((line, name) for name, line in imports(source)), *named):
        if found := needed(name, libraries, file):
            return failure(found, line)
    return None


def failure(name: str, line: int) -> CheckFailure:
    """Return the failure that says which library was used, and where."""
    library = name.partition(".")[0]
    return CheckFailure(
        "forbidden",
        f"{name} is not allowed in this lesson (line {line} of your cell).",
        cause="another library",
        hint=f"Its exercises are graded where {library} cannot be imported, because such libraries hold ready-made answers. "
        "Write the steps with PyTorch; you may compare with it in a cell of your own.",
    )
