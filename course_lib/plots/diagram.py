"""Diagrams of boxes and arrows, as lectures draw them, from a few lines of text.

Each line is a row of parts, an arrow or a group::

    (Q: N_Q × D_Q) | (K: N_K × D_Q)      a tensor with its shape; parts of a row are separated by |
    old = (s_{t−1}: state before)        an index of more than letters stands in braces
    [softmax]                            an operation
    sum = {+}                            a small circle, and the name by which arrows call it
    ((heads: H × N × D))                 a stack of tensors
    words                                text without a frame
    .                                    an empty place
    Q, K -> softmax: scores              arrows from Q and from K, with a label; several may be on both sides
    a --> b, a -x> b, a ~> b             dashed; cut; around the right of what lies between
    group encoder: Q, softmax            a frame around parts, with a name
"""

import re
from dataclasses import dataclass, field
from typing import Any

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Ellipse, FancyArrowPatch, FancyBboxPatch
from matplotlib.textpath import text_to_path

from course_lib.plots.style import COLOURS, INK, MARK, PAPER, WIDEST, new_axes

SIZE, SMALL = 11.0, 8.5  # points: names, and what stands below them or beside an arrow
PAD, GAP, BETWEEN = 0.11, 0.3, 0.36  # inches: inside a box, and between boxes across and down
STACK = 0.06  # inches between the sheets of a stack

_FORMS = {"((": "stack", "(": "tensor", "[": "operation", "{": "circle"}
_FILLS = {"stack": "#dcecf7", "tensor": "#dcecf7", "operation": "#fbe6d4", "circle": PAPER}
_ARROW = re.compile(r"^(?P<tails>.+?)\s(?P<kind>->|-->|-x>|~>)\s(?P<heads>[^:]+?)(?::\s*(?P<label>.+))?$")
_PART = re.compile(r"^(?:(?P<name>[\w' -]+?)\s=\s)?(?P<open>\(\(|\(|\[|\{)?(?P<text>.*?)(?P<close>\)\)|\)|\]|\})?$")


@dataclass
class Part:
    """A box of a diagram: its form, its text, the shape below the text, and where it lies, in inches."""

    name: str
    form: str
    text: str
    below: str = ""
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    height: float = 0.0


@dataclass
class Arrow:
    tail: str
    head: str
    kind: str
    label: str


@dataclass
class Diagram:
    """The content of a diagram, read from its lines."""

    rows: list[list[Part | None]] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    groups: dict[str, list[str]] = field(default_factory=dict)

    @property
    def parts(self) -> dict[str, Part]:
        return {part.name: part for row in self.rows for part in row if part is not None}


