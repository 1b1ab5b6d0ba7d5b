"""The charts of the report: drawn by Matplotlib as SVG that takes its colours from the page, light or dark."""

import io
import re
from collections.abc import Sequence

#: Matplotlib draws in these; the page's style sheet says what they are.
_INK, _BAR, _SOFT = "#010203", "#040506", "#070809"
_CLASSES = {_INK: "var(--ink)", _BAR: "var(--accent)", _SOFT: "var(--line)"}
_BINS = 20


def histogram(values: Sequence[float], most: float, x: str, title: str) -> str:
    """Return the distribution of values between 0 and ``most`` as an SVG with this title for readers who do not see it."""
    figure, axes = _axes()
    axes.hist(values, bins=_BINS, range=(0, most or 1.0), color=_BAR, rwidth=0.9)
    axes.set_xlabel(x)
    axes.set_ylabel("students")
    axes.yaxis.get_major_locator().set_params(integer=True)
    return _svg(figure, title)


def shares(names: Sequence[str], values: Sequence[Sequence[float]], title: str) -> str:
    """Return, for each exercise, the share of its points that students earned: the middle half as a box, the rest as lines."""
    figure, axes = _axes(height=0.35 * len(names) + 0.9)
    style = {"color": _INK, "linewidth": 1.0}
    axes.boxplot(
        [list(one) or [0.0] for one in values][::-1],
        orientation="horizontal",
        whis=(0, 100),
        widths=0.6,
        patch_artist=True,
        boxprops={"facecolor": _BAR, "edgecolor": _INK},
        medianprops={"color": _INK, "linewidth": 2.5},
        whiskerprops=style,
        capprops=style,
        showmeans=False,
    )
    axes.set_yticks(range(1, len(names) + 1), list(names)[::-1])
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of the points")
    return _svg(figure, title)


def _axes(height: float = 2.6):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for spine in axes.spines.values():
        spine.set_edgecolor(_INK)
    axes.tick_params(colors=_INK, labelcolor=_INK)
    axes.xaxis.label.set_color(_INK)
    axes.yaxis.label.set_color(_INK)
    axes.grid(axis="x", color=_SOFT, linewidth=0.8)
    axes.set_axisbelow(True)
    return figure, axes


def _svg(figure, title: str) -> str:
    import html

    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "report", "font.family": "sans-serif"}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"(#[0-9a-f]{6})", lambda colour: _CLASSES.get(colour[1], colour[1]), text)
    text = re.sub(r'font: ([\d.]+)px [^;"]*', r"font: \1px system-ui, sans-serif", text)
    name = html.escape(title, quote=True)
    head = f'<svg role="img" aria-label="{name}"'
    text = re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1), count=1
    )
    return text.replace("<svg", head, 1)
