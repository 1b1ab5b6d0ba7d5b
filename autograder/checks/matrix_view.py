"""A small matrix as an HTML heat map without a library or a script."""

from dataclasses import dataclass
from html import escape

from torch import Tensor

#: RGB colours of 0, of 1, and of values outside that range.
_LIGHT, _DARK, _OUTSIDE = (242, 246, 252), (8, 48, 107), (190, 190, 190)
#: Columns that fit beside an explanation even in a narrow window. A wider matrix scrolls, also by keyboard.
_FITS = 5


@dataclass
class Matrix:
    """The student's matrix with the wrong cells marked. ``axes`` names its rows and columns."""

    yours: Tensor
    expected: Tensor
    wrong: Tensor
    title: str
    axes: str = "rows: queries, columns: keys"

    def html(self) -> str:
        """Render both matrices, side by side if there is room; the student's wrong cells have a thick border and a ×."""
        wrong, digits = int(self.wrong.sum()), self._digits()
        return _table(self.expected, None, f"expected {self.title}", self.axes, digits) + _table(
            self.yours, self.wrong, f"yours (wrong cells: {wrong}, marked ×)", self.axes, digits
        )

    def _digits(self) -> int:
        """Return the number of digits, at most four, that make the difference visible in every wrong cell."""
        pairs = list(zip(self.yours[self.wrong].tolist(), self.expected[self.wrong].tolist(), strict=True))
        return next((n for n in (2, 3) if all(_number(a, n) != _number(b, n) for a, b in pairs)), 4)

    def text(self) -> str:
        """Return the pattern of wrong cells, one character per cell: × for wrong, · for right. Empty if all are wrong."""
        if bool(self.wrong.all()):
            return ""
        rows = ["".join("×" if cell else "·" for cell in row) for row in self.wrong.tolist()]
        return "\n".join([*rows, f"× marks a wrong entry ({self.axes})"])


def _table(values: Tensor, wrong: Tensor | None, caption: str, axes: str, digits: int) -> str:
    width = values.shape[1] if values.dim() > 1 else 0
    head = "".join(f'<th scope="col" style="{_HEAD}">{number}</th>' for number in range(width))
    rows = []
    for i, row in enumerate(values.tolist()):
        cells = "".join(_cell(x, bool(wrong[i, j]) if wrong is not None else False, digits) for j, x in enumerate(row))
        rows.append(f'<tr style="{_ROW}"><th scope="row" style="{_HEAD}">{i}</th>{cells}</tr>')
    title = f"{escape(caption)}<br><small>{escape(axes)}</small>"
    scrolls = f' role="group" tabindex="0" aria-label="{escape(caption)}"' if width > _FITS else ""
    return (
        '<div style="display:inline-block;vertical-align:top;max-width:100%;overflow-x:auto;margin:0.3em 0"'
        f"{scrolls}>"
        '<table style="border-collapse:collapse;table-layout:auto;margin:0 1.5em 0 0;overflow-wrap:normal">'
        f'<caption style="caption-side:top;text-align:left;padding:2px 0">{title}</caption>'
        f'<thead><tr style="{_ROW}"><td style="{_HEAD}"></td>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


_ROW = "background:transparent"
_CROSS = '<span role="img" aria-label="wrong:">×</span>'
_HEAD = "padding:1px 4px;font-size:75%;font-weight:normal;text-align:center;border:0;vertical-align:middle"


def _number(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if abs(value) < 100 else f"{value:.0e}"


def _cell(value: float, wrong: bool, digits: int) -> str:
    """Colour a cell blue, from light (0) to dark (1), as in the attention pictures; grey for a value outside that range."""
    inside = 0.0 <= value <= 1.0
    shade = tuple(round(a + (b - a) * value) for a, b in zip(_LIGHT, _DARK, strict=True)) if inside else _OUTSIDE
    border = "3px solid #d55e00" if wrong else "1px solid #999"
    return (
        f'<td style="background:rgb({shade[0]},{shade[1]},{shade[2]});color:{ink_on(shade)};border:{border};padding:2px 4px;'
        f'text-align:center;font-size:85%">{_CROSS if wrong else ""}{_number(value, digits)}</td>'
    )


def ink_on(shade: tuple[int, ...]) -> str:
    """Return black or white, whichever has more contrast with a colour: always at least 4.5 to 1."""
    channels = [channel / 255 for channel in shade]
    light = [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]
    luminance = sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), light, strict=True))
    return "#000" if (luminance + 0.05) / 0.05 >= 1.05 / (luminance + 0.05) else "#fff"
