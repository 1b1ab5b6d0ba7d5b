"""Submitted weights and experiment results: read within bounds, loaded into the grader's model, and judged."""

import contextlib
import json
import math
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks import expect
from autograder.runtime.errors import UNREADABLE, CheckFailure, PartialCredit
from autograder.runtime.student import Student, StudentModule

MOST_BYTES = 16 * 2**20
STEPS = 8  # of partial credit

#: Bounds on the content of a file, checked before anything is built. A tied weight counts under each of its names.
MOST_WEIGHTS = 1200
MOST_NUMBERS = MOST_BYTES // 4  # in all weights together: what fills the file with 32 bits each
MOST_SIDE = 10_000  # of each axis of a weight
MOST_AXES = 8


def load(student: Student, name: str, file: str, *build: Any) -> StudentModule:
    """Return the student's ``name(*build)`` with the weights in ``file``, or fail with the reason why they cannot be loaded."""
    parameters, called = student.build(name, *build).parameters(), f"{name}({', '.join(map(repr, build))})"
    data = student.file(file)
    if data is None:
        raise CheckFailure(
            "checkpoint",
            f"There is no file {file} beside the notebook, or it is far too large.",
            expected=f"{file}, with the trained weights, in at most 50 MiB",
            yours="no such file, or a larger one",
            received="no file",
            cause="no checkpoint",
            hint="Run the cell that trains and saves the model to its end (interrupted, the file is several times as large), and "
            "hand in the file together with the notebook.",
        )
    from course_lib.training.weights import unwrapped

    weights = unwrapped(weights_in(data, name, file), parameters)
    missing, extra = sorted(parameters.keys() - weights.keys()), sorted(weights.keys() - parameters.keys())
    explanation = _other_model(called, [*missing, *extra])
    if missing:
        raise CheckFailure(
            "checkpoint",
            f"The weights in {file} do not belong to what {called} returns.",
            expected=_listed(missing),
            yours=_listed(extra) if extra else "none of these" if weights else "an empty file",
            received=missing,
            **explanation,
        )
    module = student.build(name, *build, weights=weights)
    try:
        module.when(times=0).request()  # only construct it and load the weights
    except CheckFailure as failure:
        if failure.kind == "parameters":
            failure.cause, failure.hint = explanation["cause"], explanation["hint"]
        raise
    return module


#: Maximum of weight names shown: a model of twelve blocks has two hundred.
_SHOWN = 8


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _other_model(called: str, differing: Sequence[str]) -> dict[str, str]:
    """Return cause and hint for weights that do not fit, from the names that only the model or only the file has."""
    if not differing:
        cause, hint = "weights of another size", "the class fits, but a width, a length or a number of words does not"
    elif all(re.search(r"\.[1-9]\d*\.", name) for name in differing):
        cause, hint = "weights of another number of layers", "only the numbers of the layers differ"
    else:
        cause, hint = "weights of another class", "they have other names"
    return {"cause": cause, "hint": f"{called} has to return the same model that was trained and saved, and {hint}."}


def made_anew(student: Student, name: str, file: str, *build: Any) -> None:
    """Fail if ``name(*build)`` returns the same model at every call: the loaded weights would then be in it already."""
    module, called = load(student, name, file, *build), f"{name}({', '.join(map(repr, build))})"
    fresh, loaded = student.build(name, *build).parameters(), module.weights or {}
    if fresh and all(
        key in loaded and torch.equal(weight.float(), loaded[key].float()) for key, weight in fresh.items()
    ):
        raise CheckFailure(
            "state",
            f"{called} does not create a new model.",
            expected="new random weights at every call",
            yours="the weights that were loaded into the model of an earlier call, or read from the file",
            received="the same weights",
            cause="the same model at every call",
            hint="Create the model inside the function, in every call, and load nothing there: a second training "
            "would continue the first.",
        )


