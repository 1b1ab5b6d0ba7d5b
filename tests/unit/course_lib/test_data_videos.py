"""The world of videos: its exact probabilities against a slow definition and against what is drawn."""

import itertools

import pytest
import torch

from course_lib.data import video_world
from course_lib.data.videos import KNOWN, NEW, SEQUELS, TASTES


@pytest.fixture(scope="module")
def world():
    return video_world()


@pytest.fixture(scope="module")
def histories(world):
    return world.draw_histories(40, 5, torch.Generator().manual_seed(3))


def test_it_is_always_the_same_world(world):
    assert world.content.shape == (KNOWN + NEW, 102)
    assert world.channels[:5].tolist() == video_world().channels[:5].tolist()
    assert (world.content[KNOWN:, -1] == 0).all()  # new ones are published today
    assert torch.equal(world.content[:, :100].argmax(dim=1), world.channels)


def test_probabilities_are_those_of_bayes_rule(world, histories):
    """Taste by taste and place by place, in Python."""
    taste = world.taste_weights[:, :KNOWN] / world.taste_weights[:, :KNOWN].sum(dim=1, keepdim=True)
    sequel = world.sequel_weights[:, :KNOWN] / world.sequel_weights[:, :KNOWN].sum(dim=1, keepdim=True)
    for row, got in zip(histories[:3], world.next_probabilities(histories[:3]), strict=True):
        chances = []
        for z in range(TASTES):
            chance = taste[z, row[0]]
            for before, video in itertools.pairwise(row):
                chance = chance * ((1 - SEQUELS) * taste[z, video] + SEQUELS * sequel[world.channels[before], video])
            chances.append(chance)
        posterior = torch.stack(chances) / sum(chances)
        want = (1 - SEQUELS) * posterior @ taste + SEQUELS * sequel[world.channels[row[-1]]]
        torch.testing.assert_close(got, want)


def test_rows_are_probabilities(world, histories):
    for found, width in ((world.next_probabilities(histories), KNOWN), (world.new_probabilities(histories), NEW)):
        assert found.shape == (len(histories), width)
        torch.testing.assert_close(found.sum(dim=1), torch.ones(len(histories)).double())


def test_from_today_on_new_videos_are_chosen_by_the_same_rules(world, histories):
    P = world.today_probabilities(histories)
    torch.testing.assert_close(P.sum(dim=1), torch.ones(len(histories)).double())
    torch.testing.assert_close(P[:, KNOWN:] / P[:, KNOWN:].sum(dim=1, keepdim=True), world.new_probabilities(histories))
    tastes = world.taste_probabilities(histories)[:, :, None]
    by_taste = world.taste_weights / world.taste_weights.sum(dim=1, keepdim=True)
    by_sequel = world.sequel_weights[world.channels[histories[:, -1]]]
    expected = ((tastes * by_taste).sum(dim=1) + by_sequel / by_sequel.sum(dim=1, keepdim=True)) / 2
    torch.testing.assert_close(P, expected)


def test_draws_are_as_frequent_as_probable(world):
    """The probability of the video that came is as large as expected, and the best ten hold it as often as computed."""
    ids = world.draw_histories(3000, 6, torch.Generator().manual_seed(4))
    P = world.next_probabilities(ids[:, :-1])
    best = P.topk(10, dim=1)
    hits = (best.indices == ids[:, -1:]).any(dim=1).double()
    error = hits.std() / len(hits) ** 0.5
    assert abs(hits.mean() - best.values.sum(dim=1).mean()) < 4 * error
    # No other constant ten videos do better than the most probable ones on average.
    assert P.mean(dim=0).topk(10).values.sum() < best.values.sum(dim=1).mean()


def test_seeds_decide(world):
    first, second = (world.draw_histories(5, 4, torch.Generator().manual_seed(seed)) for seed in (1, 2))
    assert torch.equal(first, world.draw_histories(5, 4, torch.Generator().manual_seed(1)))
    assert not torch.equal(first, second)
    assert int(first.max()) < KNOWN


@pytest.mark.parametrize(("count", "length"), [(0, 3), (3, 0)])
def test_nothing_to_draw_is_refused(world, count, length):
    with pytest.raises(ValueError, match="at least one viewer and one video"):
        world.draw_histories(count, length, torch.Generator())
