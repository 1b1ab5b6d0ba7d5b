"""The only interface between a check and a student's work.

A check asks a :class:`Student` to apply a function to tensors, or to build a module, load weights and run it. The check
never holds the function itself. In a notebook the same process computes the answer (:class:`LocalStudent`); a sandbox
can answer the same requests from another process, because requests and answers are plain data.
"""

import contextlib
import importlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from torch import Tensor

from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import tensors_of
from course_lib import variants

#: Processor seconds after which the search in a notebook ends. It rarely needs more than one.
_IN_A_NOTEBOOK = 20.0


class SearchTimeout(BaseException):
    """The time for the search for causes is used up. ``except Exception`` does not take it for a student's error."""


@dataclass(frozen=True)
class Budget:
    """The search ends when ``clock``, the used processor time in seconds, reaches ``until``."""

    until: float
    clock: Callable[[], float]


class SearchBudgetMixin:
    """A student with a time budget for the search for causes."""

    _budget: Budget | None = None  # while there is a search

    @contextlib.contextmanager
    def search_budget(self) -> Iterator[None]:
        self._budget = self._new_budget()
        try:
            yield
        finally:
            self._budget = None

    def _new_budget(self) -> Budget:
        return Budget(time.process_time() + _IN_A_NOTEBOOK, time.process_time)

    def check_search_budget(self) -> None:
        """Raise SearchTimeout if the budget of a search is used up. A running request is not interrupted."""
        if self._budget and self._budget.clock() >= self._budget.until:
            raise SearchTimeout


#: Additional arguments of one of two calls on the same inputs: keywords, or positional arguments after the inputs.
Options = Mapping[str, Any] | tuple


def with_options(inputs: tuple, options: Options) -> tuple[tuple, Mapping[str, Any]]:
    """Return the positional and keyword arguments of a call on these inputs."""
    return ((*inputs, *options), {}) if isinstance(options, tuple) else (inputs, options)


@dataclass(frozen=True)
class Constructed:
    """A placeholder for the object that the notebook's ``name`` returns for ``kwargs``."""

    name: str
    kwargs: Mapping[str, Any]


@dataclass(frozen=True)
class StandIn:
    """An object of ``course_lib`` in place of a model: a spy, or a table. ``name`` is the dotted name of its class.

    The student's namespace cannot replace it. If the class defines ``CALLS``, the object stays outside the sandbox: the student's
    process gets a proxy through which these methods can be called, so the object's records can be trusted. After the call it is
    in :attr:`Response.args_after`.
    """

    name: str
    kwargs: Mapping[str, Any]

    @property
    def cls(self) -> Any:
        module, _, name = self.name.rpartition(".")
        return getattr(importlib.import_module(module), name)

    def make(self) -> Any:
        return self.cls(**self.kwargs)


@dataclass(frozen=True)
class SeededGenerator:
    """A torch.Generator with this seed, shared by all calls of a request."""

    seed: int


@dataclass(frozen=True)
class Request:
    """Apply ``name`` to ``args``. With ``build``, ``name`` is a class: construct it with those arguments, then call it.

    ``weights`` (parameter name to tensor) are loaded before the call. With ``cotangents`` (one tensor per output, counted
    through nested ones) the answer also holds the gradients of Σ output · cotangent.
    """

    name: str
    args: tuple = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    build: tuple | None = None
    weights: Mapping[str, Tensor] | None = None
    cotangents: Sequence[Tensor] | None = None
    training: bool = False
    both_modes: bool = False  # call the same module once more, in training mode: Response.in_training
    times: int = 1
    before: Sequence[tuple] = ()  # arguments of earlier calls of the same module or function, whose results are ignored
    default_device: str | None = None  # where tensors are created if the student's code names no device
    device: str | None = None  # where the module and its arguments are moved before the call
    deep: bool = False  # look for forbidden functions below the Python level too; slower
    may_change: tuple[str, ...] = ()  # places of what the function is meant to change: "3", or a part of it, "2[0]"


@dataclass
class Response:
    """The answer to a request: the value, the arguments after the call, gradients, and a broken promise.

    ``in_training``: the value in training mode, if the request is for both modes. ``parameters``: those of a module, by name, if
    it is not called, or if gradients are wanted.
    """

    value: Any
    args_after: tuple
    gradients: list[Tensor | None] = field(default_factory=list)
    parameter_gradients: dict[str, Tensor | None] = field(default_factory=dict)
    parameters: dict[str, Tensor] = field(default_factory=dict)
    breach: CheckFailure | None = None
    in_training: Any = None
    of_module: bool = False


@dataclass(frozen=True)
class Exchange:
    """A request and its outcome: a response, or the failure raised."""

    request: Request
    value: Any = None
    failure: CheckFailure | None = None


