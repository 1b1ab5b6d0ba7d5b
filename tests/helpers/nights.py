"""A pytest plug-in: ``--nights 8`` runs the nightly tests of an eighth of the lessons, tomorrow's of the next.

NIGHT=0, 1, … says which eighth; by default, the date does. Nightly tests of no particular lesson run every night.
"""

import os
import re
import time

import pytest

_LESSON = re.compile(r"\[(?:.*-)?(\d\d)-[a-z]")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--nights", type=int, default=1, metavar="N", help="of the nightly tests, run those of one in N lessons"
    )


def pytest_configure() -> None:
    os.environ.setdefault("NIGHT", str(int(time.time() // 86400)))  # the same in all processes, also at midnight


def lesson_number(item: pytest.Item) -> int | None:
    """Return the number of the lesson that a test has as a parameter, or None."""
    found = _LESSON.search(item.name)
    return int(found[1]) if found else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    nights = config.getoption("nights")
    later = [
        item
        for item in items
        if item.get_closest_marker("nightly")
        and (number := lesson_number(item)) is not None
        and number % nights != int(os.environ["NIGHT"]) % nights
    ]
    if later:
        config.hook.pytest_deselected(items=later)
        dropped = {*later}
        items[:] = [item for item in items if item not in dropped]
