import itertools

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from course_lib import plots
from course_lib.plots.heat import ink_on, limits_of
from course_lib.plots.labels import readable

FRENCH = ["la", "zone", "économique", "européenne", "signée"]
ENGLISH = ["the", "European", "Economic", "Area", "was", "signed", "."]
KINDS = {
    "float32": lambda A: A,
    "bfloat16": lambda A: A.bfloat16(),
    "float16": lambda A: A.half(),
    "float64": lambda A: A.double(),
    "requires grad": lambda A: A.clone().requires_grad_(),
    "not contiguous": lambda A: A.T.contiguous().T,
    "array": lambda A: A.numpy(),
    "lists": lambda A: A.tolist(),
    "rows of tensors": list,
    "integers": lambda A: (A > 0.2).long(),
    "bool": lambda A: A > 0.2,
}


def weights(*shape: int) -> torch.Tensor:
    return torch.softmax(2 * torch.randn(*shape, generator=torch.Generator().manual_seed(1729)), dim=-1)


def tick_texts(axis) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


@pytest.mark.parametrize("kind", KINDS)
def test_draws_every_type_of_weights(draw, kind):
    A = weights(5, 7)
    ax = plots.show_attention(KINDS[kind](A), FRENCH, ENGLISH)
    draw(ax)
    assert ax.images[0].get_array().shape == (5, 7)
    if kind not in ("integers", "bool"):
        assert np.allclose(ax.images[0].get_array(), A, atol=1e-2)


def test_keys_are_on_top_and_queries_at_the_left(draw):
    ax = plots.show_attention(weights(5, 7), FRENCH, ENGLISH, title="A title")
    draw(ax)
    assert tick_texts(ax.xaxis) == ENGLISH
    assert tick_texts(ax.yaxis) == FRENCH
    assert ax.get_xlabel() == "keys"
    assert ax.get_ylabel() == "queries"
    assert ax.xaxis.get_label_position() == "top"
    assert ax.xaxis.get_ticks_position() == "top"
    assert ax.get_title(loc="left") == "A title"
    assert ax.yaxis_inverted()  # the first query is the first row
    assert ax.figure.axes[1].get_ylabel() == "attention weight"


def test_small_matrices_have_their_numbers_and_an_exact_zero_is_marked(draw):
    ax = plots.show_attention([[0.25, 0.75, 0.0], [0.001, 0.0, 0.999]])
    draw(ax)
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.75", "0", "0.00", "0", "1.00"]


@pytest.mark.parametrize(
    ("shape", "values", "count"), [((40, 41), "auto", 0), ((5, 7), False, 0), ((13, 17), True, 221)]
)
def test_numbers_only_where_there_is_room_or_where_asked_for(draw, shape, values, count):
    ax = plots.show_attention(weights(*shape), values=values)
    draw(ax)
    assert len(ax.texts) == count


def contrast(one: float, other: float) -> float:
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)


def test_numbers_can_be_read_on_every_colour():
    for colour in plt.get_cmap("cividis")(np.linspace(0, 1, 101)):
        linear = np.where(colour[:3] <= 0.04045, colour[:3] / 12.92, ((colour[:3] + 0.055) / 1.055) ** 2.4)
        luminance = float(linear @ [0.2126, 0.7152, 0.0722])
        ink = 1.0 if ink_on(colour) == "#ffffff" else 0.0
        assert contrast(ink, luminance) > 4.5  # WCAG 2, level AA


def test_infinite_weights_are_written_and_do_not_affect_the_colours(draw):
    ax = plots.show_attention([[float("-inf"), -1.5, 2.0], [float("nan"), float("inf"), 0.5]], label="similarity")
    draw(ax)
    assert [text.get_text() for text in ax.texts] == ["−∞", "−1.50", "2.00", "nan", "∞", "0.50"]
    assert ax.images[0].get_clim() == (-1.5, 2.0)


