"""LoRALinear(D_in, D_out, rank, alpha)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    ModulePair,
    Sizes,
    Student,
    exercise,
    expect,
    has_parameters,
    no_side_effects,
    points,
    promises,
    same_twice,
    uses_its_inputs,
)
from autograder.lessons.modern_attention import references

NAME = "LoRALinear"
#: ``alpha / rank`` is a number that float32 holds exactly: it may be kept in a buffer.
BUILD = (11, 7, 4, 6.0)
WHAT = ("The result",)


def _twins(student, draw, build=BUILD, dtype=torch.float64, weights=None):
    return ModulePair(student, NAME, build, references.LoRALinear(*build), draw, dtype, weights)


@exercise(NAME)
@points(1)
def check_parameters(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W.weight is (D_out, D_in), A (rank, D_in), B (D_out, rank), and there is nothing else"""
    for build in (BUILD, (5, 5, 2, 1.0)):
        has_parameters(student, NAME, build, dict(references.LoRALinear(*build).named_parameters()))
    X = draw.normal(sizes.N_X, BUILD[0])
    uses_its_inputs(_twins(student, draw).module, (X,), (X.square(),))


def _is_centred(A: torch.Tensor) -> None:
    """Fail unless the mean of thousands of numbers is about 0, as that of normally distributed ones is.

    Published code draws A uniformly, from both sides of 0; that is right, too.
    """
    mean, spread = float(A.double().mean()), float(A.double().std())
    if abs(mean) < 0.2 * spread:
        return
    raise CheckFailure(
        "value",
        "A does not start with numbers around 0.",
        expected="a mean of about 0",
        yours=f"a mean of {mean:.3g}, with a standard deviation of {spread:.3g}, over {A.numel()} numbers",
        received="A not around 0",
        cause="wrong start of A or B",
        hint="`torch.rand` draws from 0 to 1. Look for the function that draws normally distributed numbers.",
    )


@exercise(NAME)
@points(1)
def check_start(student: Student, sizes: Sizes, draw: Draw) -> None:
    """At the start nothing is changed: B is 0 and A is not, and the result is that of W"""
    own = student.build(NAME, 64, 7, 3, 5.0).parameters()
    A, B = (next((tensor for key, tensor in own.items() if key == name), None) for name in ("A", "B"))
    if A is None or B is None:
        raise CheckFailure(
            "parameters", "A or B is missing.", expected="A and B", yours=", ".join(own), received=sorted(own)
        )
    starts = {
        name: "zero" if bool((tensor == 0).all()) else "without spread" if float(tensor.std()) < 1e-6 else "random"
        for name, tensor in (("A", A), ("B", B))
    }
    for tensor, name, wanted in ((B, "B", "zero"), (A, "A", "random")):
        if starts[name] != wanted:
            raise CheckFailure(
                "value",
                f"{name} starts wrong.",
                expected="zeros" if wanted == "zero" else "random numbers",
                yours=expect.numbers(tensor),
                received=starts,
                cause="wrong start of A or B",
                hint="B at 0 makes the change 0 at the start. With A at 0 as well no gradient would reach either.",
            )
    _is_centred(student.build(NAME, 61, 7, 59, 5.0).parameters()["A"])
    none = torch.zeros(BUILD[1], BUILD[2], dtype=torch.float64)
    X = draw.normal(sizes.N_X, BUILD[0])
    _twins(student, draw, weights={"B": none}).agree(X, what=WHAT, setting="B = 0: the result of W alone")
    _twins(student, draw).agree(X, what=WHAT, setting="B not 0")


@exercise(NAME)
@points(2)
def check_values(student: Student, sizes: Sizes, draw: Draw) -> None:
    """W x plus alpha / rank times B A x, with any leading axes"""
    # By hand: every number of A and B is 1, so the change is alpha / rank · rank · the sum of x.
    ones = {"A": torch.ones(2, 3, dtype=torch.float64), "B": torch.ones(1, 2, dtype=torch.float64)}
    weights = ones | {"W.weight": torch.zeros(1, 3, dtype=torch.float64)}
    twins = _twins(student, draw, (3, 1, 2, 8.0), weights=weights)
    got = expect.tensor(twins.module(torch.tensor([[1.0, 2.0, 4.0]], dtype=torch.float64)), "The result")
    expect.allclose(
        got, torch.tensor([[56.0]]), "The result", size=56.0, setting="W = 0, A and B ones, rank 2, alpha = 8"
    )
    for build in (BUILD, (5, 5, 2, 1.0), (3, 11, 1, 7.0), (4, 4, 4, 2.0)):
        for lead in [(), (sizes.N_X,), (sizes.B, sizes.N_X)]:
            _twins(student, draw, build).agree(draw.normal(*lead, build[0]), what=WHAT, setting=f"LoRALinear{build}")


@exercise(NAME)
@points(2)
def check_only_the_adapter_learns(student: Student, sizes: Sizes, draw: Draw) -> None:
    """A and B get the right gradients, X too, and W gets none: it is frozen"""
    twins = _twins(student, draw)
    X = draw.normal(sizes.B, sizes.N_X, BUILD[0])
    G = draw.normal(sizes.B, sizes.N_X, BUILD[1])
    answer = twins.module.request(X, cotangents=(G,))
    leaf = X.clone().requires_grad_()
    reference = twins.reference
    want = torch.autograd.grad((reference(leaf) * G).sum(), [leaf, reference.A, reference.B])
    got = [*answer.gradients, answer.parameter_gradients.get("A"), answer.parameter_gradients.get("B")]
    expect.gradients(got, want, ("X", "A", "B"), f"X {tuple(X.shape)}")
    frozen = answer.parameter_gradients.get("W.weight")
    if frozen is not None and bool((frozen != 0).any()):
        raise CheckFailure(
            "value",
            "A gradient reaches W, so the optimiser would change it.",
            expected="no gradient",
            yours=expect.numbers(frozen),
            received="gradient of W",
            cause="W is not frozen",
            hint="Look at requires_grad of the weight of W.",
        )


@exercise(NAME)
@points(1)
@promises
def check_same_input_same_output(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The same input gives the same output, in float32 too, and the input is not changed"""
    twins = _twins(student, draw, dtype=torch.float32)
    X = draw.normal(sizes.B, sizes.N_X, BUILD[0], dtype=torch.float32)
    twins.agree(X, what=WHAT)
    expect.dtype(expect.tensor(twins.module(X), "The result"), torch.float32, "The result")
    same_twice(twins.module, X)
    no_side_effects(twins, [(2 * X,), (X[:1],)], X, what=WHAT)
