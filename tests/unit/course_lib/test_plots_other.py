import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex

from course_lib import plots
from course_lib.plots.losses import running_mean

WORDS = ["the", "cat", "that", "sat", "purred"]


def legend_texts(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def covered(ax, hatch) -> np.ndarray:
    """Return which cells are covered by shapes with this hatch."""
    cells = np.zeros((5, 7), dtype=bool)
    for collection in ax.collections:
        if getattr(collection, "get_hatch", lambda: None)() == hatch and collection.get_facecolor().size:
            for path in collection.get_paths():
                box = path.get_extents()
                if path.vertices.shape[0] > 2:
                    cells[round(box.y0 + 0.5), round(box.x0 + 0.5) : round(box.x1 + 0.5)] = True
    return cells


@pytest.mark.parametrize("kind", [lambda m: m, lambda m: m.numpy(), lambda m: m.tolist(), lambda m: m.float()])
def test_a_mask_is_hatched_exactly_where_it_hides(draw, kind):
    allowed = torch.rand(5, 7, generator=torch.Generator().manual_seed(1729)) > 0.4
    allowed[2] = False
    ax = plots.show_mask(kind(allowed), queries=WORDS)
    draw(ax)
    assert (covered(ax, "////") == ~allowed.numpy()).all()
    assert legend_texts(ax) == ["may attend", "hidden"]
    assert ax.get_xlabel() == "keys"
    assert ax.get_ylabel() == "queries"
    assert ax.get_title(loc="left")


@pytest.mark.parametrize("shape", [(1, 1), (41, 43), (1, 13), (131, 127)])
def test_masks_of_any_size_are_drawn(draw, shape):
    draw(plots.show_mask(torch.ones(shape).tril().bool()))


def test_a_mask_of_other_numbers_is_an_error(draw):
    with pytest.raises(ValueError, match=r"True \(may attend\) and False \(hidden\) only.*mask == 0"):
        plots.show_mask(torch.tensor([[0.0, float("-inf")]]))
    with pytest.raises(ValueError, match=r"Expected allowed to be one matrix.*got shape \(1, 1, 5, 7\)"):
        plots.show_mask(torch.ones(1, 1, 5, 7).bool())
    with pytest.raises(ValueError, match="Expected 7 keys, one for each column of allowed, got 5"):
        plots.show_mask(torch.ones(5, 7).bool(), keys=WORDS)


def test_losses_have_steps_and_names(draw):
    ax = plots.show_losses({"train": [3.0, 2.0, 1.0], "validation": torch.tensor([4.0, 3.0])})
    draw(ax)
    assert ax.get_xlabel() == "step"
    assert ax.get_ylabel() == "loss"
    assert legend_texts(ax) == ["train", "validation"]
    assert [len(line.get_ydata()) for line in ax.lines] == [3, 2]
    assert len({line.get_linestyle() for line in ax.lines}) == 2


def test_one_loss_needs_no_name(draw):
    ax = plots.show_losses([torch.tensor(3.0, requires_grad=True), 2.0, 1.5])
    draw(ax)
    assert ax.get_legend() is None
    assert list(ax.lines[0].get_ydata()) == [3.0, 2.0, 1.5]


def test_smoothing_keeps_the_raw_losses_faint_and_says_what_it_is(draw):
    ax = plots.show_losses([5.0, 3.0, 1.0, 7.0], smooth=2)
    draw(ax)
    assert list(ax.lines[0].get_ydata()) == [5.0, 3.0, 1.0, 7.0]
    assert ax.lines[0].get_alpha() < 0.5
    assert list(ax.lines[1].get_ydata()) == [5.0, 4.0, 2.0, 4.0]
    assert legend_texts(ax) == ["mean of 2 steps"]
    with pytest.raises(ValueError, match="at least 1, got 0"):
        plots.show_losses([1.0], smooth=0)


def test_the_running_mean_looks_back_only():
    assert running_mean(np.array([1.0, 3.0, 5.0, 7.0, 9.0]), 3) == pytest.approx([1, 2, 3, 5, 7])
    assert running_mean(np.array([1.0, 3.0]), 11) == pytest.approx([1, 2])


@pytest.mark.parametrize("losses", [[0.0, -1.0], [float("nan")] * 3, [1.0, float("inf"), 2.0], [2.0]])
@pytest.mark.parametrize("logy", [False, True])
def test_losses_that_cannot_be_drawn_leave_gaps(draw, losses, logy):
    draw(plots.show_losses(losses, logy=logy))


def test_curves_differ_in_colour_marker_and_dash(draw):
    x = np.linspace(0, 1, 11)
    ax = plots.show_curves(x, {f"curve {k}": x * k for k in range(7)}, "x", "y", "title")
    draw(ax)
    for look in ("color", "marker"):
        assert len({line.properties()[look] for line in ax.lines}) == 7
    assert len({str(line._unscaled_dash_pattern) for line in ax.lines}) == 7
    assert legend_texts(ax) == [f"curve {k}" for k in (6, 5, 4, 3, 2, 1, 0)]  # as they end, from top to bottom
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title(loc="left")) == ("x", "y", "title")


