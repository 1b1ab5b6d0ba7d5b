"""Inside: take away what a lesson forbids, for the rest of this process's life.

Code that kept another reference can undo a replacement in ``torch.nn.functional``. This module replaces the kernels
in PyTorch's dispatcher, where Python code, TorchScript and PyTorch's own layers all end up, and deliberately discards the handle
that could remove the replacement. Of a Python function it replaces the code, which every reference to it shares.
"""

import ctypes
import functools
import gc
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from autograder.judging import forbidden, ready_made

#: Where the dispatcher keeps kernels that compute: those for nested tensors, for oneDNN's and for others are their own. The
#: other keys pass a call on.
KEYS = (
    *("CPU", "CUDA", "MkldnnCPU", "QuantizedCPU", "QuantizedCUDA", "SparseCPU", "SparseCUDA", "SparseCsrCPU"),
    *("SparseCsrCUDA", "NestedTensorCPU", "NestedTensorCUDA", "AutogradCPU", "AutogradCUDA", "AutogradNestedTensor"),
    *("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"),
    "CompositeImplicitAutogradNestedTensor",
)
#: What compiles a graph or runs it with kernels of its own, below the dispatcher. No notebook needs it.
_GRAPHS = (
    "parse_ir",
    "StaticModule",
    "_jit_to_static_module",
    "_fuse_to_static_module",
    "_jit_pass_decompose_ops",
    "_jit_pass_run_decompositions",
    "_jit_pass_fuse_tensorexprs",
    "_jit_set_llga_enabled",
    "_jit_set_texpr_fuser_enabled",
    "_jit_set_te_must_use_llvm_cpu",
    "_jit_override_can_fuse_on_cpu",
)
_PYTORCH = f"{Path(torch.__file__).parent}{os.sep}"
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn")


#: Parts of PyTorch with operators in Python, for tests, for many machines and for its compiler: loaded before, or never needed.
_ASIDE = (
    *("testing/_internal", "distributed/tensor/parallel/loss.py", "_refs", "_decomp", "masked", "nested/_internal"),
    *("onnx/ops", "_inductor/fx_passes", "_inductor/kernel", "_inductor/runtime/triton_helpers.py"),
    "_higher_order_ops/flex_attention.py",
)


class NotAvailableHere(PermissionError):
    """Something that works on a student's computer, and not while a notebook is graded."""


@functools.cache
def hidden(forbid: tuple[str, ...], lesson: str, library: str) -> tuple[str, ...]:
    """Return the files and folders that must look empty: what holds the text of a forbidden function.

    Those are the files of PyTorch and of the course's own ``library`` that define one, because a text can be compiled once more,
    and any module that defines one and is not loaded yet; and the package of the ``lesson``, if it is installed.
    """
    return tuple(dict.fromkeys(_hidden(forbid, lesson, library)))  # each is a mount


def _hidden(forbid: tuple[str, ...], lesson: str, library: str) -> Iterator[str]:
    for name in {*forbidden.objects_of(forbid), *forbidden.with_copies(forbid)}:
        module = _module_of(name)
        if module is None:
            yield from _unloaded(name)
            continue
        file = getattr(module, "__file__", None) or ""  # a module that is compiled into PyTorch has none
        yield from _texts(file, getattr(module, "__cached__", None)) if file.startswith((library, _PYTORCH)) else ()
    for part in _ASIDE if forbid else ():
        file = f"{_PYTORCH}{part}"
        yield from _texts(file, util.cache_from_source(file) if file.endswith(".py") else None)
    package = lesson.partition(".")[0]
    spec = None if package in ("", "autograder") else util.find_spec(package)
    yield from (spec.submodule_search_locations or ()) if spec else ()


def _module_of(name: str) -> ModuleType | None:
    """Return the module that defines what a name means, or that it names; None if that is not loaded."""
    thing = forbidden.resolve(name)
    if thing is None or isinstance(thing, ModuleType):
        return thing or sys.modules.get(name) or sys.modules.get(name.rpartition(".")[0])
    return sys.modules.get(getattr(thing, "__module__", None) or "")


def _unloaded(name: str) -> Iterator[str]:
    """Yield the files of a module with this name, or with a function of this name. No package is imported to find them."""
    root = util.find_spec(name.partition(".")[0])
    for place in (root.submodule_search_locations or ()) if root else ():
        for module in (name, name.rpartition(".")[0]):
            file = str(Path(place, *module.split(".")[1:]).with_suffix(".py"))
            yield from _texts(file, util.cache_from_source(file))


def _texts(file: str, compiled: Any) -> Iterator[str]:
    yield from (path for path in (file, compiled) if path and os.path.exists(path))


@functools.cache
def kernels(forbid: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Return the operators behind the functions in ``forbid``, each with the keys under which the dispatcher has its kernels."""
    names = torch._C._dispatch_get_all_op_names() if forbid else []
    behind = [name for name in names if "backward" not in name and forbidden.is_behind(name, forbid)]
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    return [(name, [key for key in KEYS if has(name, key)]) for name in behind]


def raise_for_good(forbid: tuple[str, ...]) -> None:
    """Make every function named in ``forbid``, and every operator behind one, raise."""
    for name, thing in forbidden.objects_of(forbid).items():
        ready_made.replace_code(thing, name)
    libraries: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns once when a kernel is replaced
        for name, keys in kernels(forbid):
            space, _, own = name.partition("::")
            if space not in libraries:
                libraries[space] = torch._C._dispatch_library("IMPL", space, "")
            for key in keys:
                libraries[space].impl(own, key, _raiser(own))
    for library in libraries.values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))


def forget_graphs() -> None:
    """Take away what runs graphs below the dispatcher, wherever PyTorch's modules keep it. For the zygote, once."""
    for name in _GRAPHS:
        thing = getattr(torch._C, name, None)  # another version of PyTorch may lack some
        for holder in gc.get_referrers(thing) if thing is not None else ():
            if isinstance(holder, dict) and holder.get(name) is thing and "_dispatch_library" in holder:
                holder[name] = _not_here
    for name in [name for name in sys.modules if name.partition("._te")[0] == "torch._C" and "._te" in name]:
        vars(sys.modules[name]).clear()


def _not_here(*_: Any, **__: Any) -> Any:
    raise NotAvailableHere("PyTorch's own ways to run a graph are not available while a notebook is graded.")


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
