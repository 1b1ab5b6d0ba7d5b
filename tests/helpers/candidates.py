"""Everything ready-made that a student could import: of the course's own library, and of PyTorch."""

import functools
import importlib
import inspect
import pkgutil
from dataclasses import replace

import torch
import torch.nn.functional as F
from torch import nn

import course_lib
from course_lib.layers import TransformerConfig

#: Sizes with which a model's constructor is satisfied. What a method needs beside the request comes from such a model.
SMALL = TransformerConfig(vocab_size=31, model_width=12, num_heads=3, hidden_width=5, max_length=3, dropout=0.0)
SIZES = {"kind": "vision", "patch_size": 2, "classes": 3, "encoder_blocks": 1, "decoder_blocks": 1}

#: They draw with matplotlib and return figures, wait for the network, train a network, read a fixed set of data, or say whose
#: numbers this process grades with, which the tests after it would then do.
LEFT_OUT = (
    "course_lib.plots",
    "course_lib.variants",
    *(f"course_lib.data.{name}" for name in ("hub", "scene_net.train", "english.", "digits._load")),
)
HARMFUL = ("cudnn", "miopen", "mkldnn", "cuda", "fbgemm", "from_file", "share_memory", "record_stream", "register_hook")
HARMFUL += (
    "_weight_norm",
    "_convert_indices",
    "resize",
    "set",
    "storage",
    "data_ptr",
    "unsafe",
    "backward",
    "rnn",
    "sobol",
)
#: Operators that end the process where a second argument, such as an axis of -1, is no number of a dtype.
CRASHES = {"to", "to_dense", "view", "view_copy"}
SLOW = ("torch.nn.Transformer",)  # a second for a fresh one of the usual size; lesson 04 forbids it by name
SPACES = {"torch.special": torch.special, "torch.linalg": torch.linalg, "torch.nn": torch.nn}


@functools.cache
def quick():
    """Return what may change with every commit, by name: all of course_lib. And PyTorch's functions that one would reach for."""
    return _once(course() | {f"torch.nn.functional.{name}": getattr(F, name) for name in _public(F)})


@functools.cache
def wide():
    """Return that, and all of PyTorch: layers, methods, private functions and every operator of its library."""
    spaces = {f"{space}.{name}": getattr(s, name) for space, s in SPACES.items() for name in dir(s) if name[0] != "_"}
    names = {
        name.removeprefix("aten::").partition(".")[0]
        for name in torch._C._dispatch_get_all_op_names()
        if "aten::" in name
    }
    names = sorted(name for name in names - CRASHES if _harmless(name))
    packets = {f"torch.ops.aten.{name}": getattr(torch.ops.aten, name) for name in names}
    methods = {f"torch.Tensor.{name}": getattr(torch.Tensor, name) for name in _public(torch.Tensor)}
    below = {f"torch._C._nn.{name}": getattr(torch._C._nn, name) for name in dir(torch._C._nn) if name[:2] != "__"}
    own = {
        f"torch.{n}": getattr(torch, n) for n in dir(torch._C._VariableFunctions) if n[:2] != "__" and hasattr(torch, n)
    }
    own = {name: thing for name, thing in own.items() if _harmless(name)}
    return _once(quick() | spaces | own | methods | below | packets)


def _public(space):
    return [name for name in dir(space) if not name.startswith("_") and _harmless(name)]


def _harmless(name):
    """Leave out what changes PyTorch's state or the memory behind other tensors, and what needs a device of another kind."""
    return not any(part in name for part in HARMFUL)


def _once(found):
    """Return the callables among them, each under its first name."""
    kept = {}
    for name, thing in found.items():
        if callable(thing) and not inspect.ismodule(thing) and name not in SLOW:
            kept.setdefault(id(thing), (name, thing))
    return dict(kept.values())


@functools.cache
def course():
    """Return what every module of course_lib defines, and the methods of its classes, private ones included."""
    found = {}
    for info in pkgutil.walk_packages(course_lib.__path__, "course_lib."):
        module = importlib.import_module(info.name)
        own = {name: thing for name, thing in vars(module).items() if getattr(thing, "__module__", "") == info.name}
        for name, thing in own.items():
            found[f"{info.name}.{name}"] = thing
            if isinstance(thing, type):
                found |= {f"{info.name}.{name}.{method}": call for method, call in _methods(thing).items()}
            if isinstance(thing, type) and issubclass(thing, nn.Module):
                found[f"{info.name}.{name}'s buffers"] = functools.partial(_buffers, thing)
    return {name: thing for name, thing in found.items() if not name.startswith(LEFT_OUT)}


def _methods(cls):
    """Return the methods of a small object of the class; none if it cannot be made from a configuration or a few sizes."""
    tried = (made(cls, sizes) for sizes in ((SMALL,), (7, 6), (12, 3, 5)))
    thing = next((one for one in tried if one is not None), None)
    names = (
        [] if thing is None else [n for n in vars(cls) if not n.startswith("__") and inspect.isfunction(vars(cls)[n])]
    )
    return {name: getattr(thing, name) for name in names}


def _buffers(cls, length, width):
    """Return what a model of this length and width, one of the course's own, keeps beside its parameters after a call."""
    ids = torch.zeros(1, length, dtype=torch.int64)
    model = cls(replace(SMALL, model_width=width, num_heads=1, max_length=length))
    model(*(ids,) * (2 if cls.__name__ == "Transformer" else 1))
    return list(model.buffers())


def made(cls, args, kwargs=None):
    """Return an object of the class, or None if these are no arguments for it."""
    try:
        return cls(*args, **(kwargs or {}))
    except Exception:
        return None
