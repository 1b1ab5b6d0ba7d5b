"""The checkpoints of lessons 13 and 14: what earns points, and what does not."""

import pytest
import torch
from known import LESSONS

from autograder.checks import weights as checkpoint
from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.grading.course import find_course
from autograder.lessons.recommendation.checks import check_my_recommender
from autograder.lessons.retrieval.checks import check_my_search
from autograder.runtime.errors import CheckFailure, PartialCredit
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_single
from course_lib.training import load_checkpoint, save_checkpoint

pytestmark = pytest.mark.slow

OWN = {"my_search": LESSONS.of("13-retrieval"), "my_recommender": LESSONS.of("14-recommendation")}
MAKE = {exercise: getattr(lesson.module("references"), exercise) for exercise, lesson in OWN.items()}
FILES = {"my_search": check_my_search.FILE, "my_recommender": check_my_recommender.FILE}


def report_on(exercise, folder, make):
    names = namespace(OWN[exercise]) | {exercise: make}
    return run_single(exercise, NotebookStudent(names, OWN[exercise], file=files_in(folder)), 3)


def solution(exercise):
    model = MAKE[exercise]()
    load_checkpoint(find_course().solution_notebook(OWN[exercise].assignment).parent / FILES[exercise], model)
    return model.eval()


@pytest.mark.parametrize("exercise", FILES)
def test_without_a_file_it_says_what_to_do(exercise, tmp_path):
    report = report_on(exercise, tmp_path, MAKE[exercise])
    assert (report.earned, report.named) == (0, ["no checkpoint"])


@pytest.mark.parametrize("exercise", FILES)
def test_weights_that_nobody_trained_fit_and_earn_nothing_more(exercise, tmp_path):
    torch.manual_seed(0)
    make = MAKE[exercise]
    save_checkpoint(make(), tmp_path / FILES[exercise])
    report = report_on(exercise, tmp_path, make)
    assert report.earned == 1
    assert any("not good enough yet" in name for name in report.named)


@pytest.mark.nightly(reason="the notebooks that make test-full runs check the solutions")
@pytest.mark.parametrize("exercise", FILES)
def test_the_solutions_weights_earn_everything(exercise, tmp_path):
    save_checkpoint(solution(exercise), tmp_path / FILES[exercise])
    report = report_on(exercise, tmp_path, MAKE[exercise])
    assert report.earned == report.points


def test_a_search_without_positions_loses_the_controls(tmp_path):
    """Its places all alike, it finds the words and cannot tell twins apart."""
    model = solution("my_search")
    with torch.no_grad():
        for tower in (model.queries, model.documents):
            tower.positions.table.zero_()
    save_checkpoint(model, tmp_path / FILES["my_search"])
    report = report_on("my_search", tmp_path, MAKE["my_search"])
    assert report.earned <= report.points - 2


def test_a_search_that_confuses_some_twins_still_reads_the_order_of_the_words(monkeypatch, tmp_path):
    """With three in ten exchanged, the mean reciprocal rank is hardly better than with shuffled words; the lead is."""
    drawn, scores_of = check_my_search._drawn(3), check_my_search._scores
    confused = {check_my_search.text(row) for n, row in enumerate(drawn.queries) if n % 10 < 3 and drawn.twins[n] >= 0}
    pairs = {
        check_my_search.text(row): pair for row, *pair in zip(drawn.queries, drawn.targets, drawn.twins, strict=True)
    }

    def scores(model, queries, catalogue):
        found = scores_of(model, queries, catalogue)
        for row, its in zip(queries, found, strict=True):
            if (words := check_my_search.text(row)) in confused:
                own, twin = pairs[words]
                its[own], its[twin] = its[twin].item(), its[own].item()
        return found

    monkeypatch.setattr(check_my_search, "_scores", scores)
    save_checkpoint(solution("my_search"), tmp_path / FILES["my_search"])
    report = report_on("my_search", tmp_path, MAKE["my_search"])
    assert report.named == ["twins not told apart"]
    assert 0 < report.points - report.earned < 1


def test_scores_that_are_no_numbers_are_no_rank(tmp_path):
    """No score reaches NaN. An untrained search had a mean reciprocal rank of infinity by one enormous weight."""
    torch.manual_seed(0)
    model = MAKE["my_search"]()
    drawn = check_my_search._drawn(3)
    wanted = drawn.documents[drawn.targets]
    few = {*drawn.documents[: check_my_search.FEW].flatten().tolist()}  # in which models are compared
    word = next(word for word in wanted.flatten().tolist() if word not in few)
    with torch.no_grad():
        model.documents.embedding.weight[word] = 3e38
    save_checkpoint(model, tmp_path / FILES["my_search"])
    report = report_on("my_search", tmp_path, MAKE["my_search"])
    assert (report.earned, set(report.named)) == (1, {"not a number"})


def test_the_rank_of_a_score_that_is_no_number_is_the_last(monkeypatch):
    scores = torch.tensor([[torch.nan, 1.0, 2.0], [1.0, torch.nan, 0.0]])
    monkeypatch.setattr(check_my_search, "_scores", lambda *_: scores)
    drawn = check_my_search.Drawn(torch.zeros(2, 1), torch.zeros(3, 1), torch.tensor([0, 0]), torch.tensor([-1, -1]))
    assert check_my_search._mrr(None, drawn.queries, torch.zeros(3, 1), drawn) == pytest.approx((1 / 3 + 1 / 2) / 2)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize(("full", "none"), [(0.9, 0.3), (0.1, 0.5)])
def test_a_value_that_is_no_number_earns_nothing(value, full, none):
    with pytest.raises(PartialCredit) as partial:
        checkpoint.judge(value, full, none, CheckFailure("rank", "Too low."))
    assert partial.value.fraction == 0


def test_vectors_of_other_videos_earn_nothing(tmp_path):
    """With its vectors given to other videos at random, the model knows neither the known ones nor the new ones."""
    model = solution("my_recommender")
    with torch.no_grad():
        order = torch.randperm(10_000, generator=torch.Generator().manual_seed(0))
        model.embedding.weight.copy_(model.embedding.weight[order])
    save_checkpoint(model, tmp_path / FILES["my_recommender"])
    report = report_on("my_recommender", tmp_path, MAKE["my_recommender"])
    assert report.earned == 1


def test_the_most_popular_for_everybody_earn_nothing(tmp_path):
    """A recommender whose vectors do not depend on the history."""
    model = solution("my_recommender")
    with torch.no_grad():
        norm = model.encoder.norm
        for name, parameter in norm.named_parameters():
            parameter.zero_() if name == "gamma" else parameter.fill_(0.1)
    save_checkpoint(model, tmp_path / FILES["my_recommender"])
    report = report_on("my_recommender", tmp_path, MAKE["my_recommender"])
    assert report.earned == 1


def test_other_seeds_are_other_questions_and_viewers():
    assert not torch.equal(check_my_search._drawn(3).queries[:, :5], check_my_search._drawn(4).queries[:, :5])
    assert not torch.equal(check_my_recommender._drawn(3).histories, check_my_recommender._drawn(4).histories)


def test_places_are_enough_for_every_text():
    longest = [max(check_my_search._drawn(seed).queries.shape[1] for seed in range(3, 6))]
    longest.append(max(check_my_search._drawn(seed).documents.shape[1] for seed in range(3, 6)))
    assert all(n <= most for n, most in zip(longest, check_my_search._LONGEST, strict=True))
