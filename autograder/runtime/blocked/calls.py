"""Block functions that an exercise may not use: find them in its source, and make their calls raise.

A search of the source finds honest use at once and gives the line. Uses that the search misses (an alias, ``getattr``, a helper
in another cell) are blocked when they are called: PyTorch passes every call from Python to a ``TorchFunctionMode``, its profiler
lists every operator that ran below that level, and the code of a function written in Python is replaced.

Every reference to a Python function shares its code: the module that defines it, one that exports it again, a dictionary, a
subclass.
"""

import ast
import contextlib
import dataclasses
import functools
import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from torch.overrides import TorchFunctionMode

from autograder.runtime import measure
from autograder.runtime.blocked.source import bound, globals_in
from autograder.runtime.errors import CheckFailure

#: The packages in which PyTorch implements operators in Python, directly or in terms of other operators. All are loaded with
#: PyTorch, or by the parent of all workers.
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
    """Import all modules of a package that has a folder of this name. Its modules are found without running any of them."""
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
        f"{module}.{name}": member
        for module, loaded in [*sys.modules.items()]
        if f"{module}.".startswith(f"{package}.")
        for name, member in [*vars(loaded).items()]
        if isinstance(member, type | FunctionType) and member.__module__ == module
    }


@functools.cache
def written_in_python() -> dict[str, FunctionType]:
    """Return, by name, PyTorch's duplicates of its operators that are written in Python for its compiler."""
    return {
        f"{module}.{name}": plain
        for module, loaded in [*sys.modules.items()]
        if f"{module}.".startswith(_COPIES)
        for name, member in [*vars(loaded).items()]
        if callable(member) and isinstance(plain := inspect.unwrap(member), FunctionType)
    }


#: Substrings of the names of the PyTorch operators that implement a forbidden function under a name other than its own.
OPERATORS = {
    "torch.nn.functional.scaled_dot_product_attention": (
        "scaled_dot_product",
        "flash_attention",
        "efficient_attention",
        "cudnn_attention",
        "triton_scaled_dot",
        "math_attention",
        "sdpa_dense",
    ),
    "torch.nn.attention.flex_attention.flex_attention": ("flex_attention",),
    "torch.nn.MultiheadAttention": (
        "multi_head_attention",
        "transformer_encoder_layer_fwd",
        "transform_bias_rescale_qkv",
    ),
    "torch.nn.functional.layer_norm": ("layer_norm",),
    "torch.nn.functional.group_norm": ("group_norm",),
    "torch.nn.functional.batch_norm": ("batch_norm",),
    "torch.nn.functional.instance_norm": ("instance_norm",),
    "torch.nn.functional.rms_norm": ("rms_norm",),
    "torch.onnx.ops.rotary_embedding": ("rotary_embedding", "RotaryEmbedding"),
    "torch.nn.functional.softmax": ("softmax",),  # of the logarithm, of sparse and of masked tensors, and the safe one
    "torch.nn.functional.cross_entropy": ("cross_entropy_loss",),
}

#: The same in Python, elsewhere in PyTorch: functions, classes, or whole modules.
COPIES = {
    "torch.nn.functional.scaled_dot_product_attention": (
        "torch.onnx.ops._impl.attention_23",
        "torch._inductor.fx_passes.fuse_attention",
    ),
    "torch.nn.MultiheadAttention": (
        "torch.ao.nn.quantizable.modules.activation.MultiheadAttention",
        "torch.onnx.ops._impl.attention_23",
    ),
    "torch.nn.functional.softmax": (
        "torch.distributions.transforms.SoftmaxTransform",
        "torch.nn.modules.linear_cross_entropy",  # its gradients hold one
    ),
    "torch.onnx.ops.rotary_embedding": ("torch.onnx.ops._impl.rotary_embedding_23",),
    "torch.nn.functional.cross_entropy": (
        "torch.nn.functional.linear_cross_entropy",
        "torch.nn.modules.linear_cross_entropy",
    ),
}


def resolve(name: str) -> Any:
    """Return the object that a dotted name refers to, or None if its module has not been imported.

    Nothing is imported here: some PyTorch modules take a second to load, and a module that is not imported cannot be in use.
    """
    module, _, attribute = name.rpartition(".")
    return getattr(sys.modules.get(module), attribute, None)


def objects_of(forbid: tuple[str, ...]) -> dict[str, Any]:
    """Return the objects that the names refer to, by name. A package stands for everything that its modules define.

    The package is imported, so that none of its modules can be imported later without the replacements.
    """
    return _objects_of(forbid, _loaded(forbid, _modules()))


def _modules() -> tuple[int, str]:
    """Return a cache key that changes when a module is imported."""
    return len(sys.modules), next(reversed(sys.modules))


@functools.lru_cache(maxsize=1000)
def _loaded(forbid: tuple[str, ...], _: tuple[int, str]) -> frozenset[str]:
    """Return the loaded modules that can hold a forbidden object: only if there is a new one are the objects collected again."""
    names = with_copies(forbid)
    holders = {*names, *(name.rpartition(".")[0] for name in names)}
    below = tuple(f"{name}." for name in names)
    return frozenset(module for module in [*sys.modules] if module in holders or module.startswith(below))


