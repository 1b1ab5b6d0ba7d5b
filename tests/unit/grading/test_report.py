"""The page about a class says what the results say, shows hostile text as text, and works without a network, on any screen."""

import json
import re
from html import unescape

import made_up
import pytest
from browser import chromium
from known import LESSONS
from made_up import ASSIGNMENT

from autograder.content.known_answers import misconceptions
from autograder.grading.gradebook.regrade_requests import ask
from autograder.grading.gradebook.status import load_class_status
from autograder.grading.lms.grades import results
from autograder.grading.run.status import GRADED, Outcome, history, load_status, save_status
from autograder.grading.run.store import Store
from autograder.grading.teacher.answers import Answer, answer_in, groups, normalised_source
from autograder.grading.teacher.findings import findings
from autograder.grading.teacher.report import write_report

HOSTILE = (
    "\x1b[2J\x9b\u202e"
    "<script>document.title='attack-script-ran'</script><img src=x onerror=\"document.title='attack-script-ran'\">"
)


def autograded(course, student, **answers):
    """Write the notebook that grading leaves behind, with these answers."""
    cells = [
        {"cell_type": "code", "metadata": {"nbgrader": {"grade_id": name}}, "source": text, "outputs": []}
        for name, text in answers.items()
    ]
    place = course.grading / "autograded" / student / ASSIGNMENT
    place.mkdir(parents=True)
    (place / "attention.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf8")


WRONG = "def softmax(E, dim=-1):\n    # {0}\n    {0} = torch.exp(E)\n    return {0} / {0}.sum() {1}\n"


@pytest.fixture
def course(empty_class):
    (empty_class.grading / "roster.csv").write_text(
        "id,last_name,first_name,section,excused\n"
        'ada,Lovelace,Ada,A,\nben,"<b>Ben",=1+1,A,\ncyd,C,Cyd,B,\ndee,D,Dee,B,\neve,E,Eve,B,\nfay,F,Fay,B,01-attention\n',
        encoding="utf8",
    )
    made_up.hand_in(
        empty_class,
        {
            "ada": {"softmax": "base two"},
            "ben": {"softmax": "base two", "attend": HOSTILE},
            "cyd": {"softmax": ""},
            "dee": {"softmax": ""},
        },
        notes={"ada": (HOSTILE,)},
    )
    made_up.needs_human(empty_class, "eve", "two notebooks")
    autograded(empty_class, "cyd", softmax=WRONG.format("shares", ""))
    autograded(empty_class, "dee", softmax=WRONG.format("weights", "+ 0"))
    return empty_class


def page_of(course, assignment=ASSIGNMENT):
    return write_report(course, assignment).read_text(encoding="utf8")


def plain(page):
    return unescape(
        " ".join(
            re.sub(r"<style>.*?</style>|<script>.*?</script>|<svg.*?</svg>|<[^>]*>", " ", page, flags=re.DOTALL).split()
        )
    )


def test_report_agrees_with_the_results(course):
    ask(course, ASSIGNMENT, "cyd", "I see no mistake", "softmax", 1.0)
    page = page_of(course)
    text = plain(page)
    assert "6 students, due" in text
    assert "4 not yet marked" in text
    [known] = [case for case in misconceptions(LESSONS.of(ASSIGNMENT), "softmax") if case.title == "base two"]
    assert f"2 softmax base two {known.hint}" in text, "with the hint that students have read"
    assert re.search(r"base two .{0,200} ada, ben", text)
    assert "softmax: 2 students (cyd, dee)" in text, "alike but for the names of variables"
    assert "softmax property 1 of softmax 6 0 of 4 0 %" in text
    assert (
        "eve (Eve E) needs a human two notebooks mend what is in submitted/eve/01-attention, then: autograder grade"
        in text
    )
    assert "cyd (Cyd C) asks to grade again 1: I see no mistake autograder why cyd 01-attention, then:" in text
    assert "No submission Everybody who is not excused has handed in." in text
    assert 'aria-label="Points of 4 students: from 58 to 63, median 63."' in page


def test_an_exercise_is_described_by_mean_and_discrimination(empty_class):
    """Six are weak in everything, six have all but one exercise, which only the weak solve."""
    names = [exercise["name"] for exercise in made_up.exercises_of(empty_class)]
    weak, strong = dict.fromkeys(names[1:], ""), {names[0]: ""}
    made_up.hand_in(empty_class, {f"s{number}": weak if number < 6 else strong for number in range(12)})
    text = plain(page_of(empty_class))
    assert f"{names[0]} 7 57 % 6 of 12 0 −1.00" in text
    assert re.search(rf"{names[1]} \d+ \d+ % 6 of 12 0 [01]\.\d\d", text)
    few = findings_of(empty_class, 9)
    assert [one.discrimination for one in few] == [None] * len(names)


def findings_of(course, count):
    class_status = load_class_status(course, ASSIGNMENT)
    some = dict(list(results(course, class_status).items())[:count])
    return findings(course, class_status, some).exercises


def test_missing_points_are_not_zero(course):
    standing = load_class_status(course, ASSIGNMENT)
    assert [one.so_far for one in standing.students] == [63.0, 58.0, 63.0, 63.0, None, None]


