"""Inputs of checks: reproducible, fresh, and never degenerate."""

import pytest
import torch

from autograder.checks.inputs import Draw, Sizes
from autograder.runtime.seeds import fresh_seed


def test_sizes_are_different_primes_within_every_shape():
    s = Sizes()
    for group in [(s.B, s.H, s.N_Q, s.N_K, s.D_Q, s.D_V), (s.B, s.N_X, s.D_X, s.D_Q, s.D_V)]:
        assert len(set(group)) == len(group)
        assert all(n > 1 and all(n % k for k in range(2, n)) for n in group)


def test_the_same_seed_and_check_give_the_same_numbers_and_others_do_not():
    numbers = [Draw(seed, check).normal(3) for seed, check in [(1, "a"), (1, "a"), (1, "b"), (2, "a")]]
    assert torch.equal(numbers[0], numbers[1])
    assert not torch.equal(numbers[0], numbers[2])
    assert not torch.equal(numbers[0], numbers[3])


def test_no_draw_goes_on_where_another_one_ended():
    """From some thousand numbers of torch's generator follows its state, and from that all later ones."""
    one, other = Draw(1, "a"), Draw(1, "a")
    one.normal(3)
    other.normal(40_000)
    assert torch.equal(one.normal(5), other.normal(5))
    assert len({one.generator.initial_seed() for _ in range(9)}) == 9


@pytest.mark.parametrize("seed", range(50))
def test_every_row_of_a_mask_shows_something_and_all_but_the_last_hide_something(seed):
    mask = Draw(seed, "mask").allowed(3, 5, 2)
    assert mask.any(-1).all()
    rows = mask.flatten(0, -2)
    assert (~rows[:-1]).any(-1).all()
    assert rows[-1].all()


@pytest.mark.parametrize("seed", range(50))
def test_a_permutation_moves_something(seed):
    assert Draw(seed, "order").permutation(2).tolist() == [1, 0]


def test_the_seed_can_be_set_from_outside(monkeypatch):
    monkeypatch.setenv("AUTOGRADER_SEED", "1729")
    assert fresh_seed() == 1729
    monkeypatch.setenv("AUTOGRADER_SEED", "a lot")
    with pytest.raises(ValueError, match="whole number"):
        fresh_seed()


def test_seeds_for_other_draws_are_wide_and_come_from_a_wide_state():
    seeds = [Draw(seed, "data").new_seed() for seed in range(200)]
    assert len({*seeds}) == 200
    assert max(seeds) > 2**62
    assert all(0 <= seed < 2**63 for seed in seeds)
    for bit in range(63):
        assert 50 < sum(seed >> bit & 1 for seed in seeds) < 150
    assert Draw(1, "data").generator.initial_seed() > 2**32
