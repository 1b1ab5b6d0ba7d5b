"""Training mode and eval mode: without dropout both must give the same, and eval mode gives the same in every call."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.checks.differences import tolerance
from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import StudentModule

#: What to do where nothing may be random and is; no known answer can reproduce these numbers.
RANDOM, RANDOM_HINT = (
    "random in eval mode",
    "The same call gives other numbers each time. In eval mode dropout has to be off: nn.Dropout knows the mode, "
    "F.dropout has to be told (training=self.training). A layer made in forward has new random weights in every call.",
)

MOVES = "In eval mode the same call gives other numbers each time."


class BothModes(StudentModule):
    """A module without dropout. Each call in eval mode is made in training mode too, and must give the same there."""

    @classmethod
    def of(cls, module: StudentModule) -> "BothModes":
        return cls(module.student, module.name, module.build, module.weights, module.options)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        value = super().__call__(*args, **kwargs)
        if "training" not in self.options:
            expect_the_same(value, lambda training: self.when(training=training)(*args, **kwargs))
        return value


def expect_the_same(value: Any, call: Callable[[bool], Any]) -> None:
    """Fail if ``call(training=True)`` gives another value than eval mode gave, or if eval mode gives another one each time."""
    in_training = call(True)
    if _close(value, in_training):
        return
    if not _close(value, call(False)):
        raise CheckFailure("random", MOVES, received="eval", cause=RANDOM, hint=RANDOM_HINT)
    raise CheckFailure(
        "mode",
        "In training mode the same module gives other results than in eval mode, although it has no dropout.",
        expected="the same results",
        received="another result in training mode",
        cause="another result in training mode",
        hint="Without dropout nothing here depends on the mode. Look for self.training, for a dropout that is not 0 although "
        "dropout=0.0 was asked for, and for a layer that behaves differently while it is trained, such as BatchNorm.",
    )


def expect_still(module: StudentModule, *inputs: Any, setting: str) -> Any:
    """Return what the module gives in eval mode; fail if a second call gives something else.

    Whoever takes this for what it is without dropout, and compares training mode with it, has to know that first.
    """
    first = module(*inputs)
    if _close(first, module(*inputs)):
        return first
    raise CheckFailure("random", MOVES, setting=setting, received="eval", cause=RANDOM, hint=RANDOM_HINT)


def _close(a: Any, b: Any) -> bool:
    """Return whether two results agree up to rounding."""
    if isinstance(a, tuple | list):
        return isinstance(b, tuple | list) and len(a) == len(b) and all(map(_close, a, b))
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return type(a) is type(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not a.is_floating_point():
        return bool((a == b).all())
    a, b = a.detach(), b.detach()
    size = float(a.abs().nan_to_num(0, 0, 0).max()) if a.numel() else 1.0
    return bool(
        ((a - b).abs() <= tolerance(a.dtype, max(size, 1.0))).logical_or(a == b).logical_or(a.isnan() & b.isnan()).all()
    )
