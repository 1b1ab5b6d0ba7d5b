"""Figures in words, and how a notebook shows them."""

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure
from nbclient import NotebookClient

from course_lib import plots
from course_lib.plots.alternative import LONGEST, alternative_text


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def test_describes_lines_by_their_ends():
    ax = plots.show_curves(
        [1, 2, 4], {"a": [3.0, 2.0, 1.0], "b": [1.0, float("nan"), 5.5]}, "length N", "time (ms)", "T"
    )
    text = alternative_text(ax.figure)
    assert text.startswith("T: Plot of time (ms) over length N. ")
    assert "a from 3 at 1 to 1 at 4" in text
    assert "b from 1 at 1 to 5.5 at 4" in text


def test_describes_a_heat_map_by_its_largest_cell():
    A = np.array([[0.1, 0.9, 0.0], [0.5, 0.25, 0.25]])
    text = alternative_text(plots.show_attention(A, queries=["le", "chat"], keys=["the", "cat", "."]).figure)
    assert "2 rows by 3 columns, largest 0.9 in row 'le', column 'cat'" in text
    assert text.count("rows by") == 1, "the colour bar is no plot of its own"


def test_describes_bars_by_their_heights():
    figure = Figure()
    ax = figure.subplots()
    ax.bar(["one", "two"], [1.0, 2.5])
    ax.set_ylabel("share")
    figure.canvas.draw()
    assert alternative_text(figure) == "Bars, share. one 1, two 2.5"


DRAWN = {
    "nothing": lambda ax: None,
    "points": lambda ax: ax.scatter([1], [2]),
    "an empty line": lambda ax: ax.plot([]),
    "a picture of no numbers": lambda ax: ax.imshow(np.full((2, 2), np.nan)),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN.keys())
def test_every_figure_has_some_text(draw):
    figure = Figure()
    draw(figure.subplots())
    assert alternative_text(figure)


def test_description_of_many_lines_is_bounded():
    figure = Figure()
    ax = figure.subplots()
    for number in range(500):
        ax.plot([0, 1], [0, number], label="x" * 300)
    text = alternative_text(figure)
    assert len(text) <= LONGEST
    assert "…" in text


CELLS = (
    "import numpy as np, matplotlib.pyplot as plt\nfrom course_lib import plots\nimport numpy as np",
    "plots.show_curves([1, 2], {'a <b>': [3, 4]}, 'x', 'y', 'T');",
    "plots.show_attention(np.eye(3));",
    "fig, ax = plt.subplots(); ax.plot([0, 1], [0, 2]); plt.close(fig)\nfig",
    "%config InlineBackend.figure_formats = ['svg']\nplt.plot([1, 2]);",
)


@pytest.fixture(scope="module")
def outputs(root):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(root)}}).execute()
    found = []
    for cell in notebook.cells[1:]:
        [figure] = [output for output in cell.outputs if output.output_type in ("display_data", "execute_result")]
        found.append(figure.data)
    return found


def test_a_figure_of_lines_has_its_text_once_and_follows_a_dark_theme(outputs):
    assert set(outputs[0]) == {"text/html", "text/plain"}, "the picture is stored once"
    assert 'alt="T: Plot of y over x. a &lt;b&gt; from 3 at 1 to 4 at 2"' in outputs[0]["text/html"]
    assert 'class="course-plot"' in outputs[0]["text/html"]
    assert 'data-jp-theme-light="false"' in outputs[0]["text/html"]


def test_a_heat_map_keeps_its_light_and_dark(outputs):
    assert "3 rows by 3 columns" in outputs[1]["text/html"]
    assert "course-plot" not in outputs[1]["text/html"]


def test_a_figure_of_the_students_own_has_a_text_too(outputs):
    assert 'alt="Plot. A line from 0 at 0 to 2 at 1"' in outputs[2]["text/html"]


def test_another_format_is_left_to_the_notebook(outputs):
    assert "image/svg+xml" in outputs[3]
