"""The hours that a lesson states are those that its source adds up to: a rule of the build."""

import jupytext
import nbformat
import pytest
from known import COURSE

from autograder.authoring.source_rules import Source
from autograder.authoring.workload import Workload, workload

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
    found = workload(cells)
    assert (found.exercises, found.experiments, found.questions) == (70, 4, 18)
    assert found.reading == pytest.approx((300 + 15 + 2) / 150, abs=0.03)


@pytest.mark.parametrize(
    ("minutes", "words"), [(31, "half an hour"), (60, "one hour"), (100, "one and a half hours"), (244, "four hours")]
)
def test_hours_are_in_words_to_the_half_hour(minutes, words):
    assert Workload(minutes, 0, 0, 0).in_words() == words


@pytest.mark.parametrize("assignment", SOURCES)
def test_each_lesson_states_its_hours(assignment):
    cells = jupytext.read(SOURCES[assignment]).cells
    assert f"Plan about {workload(cells).in_words()}" in " ".join(cells[0].source.split())


@pytest.mark.parametrize(("stated", "sentences"), [("one hour", 1), ("two\nhours", 0), ("two and a half hours", 1)])
def test_the_build_refuses_other_hours(tmp_path, stated, sentences):
    exercises = "".join(f"**Exercise {n}.** ●●● Write a function.\n\n" for n in (1, 2))
    cells = [nbformat.v4.new_markdown_cell(f"Plan about {stated}.\n\n{exercises}")]
    problems = [*Source(tmp_path, cells, None).problems()]
    assert len(problems) == sentences
    assert not problems or "add up to 'Plan about two hours'" in problems[0]
