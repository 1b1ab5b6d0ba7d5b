"""The panel at the end of a notebook, and its twin on the command line: what is there, what is left, and is it saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from autograder.notebook.standing import Row, Standing
from autograder.verdict import markup

_WIDTH = 78


@dataclass(frozen=True)
class Panel:
    """A standing to be shown. ``notes`` are sentences about the notebook itself: whether it is saved, and open only once."""

    standing: Standing
    notes: Sequence[str] = ()
    hand_in: str = ""

    @property
    def begun(self) -> bool:
        """Whether any exercise has been checked, written or answered, or any file is there."""
        return any(
            row.done or row.state not in ("not begun", "not answered", "not there") for row in self.standing.rows
        )

    @property
    def _summary(self) -> str:
        """One line: points, questions, files."""
        now = self.standing
        parts = [f"{now.earned:g} of {now.points:g} points by your last checks"]
        for rows, what in ((now.questions, "written questions answered"), (now.files, "files ready")):
            if rows:
                parts.append(f"{sum(row.done for row in rows)} of {len(rows)} {what}")
        return ", ".join(parts)

    @property
    def _left(self) -> list[str]:
        """What is left to do, in order."""
        now = self.standing
        left = [row.to_do or f"look at the table of {row.name}" for row in now.rows if not row.done]
        return [*left, *(["save the notebook"] if now.unsaved else [])]

    @property
    def _next(self) -> str:
        if not self._left:
            return f"Nothing is left to do. {self.hand_in}".rstrip()
        more = f", and {len(self._left) - 1} more" if len(self._left) > 1 else ""
        return f"Next: {self._left[0]}{more}. {self.hand_in}".rstrip()

    def __str__(self) -> str:
        lines = [f"{self.standing.assignment}: {self._summary}"]
        for row in self.standing.rows:
            score = _score(row)
            text = f"{_sign(row)} {row.name}: {row.state}"
            lines.append(f"{text:<{_WIDTH - len(score)}}{score}".rstrip())
        return "\n".join([*lines, *self.notes, self._next])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        title = f"<b>{escape(self.standing.assignment)}</b> &nbsp; {escape(self._summary)}"
        rows = (
            markup.row(
                f"{markup.spoken(_sign(row), 'done' if row.done else 'to do')} {escape(row.name)}",
                escape(row.state),
                escape(_score(row)) or "–",
                edge=markup.RIGHT if row.done else markup.WRONG,
            )
            for row in self.standing.rows
        )
        notes = "".join(f"<p>{escape(note)}</p>" for note in (*self.notes, self._next))
        return markup.table(title, ("what", "state", "points"), rows) + notes


def _sign(row: Row) -> str:
    return "✓" if row.done else "○"


def _score(row: Row) -> str:
    return f"{row.earned:g} of {row.points:g}" if row.points else ""
