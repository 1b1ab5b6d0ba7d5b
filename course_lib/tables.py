"""A small table that reads well as plain text and as HTML."""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Table:
    """Rows of text under one title; `header` is empty for a table of names and values.

    The first column is aligned to the left, and so is every other one unless `numeric` is true.
    The HTML sets no colours, so it follows the notebook's own theme, dark or light.
    """

    title: str
    rows: tuple[tuple[str, ...], ...]
    header: tuple[str, ...] = ()
    numeric: bool = False

    def __str__(self) -> str:
        lines = ([self.header] if self.header else []) + list(self.rows)
        widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
        return "\n".join([self.title, *("  " + self._line(line, widths) for line in lines)])

    __repr__ = __str__

    def _line(self, cells: tuple[str, ...], widths: list[int]) -> str:
        first, *rest = zip(cells, widths, strict=True)
        padded = [cell.rjust(width) if self.numeric else cell.ljust(width) for cell, width in rest]
        return "  ".join([first[0].ljust(first[1]), *padded]).rstrip()

    def _repr_html_(self) -> str:
        head = f"<thead><tr>{self._cells('th', self.header)}</tr></thead>" if self.header else ""
        body = "".join(f"<tr>{self._cells('td', row)}</tr>" for row in self.rows)
        caption = (
            f'<caption style="caption-side: top; text-align: left; font-weight: bold">{escape(self.title)}</caption>'
        )
        return f"<table>{caption}{head}<tbody>{body}</tbody></table>"

    def _cells(self, tag: str, cells: tuple[str, ...]) -> str:
        aligns = ["left", *(["right" if self.numeric else "left"] * len(cells))]
        return "".join(
            f'<{tag} style="text-align: {align}">{escape(cell)}</{tag}>'
            for cell, align in zip(cells, aligns, strict=False)
        )
