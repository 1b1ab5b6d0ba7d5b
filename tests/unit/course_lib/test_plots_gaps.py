import matplotlib.pyplot as plt
import pytest

from course_lib import plots

TOKENS = ["[CLS]", "the", "[MASK]", "sleeps", "$5$", "[SEP]"]


def test_tokens_and_guesses_are_written_in_place():
    ax = plots.show_gaps(TOKENS, {2: [("queen", 0.5), ("king", 0.25)]}, {2: "king"}, title="A gap of $5$")
    texts = [text.get_text() for text in ax.texts]
    assert texts == ["[CLS]", "the", "[MASK]", "queen 0.50", "king 0.25", "sleeps", "$5$", "[SEP]"]
    bars = [bar.get_width() for bar in ax.patches]
    assert bars[0] == pytest.approx(2 * bars[1])
    assert [text.get_text() for text in ax.texts if text.get_weight() == "bold"] == ["[MASK]", "king 0.25"]
    ax.figure.canvas.draw()
    plt.close(ax.figure)


def test_without_a_gap_it_is_a_line_of_text():
    ax = plots.show_gaps(["a", "b"], {})
    assert not ax.patches
    plt.close(ax.figure)


@pytest.mark.parametrize(("guesses", "truth"), [({6: [("x", 1.0)]}, None), ({}, {-1: "x"})])
def test_a_place_outside_is_refused(guesses, truth):
    with pytest.raises(ValueError, match="places from 0 to 5"):
        plots.show_gaps(TOKENS, guesses, truth)
