"""Random Markov chains: their tables, and whether the sequences follow them."""

import pytest
import torch

from course_lib.data import draw_chains
from course_lib.generators import generator_of


def test_each_sequence_has_a_table_of_its_own():
    ids, tables = draw_chains(7, 11, generator_of(3), states=5)
    assert (ids.shape, tables.shape, ids.dtype) == ((7, 11), (7, 5, 5), torch.int64)
    assert ids.unique().tolist() == [0, 1, 2, 3, 4]
    torch.testing.assert_close(tables.sum(dim=2), torch.ones(7, 5).double())
    assert not torch.allclose(tables[0], tables[1])


def test_the_same_generator_gives_the_same_and_the_next_call_others():
    generator = generator_of(3)
    first, _ = draw_chains(3, 20, generator)
    assert torch.equal(first, draw_chains(3, 20, generator_of(3))[0])
    assert not torch.equal(first, draw_chains(3, 20, generator)[0])


def test_tokens_follow_each_other_as_the_table_says():
    ids, tables = draw_chains(2, 60_000, generator_of(4), states=3, concentration=1.0)
    for row, table in zip(ids, tables, strict=True):
        for token in range(3):
            after = row[1:][row[:-1] == token]
            share = torch.bincount(after, minlength=3) / len(after)
            torch.testing.assert_close(share.double(), table[token], atol=0.02, rtol=0)


def test_the_concentration_decides_how_many_tokens_can_follow():
    largest = [draw_chains(500, 1, generator_of(5), 8, c)[1].amax(dim=2).mean() for c in (0.05, 0.2, 1.0, 20.0)]
    assert largest[0] > largest[1] > largest[2] > largest[3]
    first, second = (draw_chains(4000, 1, generator_of(6), 4, c)[1][:, :, 0] for c in (1.0, 0.2))
    # The variance of one entry of a symmetric Dirichlet vector is (1/V)(1 − 1/V) / (V c + 1).
    assert float(first.var()) == pytest.approx(0.1875 / 5, rel=0.05)
    assert float(second.var()) == pytest.approx(0.1875 / 1.8, rel=0.05)


@pytest.mark.parametrize("settings", [{"concentration": 0.0}, {"concentration": -1.0}, {"states": 0}])
def test_invalid_chains_are_errors(settings):
    with pytest.raises(ValueError, match="concentration above 0"):
        draw_chains(2, 3, generator_of(1), **settings)
