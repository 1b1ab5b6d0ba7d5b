"""Analyse a student's source: the packages and names that it uses, and the packages that the exercise may not use.

No list of forbidden functions in scikit-learn or SciPy is complete: they contain a softmax in some twenty places, most of them
private. So an exercise sees only the packages in :data:`ROOTS`, their dependencies, and those that its lesson adds. Cells outside
an exercise may import anything that is installed.
"""

import ast
import csv
import functools
import inspect
import re
import symtable
import sys
import textwrap
from collections.abc import Callable, Container, Iterator, Mapping
from importlib import metadata, util
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from autograder.runtime.errors import CheckFailure

#: Distributions that every exercise may use, if they are installed. Nothing in them is an answer but what PyTorch has, which each
#: lesson forbids by operator.
ROOTS = (
    *("torch", "numpy", "matplotlib", "pillow", "safetensors", "jaxtyping", "beartype", "typeguard"),
    *("einops", "opt-einsum", "tqdm", "pandas", "seaborn", "plotly", "tabulate", "regex", "more-itertools"),
    *("ipython", "ipykernel", "ipywidgets", "anywidget", "joblib", "packaging", "pytest", "rich", "threadpoolctl"),
)

#: Modules that need no search.
KNOWN = frozenset(sys.stdlib_module_names) | {*ROOTS, "__main__", "autograder", "course_lib", "IPython", "PIL"}

#: The folders in which Python keeps libraries.
STORES = ("site-packages", "dist-packages")


@functools.cache
def allowed(more: tuple[str, ...] = ()) -> Mapping[str, metadata.Distribution]:
    """Return the distributions that an exercise may use, by canonical name: the ROOTS, ``more``, and their dependencies."""
    waiting, missing = [str(canonicalize_name(name)) for name in (*ROOTS, *more)], set[str]()
    distributions: dict[str, metadata.Distribution] = {}
    while waiting:
        name = waiting.pop()
        if name in distributions or name in missing:
            continue
        try:
            distributions[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            missing.add(name)
            continue
        needs = map(Requirement, distributions[name].requires or ())
        waiting += [
            str(canonicalize_name(requirement.name))
            for requirement in needs
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]
    return distributions


def top_level_modules(distribution: metadata.Distribution) -> set[str]:
    """Return the names of the top-level files and folders that a distribution has installed."""
    record = distribution.read_text("RECORD")  # not ``files``: a Path for each of PyTorch's 13,000 takes half a second
    names = {row[0].partition("/")[0] for row in csv.reader(record.splitlines()) if row} if record else set[str]()
    names = names or {file.parts[0] for file in distribution.files or ()}
    if not names:  # a system's package manager keeps no list with the package
        modules = (distribution.read_text("top_level.txt") or distribution.name).split()
        names = {top for module in modules for top in (module, f"{module}.py")}
    return names - {"", "..", "__pycache__"}


@functools.cache
def _modules(libraries: tuple[str, ...]) -> frozenset[str]:
    """Return the top-level modules and packages that an exercise may import."""
    return frozenset(
        top.partition(".")[0] for distribution in allowed(libraries).values() for top in top_level_modules(distribution)
    )


@functools.lru_cache(maxsize=2**14)
def is_blocked(module: str, libraries: tuple[str, ...] | None) -> bool:
    """Return whether an exercise that may use ``libraries`` (None: all) cannot import this module.

    A module outside Python's library folders is the student's own.
    """
    root = module.partition(".")[0]
    return libraries is not None and root not in KNOWN and _is_library(root) and root not in _modules(libraries)


def _is_library(root: str) -> bool:
    try:
        spec = util.find_spec(root)
    except (ImportError, ValueError):  # a module that is broken, or was made by hand
        return False
    places = [spec.origin or "", *(spec.submodule_search_locations or ())] if spec else []
    return any(part in STORES for place in places for part in Path(place).parts)


#: Maximum of bytes searched in a module beside the notebook, and in all of them; and of characters in the sources of an exercise.
#: The search costs processor time that no limit of the sandbox counts. Code that is not searched is still blocked at run time.
LONGEST, LONGEST_TOGETHER, LONGEST_TEXT = 200_000, 400_000, 20_000
#: Maximum of cached search results: more than a submission may have files.
_MOST_KEPT = 256


def searchable(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the Python files beside a notebook: short ones with their content, long ones as if they were empty."""
    contents, room = dict[str, bytes](), LONGEST_TOGETHER
    for name, content in sorted(files.items(), key=lambda item: (len(item[1]), item[0])):
        if name.endswith(".py"):
            room -= len(content)
            contents[name] = content if room >= 0 else b""
    return contents


def imports(text: str, tried: bool = False) -> Iterator[tuple[str, int]]:
    """Yield (dotted name, line) for everything that a source imports absolutely. Raises SyntaxError.

    An import inside ``try`` is left out unless ``tried``: such code also works without the package.
    """
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((name, node.lineno) for _, name in _imported(node))
        elif tried or not isinstance(node, ast.Try):
            waiting += reversed([*ast.iter_child_nodes(node)])


def _imported(node: ast.Import | ast.ImportFrom) -> list[tuple[str, str]]:
    """Return (name, dotted name of the imported object) for each name that a statement binds; none for a relative import."""
    if isinstance(node, ast.Import):
        return [(alias.asname or alias.name.partition(".")[0], alias.name) for alias in node.names]
    return [] if node.level else [(alias.asname or alias.name, f"{node.module}.{alias.name}") for alias in node.names]


def bound(text: str) -> dict[str, str]:
    """Map the names bound by the imports of a source to the dotted names of the imported objects."""
    return _bound(ast.parse(text))


def _bound(tree: ast.AST) -> dict[str, str]:
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {name: meaning for node in nodes for name, meaning in _imported(node)}


def home(thing: Any) -> str:
    """Return the dotted name of a module or class, a function, or an object's type; "" if unknown."""
    if isinstance(thing, ModuleType):
        return thing.__name__
    if type(thing).__name__ == "ufunc":  # does not know its module
        return next(
            (f"{name}.{thing.__name__}" for name, module in [*sys.modules.items()] if _holds(module, thing)), ""
        )
    owner = thing if isinstance(thing, type) or inspect.isroutine(thing) else type(thing)
    module = getattr(owner, "__module__", None)
    return f"{module}.{owner.__name__}" if isinstance(module, str) else ""


def _holds(module: Any, ufunc: Any) -> bool:
    return isinstance(module, ModuleType) and vars(module).get(ufunc.__name__) is ufunc


def needed(name: str, libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]) -> str:
    """Return the blocked library that importing this dotted name imports immediately; otherwise "".

    ``file`` reads a file beside the notebook: the student's own module takes precedence over a library of the same name.
    """
    return _needed(
        name, libraries, file, lambda content: next((x for x in _at_once(content) if is_blocked(x, libraries)), "")
    )


def used(name: str, libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]) -> str:
    """Return the blocked library that the object of this dotted name uses, or "".

    For a function in a student's own module, only the libraries count that it uses, directly or through others; the other imports
    of the module do not.
    """
    members = name.split(".")[1:2]
    return _needed(
        name, libraries, file, lambda content: _users(content, libraries).get(members[0], "") if members else ""
    )


