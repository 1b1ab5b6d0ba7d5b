"""The stand-in for a language model shows every token that is left out, read twice or read at another place."""

import pytest
import torch
from torch.testing import assert_close

from course_lib.training import SpyLanguageModel

V, D, WINDOW = 7, 5, 11


@pytest.fixture
def spy():
    torch.manual_seed(0)
    return SpyLanguageModel(torch.randn(V, D).double(), torch.randn(WINDOW, D).double(), torch.randn(V, D).double(), 6)


def test_pieces_give_what_all_at_once_gives(spy):
    ids = torch.randint(V, (2, 6))
    whole, (sums, count) = spy(ids)
    first, cache = spy(ids[:, :4])
    second, (other, _) = spy(ids[:, 4:], cache)
    assert_close(torch.cat((first, second), dim=1), whole)
    assert_close(other, sums)
    assert count == 6


def test_every_token_and_its_place_shows(spy):
    ids = torch.tensor([[1, 2, 3, 4]])
    last = spy(ids)[0][0, -1]
    for others in ([[0, 2, 3, 4]], [[2, 1, 3, 4]], [[1, 2, 3]], [[1, 2, 3, 4, 4]]):
        assert not torch.allclose(spy(torch.tensor(others))[0][0, -1], last)


def test_too_many_tokens_or_another_batch_are_errors(spy):
    ids = torch.zeros(2, 6, dtype=torch.int64)
    _, cache = spy(ids)
    with pytest.raises(ValueError, match="at most 11 tokens"):
        spy(ids, cache)
    with pytest.raises(ValueError, match="at most 6 tokens in a call"):
        spy(torch.zeros(2, 7, dtype=torch.int64))
    with pytest.raises(ValueError, match="2 rows"):
        spy(ids[:1, :1], cache)
