"""Which sub-layers of a block drop something in training, read off outputs that are made to tell.

The weights are chosen so that each sub-layer adds the same constant (1, 10, 100, …) to every number of X. What is dropped on
the way is then missing from the output, and each dropout that a number has passed has divided it by 1 − p.
"""

import torch

from autograder.checks import CheckFailure, Student, first_of, same_dropout_distribution, slack

P = 0.25
ROWS, WIDTH, HEADS = 300, 6, 2


def telling_weights(reference, names, from_memory=()):
    """Return weights for a block: the sub-layers called ``names`` add 1, 10, … to every number, whatever the input is.

    Those named in ``from_memory`` take their constant from a memory of ones, in which nothing may be dropped.
    """
    weights = {}
    for key, value in reference.named_parameters():
        weights[key] = torch.zeros_like(value, dtype=torch.float64)
        if key.endswith("gamma"):
            weights[key] += 1.0
    one = torch.eye(WIDTH, dtype=torch.float64)
    for number, name in enumerate(names):
        constant = 10.0**number
        if "attention" in name:  # every value is the constant; with one key, its weight is 1 or dropped
            if name in from_memory:
                weights[f"{name}.W_V.weight"] = constant * one
            else:
                weights[f"{name}.W_V.bias"] += constant
            weights[f"{name}.W_O.weight"] = one.clone()
        else:  # every hidden number is 1, and goes to one output
            weights[f"{name}.W_1.bias"] += 1.0
            weights[f"{name}.W_2.weight"] = constant * one
    return weights


def adds_only_a_constant(weights, name):
    """Return weights with which the sub-layer ``name`` adds 1 to every number by its last bias, and the others add nothing."""
    norms = ("norm_1", "norm_2", "norm_3")
    silent = {key: value if key.startswith(norms) else torch.zeros_like(value) for key, value in weights.items()}
    silent[f"{name}.W_O.bias" if "attention" in name else f"{name}.W_2.bias"] += 1.0
    return silent


def judge_before_the_norm(student: Student, module, build, names, reference, zeros):
    """In post-norm: what each sub-layer adds is dropped before the norm, and the rows that it is added to are not.

    Added to ``zeros``, a constant is normalised away again; only where some of it is dropped, something is left. And where
    nothing is added, rows pass as in eval mode.
    """
    weights = telling_weights(reference, names)
    details = {"setting": f'training mode, dropout={P}, norm="post"', "received": "dropout"}
    for name in names:
        block = student.build(module, *build, weights=adds_only_a_constant(weights, name))
        Y = first_of(block.when(training=True)(*zeros), "Y")
        if not bool(Y.any()) or not bool(Y.isfinite().all()):
            raise CheckFailure(
                "dropout",
                f'With norm="post" nothing of what {name} adds is dropped.',
                **details,
                cause="dropout missing or in the wrong place",
                hint="The dropout on what a sub-layer adds belongs to both orders of the norm.",
            )
    silent = {key: value * key.endswith("gamma") for key, value in weights.items()}
    rows = [zeros[0] + torch.arange(WIDTH).double(), *zeros[1:]]
    block = student.build(module, *build, weights=silent)
    if not torch.allclose(first_of(block.when(training=True)(*rows), "Y"), first_of(block(*rows), "Y")):
        raise CheckFailure(
            "dropout",
            "The rows that a sub-layer adds to are dropped too.",
            **details,
            cause="dropout in the wrong place",
            hint="Apply dropout to what a sub-layer adds, before the addition.",
        )


def judge_spread(twins, inputs, what, draw):
    """Fail unless a block's results for one example vary in training mode as the reference's do."""
    hint = "Dropout acts on the weights of the attention, after the activation, and on what each sub-layer adds; nowhere else."
    same_dropout_distribution(
        twins, *inputs, what=what, draw=draw, setting=f"training mode, {build_of(twins)}", hint=hint
    )


def build_of(twins):
    """Return the kind of block in words."""
    *_, p, norm = twins.build[:5]
    return f'dropout={p}, norm="{norm}"'


def judge(added, names):
    """Look at what a pre-norm block has added to X in training mode, (rows, WIDTH), and fail unless it is what it should be."""
    details = {"setting": f"training mode, dropout={P}, every sub-layer adds a constant", "received": "dropout"}
    kept = 1 / (1 - P) ** 2  # what has passed two dropouts: the sub-layer's own and the block's
    rest = added.double() / kept
    for number in reversed(range(len(names))):
        constant = 10.0**number
        present = rest > constant / 2
        rest = rest - constant * present
        part = 1 - present.double().mean().item()
        want = 1 - (1 - P) ** 2
        if rest.min() < -1e-6 * constant or part < want - _slack(want) or part > want + _slack(want):
            _fail(names[number], part, want, details)
    if not bool((rest.abs() < 1e-6).all()):
        _fail(names[0], None, 0.0, details)


def _slack(p):
    return slack(p, ROWS * WIDTH // 3)  # weights are dropped for a whole head, of three numbers


def _fail(name, part, want, details):
    what = name.replace("_", " ")
    raise CheckFailure(
        "dropout",
        f"What the sub-layer {what} adds is not dropped as it should be.",
        **details,
        expected=f"{want:.0%} of its numbers 0 (it has passed two dropouts), the others divided by (1 − p)²",
        yours="something else" if part is None else f"{part:.0%} are 0",
        cause="dropout missing or in the wrong place",
        hint="Pass `dropout` on to the attention and to the feed-forward layer, and apply the block's own dropout to what each "
        "sub-layer adds, before the addition. The residual path itself is never dropped.",
    )