@pytest.mark.parametrize(
    ("values", "limits"),
    [([0.2, 0.7], (0.0, 0.7)), ([0.0], (0.0, 1.0)), ([-3.0, -1.0], (-3.0, -1.0)), ([np.nan], (0.0, 1.0))],
)
def test_colours_run_from_zero_to_the_largest_weight(values, limits):
    assert limits_of(np.array(values)) == limits


def mask_of(pairs) -> torch.Tensor:
    mask = torch.zeros(5, 7, dtype=torch.bool)
    for pair in pairs:
        mask[pair] = True
    return mask


PAIRS = [(0, 3), (4, 6)]


@pytest.mark.parametrize(
    "highlight",
    [
        PAIRS,
        zip([0, 4], [3, 6], strict=True),
        torch.tensor(PAIRS),
        np.array(PAIRS),
        mask_of(PAIRS),
        mask_of(PAIRS).numpy(),
        mask_of(PAIRS).tolist(),
    ],
    ids=["pairs", "zip", "tensor", "array", "mask", "mask array", "mask lists"],
)
def test_highlighted_cells_are_framed(draw, highlight):
    ax = plots.show_attention(weights(5, 7), highlight=highlight)
    draw(ax)
    centres = {(round(p.get_y() + p.get_height() / 2), round(p.get_x() + p.get_width() / 2)) for p in ax.patches}
    assert centres == set(PAIRS)


def test_nothing_to_highlight_frames_nothing(draw):
    for nothing in ([], mask_of([]), torch.empty(0, 2)):
        assert not plots.show_attention(weights(5, 7), highlight=nothing).patches
    plt.close("all")


def test_pictures_to_be_compared_share_their_colours():
    limits = [plots.show_attention(A, largest=1.0).images[0].get_clim() for A in (weights(5, 7), weights(5, 7) / 2)]
    assert limits == [(0.0, 1.0)] * 2


@pytest.mark.parametrize("highlight", [[(5, 0)], [(0, 7)], [(-1, 0)], torch.zeros(7, 5, dtype=torch.bool), [(1, 2, 3)]])
def test_a_highlight_outside_the_matrix_is_an_error(draw, highlight):
    with pytest.raises(ValueError, match=r"Expected highlight.*\(5, 7\)"):
        plots.show_attention(weights(5, 7), highlight=highlight)


@pytest.mark.parametrize("shape", [(7,), (2, 5, 7), (1, 1, 5, 7), (0, 7), ()])
def test_another_shape_is_an_error_that_says_what_to_do(draw, shape):
    with pytest.raises(ValueError, match=r"A to be one matrix of shape \(N_Q, N_K\), got shape .*A\[0\].*show_heads"):
        plots.show_attention(torch.zeros(shape))


@pytest.mark.parametrize(
    "values", [[["a", "b"]], [[1.0, 2.0], [3.0]], [[1j]], torch.zeros(2, 3, dtype=torch.complex64)]
)
def test_weights_without_numbers_are_an_error(draw, values):
    with pytest.raises(ValueError, match="Expected A to"):
        plots.show_attention(values)


def test_labels_of_the_wrong_length_are_an_error_that_thinks_of_the_transpose(draw):
    with pytest.raises(ValueError, match=r"Expected 5 queries.*got 7.*transposed"):
        plots.show_attention(weights(5, 7), ENGLISH, FRENCH)
    with pytest.raises(ValueError, match=r"Expected 7 keys, one for each column of A, got 5"):
        plots.show_attention(weights(5, 7), FRENCH, FRENCH)
    with pytest.raises(ValueError, match=r"list of 7 words, got one string. Try keys=keys.split\(\)"):
        plots.show_attention(weights(5, 7), keys=" ".join(ENGLISH))


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (" the", "␣the"),
        ("\n", "↵"),
        ("", "''"),
        ("a" * 30, "a" * 17 + "…"),
        ("  ", "␣␣"),
        ("New York", "New York"),
        ("\tx ", "⇥x␣"),
    ],
)
def test_tokens_are_readable(token, shown):
    assert readable(token) == shown