def weights_in(data: bytes, name: str, file: str) -> dict[str, Tensor]:
    """Return the weights in ``data``, the content of ``file`` for the exercise ``name``; floating-point weights as float32.

    Raises CheckFailure if they cannot be read or are out of bounds.
    """
    weights = _read(data, name, file)
    if wrong := _out_of_bounds(weights):
        raise CheckFailure(
            "checkpoint",
            f"The sizes of the weights in {file} are out of bounds.",
            expected=f"at most {MOST_WEIGHTS:,} weights and {MOST_NUMBERS:,} numbers in all, each weight with 1 to "
            f"{MOST_SIDE:,} numbers along each of at most {MOST_AXES} axes",
            yours=wrong,
            received="out of bounds",
            cause="sizes out of bounds",
            hint=f"Give {name}() fewer blocks or smaller widths, and save the weights alone, as fit and save_checkpoint do.",
        )
    single = {id(tensor): tensor.float() for tensor in weights.values() if tensor.is_floating_point()}
    return {key: single.get(id(tensor), tensor) for key, tensor in weights.items()}


def _out_of_bounds(weights: Mapping[str, Tensor]) -> str:
    """Describe the first size that is out of bounds; return the empty string if there is none."""
    numbers = sum(tensor.numel() for tensor in weights.values())
    if len(weights) > MOST_WEIGHTS or numbers > MOST_NUMBERS:
        return f"{len(weights):,} weights with {numbers:,} numbers"
    for name, tensor in weights.items():
        if tensor.dim() > MOST_AXES or not all(1 <= side <= MOST_SIDE for side in tensor.shape):
            return f"{name[:100]} of shape {tuple(tensor.shape)}"[:300]
    return ""


def _read(data: bytes, name: str, file: str) -> dict[str, Tensor]:
    from course_lib.training import CheckpointError, load_checkpoint

    if len(data) > MOST_BYTES:
        raise CheckFailure(
            "checkpoint",
            f"{file} is too large.",
            expected=f"at most {MOST_BYTES:,} bytes",
            yours=f"{len(data):,} bytes",
            received="too large",
            cause="checkpoint too large",
            hint=f"Was its training interrupted? Then the file also holds what is needed to go on: run the cell to its end. If "
            f"not, make the widths of {name}() smaller, and save the weights alone, as fit and save_checkpoint do.",
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, file)
        path.write_bytes(data)
        try:
            return load_checkpoint(path).weights
        except CheckpointError as error:
            raise CheckFailure(
                "checkpoint",
                f"{file} cannot be used.",
                yours=str(error).replace(f"{folder}/", "")[:400],
                received="unusable",
                cause=UNREADABLE,
                hint="Save the weights with fit(..., checkpoint=...) or save_checkpoint(model, path), and nothing else.",
            ) from None


def are_numbers(logits: Tensor) -> None:
    """Fail if any logit is NaN or infinite, as after a failed training."""
    expect.are_numbers(logits, "The logits hold")


def judge(value: float, full: float, none: float, failure: CheckFailure) -> None:
    """Raise partial credit, in whole steps, for a value worse than ``full``; a value no better than ``none`` earns nothing.

    Larger is better if ``full`` is larger than ``none``, and smaller otherwise. NaN and infinities earn nothing: no model can
    achieve them.
    """
    fraction = (value - none) / (full - none) if math.isfinite(value) else 0.0
    if fraction >= 1:
        expect.met(failure)
        return
    raise PartialCredit(int(fraction * STEPS) / STEPS if fraction > 0 else 0.0, failure)


MOST_RESULT_BYTES = 10_000
_SAVE = "Run the cell that calls save_results, and hand in the file together with the notebook."


@dataclass(frozen=True)
class Results:
    """The numbers in a results file, by name."""

    predicted: Mapping[str, float]
    measured: Mapping[str, float]


