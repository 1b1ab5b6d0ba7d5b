"""Text that the site shows is compared with every answer, before the site is built."""

import html

import pytest
from known import COURSE

from autograder.authoring.site.leaking import leaks
from autograder.content.known_answers import misconceptions

pytestmark = pytest.mark.slow  # it reads every answer of every lesson


@pytest.fixture
def feedback(tmp_path):
    """A page for each lesson, with what students with a known mistake are told."""
    for assignment in COURSE.assignments:
        lesson = COURSE.lessons.of(assignment)
        told = [f"{case.hint}\n{case.why}" for name in lesson.exercises for case in misconceptions(lesson, name)]
        (tmp_path / f"{assignment}.html").write_text(html.escape("\n".join(told)), encoding="utf8")
    return tmp_path


def test_feedback_holds_no_line_of_an_answer_to_its_own_lesson(feedback):
    assert leaks(COURSE, feedback) == []


@pytest.mark.parametrize(
    "line",
    [
        "return exponentials / exponentials.sum(dim=dim, keepdim=True)",
        "V = torch.cat((cache[1], V), dim=2)",
    ],
)
def test_a_line_of_another_lessons_answer_is_found(feedback, line):
    page = feedback / "02-multi-head-attention.html"
    page.write_text(f"{page.read_text(encoding='utf8')} {line}", encoding="utf8")
    [found] = leaks(COURSE, feedback)
    assert page.name in found
    assert line in found