def test_a_token_is_never_taken_for_a_formula(draw):
    ax = plots.show_attention(weights(2, 3), ["$x$", r"$\frac$"], ["$5", "a_b", "$$"])
    draw(ax)
    assert tick_texts(ax.yaxis) == ["$x$", r"$\frac$"]
    assert not any(label.get_parse_math() for label in ax.get_yticklabels() + ax.get_xticklabels())


WORDS = [f"{word}{'ly' * (index % 7)}" for index, word in enumerate(("tea", "coffee", "unresolved", "on") * 10)]


@pytest.mark.parametrize(
    ("shape", "queries", "keys"),
    [
        ((1, 1), None, None),
        ((1, 7), ["it"], ENGLISH),
        ((5, 7), FRENCH, ENGLISH),
        ((40, 37), WORDS, WORDS[:37]),
        ((40, 37), None, None),
    ],
)
def test_labels_are_inside_the_figure_and_apart_from_each_other(draw, shape, queries, keys):
    ax = plots.show_attention(weights(*shape), queries, keys)
    figure = draw(ax)
    texts = [ax.xaxis.label, ax.yaxis.label, ax._left_title, *ax.get_xticklabels(), *ax.get_yticklabels()]
    frame = figure.bbox
    for text in texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 <= box.x1 <= frame.x1, text
        assert frame.y0 <= box.y0 <= box.y1 <= frame.y1, text
    boxes = [label.get_window_extent() for label in ax.get_yticklabels()]
    assert all(above.y0 >= below.y1 - 3.5 for above, below in itertools.pairwise(boxes))
    assert figure.get_size_inches()[0] <= 9.0


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_axes_of_the_caller_are_used(draw, layout):
    figure, (left, right) = plt.subplots(1, 2, layout=layout)
    assert plots.show_attention(weights(5, 7), ax=left) is left
    assert plots.show_mask(weights(5, 7) > 0.1, ax=right) is right
    draw(left)
    assert left.figure.axes[2].yaxis.label.get_window_extent().x1 <= right.yaxis.label.get_window_extent().x0
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("heads", [1, 4, 5, 8])
def test_heads_share_one_colour_bar_and_wrap_after_four(draw, heads):
    axes = plots.show_heads(weights(heads, 5, 7), FRENCH, ENGLISH)
    figure = draw(axes[0])
    assert len(axes) == heads
    assert len(figure.axes) == heads + 1
    assert len({ax.images[0].get_clim() for ax in axes}) == 1
    assert [ax.get_title(loc="left") for ax in axes] == [f"head {head}" for head in range(heads)]
    tops = {round(ax.get_position().y1, 3) for ax in axes}
    assert len(tops) == (heads + 3) // 4
    assert axes[0].get_xlabel() == "keys"
    assert axes[0].get_ylabel() == "queries"


def test_heads_can_be_named(draw):
    axes = plots.show_heads(weights(2, 5, 7), titles=["before", "after"])
    draw(axes[0])
    assert [ax.get_title(loc="left") for ax in axes] == ["before", "after"]
    with pytest.raises(ValueError, match="Expected 2 titles, one for each head, got 1"):
        plots.show_heads(weights(2, 5, 7), titles=["one"])


@pytest.mark.parametrize("shape", [(5, 7), (2, 3, 5, 7), (0, 5, 7)])
def test_heads_of_another_shape_are_an_error(draw, shape):
    with pytest.raises(ValueError, match=r"Expected A of shape \(H, N_Q, N_K\).*A\[0\].*show_attention"):
        plots.show_heads(torch.zeros(shape))


@pytest.mark.gpu
def test_weights_on_the_real_gpu_are_drawn(draw):
    draw(plots.show_attention(weights(5, 7).cuda().bfloat16().requires_grad_()))
