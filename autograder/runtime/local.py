"""A student whose code runs in this process: in their own notebook, or in a worker that ran the notebook."""

import contextlib
import difflib
import functools
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from autograder.runtime import measure, promises
from autograder.runtime.blocked import calls, source
from autograder.runtime.blocked.source import names_used, reachable_sources, source_in, source_of
from autograder.runtime.errors import CheckFailure, no_return, watch
from autograder.runtime.files import files_in
from autograder.runtime.promises import reordered
from autograder.runtime.state import by_ending, copy_tensor, is_lazy, kept_defaults, tensors_of
from autograder.runtime.student import (
    Constructed,
    Options,
    Request,
    RequestBuilder,
    Response,
    SeededGenerator,
    StandIn,
    with_options,
)


def call_before(target: Any, request: Request, args: tuple, prepared: Callable[[tuple], tuple]) -> None:
    """Make the earlier calls of a request. A module makes them in training mode first, since it may use results cached then in
    eval mode.

    If their shapes fit, their inputs are written into the tensors of ``args``. So an answer that caches results by the address of
    its inputs returns stale results in every run, not only when the allocator reuses an address.
    """
    if not request.before:
        return
    module = target if isinstance(target, nn.Module) else None
    for mode in (True, request.training) if module is not None else (False,):
        if module is not None:
            module.train(mode)
        for earlier in request.before:
            with _standing_in(args, prepared(earlier)) as inputs:
                target(*inputs)


@contextlib.contextmanager
def _standing_in(args: tuple, earlier_args: tuple) -> Iterator[list[Any]]:
    """Write the tensors of ``earlier_args`` into the matching ones of ``args``, and restore the old values afterwards."""
    inputs, saved = list(earlier_args), []
    with torch.no_grad():
        for place, (argument, earlier) in enumerate(zip(args, earlier_args, strict=False)):
            if _alike(argument, earlier):
                saved.append((argument, argument.clone()))
                inputs[place] = argument.copy_(earlier)
    try:
        yield inputs
    finally:
        with torch.no_grad():
            for argument, numbers in saved:
                argument.copy_(numbers)


def _alike(a: Any, b: Any) -> bool:
    """Return whether both are tensors of equal shape, dtype and device, the first without overlapping entries."""
    if not (isinstance(a, Tensor) and isinstance(b, Tensor)) or a.is_meta or a is b:
        return False
    no_overlap = all(step for length, step in zip(a.shape, a.stride(), strict=True) if length > 1)
    return (a.shape, a.dtype, a.device) == (b.shape, b.dtype, b.device) and no_overlap


def detached_copy(value: Any, request: Request, copy: Callable[[Tensor], Tensor] = copy_tensor) -> Any:
    """Copy a tensor argument; if gradients are wanted, make a floating-point copy a leaf that records them."""
    if not isinstance(value, Tensor):
        return value
    detached = copy(value) if request.device is None else value.detach().to(request.device, copy=True)
    return detached.requires_grad_() if request.cotangents is not None and detached.is_floating_point() else detached


def own_number(number: int) -> int:
    """Return an equal number as a separate object, as when the sandbox reads it from a message.

    Two numbers of a check may be the same object. Then ``is`` would work like ``==`` in the notebook, but not in grading.
    """
    return 0 - -number


def _contiguous(tensor: Tensor) -> Tensor:
    return tensor.detach().clone(memory_format=torch.contiguous_format)


#: Parts of PyTorch's messages about tensors that may not be changed in place.
_IN_PLACE = ("in-place operation", "inplace operation", "written-to tensor")


def _is_in_place(failure: CheckFailure) -> bool:
    return any(part in failure.yours for part in _IN_PLACE)


def lookup(namespace: Mapping[str, Any], name: str) -> Callable[..., Any]:
    """Return the student's function or class of this name. Raises CheckFailure if there is none."""
    if name not in namespace:
        similar = difflib.get_close_matches(name, [key for key in namespace if not key.startswith("_")], 1, 0.85)
        raise CheckFailure(
            "missing",
            f"There is no {name} yet: no cell that has run defines it.",
            hint=f"There is a {similar[0]}: is the name mistyped?"
            if similar
            else "Run the cell that defines it, or look for an error message under that cell.",
            cause="not defined",
        )
    target = namespace[name]
    if not callable(target):
        raise CheckFailure(
            "missing",
            f"{name} is not a function or a class.",
            yours=f"a {type(target).__name__}",
            cause="not defined",
        )
    return target


