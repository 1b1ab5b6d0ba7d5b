"""Inside: block the forbidden functions of a lesson, in the process and in the sources that it can read, for its lifetime.

Code that kept another reference can undo a replacement in ``torch.nn.functional``. This module replaces the kernels in PyTorch's
dispatcher, where Python code, TorchScript and PyTorch's own layers all end up, and disables the handle that could remove the
replacement again. For a Python function, it replaces the code, which every reference to it shares.
"""

import ast
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

from autograder.runtime.blocked import calls
from autograder.sandbox.inside import c_library
from autograder.sandbox.inside.c_library import NotAvailableHere

_PYTORCH = f"{Path(torch.__file__).parent}{os.sep}"
#: Where the parent of all workers keeps the texts that replace others. Workers see them read-only.
_FOLDER = Path("/tmp/texts")

#: Parts of PyTorch with operators in Python, for tests, for distributed training and for its compiler: loaded before, or never
#: needed.
_ASIDE = (
    *(
        "testing/_internal",
        "distributed/tensor/parallel/loss.py",
        "distributed/tensor/experimental",
        "_refs",
        "_decomp",
    ),
    *("masked", "nested/_internal", "onnx", "_inductor", "_higher_order_ops/flex_attention.py", "_vendor/quack"),
)


@functools.cache
def hidden(forbid: tuple[str, ...], lesson: str, library: str) -> tuple[tuple[str, str], ...]:
    """Return the files and folders with content to hide, each with the file to show in its place, or "" for none.

    Hidden are the files of the course's own ``library`` that define a forbidden function, any module that defines one and is not
    loaded yet, some parts of PyTorch, and the package of the ``lesson``, if it is installed. Other files of PyTorch that define
    one are shown without it, because TorchScript compiles their text.
    """
    removed = dict.fromkeys([*_unloaded_of(forbid), *_parts_of_pytorch(forbid), *_package_of(lesson)], "")
    replacements = dict[str, str]()
    for module, names in _defining(forbid).items():
        file = getattr(module, "__file__", None) or ""  # a module that is compiled into PyTorch has none
        if file.startswith(library):
            removed |= dict.fromkeys(_texts(file, getattr(module, "__cached__", None)), "")
        elif file.startswith(_PYTORCH) and not any(file.startswith(f"{path}/") or file == path for path in removed):
            removed |= dict.fromkeys(_texts(getattr(module, "__cached__", None)), "")
            replacements[file] = _without(file, names)
    return (*removed.items(), *replacements.items())


def _defining(forbid: tuple[str, ...]) -> dict[ModuleType, set[str]]:
    """Return the loaded modules that define forbidden objects, with the names of these."""
    names_of: dict[ModuleType, set[str]] = {}
    for name in {*calls.objects_of(forbid), *calls.with_copies(forbid)}:
        obj = calls.resolve(name) or sys.modules.get(name)
        module = obj if isinstance(obj, ModuleType) else sys.modules.get(getattr(obj, "__module__", None) or "")
        if module is not None:
            top_level_name = getattr(obj, "__qualname__", "").partition(".")[0]
            names_of.setdefault(module, set()).update({top_level_name, name.rpartition(".")[2]})
    return names_of


def _unloaded_of(forbid: tuple[str, ...]) -> Iterator[str]:
    """Yield the files of unloaded modules that have a forbidden name or define a function of that name. None is imported."""
    for name in calls.with_copies(forbid):
        if calls.resolve(name) is None and name not in sys.modules:
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
    """Write the text of a module without the functions and classes of these names, and return the path."""
    lines = Path(file).read_text(encoding="utf8").splitlines(keepends=True)
    for node in ast.parse("".join(lines)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in names:
            first, last = min(part.lineno for part in (node, *node.decorator_list)), node.end_lineno or node.lineno
            lines[first - 1 : last] = ["\n"] * (last - first + 1)  # all others keep their places
    _FOLDER.mkdir(exist_ok=True)
    copy = _FOLDER / f"{len(os.listdir(_FOLDER))}.py"
    copy.write_text("".join(lines), encoding="utf8")
    return str(copy)


#: The dispatch keys of kernels that only pass a call on, or compute no numbers. All others are replaced: nested tensors, oneDNN's
#: tensors, vmap and others have their own kernels.
_PASS_ON = (
    "Undefined",
    "Autograd",
    "AutogradOther",
    "ADInplaceOrView",
    "Functionalize",
    "Meta",
    "Python",
    "PythonTLSSnapshot",
)
#: Functions that compile a graph, or run it with their own kernels below the dispatcher. No notebook needs them.
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
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "pty.spawn")


