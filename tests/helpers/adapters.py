"""The ways in which something ready-made is used as the answer to an exercise.

A way changes the tensors, chooses the arguments, calls, and changes the result. It knows the exercise only by what a call holds:
the arguments, the keywords, the constructor's arguments and the module's own parameters in order.
"""

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

import torch
from candidates import SIZES, SMALL, made
from torch import Tensor, nn


@dataclass(frozen=True)
class Call:
    """What one call of the exercise holds: ``own`` are a module's parameters, ``names`` theirs, ``build`` what constructed it.

    ``defaults``: the options of the exercise's function that the call leaves out.
    """

    args: tuple
    kwargs: dict
    build: tuple = ()
    own: tuple = ()
    names: tuple = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def tensors(self):
        return tuple(arg for arg in self.args if isinstance(arg, Tensor))

    @property
    def rest(self):
        return tuple(arg for arg in self.args if not isinstance(arg, Tensor))


def left_out(function, args, kwargs):
    """Return the options of a function that a call leaves out, with their defaults."""
    options = list(inspect.signature(function).parameters.values())[len(args) :]
    return {one.name: one.default for one in options if one.default is not one.empty and one.name not in kwargs}


def _each(change):
    """Return a function that changes every tensor of a call with more than one axis."""
    return lambda call: replace(
        call, args=tuple(change(a) if isinstance(a, Tensor) and a.dim() > 1 else a for a in call.args)
    )


def _rows(X):
    return X.reshape(-1, X.shape[-1])


#: What is done to the tensors first.
BEFORE = {
    "": lambda call: call,
    "transposed": _each(lambda X: X.mT),
    "rows": lambda call: _each(_rows)(call) if call.own else call,
    "columns": lambda call: _each(lambda X: _rows(X).T)(call) if call.own else call,
    "one batch of rows": lambda call: _each(lambda X: _rows(X)[None])(call) if call.own else call,
    "projected": lambda call: replace(
        call, args=tuple(call.args[0] @ W.mT for W in call.own[:3]) + call.args[1:], own=()
    ),
}


def _first(call):
    return call.args[0]


def _width(call):
    return (call.args[0].shape[-1],)


def _square(table):
    """Return a table of rows as a square picture, its first row left out."""
    return table[1:].T.unflatten(1, (math.isqrt(len(table) - 1), -1))[None]


#: With which arguments a function is called.
PATTERNS = {
    "as asked": lambda c: (c.args, c.kwargs),
    "without keywords": lambda c: (c.args, {}) if c.kwargs else None,
    "defaults by name": lambda c: (c.args, {**c.defaults, **c.kwargs}) if c.defaults else None,
    "first": lambda c: ((_first(c),), {}) if len(c.args) > 1 else None,
    "dim=-1": lambda c: ((_first(c),), {"dim": -1}),
    "last axis": lambda c: ((*c.tensors, -1), {}),
    "one": lambda c: ((_first(c), 1), {}),
    "other way round": lambda c: (c.args[::-1], {}) if len(c.args) > 1 else None,
    "three times": lambda c: ((_first(c),) * 3, {}) if _first(c).is_floating_point() else None,
    "keywords of attention": lambda c: (
        c.args[:3],
        {"attn_mask": c.args[3] if len(c.args) > 3 else c.kwargs["allowed"]},
    ),
    "causal": lambda c: (c.args[:3], {"is_causal": True}) if len(c.args) == 3 else None,
    "width and parameters": lambda c: ((_first(c), _width(c), *c.own), {}) if c.own else None,
    "one group and parameters": lambda c: ((_first(c), 1, *c.own), {}) if c.own else None,
    "statistics of the batch": lambda c: ((_first(c), None, None, None, None, True), {}) if c.own else None,
    "statistics of the batch, operator": lambda c: (
        ((_first(c), None, None, None, None, True, 0.0, 1e-5), {}) if c.own else None
    ),
    "operator of one group": lambda c: (
        ((_first(c), *c.own, *_first(c).shape, 1, 1e-5), {}) if _first(c).dim() == 3 else None
    ),
    "width, parameters, epsilon": lambda c: ((_first(c), _width(c), *c.own, 1e-5), {}) if c.own else None,
    "width": lambda c: ((_first(c), _width(c)), {}) if c.own else None,
    "parameters": lambda c: ((_first(c), *c.own), {}) if c.own else None,
    "one parameter first": lambda c: ((_first(c), c.own[0]), {}) if c.own else None,
    "stride": lambda c: ((_first(c), c.rest[0]), {"stride": c.rest[0]}),
    "size and stride": lambda c: (
        ((_first(c).mT, c.rest[1:], c.rest[0]), {"stride": c.rest[0]}) if len(c.rest) == 3 else None
    ),
    "classes": lambda c: ((_rows(_first(c)), c.args[1].flatten()), {}),
    "size": lambda c: ((_square(_first(c)), c.rest[0]), {"mode": "bicubic"}),
    "size only": lambda c: ((c.rest[0],), {}) if c.rest else None,
}

#: With which of them a function of the course's own library is called, in the usual test: it is written for such arguments.
PLAIN = ("as asked", "without keywords", "defaults by name", "first", "three times", "size only")
PLAIN += ("parameters", "one parameter first")

