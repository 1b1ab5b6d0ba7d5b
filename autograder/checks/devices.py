"""Whether a module or a function makes its tensors where its inputs are.

Every machine has the device "meta", whose tensors hold no numbers.
"""

from collections.abc import Callable
from typing import Any

from autograder.runtime.failure import CheckFailure
from autograder.runtime.student import Answer, Request, Student, StudentModule
from autograder.runtime.tensors import tensors_of

#: Of PyTorch's messages about tensors of different devices.
_MIXED = ("is not on the expected device", "to be on the same device")


def works_where_its_inputs_are(module: StudentModule, *inputs: Any) -> None:
    """Fail if the module, moved to another device with its inputs, makes a tensor that stays behind.

    Other errors there are no mistake: the numbers cannot be looked at.
    """
    _stays_there(lambda: module.when(device="meta").request(*inputs), "module and inputs")


def function_works_where_its_inputs_are(student: Student, name: str, *inputs: Any) -> None:
    """Fail if the function, given inputs on another device, makes a tensor elsewhere."""
    _stays_there(lambda: student.answer(Request(name, inputs, device="meta")), "inputs")


def _stays_there(carry_out: Callable[[], Answer], moved: str) -> None:
    try:
        value = carry_out().value
    except CheckFailure as failure:
        if failure.kind == "crash" and any(part in str(failure.received) for part in _MIXED):
            raise _left_behind(str(failure.received).partition(":")[2].strip(), moved) from None
        return
    if any(x.device.type != "meta" for x in tensors_of(value)):
        raise _left_behind("a result on the CPU", moved)


def _left_behind(yours: str, moved: str) -> CheckFailure:
    return CheckFailure(
        "device",
        "On another device than the CPU, something stays behind.",
        setting=f'{moved} moved to the device "meta"',
        expected="everything where the inputs are",
        yours=yours[:100],
        received="device",
        cause="device ignored",
        hint="On a GPU this stops with an error. What is made on the way, a mask or positions, needs the device of an input, as "
        "device=X.device; what is made in __init__ moves with the module if it is a parameter or a buffer (register_buffer).",
    )
