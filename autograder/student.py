"""The one way in which a check sees a student's work.

A check asks a :class:`Student` to apply a function to tensors or to build a module, load weights and run it. It never
holds the function itself. In a notebook the answer is computed in the same process (:class:`LocalStudent`); a sandbox
can answer the same requests from another process, because a request and its answer are plain data.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from autograder.failure import CheckFailure


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


@dataclass(frozen=True)
class Made:
    """An argument that is made where the student's code is: what the notebook calls ``name``, called with ``kwargs``."""

    name: str
    kwargs: Mapping[str, Any]


@dataclass(frozen=True)
class Seeded:
    """An argument that is made where the student's code is: a torch.Generator with this seed, one for all calls of a request."""

    seed: int


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
    """What every kind of student can be asked. ``forbid`` names the functions that the lesson does not allow."""

    forbid: tuple[str, ...]

    def answer(self, request: Request) -> Answer:
        """Carry out one request. Raises :class:`~autograder.failure.CheckFailure` when the student's code raises."""

    def timed(self, name: str) -> Callable[..., Any]:
        """Return a callable that is timed from outside: nothing is copied or watched on the way."""

    def time_ratio(
        self, name: str, fresh: Callable[[], tuple], thresholds: Sequence[float], rounds: tuple[int, int], **kwargs: Any
    ) -> Any:
        """Race the student's ``name`` against the reference of that name, each round on ``fresh()`` inputs.

        Returns a :class:`~autograder.measure.Ratio`, measured again while it is unclear on which side of a threshold it lies.
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


class StudentModule:
    """A module that the student wrote: rebuilt from its class, its arguments and its weights for every call.

    Whatever keywords it is called with are the student's own. How it is called is said by :meth:`when`.
    """

    def __init__(
        self,
        student: Student,
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
        return StudentModule(self.student, self.name, self.build, self.weights, self.options | _known(options))

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


_OPTIONS = ("training", "times", "before", "deep", "default_device")


def _known(options: dict[str, Any]) -> dict[str, Any]:
    if unknown := options.keys() - set(_OPTIONS):
        raise TypeError(f"Expected options among {', '.join(_OPTIONS)}, but got {', '.join(sorted(unknown))}.")
    return options


def copy_tensor(tensor: Tensor) -> Tensor:
    """Copy a tensor together with its strides and offset, so that a non-contiguous tensor stays one."""
    if not tensor.numel() or tensor.is_contiguous():
        return tensor.detach().clone()
    storage = tensor.detach().untyped_storage().clone()
    copy = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    return copy.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride())


def matching(name: str, own: Iterable[str]) -> list[str]:
    """Return the parameters in ``own`` that are meant by ``name``: of that name, or of a part of the module (``part.name``)."""
    part = f".{name}"
    return [key for key in own if key == name or key.endswith(part)]
