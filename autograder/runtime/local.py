"""A student whose code runs in this process: in the student's own notebook, or in a worker that ran the notebook."""

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder.runtime import measure
from autograder.runtime.apply import add_gradients, find, leaf, loaded, parameters_of
from autograder.runtime.arguments import Made, Seeded
from autograder.runtime.blocked import forbidden, libraries
from autograder.runtime.blocked.mentions import mentioned, reached, source_in, text_of
from autograder.runtime.earlier import call_before
from autograder.runtime.failure import CheckFailure
from autograder.runtime.files import files_in
from autograder.runtime.student import Answer, Questions, Request
from autograder.runtime.watch import watch

_HERE = files_in(".")


class LocalStudent(Questions):
    """Answers requests with the functions and classes of ``namespace``.

    No call may reach what ``forbid`` names, such as ``torch.nn.LayerNorm``. ``deep=False`` skips the slow search below Python.
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
        # Inputs stay alive, so that no two ever share an address: whether an answer that caches results by address is
        # caught must not depend on where the memory allocator places the next tensor.
        self._kept: list[Any] = []

    def forbidden_use(self, name: str) -> CheckFailure | None:
        try:
            first = text_of(self.namespace.get(name)) or ""
            texts = reached(
                name, lambda each: first if each == name else source_in(self.namespace, each), self._others()
            )
            forbid, may_use = self._forbidden(name), self._libraries(name)
            return forbidden.first_found(
                texts,
                lambda text: libraries.mention(
                    text, lambda each: libraries.home(self.namespace.get(each)), may_use, self.file
                ),
                lambda text: forbidden.mentions(text, self.namespace, forbid),
            )
        except (SyntaxError, RecursionError, MemoryError):
            return None  # a lambda inside a larger expression; a forbidden call still raises at run time

    def uses(self, exercise: str, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that the student's ``exercise``, or what it calls, mentions; all if there is no source."""
        return mentioned(exercise, list(names), lambda name: source_in(self.namespace, name))

    @contextlib.contextmanager
    def with_right(self, names: Iterable[str], right: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Replace the student's exercises with those of ``right``, also as base classes of the student's other classes."""
        right = right or {}
        saved = {name: self.namespace[name] for name in names if name in self.namespace}
        heirs = [
            (thing, thing.__bases__)
            for thing in self.namespace.values()
            if isinstance(thing, type)
            and set(thing.__bases__) & {old for old in saved.values() if isinstance(old, type)}
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
            made = [self._find(arg.name)(**arg.kwargs) if isinstance(arg, Made) else arg for arg in args]
            self._keep(made)
            with watch(name):
                return function(*made, **kwargs)

        return call

    def peak_memory(self, name: str, *args: Any, **kwargs: Any) -> int:
        return self._peak_and_result(name, args, kwargs)[0]

    def _peak_and_result(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[int, Any]:
        from course_lib.devices import peak_memory

        call, results = self.timed(name), list[Any]()
        peak = peak_memory(lambda: results.append(call(*args, **kwargs)))
        return peak, results[0]

    def work_ratio(self, name: str, inputs: tuple, part: Mapping[str, Any], whole: Mapping[str, Any]) -> float:
        return self.work(name, *inputs, **part) / max(self.work(name, *inputs, **whole), 1)

    def work(self, name: str, *args: Any, **kwargs: Any) -> int:
        return measure.work(self.timed(name), *args, **kwargs)

    def _carry_out(self, request: Request) -> Answer:
        args = tuple(self._argument(arg, request) for arg in request.args)
        kwargs = {key: self._argument(value, request) for key, value in request.kwargs.items()}
        self._keep((*args, *kwargs.values()))
        forbid = self._forbidden(request.name)
        value, deep = None, request.deep and self.deep and bool(forbid)
        elsewhere = torch.device(request.default_device) if request.default_device else contextlib.nullcontext()
        with watch(request.name), torch.enable_grad(), elsewhere:
            target = self._target(request, forbid)
            with forbidden.unavailable(forbid):
                call_before(target, request, args, lambda call: tuple(self._argument(arg, request) for arg in call))
                call = functools.partial(target, *args, **kwargs)
                for _ in range(request.times):
                    value = forbidden.below_python(call, forbid) if deep else call()
        answer = Answer(value, args)
        if isinstance(target, nn.Module):
            answer.parameters = parameters_of(target)
        if request.cotangents is not None:
            add_gradients(answer, request)
        return answer

    def _target(self, request: Request, forbid: tuple[str, ...]) -> Callable[..., Any]:
        """Return the student's function, or the module that the student's class makes, with its weights."""
        target = self._find(request.name)
        if request.build is None:
            return target
        with forbidden.unavailable(forbid):  # not while weights are loaded: that calls PyTorch a thousand times
            made = target(*(self._argument(arg, request) for arg in request.build))
        return loaded(made, request)

    def _forbidden(self, exercise: str) -> tuple[str, ...]:
        return self.forbid

    def _libraries(self, exercise: str) -> tuple[str, ...] | None:
        """Return the libraries that an exercise may use, or None if it may use all."""
        return None

    def _others(self) -> Sequence[str]:
        """Return the names of exercises, whose own source is searched on its own."""
        return ()

    def _keep(self, inputs: Iterable[Any]) -> None:
        self._kept += [x for x in inputs if isinstance(x, Tensor) and x.numel() < 10**5]

    def _argument(self, value: Any, request: Request) -> Any:
        """Copy the tensors in an argument, and create the ``Made`` ones. If gradients are wanted, float copies record them."""
        if isinstance(value, Made):
            return self._find(value.name)(**value.kwargs)
        if isinstance(value, Seeded):
            return torch.Generator().manual_seed(value.seed)
        if isinstance(value, tuple | list):
            items = [self._argument(item, request) for item in value]
            return items if isinstance(value, list) else tuple(items)
        if isinstance(value, dict):
            return {key: self._argument(item, request) for key, item in value.items()}
        return leaf(value, request)

    def _find(self, name: str) -> Callable[..., Any]:
        return find(self.namespace, name)
