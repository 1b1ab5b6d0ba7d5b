"""Choose the cases of a parametrized test that every run has; the nightly run has all."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def one_in(every: int, cases: Iterable[Any], reason: str) -> list[Any]:
    """Mark all cases but the first of each group of ``every`` as nightly, for this reason."""
    return [case if number % every == 0 else _nightly(case, reason) for number, case in enumerate(cases)]


def only(chosen: Collection[Any], cases: Iterable[Any], reason: str) -> list[Any]:
    """Mark all cases but the chosen ones as nightly, for this reason. Raises ValueError if a chosen one is not among them."""
    cases = list(cases)
    if unknown := [case for case in chosen if case not in cases]:
        raise ValueError(f"There is no case {unknown[0]!r} to choose; expected some of {cases}.")
    return [case if case in chosen else _nightly(case, reason) for case in cases]


def _nightly(case: Any, reason: str) -> Any:
    mark = pytest.mark.nightly(reason=reason)
    if hasattr(case, "marks"):  # it is a pytest.param, which keeps its id
        return case._replace(marks=[*case.marks, mark])
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=mark)
