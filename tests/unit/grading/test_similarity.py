"""Similar answers are found whatever their variables are called, and what everybody was given is not among them."""

import time

import made_up
import pytest
from known import LESSONS
from made_up import ASSIGNMENT
from test_report import HOSTILE, autograded

from autograder.content.known_answers import cases_of
from autograder.grading.run.status import GRADED, Outcome, same_as_others, save_status
from autograder.grading.teacher.similarity import fingerprint, highlight_shared, known_hashes, pairs, write_similar

ODD = '''\
def softmax(E, dim=-1):
    """{doc}"""
    # {doc}
    {a} = E.movedim(dim, -1).reshape(-1, E.shape[dim])
    {b} = [torch.exp({c} - max({c}.tolist())) for {c} in {a}]
    {d} = torch.stack([{c} / float({c}.sum()) for {c} in {b}])
    if {d}.numel() != E.numel():
        raise RuntimeError("rows went missing")
    return {d}.reshape(E.movedim(dim, -1).shape).movedim(-1, dim)
'''
OTHER = """\
def softmax(E, dim=-1):
    top = E
    for _ in range(3):
        top = torch.maximum(top, top.roll(1, dims=dim))
    biggest = E.sort(dim=dim, descending=True).values.select(dim, 0).unsqueeze(dim)
    logs = E - biggest - (E - biggest).exp().sum(dim, keepdim=True).log()
    return logs.exp()
"""


def prints(texts):
    lesson = LESSONS.of(ASSIGNMENT)
    known = known_hashes(case.text for case in cases_of(lesson, "softmax"))
    return {"softmax": {student: fingerprint(text, known) for student, text in texts.items()}}


def odd(*names, doc="Shares."):
    return ODD.format(**dict(zip("abcd", names, strict=True)), doc=doc)


def test_renamed_variables_and_comments_do_not_hide_it():
    found = pairs(
        prints({"ada": odd("a", "b", "c", "d"), "ben": odd("rows", "heaps", "one", "out", doc="Mine."), "cyd": OTHER}),
        {},
        0.5,
    )
    assert [(pair.first, pair.second) for pair in found] == [("ada", "ben")]
    assert found[0].total > 0.8


def test_blank_lines_take_no_time_and_change_nothing():
    """Nine thousand lines of one space each took seven seconds, in each exercise of each student who wrote them."""
    began = time.process_time()
    found = prints({"few": OTHER, "many": OTHER.replace("\n", "\n" + " \n" * 9000, 1)})["softmax"]
    assert time.process_time() - began < 3
    assert found["few"].own_hashes == found["many"].own_hashes


def test_a_group_may_be_alike():
    texts = {"ada": odd("a", "b", "c", "d"), "ben": odd("e", "f", "g", "h")}
    assert pairs(prints(texts), {"ada": "7", "ben": "7"}, 0.1) == []
    assert len(pairs(prints(texts), {"ada": "7", "ben": "8"}, 0.1)) == 1


@pytest.mark.slow
def test_known_answers_are_not_similarities():
    """Two who write the same known answer, right or wrong, are no pair."""
    for case in cases_of(LESSONS.of(ASSIGNMENT), "softmax"):
        assert pairs(prints({"ada": case.text, "ben": case.text}), {}, 0.01) == [], case.name


def test_common_code_is_no_similarity():
    texts = {f"s{number}": odd("a", "b", "c", f"d{number}") for number in range(30)}
    assert pairs(prints(texts), {}, 0.1) == []


@pytest.mark.parametrize(
    ("places", "pieces"),
    [
        ([], [("abcdef", False)]),
        ([(0, 2), (4, 6)], [("ab", True), ("cd", False), ("ef", True)]),
        ([(1, 4), (2, 5)], [("a", False), ("bcd", True), ("e", True), ("f", False)]),
    ],
)
def test_pieces_are_the_whole_text_in_order(places, pieces):
    assert highlight_shared("abcdef", places) == pieces


def test_the_page_shows_pairs_side_by_side_and_hostile_code_as_text(empty_class):
    made_up.hand_in(empty_class, {name: {} for name in ("ada", "ben", "cyd")})
    autograded(empty_class, "ada", softmax=odd("a", "b", "c", "d", doc=HOSTILE))
    autograded(empty_class, "ben", softmax=odd("e", "f", "g", "h"))
    autograded(empty_class, "cyd", softmax=OTHER)
    page, number, same = write_similar(empty_class, ASSIGNMENT, 0.5)
    text = page.read_text(encoding="utf8")
    assert (number, same) == (1, 0)
    assert "ada and ben" in text
    assert text.count("<mark>") >= 2
    assert HOSTILE not in text
    assert "This page shows places to look at, and proves nothing about anybody." in text


def test_the_same_work_is_named_although_a_known_answer_makes_no_pair(empty_class):
    """Whoever is sent here by "the same work as" found no pair where the shared answer was a known one."""
    known = next(iter(cases_of(LESSONS.of(ASSIGNMENT), "softmax"))).text
    made_up.hand_in(empty_class, {name: {} for name in ("ada", "ben", "cyd")})
    for student in ("ada", "ben", "cyd"):
        autograded(empty_class, student, softmax=OTHER if student == "cyd" else known)
    graded = [
        Outcome(one, GRADED, digest="cyd" if one == "cyd" else "same", earned=2.0) for one in ("ada", "ben", "cyd")
    ]
    save_status(empty_class.grading, ASSIGNMENT, same_as_others(graded))
    page, number, same = write_similar(empty_class, ASSIGNMENT, 0.5)
    assert (number, same) == (0, 1)
    assert "<li>ada, ben</li>" in page.read_text(encoding="utf8")


def test_refuses_a_class_without_graded_work(empty_class):
    with pytest.raises(LookupError, match="has been graded yet"):
        write_similar(empty_class, ASSIGNMENT, 0.5)