class Student(Protocol):
    """The interface of every kind of student."""

    forbid: tuple[str, ...]  # the names of the functions that the lesson forbids
    last: Exchange | None  # the last request and its outcome, which lets a diagnosis find its candidates quickly
    # The first promise that a call has broken (see ``promises``) since this was set to None.
    breach: CheckFailure | None

    @property
    def lesson(self) -> Any:
        """The :class:`~autograder.content.lesson.Lesson` that the checks belong to. Raises TypeError if there is none."""

    @property
    def student_id(self) -> str:
        """The id from which the work's own numbers are drawn; empty if none is known. In grading, the grader determines it."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """``student.softmax(E, dim=0)`` calls the student's ``softmax``."""

    def answer(self, request: Request) -> Response:
        """Carry out one request. Raises :class:`~autograder.runtime.errors.CheckFailure` when the student's code raises."""

    def timed(self, name: str) -> Callable[..., Any]:
        """Return a callable for timing from outside; it neither copies nor inspects its arguments."""

    def time_ratio(
        self,
        name: str,
        fresh: Callable[[], tuple],
        thresholds: Sequence[float],
        rounds: tuple[int, int],
        rival: str = "",
        /,
        **kwargs: Any,
    ) -> Any:
        """Time the student's ``name`` against the reference of that name, or of ``rival``, each round on inputs from ``fresh()``.

        Returns a :class:`.measure.Ratio`. Rounds are added while it is unclear on which side of a threshold the ratio lies.
        """

    def peak_memory(self, name: str, fresh: Callable[[], tuple], **kwargs: Any) -> int:
        """Return the peak memory of one call in bytes, above its inputs. Each call is on ``fresh()`` inputs."""

    def work_ratio(self, name: str, fresh: Callable[[], tuple], part: Options, whole: Options, limit: float) -> float:
        """Return the work of a call with the options ``part`` divided by the work with the options ``whole``.

        Options are keywords, or a tuple of arguments to append to those of ``fresh()``. Operations are counted; in the sandbox,
        times are compared instead, with more rounds while it is unclear whether the ratio exceeds ``limit``, and the lower end of
        the interval counts.
        """

    def forbidden_use(self, name: str) -> CheckFailure | None:
        """Return a failure if the source of the student's ``name`` uses a function that the lesson forbids."""

    def source(self, name: str) -> str:
        """Return the text of a function or class of the student's notebook, or "" if it cannot be found."""

    def uses(self, exercise: str, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that the student's answer to ``exercise`` mentions."""

    def search_budget(self) -> AbstractContextManager[None]:
        """Limit the time of a search for causes: once it is used up, the next request raises SearchTimeout."""

    def with_references(self, names: Iterable[str]) -> AbstractContextManager[None]:
        """Replace the student's exercises ``names`` with right versions, for code that builds on them."""

    def build(self, name: str, *args: Any, weights: Mapping[str, Tensor] | None = None) -> "StudentModule":
        """Return the student's module ``name(*args)`` with ``weights`` loaded by name."""

    def file(self, name: str, /) -> bytes | None:
        """Return the content of a file handed in with the notebook, or None if there is none."""

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return the result of the student's function for these arguments."""


#: Maximum of bytes of a result kept for the diagnosis. No check of values asks for larger ones.
_KEPT = 2**22


class RequestBuilder(SearchBudgetMixin):
    """Turns the calls of a check into requests, the same for every kind of student; ``_carry_out`` answers them."""

    last: Exchange | None = None
    breach: CheckFailure | None = None

    @property
    def student_id(self) -> str:
        return variants.student()

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """``student.softmax(E, dim=0)`` calls the student's ``softmax``."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self.call(name, *args, **kwargs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.answer(Request(name, args, kwargs)).value

    def build(self, name: str, *args: Any, weights: Mapping[str, Tensor] | None = None) -> "StudentModule":
        return StudentModule(self, name, args, weights)

    def answer(self, request: Request) -> Response:
        self.check_search_budget()
        try:
            response = self._carry_out(request)
        except CheckFailure as failure:
            self.last = Exchange(request, failure=failure)
            raise
        self.breach = self.breach or response.breach
        size = sum(x.numel() * x.element_size() for x in tensors_of(response.value))
        self.last = Exchange(replace(request, both_modes=False), response.value) if size <= _KEPT else None
        return response

    def _carry_out(self, request: Request) -> Response:
        raise NotImplementedError


class StudentModule:
    """A module of the student's, rebuilt from its class, its arguments and its weights for every call.

    Keywords of a call go to the student's module unchanged; :meth:`when` sets the options of the call itself.
    """

    def __init__(
        self,
        student: RequestBuilder,
        name: str,
        build: tuple,
        weights: Mapping[str, Tensor] | None = None,
        options: Mapping[str, Any] | None = None,
    ):
        self.student, self.name, self.build, self.weights = student, name, build, weights
        self.options = dict(options or {})

    def when(self, **options: Any) -> "StudentModule":
        """Return the same module with other call options: ``training``, ``both_modes``, ``times``,
        ``before``, ``deep``, ``device`` or ``default_device`` of :class:`Request`. Raises TypeError for any other option.
        """
        valid = {"training", "both_modes", "times", "before", "deep", "device", "default_device"}
        if unknown := options.keys() - valid:
            raise TypeError(
                f"There is no option {', '.join(sorted(unknown))}; the student's own go into the call itself."
            )
        return type(self)(self.student, self.name, self.build, self.weights, self.options | options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.request(*args, **kwargs).value

    def request(self, *args: Any, cotangents: Sequence[Tensor] | None = None, **kwargs: Any) -> Response:
        """Run the module and return the complete response, with gradients if ``cotangents`` are given."""
        return self.student.answer(
            Request(self.name, args, kwargs, self.build, self.weights, cotangents, **self.options)
        )

    def parameters(self) -> dict[str, Tensor]:
        """Return the parameters of a newly built module by name."""
        return self.student.answer(Request(self.name, build=self.build, times=0)).parameters
