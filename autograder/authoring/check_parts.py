"""Profile ``check("softmax")``: the time of each additional request, and of its parts."""

import contextlib
import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import wraps
from types import ModuleType
from typing import Any

from torch import nn

from autograder.checks import expect
from autograder.runtime.blocked import calls
from autograder.runtime.local import LocalStudent
from autograder.verdict import runner

BUILDING, CALLS, ARGUMENTS = "building modules", "the student's calls", "arguments and promises"
REFERENCES, COMPARING, CAUSES, REST = "references", "comparing", "looking for causes", "the rest"


class Stopwatch:
    """The seconds spent in each part. A part within one in ``_OPEN`` pauses it; any other part absorbs the parts within it."""

    #: What holds other parts. What any other part calls belongs to it: a reference that builds a module, a check that is run
    #: again in the search for causes.
    _OPEN = (REST, ARGUMENTS)

    def __init__(self, clock: Callable[[], float] = time.process_time):
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._clock, self._parts, self._since = clock, [REST], clock()

    @contextlib.contextmanager
    def within(self, part: str) -> Iterator[None]:
        """Count the time of the body towards this part."""
        if self._parts[-1] not in self._OPEN:
            yield
            return
        self.stop()
        self._parts.append(part)
        try:
            yield
        finally:
            self.stop()
            self._parts.pop()

    def stop(self) -> None:
        """Add the time since the last call to the current part."""
        now = self._clock()
        self.seconds[self._parts[-1]] += now - self._since
        self._since = now

    def watch(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function, with its time counted for this part."""

        @wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            with self.within(part):
                return function(*args, **kwargs)

        return watched


def shares(check: Callable[[], Any], references: ModuleType) -> dict[str, float]:
    """Run a check in this process and return each part's share of its processor time; together they are 1.

    references: the module of the lesson's right answers, with which the check compares. Measuring itself takes a few per cent.
    """
    watch, block = Stopwatch(), calls.block_functions

    @contextlib.contextmanager
    def blocked(*args: Any, **kwargs: Any) -> Iterator[None]:
        with watch.within(CALLS), block(*args, **kwargs):
            yield

    with contextlib.ExitStack() as patches:

        def replace(owner: Any, name: str, value: Any) -> None:
            patches.callback(setattr, owner, name, vars(owner)[name])
            setattr(owner, name, value)

        replace(calls, "block_functions", blocked)
        replace(LocalStudent, "_attempt", watch.watch(ARGUMENTS, LocalStudent._attempt))
        replace(LocalStudent, "_target", watch.watch(BUILDING, LocalStudent._target))
        replace(runner, "diagnose_failures", watch.watch(CAUSES, runner.diagnose_failures))
        for name, function in inspect.getmembers(expect, inspect.isfunction):
            replace(expect, name, watch.watch(COMPARING, function))
        for name, member in _public(references):
            if isinstance(member, type):
                for method in {"__init__", "forward"} & vars(member).keys():
                    replace(member, method, watch.watch(REFERENCES, vars(member)[method]))
            else:
                replace(references, name, watch.watch(REFERENCES, member))
        watch.stop()
        watch.seconds.clear()
        check()
        watch.stop()
    total = sum(watch.seconds.values())
    ordered = sorted(watch.seconds.items(), key=lambda item: -item[1])
    return {part: seconds / total for part, seconds in ordered}


def _public(references: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the functions and the classes of modules in a module of references, by name."""
    for name, member in vars(references).items():
        if inspect.isfunction(member) or (
            isinstance(member, type) and issubclass(member, nn.Module) and member is not nn.Module
        ):
            yield name, member