def show_diagram(text: str, title: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw boxes and arrows from ``text``, in the language of :mod:`course_lib.plots.diagram`. Returns the Axes.

    Raises ValueError for a line that cannot be read, a name that is used twice, and an arrow or a group with an unknown name.
    """
    diagram = read_diagram(text)
    width, height = lay_out(diagram)
    width = max(width, _text_size(title or "", SIZE)[0] + 0.2)
    scale = min(1.0, WIDEST / width) if ax is None else 1.0
    ax = ax or new_axes(scale * width, scale * height + (0.3 if title else 0.0))
    ax.figure.set_facecolor(PAPER)
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    ax.axis("off")
    if title:
        ax.set_title(title, color=INK, fontsize=11, loc="left")
    for name, members in diagram.groups.items():
        _draw_group(ax, name, [diagram.parts[member] for member in members])
    for arrow in diagram.arrows:
        _draw_arrow(ax, arrow, diagram)
    for part in diagram.parts.values():
        _draw_part(ax, part)
    for words in ax.texts:  # a diagram that is made smaller takes its words along, or they would leave their boxes
        words.set_fontsize(scale * float(words.get_fontsize()))
    ax.set_label(in_words(diagram))
    return ax


def read_diagram(text: str) -> Diagram:
    """Parse the lines of ``text``. Raises ValueError as :func:`show_diagram` does."""
    diagram = Diagram()
    for line in filter(None, map(str.strip, text.splitlines())):
        if arrow := _ARROW.match(line):
            tails, heads = ([name.strip() for name in arrow[end].split(",")] for end in ("tails", "heads"))
            diagram.arrows += [
                Arrow(tail, head, arrow["kind"], arrow["label"] or "") for tail in tails for head in heads
            ]
        elif group := re.match(r"^group ([^:]+): (.+)$", line):
            diagram.groups[group[1]] = [member.strip() for member in group[2].split(",")]
        else:
            diagram.rows.append([_read_part(cell.strip(), line) for cell in line.split(" | ")])
    names = [part.name for row in diagram.rows for part in row if part is not None]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"Expected one part of each name, got {twice[0]!r} twice. Name one of them: other = (…).")
    used = [name for arrow in diagram.arrows for name in (arrow.tail, arrow.head)]
    used += [name for members in diagram.groups.values() for name in members]
    if unknown := [name for name in used if name not in names]:
        raise ValueError(f"Expected the name of a part, got {unknown[0]!r}. The parts are {', '.join(names)}.")
    return diagram


def _read_part(cell: str, line: str) -> Part | None:
    if cell == ".":
        return None
    read = _PART.match(cell)
    closing = {"((": "))", "(": ")", "[": "]", "{": "}", None: None}
    if not read or not read["text"] or closing[read["open"]] != read["close"]:
        raise ValueError(f"Expected a part such as (Q: N × D), [softmax] or {{+}}, got {cell!r} in the line {line!r}.")
    text, _, below = (part.strip() for part in read["text"].partition(":"))
    form = _FORMS.get(read["open"] or "", "text")
    return Part(read["name"] or text, form, text, below)


def in_words(diagram: Diagram) -> str:
    """Return a diagram as sentences for readers who do not see it: the parts with shapes, the groups, the arrows."""
    texts = [part.text for part in diagram.parts.values()]
    names = {name: part.text if texts.count(part.text) == 1 else name for name, part in diagram.parts.items()}
    shapes = [
        f"{names[part.name]} ({part.below})" if part.below else names[part.name] for part in diagram.parts.values()
    ]
    sentences = [f"Diagram of {', '.join(shapes)}"]
    sentences += [
        f"{group} holds {', '.join(map(names.__getitem__, found))}" for group, found in diagram.groups.items()
    ]
    verbs = {"->": "to", "-->": "dashed to", "-x>": "cut off from", "~>": "around to"}
    sentences += [
        f"{names[arrow.tail]} {verbs[arrow.kind]} {names[arrow.head]}" + (f" ({arrow.label})" if arrow.label else "")
        for arrow in diagram.arrows
    ]
    return "; ".join(sentences)


def lay_out(diagram: Diagram) -> tuple[float, float]:
    """Give each part its size and place. Returns the width and the height of the diagram in inches."""
    for part in diagram.parts.values():
        sizes = [_text_size(part.text, SIZE), _text_size(part.below, SMALL)]
        part.width = max(width for width, _ in sizes) + 2 * PAD
        part.height = sum(height for _, height in sizes) + (1.5 if part.below else 1.2) * PAD
        if part.form == "circle":
            part.width = part.height = max(part.width, part.height)
    frame = 0.35 if diagram.groups else 0.1
    inner = max([2.5, *(_row_width(row, diagram.arrows) for row in diagram.rows)])
    y = frame
    for row in diagram.rows:
        height = max((part.height for part in row if part), default=0.2)
        y += 2 * STACK if any(part and part.form == "stack" for part in row) else 0.0
        for place, box in enumerate(row):
            if box is not None:
                box.x, box.y = frame + (place + 0.5) / len(row) * inner, y + height / 2
        y += height + BETWEEN
    ends = [_route(arrow, diagram)[1][0] + _text_size(arrow.label, SMALL)[0] for arrow in diagram.arrows]
    return max([inner + frame, *ends]) + max(frame, 0.2), y - BETWEEN + frame


def _row_width(row: list[Part | None], arrows: list[Arrow]) -> float:
    """Return how wide a row is in inches, if all its places are as wide as the widest part and a label beside it."""
    names = [part.name for part in row if part]
    beside = [arrow.label for arrow in arrows if arrow.kind != "~>" and {arrow.tail, arrow.head} & {*names}]
    gap = max([GAP, *(_text_size(label, SMALL)[0] + 0.25 for label in beside if label)])
    return len(row) * (max((part.width for part in row if part), default=0.0) + gap)


def _math(text: str) -> str:
    """Set letters with an index, such as N_Q or s_{t−1}, as mathematics."""
    return re.sub(
        r"(?<![\w$])([A-Za-z])_(?:\{([^{}]+)\}|(\w+))", lambda found: f"${found[1]}_{{{found[2] or found[3]}}}$", text
    )


def _text_size(text: str, size: float) -> tuple[float, float]:
    """Return the width and the height of a line of text in inches."""
    if not text:
        return 0.0, 0.0
    shown = _math(text)
    width, _, _ = text_to_path.get_text_width_height_descent(shown, FontProperties(size=size), "$" in shown)
    return width / 72, 1.35 * size / 72


def _draw_part(ax: Axes, part: Part) -> None:
    style: dict[str, Any] = {
        "edgecolor": INK,
        "facecolor": _FILLS.get(part.form, "none"),
        "linewidth": 1.0,
        "zorder": 3,
    }
    if part.form == "circle":
        ax.add_patch(Ellipse((part.x, part.y), part.width, part.height, **style))
    elif part.form != "text":
        rounding = 0.02 if part.form == "operation" else 0.08
        for sheet in (2, 1, 0) if part.form == "stack" else (0,):
            corner = (part.x - part.width / 2 + sheet * STACK, part.y - part.height / 2 - sheet * STACK)
            box = f"round,pad=0,rounding_size={rounding}"
            ax.add_patch(FancyBboxPatch(corner, part.width, part.height, boxstyle=box, **style))
    lines = [(part.text, SIZE), *([(part.below, SMALL)] if part.below else [])]
    down = part.y - sum(_text_size(*line)[1] for line in lines) / 2
    for text, size in lines:
        height = _text_size(text, size)[1]
        ax.text(part.x, down + height / 2, _math(text), size=size, color=INK, ha="center", va="center", zorder=4)
        down += height


def _border(part: Part, x: float, y: float) -> tuple[float, float]:
    """Return where the line from a part's centre to (x, y) leaves the part."""
    across, down = x - part.x, y - part.y
    margin = 0.03 + (2 * STACK if part.form == "stack" and down < 0 else 0.0)
    if part.form == "circle":
        share = (part.width / 2 + margin) / max(1e-9, (across**2 + down**2) ** 0.5)
    else:
        share = min(
            (part.width / 2 + margin) / max(1e-9, abs(across)), (part.height / 2 + margin) / max(1e-9, abs(down))
        )
    return part.x + share * across, part.y + share * down


def _side(tail: Part, head: Part, parts: list[Part]) -> float:
    """Return where a line at the right of both parts meets no other part on its way."""
    beside, low, high = 0.24, *sorted((tail.y, head.y))
    side = max(part.x + part.width / 2 for part in (tail, head)) + beside
    for part in sorted(parts, key=lambda part: part.x):
        if low < part.y < high and abs(part.x - side) < part.width / 2 + beside / 2:
            side = part.x + part.width / 2 + beside
    return side


def _route(arrow: Arrow, diagram: Diagram) -> tuple[list[tuple[float, float]], tuple[float, float]]:
    """Return the corners of an arrow, from its tail to its head, and the place of its label."""
    tail, head = diagram.parts[arrow.tail], diagram.parts[arrow.head]
    if arrow.kind == "~>":
        side = _side(tail, head, list(diagram.parts.values()))
        # Beside an arrow that ends at the tail's middle.
        begin = tail.y + (0.3 if head.y > tail.y else -0.3) * tail.height
        end = (head.x + head.width / 2 + 0.03, head.y)
        return [(tail.x + 0.4 * tail.width, begin), (side, begin), (side, head.y), end], (side, (begin + head.y) / 2)
    start, end = _border(tail, head.x, head.y), _border(head, tail.x, tail.y)
    share = 0.3 if arrow.kind == "-x>" else 0.5  # where several are cut, the crosses do not meet
    return [start, end], (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))


