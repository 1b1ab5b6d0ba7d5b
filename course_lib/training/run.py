"""A running training: the model, all state that changes with it, and the results so far."""

import math
import time
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.training.batches import Drawn, Passes
from course_lib.training.files import Tensors
from course_lib.training.history import History
from course_lib.training.precision import mixed_precision
from course_lib.training.random_states import random_states, set_random_states
from course_lib.training.settings import Settings
from course_lib.training.validation import Loss, is_better, measure
from course_lib.training.weights import copy_weights, put_weights


class Run:
    """The whole state of a training that has to be saved to resume it, and the operations around a training step."""

    def __init__(
        self,
        model: nn.Module,
        loss: Loss,
        stream: Drawn | Passes,
        optimizer: torch.optim.Optimizer,
        settings: Settings,
        device: torch.device,
        dtype: torch.dtype | None,
        value_of: Callable[[nn.Module], float] | None,
    ):
        self.model, self.loss, self.stream, self.optimizer = model, loss, stream, optimizer
        self.settings, self.device = settings, device
        self.value_of = value_of
        self.autocast, self.scaler = mixed_precision(device, dtype)
        self.parameters = [p for group in optimizer.param_groups for p in group["params"]]
        self.history = History()
        self.steps = 0
        self.pending: list[Tensor] = []  # losses still on the device: reading one waits for the GPU
        self.best_weights: Tensors | None = None
        self.resumed_at, self.started = 0.0, time.perf_counter()

    @property
    def finished(self) -> bool:
        """True if all steps are done, or patience has ended."""
        return self.steps >= self.settings.steps or self.history.stopped_early

    def record(self, loss: Float[Tensor, ""]) -> None:
        """Count a step and record its loss."""
        self.steps += 1
        self.pending.append(loss.detach())

    def collect(self) -> History:
        """Return the history up to now. Raises FloatingPointError if a loss was NaN or infinite."""
        values = torch.stack(self.pending).tolist() if self.pending else []
        self.pending.clear()
        self.history.losses += values
        self.history.seconds = self.resumed_at + time.perf_counter() - self.started
        first = self.steps - len(values)
        for step, value in enumerate(values, start=first + 1):
            if not math.isfinite(value):
                raise FloatingPointError(
                    f"The loss of step {step} is {value}: training has diverged. Try a lower learning_rate or more "
                    "warmup, and look in the loss for a division by 0, a logarithm of 0, or a mean over nothing."
                )
        return self.history

    def validate_if_due(self) -> None:
        """Validate after every `validate_every` steps and after the last, without affecting the random numbers of training."""
        if self.value_of is None or not (self.steps % self.settings.validate_every == 0 or self.finished):
            return
        states = random_states(self.device)
        with self.autocast:
            value = measure(self.model, self.value_of)
        set_random_states(states, self.device)
        history = self.history
        history.validation.append(value)
        history.validation_steps.append(self.steps)
        if is_better(value, history.best, self.settings.better):
            history.best, history.best_step = value, self.steps
            self.best_weights = copy_weights(self.model)
        history.stopped_early = self._patience_has_ended() and self.steps < self.settings.steps

    def _patience_has_ended(self) -> bool:
        history, patience = self.history, self.settings.patience
        since_best = sum(step > (history.best_step or 0) for step in history.validation_steps)
        return patience is not None and since_best >= patience

    def take_best(self) -> None:
        """Load the best weights into the model, if there was a validation, and set it to evaluation mode."""
        if self.best_weights is not None:
            put_weights(self.model, self.best_weights, "the best step")
        self.model.eval()
