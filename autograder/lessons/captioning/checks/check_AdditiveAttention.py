"""AdditiveAttention(state_width, feature_width, hidden_width)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    explain_randomness,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.captioning import references

NAME = "AdditiveAttention"
S, D, HIDDEN = 11, 13, 17
WHAT = ("context", "A (weights)")
#: (B, N, state_width, feature_width, hidden_width), the smallest first. In the last ones, sizes that differ in meaning
#: are equal.
CASES = (
    (1, 1, 1, 1, 1),
    (1, 2, 1, 1, 1),
    (1, 2, 3, 2, 1),
    (1, 3, 1, 2, 2),
    (2, 7, 11, 13, 17),
    (7, 3, 5, 2, 11),
    (3, 5, 2, 1, 3),
    (3, 1, 2, 5, 3),
    (5, 5, 3, 7, 2),
    (2, 3, 4, 4, 4),
    (3, 3, 3, 3, 3),
)


def _twins(student, draw, build=(S, D, HIDDEN), dtype=torch.float64, **options):
    return ModulePair(student, NAME, build, references.AdditiveAttention(*build), draw, dtype, **options)


def _inputs(draw: Draw, B, N, dtype=torch.float64):
    """A state (B, S) and features (B, N, D)."""
    return draw.normal(B, S, dtype=dtype), draw.normal(B, N, D, dtype=dtype)


def _results(twins, *inputs):
    """Return (context, weights) of the student's module, of the right shapes."""
    context, weights = expect.pair(twins.module(*inputs), "context", "weights")
    B, N, width = inputs[1].shape
    setting = f"state {tuple(inputs[0].shape)}, features {tuple(inputs[1].shape)}"
    expect.shape(weights, (B, N), WHAT[1], "(B, N)", setting)
    expect.shape(context, (B, width), WHAT[0], "(B, D)", setting)
    return context, weights


def _agree(twins, *inputs, setting="", size=1.0):
    """Compare with the reference: the weights first, because what is wrong there is wrong in the context too."""
    with torch.no_grad():
        want = twins.reference(*inputs)
    got = _results(twins, *inputs)
    shapes = f"state {tuple(inputs[0].shape)}, features {tuple(inputs[1].shape)}, {inputs[1].dtype}"
    setting = f"{shapes}, {setting}" if setting else shapes
    with explain_randomness(twins.module, got, *inputs):
        expect.allclose(got[1], want[1], WHAT[1], size=size, setting=setting, message="The weights are wrong.")
        expect.allclose(got[0], want[0], WHAT[0], size=4 * size, setting=setting, message="The context is wrong.")
    return got


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W and U map the state and the features to hidden_width, v maps that to 1; none of them has a bias"""
    has_parameters(student, NAME, (S, D, HIDDEN), dict(references.AdditiveAttention(S, D, HIDDEN).named_parameters()))
    state, features = _inputs(draw, sizes.B, sizes.N_K)
    uses_its_inputs(_twins(student, draw).module, (state, features), (state, features.square()))


@exercise(NAME)
@points(1)
def check_shapes(student: Student, sizes: Sizes, draw: Draw) -> None:
    """For every picture one context vector as wide as a feature vector, and one weight for every cell"""
    for B, N, *build in CASES:
        state, features = draw.normal(B, build[0]), draw.normal(B, N, build[1])
        _results(_twins(student, draw, tuple(build)), state, features)
    state, features = _inputs(draw, sizes.B, sizes.N_K)
    uses_its_inputs(_twins(student, draw).module, (state, features), (state, features.square()))


@exercise(NAME)
@points(2)
def check_values(student: Student, draw: Draw) -> None:
    """Each score is vᵀ tanh(W s + U h), weights are their softmax over the cells, the context is the weighted sum"""
    for B, N, *build in CASES:
        twins = _twins(student, draw, tuple(build))
        state, features = draw.normal(B, build[0], scale=1.5), draw.normal(B, N, build[1], scale=1.5)
        _agree(twins, state, features, setting=f"hidden_width = {build[2]}")
        _agree(twins, 3 * state, 3 * features, setting=f"hidden_width = {build[2]}, larger numbers")


@exercise(NAME)
@points(1)
def check_pictures_and_cells(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Each picture is computed by itself, and another order of its cells gives the same weights in that order"""
    twins = _twins(student, draw)
    state, features = _inputs(draw, 3, sizes.N_K)
    context, weights = _results(twins, state, features)
    uses_its_inputs(twins.module, (state, features), (state, features.square()))
    if torch.allclose(weights, expect.pair(twins.module(state.flip(0), features), *WHAT)[1]):
        raise CheckFailure(
            "value",
            "The weights are the same whatever the state is.",
            received=weights,
            cause="state ignored",
            hint="Where to look depends on what has been said so far: W s belongs in every score, inside the tanh. A number "
            "that is added to all scores alike changes no weight.",
        )
    alone_context, alone_weights = _results(twins, state[1:2], features[1:2])
    message = "A picture's result depends on the other pictures of the batch."
    setting = "picture 1 with two others, and alone"
    expect.allclose(weights[1:2], alone_weights.double(), WHAT[1], setting=setting, message=message)
    expect.allclose(context[1:2], alone_context.double(), WHAT[0], size=4.0, setting=setting, message=message)
    order = draw.permutation(sizes.N_K)
    moved_context, moved_weights = _results(twins, state, features[:, order])
    setting = f"cells in the order {order.tolist()}"
    message = "The order of the cells changes the result."
    expect.allclose(moved_weights, weights[:, order].double(), WHAT[1], setting=setting, message=message)
    expect.allclose(moved_context, context.double(), WHAT[0], size=4.0, setting=setting, message=message)