def _draw_arrow(ax: Axes, arrow: Arrow, diagram: Diagram) -> None:
    corners, middle = _route(arrow, diagram)
    cut = arrow.kind == "-x>"
    line: dict[str, Any] = {"color": MARK if cut else INK, "linewidth": 1.2, "zorder": 2}
    line["linestyle"] = "--" if cut or arrow.kind == "-->" else "-"
    ax.plot(*zip(*corners[:-1], strict=True), **line)
    ends = corners[-2], corners[-1]
    ax.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=10, shrinkA=0, shrinkB=0, **line))
    if cut:
        ax.plot(*middle, marker="x", color=MARK, markersize=9, markeredgewidth=2.4, zorder=5)
    if arrow.label:
        level = abs(corners[0][1] - corners[-1][1]) < 0.1
        beside = (middle[0], middle[1] - 0.06) if level else (middle[0] + (0.12 if cut else 0.06), middle[1])
        across, down = ("center", "bottom") if level else ("left", "center")
        paper: dict[str, Any] = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.6}
        text = _math(arrow.label)
        ax.text(*beside, text, size=SMALL, color=INK, ha=across, va=down, bbox=paper, zorder=5)


def _draw_group(ax: Axes, name: str, members: list[Part]) -> None:
    left, right = (f(p.x + s * p.width / 2 for p in members) for f, s in ((min, -1), (max, 1)))
    top, bottom = (f(p.y + s * p.height / 2 for p in members) for f, s in ((min, -1), (max, 1)))
    margin = 0.13
    corner, width, height = (left - margin, top - margin), right - left + 2 * margin, bottom - top + 2 * margin
    style: dict[str, Any] = {"boxstyle": "round,pad=0,rounding_size=0.1", "facecolor": "none", "edgecolor": COLOURS[0]}
    ax.add_patch(FancyBboxPatch(corner, width, height, linestyle="--", linewidth=1.2, zorder=1, **style))
    middle = (left - margin - 0.03, (top + bottom) / 2)
    ax.text(*middle, _math(name), size=SMALL, color=COLOURS[0], rotation=90, ha="right", va="center")
