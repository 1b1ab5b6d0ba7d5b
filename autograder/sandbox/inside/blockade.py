"""Inside: take away what a lesson forbids, for the rest of this process's life.

Code that kept another reference can undo a replacement in ``torch.nn.functional``. This module replaces the kernels
in PyTorch's dispatcher, where Python code, TorchScript and PyTorch's own layers all end up, and deliberately discards the handle
that could remove the replacement. Of a Python function it replaces the code, which every reference to it shares.
"""

import contextlib
import ctypes
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib import util
from types import ModuleType
from typing import Any

import torch

from autograder.judging import forbidden, ready_made

_KEYS = ("CPU", "CUDA", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "AutogradCPU", "AutogradCUDA")
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn")


class NotAvailableHere(PermissionError):
    """Something that works on a student's computer, and not while a notebook is graded."""


def hidden(forbid: tuple[str, ...], lesson: str, library: str) -> Iterator[str]:
    """Yield the files and folders that must look empty: what holds the text of a forbidden function.

    Those are the files of the course's own ``library`` that define one, and any module that defines one and is not loaded yet;
    and the package of the ``lesson``, if it is installed.
    """
    for name in {*forbidden.objects_of(forbid), *forbid}:
        module = _module_of(name)
        if isinstance(module, ModuleType):
            file = getattr(module, "__file__", None) or ""  # a module that is compiled into PyTorch has none
            yield from _texts(file, getattr(module, "__cached__", None)) if file.startswith(library) else ()
        elif module is not None:
            yield from _texts(str(module.origin), module.cached)
    package = lesson.partition(".")[0]
    spec = None if package in ("", "autograder") else util.find_spec(package)
    yield from (spec.submodule_search_locations or ()) if spec else ()


def _module_of(name: str) -> Any:
    """Return the module that defines a forbidden function; its specification if it is not loaded, None if it is not installed."""
    thing = forbidden.resolve(name)
    if thing is not None:
        return sys.modules.get(getattr(thing, "__module__", None) or "")
    home = name.rpartition(".")[0]
    with contextlib.suppress(ModuleNotFoundError):
        return None if {name, home} & sys.modules.keys() else util.find_spec(home)
    return None


def _texts(file: str, compiled: Any) -> Iterator[str]:
    yield from (path for path in (file, compiled) if path and os.path.exists(path))


def raise_for_good(forbid: tuple[str, ...]) -> None:
    """Make every function named in ``forbid``, and every operator behind one, raise."""
    for name, thing in forbidden.objects_of(forbid).items():
        ready_made.replace_code(thing, name)
    names = [
        name
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::") and "backward" not in name and forbidden.is_behind(name, forbid)
    ]
    if not names:
        return
    library: Any = torch._C._dispatch_library("IMPL", "aten", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns once when a kernel is replaced
        for name in names:
            for key in _KEYS:
                if torch._C._dispatch_has_kernel_for_dispatch_key(name, key):
                    library.impl(name.removeprefix("aten::"), key, _raiser(name.removeprefix("aten::")))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


def _raiser(name: str) -> Any:
    def blocked(*_: Any, **__: Any) -> Any:
        raise ready_made.failure(name.partition(".")[0])

    return blocked


def stay_in_python(writable: Sequence[str], ctypes_too: bool) -> None:
    """Refuse programs, and compiled modules from the folders that are ``writable``, with a sentence. The kernel refuses them too.

    With ``ctypes_too`` libraries cannot be called directly either, below the dispatcher. An audit hook cannot be removed.
    Where a file lies is decided by its device, which no spelling of its path can change.
    """
    stat, own = os.stat, frozenset(os.stat(folder).st_dev for folder in writable)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in _PROGRAMS:
            raise NotAvailableHere("No other program can be started while a notebook is graded.")
        if event == "import" and isinstance(args[1], str) and stat(args[1]).st_dev in own:
            raise NotAvailableHere("Compiled modules that came with the notebook are not loaded while it is graded.")
        if ctypes_too and event in ("ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle"):
            raise NotAvailableHere("ctypes is not available while this lesson is graded.")

    sys.addaudithook(hook)
