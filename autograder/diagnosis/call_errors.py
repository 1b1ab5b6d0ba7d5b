"""Errors about the arguments of a call: the function that refuses them, and its caller.

The same message has two meanings. If the check called the student's function, that function's signature differs from the
exercise's; if a line of the student's code made the call, it passed wrong arguments to something else.
"""

import re

from autograder.diagnosis.patterns import Symptom
from autograder.runtime.errors import CheckFailure

SIGNATURE = "wrong signature"
CALL = "a call with other arguments than it takes"
NUMPY = "NumPy functions on tensors"
NUMPY_ARRAY = "a NumPy array written into a tensor"
UNCOUNTED = "a count that never begins"

_REFUSED = re.compile(
    r"TypeError: (?P<callee>[\w.<>]+)\(\) (?P<what>got an unexpected keyword argument|got multiple values for argument|missing "
    r"\d+ required|takes |received an invalid combination)(?P<rest>.*)"
)
_COUNTS = re.compile(r"(?:from (\d+) to )?(\d+) positional arguments? but (\d+) (?:was|were) given")
#: In a line of code: a call of NumPy.
_NUMPY_CALL = re.compile(r"\b(?:np|numpy)\.(?:\w+\.)*(\w+)\(")
#: In a line of code: an addition to an entry.
_ADDED = re.compile(r"\]\s*[-+*]=")
#: The error that only NumPy causes with a tensor, whatever the line of code.
_ALWAYS_NUMPY = ("Can't call numpy() on Tensor", "out=NoneType", "numpy.ndarray")
#: A tensor's error message for NumPy, in a line that calls NumPy.
_PERHAPS_NUMPY = ("argument 'axis'", "must be int, not NoneType", "ddof", "keepdims")


def numpy_call(failure: CheckFailure) -> Symptom | None:
    """Return (cause, hint) for the error of a NumPy function that was given a tensor, or None."""
    text, called = str(failure.received), _NUMPY_CALL.search(_line(failure))
    perhaps = called is not None and any(part in text for part in _PERHAPS_NUMPY)
    if not perhaps and not any(part in text for part in _ALWAYS_NUMPY):
        return None
    if "can't assign a numpy.ndarray" in text:
        return NUMPY_ARRAY, (
            "A tensor combines with tensors and numbers, but this is a NumPy array. Compute it with the functions "
            "of torch from the beginning: torch.arange, torch.sin, torch.cos, and so on."
        )
    name = f"`np.{called[1]}`" if called else "NumPy"
    return NUMPY, (
        f"{name} works on NumPy arrays, and was given a PyTorch tensor. NumPy knows dim and keepdim as axis and keepdims, "
        "and records no history, so no gradient could flow back (.detach() would cut it as well). Write the step with the "
        "function of torch: torch.exp, torch.amax(..., dim=-1, keepdim=True), torch.where, and so on."
    )


def count_without_beginning(failure: CheckFailure) -> Symptom | None:
    """Return (cause, hint) for ``counts[key] += 1`` on a plain dictionary, or None."""
    if not str(failure.received).startswith("KeyError") or not _ADDED.search(_line(failure)):
        return None
    return UNCOUNTED, (
        "+= reads the old value before it adds, and a new key has none. counts.get(key, 0) is 0 then, and a Counter "
        "or a defaultdict(int) begins at 0 by itself."
    )


def _line(failure: CheckFailure) -> str:
    """Return the line of the student's code in which the error occurred; empty if the check's own call was refused."""
    return failure.message.partition(" in line ")[2].partition(": ")[2]


