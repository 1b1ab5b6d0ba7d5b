"""The plots of the course. Each function returns the matplotlib Axes on which it drew, so that you can add to them."""

from course_lib.plots.alternative import alternative_text, show_figures_with_text
from course_lib.plots.attention import show_attention, show_heads
from course_lib.plots.bars import show_bars
from course_lib.plots.curves import show_curves
from course_lib.plots.diagram import show_diagram
from course_lib.plots.explorer import explore_attention
from course_lib.plots.gaps import show_gaps
from course_lib.plots.losses import show_losses
from course_lib.plots.masks import show_mask
from course_lib.plots.scenes import show_scenes
from course_lib.plots.words import animate_words, show_words

__all__ = [
    "alternative_text",
    "animate_words",
    "explore_attention",
    "show_attention",
    "show_bars",
    "show_curves",
    "show_diagram",
    "show_gaps",
    "show_heads",
    "show_losses",
    "show_mask",
    "show_scenes",
    "show_words",
]

show_figures_with_text()  # every figure of an open notebook, including those that students draw themselves
