"""Of many cases of one kind every run has some, and the nightly run has all."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def one_in(every: int, cases: Iterable[Any], reason: str) -> list[Any]:
    """Return the cases for ``parametrize``: of so many each the first in every run, the others nightly for this reason."""
    return [case if number % every == 0 else _nightly(case, reason) for number, case in enumerate(cases)]


def only(chosen: Callable[[Any], bool], cases: Iterable[Any], reason: str) -> list[Any]:
    """Return the cases for ``parametrize``: the chosen ones in every run, the others nightly for this reason."""
    return [case if chosen(case) else _nightly(case, reason) for case in cases]


def _nightly(case: Any, reason: str) -> Any:
    values, marks = (case.values, case.marks) if hasattr(case, "marks") else (case, ())
    values = values if isinstance(values, tuple) else (values,)
    return pytest.param(*values, marks=[*marks, pytest.mark.nightly(reason=reason)])