def unfit_arguments(failure: CheckFailure) -> Symptom | None:
    """Return (cause, hint) for an error about the arguments of a call; None for any other error."""
    refused = _REFUSED.match(str(failure.received))
    if refused is None:
        return None
    exercise, called_by_check = failure.message.partition(" stopped with an error")[0], not _line(failure)
    *owner, method = refused["callee"].rpartition(".<locals>.")[2].split(".")
    fact = _fact(refused, bool(owner))
    if called_by_check and (not owner or owner[-1] == exercise):
        return _own_signature(exercise, method, fact, refused)
    if called_by_check and method in ("forward", "__init__"):
        return "another class answers the call", (
            f"The check calls `{exercise}`, but `{owner[-1]}` answers. {fact} Is `{exercise}` only another name for "
            f"it, or without a `{method}` of its own? Look at the spelling and at the indentation of `def {method}`."
        )
    return _call(owner[-1] if owner else "", method, fact, refused)


def refused_by_another(failure: CheckFailure) -> Symptom | None:
    """Return (cause, hint) for a ValueError raised by a function that the student's line calls, not by that line; or None."""
    line, text = _line(failure), str(failure.received)
    if not line or "raise" in line or not text.startswith("ValueError: "):
        return None
    message = text.removeprefix("ValueError: ")
    return "a function refuses what it is given", (
        f"The message comes from a function that the line above calls: {message[:120].rstrip('.')}. Compare what it "
        "expects with what you pass: the arguments, their order, and their shapes."
    )


def _own_signature(exercise: str, method: str, fact: str, refused: re.Match[str]) -> Symptom:
    hint = f"{fact} Keep the arguments, their names and their order as in the exercise."
    if method == "__init__" and refused["rest"].startswith("1 positional argument "):
        hint = (
            f"`{exercise}(…)` is made as if it had no `__init__` with arguments. Is its name spelt with two underscores on each "
            "side, and its def indented like forward? If it is: keep its arguments as in the exercise."
        )
    return SIGNATURE, hint


def _call(owner: str, method: str, fact: str, refused: re.Match[str]) -> Symptom:
    if owner == "Sequential" and method == "forward":
        return "nn.Sequential called with more than one argument", (
            "nn.Sequential hands one value on from layer to layer, and nothing else: no mask and no second input. Keep the "
            "layers in an nn.ModuleList, and call them one after another in a loop of your own."
        )
    if method == "__init__" and refused["what"].startswith("missing"):
        return "a class made without all its arguments", (
            f"{fact} Compare the place where an object of it is made with the arguments of its __init__."
        )
    return CALL, (
        f"{fact} Compare this line with what is called: its signature says which arguments there are, what they are called, and "
        "in which order. Is it the function or class that you mean?"
    )


def _fact(refused: re.Match[str], is_method: bool) -> str:
    """Return a sentence with the call that the error is about and the argument that does not fit."""
    callee, rest = _written(refused["callee"]), refused["rest"]
    word = re.match(r" '(\w+)'", rest)
    if refused["what"].startswith("got an") and word:
        return f"{callee} has no argument called {word[1]}."
    if refused["what"].startswith("got multiple") and word:
        return f"{callee} is given {word[1]} twice, by position and by name."
    if refused["what"].startswith("missing"):
        names = re.findall(r"'(\w+)'|\"(\w+)\"", rest)
        return f"{callee} is called without {', '.join(single or double for single, double in names) or 'all its arguments'}."
    if counts := _COUNTS.match(rest):
        least, most, passed = (int(number) - is_method if number else None for number in counts.groups())
        takes = f"{most}" if least is None else f"{least} to {most}"
        return f"{callee} takes {takes} argument{'s' * (takes != '1')} by position, and is given {passed}."
    if refused["what"].startswith("received"):
        return f"{callee} does not take these arguments. In the message, `got` lists what you passed, and `expected` what fits."
    return f"{callee} does not take these arguments."


def _written(callee: str) -> str:
    """Return the callee as it is written in code: ``X`` for ``X.forward``, ``X.__init__`` and ``X.__call__``."""
    name = callee.rpartition(".<locals>.")[2]
    for method in (".forward", ".__init__", ".__call__"):
        name = name.removesuffix(method)
    return f"`{name}`"
