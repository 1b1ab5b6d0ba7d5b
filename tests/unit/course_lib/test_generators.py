"""Seeds of generators: all bits count, and small ones give torch's own numbers."""

import pytest
import torch

from course_lib.data import draw_colour_digits, draw_scenes, draw_sentences
from course_lib.generators import generator_of


def numbers(seed):
    return torch.rand(2000, generator=generator_of(seed), dtype=torch.float64)


@pytest.mark.parametrize("bit", [32, 33, 40, 47, 62, 63])
def test_every_bit_of_a_seed_counts(bit):
    assert torch.equal(*(torch.rand(9, generator=torch.Generator().manual_seed(seed)) for seed in (5, 5 + 2**bit)))
    assert not torch.isin(numbers(5 + 2**bit), numbers(5)).any()


def test_small_seeds_give_the_numbers_of_torch():
    for seed in (0, 1729, 2**32 - 1):
        wanted = torch.rand(2000, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        assert torch.equal(numbers(seed), wanted)


def test_wide_seeds_give_the_same_numbers_each_time_and_uniform_ones():
    wide = numbers(2**62 + 7)
    assert torch.equal(wide, numbers(2**62 + 7))
    shares = wide.histc(10, 0, 1) / len(wide)
    assert (shares - 0.1).abs().max() < 0.035  # five standard deviations
    normal = torch.randn(2000, generator=generator_of(2**62 + 7))
    assert abs(float(normal.mean())) < 0.12
    assert abs(float(normal.std()) - 1) < 0.08


@pytest.mark.parametrize(
    "draw",
    [
        lambda seed: draw_scenes(3, seed).images,
        lambda seed: draw_sentences(50, seed),
        lambda seed: draw_colour_digits(9, seed).images,
    ],
    ids=["scenes", "sentences", "colour digits"],
)
def test_data_of_a_wide_seed_are_not_those_of_its_lowest_bits(draw):
    one, other = draw(2**62 + 3), draw(3)
    assert one.shape != other.shape or not torch.equal(one, other)
    assert torch.equal(draw(2**62 + 3), one)
