"""Training in one plain loop, after nanoGPT's train.py (A. Karpathy, 2022)."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from course_lib.devices import pick_device
from course_lib.devices.threads import threads_for
from course_lib.training.batches import Batches, stream_of, to_device
from course_lib.training.history import History
from course_lib.training.interrupt import delayed_interrupt
from course_lib.training.keeper import Keeper
from course_lib.training.own_loop import Train, train_by
from course_lib.training.precision import default_dtype
from course_lib.training.random_states import seed_everything
from course_lib.training.run import Run
from course_lib.training.schedule import rate_factor, set_rates
from course_lib.training.screen import make_screen
from course_lib.training.settings import Settings, count_steps, described, steps_between_validations
from course_lib.training.validation import Loss, Validate, validator


def fit(
    model: nn.Module,
    loss: Loss,
    batches: Batches,
    *,
    steps: int | None = None,
    epochs: int | None = None,
    learning_rate: float | None = None,
    optimizer: torch.optim.Optimizer | None = None,
    warmup: int = 0,
    decay: str = "cosine",
    clip: float | None = 1.0,
    train: Train | None = None,
    validate: Validate | None = None,
    validate_every: int | None = None,
    patience: int | None = None,
    better: str = "lower",
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    save_every: float = 60.0,
    seed: int | None = 0,
    device: str | torch.device | None = None,
    dtype: torch.dtype | None = None,
    show: bool = True,
) -> History:
    """Train `model` in place so that `loss(model, batch)` becomes small, and return the history.

    It ends on `device` (by default the best there is), in evaluation mode, with its best weights if it was validated
    and its last ones otherwise.

    - `loss(model, batch)` returns one number with a gradient. All tensors in a batch are put on the device before.
      A loss that changes with the steps has `state_dict()`, of tensors, and `load_state_dict(state)`, as a module has.
    - `batches`: a list, a DataLoader or anything that can be gone through again and again; or a function that draws
      one batch from the torch.Generator that it is given. `steps` or `epochs` (passes over batches) says how long.
    - `learning_rate`: the highest (1e-3 unless given), for AdamW; or bring an `optimizer` with rates of its own. They
      rise in a straight line over `warmup` steps and then fall to 0 as `decay` says: "cosine", "linear" or "none".
    - `clip`: gradients whose norm, all together, is larger are shrunk to it; None leaves them.
    - `train`: a loop of your own, which then takes the steps: it is called as `train(model, loss_of, batches,
      make_optimizer, rate_of, clip=clip)`, as in 05-translation, and takes one step for each batch of an iterator.
      Rates, clipping, validation and checkpoints are as without it.
    - `validate`: a function model → number, or held-out batches, whose mean loss is taken; every `validate_every`
      steps (by default once a pass, or twenty times in all). `better` is "lower" or "higher". After `patience`
      validations in a row without a new best, training stops.
    - `checkpoint`: a safetensors file that is written every `save_every` seconds, at an interruption and at the end;
      what lies there is overwritten. With `resume`, training goes on from it if it is there, to bit for bit the same
      weights on the CPU as without the interruption. At the end it holds the weights that the model is left with.
    - A small model is trained by one thread on the CPU: that is faster than two, which would wait for each other.
    - `seed` seeds torch, NumPy and Python; None leaves them. `dtype` is that of mixed precision; by default an NVIDIA
      GPU gets the one that suits it, or float32 where that is float16 and `train` takes the steps. `show` shows
      progress: a live curve in a notebook, one line elsewhere.

    Raises ValueError for arguments that do not fit together, FloatingPointError if the loss becomes NaN or infinite,
    CheckpointError if the checkpoint cannot be used, and KeyboardInterrupt, after saving, when interrupted.
    """
    chosen = pick_device(device)
    if seed is not None:
        seed_everything(seed)
    model.to(chosen).train()
    optimizer = choose_optimizer(model, learning_rate, optimizer)
    total = count_steps(batches, steps, epochs)
    every = steps_between_validations(batches, total, validate_every)
    rates = tuple(float(group["lr"]) for group in optimizer.param_groups)
    kind = described(optimizer)
    settings = Settings(total, warmup, decay, clip, every, patience, better, seed, kind, rates, str(dtype))
    value_of = None if validate is None else validator(validate, loss, chosen)
    if train is not None and dtype is None and default_dtype(chosen) == torch.float16:
        dtype = torch.float32  # a loop of one's own does not scale the gradients
    run = Run(model, loss, stream_of(batches, seed, chosen), optimizer, settings, chosen, dtype, value_of)
    keeper = Keeper(run, None if checkpoint is None else Path(checkpoint), save_every)
    if resume:
        keeper.resume()
    return _train_and_show(run, keeper, show, train)


def choose_optimizer(
    model: nn.Module, learning_rate: float | None, optimizer: torch.optim.Optimizer | None
) -> torch.optim.Optimizer:
    """Return `optimizer`, or AdamW for the parameters of `model` that learn. Raises ValueError if none does."""
    if optimizer is not None:
        if learning_rate is not None:
            raise ValueError("Expected learning_rate or optimizer, got both. The optimizer has its own learning rate.")
        return optimizer
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not learning:
        raise ValueError(
            f"Expected a model with parameters that require a gradient, got {type(model).__name__} with none."
        )
    fused = all(p.is_floating_point() and p.device.type in ("cpu", "cuda") for p in learning)
    return torch.optim.AdamW(learning, lr=1e-3 if learning_rate is None else learning_rate, fused=fused)


def _train_and_show(run: Run, keeper: Keeper, show: bool, train: Train | None) -> History:
    done_before = run.finished
    threads = threads_for(sum(parameter.numel() for parameter in run.parameters), run.device)
    with threads, make_screen(show, run) as screen, delayed_interrupt() as interrupt:

        def after_step(value: Tensor) -> None:
            run.record(value)
            run.validate_if_due()
            if interrupt.asked:
                keeper.save()
                raise KeyboardInterrupt(screen.interrupted(keeper.path))
            keeper.save_if_due()
            screen.show_if_due()

        try:
            if train is None:
                _train(run, after_step)
            else:
                train_by(train, run, lambda batch: loss_of(run, batch), after_step)
            run.collect()
        finally:
            # The original rates, for the next user of the optimiser.
            set_rates(run.optimizer, run.settings.learning_rates, 1.0)
            run.take_best()
        if not done_before:
            keeper.save()
    return run.history


def _train(run: Run, after_step: Callable[[Tensor], None]) -> None:
    settings, optimizer, scaler = run.settings, run.optimizer, run.scaler
    while not run.finished:
        set_rates(
            optimizer, settings.learning_rates, rate_factor(run.steps, settings.steps, settings.warmup, settings.decay)
        )
        value = loss_of(run, to_device(next(run.stream), run.device))
        optimizer.zero_grad()
        scaler.scale(value).backward()  # the scaler acts only in float16
        scaler.unscale_(optimizer)
        if settings.clip is not None:
            clip_grad_norm_(run.parameters, settings.clip)
        scaler.step(optimizer)
        scaler.update()
        after_step(value)


def loss_of(run: Run, batch: Any) -> Float[Tensor, ""]:
    """Return the loss of a batch that is on the device already, in the precision of the training."""
    with run.autocast:
        return one_number(run.loss(run.model, batch))


def one_number(value: Any) -> Float[Tensor, ""]:
    """Return `value`, or raise ValueError unless it is a single number with a gradient."""
    if isinstance(value, Tensor) and value.ndim == 0 and value.requires_grad:
        return value
    got = (
        f"shape {tuple(value.shape)}, requires_grad={value.requires_grad}" if isinstance(value, Tensor) else repr(value)
    )
    raise ValueError(
        f"Expected loss(model, batch) to return one number (a tensor of shape ()) that depends on the parameters, got {got}."
    )
