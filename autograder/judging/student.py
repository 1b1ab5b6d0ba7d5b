"""The one way in which a check sees a student's work.

A check asks a :class:`Student` to apply a function to tensors or to build a module, load weights and run it. It never
holds the function itself. In a notebook the answer is computed in the same process (:class:`LocalStudent`); a sandbox
can answer the same requests from another process, because a request and its answer are plain data.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from torch import Tensor

from autograder.judging.failure import CheckFailure


@dataclass(frozen=True)
class Request:
    """Apply ``name`` to ``args``. With ``build``, ``name`` is a class: make it with those arguments, then call it.

    ``weights`` (parameter name to tensor) are loaded before the call. With ``cotangents`` (one tensor for each output)
    the answer also holds the gradients of Σ output · cotangent.
    """

    name: str
    args: tuple = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    build: tuple | None = None
    weights: Mapping[str, Tensor] | None = None
    cotangents: Sequence[Tensor] | None = None
    training: bool = False
    times: int = 1
    before: Sequence[
        tuple
    ] = ()  # arguments of earlier calls of the same module or function, whose results are not looked at
    default_device: str | None = None  # where tensors are made when the student's code names no device
    deep: bool = False  # look for forbidden functions below the Python level too; slower


@dataclass
class Answer:
    """What came back: the value, the arguments as they are after the call, gradients, and parameters by name."""

    value: Any
    args_after: tuple
    gradients: list[Tensor | None] = field(default_factory=list)
    parameter_gradients: dict[str, Tensor | None] = field(default_factory=dict)
    parameters: dict[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Exchange:
    """A request and what came of it: a value, or the failure that was raised."""

    request: Request
    value: Any = None
    failure: CheckFailure | None = None


class Student(Protocol):
    """What every kind of student can be asked. ``forbid`` names the functions that the lesson does not allow.

    ``last`` is the last request and what came of it, by which a diagnosis finds its candidates fast.
    """

    forbid: tuple[str, ...]
    last: Exchange | None

    @property
    def lesson(self) -> Any:
        """The :class:`~autograder.judging.lesson.Lesson` whose checks ask. Raises TypeError where there is none."""

    def answer(self, request: Request) -> Answer:
        """Carry out one request. Raises :class:`~autograder.judging.failure.CheckFailure` when the student's code raises."""

    def timed(self, name: str) -> Callable[..., Any]:
        """Return a callable that is timed from outside: nothing is copied or watched on the way."""

    def time_ratio(
        self, name: str, fresh: Callable[[], tuple], thresholds: Sequence[float], rounds: tuple[int, int], **kwargs: Any
    ) -> Any:
        """Race the student's ``name`` against the reference of that name, each round on ``fresh()`` inputs.

        Returns a :class:`~autograder.judging.measure.Ratio`, measured again while it is unclear on which side of a
        threshold it lies.
        """

    def peak_memory(self, name: str, *args: Any, **kwargs: Any) -> int:
        """Return the bytes that one call needs at its peak above its inputs."""

    def work_ratio(self, name: str, inputs: tuple, part: Mapping[str, Any], whole: Mapping[str, Any]) -> float:
        """Return the work of a call with the keywords ``part``, as a part of that with the keywords ``whole``."""

    def forbidden_use(self, name: str) -> CheckFailure | None:
        """Return a failure when the source of the student's ``name`` uses a function that the lesson does not allow."""

    def uses(self, exercise: str, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that the student's answer to ``exercise`` mentions."""

    def with_right(self, names: Iterable[str]) -> AbstractContextManager[None]:
        """Put right versions in place of the student's exercises ``names``, for code that builds on them."""

    def build(self, name: str, *args: Any, weights: Mapping[str, Tensor] | None = None) -> "StudentModule":
        """Return the student's module ``name(*args)`` with ``weights`` loaded by name."""

    def file(self, name: str, /) -> bytes | None:
        """Return the content of a file that was handed in beside the notebook, or None where there is none."""

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """Return what the student's function returns for these arguments."""


class Questions:
    """How a check's questions become requests, the same for every kind of student: each answers them in ``_carry_out``."""

    last: Exchange | None = None

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """``student.softmax(E, dim=0)`` calls the student's ``softmax``."""
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: self.call(name, *args, **kwargs)

    def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.answer(Request(name, args, kwargs)).value

    def build(self, name: str, *args: Any, weights: Mapping[str, Tensor] | None = None) -> "StudentModule":
        return StudentModule(self, name, args, weights)

    def answer(self, request: Request) -> Answer:
        try:
            found = self._carry_out(request)
        except CheckFailure as failure:
            self.last = Exchange(request, failure=failure)
            raise
        self.last = Exchange(request, found.value)
        return found

    def _carry_out(self, request: Request) -> Answer:
        raise NotImplementedError


class StudentModule:
    """A module that the student wrote: rebuilt from its class, its arguments and its weights for every call.

    Whatever keywords it is called with are the student's own. How it is called is said by :meth:`when`.
    """

    def __init__(
        self,
        student: Questions,
        name: str,
        build: tuple,
        weights: Mapping[str, Tensor] | None = None,
        options: Mapping[str, Any] | None = None,
    ):
        self.student, self.name, self.build, self.weights = student, name, build, weights
        self.options = dict(options or {})

    def when(self, **options: Any) -> "StudentModule":
        """Return the same module, called in another way: with ``training``, ``times``, ``before``, ``deep`` or
        ``default_device`` of :class:`Request`. Raises TypeError for any other option.
        """
        if unknown := options.keys() - {"training", "times", "before", "deep", "default_device"}:
            raise TypeError(
                f"There is no option {', '.join(sorted(unknown))}; the student's own go into the call itself."
            )
        return StudentModule(self.student, self.name, self.build, self.weights, self.options | options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.request(*args, **kwargs).value

    def request(self, *args: Any, cotangents: Sequence[Tensor] | None = None, **kwargs: Any) -> Answer:
        """Run the module and return all that came back, with gradients where ``cotangents`` are given."""
        return self.student.answer(
            Request(self.name, args, kwargs, self.build, self.weights, cotangents, **self.options)
        )

    def parameters(self) -> dict[str, Tensor]:
        """Return the parameters of a freshly built module by name."""
        return self.student.answer(Request(self.name, build=self.build, times=0)).parameters