#: With which arguments a class is constructed, and what its object is then called with.
CONSTRUCTIONS = {
    "as asked": lambda c: (c.build, {}, c.args, c.kwargs),
    "batch first": lambda c: (c.build[:4], {"batch_first": True, **_options(*c.build[4:])}, (_first(c),), {}),
    "width": lambda c: (_width(c), {}, (_first(c),), {}),
    "one group": lambda c: ((1, *_width(c)), {}, (_first(c),), {}),
    "three times": lambda c: (c.build[:2], {"batch_first": True, "bias": len(c.own) > 3}, (_first(c),) * 3, {}),
    "constants": lambda c: (c.rest, {}, c.tensors, {}),
    "keywords": lambda c: ((), c.kwargs, c.tensors, {}),
    "last axis": lambda c: ((-1,), {}, c.tensors, {}),
    "stride": lambda c: (c.rest[:1], {"stride": c.rest[0]}, c.tensors, {}),
    "size and stride": lambda c: ((c.rest[1:], c.rest[0]), {"stride": c.rest[0]}, (_first(c).mT,), {}),
    "configuration": lambda c: ((configuration(c),), {}, c.args, c.kwargs),
    "configuration, padding": lambda c: (
        (configuration(c),),
        {},
        (*(*c.args, None)[:2], (c.args[0] != 0).sum(-1)),
        c.kwargs,
    ),
    "configuration without blocks": lambda c: ((replace(configuration(c), encoder_blocks=0),), {}, c.args, c.kwargs),
}


def _options(norm="post", activation="relu"):
    return {"norm_first": norm == "pre", "activation": activation}


def configuration(call):
    """Return a TransformerConfig with the sizes that the exercise is constructed with."""
    asked = call.build[0]
    return replace(SMALL, **(SIZES | (_bert(*call.build) if isinstance(asked, int) else _named(asked))))


def _named(asked):
    """Return the sizes in another configuration: of the same name, or those of a Vision Transformer."""
    found = {field.name: getattr(asked, field.name) for field in fields(SMALL) if hasattr(asked, field.name)}
    if hasattr(asked, "height"):
        places = (asked.height // asked.patch_size) * (asked.width // asked.patch_size)
        found |= {"encoder_blocks": asked.num_blocks, "max_length": places + 1, "activation": "gelu"}
    return found


def _bert(vocab_size, model_width, *more):
    """Return the sizes among BERT's arguments: the vocabulary, the width, the heads, the blocks, the length, the dropout."""
    blocks = {"num_heads": more[0], "encoder_blocks": more[1]} if len(more) > 3 else {"num_heads": 1}
    sizes = {
        "kind": "encoder",
        "vocab_size": vocab_size,
        "model_width": model_width,
        "max_length": more[-2],
        "segments": 2,
    }
    return sizes | blocks | {"hidden_width": 4 * model_width, "activation": "gelu", "dropout": 0.0}


def _affine(value, want, call):
    gamma, beta = call.own
    return value * gamma + beta


#: What is done to the result: with the value, the tensor that is wanted, and the call.
AFTER = {
    "": lambda value, want, call: value,
    "transposed": lambda value, want, call: value.mT,
    "joined and transposed": lambda value, want, call: value.flatten(2).mT,
    "reshaped": lambda value, want, call: value.reshape(want) if tuple(value.shape) != want else None,
    "columns": lambda value, want, call: value.reshape(-1, value.shape[-1]).T.reshape(want),
    "exp": lambda value, want, call: value.exp() if tuple(value.shape) == want else None,
    "is 0": lambda value, want, call: value == 0,
    "affine": _affine,
    "affine, reshaped": lambda value, want, call: _affine(value.reshape(want), want, call),
    "affine, columns": lambda value, want, call: _affine(
        value.reshape(-1, value.shape[-1]).T.reshape(want), want, call
    ),
}


def loaded(module, call):
    """Return the values of a module's parameters: by name, by size, or in order."""
    theirs = dict(module.named_parameters())
    if set(theirs) == set(call.names):
        return dict(zip(call.names, call.own, strict=True))
    return _by_size(theirs, call) or _cut(theirs, call)


def _by_size(theirs, call):
    """Return for each parameter the next of the exercise's own that has its size; nothing unless there is one for all."""
    left, found = list(call.own), {}
    for name, value in theirs.items():
        at = next((i for i, own in enumerate(left) if own.numel() == value.numel()), None)
        if at is None:
            return {}
        found[name] = left.pop(at).view(value.shape)
    return found


def _cut(theirs, call):
    """Return the parameters cut from the exercise's own in order, matrices from matrices and vectors from vectors."""
    found = {}
    for vectors in (False, True):
        names = [name for name, value in theirs.items() if (value.dim() < 2) == vectors]
        mine = [value.flatten() for value in call.own if (value.dim() < 2) == vectors]
        parts = torch.cat(mine).split([theirs[name].numel() for name in names]) if mine and names else ()
        found |= {name: part.view(theirs[name].shape) for name, part in zip(names, parts, strict=True)}
    return found


def arguments(pattern, call, is_class):
    """Return what a thing is called with, or None if the pattern does not fit the call."""
    try:
        return (CONSTRUCTIONS if is_class else PATTERNS)[pattern](call)
    except Exception:
        return None


def result(thing, given, call):
    """Call the thing, or of a class an object with the exercise's parameters."""
    if not isinstance(thing, type):
        return thing(*given[0], **given[1])
    build, options, args, kwargs = given
    module = made(thing, build, options)
    if not isinstance(module, nn.Module):
        return None
    return torch.func.functional_call(module.eval(), loaded(module, call), args, kwargs)