@functools.lru_cache
def _objects_of(forbid: tuple[str, ...], _: frozenset[str]) -> dict[str, Any]:
    objects: dict[str, Any] = {}
    for name in with_copies(forbid):
        import_package(name)
        if name in sys.modules:  # even if its package exports a function of the same name
            objects |= defined_in(name)
        if (obj := resolve(name)) is not None and not isinstance(obj, ModuleType):
            objects[name] = obj
    return objects | {
        name: function for name, function in written_in_python().items() if is_alias_of(_as_operator(name), forbid)
    }


def with_copies(forbid: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names, and those of Python functions that compute the same as one of them."""
    return (*forbid, *(copy for name in forbid for copy in COPIES.get(name, ())))


def _as_operator(name: str) -> str:
    """Return the operator with the name of a Python function."""
    return f"torch::{name.rpartition('.')[2]}"


def mentions(source: str, namespace: Mapping[str, Any], forbid: tuple[str, ...]) -> CheckFailure | None:
    """Find uses of the forbidden functions in a student's source. Comments, strings and its own variables do not count."""
    objects = {id(obj): name for name, obj in objects_of(forbid).items()}
    # If a function imports a name itself, the name most likely refers to the same object as in the notebook.
    namespace = {name: namespace.get(name) for name in {*globals_in(source), *bound(textwrap.dedent(source))}}
    for node in ast.walk(ast.parse(textwrap.dedent(source))):
        if isinstance(node, ast.ImportFrom):
            for name in {f"{node.module}.{alias.name}" for alias in node.names} & set(forbid):
                return failure(name, node.lineno)
        if isinstance(node, ast.Name) and isinstance(namespace.get(node.id), Unloaded):
            return failure(namespace[node.id].name, node.lineno)
        if forbidden := objects.get(id(_meant(node, namespace))):
            return failure(forbidden, getattr(node, "lineno", None))
    return None


def first_violation(texts: Iterable[str], *looks: Callable[[str], CheckFailure | None]) -> CheckFailure | None:
    """Search an exercise's source and the sources that it uses. Only the former has line numbers, relative to its cell."""
    for place, text in enumerate(texts):
        if violation := next(filter(None, (look(text) for look in looks)), None):
            return (
                dataclasses.replace(violation, message=re.sub(r" \(line \d+ of your cell\)", "", violation.message))
                if place
                else violation
            )
    return None


def _meant(node: ast.AST, namespace: Mapping[str, Any]) -> Any:
    """Return the object that a name or an attribute refers to, or None."""
    if isinstance(node, ast.Name):
        return namespace.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = _meant(node.value, namespace)
        # Only modules are inspected: reading an attribute of another object could run the student's code.
        return getattr(owner, node.attr, None) if type(owner) is type(ast) else None
    return None


class _FunctionWatch(TorchFunctionMode):
    """Refuses the forbidden objects, and methods and private functions with the name of an operator behind one of them."""

    def __init__(self, names: Mapping[int, str], forbid: tuple[str, ...]):
        super().__init__()
        self.names, self.aliases = names, _aliases(forbid)

    def __torch_function__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        if id(func) in self.names:
            record_call(self.names[id(func)])
        if self.aliases[name := getattr(func, "__name__", "")]:
            record_call(name)
        return func(*args, **kwargs) if kwargs else func(*args)


class _Aliases(dict[str, bool]):
    """Caches, by the name of a PyTorch function, whether it implements one of the forbidden functions."""

    def __init__(self, forbid: tuple[str, ...]):
        super().__init__()
        self.forbid = forbid

    def __missing__(self, name: str) -> bool:
        is_alias = self[name] = is_alias_of(_as_operator(name), self.forbid)
        return is_alias


#: Cached by the forbidden names: a model makes thousands of calls, with a few hundred distinct names.
_aliases = functools.cache(_Aliases)


def is_alias_of(operator: str, forbid: tuple[str, ...]) -> bool:
    """Return whether a PyTorch operator, such as ``aten::avg_pool1d.out``, implements one of the functions in ``forbid``."""
    name = operator.rpartition("::")[2].partition(".")[0].removeprefix("_")
    names, pattern = _operators_of(forbid)
    return name in names or pattern.search(operator) is not None


@functools.cache
def _operators_of(forbid: tuple[str, ...]) -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the names of the forbidden PyTorch functions, and a pattern for their operators that have other names."""
    names = [name for name in forbid if name.startswith("torch.")]
    substrings = [re.escape(substring) for name in names for substring in OPERATORS.get(name, ())]
    return frozenset(name.rpartition(".")[2] for name in names), re.compile("|".join(substrings) or "(?!)")


def dispatch_guard(function: Callable[[], Any], forbid: tuple[str, ...]) -> Any:
    """Call the function, raise a failure if a forbidden operator ran, and return the function's result."""
    results = []
    for name in sorted(measure.operators(lambda: results.append(function()))):
        if is_alias_of(name, forbid):
            raise failure(name)
    return results[0]


def may_pass_to_watch(forbid: tuple[str, ...]) -> bool:
    """Return whether PyTorch can pass one of the forbidden functions to a :class:`TorchFunctionMode`.

    It passes its own functions and methods, and never a class or a function of the course, whose code is replaced instead.
    Classes are told by their names: a cell can assign another object to ``torch.softmax``.
    """
    torch_names = [name for name in forbid if name.startswith("torch.")]
    return any(name in OPERATORS or not name.rpartition(".")[2][:1].isupper() for name in torch_names)


@contextlib.contextmanager
def block_functions(forbid: tuple[str, ...], watch: bool = True) -> Iterator[None]:
    """Make the forbidden functions raise in the block. If the student's code suppresses the error, raise it at the end.

    Without ``watch``, only those written in Python: watching every call of PyTorch doubles the time of a constructor, and one
    that receives only sizes has nothing to compute.
    """
    if not forbid:
        yield
        return
    HITS.clear()
    names, replaced = _replaced(forbid, _loaded(forbid, _modules()))
    # In a worker they raise for good: nothing to do, and to replace the code of a function takes an audit hook's time.
    pending = [(function, code) for function, code in replaced if function.__code__ is not code]
    before = [(function, function.__code__) for function, _ in pending]
    try:
        for function, code in pending:
            function.__code__ = code
        with _FunctionWatch(names, forbid) if watch and may_pass_to_watch(forbid) else contextlib.nullcontext():
            yield
    finally:
        for function, code in before:
            function.__code__ = code
    if HITS:
        raise failure(HITS[0])


@functools.lru_cache
def _replaced(
    forbid: tuple[str, ...], loaded: frozenset[str]
) -> tuple[dict[int, str], list[tuple[FunctionType, CodeType]]]:
    """Return the names of the forbidden objects by their ids, and the replaced functions, each with the code that raises."""
    objects = _objects_of(forbid, loaded)
    pairs = [pair for name, obj in objects.items() for pair in raising(obj, name)]
    return {id(obj): name for name, obj in objects.items()}, pairs


#: The forbidden functions that were called. A student's code may suppress the error that a call raises.
HITS: list[str] = []


@dataclasses.dataclass(frozen=True)
class Unloaded:
    """Placeholder for a forbidden object that a notebook imports but this process has not loaded."""

    name: str


def is_within(name: str, forbid: tuple[str, ...]) -> bool:
    """Return whether a dotted name is one of those in ``forbid``, or below one."""
    return any(f"{name}.".startswith(f"{forbidden}.") for forbidden in forbid)


def failure(name: str, line: int | None = None) -> CheckFailure:
    """Return the failure for the use of a ready-made function, with its name and line."""
    where = f" (line {line} of your cell)" if line else ""
    return CheckFailure(
        "forbidden",
        f"{name} is not allowed in this exercise{where}.",
        cause="ready-made function",
        hint="This exercise is about what that function does inside. Write the steps yourself; you may compare with it in "
        "a cell of your own.",
    )


def record_call(name: str) -> None:
    """Record the call of a forbidden function, and raise the failure for it."""
    HITS.append(name)
    raise failure(name)


def replace_code(thing: Any, name: str) -> None:
    """Replace the code of a Python function by code that raises; of a class, that of methods its constructor does not need."""
    for function, code in raising(thing, name):
        function.__code__ = code


def raising(thing: Any, name: str) -> list[tuple[FunctionType, CodeType]]:
    """Return the functions changed by :func:`replace_code`, each with its new code."""
    return [(function, _raising(name, function.__code__.co_freevars)) for function in _functions_of(thing)]


def _functions_of(obj: Any) -> list[FunctionType]:
    if isinstance(obj, type):
        methods = {
            name: inspect.unwrap(plain) for name, value in vars(obj).items() if callable(plain := _behind(value))
        }
        init_code = getattr(methods.get("__init__"), "__code__", None)
        needed = set(init_code.co_names if init_code else ())
        chosen = [name for name in methods if name not in needed and (name == "__call__" or not name.startswith("__"))]
        return [methods[name] for name in chosen if isinstance(methods[name], FunctionType)]
    obj = getattr(obj, "_init_fn", obj)  # the function that torch.library.custom_op has made an operator
    obj = inspect.unwrap(obj) if callable(obj) else obj
    return [obj] if isinstance(obj, FunctionType) else []


def _behind(value: Any) -> Any:
    """Return the function wrapped by a property, a class method or a static method; anything else unchanged."""
    return getattr(value, "fget", None) or getattr(value, "__func__", value)


@functools.cache
def _raising(name: str, free: tuple[str, ...]) -> CodeType:
    """Return code that accepts any arguments and calls :func:`record_call`, with the free variables of the code it replaces."""
    outer = "".join(f"    {variable} = None\n" for variable in free)
    text = (
        f"def outer():\n{outer}"
        f"    def blocked(*args, **kwargs):\n"
        f"        from {__name__} import record_call\n"
        f"        record_call({name!r})\n"
        f"        return ({', '.join(free)})\n"
        f"    return blocked\n"
    )
    names: dict[str, Any] = {}
    exec(text, names)
    code: CodeType = names["outer"]().__code__
    return code
