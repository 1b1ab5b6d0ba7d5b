"""Diagrams: what their lines say, that nothing lies on anything else, and every diagram of the lessons."""

import itertools
import re

import pytest
from known import COURSE
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from course_lib.plots import alternative_text, show_diagram
from course_lib.plots.diagram import lay_out, read_diagram
from course_lib.plots.style import WIDEST

TEXT = """
    . | (Y: N_Q × D_V)
    [softmax] | .
    first = {+} | ((heads: H × N × D))
    (Q: N_Q × D_Q) | words
    Q, words -> first: scores
    first -x> softmax
    softmax, heads --> Y
    Q ~> softmax: residual
    group a frame: first, softmax
"""

LESSONS = [
    pytest.param(text, title, id=f"{source.stem}-{title}")
    for source in COURSE.sources()
    for text, title in re.findall(
        r'show_diagram\("""\n(.*?)""", title="(.*?)"\)', source.read_text(encoding="utf8"), re.DOTALL
    )
]


def overlaps(a, b):
    return abs(a.x - b.x) < (a.width + b.width) / 2 and abs(a.y - b.y) < (a.height + b.height) / 2


def test_lines_are_rows_arrows_and_groups():
    diagram = read_diagram(TEXT)
    forms = {name: part.form for name, part in diagram.parts.items()}
    assert forms == {
        "Y": "tensor", "softmax": "operation", "first": "circle", "heads": "stack", "Q": "tensor", "words": "text"
    }  # fmt: skip
    assert diagram.parts["Y"].below == "N_Q × D_V"
    assert [(arrow.tail, arrow.head, arrow.kind, arrow.label) for arrow in diagram.arrows] == [
        ("Q", "first", "->", "scores"),
        ("words", "first", "->", "scores"),
        ("first", "softmax", "-x>", ""),
        ("softmax", "Y", "-->", ""),
        ("heads", "Y", "-->", ""),
        ("Q", "softmax", "~>", "residual"),
    ]
    assert diagram.groups == {"a frame": ["first", "softmax"]}


def test_a_diagram_has_its_words(draw):
    ax = show_diagram(TEXT, title="A title")
    draw(ax)
    text = alternative_text(ax.figure)
    assert text.startswith("A title. Diagram of Y (N_Q × D_V), softmax, +, ")
    for words in ("a frame holds +, softmax", "+ cut off from softmax", "Q around to softmax (residual)"):
        assert words in text


def test_an_index_may_be_more_than_letters(draw):
    ax = show_diagram("old = (s_{t−1}: state before) | (h: N × D_H)\nold -> h")
    draw(ax)
    assert {words.get_text() for words in ax.texts} >= {"$s_{t−1}$", "state before", "N × $D_{H}$"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(Q: N) -> \n(Q: N", r"Expected a part such as .*got '\(Q: N\) ->'"),
        ("(Q]", r"Expected a part such as"),
        ("(Q)\n(K)\nQ -> V", "Expected the name of a part, got 'V'. The parts are Q, K"),
        ("(Q)\n(Q)", "Expected one part of each name, got 'Q' twice"),
        ("(Q)\ngroup g: Q, Z", "got 'Z'"),
    ],
)
def test_what_cannot_be_read_is_an_error(text, message):
    with pytest.raises(ValueError, match=message):
        show_diagram(text)


def test_a_diagram_is_drawn_on_axes_that_are_there(draw):
    ax = Figure().subplots()
    assert show_diagram("(Q) | [f]\nQ -> f", ax=ax) is ax
    draw(ax)


@pytest.mark.parametrize(("text", "title"), [(TEXT, "A title"), *LESSONS])
def test_nothing_lies_on_anything_else(draw, text, title):
    """Boxes do not overlap, words stay in their boxes and in the figure, and the figure fits a notebook."""
    ax = show_diagram(text, title=title)
    draw(ax)
    diagram = read_diagram(text)
    figure = ax.figure.get_window_extent()
    scale = ax.transData.transform([(1.0, 0.0)])[0, 0] - ax.transData.transform([(0.0, 0.0)])[0, 0]
    assert ax.figure.get_figwidth() <= WIDEST
    assert scale >= 0.75 * ax.figure.dpi, "the diagram is so wide that its words no longer fit: cut it into two"
    boxes = {patch.get_window_extent().bounds for patch in ax.patches}
    assert len(boxes) >= len([part for part in diagram.parts.values() if part.form != "text"])
    for words in [*ax.texts, ax.title]:
        place = words.get_window_extent()
        assert figure.x0 - 1 <= place.x0 <= place.x1 <= figure.x1 + 1, words.get_text()
    solid = [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch) and patch.get_linestyle() != "--"]
    frames = [patch.get_window_extent() for patch in solid]
    for words in (words for words in ax.texts if words.get_zorder() == 4):  # those of a part, not of an arrow
        place = words.get_window_extent()
        around = [frame for frame in frames if frame.contains((place.x0 + place.x1) / 2, (place.y0 + place.y1) / 2)]
        assert not around or any(frame.x0 <= place.x0 and place.x1 <= frame.x1 for frame in around), words.get_text()
    assert len(alternative_text(ax.figure)) < 1000, "too long to be read aloud in one go"
    for one, other in itertools.combinations(laid_out(text), 2):
        assert not overlaps(one, other), (one.name, other.name)


def laid_out(text):
    diagram = read_diagram(text)
    lay_out(diagram)
    return list(diagram.parts.values())


def test_lessons_have_diagrams():
    """Each lesson has some, none of them twice."""
    texts = [param.values[0] for param in LESSONS]
    assert len(texts) == len(set(texts))
    assert len(texts) >= 40
