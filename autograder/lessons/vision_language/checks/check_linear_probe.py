"""linear_probe(features, labels, classes, penalty=1e-3)."""

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks import CheckFailure, Draw, Request, Student, exercise, expect, points, promises
from autograder.lessons.vision_language import references

NAME = "linear_probe"
#: (n, D, classes, penalty), the smallest first; None is the default. W never has two numbers: their mean is half their sum.
SIZES = ((7, 1, 3, 0.1), (11, 2, 3, 0.05), (40, 5, 3, None), (60, 3, 7, 0.01), (30, 7, 2, 1.0))
#: How much the loss may exceed its smallest value, and how large the largest entry of its gradient may be: a training that has
#: stopped there is at the optimum to three digits.
EXCESS, SLOPE = 1e-5, 1e-3
#: A penalty with which there is little to be found, and the least with which a few steps always find the optimum.
EASY, FEW_STEPS_DO = 1.0, 0.05


def _data(draw: Draw, n: int, D: int, classes: int) -> tuple[Tensor, Tensor]:
    """Return features (n, D), not centred, and labels that they tell only in part."""
    labels = torch.cat((torch.arange(classes), draw.integers(classes, n - classes)))
    centres = draw.normal(classes, D, scale=1.5)
    return centres[labels] + draw.normal(n, D) + 0.5, labels


def _slow_data(draw: Draw, n: int, D: int, classes: int, penalty: float) -> tuple[Tensor, Tensor]:
    """Return data for which PyTorch's L-BFGS, as it comes, stops before the optimum. In a third of all it reaches it."""
    for _ in range(20):
        features, labels = _data(draw, n, D, classes)
        if not _is_reached(features, labels, *_few_steps(features, labels, classes, penalty), penalty):
            break
    return features, labels


def _few_steps(features: Tensor, labels: Tensor, classes: int, penalty: float) -> tuple[Tensor, Tensor]:
    """Return W and b after the 20 iterations, without a line search, that L-BFGS takes unless it is told otherwise."""
    W = features.new_zeros(features.shape[1], classes).requires_grad_()
    b = features.new_zeros(classes).requires_grad_()

    def value() -> Tensor:
        found = _objective(features, labels, W, b, penalty)
        W.grad, b.grad = torch.autograd.grad(found, (W, b))
        return found

    torch.optim.LBFGS([W, b]).step(value)
    return W.detach(), b.detach()


def _objective(features: Tensor, labels: Tensor, W: Tensor, b: Tensor, penalty: float) -> Tensor:
    return F.cross_entropy(features @ W + b, labels) + penalty * W.square().sum()


def _probe(student: Student, features: Tensor, labels: Tensor, classes: int, penalty: float | None):
    args = (features, labels, classes) if penalty is None else (features, labels, classes, penalty)
    W, b = expect.pair(student.linear_probe(*args), "W", "b")
    setting = f"features {tuple(features.shape)}, {classes} classes, penalty = {1e-3 if penalty is None else penalty}"
    expect.shape(W, (features.shape[1], classes), "W", "(D, classes)", setting)
    expect.shape(b, (classes,), "b", "(classes,)", setting)
    return W, b, setting


@exercise(NAME)
@points(1)
def check_shapes(student: Student, draw: Draw) -> None:
    """The result is a pair, W (D, classes) and b (classes,), of the dtype of the features; other labels give another pair"""
    for n, D, classes, penalty in SIZES:
        features, labels = _data(draw, n, D, classes)
        W, b, setting = _probe(student, features, labels, classes, penalty)
        for value, what in ((W, "W"), (b, "b")):
            expect.dtype(value, features.dtype, what, setting)
        other, _, _ = _probe(student, features, (labels + 1) % classes, classes, penalty)
        expect.depends_on_its_inputs(W, other, "W")
    features, labels = _data(draw, 20, 3, 2)
    W, b, setting = _probe(student, features.float(), labels, 2, 0.1)
    expect.dtype(W, torch.float32, "W", setting)


@exercise(NAME)
@points(3)
def check_optimum(student: Student, draw: Draw) -> None:
    """W and b minimise the mean cross-entropy plus penalty · ΣW²: the gradient is zero there, and no other loss is smaller"""
    for n, D, classes, penalty in SIZES:
        own = 1e-3 if penalty is None else penalty
        features, labels = _slow_data(draw, n, D, classes, own) if own < FEW_STEPS_DO else _data(draw, n, D, classes)
        W, b, setting = _probe(student, features, labels, classes, penalty)
        try:
            _is_best(features, labels, W, b, own, setting)
        except CheckFailure as failure:
            if not failure.cause and penalty is None and _is_best_when_told(student, features, labels, classes):
                failure.cause = "another default"
                failure.hint = (
                    "With penalty=1e-3 in the call W and b are the best ones, and without it they are not. Look at the default "
                    "of `penalty`."
                )
            elif not failure.cause and _is_best_when_easy(student, draw):
                failure.cause = "stops before the optimum"
                failure.hint = (
                    f"With a penalty of {EASY:g}, where few steps are enough, W and b are the best ones: the loss is right. Here "
                    "the method stops while the gradient is not zero. Look at how many iterations it may take, "
                    "and at its line search."
                )
            raise


def _is_best_when_told(student: Student, features: Tensor, labels: Tensor, classes: int) -> bool:
    """Return whether W and b are the best ones if the default penalty is passed."""
    W, b, _ = _probe(student, features, labels, classes, 1e-3)
    return _is_reached(features, labels, W, b, 1e-3)