def test_hostile_text_is_shown_as_text(course):
    page = page_of(course)
    assert HOSTILE not in page
    assert "&lt;script&gt;document.title" in page
    assert not set(page) & {"\x1b", "\x9b", "\u202e"}, "nothing turns what is around it"
    assert "&lt;b&gt;Ben" in page
    assert len(re.findall(r"<script", page)) == 1
    assert not re.findall(r"""(?:src|href)\s*=\s*["']?(?!#|["']?#)[a-z]+:""", page), "nothing is fetched"


def test_shows_the_points_before_and_after_a_regrade(course):
    after = made_up.result(course, "digest of ada", {})
    Store(course.grading).put("f" * 64, after)
    before = load_status(course.grading, ASSIGNMENT)["ada"]
    save_status(course.grading, ASSIGNMENT, [Outcome("ada", GRADED, "f" * 64, before.digest, earned=69.0, points=69.0)])
    assert [row["student"] for row in history(course.grading, ASSIGNMENT)] == ["ada"]
    text = plain(page_of(course))
    assert (
        "Before and after the last regrade student exercise before after why ada softmax 1 7 property 1 of softmax (base two)"
        in text
    )
    other = Outcome("ada", GRADED, "e" * 64, "another hand-in", earned=1.0, points=69.0)
    save_status(course.grading, ASSIGNMENT, [other])
    assert len(history(course.grading, ASSIGNMENT)) == 1, "newer work is no regrade"


def test_the_course_page_has_a_row_per_assignment(course):
    text = plain(page_of(course, None))
    assert "6 students, 1 assignments" in text
    assert "01-attention 73 0 5 0" in text
    assert "softmax: base two (2)" in text


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (
            "def f(a):\n    '''Doc.'''\n    b = a + 1  # more\n    return b",
            "def f(x: int) -> int:\n    y = x + 1\n    return y",
            True,
        ),
        ("def f(a):\n    return torch.exp(a)", "def f(a):\n    return torch.log(a)", False),
        ("def f(a):\n    return a.sum(0)", "def f(a):\n    return a.sum(1)", False),
        ("def f(a:\n    broken", "def f(a:\n      broken", True),
    ],
)
def test_names_and_comments_are_not_the_essence(one, other, same):
    assert (normalised_source(one) == normalised_source(other)) == same


def test_an_answer_is_the_last_definition():
    cells = [
        {"source": "x = 1\n\ndef f(a):\n    return 1\n\ndef g():\n    return f(2)"},
        {"source": "@wrapped\ndef f(a):\n    return 2  # new\n\nprint(f(1))"},
        {"source": "f(3)"},
    ]
    assert answer_in(cells, "f") == "@wrapped\ndef f(a):\n    return 2  # new"
    assert answer_in(cells, "h") == ""


def test_groups_keep_what_differs_apart():
    texts = {
        "a": "def f(x):\n    return x + 1",
        "b": "def f(y):\n    return y + 1",
        "c": "def f(x):\n    return [x * i for i in range(9)]",
    }
    found = groups({("f", ("check",)): [Answer(student, "f", text) for student, text in texts.items()]})
    assert [group.students for group in found] == [["a", "b"], ["c"]]


@pytest.mark.browser
def test_looks_right_on_small_and_large_screens_light_and_dark(course):
    path = write_report(course, ASSIGNMENT)
    with chromium() as browser:
        for width in (400, 1600):
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True
                )
                page, said = context.new_page(), []
                page.on("console", lambda message, said=said: said.append(message.text))
                page.on("request", lambda request, said=said: said.append(request.url))
                page.goto(f"file://{path}")
                assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing sticks out"
                assert page.title() == "01-attention: the class"
                assert said == [f"file://{path}"], "no error, no refused script, no other file"
                _sorted_and_searched(page)
                _contrast(page)
                context.close()


def _sorted_and_searched(page):
    ids = "[...document.querySelectorAll('#all tbody tr:not(.hidden)')].map(row => row.cells[0].textContent)"
    assert page.evaluate(ids) == ["ada", "ben", "cyd", "dee", "eve", "fay"]
    page.get_by_role("table").last.get_by_role("button", name="points").press("Enter")
    assert page.evaluate(ids) == ["ben", "ada", "cyd", "dee", "eve", "fay"], "by number, what is empty stays below"
    page.get_by_role("table").last.get_by_role("button", name="points").press("Enter")
    assert page.evaluate(ids)[-3:] == ["ben", "eve", "fay"]
    page.get_by_label("Search by name").fill("not yet b")
    assert set(page.evaluate(ids)) == {"ben", "cyd", "dee"}
    assert page.locator("#all-count").text_content() == "3 of 6"


_LUMINANCE = """selector => {
  const channel = v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const of = text => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(channel);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const style = getComputedStyle(document.querySelector(selector)), paper = getComputedStyle(document.body).backgroundColor;
  const [a, b] = [of(style.color), of(paper)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}"""


def _contrast(page):
    for selector in ("body", "a", ".soft", "figcaption"):
        assert page.evaluate(_LUMINANCE, selector) >= 4.5, selector
