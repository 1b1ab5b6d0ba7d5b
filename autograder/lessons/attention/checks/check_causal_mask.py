"""causal_mask(N_Q, N_K=None, device=None)."""

import torch

from autograder.checks import (
    CheckFailure,
    Draw,
    Matrix,
    Request,
    Sizes,
    Student,
    exercise,
    expect,
    mixes_devices,
    points,
)

NAME = "causal_mask"
LONG = 131  # longer than a mask that somebody made once and cut to size


def _equal(mask, N_Q, N_K, call):
    expect.tensor(mask, "the mask")
    expect.shape(mask, (N_Q, N_K), "The mask", "(N_Q, N_K)", call)
    want = torch.tensor([[j <= i + (N_K - N_Q) for j in range(N_K)] for i in range(N_Q)])
    got = mask.bool()
    if not torch.equal(got, want):
        wrong = got != want
        i, j = wrong.nonzero()[0].tolist()
        raise CheckFailure(
            "value",
            f"The mask is wrong at query {i}, key {j}.",
            setting=call,
            expected=f"{bool(want[i, j])}",
            yours=f"{bool(got[i, j])}",
            received=got.double(),
            wanted=want.double(),
            picture=Matrix(got.double(), want.double(), wrong, "mask (1 = may attend)"),
        )


@exercise(NAME)
@points(1)
def check_boolean_of_the_right_shape(student: Student, sizes: Sizes) -> None:
    """The mask holds True and False, one row for each query and one column for each key"""
    for args in [(sizes.N_Q,), (sizes.N_Q, sizes.N_Q), (sizes.N_Q, sizes.N_K), (1,)]:
        mask = expect.tensor(student.causal_mask(*args), "the mask")
        call = f"causal_mask{args if len(args) > 1 else f'({args[0]})'}"
        expect.shape(mask, (args[0], args[-1]), "The mask", "(N_Q, N_K)", call)
        expect.boolean(mask, "The mask", call)


@exercise(NAME)
@points(2)
def check_no_query_sees_the_future(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With as many keys as queries, query i may attend to the keys 0 … i and to no other"""
    for N in (2, sizes.N_Q, 1, sizes.D_V, LONG, 14 + int(draw.integers(100))):
        _equal(student.causal_mask(N), N, N, f"causal_mask({N})")
        _equal(student.causal_mask(N, N), N, N, f"causal_mask({N}, {N})")


@exercise(NAME)
@points(1)
def check_the_last_query_meets_the_last_key(student: Student, sizes: Sizes, draw: Draw) -> None:
    """With more keys than queries, the last query is aligned with the last key"""
    drawn = 2 + int(draw.integers(50))
    known = [(2, 3), (sizes.N_Q, sizes.N_K), (1, sizes.N_K), (sizes.N_K, sizes.D_V), (67, LONG), (1, 6007)]
    for N_Q, N_K in [*known, (drawn, drawn + 1 + int(draw.integers(50)))]:
        _equal(student.causal_mask(N_Q, N_K), N_Q, N_K, f"causal_mask({N_Q}, {N_K})")


@exercise(NAME)
@points(1)
def check_made_on_the_device_asked_for(student: Student, sizes: Sizes) -> None:
    """The mask is made on the device that `device` names"""
    for device in (None, "cpu", torch.device("cpu")):
        _equal(student.causal_mask(sizes.N_Q, sizes.N_K, device=device), sizes.N_Q, sizes.N_K, f"device={device!r}")
    # Every machine has the device "meta", which holds no data. What is not made on the device asked for ends up there.
    _made_on(student, sizes, "cpu", default="meta")
    _made_on(student, sizes, "meta", default=None)


def _made_on(student: Student, sizes: Sizes, device: str, default: str | None) -> None:
    """Fail if the mask, or what it is made of, lies on another device.

    Other errors are no mistake here: "meta" cannot be moved from, or looked at.
    """
    try:
        request = Request(NAME, (sizes.N_Q, sizes.N_K), {"device": device}, default_device=default)
        mask = student.answer(request).value
    except CheckFailure as failure:
        if not mixes_devices(failure):
            return
        mask, yours = None, str(failure.received)[:100]
    else:
        yours = f"device {mask.device}" if isinstance(mask, torch.Tensor) else ""
    if mask is None or (yours and mask.device.type != device):
        raise CheckFailure(
            "device",
            "The mask was not made on the device asked for.",
            expected=f"device {device}",
            yours=yours + (f" (the default device is {default} in this check)" if default else ""),
            received=yours,
            cause="device ignored",
            hint="A mask on the CPU cannot be combined with similarities on a GPU. Pass `device` to whatever makes the tensor.",
        )