def _is_best_when_easy(student: Student, draw: Draw) -> bool:
    """Return whether W and b are the best ones for a large penalty, with which few steps of any method are enough."""
    features, labels = _data(draw, 30, 3, 2)
    W, b, _ = _probe(student, features, labels, 2, EASY)
    return _is_reached(features, labels, W, b, EASY)


def _is_reached(features: Tensor, labels: Tensor, W: Tensor, b: Tensor, penalty: float) -> bool:
    """Return whether W and b are the best ones."""
    try:
        _is_best(features, labels, W, b, penalty, "")
    except CheckFailure:
        return False
    return True


def _is_best(features: Tensor, labels: Tensor, W: Tensor, b: Tensor, penalty: float, setting: str) -> None:
    best = references.linear_probe(features, labels, W.shape[1], penalty)
    least = _objective(features, labels, best[0], best[1], penalty).item()
    found = [x.detach().to(features.dtype).requires_grad_() for x in (W, b)]
    loss = _objective(features, labels, found[0], found[1], penalty)
    slopes = [g.abs().max().item() for g in torch.autograd.grad(loss, found)]
    if loss.item() - least <= EXCESS and max(slopes) <= SLOPE:
        return
    raise CheckFailure(
        "value",
        "W and b are not the best ones.",
        setting=setting,
        expected=f"a loss of {least:.5f}, where the gradient is 0",
        yours=f"a loss of {loss.item():.5f}, largest gradient {slopes[0]:.2g} in W and {slopes[1]:.2g} in b",
        received=W.detach(),
        wanted=best[0],
        **_cause(features, labels, W, b, penalty),
    )


#: What W and b show of another loss, and where to look.
_OTHER_LOSSES = {
    "half the penalty": "W and b minimise a loss with half the penalty. Look at the factor in front of ΣW².",
    "twice the penalty": "W and b minimise a loss with twice the penalty. Look at the factor in front of ΣW².",
    "no penalty": "W and b minimise the cross-entropy alone. Look at the second term of the loss.",
    "mean of the squares": "W and b minimise a loss with a penalty on the mean of the squares. Look at the second term.",
    "bias shrunk too": "W and b minimise a loss in which the bias is penalised as well. Look at what the second sum goes over.",
    "sum of the losses": "W and b minimise the sum of the cross-entropies with this penalty. Look at the first term.",
}


def _cause(features: Tensor, labels: Tensor, W: Tensor, b: Tensor, penalty: float) -> dict[str, str]:
    """Return the cause and the hint: which other loss W and b minimise.

    Methods stop at slightly different numbers, so a mistake is not recognised by those of a known wrong answer.
    """
    found = [x.detach().to(features.dtype).requires_grad_() for x in (W, b)]
    cross_entropy, squares = F.cross_entropy(features @ found[0] + found[1], labels), found[0].square()
    penalties = {
        "half the penalty": squares.sum() / 2,
        "no penalty": squares.sum() * 0,
        "twice the penalty": 2 * squares.sum(),
        "mean of the squares": squares.mean(),
        "bias shrunk too": squares.sum() + found[1].square().sum(),
        "sum of the losses": squares.sum() / len(features),
    }
    for cause, other in penalties.items():
        slopes = torch.autograd.grad(cross_entropy + penalty * other, found, retain_graph=True)
        if max(slope.abs().max().item() for slope in slopes) <= SLOPE * penalty:
            return {"cause": cause, "hint": _OTHER_LOSSES[cause]}
    [slope] = torch.autograd.grad(cross_entropy + penalty * squares.sum(), found[:1])
    if not b.any() and slope.abs().max().item() <= SLOPE * penalty:
        hint = "W is the best one for a bias of zero, and the bias is zero. Look at what the method may change."
        return {"cause": "bias missing", "hint": hint}
    hint = (
        "Is the penalty on all of W, on nothing else, and times the factor of the text? Does the method run until the "
        "gradient is zero? At the best W and b it is."
    )
    return {"cause": "", "hint": hint}


@exercise(NAME)
@points(1)
@promises
def check_features_stay_frozen(student: Student, draw: Draw) -> None:
    """Features and labels stay as they are; any memory layout, features that need a gradient, and a second call work as well"""
    features, labels = _data(draw, 40, 5, 3)
    _no_gradient_flows(student, features, labels)
    answer = student.answer(Request(NAME, (features, labels, 3, 0.05)))
    expect.pair(answer.value, "W", "b")
    layout = features.T.contiguous().T
    W, b, setting = _probe(student, layout, labels, 3, 0.05)
    _is_best(layout, labels, W, b, 0.05, f"{setting}, transposed in memory")
    again = student.answer(Request(NAME, (features, labels, 3, 0.05), before=((features.flip(0) * 2, labels, 3, 0.5),)))
    W, b = expect.pair(again.value, "W", "b")
    _is_best(features, labels, W, b, 0.05, f"{setting}, after a call with other features")


def _no_gradient_flows(student: Student, features: Tensor, labels: Tensor) -> None:
    """Fail if a gradient reaches features that need one: while the function works, or through its result."""
    cotangents = torch.ones(5, 3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    try:
        answer = student.answer(Request(NAME, (features, labels, 3, 0.05), cotangents=cotangents))
    except CheckFailure as failure:
        if failure.kind == "detached":  # W and b are detached, as they should be
            return
        raise
    if answer.gradients[0] is not None and bool(answer.gradients[0].any()):
        raise CheckFailure(
            "value",
            "A gradient flows through W and b into the features.",
            setting=f"features {tuple(features.shape)}, which need a gradient",
            received=answer.gradients[0],
            cause="the features are not frozen",
            hint="The representation is judged, not trained. Detach the features before anything is computed with them.",
        )
