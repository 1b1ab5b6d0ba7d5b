"""The references of a lesson: right versions of its exercises, which a student's later exercises may also call."""

import ast
import functools
import importlib
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from autograder.content import packed
from autograder.content.lesson import Lesson
from autograder.runtime.student import Constructed


def namespace(lesson: Lesson) -> dict[str, Any]:
    """Return the namespace in which known answers run: the usual imports, and all names of the lesson's references."""
    import torch
    import torch.nn.functional as F
    from torch import nn

    imports = {"math": math, "torch": torch, "nn": nn, "F": F, "__name__": "known_answer"}
    definitions = {
        name: definition for name, definition in vars(lesson.module("references")).items() if not name.startswith("_")
    }
    return definitions | imports


def reference_for(lesson: Lesson, name: str) -> Any:
    """Return the right version of an exercise."""
    return getattr(lesson.module("references"), name)


def answer_for(lesson: Lesson, name: str, args: Iterable[Any], kwargs: Mapping[str, Any]) -> Any:
    """Call the right version of an exercise; build :class:`Constructed` arguments from right versions. Return the result."""

    def build(value: Any) -> Any:
        return reference_for(lesson, value.name)(**value.kwargs) if isinstance(value, Constructed) else value

    return reference_for(lesson, name)(*map(build, args), **{key: build(value) for key, value in kwargs.items()})


def source_of(lesson: Lesson, names: Iterable[str]) -> str:
    """Return Python source that defines these names and all their dependencies, and nothing else of the lesson.

    Raises ValueError if it would need two definitions of one name.
    """
    home = lesson.module("references").__name__
    chosen: dict[str, str] = {}  # name -> its module, in dependency order
    waiting = [(home, name) for name in names]
    while waiting:
        definition = _find(*waiting.pop(), lesson.lessons.package)
        if definition is None or chosen.get(definition[1]) == definition[0]:
            continue
        module, name = definition
        if name in chosen:
            raise ValueError(f"{name} is defined in {chosen[name]} and in {module}; {home} cannot be made of both.")
        chosen[name] = module
        waiting += [(module, word) for word in _names_in(_parts(module)[name])]
    return _HEAD + "\n\n".join(_in_order(chosen))


_HEAD = """\
from __future__ import annotations
import math
import torch
import torch.nn.functional as F
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from torch import Tensor, nn
from course_lib import variants

"""


def _in_order(chosen: dict[str, str]) -> list[str]:
    """Return the sources in dependency order between modules, and in file order within a module."""
    modules: list[str] = []

    def add(module: str) -> None:
        if module not in modules:
            for imported in dict.fromkeys(_imported(module).values()):
                add(imported)
            modules.append(module)

    for module in dict.fromkeys(chosen.values()):
        add(module)
    return [text for module in modules for name, text in _parts(module).items() if chosen.get(name) == module]


def _find(module: str, name: str, package: str) -> tuple[str, str] | None:
    """Return the module that defines ``name`` as used in ``module``, following imports within the lessons."""
    while name not in _parts(module):
        imported = _imported(module).get(name, "")
        if not imported.startswith(f"{package}."):
            return None
        module = imported
    return module, name


def _imported(module: str) -> dict[str, str]:
    """Map each name that a module imports from references to its module: ``references`` or ``reference_...``."""
    return _imported_in(_file(module))


def _parts(module: str) -> dict[str, str]:
    """Map the name of each top-level definition of a module to its source, in order."""
    return _parts_of(_file(module))


def _file(module: str) -> str:
    """Return the file of a module, as a cache key for its parts: modules of two courses may share a name."""
    return str(importlib.import_module(module).__file__)


@functools.cache
def _tree(file: str) -> tuple[str, ast.Module]:
    text = packed.read_text(Path(file), Path(file).parent)
    if text is None:
        raise FileNotFoundError(file)
    return text, ast.parse(text)


@functools.cache
def _imported_in(file: str) -> dict[str, str]:
    nodes = [node for node in _tree(file)[1].body if isinstance(node, ast.ImportFrom)]
    from_references = [
        node for node in nodes if (node.module or "").rpartition(".")[2].startswith(("references", "reference_"))
    ]
    return {alias.name: str(node.module) for node in from_references for alias in node.names}


@functools.cache
def _parts_of(file: str) -> dict[str, str]:
    text, tree = _tree(file)
    sources: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            sources[node.name] = "".join(text.splitlines(keepends=True)[first - 1 : node.end_lineno])
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            sources[node.targets[0].id] = ast.unparse(node) + "\n"
    return sources


def _names_in(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
