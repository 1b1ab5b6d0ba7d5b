"""Inside: texts that a worker must not read, because a text can be compiled once more."""

import ast
import functools
import os
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from autograder.runtime.blocked import forbidden

_PYTORCH = f"{Path(torch.__file__).parent}{os.sep}"
#: Where the parent of all workers keeps the texts that they see in the place of others. They see them read-only.
_FOLDER = Path("/tmp/texts")

#: Parts of PyTorch with operators in Python, for tests, for many machines and for its compiler: loaded before, or never needed.
_ASIDE = (
    *("testing/_internal", "distributed/tensor/parallel/loss.py", "_refs", "_decomp", "masked", "nested/_internal"),
    *("onnx", "_inductor", "_higher_order_ops/flex_attention.py"),
)


@functools.cache
def hidden(forbid: tuple[str, ...], lesson: str, library: str) -> tuple[tuple[str, str], ...]:
    """Return the files and folders whose content must not be seen, each with the file that is seen in its place, or "" for none.

    Gone are the files of the course's own ``library`` that define a forbidden function, any module that defines one and is not
    loaded yet, some parts of PyTorch, and the package of the ``lesson``, if it is installed. The other files of PyTorch that
    define one are seen without it: TorchScript compiles their text.
    """
    gone = dict.fromkeys([*_unloaded_of(forbid), *_parts_of_pytorch(forbid), *_package_of(lesson)], "")
    seen = dict[str, str]()
    for module, names in _defining(forbid).items():
        file = getattr(module, "__file__", None) or ""  # a module that is compiled into PyTorch has none
        if file.startswith(library):
            gone |= dict.fromkeys(_texts(file, getattr(module, "__cached__", None)), "")
        elif file.startswith(_PYTORCH) and not any(file.startswith(f"{part}/") or file == part for part in gone):
            gone |= dict.fromkeys(_texts(getattr(module, "__cached__", None)), "")
            seen[file] = _without(file, names)
    return (*gone.items(), *seen.items())


def _defining(forbid: tuple[str, ...]) -> dict[ModuleType, set[str]]:
    """Return the loaded modules that define something forbidden, with its names there."""
    found: dict[ModuleType, set[str]] = {}
    for name in {*forbidden.objects_of(forbid), *forbidden.with_copies(forbid)}:
        thing = forbidden.resolve(name) or sys.modules.get(name)
        module = thing if isinstance(thing, ModuleType) else sys.modules.get(getattr(thing, "__module__", None) or "")
        if module is not None:
            own = getattr(thing, "__qualname__", "").partition(".")[0]
            found.setdefault(module, set()).update({own, name.rpartition(".")[2]})
    return found


def _unloaded_of(forbid: tuple[str, ...]) -> Iterator[str]:
    """Yield the files of modules that are not loaded, and have a forbidden name or a function of that name. None is imported."""
    for name in forbidden.with_copies(forbid):
        if forbidden.resolve(name) is None and name not in sys.modules:
            root = util.find_spec(name.partition(".")[0])
            for place in (root.submodule_search_locations or ()) if root else ():
                for module in {name, name.rpartition(".")[0]} - sys.modules.keys():
                    file = str(Path(place, *module.split(".")[1:]).with_suffix(".py"))
                    yield from _texts(file, util.cache_from_source(file))


def _parts_of_pytorch(forbid: tuple[str, ...]) -> Iterator[str]:
    for part in _ASIDE if forbid else ():
        file = f"{_PYTORCH}{part}"
        yield from _texts(file, util.cache_from_source(file) if file.endswith(".py") else None)


def _package_of(lesson: str) -> Iterator[str]:
    package = lesson.partition(".")[0]
    spec = None if package in ("", "autograder") else util.find_spec(package)
    yield from (spec.submodule_search_locations or ()) if spec else ()


def _texts(*files: Any) -> Iterator[str]:
    yield from (path for path in files if path and os.path.exists(path))


def _without(file: str, names: set[str]) -> str:
    """Write the text of a module without the functions and classes of these names, and return where it lies."""
    lines = Path(file).read_text(encoding="utf8").splitlines(keepends=True)
    for node in ast.parse("".join(lines)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
            first, last = min(part.lineno for part in (node, *node.decorator_list)), node.end_lineno or node.lineno
            lines[first - 1 : last] = ["\n"] * (last - first + 1)  # all others keep their places
    _FOLDER.mkdir(exist_ok=True)
    copy = _FOLDER / f"{len(os.listdir(_FOLDER))}.py"
    copy.write_text("".join(lines), encoding="utf8")
    return str(copy)
