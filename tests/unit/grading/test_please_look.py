"""The list of what waits for a person: what is urgent first, a reason once for all whom it concerns, and the next step."""

from autograder.grading.gradebook.please_look import ASKS, things_to_look_at
from autograder.grading.gradebook.regrade_requests import Request
from autograder.grading.roster.roster import Student
from autograder.grading.run.status import FAILED, GRADED, HUMAN, Outcome

ADA, BEN, CYD = (Student(name, last_name=name.upper()) for name in ("ada", "ben", "cyd"))


def listed(*rows):
    return [(look.who, look.state, look.why, look.next_step) for look in things_to_look_at("01-attention", rows)]


def test_a_reason_that_several_share_is_one_row():
    note = "attention.safetensors was not handed in"
    crowd = [Student(f"s{number}") for number in range(40)]
    [row] = listed(*((student, Outcome(student.id, GRADED, notes=(note,)), ()) for student in crowd))
    assert row == ("s0, s1, s2, s3, 36 others", GRADED, note, "autograder why s0 01-attention")


def test_where_somebody_has_to_act_comes_first():
    asked = (Request(4, "the sum is over dim", "2026-10-06"), Request(3, "old", "2026-10-05", answered="2026-10-06"))
    rows = listed(
        (ADA, Outcome("ada", GRADED, notes=("the same work as ben",)), ()),
        (BEN, Outcome("ben", GRADED), asked),
        (CYD, Outcome("cyd", FAILED, reason="the disk was full"), ()),
        (Student("dan"), Outcome("dan", HUMAN, reason="two notebooks"), ()),
        (Student("eve"), None, ()),
    )
    assert [(who, state) for who, state, *_ in rows] == [
        ("dan", HUMAN),
        ("cyd (CYD)", FAILED),
        ("ben (BEN)", ASKS),
        ("ada (ADA)", GRADED),
    ]
    assert [step for *_, step in rows] == [
        "mend what is in submitted/dan/01-attention, then: autograder grade 01-attention --student dan",
        "autograder grade 01-attention --student cyd",
        "autograder why ben 01-attention, then: autograder requests 01-attention --answer 4 --text '…'",
        "autograder similar 01-attention",
    ]


def test_who_has_nothing_to_look_at_is_not_listed():
    assert listed((ADA, Outcome("ada", GRADED), ()), (BEN, None, ())) == []
