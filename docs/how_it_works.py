"""Draw the two diagrams of docs/how-it-works.md from its lists: run `python docs/how_it_works.py` from the repository's root."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

PAGE = Path(__file__).with_name("how-it-works.md")
WIDTH, HEIGHT, ACROSS, DOWN = 2.6, 0.36, 4.1, 0.95  # of a box, and from one to the next, in inches


@dataclass
class Diagram:
    """A picture's file; its lanes with their modules, where "-" is an empty place; and its arrows.

    An arrow: caller, callee, label, and whether it leads into another process.
    """

    picture: str
    lanes: dict[str, list[str]] = field(default_factory=dict)
    arrows: list[tuple[str, str, str, bool]] = field(default_factory=list)


def diagrams(page: Path = PAGE) -> Iterator[Diagram]:
    """Yield the diagrams of the page. Raises ValueError for a line that is neither a lane nor an arrow."""
    text = page.read_text(encoding="utf8")
    for picture, block in re.findall(r"\]\(([\w-]+\.svg)\)\n\n```text\n(.*?)```", text, re.DOTALL):
        found = Diagram(picture)
        for line in block.splitlines():
            if arrow := re.fullmatch(r"(\S+) ([-=])> (\S+): (.+)", line):
                found.arrows.append((arrow[1], arrow[3], arrow[4], arrow[2] == "="))
            elif lane := re.fullmatch(r"([^:>]+): (.+)", line):
                found.lanes[lane[1]] = lane[2].split(", ")
            else:
                raise ValueError(f"Expected a lane or an arrow: {line!r}")
        yield found


def draw(axes: Axes, diagram: Diagram) -> None:
    """Draw each lane as a column of boxes, and the arrows with their labels."""
    where = {
        name: (x * ACROSS, -y * DOWN)
        for x, names in enumerate(diagram.lanes.values())
        for y, name in enumerate(names)
        if name != "-"
    }
    for caller, callee, label, between in diagram.arrows:
        (x, y), (to_x, to_y) = where[caller], where[callee]
        style = {"arrowstyle": "-|>", "color": "0.3", "lw": 2.5 if between else 1.0, "shrinkA": 0, "shrinkB": 0}
        if x != to_x:
            side = WIDTH / 2 if to_x > x else -WIDTH / 2
            start, end, middle = (x + side, y), (to_x - side, to_y), ((x + to_x) / 2, (y + to_y) / 2 + 0.14)
        elif abs(y - to_y) < 1.5 * DOWN:
            start, end, middle = (x, y - HEIGHT / 2), (x, to_y + HEIGHT / 2), (x, (y + to_y) / 2)
        else:  # around the boxes between
            start, end, middle = (x - WIDTH / 2, y), (x - WIDTH / 2, to_y), (x, to_y + HEIGHT / 2 + 0.15)
            style["connectionstyle"] = "bar,fraction=" + str(0.22 / abs(y - to_y) * (1 + (abs(y - to_y) > 3 * DOWN)))
        axes.annotate("", end, start, arrowprops=style)
        axes.text(*middle, label, size=8, ha="center", va="center", bbox={"fc": "white", "ec": "none", "pad": 0.8})
    for n, (lane, names) in enumerate(diagram.lanes.items()):
        axes.text(n * ACROSS, 0.55, lane, size=10, ha="center", weight="bold")
        for name in names:
            if name == "-":
                continue
            x, y = where[name]
            colour = mpl.colormaps["Pastel1"](n)
            axes.add_patch(
                plt.Rectangle((x - WIDTH / 2, y - HEIGHT / 2), WIDTH, HEIGHT, facecolor=colour, edgecolor="0.3")
            )
            axes.text(x, y, name, size=8.5, ha="center", va="center", family="monospace")


def main() -> None:
    mpl.rcParams |= {"svg.fonttype": "path", "svg.hashsalt": "course"}
    for diagram in diagrams():
        right, low = (
            (len(diagram.lanes) - 1) * ACROSS + WIDTH / 2 + 0.1,
            -DOWN * max(map(len, diagram.lanes.values())) + 0.5,
        )
        figure = plt.figure(figsize=(right + WIDTH / 2 + 0.7, 0.9 - low))
        axes = figure.add_axes((0, 0, 1, 1), xlim=(-WIDTH / 2 - 0.6, right), ylim=(low, 0.9))
        axes.axis("off")
        draw(axes, diagram)
        figure.savefig(PAGE.with_name(diagram.picture), metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