def _needed(
    name: str,
    libraries: tuple[str, ...] | None,
    file: Callable[[str], bytes | None],
    of_module: Callable[[bytes], str],
) -> str:
    root = name.partition(".")[0]
    if libraries is None or not root or root in KNOWN:
        return ""
    if (content := _own_module(root, file)) is None:
        return name if is_blocked(root, libraries) else ""
    return of_module(content)


def _own_module(root: str, file: Callable[[str], bytes | None]) -> bytes | None:
    """Return the text of a module or package beside the notebook, or None: Python prefers it to a library."""
    contents = (file(path) for path in (f"{root}/__init__.py", f"{root}.py"))
    return next((content for content in contents if content is not None), None)


@functools.lru_cache(maxsize=_MOST_KEPT)
def _at_once(content: bytes) -> tuple[str, ...]:
    """Return the dotted names that a module imports at its top level."""
    nodes = (node for node in _parsed(content).body if isinstance(node, ast.Import | ast.ImportFrom))
    return tuple(name for node in nodes for _, name in _imported(node))


def _parsed(content: bytes) -> ast.Module:
    """Return a module's syntax tree; an empty one if it is very long or cannot be parsed."""
    try:
        return ast.parse(content if len(content) <= LONGEST else b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


@functools.lru_cache(maxsize=_MOST_KEPT)
def _users(content: bytes, libraries: tuple[str, ...] | None) -> dict[str, str]:
    """Map each function and class of a module to the blocked library that it uses, directly or through others.

    All are computed at once, because a hostile source may ask for thousands.
    """
    tree = _parsed(content)
    imported = {name: meaning for name, meaning in _bound(tree).items() if is_blocked(meaning, libraries)}
    library_of, callers = dict[str, str](), dict[str, list[str]]()
    for definition in tree.body:
        if isinstance(definition, ast.FunctionDef | ast.ClassDef):
            text = ast.unparse(definition)
            read = globals_in(text)
            direct = [imported[name] for name in sorted(read) if name in imported]
            direct += [name for name, _ in imports(text) if is_blocked(name, libraries)]
            library_of.pop(definition.name, None)  # of two with the same name the later one counts
            library_of |= dict.fromkeys([definition.name], direct[0]) if direct else {}
            for name in read:
                callers.setdefault(name, []).append(definition.name)
    waiting = [*library_of]
    while waiting:
        used_by = waiting.pop()
        new = [caller for caller in callers.get(used_by, ()) if caller not in library_of]
        library_of |= dict.fromkeys(new, library_of[used_by])
        waiting += new
    return library_of


def mention(
    source: str, meaning: Callable[[str], str], libraries: tuple[str, ...] | None, file: Callable[[str], bytes | None]
) -> CheckFailure | None:
    """Find a library in a student's source that the exercise may not use. Comments and strings do not count.

    ``meaning`` returns the dotted name of the object that a global name of the notebook refers to, or "".
    """
    source = textwrap.dedent(source)
    read, tree = globals_in(source), ast.parse(source)
    attributes = {id(node.value): f".{node.attr}" for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in read]
    for name, line in imports(source):
        if library := needed(name, libraries, file):
            return failure(library, line)
    for node in names:
        dotted = meaning(node.id)
        is_own = _own_module(dotted.partition(".")[0], file) is not None
        if library := used(dotted + attributes.get(id(node), "") if is_own else dotted, libraries, file):
            return failure(library, node.lineno)
    return None


def failure(name: str, line: int | None = None) -> CheckFailure:
    """Return the failure for the use of a library, with its line in the student's cell if that is known."""
    where = f" (line {line} of your cell)" if line else ""
    library = name.partition(".")[0]
    plain = re.fullmatch(r"[A-Za-z0-9_.]{1,80}", name)  # the rest of the name may be anything that a student makes up
    return CheckFailure(
        "forbidden",
        f"{name if plain else library} is not allowed in this exercise{where}.",
        cause="another library",
        hint=f"It is graded where {library} cannot be imported, because such libraries hold ready-made answers. "
        "Write the steps with PyTorch; you may compare with it in a cell of your own.",
    )


def names_used(exercise: str, names: list[str], source: Callable[[str], str | None]) -> list[str]:
    """Return those of ``names`` that ``exercise`` mentions, directly or through other definitions of the notebook.

    A name with a leading dot, ``.softmax``, is an attribute, and ``-2`` is a number. ``source`` returns the text of a definition,
    "" for any other name, and None if the text cannot be found; then all names count as mentioned.
    """
    first = source(exercise)
    if not first or len(first) > LONGEST_TEXT:
        return names
    words, room = _names(first), LONGEST_TEXT - len(first)
    waiting = list(words - {exercise})
    while waiting:
        text = source(waiting.pop())
        if text is None or (room := room - len(text)) < 0:
            return names
        new_words = _names(text) - words
        words |= new_words
        waiting += new_words
    return [name for name in names if name in words]


def reachable_sources(exercise: str, source: Callable[[str], str | None], others: Container[str] = ()) -> Iterator[str]:
    """Yield the source of ``exercise`` and of everything it uses, directly or through others, except ``others``.

    A local variable is not taken for a global of the same name. At most LONGEST_TEXT characters are yielded in total.
    """
    waiting, reached, room = [exercise], {exercise}, LONGEST_TEXT
    while waiting:
        if text := source(waiting.pop()):
            if (room := room - len(text)) < 0:
                return
            yield text
            new_names = {name for name in globals_in(text) if name not in others} - reached
            reached |= new_names
            waiting += sorted(new_names)


def globals_in(text: str) -> set[str]:
    """Return the global names that a source reads, in any of its scopes; none if it cannot be parsed."""
    try:
        tables = [symtable.symtable(textwrap.dedent(text), "source", "exec")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        names |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced() and symbol.is_global()}
    return names


def variables_for_arguments(text: str, name: str) -> tuple[list[str], list[str]]:
    """Return the parameters that the function ``name`` (or ``forward`` of that class) never reads, and what it reads instead.

    The second list holds global names that are neither called nor followed by a dot, as functions and modules are.
    """
    try:
        tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], []
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in (name, "forward")]
    if not functions:
        return [], []
    function = functions[-1]
    read = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    arguments = [
        argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    ]
    handled = {
        id(node.func if isinstance(node, ast.Call) else node.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Call | ast.Attribute)
    }
    values = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and id(node) not in handled}
    unread = [argument for argument in arguments if argument not in read and argument != "self"]
    return unread, sorted(values & globals_in(text))


