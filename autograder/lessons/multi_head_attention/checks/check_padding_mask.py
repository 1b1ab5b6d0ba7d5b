"""padding_mask(lengths, N_K)."""

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
    function_works_where_its_inputs_are,
    points,
    promises,
)

NAME = "padding_mask"


def _want(lengths, N_K):
    return torch.tensor([[[[j < n for j in range(N_K)]]] for n in lengths.tolist()])


def _compare(student: Student, lengths, N_K):
    mask = expect.tensor(student.padding_mask(lengths, N_K), "the mask")
    call = f"lengths {lengths.tolist()}, N_K = {N_K}"
    want = _want(lengths, N_K)
    expect.shape(mask, want.shape, "The mask", "(B, 1, 1, N_K)", call)
    got = mask.bool()
    if not torch.equal(got, want):
        wrong = got != want
        b, _, _, j = wrong.nonzero()[0].tolist()
        raise CheckFailure(
            "value",
            f"The mask is wrong for sequence {b} at key {j}.",
            setting=call,
            expected=f"{bool(want[b, 0, 0, j])}: its length is {lengths[b]}",
            yours=f"{bool(got[b, 0, 0, j])}",
            received=got.double(),
            wanted=want.double(),
            picture=Matrix(
                got[:, 0, 0].double(),
                want[:, 0, 0].double(),
                wrong[:, 0, 0],
                "mask (1 = may attend)",
                "rows: texts, columns: keys",
            ),
        )


@exercise(NAME)
@points(1)
def check_boolean_of_the_right_shape(student: Student, sizes: Sizes) -> None:
    """The mask holds True and False and has the shape (B, 1, 1, N_K), so that it serves every head and every query"""
    for lengths in ([3, 5], [7], [2, 4, 6]):
        mask = expect.tensor(student.padding_mask(torch.tensor(lengths), sizes.N_K), "the mask")
        call = f"lengths {lengths}, N_K = {sizes.N_K}"
        expect.shape(mask, (len(lengths), 1, 1, sizes.N_K), "The mask", "(B, 1, 1, N_K)", call)
        expect.boolean(mask, "The mask", call)


@exercise(NAME)
@points(2)
def check_real_keys_are_allowed_and_padding_is_not(student: Student, sizes: Sizes, draw: Draw) -> None:
    """Key j of a sequence is allowed where j is less than its length"""
    _compare(student, torch.tensor([2]), 3)
    _compare(student, torch.tensor([3, 1]), 4)
    for lengths, N_K in [([2, 5, 3], 5), ([1, 1], 7), ([4, 3, 2, 1], 4), ([6, 2, 2], 11)]:
        _compare(student, torch.tensor(lengths), N_K)
    _compare(student, 1 + draw.integers(29, 5), 29)


@exercise(NAME)
@points(1)
@promises
def check_empty_and_full_sequences(student: Student, sizes: Sizes) -> None:
    """Lengths 0 and N_K, keys beyond the longest sequence, and lengths of any integer dtype give the right mask"""
    for lengths, N_K in [
        ([0, 3], 3),
        ([0], 2),
        ([2, 1], 9),
        ([5, 5, 5], 5),
        ([1], 1),
        ([131, 7], 137),
        ([259, 300], 300),
    ]:
        _compare(student, torch.tensor(lengths), N_K)
    for dtype in (torch.int32, torch.uint8, torch.int16):
        _compare(student, torch.tensor([3, 0, 5], dtype=dtype), 6)


@exercise(NAME)
@points(1)
def check_on_the_device_of_the_lengths(student: Student, sizes: Sizes) -> None:
    """The mask is made on the device on which the lengths are"""
    lengths = torch.tensor([3, 1, 5])
    _compare(student, lengths, 5)
    # Every machine has the device "meta", which holds no data. What names no device ends up there in this check.
    try:
        mask = student.answer(Request(NAME, (lengths, 5), default_device="meta")).value
        where = f"device {mask.device}"
    except CheckFailure as failure:
        if "copy out of meta" in str(failure.received):
            return  # made elsewhere and then moved is no mistake, though from "meta" nothing can be moved
        mask, where = None, str(failure.received)[:100]
    if mask is None or mask.device.type != "cpu":
        raise CheckFailure(
            "device",
            "The mask was made on the default device and not on that of the lengths.",
            expected="device cpu, where the lengths are (the default device is another one in this check)",
            yours=where,
            received="default device",
            cause="device ignored",
            hint="A mask on the CPU cannot be combined with similarities on a GPU. Pass device=lengths.device.",
        )
    function_works_where_its_inputs_are(student, NAME, lengths, 5)
