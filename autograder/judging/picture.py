"""A small matrix as a picture: an HTML table with coloured cells, which needs no library or script."""

from dataclasses import dataclass
from html import escape

from torch import Tensor


@dataclass
class Matrix:
    """The student's matrix (rows are queries, columns are keys) with the wrong cells marked."""

    yours: Tensor
    expected: Tensor
    wrong: Tensor
    title: str

    def html(self) -> str:
        """Return both matrices side by side; in the student's, a wrong cell has a thick border and a cross."""
        return (
            '<table style="border:0;background:transparent"><tr style="background:transparent">'
            + _table(self.expected, None, f"expected {self.title}")
            + _table(self.yours, self.wrong, f"yours (wrong cells: {int(self.wrong.sum())}, marked ×)")
            + "</tr></table>"
        )

    def text(self) -> str:
        """Return the pattern of wrong cells, one character per cell: × for wrong, · for right. Empty if all are wrong."""
        if bool(self.wrong.all()):
            return ""
        rows = ["".join("×" if cell else "·" for cell in row) for row in self.wrong.tolist()]
        return "\n".join([*rows, "× marks a wrong entry (rows: queries, columns: keys)"])


def _table(values: Tensor, wrong: Tensor | None, caption: str) -> str:
    rows = []
    for i, row in enumerate(values.tolist()):
        cells = "".join(_cell(x, bool(wrong[i, j]) if wrong is not None else False) for j, x in enumerate(row))
        rows.append(f'<tr style="background:transparent">{cells}</tr>')
    return (
        '<td style="padding:0 1.5em 0 0;vertical-align:top;text-align:left;border:0">'
        f"<div>{escape(caption)}</div><div><small>rows: queries, columns: keys</small></div>"
        f'<table style="border-collapse:collapse">{"".join(rows)}</table></td>'
    )


def _cell(value: float, wrong: bool) -> str:
    """Colour a cell blue, from light (0) to dark (1), as in the attention pictures; grey for a value outside that range."""
    inside = 0.0 <= value <= 1.0
    shade = [round(a + (b - a) * value) for a, b in ((242, 8), (246, 48), (252, 107))] if inside else [190, 190, 190]
    ink = "#fff" if inside and value > 0.5 else "#111"
    border = "3px solid #d55e00" if wrong else "1px solid #999"
    number = f"{value:.2f}" if abs(value) < 100 else f"{value:.0e}"
    return (
        f'<td style="background:rgb({shade[0]},{shade[1]},{shade[2]});color:{ink};border:{border};padding:2px 4px;'
        f'text-align:center;font-size:85%">{"×" if wrong else ""}{number}</td>'
    )