#: Methods that add to a list, a dictionary or a set.
_ADDING = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})


def stores_written(text: str, name: str) -> list[str]:
    """Return the places outside the call to which ``name`` writes: global names, its own attributes, and defaults."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    function = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name), None)
    if function is None:
        return []
    nodes = list(ast.walk(function))
    declared = {global_name for node in nodes if isinstance(node, ast.Global) for global_name in node.names}
    outside = globals_in(text) | {name} | set(_mutable_defaults(function.args))
    # seen.add(x) is a statement of its own; torch.add(x, y) is none, because its value is used.
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    written = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)} & declared
    for node in nodes:
        changed: ast.expr | None = None
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            changed = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING:
            changed = node.func.value if id(node) in statements or node.func.attr == "setdefault" else None
        while isinstance(changed, ast.Attribute | ast.Subscript):
            changed = changed.value
        if isinstance(changed, ast.Name) and changed.id in outside:
            written.add(changed.id)
    return sorted(written)


def _mutable_defaults(arguments: ast.arguments) -> Iterator[str]:
    """Yield the parameters whose default is a list, a dictionary, a set or the result of a call."""
    names = [*arguments.posonlyargs, *arguments.args]
    pairs = [*zip(reversed(names), reversed(arguments.defaults), strict=False)]
    for parameter, default in [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]:
        if isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call):
            yield parameter.arg


def source_in(namespace: Mapping[str, Any], name: str) -> str | None:
    """Return the source of a function or class that a notebook defines, "" for any other name, and None if it cannot be found."""
    obj = namespace.get(name)
    if getattr(obj, "__module__", None) != namespace.get("__name__", "builtins"):
        return ""  # imported: it does not know the notebook's names
    if inspect.isclass(obj):
        return _source_of_class(obj, namespace)
    return source_of(obj) if inspect.isroutine(obj) else ""


def _source_of_class(cls: type, namespace: Mapping[str, Any]) -> str | None:
    """Join the sources of a class's methods and the names of its bases and parts: Python finds no text of a notebook's class."""
    values = [member.fget if isinstance(member, property) else member for member in vars(cls).values()]
    ids = {id(member) for member in (*cls.__bases__, *values) if inspect.isclass(member) or inspect.isroutine(member)}
    named = [name for name, value in namespace.items() if id(value) in ids]
    sources = [source_of(member) for member in values if inspect.isroutine(member)]
    # Python itself generates some methods, such as those of a dataclass.
    written = [textwrap.dedent(text) for text in sources if text]
    return "\n".join(["pass", *named, *written]) if written or not sources else None


def source_of(routine: Any) -> str | None:
    """Return the source of a function, or None if it cannot be found.

    For a function of a notebook, Python would search a module of the same name, if there is one, and find another text.
    """
    code = getattr(inspect.unwrap(routine), "__code__", None)
    return _source(code, code.co_filename) if isinstance(code, CodeType) else _source_of(routine, "")


@functools.lru_cache(maxsize=2**10)
def _source(code: CodeType, _: str) -> str | None:
    """Cache the sources, for each of which Python reads a file or cell. The file name is in the key: equal code is equal."""
    return _source_of(code, code.co_name)


def _source_of(obj: Any, name: str) -> str | None:
    try:
        text = inspect.getsource(obj)
    except (OSError, TypeError):
        return None
    return text if re.search(r"\blambda\b" if name == "<lambda>" else rf"\bdef\s+{re.escape(name)}\b", text) else None


def _names(text: str) -> set[str]:
    """Return the plain names that a source uses: ``softmax``, or ``.softmax`` of ``torch.softmax``; and its numbers."""
    try:
        return {name for node in ast.walk(ast.parse(textwrap.dedent(text))) if (name := _name(node))}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        words = set(re.findall(r"-?\w+", text))
        return words | {f".{word}" for word in words}


def _name(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f".{node.attr}"
    signed = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
    number = signed or (isinstance(node, ast.Constant) and type(node.value) in (int, float))
    return ast.unparse(node) if number else ""