@functools.cache
def kernels(forbid: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Return the operators behind the functions in ``forbid``, each with the dispatch keys of its kernels."""
    names = torch._C._dispatch_get_all_op_names() if forbid else []
    behind = [name for name in names if calls.is_alias_of(name, forbid)]  # and their backward passes
    named = (*torch._C.DispatchKey.__members__, "MkldnnCPU")  # which has kernels and no member
    keys = [key for key in named if key not in _PASS_ON and not key.startswith("Autocast")]
    return [(name, [key for key in keys if _has_kernel(name, key)]) for name in behind]


def _has_kernel(name: str, key: str) -> bool:
    try:
        return torch._C._dispatch_has_kernel_for_dispatch_key(name, key)
    except RuntimeError:  # it only marks where keys of a kind begin or end
        return False


def raise_for_good(forbid: tuple[str, ...]) -> None:
    """Make every function named in ``forbid``, and every operator behind one, raise for good."""
    for name, obj in calls.objects_of(forbid).items():
        calls.replace_code(obj, name)
    libraries: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch warns once when a kernel is replaced
        for name, keys in kernels(forbid):
            namespace, _, operator = name.partition("::")
            if namespace not in libraries:
                libraries[namespace] = torch._C._dispatch_library("IMPL", namespace, "")
            for key in keys:
                libraries[namespace].impl(operator, key, _raiser(operator))
    for library in libraries.values():
        _keep_for_good(library)


def _keep_for_good(library: Any) -> None:
    """Make a handle forget its registrations. Otherwise they end with it, which restores the old kernels.

    Between an object's header and its last two words pybind11 keeps the pointer to the C++ object, and the flag that it owns it.
    """
    for place in range(object.__basicsize__, type(library).__basicsize__ - 16, 8):
        c_library.clear_word(id(library) + place)


def forget_graphs() -> None:
    """Remove the functions that run graphs below the dispatcher from all PyTorch modules. For the zygote, once."""
    # Other versions of PyTorch may lack some.
    graphs = {name: getattr(torch._C, name) for name in _GRAPHS if hasattr(torch._C, name)}
    for holder in gc.get_referrers(*graphs.values()):  # once for all: it looks at every object of the process
        if isinstance(holder, dict) and "_dispatch_library" in holder:
            holder.update({name: _not_here for name, original in graphs.items() if holder.get(name) is original})
    for name in [name for name in sys.modules if name.partition("._te")[0] == "torch._C" and "._te" in name]:
        vars(sys.modules[name]).clear()


def _not_here(*_: Any, **__: Any) -> Any:
    raise NotAvailableHere("PyTorch's own ways to run a graph are not available while a notebook is graded.")


def _raiser(name: str) -> Any:
    def blocked(*_: Any, **__: Any) -> Any:
        raise calls.failure(name.partition(".")[0])

    return blocked


def stay_in_python(writable: Sequence[str], ctypes_too: bool) -> None:
    """Refuse programs, and compiled modules in ``writable`` folders, with a sentence. The kernel refuses them too.

    With ``ctypes_too``, ctypes loads no library either, if it exists. An audit hook cannot be removed. The location of a file is
    judged by its device number, which does not depend on the spelling of its path.
    """
    stat, writable_devices = os.stat, frozenset(os.stat(folder).st_dev for folder in writable)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event in _PROGRAMS:
            raise NotAvailableHere("No other program can be started while a notebook is graded.")
        if event == "import" and isinstance(args[1], str) and stat(args[1]).st_dev in writable_devices:
            raise NotAvailableHere("Compiled modules that came with the notebook are not loaded while it is graded.")
        if ctypes_too and event in ("ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle"):
            raise NotAvailableHere("ctypes is not available while this lesson is graded.")

    sys.addaudithook(hook)
