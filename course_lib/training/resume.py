"""Convert a running training to the tensors and facts of a checkpoint, and back."""

from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor

from course_lib.training.checkpoint import Checkpoint
from course_lib.training.errors import CheckpointError
from course_lib.training.files import Tensors
from course_lib.training.history import History
from course_lib.training.random_states import random_states, set_random_states
from course_lib.training.run import Run
from course_lib.training.weights import copy_weights, put_weights, tensors_of

ANEW = "Pass resume=False to begin anew; the file is then overwritten."


def pack(run: Run) -> tuple[Tensors, Tensors, dict[str, Any]]:
    """Return (weights, tensors, facts): the weights that `fit` would leave if it stopped now, and the state to resume from.

    A finished training needs only its history, so its file is not larger than the weights.
    """
    now = copy_weights(run.model, "cpu")
    weights = now if run.best_weights is None else {name: w.cpu() for name, w in run.best_weights.items()}
    history = asdict(run.collect())
    tensors = {"losses": torch.tensor(history.pop("losses"), dtype=torch.float64)}
    facts = {"settings": asdict(run.settings), "history": history, "finished": run.finished}
    if run.finished:
        return weights, tensors, facts
    state, facts["optimizer"] = _optimizer_state(run.optimizer)
    tensors |= {} if weights is now else _under("now", now)
    tensors |= state | _under("random", random_states(run.device)) | _under("stream", run.stream.state())
    if hasattr(run.loss, "state_dict"):
        tensors |= {
            name: tensor.detach().to("cpu", copy=True).contiguous()
            for name, tensor in _under("loss", tensors_of(run.loss)).items()
        }
    return weights, tensors, facts | {"scaler": run.scaler.state_dict()}


def unpack(run: Run, checkpoint: Checkpoint, source: str) -> None:
    """Restore `run` to its state when `checkpoint`, read from `source`, was written.

    Raises CheckpointError if the checkpoint was not written by `fit`, has other settings, or does not fit.
    """
    if not isinstance(checkpoint.facts.get("settings"), dict):
        raise CheckpointError(f"Expected the state of a training to continue, got only weights in {source}. {ANEW}")
    changed = run.settings.differences(checkpoint.facts["settings"])
    if changed:
        raise CheckpointError(
            f"Expected the settings with which the training in {source} was begun, got other ones:\n  "
            + "\n  ".join(changed)
            + f"\nUse the same ones to go on. {ANEW}"
        )
    try:
        _restore(run, checkpoint, source)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, RuntimeError) as error:
        raise CheckpointError(f"Expected a checkpoint of this training, got {error!r} from {source}. {ANEW}") from error


def _restore(run: Run, checkpoint: Checkpoint, source: str) -> None:
    tensors, facts = checkpoint.training, checkpoint.facts
    losses = tensors["losses"].tolist()
    history = History(losses=losses, **facts["history"])
    if not facts["finished"]:
        run.stream.restore(_part(tensors, "stream"))
        if state := _part(tensors, "loss"):
            stateful: Any = run.loss
            stateful.load_state_dict(state)
    put_weights(run.model, _part(tensors, "now") or checkpoint.weights, source)
    if history.best is not None:
        run.best_weights = checkpoint.weights
    run.history, run.steps, run.resumed_at = history, len(losses), history.seconds
    if not facts["finished"]:
        _set_optimizer_state(run.optimizer, tensors, facts["optimizer"])
        if run.scaler.is_enabled() and facts["scaler"]:  # neither on the CPU nor with bfloat16
            run.scaler.load_state_dict(facts["scaler"])
        set_random_states(_part(tensors, "random"), run.device)  # last, since the code above may draw


def _under(folder: str, tensors: Tensors) -> Tensors:
    return {f"{folder}/{name}": tensor for name, tensor in tensors.items()}


def _part(tensors: Tensors, folder: str) -> Tensors:
    start = folder + "/"
    return {name.removeprefix(start): tensor for name, tensor in tensors.items() if name.startswith(start)}


def _optimizer_state(optimizer: torch.optim.Optimizer) -> tuple[Tensors, dict[str, Any]]:
    """Return the tensors under "optimizer/<parameter>/<name>", and likewise the values that are no tensors."""
    state = optimizer.state_dict()["state"]
    flat = {f"optimizer/{index}/{field}": value for index, entry in state.items() for field, value in entry.items()}
    tensors = {name: v.detach().to("cpu", copy=True).contiguous() for name, v in flat.items() if isinstance(v, Tensor)}
    return tensors, {name: value for name, value in flat.items() if name not in tensors}


def _set_optimizer_state(optimizer: torch.optim.Optimizer, tensors: Tensors, facts: dict[str, Any]) -> None:
    state: dict[int, dict[str, Any]] = {}
    for name, value in {**_part(tensors, "optimizer"), **_part(facts, "optimizer")}.items():
        index, _, what = name.partition("/")
        state.setdefault(int(index), {})[what] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
