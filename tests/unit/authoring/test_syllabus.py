"""The syllabus: every lesson once in each plan, the hours of the sources, and readings that the lessons themselves name."""

import re
import shutil

import pytest
from known import COURSE

from autograder.authoring.syllabus import PAGE, refresh_syllabus, syllabus_page
from autograder.grading.course import Course

TEXT = (COURSE.root / PAGE).read_text(encoding="utf8")
PLANS = dict(re.findall(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", TEXT, re.MULTILINE | re.DOTALL))
#: The lessons of the fourteen weeks; later ones are not in the plans.
WEEKS = [name for name in COURSE.assignments if int(name[:2]) <= 14]


def rows(plan: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in PLANS[plan].splitlines() if line[:1] == "|"
    ]


def test_the_hours_are_those_of_the_sources():
    assert syllabus_page(COURSE) == TEXT, "Run `autograder build`, which writes them."


@pytest.mark.parametrize("plan", ["Fourteen weeks", "Seven weeks"])
def test_each_lesson_is_in_each_plan_once(plan):
    assert re.findall(r"`(\d\d-[\w-]+)`", PLANS[plan]) == WEEKS
    assert len(rows(plan)) == {"Fourteen weeks": 14, "Seven weeks": 7}[plan] + 3


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_adds_up(plan):
    """To half an hour for each row that was rounded; and no week of seven, and no day, has more than twelve hours."""
    head, _, *weeks, total = rows(plan)
    for name in ("core", "optional"):
        hours = [0.0 if row[head.index(name)] == "–" else float(row[head.index(name)]) for row in (*weeks, total)]
        assert sum(hours[:-1]) == pytest.approx(hours[-1], abs=0.25 * len(weeks) + 0.25)
        assert name == "optional" or 0 < max(hours[:-1]) <= (6 if plan == "Fourteen weeks" else 12)
    assert total[0] == "in all"


def test_a_lesson_names_what_is_read_with_it():
    for row in rows("Fourteen weeks")[2:-1]:
        name = row[1].strip("`")
        prose = " ".join(COURSE.source_of(name).read_text(encoding="utf8").split()).lower()
        titles = re.findall(r"\*([^*]+)\*", row[-1])
        assert titles or row[-1].startswith("the same paper")
        for title in titles:
            assert f"*{title.lower()}*" in prose, (name, title)


def test_hours_that_are_wrong_are_written_anew(tmp_path):
    (tmp_path / "docs").mkdir()
    shutil.copytree(COURSE.solutions, tmp_path / "solutions", ignore=shutil.ignore_patterns("*.ipynb", "*.safetensors"))
    (tmp_path / PAGE).write_text(re.sub(r"` \| [\d.]+ \|", "` | 99 |", TEXT), encoding="utf8")
    refresh_syllabus(Course(tmp_path))
    assert (tmp_path / PAGE).read_text(encoding="utf8") == TEXT
    (tmp_path / PAGE).write_text(
        "| week | lesson | core | optional |\n|---|---|---|---|\n| 1 | `99-none` | | |\n", encoding="utf8"
    )
    with pytest.raises(LookupError, match="99-none"):
        refresh_syllabus(Course(tmp_path))
