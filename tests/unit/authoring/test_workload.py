"""The hours that a lesson states are those that its source adds up to: a rule of the build."""

import jupytext
import nbformat
import pytest
from known import COURSE, LESSONS

from autograder.authoring.source_rules import Source
from autograder.authoring.workload import EXPERIMENT, Workload, exercise_minutes, plan, workload
from autograder.content.lesson import mark_value

SOURCES = {source.parent.name: source for source in COURSE.sources()}


def test_adds_up_words_dots_experiments_and_questions():
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    cells = [
        markdown("word " * 296 + r"$$ \sum_i a b c $$ `a = b + c` one two"),
        markdown(
            "**Exercise 1.** ● Write `softmax`.\n\n**Exercise 2.** ●●● Write `attend`. ●● is not at the beginning."
        ),
        code("x = 1", metadata={"tags": ["experiment"]}),
        code("draw()", metadata={"tags": ["experiment"], "jupyter": {"source_hidden": True}}),
        code("check()", metadata={"nbgrader": {"grade": True, "solution": False}}),
        markdown("1. Why?", metadata={"nbgrader": {"grade": True, "solution": True}}),
    ]
    found, optional = workload(cells)
    assert optional == Workload()
    assert (found.exercises, found.experiments, found.questions) == (70, 4, 18)
    assert found.reading == pytest.approx((300 + 15 + 2) / 150, abs=0.03)


def test_optional_parts_are_counted_apart():
    markdown, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    experiment = {"tags": ["experiment"]}
    cells = [
        markdown("# Title\n\n**Exercise 1.** ● Write.\n\n## 2 A (optional)\n\n**Exercise 2 (optional).** ●● Write."),
        code("x = 1", metadata=experiment),
        markdown("### Written question 1 (optional)"),
        markdown("An answer", metadata={"nbgrader": {"grade": True, "solution": True}}),
        markdown("## 3 B"),
        code("x = 2", metadata=experiment),
    ]
    core, optional = workload(cells)
    assert (core.exercises, core.experiments, core.questions) == (10, 4, 0)
    assert (optional.exercises, optional.experiments, optional.questions) == (25, 4, 18)
    words = len(" ".join(cell.source for cell in cells if cell.cell_type == "markdown").split())
    assert core.reading + optional.reading == pytest.approx(words / 150)
    assert plan(cells) == "Plan about half an hour; the optional parts take about one more"


@pytest.mark.parametrize(
    ("minutes", "words"),
    [(3, "half an hour"), (60, "one hour"), (100, "one and a half hours"), (244, "four hours")],
)
def test_hours_are_in_words_to_the_half_hour(minutes, words):
    assert Workload(minutes).in_words() == words


@pytest.mark.parametrize(
    ("minutes", "words"), [(20, "half an hour more"), (60, "one more"), (150, "two and a half more")]
)
def test_a_lesson_says_how_long_its_optional_parts_take(minutes, words):
    text = "word " * (150 * minutes)
    cells = [nbformat.v4.new_markdown_cell(f"{'word ' * 150 * 60}\n\n## 2 More (optional)\n{text}")]
    assert plan(cells) == f"Plan about one hour; the optional parts take about {words}"


@pytest.mark.parametrize("assignment", SOURCES)
def test_each_lesson_states_its_hours(assignment):
    cells = jupytext.read(SOURCES[assignment]).cells
    assert plan(cells) in " ".join(cells[0].source.split())


#: Hours of the core of one lesson, and of the fourteen weeks together.
LONGEST, ALL = 6, 60


def test_no_core_takes_more_than_six_hours_and_fourteen_weeks_take_sixty():
    hours = {name: workload(jupytext.read(source).cells)[0].minutes / 60 for name, source in SOURCES.items()}
    assert not {name: round(core, 2) for name, core in hours.items() if core > LONGEST}
    assert sum(core for name, core in hours.items() if int(name[:2]) <= 14) <= ALL


@pytest.mark.parametrize(
    ("stated", "sentences"),
    [
        ("two\nhours; the optional parts\ntake about one more", 0),
        ("one hour; the optional parts take about one more", 1),
        ("two hours; the optional parts take about half an hour more", 1),
        ("two hours", 1),
    ],
)
def test_the_build_refuses_other_hours(tmp_path, stated, sentences):
    exercises = "".join(f"**Exercise {n}.** ●●● Write a function.\n\n" for n in (1, 2))
    optional = "**Exercise 3 (optional).** ●●● Write a function."
    cells = [nbformat.v4.new_markdown_cell(f"Plan about {stated}.\n\n{exercises}{optional}")]
    problems = [*Source(tmp_path, cells, None).problems()]
    assert len(problems) == sentences
    assert not problems or "add up to 'Plan about two hours; the optional parts take about one more'" in problems[0]


@pytest.mark.parametrize("assignment", SOURCES)
def test_no_exercise_has_more_than_twice_the_points_a_minute_of_another(assignment):
    lesson, minutes = LESSONS.of(assignment), exercise_minutes(jupytext.read(SOURCES[assignment]).cells)
    assert [name for name in lesson.exercises if name not in minutes] == [], "without dots for the work that they are"
    worth = {
        name: sum(mark_value(check, "points", 0) for check in lesson.checks(name).values()) / minutes[name]
        for name in lesson.exercises
    }
    low, high = min(worth, key=worth.__getitem__), max(worth, key=worth.__getitem__)
    assert worth[high] <= 2 * worth[low] + 1e-9, f"{high} {worth[high]:.2f} a minute, {low} {worth[low]:.2f}"


@pytest.mark.parametrize("assignment", SOURCES)
def test_a_core_has_at_most_ten_experiments(assignment):
    core, _ = workload(jupytext.read(SOURCES[assignment]).cells)
    assert core.experiments <= 10 * EXPERIMENT
