import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from course_lib import plots

WORDS = ["a", "small", "three", "above", "two", "large", "sevens", "<end>"]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_each_word_gets_a_picture_tinted_where_its_weight_lies():
    weights = torch.zeros(8, 3, 5)
    weights[torch.arange(8), 1, torch.arange(8) % 5] = 1.0
    axes = plots.show_words(torch.rand(1, 12, 20), WORDS, weights)
    assert [ax.get_xlabel() for ax in axes] == WORDS
    for number, ax in enumerate(axes):
        tint = np.asarray(ax.images[1].get_alpha())
        assert tint.shape == (3, 5)
        assert np.unravel_index(tint.argmax(), tint.shape) == (1, number % 5)
        assert tuple(ax.images[0].get_extent()) == tuple(ax.images[1].get_extent()) == (0, 20, 12, 0)


def test_the_animation_has_a_frame_for_each_word_and_needs_nothing_from_elsewhere():
    page = plots.animate_words(torch.rand(1, 12, 12), WORDS, torch.rand(8, 3, 3)).data
    assert page.count("data:image/png;base64") == len(WORDS)
    assert not plt.get_fignums()


@pytest.mark.parametrize(
    ("image", "words", "weights", "what"),
    [
        (torch.rand(2, 1, 9, 9), WORDS, torch.rand(8, 3, 3), "Pick one picture"),
        (torch.rand(1, 9, 9), "a three", torch.rand(8, 3, 3), "list with at least one word"),
        (torch.rand(1, 9, 9), WORDS, torch.rand(7, 3, 3), r"shape \(8, height, width\)"),
    ],
)
def test_mismatched_arguments_are_errors(image, words, weights, what):
    with pytest.raises(ValueError, match=what):
        plots.show_words(image, words, weights)