def results(student: Student, file: str, names: Sequence[str]) -> Results:
    """Return the content of the results file, which is untrusted, or fail with a description of its problem.

    It must contain a prediction and a measurement for each of ``names``.
    """
    data = student.file(file)
    if data is None:
        raise CheckFailure(
            "results",
            f"There is no file {file} beside the notebook.",
            expected=f"{file}, with what you predicted and what you measured",
            yours="no such file, or one that is far too large",
            received="no file",
            cause="no results file",
            hint=_SAVE,
        )
    read = _read_results(data)
    sections = {}
    for section in ("predicted", "measured"):
        values = read.get(section) if isinstance(read, dict) else None
        numbers = (
            {name: values[name] for name in names if _is_number(values.get(name))} if isinstance(values, dict) else {}
        )
        if missing := [name for name in names if name not in numbers]:
            raise CheckFailure(
                "results",
                f"{file} does not say what was {section}.",
                expected=f"a number for each of: {', '.join(names)}",
                yours=f"none for {', '.join(missing)}",
                received=(section, *missing),
                cause="no prediction" if section == "predicted" else "results missing",
                hint=f"Pass every number to save_results, under the names that the exercise gives. {_SAVE}",
            )
        sections[section] = {name: float(number) for name, number in numbers.items()}
    return Results(**sections)


def _read_results(data: bytes) -> Any:
    """Parse ``data`` as JSON; return None if it is not JSON, or too long."""
    if len(data) > MOST_RESULT_BYTES:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9 and math.isfinite(value)


def confirm(results: Results, again: Mapping[str, float], within: float, setting: str) -> None:
    """Fail unless every measured number is reproduced by the submitted weights: ``again`` holds the grader's measurements."""
    wrong = {name: value for name, value in again.items() if not abs(results.measured[name] - value) <= within}
    if wrong:
        raise CheckFailure(
            "results",
            "The numbers in the file do not match the weights that you handed in.",
            setting=setting,
            expected=", ".join(f"{name} {value:.3g}" for name, value in wrong.items()),
            yours=", ".join(f"{name} {results.measured[name]:.3g}" for name in wrong),
            received=tuple(wrong),
            cause="results of other weights",
            hint="After a new training, or a change of the function that measures, save the results again. Look at the names, "
            "too: each number needs its own.",
        )


def require_learned(unlearned: Mapping[str, float], expected: str, setting: str) -> None:
    """Fail if ``unlearned`` is not empty: it lists, by name, results that are hardly better than those of an untrained model."""
    if unlearned:
        raise CheckFailure(
            "results",
            "A model that you handed in has learned too little for this comparison.",
            setting=setting,
            expected=expected,
            yours=", ".join(f"{name} {value:.3g}" for name, value in unlearned.items()),
            received=tuple(unlearned),
            cause="never trained",
            hint="Train both models, or train them longer. The effect of a change can only be seen in models that have learned "
            "something.",
        )


#: The mean total variation distance between the answers of two models. Between two trainings of the course it is 0.09 to 0.47; 3
#: % noise in all weights gives 0.004 to 0.015. Ask where the two have to differ: two good models agree on what both were taught.
APART = 0.02
#: The same with output biases that make both models predict each class equally often: between two trainings of the course it is
#: at least 0.0197, and between models that differ only by biases it is 0.
BIASED = 0.005
#: The mean cosine between a row (or column) of a weight matrix of one model and its best match in the other. In two trainings of
#: the course that begin with the same weights, at least half of the matrices are below it, most with 0.5 to 0.8. With 40 % noise
#: in all weights it is 0.93 for each, and with another order, sign or scale of the units 1.
ALIKE = 0.9
#: A model is a copy if at least this share of its matrices are that similar: redrawing one matrix is no second training.
MOST = 0.75
#: Shorter rows are similar by chance.
_LONG = 4

