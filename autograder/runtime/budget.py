"""How much processor time a search for causes may use. The points have limits of their own."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: Processor seconds after which the search in a notebook asks no more. It rarely needs more than one.
_IN_A_NOTEBOOK = 20.0


class SearchOver(BaseException):
    """The time for the search for causes is used up. No ``except Exception`` takes it for an error of the student's."""


@dataclass(frozen=True)
class Budget:
    """The search ends when the ``clock`` of used processor seconds has reached ``until``."""

    until: float
    clock: Callable[[], float]


class Searched:
    """A student for whom a search for causes has a budget."""

    _budget: Budget | None = None  # while there is a search

    @contextlib.contextmanager
    def searched(self) -> Iterator[None]:
        self._budget = self._new_budget()
        try:
            yield
        finally:
            self._budget = None

    def _new_budget(self) -> Budget:
        return Budget(time.process_time() + _IN_A_NOTEBOOK, time.process_time)

    def may_be_asked(self) -> None:
        """Raise SearchOver if the budget of a search is used up. A request that has begun is not interrupted."""
        if self._budget and self._budget.clock() >= self._budget.until:
            raise SearchOver
