"""Each lesson's benchmark has what the course's benchmark reads from it: a crash there comes after ten minutes of measuring."""

import builtins
import json

import pytest
from known import LESSONS

from autograder.authoring import bench as benchmarks
from autograder.checks.timing import BenchmarkResult
from autograder.content import notebook as notebooks
from autograder.content.known_answers import misconceptions
from autograder.grading.course import find_course

WITH_BENCH = [name for name in find_course().assignments if LESSONS.of(name).has("bench")]


@pytest.mark.parametrize("assignment", WITH_BENCH)
def test_the_mistakes_whose_diagnosis_is_timed_are_known(assignment):
    lesson = LESSONS.of(assignment)
    bench = lesson.module("bench")
    assert bench.MISTAKES
    for exercise, mistake in bench.MISTAKES:
        assert exercise in lesson.exercises
        assert mistake in [case.name for case in misconceptions(lesson, exercise)]
    assert callable(bench.figures)


@pytest.mark.parametrize("assignment", WITH_BENCH)
def test_the_cells_that_a_benchmark_trains_again_have_all_that_they_use(assignment):
    bench, solution = LESSONS.of(assignment).module("bench"), benchmarks.CourseSolution(find_course(), assignment)
    cells = [cell for cell in notebooks.read(solution.notebook)["cells"] if cell["cell_type"] == "code"]
    ready = [
        notebooks.source(cell) for cell, wanted in zip(cells, notebooks.dependencies(cells), strict=True) if wanted
    ]
    for chosen, seed in (("CELLS", "SEED"), ("CLIP", "CLIP_SEED"), ("ANSWERS", "ANSWERS_SEED")):
        if hasattr(bench, chosen):
            bound = set(dir(builtins))
            for text in [*ready, *solution.training(getattr(bench, chosen), getattr(bench, seed))]:
                own, used = notebooks.bound_names(text)
                bound |= own
                assert used <= bound, text


def test_a_benchmark_that_stops_costs_its_own_figures_only(monkeypatch, tmp_path, capsys):
    def stops():
        yield BenchmarkResult("before", 1.0, 2.0, "of 1 s")
        raise OSError("no space left")

    def goes_on():
        yield BenchmarkResult("after", 1.0, 2.0, "of 1 s")

    monkeypatch.setattr(benchmarks, "_benchmarks", lambda *_: iter([({"lessons"}, stops), ({"lessons"}, goes_on)]))
    assert benchmarks.bench(tmp_path / "bench.json") == 1
    assert [figure["name"] for figure in json.loads((tmp_path / "bench.json").read_text())] == ["before", "after"]
    said = capsys.readouterr()
    assert "no space left" in said.err
    assert "0 targets missed, 1 stopped with an error" in said.out


@pytest.mark.parametrize(
    ("only", "ran"), [((), ["a", "b", "c"]), (["checks"], ["b", "c"]), (["02-multi-head-attention"], ["c"])]
)
def test_only_the_chosen_ones_run(monkeypatch, tmp_path, only, ran):
    named = {"a": {"grading"}, "b": {"checks", "01-attention"}, "c": {"checks", "02-multi-head-attention"}}
    made = [
        (names, lambda name=name: iter([BenchmarkResult(name, 1.0, 2.0, "of 1 s")])) for name, names in named.items()
    ]
    monkeypatch.setattr(benchmarks, "_benchmarks", lambda *_: iter(made))
    assert benchmarks.bench(tmp_path / "bench.json", only=only) == 0
    assert [figure["name"] for figure in json.loads((tmp_path / "bench.json").read_text())] == ran


def test_an_unknown_name_is_reported(tmp_path):
    with pytest.raises(LookupError, match=r"There is no benchmark 'check'\. Expected one of: lessons, checks"):
        benchmarks.bench(tmp_path / "bench.json", only=["check"])


def test_every_benchmark_has_names_that_can_be_chosen():
    names = set[str]().union(*(names for names, _ in benchmarks._benchmarks(find_course(), False)))
    assert names == {*benchmarks.GROUPS, *find_course().assignments}
