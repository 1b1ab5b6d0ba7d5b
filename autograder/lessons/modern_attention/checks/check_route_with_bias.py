"""route_with_bias(logits, bias, k) -> the weights and the numbers of the chosen experts."""

import torch
from torch import Tensor

from autograder.checks import (
    CheckFailure,
    Draw,
    Request,
    Student,
    exercise,
    expect,
    function_works_where_its_inputs_are,
    pair,
    points,
    promises,
)
from autograder.lessons.modern_attention import references

NAME = "route_with_bias"
WEIGHTS, CHOSEN = "The weights", "The chosen experts"


def _case(draw: Draw, *lead: int, E: int = 7, dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    """Return logits and biases that change about half of the choices, and differ by more than rounding."""
    return draw.normal(*lead, E, scale=1.5, dtype=dtype), draw.normal(E, scale=0.4, dtype=dtype)


def _agree(student: Student, logits: Tensor, bias: Tensor, k: int, setting: str = "") -> tuple[Tensor, Tensor]:
    """Compare the choice and the weights of each expert, whatever the order of the k."""
    said = f"logits {tuple(logits.shape)}, k = {k}" + (f", {setting}" if setting else "")
    weights, chosen = pair(student.call(NAME, logits, bias, k), WEIGHTS, CHOSEN)
    shape = (*logits.shape[:-1], k)
    expect.shape(weights, shape, WEIGHTS, "(..., k)", said)
    expect.shape(chosen, shape, CHOSEN, "(..., k)", said)
    expect.dtype(chosen, torch.int64, CHOSEN, said)
    want_weights, want_chosen = references.route_with_bias(logits, bias, k)
    got, want = _marked(logits, chosen), _marked(logits, want_chosen)
    wrong = (got != want).reshape(-1, got.shape[-1])
    if wrong.any():
        row = int(wrong.any(-1).nonzero()[0])
        first = chosen.reshape(-1, k)[row].tolist()
        raise CheckFailure(
            "value",
            "The wrong experts are chosen for a row." if k > 1 else "The wrong expert is chosen for a row.",
            setting=f"{said}, row {row}",
            expected=f"experts {sorted(want_chosen.reshape(-1, k)[row].tolist())}",
            yours=f"experts {sorted(first)}",
            received=got.double(),
            wanted=want.double(),
            hint="The experts are those with the largest s + b: the sigmoid of the logit, and to it the bias.",
        )
    dense, right = weights.new_zeros(logits.shape), torch.zeros_like(logits)
    right = right.scatter(-1, want_chosen, want_weights)
    expect.allclose(dense.scatter(-1, chosen, weights), right, WEIGHTS, setting=said)
    return weights, chosen


def _marked(logits: Tensor, chosen: Tensor) -> Tensor:
    """Return how often each expert is named, (..., E); a number that is no expert's counts nowhere."""
    return (chosen.unsqueeze(-1) == torch.arange(logits.shape[-1])).sum(-2)


@exercise(NAME)
@points(2)
def check_choice_and_weights(student: Student, draw: Draw) -> None:
    """The k experts with the largest s + b are chosen, and weighted with s over the sum of the chosen"""
    for N, E, k in [(1, 5, 1), (11, 5, 2), (13, 7, 3), (7, 11, 4), (5, 3, 1)]:
        _agree(student, *_case(draw, N, E=E), k)
    one, other = (_agree(student, *_case(draw, 11), 2)[0] for _ in range(2))
    expect.depends_on_its_inputs(one, other, WEIGHTS)


@exercise(NAME)
@points(1)
def check_bias_only_chooses(student: Student, draw: Draw) -> None:
    """A bias decides who is chosen and is in no weight: one that is the same for all changes nothing"""
    logits, bias = _case(draw, 11)
    _agree(student, logits, torch.full_like(bias, 3.0), 2, "all biases are 3")
    _agree(student, logits, torch.zeros_like(bias), 2, "all biases are 0")
    chosen_by_bias = bias.clone()
    chosen_by_bias[2], chosen_by_bias[4] = 5.0, -5.0
    _agree(student, logits, chosen_by_bias, 3, "one bias is 5 and one −5")
    _agree(student, logits, bias, bias.numel(), "all experts are chosen")


@exercise(NAME)
@points(1)
def check_gradients(student: Student, draw: Draw) -> None:
    """The gradient reaches the logits of the chosen experts through their weights"""
    for N, k in [(11, 2), (5, 3)]:
        logits, bias = _case(draw, N)
        _, chosen = _agree(student, logits, bias, k)
        G = draw.normal(*logits.shape)
        answer = student.answer(Request(NAME, (logits, bias, k), cotangents=(G.gather(-1, chosen),)))
        leaf = logits.clone().requires_grad_()
        weights, own = references.route_with_bias(leaf, bias, k)
        want = torch.autograd.grad((weights * G.gather(-1, own)).sum(), leaf)
        expect.gradients(answer.gradients[:1], want, ("logits",), f"logits {tuple(logits.shape)}, k = {k}")


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """Logits and biases stay as they are, with any leading axes, dtype and device"""
    _agree(student, *_case(draw, 2, 3, 5), 2)
    _agree(student, *_case(draw), 2, "one row")
    weights, _ = _agree(student, *_case(draw, 11, dtype=torch.float32), 2, "float32")
    expect.dtype(weights, torch.float32, WEIGHTS)
    function_works_where_its_inputs_are(student, NAME, *_case(draw, 11, dtype=torch.float32), 2)
