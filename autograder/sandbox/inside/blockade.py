"""Inside: disable PyTorch's ready-made functions below the Python level, for the rest of this process's life.

Code that kept another reference can undo a replacement in ``torch.nn.functional``. This module replaces the kernels
in PyTorch's dispatcher, where Python code, TorchScript and PyTorch's own layers all end up, and deliberately discards the handle
that could remove the replacement.
"""

import ctypes
import sys
import warnings
from typing import Any

import torch

from autograder.judging import forbidden

_KEYS = ("CPU", "CUDA", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "AutogradCPU", "AutogradCUDA")


def raise_for_good(forbid: tuple[str, ...]) -> None:
    """Make every operator behind the functions named in ``forbid`` raise."""
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


def stay_in_python(home: str) -> None:
    """Block direct calls into libraries, below the dispatcher. An audit hook cannot be removed.

    ``home`` is the folder in which the student may write. Compiled modules load only from Python's own folders. Their
    paths are compared as text: a path that contains ``..`` or ``//`` is rejected.
    """
    folders = {sys.prefix, sys.base_prefix, *sys.path} - {"", home}
    own = tuple(f"{folder}/" for folder in folders if not f"{folder}/".startswith(f"{home}/"))

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in ("ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle"):
            raise PermissionError("ctypes is not available while this lesson is graded.")
        if event == "import" and isinstance(args[1], str) and not _below(args[1], own):
            raise PermissionError(
                "Compiled modules that came with the notebook are not loaded while this lesson is graded."
            )

    sys.addaudithook(hook)


def _below(path: str, folders: tuple[str, ...]) -> bool:
    """Return whether a path, as text and without parts such as ``..``, is below one of the folders."""
    return path.startswith(folders) and not any(part in path for part in ("//", "/../", "/./"))


def _raiser(name: str) -> Any:
    def blocked(*_: Any, **__: Any) -> Any:
        raise forbidden.failure(name.partition(".")[0])

    return blocked
