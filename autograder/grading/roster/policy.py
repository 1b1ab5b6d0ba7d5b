"""The teacher's own rules, in ``course.toml`` at the course's root: time zone, due dates, and what lateness costs.

Upstream has no such file, so that its updates never touch yours::

    timezone = "Europe/Berlin"
    [due]
    01-attention = 2026-10-05T23:59:00
    [late]
    per_day = 0.1        # this part of the points for each day begun
    cap = 0.5            # at most this part
    free_days = 3        # not charged, for each student, over the whole course
    grace_minutes = 10   # less late than this is on time
    of = "earned"        # parts of the points earned, or "possible": of all points of the assignment
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from autograder.grading.course import Course
from autograder.grading.roster.datetimes import in_utc, zone

FILE = "course.toml"


@dataclass(frozen=True)
class LateRule:
    """What lateness costs. The shares are between 0 and 1."""

    per_day: float = 0.0
    cap: float = 1.0
    free_days: int = 0
    grace_minutes: float = 0.0
    of: str = "earned"

    def days(self, late: timedelta) -> int:
        """Return the number of days begun after the due date and the minutes of grace."""
        if late <= timedelta(minutes=self.grace_minutes):
            return 0
        return math.ceil(late / timedelta(days=1))

    def penalty(self, charged_days: int, earned: float, possible: float) -> float:
        """Return the points that this many days cost, never more than were earned."""
        share = min(self.cap, self.per_day * charged_days)
        return round(min(earned, share * (possible if self.of == "possible" else earned)), 4)


@dataclass(frozen=True)
class Policy:
    """``due`` holds the due dates in UTC; ``late`` is None where ``course.toml`` has no such rule: nbgrader's own holds then."""

    zone: tzinfo = UTC
    due: Mapping[str, datetime] = field(default_factory=dict)
    late: LateRule | None = None


def read_policy(course: Course) -> Policy:
    """Read ``course.toml``; the usual rules if there is none. Raises ValueError with what is wrong in it."""
    path = course.root / FILE
    try:
        given = tomllib.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        return Policy(zone(None))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    try:
        here = zone(given.get("timezone"))
        due = {name: _due(name, when, here, course) for name, when in given.get("due", {}).items()}
        late = _late(given["late"]) if "late" in given else None
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return Policy(here, due, late)


def _due(name: str, when: Any, here: tzinfo, course: Course) -> datetime:
    if name not in course.assignments:
        raise ValueError(f"[due] names {name!r}. Expected one of: {', '.join(course.assignments)}.")
    if not isinstance(when, datetime):
        raise ValueError(f"expected a date and time such as 2026-10-05T23:59:00 for {name}, but got {when!r}")
    return in_utc(when, here)


def _late(given: Mapping[str, Any]) -> LateRule:
    known = {one.name for one in fields(LateRule)}
    if unknown := sorted(given.keys() - known):
        raise ValueError(f"[late] has {unknown[0]!r}. Expected: {', '.join(sorted(known))}.")
    rule = LateRule(**given)
    for name in ("per_day", "cap"):
        if not 0 <= getattr(rule, name) <= 1:
            raise ValueError(f"[late] {name} is a share between 0 and 1, but is {getattr(rule, name)!r}")
    if rule.free_days < 0 or rule.grace_minutes < 0 or rule.of not in ("earned", "possible"):
        raise ValueError('[late] expected free_days and grace_minutes of at least 0, and of = "earned" or "possible"')
    return rule
