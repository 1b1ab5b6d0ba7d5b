"""What checks ask of a right answer: the requests on which two answers can be compared."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from autograder.checks.execute import Check, replay
from autograder.runtime.student import Answer, Questions, Request, Student

#: How many requests of a check are tried, the largest first.
_MOST = 6
#: Numbers in a request that is compared. A larger one has many copies of one example, to look at dropout.
_LARGEST = 50_000


class Listener(Questions):
    """Passes requests on to a student, and keeps them."""

    def __init__(self, student: Student):
        self.student, self.heard = student, list[Request]()

    @property
    def lesson(self) -> Any:
        return self.student.lesson

    def timed(self, name: str) -> Callable[..., Any]:
        return self.student.timed(name)

    def _carry_out(self, request: Request) -> Answer:
        self.heard.append(request)
        return self.student.answer(request)


class Hearing:
    """The requests that checks make of a ``right`` answer, which nothing stops. Each check is heard once.

    What is asked in training mode, or of very many examples, is left out: its answers are drawn.
    """

    def __init__(self, right: Student, seed: int):
        self.right, self.seed = right, seed
        self._known: dict[Check, list[Request]] = {}

    def of(self, check: Check) -> list[Request]:
        """Return the requests of one check, in order."""
        if check not in self._known:
            listener = Listener(self.right)
            replay(check, listener, self.seed)
            heard = [request for request in listener.heard if not request.training and not is_large(request)]
            self._known[check] = heard
        return self._known[check]

    def largest(self, check: Check) -> list[Request]:
        """Return the largest requests of one check."""
        return sorted(self.of(check), key=_size, reverse=True)[:_MOST]

    def of_many_shapes(self, checks: Sequence[Check], name: str, most: int = 2 * _MOST) -> list[Request]:
        """Return requests for ``name`` that these checks make, one for each set of shapes, the largest first."""
        heard = [request for check in checks for request in self.of(check) if request.name == name]
        by_shape = {str(_shapes((request.build, request.args, request.kwargs))): request for request in heard}
        return sorted(by_shape.values(), key=_size, reverse=True)[:most]


def is_large(request: Request) -> bool:
    """Return whether a request has very many examples, as where the shares of what is drawn are counted."""
    return _size(request) > _LARGEST


def _shapes(value: Any) -> Any:
    if isinstance(value, Tensor):
        return tuple(value.shape)
    if isinstance(value, dict):
        return {key: _shapes(item) for key, item in value.items()}
    return [_shapes(item) for item in value] if isinstance(value, tuple | list) else repr(value)


def _size(request: Request) -> int:
    """Return how many numbers a request asks about."""
    return sum(_numbers(part) for part in (*request.args, *request.kwargs.values()))


def _numbers(value: Any) -> int:
    if isinstance(value, Tensor):
        return value.numel()
    return sum(map(_numbers, value)) if isinstance(value, tuple | list) else 1
