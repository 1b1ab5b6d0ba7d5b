"""The cause that only exercises with numbers of each student's own have: an answer that is right with somebody else's."""

from collections.abc import Iterable, Sequence

from autograder.checks.execute import replay
from autograder.content.variant import takes_variant
from autograder.diagnosis.lost import Lost
from autograder.runtime.failure import Diagnosis
from autograder.runtime.student import Student
from course_lib.variants import same

NOBODYS = Diagnosis(
    "nobody's numbers",
    "This is right with the numbers that are drawn while the notebook does not know who you are. Look at the cell with "
    "variants.i_am: write your id there, and run it and the cells below it again.",
)
ANOTHERS = Diagnosis(
    "another student's numbers",
    "This is right with the numbers of another student, and yours are others. Look at what your own notebook draws once "
    "variants.i_am has your id.",
)

#: Kinds of failures after which there is no result that could be right with other numbers.
_NO_RESULT = ("crash", "forbidden", "missing", "unwritten", "time")


def whose(lost: Sequence[Lost], student: Student, seed: int, others: Iterable[str]) -> str | None:
    """Return the id with whose numbers every failed check of the student's own numbers passes; None if there is none.

    The empty id, nobody's, comes before ``others``. Where two of these fit, the numbers are so few that it is chance.
    """
    own = [each for each in lost if takes_variant(each.check)]
    if not own or any(each.failure.kind in _NO_RESULT for each in own):
        return None

    def fits(who: str) -> bool:
        return all(replay(each.check, student, seed, who) is None for each in own)

    me = same(student.student_id)
    if me and fits(""):
        return ""
    known = {same(other): other for other in others}
    found = [known[who] for who in sorted(known.keys() - {me, ""}) if fits(who)]
    return found[0] if len(found) == 1 else None


def causes(lost: Sequence[Lost], who: str | None) -> list[Diagnosis | None]:
    """Return the cause of each row that the numbers of ``who`` explain."""
    told = None if who is None else ANOTHERS if who else NOBODYS
    return [told if takes_variant(each.check) else None for each in lost]
