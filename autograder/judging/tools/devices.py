"""Whether a module makes its tensors where its inputs are. Every machine has the device "meta", whose tensors hold no numbers."""

from typing import Any

from autograder.judging.failure import CheckFailure
from autograder.judging.student import StudentModule
from autograder.judging.tensors import tensors_of

#: Of PyTorch's messages about tensors of different devices.
_MIXED = ("is not on the expected device", "to be on the same device")


def works_where_its_inputs_are(module: StudentModule, *inputs: Any) -> None:
    """Fail if the module, moved to another device with its inputs, makes a tensor that stays behind.

    Other errors there are no mistake: the numbers cannot be looked at.
    """
    try:
        value = module.when(device="meta").request(*inputs).value
    except CheckFailure as failure:
        if failure.kind == "crash" and any(part in str(failure.received) for part in _MIXED):
            raise _left_behind(str(failure.received).partition(":")[2].strip()) from None
        return
    if any(x.device.type != "meta" for x in tensors_of(value)):
        raise _left_behind("a result on the CPU")


def _left_behind(yours: str) -> CheckFailure:
    return CheckFailure(
        "device",
        "On another device than the CPU, something stays behind.",
        setting='module and inputs moved to the device "meta"',
        expected="everything where the inputs are",
        yours=yours[:100],
        received="device",
        cause="device ignored",
        hint="On a GPU this stops with an error. Whatever forward makes, a mask for example, needs device=X.device; what is made "
        "in __init__ moves with the module if it is a parameter or a buffer (register_buffer).",
    )
