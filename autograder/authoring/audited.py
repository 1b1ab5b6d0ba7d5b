"""Select the known answers for an audit."""

import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from autograder.content.known_answers import Case, course_cases, read_bank
from autograder.content.lesson import package_of
from autograder.grading.course import Course


def selected(
    course: Course, banks: Sequence[Path] | None, only: Sequence[str] | None, since: str | None, tenth: int | None
) -> Iterator[Case]:
    """Yield the cases of the banks, or else the course's own. Raises LookupError for a case without an exercise."""
    for bank in banks or ():
        if not bank.is_dir():
            raise FileNotFoundError(
                f"There is no folder {bank}. Expected one with files <assignment>/<exercise>/<right|wrong>/<name>.py."
            )
    own = _own(course, since, tenth) if not banks else []
    for case in (*own, *(case for bank in banks or () for case in read_bank(bank))):
        known = course.lessons.of(case.assignment).exercises
        if case.exercise not in known:
            raise LookupError(
                f"{case}: {case.assignment} has no exercise {case.exercise!r}. Expected one of: {', '.join(known)}."
            )
        if not only or case.exercise in only:
            yield case


def _own(course: Course, since: str | None, tenth: int | None) -> list[Case]:
    """Return the course's own cases: all of them, or those of lessons changed since a commit and a tenth of the others."""
    cases = course_cases(course.lessons, course.assignments)
    if since is None:
        return cases
    changed = changed_lessons(course, since)
    part = int(time.time() // 86400) % 10 if tenth is None else tenth % 10
    print(f"audit: all of {', '.join(changed) or 'no lesson'}, and tenth {part} of the others (--tenth {part})")
    return [case for number, case in enumerate(cases) if case.assignment in changed or number % 10 == part]


def changed_lessons(course: Course, since: str) -> list[str]:
    """Return the assignments whose source or content differs from a commit. Raises ValueError for an unknown commit."""
    command = ["git", "diff", "--name-only", since, "--"]
    done = subprocess.run(command, cwd=course.root, capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"git cannot compare with {since!r}: {done.stderr.strip()}")
    parts = {part for line in done.stdout.splitlines() for part in Path(line).parts}
    return [name for name in course.assignments if name in parts or package_of(name) in parts]
