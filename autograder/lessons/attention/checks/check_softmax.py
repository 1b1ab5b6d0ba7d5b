"""softmax(E, dim=-1)."""

import torch

from autograder.checks import Draw, Request, Sizes, Student, computed, exercise, expect, points, promises

INF = float("inf")
LONG = 263  # more than fit into a table of fixed size


@exercise("softmax")
@points(2)
def check_equals_softmax_over_the_last_dimension(student: Student, sizes: Sizes, draw: Draw) -> None:
    """exp(E), divided by its sum over the last dimension"""
    for shape in [(sizes.N_K,), (sizes.N_Q, sizes.N_K), (sizes.B, sizes.N_Q, sizes.N_K), (sizes.N_Q, 1)]:
        E = draw.normal(*shape, scale=2)
        A = expect.tensor(student.softmax(E), "A")
        setting = f"E {shape}, float64"
        expect.shape(A, shape, "A", "the shape of E", setting)
        expect.allclose(A, torch.softmax(E, -1), "A", setting=setting)


@exercise("softmax")
@points(1)
def check_any_dimension(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The sum runs over the dimension that `dim` names, counted from either end"""
    shape = (sizes.B, sizes.H, sizes.N_Q, sizes.N_K)
    for size in (2, 3, 4):
        E = draw.normal(*shape[-size:], scale=2)
        for dim in range(-size, size):
            A = expect.tensor(student.softmax(E, dim=dim), "A")
            expect.allclose(A, torch.softmax(E, dim), "A", setting=f"E {shape[-size:]}, dim={dim}, float64")


#: Far apart, and those but the smallest beyond any limit that keeps exp finite.
FAR_APART = torch.tensor([[0.0, 800.0, 1600.0, 2400.0]], dtype=torch.float64)


def _cut_off(student: Student) -> bool:
    """Return whether large similarities that are far apart get one and the same weight, and a small one less."""
    A = expect.tensor(student.softmax(FAR_APART), "A")
    if A.shape != FAR_APART.shape or not A.isfinite().all():
        return False
    small, *large = A[0].tolist()
    return large[0] > 0.1 and max(large) - min(large) < 1e-9 and small < large[0] / 2


def _right_at_any_magnitude(student: Student, given: torch.Tensor, size: float, setting: str) -> None:
    A = expect.tensor(student.softmax(given, dim=-1), "A")
    try:
        # A shift by the largest similarity loses nothing, so the error grows with the others' magnitude only.
        expect.allclose(A, torch.softmax(given.double(), -1), "A", size=min(size, 5000.0), setting=setting)
    except expect.CheckFailure as failure:
        if failure.kind == "value" and _cut_off(student):
            failure.cause = "large similarities cut off"
            failure.hint = (
                "Of the similarities 0, 800, 1600 and 2400 the last three get equal weights, and the last should get all. A "
                "limit makes all values beyond it equal; a number subtracted from all of them changes no difference."
            )
        raise


@exercise("softmax")
@points(1)
def check_stable_at_any_magnitude(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Similarities of any magnitude give numbers, and the right ones"""
    E = draw.normal(sizes.N_Q, sizes.N_K)
    rows = torch.linspace(-1, 1, sizes.N_Q, dtype=torch.float64).unsqueeze(-1)
    cases = [(f"E of magnitude {scale:g}", E * scale, scale) for scale in (1e2, 1e3, 1e4, 1e30)]
    cases += [(f"every E near {shift:g}", E + shift, abs(shift)) for shift in (-2000, 2000)]
    cases += [("rows from −5000 to 5000", E + 5000 * rows, 5000)]
    cases += [
        (
            f"{LONG} similarities of magnitude 1000, the largest last",
            draw.normal(1, LONG, scale=1000.0).sort().values,
            1e3,
        )
    ]
    for setting, similarities, size in cases:
        for dtype in (torch.float64, torch.float32):
            _right_at_any_magnitude(student, similarities.to(dtype), size, f"{setting}, {dtype}")


@exercise("softmax")
@points(1)
def check_minus_infinity_gets_no_weight(student: Student, sizes: Sizes, draw: Draw) -> None:
    """An entry of −inf gets weight exactly 0, and the others share the weight"""
    for scale in (1.0, 1e3):
        E = draw.normal(sizes.B, sizes.N_Q, sizes.N_K, scale=scale)
        hidden = ~draw.allowed(sizes.B, sizes.N_Q, sizes.N_K)
        A = expect.tensor(student.softmax(E.masked_fill(hidden, -INF)), "A")
        setting = f"similarities of magnitude {scale:g}, some of them −inf"
        expect.allclose(A, torch.softmax(E.masked_fill(hidden, -INF), -1), "A", size=scale, setting=setting)
        if A[hidden].any():
            raise expect.CheckFailure(
                "value",
                "An entry of −inf has a weight other than 0.",
                setting=setting,
                yours=f"largest such weight {A[hidden].max().item():.3g}",
                received=A,
                cause="weight on −inf",
                hint="exp(−inf) is exactly 0. Something adds to it.",
            )
    for low in (-2e4, -1e10):  # lower than a number that stands for −inf
        E = torch.full((sizes.N_Q, sizes.N_K), low, dtype=torch.float64)
        E = E.masked_fill(~draw.allowed(*E.shape), -INF)
        A = expect.tensor(student.softmax(E), "A")
        setting = f"similarities of {low:g}, some of them −inf"
        expect.allclose(A, torch.softmax(E, -1), "A", size=abs(low), setting=setting)


@exercise("softmax")
@points(1)
@promises
def check_input_and_dtype_are_kept(student: Student, sizes: Sizes, draw: Draw) -> None:
    """E itself is not changed, and the result has the dtype of E"""
    for dtype in (torch.float64, torch.float32):
        E = draw.normal(sizes.N_K, sizes.N_Q, dtype=dtype).T
        answer = student.answer(Request("softmax", (E,), {"dim": 0}))
        A = expect.tensor(answer.value, "A")
        expect.dtype(A, dtype, "A", "E transposed (not contiguous)")
        computed(A, E, "A", "E")
        expect.depends_on_its_inputs(A, expect.tensor(student.softmax(E.square(), dim=0), "A"), "A")


@exercise("softmax")
@points(1)
def check_gradient(student: Student, sizes: Sizes, draw: Draw) -> None:
    """The gradient flows back to E with the right values"""
    E, G = (draw.normal(sizes.N_Q, sizes.N_K) for _ in range(2))
    answer = student.answer(Request("softmax", (E,), cotangents=(G,)))
    E.requires_grad_()
    want = torch.autograd.grad((torch.softmax(E, -1) * G).sum(), E)
    expect.gradients(answer.gradients, want, ("E",), f"E {tuple(E.shape)}, float64")