def with_weights(module: Any, request: Request) -> nn.Module:
    """Load the request's weights into the student's module, and choose device and mode."""
    if not isinstance(module, nn.Module):
        raise CheckFailure(
            "type",
            f"{request.name}(...) should make an nn.Module.",
            yours=f"a {type(module).__name__}",
            cause="not a module",
        )
    if request.weights:
        _load(module, request.name, request.weights)
    if request.device is not None:
        module.to(request.device)
    return module.train(request.training)


def _load(module: nn.Module, name: str, weights: Mapping[str, Tensor]) -> None:
    """Copy the weights into the parameters with names ending in the given names, and convert the module to the weights' dtype."""
    state = _by_name(module)
    first = by_ending(state)
    _settle(state, {first[key]: tensor for key, tensor in weights.items() if key in first})
    for key, tensor in weights.items():
        if key not in first:
            raise CheckFailure(
                "parameters",
                f"{name} has no parameter {key}.",
                expected=", ".join(weights),
                yours=", ".join(state) or "no parameters",
                received=sorted(state),
            )
        shape = tuple(state[first[key]].shape)
        if shape != tensor.shape:
            raise CheckFailure(
                "parameters",
                f"The parameter {key} of {name} has the wrong shape.",
                expected=str(tuple(tensor.shape)),
                yours=str(shape),
                received=[*shape],
            )
    # The dtype of the parameters: a file may also hold buffers, such as a mask.
    dtype = next((tensor.dtype for tensor in weights.values() if tensor.is_floating_point()), None)
    with torch.no_grad():
        for key, parameter in state.items():
            # The parameter check reports an extra bias. A buffer of that name is none: GPT-2 keeps its causal mask in one.
            if key.endswith("bias") and isinstance(parameter, nn.Parameter) and not is_lazy(parameter):
                parameter.zero_()
        # Only if necessary: to(...) visits every part.
        if dtype and any(tensor.dtype != dtype for tensor in state.values() if tensor.is_floating_point()):
            module.to(dtype)
            if not all(isinstance(state[first[key]], nn.Parameter) for key in weights):  # to(...) makes new buffers
                state = _by_name(module)
        for key, tensor in weights.items():
            state[first[key]].copy_(tensor)


def _settle(state: Mapping[str, Tensor], weights: Mapping[str, Tensor]) -> None:
    """Give lazy parameters the shapes of their weights, which they would otherwise get from the first inputs."""
    for key, tensor in weights.items():
        parameter: Any = state[key]
        if is_lazy(parameter):
            parameter.materialize(tensor.shape)


def parameters_of(module: nn.Module) -> dict[str, Tensor]:
    """Return all parameters by name, even if the student overrides ``named_parameters``; shared ones once.

    A parameter without a shape before the first inputs, as in ``nn.LazyLinear``, is returned as an empty tensor.
    """
    named: dict[str, Tensor] = dict(nn.Module.named_parameters(module))
    if getattr(module.named_parameters, "__func__", None) is not nn.Module.named_parameters:
        named |= dict(module.named_parameters())
    ids = {id(parameter) for parameter in named.values()}
    state = nn.Module.state_dict(module, keep_vars=True).items()
    named |= {key: value for key, value in state if isinstance(value, nn.Parameter) and id(value) not in ids}
    return {key: torch.empty(0) if is_lazy(parameter) else parameter for key, parameter in named.items()}


def _no_leaves(value: Any) -> Any:
    """Copy the tensors that record gradients, keeping their history, so that none is a leaf."""
    if isinstance(value, tuple | list):
        return type(value)(map(_no_leaves, value))
    return value.clone() if isinstance(value, Tensor) and value.requires_grad else value


def add_gradients(answer: Response, request: Request, leaves: Sequence[Tensor]) -> None:
    """Add the gradients with respect to the ``leaves`` that record them, and to the parameters."""
    if answer.value is None:
        raise no_return()
    _require_no_gradients_left(leaves, request)
    pairs = list(zip(_in_order(answer.value), request.cotangents or (), strict=False))
    if not any(isinstance(out, Tensor) and out.requires_grad for out, _ in pairs):
        raise CheckFailure(
            "detached",
            f"No gradient flows back through {request.name}.",
            cause="no gradient",
            hint="The result has lost its history. Look for .detach(), .data, .item(), .numpy(), torch.tensor(...) or "
            "torch.no_grad() on the way from the inputs to the result, and for steps without a gradient: comparing, counting, "
            "argmax.",
        )
    for out, cotangent in pairs:
        if isinstance(out, Tensor) and out.shape != cotangent.shape:
            raise CheckFailure(
                "shape",
                f"A result of {request.name} has the wrong shape.",
                expected=str(tuple(cotangent.shape)),
                yours=str(tuple(out.shape)),
                received=list(out.shape),
            )
    recording = [leaf for leaf in leaves if leaf.requires_grad]
    flowing = [(out * cotangent).sum() for out, cotangent in pairs if isinstance(out, Tensor) and out.requires_grad]
    trainable = {name: parameter for name, parameter in answer.parameters.items() if parameter.requires_grad}
    with watch(f"the backward pass through {request.name}"):
        gradients = torch.autograd.grad(flowing, [*recording, *trainable.values()], allow_unused=True)
    answer.gradients = list(gradients[: len(recording)])
    # A frozen parameter has no gradient, like one that the result does not depend on.
    answer.parameter_gradients = dict.fromkeys(answer.parameters) | dict(
        zip(trainable, gradients[len(recording) :], strict=True)
    )


