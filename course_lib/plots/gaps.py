"""A text with gaps, and a model's predictions for them."""

from collections.abc import Mapping, Sequence

import matplotlib.axes

from course_lib.plots.style import COLOURS, INK, MARK, PAPER, WIDEST, new_axes

Guesses = Mapping[int, Sequence[tuple[str, float]]]

LETTER = 0.105  # inches: width of a letter
LINE = 0.24  # inches from one line to the next


def show_gaps(
    tokens: Sequence[str], guesses: Guesses, truth: Mapping[int, str] | None = None, title: str | None = None
) -> matplotlib.axes.Axes:
    """Write `tokens` side by side, and below each gap a model's predictions, the most probable first.

    guesses: index of a gap → (token, probability) for some tokens; bars show the probabilities. truth: index → the original
    token, which marks the right prediction. Raises ValueError for an index outside the tokens.
    """
    truth = truth or {}
    for place in (*guesses, *truth):
        if not 0 <= place < len(tokens):
            raise ValueError(f"Expected places from 0 to {len(tokens) - 1}, got {place}.")
    widths = [
        LETTER * max(len(word) for word in (token, *(f"{word} 0.00" for word, _ in guesses.get(place, ())))) + 0.12
        for place, token in enumerate(tokens)
    ]
    lines = 1 + max((len(words) for words in guesses.values()), default=0)
    scale = min(1.0, WIDEST / sum(widths))
    ax = new_axes(max(3.2, scale * sum(widths)), LINE * (lines + 1) + (0.3 if title else 0.0))
    ax.set(xlim=(0, sum(widths)), ylim=(lines + 0.2, -0.8))
    ax.axis("off")
    ax.figure.set_facecolor(PAPER)
    left = 0.0
    for place, (token, width) in enumerate(zip(tokens, widths, strict=True)):
        gap = place in guesses
        colour = MARK if gap else INK
        _write(ax, left, 0.0, token, colour, 10 * scale, bold=gap)
        for line, (word, probability) in enumerate(guesses.get(place, ()), start=1):
            right = word == truth.get(place)
            ax.barh(
                line,
                (width - 0.12) * probability,
                left=left,
                height=0.8,
                color=COLOURS[2] if right else COLOURS[5],
                alpha=0.45,
            )
            _write(ax, left + 0.03, float(line), f"{word} {probability:.2f}", INK, 8.5 * scale, bold=right)
        left += width
    if title:
        ax.set_title(title, color=INK, fontsize=11, loc="left", parse_math=False)
    return ax


def _write(ax: matplotlib.axes.Axes, x: float, y: float, text: str, colour: str, size: float, bold: bool) -> None:
    weight = "bold" if bold else "normal"
    ax.text(x, y, text, color=colour, fontsize=size, weight=weight, va="center", parse_math=False)
