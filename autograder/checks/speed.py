"""A timed exercise: the student's function is raced against the reference, and the ratio of their times earns points."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autograder.runtime.failure import CheckFailure, PartialCredit
from autograder.runtime.measure import Ratio
from autograder.runtime.student import Student

#: What else runs on the machine moves a ratio by up to a fifth (caches and memory are shared); that must not cost a point.
MARGIN = 1.2
#: What else runs changes its ways within seconds, and one race sees only one of them. So points that are lost by less than this
#: factor are raced for again, so many times, and the best race counts.
NEAR, AGAIN = 1.3, 4


@dataclass(frozen=True)
class Target:
    """At most ``full`` times the time of the reference earns all points, at most ``part`` times half of them.

    ``against`` names the reference; ``setting`` and ``hint`` are shown with a failure.
    """

    name: str
    full: float
    part: float
    against: str
    setting: str
    hint: str
    rounds: tuple[int, int] = (3, 40)

    def check(self, student: Student, fresh: Callable[[], tuple], right: Callable[[], None], **kwargs: Any) -> None:
        """Raise CheckFailure or PartialCredit if the student's function is too slow on the inputs that ``fresh`` draws.

        ``right`` raises CheckFailure if its result on such inputs is wrong: fast and wrong is wrong. It is not called if the
        answer is hopelessly slow, since it may take far longer than one reading. The lower end of the ratio's interval
        decides: a reading that stays unclear counts for the student.
        """
        ratio = self._raced(student, fresh, **kwargs)
        if not ratio.hopeless:
            right()
        for limit, fraction in ((self.part, 0.0), (self.full, 0.5)):
            if ratio.low > limit * MARGIN:
                raise PartialCredit(fraction, self._too_slow(ratio)) if fraction else self._too_slow(ratio)

    def _raced(self, student: Student, fresh: Callable[[], tuple], **kwargs: Any) -> Ratio:
        limits = (self.full * MARGIN, self.part * MARGIN)
        found = student.time_ratio(self.name, fresh, limits, self.rounds, **kwargs)
        for _ in range(AGAIN):
            if not any(limit < found.low <= NEAR * limit for limit in limits):
                break
            again = student.time_ratio(self.name, fresh, limits, self.rounds, **kwargs)
            found = min(found, again, key=lambda ratio: ratio.low)
        return found

    def _too_slow(self, ratio: Ratio) -> CheckFailure:
        return CheckFailure(
            "speed",
            "Right, but slow.",
            setting=self.setting,
            expected=f"at most {self.full} times the time of {self.against} (points are lost from {self.full * MARGIN:g} on)",
            yours=f"{ratio} times",
            received="speed",
            cause="too slow",
            hint=self.hint,
        )
