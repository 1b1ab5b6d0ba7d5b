"""Shared checks of losses: a mean cross-entropy over some positions, compared with the sum of single positions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checks import expect
from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Request, Student

#: Rounding is far smaller, but dividing by a count plus about 1e-8 is accepted, and real mistakes are far larger.
SIZE = 1e7


@dataclass(frozen=True)
class Loss:
    """A student's loss ``name(logits, targets)`` and a function for the right value, ``want(logits, targets)``.

    ``given``: the name of the function's second parameter. ``real``: a description of a position that counts.
    """

    name: str
    want: Callable[..., Tensor]
    given: str
    real: str

    def value(self, student: Student, logits: Tensor, targets: Tensor, setting: str = "", **options: Any) -> Tensor:
        """Return the student's loss, a scalar, or fail."""
        loss = expect.tensor(student.call(self.name, logits, targets, **options), "The loss")
        expect.shape(loss, (), "The loss", "one number", setting or self.describe(logits, targets))
        return loss

    def describe(self, logits: Tensor, targets: Tensor) -> str:
        """Format the shape of the logits and the first rows of the second argument."""
        rows = ", ".join(str(row) for row in targets[:3].tolist()) + (", …" if len(targets) > 3 else "")
        return f"logits {tuple(logits.shape)}, {self.given} {rows}"

    def compare(self, student: Student, logits: Tensor, targets: Tensor, more: str = "", **options: Any) -> Tensor:
        """Compare the loss with the right one, and return it."""
        setting = self.describe(logits, targets) + (f", {more}" if more else "")
        loss = self.value(student, logits, targets, setting, **options)
        size = SIZE if loss.dtype == torch.float64 else 10.0
        expect.allclose(loss, self.want(logits, targets, **options), "The loss", size=size, setting=setting)
        return loss

    def is_zero(self, student: Student, logits: Tensor, targets: Tensor, what: str) -> None:
        """Fail unless the loss and its gradient are 0 for targets in which no position counts."""
        setting = f"{self.describe(logits, targets)} ({what})"
        loss = self.value(student, logits, targets, setting)
        if not float(loss) == 0.0:
            raise CheckFailure(
                "value",
                f"Without any {self.real}, the loss should be 0.",
                expected="0",
                yours=f"{float(loss):.4g}",
                setting=setting,
                received=loss.detach(),
                wanted=torch.zeros(()),
                cause=f"0/0 without any {self.real}" if bool(loss.isnan()) else "",
                hint=f"The mean over no {self.real} at all is 0/0. A batch without any should neither stop the "
                "training nor spoil the weights."
                if bool(loss.isnan())
                else "",
            )
        gradient = self._gradient(student, logits, targets, setting)
        if gradient is not None and bool(gradient.ne(0).any()):
            raise CheckFailure(
                "gradient",
                "The loss is 0, but its gradients are not.",
                setting=setting,
                received="gradients",
                yours=expect.numbers(gradient[0, 0]),
                cause="not a number" if bool(gradient.isnan().any()) else "",
                hint="Replacing a NaN at the end leaves it in the gradient. Divide by at least 1 instead.",
            )

    def depends(self, student: Student, draw: Any, targets: Tensor, classes: int) -> None:
        """Fail unless different logits give a different loss."""
        logits = draw.normal(*targets.shape, classes)
        first, second = (self.value(student, factor * logits, targets) for factor in (1, 2))
        expect.depends_on_its_inputs(first, second, "The loss")

    def _gradient(self, student: Student, logits: Tensor, targets: Tensor, setting: str) -> Tensor | None:
        try:
            cotangent = torch.ones((), dtype=logits.dtype)
            answer = student.answer(Request(self.name, (logits, targets), cotangents=(cotangent,)))
        except CheckFailure as failure:
            if failure.kind == "detached":
                failure.setting = setting
                failure.hint = (
                    "For such a loss, loss.backward() raises an error in the middle of training. " + failure.hint
                )
            raise
        return answer.gradients[0]

    def gradient_agrees(self, student: Student, logits: Tensor, targets: Tensor) -> None:
        """Compare the gradient with respect to the logits with the right one."""
        setting = self.describe(logits, targets)
        self.value(student, logits, targets, setting)
        received = self._gradient(student, logits, targets, setting)
        if received is None:
            raise CheckFailure("detached", "No gradient reaches the logits.", received="logits", cause="no gradient")
        leaf = logits.clone().requires_grad_()
        [expected] = torch.autograd.grad(self.want(leaf, targets), leaf)
        message = "The gradient of the logits is wrong."
        expect.allclose(received, expected, "d/dlogits", size=SIZE, setting=setting, message=message)

    def large_logits(self, student: Student, draw: Any, targets: Tensor, classes: int) -> None:
        """Compare the loss for logits of three magnitudes, in float32 and float64."""
        for scale in (30.0, 300.0, 3000.0):
            for dtype in (torch.float64, torch.float32):
                logits = draw.normal(*targets.shape, classes, scale=scale, dtype=dtype)
                setting = f"logits of about ±{scale:.0f}, {dtype}"
                loss, expected = self.value(student, logits, targets, setting), self.want(logits, targets)
                size = SIZE if dtype == torch.float64 else 10 * scale
                expect.allclose(loss, expected, "The loss", size=size, setting=setting)

    def same_again(self, student: Student, logits: Tensor, targets: Tensor, others: Tensor) -> None:
        """Compare a call with its repetition after a call with ``others``, and with a call on transposed tensors."""
        self.value(student, logits, others)
        first = self.compare(student, logits, targets, str(logits.dtype))
        again = self.value(student, logits, targets)
        expect.allclose(again, first.detach().double(), "The loss", message="The same call gives a different loss.")
        # The layout that torch.stack(steps).transpose(0, 1) produces.
        stacked = logits.transpose(0, 1).contiguous().transpose(0, 1)
        self.compare(student, stacked, targets.T.contiguous().T, f"transposed tensors, {logits.dtype}")