def _in_order(value: Any) -> Iterator[Any]:
    """Yield the results of a call in order, those of nested tuples and lists one by one."""
    if isinstance(value, tuple | list):
        for item in value:
            yield from _in_order(item)
    else:
        yield value


def _require_no_gradients_left(leaves: Sequence[Tensor], request: Request) -> None:
    """Raise CheckFailure if the call has run a backward pass into an argument: its .grad belongs to the caller."""
    if any(leaf.grad is not None for leaf in leaves):
        raise CheckFailure(
            "mutated",
            f"{request.name} leaves gradients in its arguments.",
            expected="arguments whose .grad is None, as before",
            received="grad",
            cause="gradients left in the arguments",
            hint="A backward() inside the function continues into the arguments. Cut them off with .detach() first.",
        )


def _by_name(module: nn.Module) -> dict[str, Tensor]:
    """Return parameters and buffers by name; a shared one appears under all its names."""
    return dict(module.named_parameters(remove_duplicate=False)) | dict(module.named_buffers(remove_duplicate=False))


_HERE = files_in(".")


class LocalStudent(RequestBuilder):
    """Answers requests with the functions and classes of ``namespace``.

    No call may reach a function in ``forbid``, such as ``torch.nn.LayerNorm``. ``deep=False`` skips the slow search below Python.
    ``file`` reads a file handed in with the notebook; by default, from the current folder.
    """

    def __init__(
        self,
        namespace: MutableMapping[str, Any],
        forbid: tuple[str, ...] = (),
        deep: bool = True,
        file: Callable[[str], bytes | None] = _HERE,
    ):
        self.namespace = namespace
        self.file = file
        self.forbid = forbid
        self.deep = deep
        self.stand_in: Callable[[StandIn], Any] = StandIn.make
        # Inputs stay alive, so that no two ever share an address: whether an answer that caches results by address is
        # caught must not depend on where the memory allocator places the next tensor.
        self._kept: list[Any] = []
        self._turns = Counter[tuple[Any, ...]]()
        self._seeds = defaultdict[tuple[Any, ...], dict[tuple[int, ...], int]](dict)

    def forbidden_use(self, name: str) -> CheckFailure | None:
        try:
            first = source_of(self.namespace.get(name)) or ""
            texts = reachable_sources(
                name,
                lambda global_name: first if global_name == name else source_in(self.namespace, global_name),
                self._others(),
            )
            forbid, may_use = self._forbidden(name), self._libraries(name)
            return calls.first_violation(
                texts,
                lambda text: source.mention(
                    text, lambda global_name: source.home(self.namespace.get(global_name)), may_use, self.file
                ),
                lambda text: calls.mentions(text, self.namespace, forbid),
            )
        except (SyntaxError, RecursionError, MemoryError):
            return None  # a lambda inside a larger expression; a forbidden call still raises at run time

    def source(self, name: str) -> str:
        """Return the text of a function or class of the notebook, or "" if it cannot be found."""
        return source_in(self.namespace, name) or ""

    def uses(self, exercise: str, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that ``exercise``, or a function that it calls, mentions; all if there is no source."""
        return names_used(exercise, list(names), lambda name: source_in(self.namespace, name))

    @contextlib.contextmanager
    def with_references(self, names: Iterable[str], right: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Replace the student's exercises with those of ``right``, also as base classes of the student's other classes."""
        right = right or {}
        saved = {name: self.namespace[name] for name in names if name in self.namespace}
        heirs = [
            (cls, cls.__bases__)
            for cls in self.namespace.values()
            if isinstance(cls, type) and set(cls.__bases__) & {old for old in saved.values() if isinstance(old, type)}
        ]
        replaced = {id(old): right[name] for name, old in saved.items()}
        self.namespace.update({name: right[name] for name in names})
        for heir, bases in heirs:
            heir.__bases__ = tuple(replaced.get(id(base), base) for base in bases)
        try:
            yield
        finally:
            for heir, bases in heirs:
                heir.__bases__ = bases
            for name in names:
                self.namespace.pop(name)
            self.namespace.update(saved)

    @property
    def lesson(self) -> Any:
        raise TypeError("Checks and right versions are a lesson's, and this student has none.")

    def timed(self, name: str) -> Callable[..., Any]:
        function = self._find(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            arguments = [self._find(arg.name)(**arg.kwargs) if isinstance(arg, Constructed) else arg for arg in args]
            self._keep(arguments)
            with watch(name):
                return function(*arguments, **kwargs)

        return call

    def peak_memory(self, name: str, fresh: Callable[[], tuple], **kwargs: Any) -> int:
        return self._peak_and_result(name, fresh(), kwargs)[0]

    def _peak_and_result(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, Any]:
        from course_lib.devices import peak_memory

        call, results = self.timed(name), list[Any]()
        peak = peak_memory(lambda: results.append(call(*args, **kwargs)))
        return peak, results[0]

    def work_ratio(self, name: str, fresh: Callable[[], tuple], part: Options, whole: Options, limit: float) -> float:
        call, inputs = self.timed(name), fresh()
        calls = (with_options(inputs, options) for options in (part, whole))
        counts = (measure.count_operations(call, *args, **kwargs) for args, kwargs in calls)
        return next(counts) / max(next(counts), 1)

    def _carry_out(self, request: Request) -> Response:
        """Answer with arguments in any memory order; if that raises an error, try again with contiguous ones."""
        try:
            return self._attempt(request, self._order)
        except CheckFailure as failure:
            if failure.kind != "crash":
                raise
            answer = self._attempt_contiguous(request)
            if answer.breach is None and _is_in_place(failure):
                raise  # the tensor that cannot be changed in place is not an argument
            answer.breach = answer.breach or promises.depends_on_memory(request.name, failure)
            return answer

    def _attempt_contiguous(self, request: Request) -> Response:
        """Answer with contiguous arguments that may be changed in place although they record gradients.

        Allowing that takes seconds of set-up in a new process, so it is done only after an error about a change in place.
        """
        try:
            return self._attempt(request, lambda *_: _contiguous, leaves=False)
        except CheckFailure as failure:
            if request.cotangents is None or failure.kind != "crash" or not _is_in_place(failure):
                raise
        with torch.autograd.graph.allow_mutation_on_saved_tensors():
            return self._attempt(request, lambda *_: _contiguous, leaves=False)

    def _order(self, request: Request, place: int | str, value: Any) -> Callable[[Tensor], Tensor]:
        """Return the function that copies an argument's tensors: alternately into a random memory order and as they are.

        Both are needed: an answer may write into the result of ``.contiguous()``, which is either the argument itself or a copy.
        A generator fills a tensor in memory order, so calls with generators of the same seed get the same order.
        """
        key = request.name, place, *(tensor.shape for tensor in tensors_of(value))
        arguments = (*request.args, *request.kwargs.values())
        if seeds := tuple(argument.seed for argument in arguments if isinstance(argument, SeededGenerator)):
            turn = self._seeds[key].setdefault(seeds, len(self._seeds[key]))
        else:
            turn, self._turns[key] = self._turns[key], self._turns[key] + 1
        return copy_tensor if turn % 2 else reordered

    def _attempt(
        self,
        request: Request,
        order: Callable[[Request, int | str, Any], Callable[[Tensor], Tensor]],
        leaves: bool = True,
    ) -> Response:
        """Call the student's function. Unless ``leaves`` is set, arguments that record gradients may be changed in place."""
        answer, target = self._call(request, order, leaves)
        if request.both_modes and isinstance(target, nn.Module):
            again, _ = self._call(replace(request, training=True), order, leaves, target.train())
            answer.in_training, answer.breach = again.value, answer.breach or again.breach
        return answer

    def _call(
        self,
        request: Request,
        order: Callable[[Request, int | str, Any], Callable[[Tensor], Tensor]],
        leaves: bool,
        module: nn.Module | None = None,
    ) -> tuple[Response, Callable[..., Any]]:
        """Return the response, and the function or module that gave it: ``module``, if one was built before."""

        def prepared(place: int | str, value: Any) -> Any:
            return self._argument(value, request, order(request, place, value))

        copies = tuple(itertools.starmap(prepared, enumerate(request.args)))
        kwargs = {key: prepared(key, value) for key, value in request.kwargs.items()}
        self._keep((*copies, *kwargs.values()))
        args = copies if leaves else _no_leaves(copies)
        forbid = self._forbidden(request.name)
        value, deep = None, request.deep and self.deep and bool(forbid)
        elsewhere = torch.device(request.default_device) if request.default_device else contextlib.nullcontext()
        with watch(request.name), torch.enable_grad(), elsewhere, kept_defaults() as changed:
            target, breach = self._target(request, forbid) if module is None else (module, None)
            pairs = dict(zip(promises.names_of(target, len(args)), zip(request.args, args, strict=True), strict=True))
            pairs |= {key: (request.kwargs[key], value) for key, value in kwargs.items()}
            before = {key: promises.snapshot(*pair) for key, pair in pairs.items()}
            with calls.block_functions(forbid):
                call_before(target, request, args, lambda call: self._argument(call, request))
                call = functools.partial(target, *args, **kwargs)
                for _ in range(request.times):
                    value = calls.dispatch_guard(call, forbid) if deep else call()
        after = {key: argument for key, (_, argument) in pairs.items()}
        records = request.cotangents is not None
        answer = Response(value, args)
        answer.breach = breach or promises.breach(request.name, before, after, records, request.may_change)
        answer.breach = answer.breach or promises.default_breach(request.name, changed)
        if isinstance(target, nn.Module):
            answer.breach = answer.breach or promises.module_breach(
                request.name, target, request.weights or {}, request.training
            )
            answer.of_module = True
            if not request.times or request.cotangents is not None:
                answer.parameters = parameters_of(target)
        if request.cotangents is not None:
            add_gradients(answer, request, tensors_of(copies))
        return answer, target

    def _target(self, request: Request, forbid: tuple[str, ...]) -> tuple[Callable[..., Any], CheckFailure | None]:
        """Return the student's function, or a module of the student's class with its weights loaded.

        The second result is the failure if the constructor has changed one of its arguments.
        """
        target = self._find(request.name)
        if request.build is None:
            return target.train(request.training) if isinstance(target, nn.Module) else target, None
        args = [self._argument(arg, request) for arg in request.build]
        # Only data: a constructor may freeze a module that it wraps, and other arguments cannot change.
        pairs = dict(zip(promises.names_of(target, len(args)), zip(request.build, args, strict=True), strict=True))
        data = {name: pair for name, pair in pairs.items() if isinstance(pair[0], Tensor | list | tuple | dict)}
        before = {name: promises.snapshot(*pair) for name, pair in data.items()}
        only_sizes = all(arg is None or isinstance(arg, int | float | str) for arg in args)
        with calls.block_functions(forbid, watch=not only_sizes):
            module = target(*args)
        # Before the weights come: a parameter may be one of the tensors that were passed.
        after = {name: arg for name, (_, arg) in data.items()}
        breach = promises.breach(request.name, before, after, request.cotangents is not None, ())
        return with_weights(module, request), breach

    def _forbidden(self, exercise: str) -> tuple[str, ...]:
        return self.forbid

    def _libraries(self, exercise: str) -> tuple[str, ...] | None:
        """Return the libraries that an exercise may use, or None if it may use all."""
        return None

    def _others(self) -> Sequence[str]:
        """Return the names of the other exercises, whose sources are searched separately."""
        return ()

    def _keep(self, inputs: Iterable[Any]) -> None:
        self._kept += [x for x in inputs if isinstance(x, Tensor) and x.numel() < 10**5]

    def _argument(self, value: Any, request: Request, copy: Callable[[Tensor], Tensor] = copy_tensor) -> Any:
        """Copy the tensors in an argument, and create constructed objects. If gradients are wanted, float copies record them."""
        if isinstance(value, Constructed):
            return self._find(value.name)(**value.kwargs)
        if isinstance(value, StandIn):
            return self.stand_in(value)
        if isinstance(value, SeededGenerator):
            return torch.Generator().manual_seed(value.seed)
        if isinstance(value, tuple | list):
            items = [self._argument(item, request, copy) for item in value]
            return items if isinstance(value, list) else tuple(items)
        if isinstance(value, dict):
            return {key: self._argument(item, request, copy) for key, item in value.items()}
        if type(value) is int:
            return own_number(value)
        return detached_copy(value, request, copy)

    def _find(self, name: str) -> Callable[..., Any]:
        return lookup(self.namespace, name)