@exercise(NAME)
@points(2)
def check_allowed(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A cell that is not allowed has weight 0, and the allowed cells share the whole weight"""
    twins = _twins(student, draw)
    for B, N in [(1, 2), (sizes.B, sizes.N_K), (3, 5), (5, 5)]:
        state, features = _inputs(draw, B, N)
        allowed = draw.allowed(B, N)
        context, weights = _agree(twins, state, features, allowed, setting=f"allowed {_written(allowed)}")
        _exactly_zero(weights, allowed)
        other = torch.where(allowed[..., None], features, draw.normal(B, N, D, scale=3.0))
        message = "The features of cells that are not allowed change the result."
        changed_context, changed_weights = _results(twins, state, other, allowed)
        expect.allclose(changed_weights, weights.double(), WHAT[1], message=message)
        expect.allclose(changed_context, context.double(), WHAT[0], size=4.0, message=message)
        _agree(twins, state, features, torch.ones(B, N, dtype=torch.bool), setting="all cells allowed")
    for factor in (30.0, -30.0):  # scores so far apart that a hidden one which is not far below all others shows
        loud = _twins(student, draw, weights={"v.weight": draw.normal(1, HIDDEN) + factor})
        state, features = _inputs(draw, sizes.B, sizes.N_K)
        allowed = draw.allowed(sizes.B, sizes.N_K)
        setting = f"large scores, allowed {_written(allowed)}"
        _, weights = _agree(loud, state, features, allowed, setting=setting, size=500.0)
        _exactly_zero(weights, allowed)


def _written(allowed):
    return ", ".join("".join("01"[cell] for cell in row) for row in allowed.tolist()) + " (1 = allowed)"


def _exactly_zero(weights, allowed):
    if bool(weights[~allowed].any()):
        raise CheckFailure(
            "value",
            "A cell that is not allowed has a weight other than 0.",
            received=weights,
            yours=f"largest such weight {weights[~allowed].abs().max().item():.3g}",
            cause="small weight on hidden cells",
            hint="The number put in place of a hidden score is not small enough. exp(−inf) is exactly 0.",
        )


@exercise(NAME)
@points(1)
def check_a_picture_without_an_allowed_cell_gets_zeros(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A picture in which no cell is allowed gets zeros as weights and as context; the others are not disturbed"""
    twins = _twins(student, draw)
    for B, empty in [(1, [0]), (3, [1]), (3, [0, 2]), (sizes.B, [0, 1])]:
        state, features = _inputs(draw, B, sizes.N_K)
        allowed = draw.allowed(B, sizes.N_K)
        allowed[empty] = False
        numbers = f"picture{'s' if len(empty) > 1 else ''} {' and '.join(map(str, empty))}"
        _agree(twins, state, features, allowed, setting=f"no cell of {numbers} allowed")
    state, features = _inputs(draw, sizes.B, sizes.N_K)
    uses_its_inputs(twins.module, (state, features), (state, features.square()))


@exercise(NAME)
@points(1)
def check_gradients(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradients flow from both results back to the state, the features and to all weights with the right values"""
    twins = _twins(student, draw)
    inputs = _inputs(draw, sizes.B, sizes.N_K)
    twins.gradients_agree(*inputs, draw=draw, names=("state", "features"))
    allowed = draw.allowed(sizes.B, sizes.N_K)
    setting = f"allowed {_written(allowed)}"
    twins.gradients_agree(*inputs, draw=draw, names=("state", "features"), setting=setting, allowed=allowed)


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 and for other memory layouts too, and the input is not changed"""
    twins = _twins(student, draw, dtype=torch.float32)
    state, features = _inputs(draw, sizes.B, sizes.N_K, torch.float32)
    allowed = draw.allowed(sizes.B, sizes.N_K)
    allowed[0] = False
    for inputs in ((state, features), (state, features, allowed)):
        results = _agree(twins, *inputs, setting="masked, picture 0 empty" if len(inputs) == 3 else "")
        for result, what in zip(results, WHAT, strict=True):
            expect.dtype(result, torch.float32, what)
        same_twice(twins.module, *inputs)
    others = [(2 * state, features), (state[:1], features[:1, :2]), (state, features, allowed)]
    no_side_effects(twins, others, state, features, what=WHAT)
    transposed = features.mT.contiguous().mT  # as grid_features makes them
    layout = draw.normal(S, sizes.B, dtype=torch.float32).T
    one_mask = draw.allowed(1, sizes.N_K).expand(sizes.B, -1)
    _agree(twins, layout, transposed, setting="transposed tensors")
    _agree(twins, layout, transposed, one_mask, setting="transposed tensors, one mask expanded")


@exercise(NAME)
@points(0)
def check_an_empty_picture_passes_no_nan_back(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Gradients stay numbers when a picture has no allowed cell"""
    twins = _twins(student, draw)
    state, features = _inputs(draw, 3, sizes.N_K)
    allowed = draw.allowed(3, sizes.N_K)
    allowed[1] = False
    answer = twins.module.request(state, features, allowed=allowed, cotangents=(draw.normal(3, D),))
    if not all(bool(result.isfinite().all()) for result in expect.pair(answer.value, *WHAT)):
        return  # the check of the values says so
    found = [x for x in (*answer.gradients, *answer.parameter_gradients.values()) if x is not None]
    if not all(bool(x.isfinite().all()) for x in found):
        raise CheckFailure(
            "not numbers",
            "The result is finite, and its gradients are not.",
            received="NaN gradients",
            setting="no cell of picture 1 allowed",
            cause="0/0 or −inf behind the zeros",
            hint="Zeros written over −inf, or over a NaN, hide it from the result and not from the gradient: one step of "
            "training then spoils all weights. In a row with nothing allowed, compute with numbers throughout.",
        )