#: The share of a hidden unit's variance not explained by its best match in the other model: the median of each layer, and the
#: geometric mean of these. In two trainings of the course it is 0.6 to 0.9, and 0.34 in two that begin with the same weights and
#: end after a fifteenth of their steps. With 30 % noise in all weights it is 0.24, whatever the basis of the weights.
UNEXPLAINED = 0.3
#: One minus the centered kernel alignment (linear CKA, Kornblith et al. 2019) of a hidden layer in both: the geometric mean.
#: It does not change when all units are mixed by a rotation. In two trainings of the course it is 0.17 to 0.76, and 0.09 in two
#: that begin with the same weights and end after a quarter of their steps. In a copy with units mixed by rotations and the next
#: matrix solved for it is 0.01 to 0.03.
UNALIGNED = 0.05
#: Two trainings on an easy task can be that well aligned. A copy of this kind also answers much the same: 0.02 to 0.1 apart.
NEAR = 0.1
#: A unit has a twin in the other model if this share of its variance is explained. A model can have any number of units that
#: write nothing or cancel each other. So each model answers again with only the units that have a twin, and with none: it is a
#: copy if it loses at most this share of the effect of all units. In two trainings of the course at least 0.89 of the effect is
#: lost, and in a copy with 20 % noise in all weights 0.01.
_TWIN, RESTS = 0.7, 0.2
#: Maximum of rows recorded for each layer, and of numbers for all layers of a model.
_MOST_ROWS, _MOST_UNITS = 4000, 2**23

#: For each model, the activations (rows, units) of each hidden layer, on the same inputs.
Units = Sequence[Sequence[Tensor]]


