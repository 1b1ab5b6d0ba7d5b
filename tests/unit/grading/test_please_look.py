"""The list of what waits for a person: what is urgent first, a reason once for all whom it concerns, and the next step."""

from autograder.grading.gradebook.please_look import ASKS, things_to_look_at
from autograder.grading.gradebook.regrade_requests import Request
from autograder.grading.roster.roster import Student
from autograder.grading.run.status import FAILED, GRADED, HUMAN, Outcome, late_without_time

ADA, BEN, CYD = (Student(name, last_name=name.upper()) for name in ("ada", "ben", "cyd"))


def listed(*rows):
    return [(look.who, look.state, look.why, look.next_step) for look in things_to_look_at("01-attention", rows)]


def test_a_reason_that_several_share_is_one_row():
    note = "attention.safetensors was not handed in"
    crowd = [Student(f"s{number}") for number in range(40)]
    [row] = listed(*((student, Outcome(student.id, GRADED, notes=(note,)), ()) for student in crowd))
    assert row == ("s0, s1, s2, s3, 36 others", GRADED, note, "autograder why s0 01-attention")


def test_the_same_work_of_many_is_one_row():
    """Each note names five of the others."""
    ids = [f"s{number:02}" for number in range(12)]
    rows = [
        (
            Student(one),
            Outcome(one, GRADED, notes=(f"the same work as {', '.join([i for i in ids if i != one][:5])}",)),
            (),
        )
        for one in ids
    ]
    pair = [(ADA, Outcome("ada", GRADED, notes=("the same work as ben",)), ())]
    pair += [(BEN, Outcome("ben", GRADED, notes=("the same work as ada",)), ())]
    assert [(who, why) for who, _, why, _ in listed(*rows, *pair)] == [
        ("s00, s01, s02, s03, 8 others", "the same work as each other"),
        ("ada (ADA), ben (BEN)", "the same work as each other"),
    ]


def test_of_late_work_without_a_time_the_next_step_is_to_write_it():
    [late] = late_without_time([Outcome("ada", GRADED)], {"ada": "Canvas"})
    [(*_, step)] = listed((ADA, late, ()))
    assert step == (
        "write the time, such as 2026-10-06 08:15:00 UTC, into submitted/ada/01-attention/timestamp.txt, then: "
        "autograder grade 01-attention --student ada"
    )


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
