"""The functions and classes that packages define, found in their loaded modules."""

import functools
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

#: The packages in which PyTorch writes operators in Python, to compute them or to say in other operators what they compute. All
#: are loaded with PyTorch, or by the parent of all workers.
_COPIES = (
    "torch._refs.",
    "torch._decomp.",
    "torch._prims.",
    "torch._higher_order_ops.",
    "torch.masked.",
    "torch.nested._internal.",
    "torch.distributed.tensor.",
    "torch.onnx.",
    "torch._inductor.",
)


def import_package(name: str) -> None:
    """Import all modules of a package that has a folder of this name. No module of it is run to find that out."""
    root, *rest = name.split(".")
    spec = importlib.util.find_spec(root) if rest else None
    for place in (spec.submodule_search_locations or ()) if spec else ():
        if Path(place, *rest, "__init__.py").is_file():
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                importlib.import_module(module.name)


def defined_in(package: str) -> dict[str, Any]:
    """Return the functions and classes that the loaded modules of a package define."""
    return {
        f"{module}.{name}": thing
        for module, loaded in [*sys.modules.items()]
        if f"{module}.".startswith(f"{package}.")
        for name, thing in [*vars(loaded).items()]
        if isinstance(thing, type | FunctionType) and thing.__module__ == module
    }


@functools.cache
def written_in_python() -> dict[str, FunctionType]:
    """Return PyTorch's second copies of its operators, which are written in Python for its compiler, by name."""
    return {
        f"{module}.{name}": plain
        for module, loaded in [*sys.modules.items()]
        if f"{module}.".startswith(_COPIES)
        for name, thing in [*vars(loaded).items()]
        if "backward" not in name and callable(thing) and isinstance(plain := inspect.unwrap(thing), FunctionType)
    }