@contextlib.contextmanager
def watch_units(models: Iterable[nn.Module], part: str) -> Iterator[list[list[Tensor]]]:
    """Record the outputs of the submodules of each model whose names end in ``part``. Fills the list at the end of the context.

    Choose parts whose outputs enter an elementwise function: the basis of such units is fixed. Where only matrices write and
    read, as in a head, a rotation of both would change the units and not the model.
    """
    noted: list[list[_Noted]] = []
    units: list[list[Tensor]] = []
    with contextlib.ExitStack() as hooks:
        for model in models:
            submodules = _parts(model, part)
            noted.append([_Noted(_MOST_UNITS // len(submodules)) for _ in submodules])
            for submodule, rows in zip(submodules, noted[-1], strict=True):
                hooks.callback(submodule.register_forward_hook(rows.note).remove)
        yield units
    units += [[torch.cat(layer.rows) for layer in layers if layer.rows] for layers in noted]


def _parts(model: nn.Module, part: str) -> list[nn.Module]:
    return [module for name, module in model.named_modules() if name == part or name.endswith(f".{part}")]


@dataclass
class _Noted:
    """The first rows of a layer's outputs, at most ``room`` numbers."""

    room: int
    rows: list[Tensor] = field(default_factory=list)

    def note(self, _: nn.Module, __: Any, value: Tensor) -> None:
        units = value.shape[-1]
        most = min(_MOST_ROWS, self.room // units) - sum(map(len, self.rows))
        if most > 0:
            self.rows.append(value.detach().reshape(-1, units)[:most].clone())


def require_two_trainings(
    models: Sequence[nn.Module],
    part: str,
    answers: Callable[[nn.Module], Tensor],
    setting: str,
    may_be_similar: bool = False,
) -> None:
    """Fail unless the two models were trained separately, by all criteria of :func:`require_two`.

    ``answers`` returns a model's probabilities (…, classes) on drawn inputs; ``part`` names its hidden layers, as for
    :func:`watch_units`. Two trainings that begin with the same weights are similar after a few steps, and after many small ones.
    So pass ``may_be_similar`` where the results themselves show that both were trained, or that neither was trained for long:
    then only the answers are compared.
    """
    with torch.no_grad(), watch_units(models, part) as units:
        first, second = map(answers, models)
    if may_be_similar:
        require_two(first, second, setting)
    else:
        require_two(first, second, setting, models, units, part, answers)


def require_two(
    first: Tensor,
    second: Tensor,
    setting: str,
    models: Sequence[nn.Module] = (),
    units: Units = (),
    part: str = "",
    answers: Callable[[nn.Module], Tensor] | None = None,
) -> None:
    """Fail unless two models were trained separately. ``first``, ``second``: probabilities (…, classes) on the same drawn inputs.

    Different weights prove nothing: noise changes them without a second training. Nor do answers that differ only by the biases
    of the outputs. With enough noise a copy also answers differently. So the weight matrices of the ``models`` have to differ by
    more than noise, and by more than the order, signs and scales of hidden units. A copy whose matrices are in another basis, or
    that has one more layer, is recognised by its hidden ``units`` (see :func:`watch_units`). A copy with many additional idle
    units is recognised by its ``answers`` when only those units of each ``part`` act that the other model has, too.
    """
    apart, less_biases = _distance(first, second), _distance(first, _with_means_of(first, second))
    copied = _is_copy(*models) or _same_units(*units) or (apart < NEAR and _same_space(*units))
    if answers is not None and not copied and apart > APART:
        copied = _rests_on_twins(models, units, part, answers, (first, second))
    if not apart > APART or not less_biases > BIASED or copied:
        raise CheckFailure(
            "results",
            "The two models are too alike to be two trainings.",
            setting=setting,
            expected=f"two trainings: more than {APART:.0%} of the probability given to something else, by weights of their own",
            yours=f"{apart:.3%}"
            if not apart > APART
            else f"{apart:.3%}, but nearly the same weights, or other biases alone",
            received="the same model",
            cause="the same model twice",
            hint="Train a second model, with the one thing changed, and give its checkpoint the other name. Were both trained? "
            "Then train them longer: after few steps, models that begin with the same weights are still alike.",
        )


def _distance(first: Tensor, second: Tensor) -> float:
    """Return the probability mass on which two answers disagree (total variation distance); NaN if any number is NaN."""
    return float((first.double() - second.double()).abs().sum(-1).mean() / 2)


def _with_means_of(first: Tensor, second: Tensor) -> Tensor:
    """Return ``second`` with the biases of its classes shifted so that its mean probabilities nearly equal those of ``first``."""
    target, shifted = (probabilities.double().flatten(0, -2) for probabilities in (first, second))
    for _ in range(200):
        shifted = shifted * (target.mean(0) + 1e-12) / (shifted.mean(0) + 1e-12)
        shifted = shifted / shifted.sum(-1, keepdim=True)
    return shifted.view(second.shape)


def _is_copy(*models: nn.Module) -> bool:
    """Return whether most weight matrices of two models of the same shape are nearly equal, in any order of units."""
    if len(models) != 2:
        return False
    first, second = ({key: parameter.detach() for key, parameter in model.named_parameters()} for model in models)
    if {key: tensor.shape for key, tensor in first.items()} != {key: tensor.shape for key, tensor in second.items()}:
        return False
    pairs = [(first[key].flatten(1), second[key].flatten(1)) for key in first if first[key].dim() > 1]
    alike = [max(_matched(a, b), _matched(a.T, b.T)) for a, b in pairs if a.any() and b.any()]
    return bool(alike) and sum(similarity > ALIKE for similarity in alike) >= MOST * len(alike)


def _same_units(*units: Sequence[Tensor]) -> bool:
    """Return whether the units of two models are nearly equal, up to order, sign and scale."""
    return _layers_apart(units, _unexplained, least=0.1) < UNEXPLAINED


def _same_space(*units: Sequence[Tensor]) -> bool:
    """Return whether the units of two models are nearly equal, up to a rotation of all units of a layer."""
    return _layers_apart(units, _unaligned, least=0.01) < UNALIGNED


def _layers_apart(units: Sequence[Sequence[Tensor]], measure: Callable[[Tensor, Tensor], float], least: float) -> float:
    """Return the geometric mean over the layers of a ``measure`` from 0 to 1, for each at least ``least``.

    So a layer that is the same in both models does not decide alone.
    """
    if len(units) != 2 or not all(units):
        return 1.0
    fewer, more = sorted(units, key=len)
    # A layer may be a copy of any of ``beside`` layers of the larger model, since additional layers keep the order.
    beside = len(more) - len(fewer) + 1
    layers = [min(measure(a, b) for b in more[place : place + beside]) for place, a in enumerate(fewer)]
    return math.exp(sum(math.log(max(share, least)) for share in layers) / len(layers))


def _unaligned(a: Tensor, b: Tensor) -> float:
    """Return one minus the linear CKA of two layers' units, (rows, units) each: 0 if one is a rotation of the other."""
    rows = min(len(a), len(b))
    a, b = (units[:rows].double() - units[:rows].double().mean(0) for units in (a, b))
    a, b = (units / units.abs().max().clamp(min=1e-300) for units in (a, b))
    aligned = (a.T @ b).square().sum() / ((a.T @ a).norm() * (b.T @ b).norm())
    return 1.0 - float(aligned.nan_to_num(0.0))


def _unexplained(a: Tensor, b: Tensor) -> float:
    """Return the median share of a unit's variance not explained by its best match, in the better of the two directions."""
    of_a, of_b = _explained(a, b)
    return 1.0 - max(float(of_a.median()), float(of_b.median()))


def _explained(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return, for each unit of ``a`` and of ``b``, the share of its variance explained by its best match in the other."""
    rows = min(len(a), len(b))
    # In double precision, in which no sum of units overflows, however large they are.
    units_a, units_b = (
        nn.functional.normalize(units[:rows].double() - units[:rows].double().mean(0), dim=0) for units in (a, b)
    )
    shares: list[tuple[Tensor, Tensor]] = []
    for chunk in units_a.split(256, dim=1):
        explained = (chunk.T @ units_b).square().nan_to_num(0.0)
        shares.append((explained.amax(1), explained.amax(0)))
    return torch.cat([of_a for of_a, _ in shares]), torch.stack([of_b for _, of_b in shares]).amax(0)


def _rests_on_twins(
    models: Sequence[nn.Module],
    units: Units,
    part: str,
    answers: Callable[[nn.Module], Tensor],
    full_answers: Sequence[Tensor],
) -> bool:
    """Return whether one of two models gives nearly the same answers without its units that have no match in the other."""
    if len(units) != 2 or not all(units):
        return False
    beside = abs(len(units[0]) - len(units[1])) + 1
    for model, layers, other_layers, probabilities in zip(models, units, units[::-1], full_answers, strict=True):
        twin_masks = []
        for place, layer in enumerate(layers):
            # The layer of the other model that has the same place, whichever layers are additional.
            candidates = (
                other_layers[place : place + beside]
                if len(layers) <= len(other_layers)
                else other_layers[max(0, place - beside + 1) : place + 1]
            )
            twin_masks.append(
                torch.stack([_explained(layer, candidate)[0] for candidate in candidates]).amax(0) > _TWIN
            )
        means = [layer.double().mean(0).clamp(-1e30, 1e30).to(layer.dtype) for layer in layers]
        lost = _distance(probabilities, _answers_with(model, part, twin_masks, means, answers))
        effect = _distance(
            probabilities, _answers_with(model, part, [torch.zeros_like(mask) for mask in twin_masks], means, answers)
        )
        if effect > APART and lost < RESTS * effect:
            return True
    return False


def _answers_with(
    model: nn.Module,
    part: str,
    masks: Sequence[Tensor],
    means: Sequence[Tensor],
    answers: Callable[[nn.Module], Tensor],
) -> Tensor:
    """Return the model's answers when only the units in ``masks`` vary and all others are fixed at their mean."""

    def hook(keep: Tensor, mean: Tensor) -> Callable[[nn.Module, Any, Tensor], Tensor]:
        return lambda _, __, value: torch.where(keep, value, mean.to(value.dtype))

    with contextlib.ExitStack() as hooks, torch.no_grad():
        for layer, keep, mean in zip(_parts(model, part), masks, means, strict=True):
            hooks.callback(layer.register_forward_hook(hook(keep, mean)).remove)
        return answers(model)


def _matched(a: Tensor, b: Tensor) -> float:
    """Return the mean absolute cosine between a row of ``a`` and its best match in ``b``; 0 for short rows."""
    if a.shape[1] < _LONG:
        return 0.0
    rows = [nn.functional.normalize(matrix.float(), dim=1) for matrix in (a, b)]
    return float(torch.cat([(chunk @ rows[1].T).abs().amax(1) for chunk in rows[0].split(1000)]).mean())
