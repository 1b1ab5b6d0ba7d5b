"""The record of a training, beside the weights."""

from dataclasses import dataclass, field


@dataclass(repr=False)
class History:
    """The losses of all steps, and the results of the validations.

    losses: the loss of each step. validation: the validation values; validation_steps: the number of steps before each. seconds:
    the duration, without interruptions. best, best_step: the best validation value, and the number of steps before it; None
    without validation. stopped_early: whether patience ended the training before all steps were done.
    """

    losses: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)
    validation_steps: list[int] = field(default_factory=list)
    seconds: float = 0.0
    best: float | None = None
    best_step: int | None = None
    stopped_early: bool = False

    @property
    def steps(self) -> int:
        """The number of steps done."""
        return len(self.losses)

    def __repr__(self) -> str:
        parts = [f"{self.steps} steps in {duration(self.seconds)}"]
        if self.losses:
            parts.append(f"loss {self.losses[0]:.4g} at first, {self.losses[-1]:.4g} at last")
        if self.best is not None:
            parts.append(f"best validation {self.best:.4g} after step {self.best_step}")
        return "; ".join(parts) + (" (stopped early)" if self.stopped_early else "")


def duration(seconds: float) -> str:
    """Return a time in seconds as text: "4.2 s", "48 s", "3 min 20 s", "2 h 5 min"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