def test_a_logarithmic_axis_names_its_places(draw):
    N = [64, 128, 256, 512]
    ax = plots.show_curves(N, {"time": [1e-6 * n * n for n in N]}, "N", "time (s)", "t", logx=True, logy=True)
    draw(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["64", "128", "256", "512"]
    assert ax.get_xscale() == ax.get_yscale() == "log"


def test_bands_are_shaded(draw):
    ax = plots.show_curves(
        [1, 2, 3], {"a": [1.0, 2.0, 3.0], "b": [0.0, 0.0, 1.0]}, "x", "y", "t", bands={"a": ([0, 1, 2], [2, 3, 4])}
    )
    draw(ax)
    assert len(ax.collections) == 1
    with pytest.raises(ValueError, match=r"bands of the curves \['a'\], got bands of \['c'\]"):
        plots.show_curves([1], {"a": [1.0]}, "x", "y", "t", bands={"c": ([0], [1])})


def test_a_curve_of_the_wrong_length_is_an_error(draw):
    with pytest.raises(ValueError, match=r"curve 'a' to have 3 values, one for each x, got 2"):
        plots.show_curves([1, 2, 3], {"a": [1.0, 2.0]}, "x", "y", "t")
    with pytest.raises(ValueError, match="at least one curve"):
        plots.show_curves([1, 2, 3], {}, "x", "y", "t")
    with pytest.raises(ValueError, match=r"one row of numbers, got shape \(2, 3\)"):
        plots.show_losses(torch.zeros(2, 3))


@pytest.mark.parametrize("y", [[0.0, 1.0, 2.0], [-1.0, -1.0, -1.0], [float("nan")] * 3])
def test_values_without_a_logarithm_leave_gaps(draw, y):
    draw(plots.show_curves([0, 1, 2], {"a": y}, "x", "y", "t", logx=True, logy=True))


def test_bars_carry_their_words_and_numbers(draw):
    ax = plots.show_bars(WORDS, torch.tensor([0.1, 0.5, 0.0, 0.25, 0.15]).bfloat16(), title="What purred looks at")
    draw(ax)
    assert [label.get_text() for label in ax.get_xticklabels()] == WORDS
    assert [text.get_text() for text in ax.texts] == ["0.10", "0.50", "0.00", "0.25", "0.15"]
    assert ax.get_ylabel() == "attention weight"
    assert ax.get_xlabel() == "keys"


def test_many_bars_and_negative_bars_are_drawn(draw):
    draw(plots.show_bars([f"word{k}" for k in range(41)], torch.rand(41, generator=torch.Generator().manual_seed(1))))
    draw(plots.show_bars(["a", "b"], [-0.5, 0.7], ylabel="similarity", title="t"))


def test_bars_without_a_label_each_are_an_error(draw):
    with pytest.raises(ValueError, match="Expected 3 labels, one for each bar, got 2"):
        plots.show_bars(["a", "b"], [1.0, 2.0, 3.0])


def every_picture():
    A = torch.full((5, 7), 1 / 7)
    return [
        plots.show_attention(A),
        plots.show_heads(A.expand(2, 5, 7))[0],
        plots.show_mask(A > 0),
        plots.show_losses({"a": [1.0, 2.0]}, smooth=2),
        plots.show_curves([1, 2], {"a": [1.0, 2.0]}, "x", "y", "t"),
        plots.show_bars(WORDS, [0.2] * 5),
    ]


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_pictures_are_dark_on_white_in_every_theme_and_leave_the_settings_alone(draw, style):
    with plt.style.context(style):
        before = dict(matplotlib.rcParams)
        for ax in every_picture():
            figure = draw(ax)
            assert to_hex(figure.get_facecolor()) == to_hex(ax.get_facecolor()) == "#ffffff"
            texts = [ax.xaxis.label, ax.yaxis.label, ax._left_title, *ax.get_xticklabels(), *ax.get_yticklabels()]
            texts += ax.get_legend().get_texts() if ax.get_legend() else []
            assert {to_hex(text.get_color()) for text in texts} == {"#222222"}
        assert dict(matplotlib.rcParams) == before


def test_pictures_stay_open_for_the_notebook_to_show(draw):
    axes = every_picture()
    assert len(plt.get_fignums()) == len(axes)
    draw(axes[0])
