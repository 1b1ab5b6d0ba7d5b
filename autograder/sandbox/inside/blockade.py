"""Inside: take PyTorch's ready-made attention away below the Python level, for the rest of this process's life.

Replacing a name in ``torch.nn.functional`` is undone by whoever keeps another reference. Here the kernels themselves are
replaced in PyTorch's dispatcher, where Python code, TorchScript and PyTorch's own layers all end up, and the handle with which
the replacement could be taken back is lost on purpose.
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
    parts = forbidden.operators(forbid)
    names = [
        name
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::") and "backward" not in name and any(part in name for part in parts)
    ]
    if not names:
        return
    library: Any = torch._C._dispatch_library("IMPL", "aten", "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch tells, once, that a kernel is replaced
        for name in names:
            for key in _KEYS:
                if torch._C._dispatch_has_kernel_for_dispatch_key(name, key):
                    library.impl(name.removeprefix("aten::"), key, _raiser(name.removeprefix("aten::")))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


def stay_in_python(home: str) -> None:
    """Keep the process from calling into libraries directly, below the dispatcher. Such a hook cannot be taken away again.

    ``home`` is the folder in which the student may write. Compiled modules are loaded from Python's own folders alone, whose
    paths are compared as text: a path with ``..`` or ``//`` in it is not one of them.
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
    """Whether a path as it stands, with nothing in it that leads elsewhere, is below one of the folders."""
    return path.startswith(folders) and not any(part in path for part in ("//", "/../", "/./"))


def _raiser(name: str) -> Any:
    def blocked(*_: Any, **__: Any) -> Any:
        raise forbidden.failure(name.partition(".")[0])

    return blocked
