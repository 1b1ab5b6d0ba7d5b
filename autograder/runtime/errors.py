"""The exceptions with which a check reports a wrong answer, and the conversion of other exceptions into them."""

import contextlib
import difflib
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from autograder.runtime.limits import CheckTimeout, time_limited
from autograder.runtime.locations import location
from autograder.runtime.text import quotation

#: The cause of a failure to read a file of weights, which may have been damaged in transit and not by the student.
UNREADABLE = "checkpoint cannot be read"
#: The cause of a result of None.
NOTHING_RETURNED = "nothing returned"
#: Maximum of characters kept of an exception's message.
MESSAGE = 300
#: Maximum length of a name that is suggested.
_LONGEST_NAME = 80


@dataclass(eq=False)
class CheckFailure(AssertionError):
    """A property that the student's answer lacks.

    ``kind`` is a short fixed word (``value``, ``shape``, ``crash`` ...). Two answers fail in the same way if ``kind`` and
    ``received`` agree; this identifies a misconception. ``cause`` names the mistake if the check itself knows it; ``hint`` says
    in a sentence or two where to look. ``wanted`` is the expected tensor, if any.
    """

    kind: str
    message: str
    expected: str = ""
    yours: str = ""
    setting: str = ""
    received: Any = None
    wanted: Any = None
    cause: str = ""
    hint: str = ""
    picture: Any = None

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """The failure as lines of plain text, without the diagnosis."""
        rows = [self.setting, self.message]
        rows += [f"expected  {self.expected}"] if self.expected else []
        rows += [f"yours     {self.yours}"] if self.yours else []
        return [row for row in rows if row]


@dataclass(frozen=True)
class Diagnosis:
    """The name of a mistake, its hint (what happens, and where to look), and ``why``: the reason, with a small experiment."""

    name: str
    hint: str
    why: str = ""

    def steps(self) -> tuple[str, str, str]:
        """Return the effect, the reason, and the place to look. Without a reason, the effect is the whole hint."""
        if not self.why:
            return self.hint, "", ""
        effect, _, where = re.sub(r"(?<=[.?)]) (?=Look )", "\n", self.hint).partition("\n")
        return effect, self.why, where


class PartialCredit(Exception):
    """Raised by a check that passes in part. ``fraction`` is the share of its points earned; ``failure`` says why it is not 1."""

    def __init__(self, fraction: float, failure: CheckFailure):
        super().__init__(str(failure))
        self.fraction = fraction
        self.failure = failure


#: Characters of each text of a failure; bytes, and numbers, of each of its tensors.
_LONGEST, _MOST_BYTES, _MOST_NUMBERS = 2_000, 2**23, 2**20
_TEXTS = ("message", "expected", "yours", "setting", "cause", "hint")


def bounded(failure: CheckFailure) -> CheckFailure:
    """Shorten a failure's texts and tensors, and drop its traceback, whose frames keep all inputs and results alive.

    Each text becomes one line of printable characters. A check may quote a string that the student's code returns, or names of
    its parameters; on a separate line of a report it would look like the grader's own text.
    """
    for name in _TEXTS:
        text = getattr(failure, name)
        short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
        setattr(failure, name, short if short.isprintable() else "".join(c if c.isprintable() else " " for c in short))
    failure.received, failure.wanted = _excerpt(failure.received), _excerpt(failure.wanted)
    forget_calls(failure)
    return failure


def _excerpt(value: Any) -> Any:
    """Return a value; of a large tensor, only the beginning."""
    from torch import Tensor, strided

    if isinstance(value, str):
        return value[:_LONGEST]
    if not isinstance(value, Tensor) or value.layout is not strided or value.untyped_storage().nbytes() <= _MOST_BYTES:
        return value
    return (
        value.detach().clone() if value.numel() <= _MOST_NUMBERS else value.detach().reshape(-1)[:_MOST_NUMBERS].clone()
    )


def forget_calls(error: BaseException | None) -> None:
    """Clear the local variables in the traceback of an error, and of the errors that it followed."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        earlier = error.__cause__ or error.__context__
        error.__traceback__ = error.__cause__ = error.__context__ = None
        error = earlier


def from_exception(error: BaseException | None) -> CheckFailure | None:
    """Return the failure, within bounds, for any exception from a check, expected or not."""
    if error is None:
        return None
    if isinstance(error, PartialCredit):
        forget_calls(error)
        error = error.failure
    if isinstance(error, CheckFailure):
        return bounded(error)
    forget_calls(error)
    text = f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]
    return CheckFailure("crash", "The check could not work with your result", yours=text, received=text)


def no_return() -> CheckFailure:
    """The failure of a function that returns None."""
    return CheckFailure(
        "type",
        "Nothing is returned.",
        yours="None",
        received="None",
        cause=NOTHING_RETURNED,
        hint="Does the function end in a return statement?",
    )


def missing_result(what: str) -> CheckFailure:
    """The failure of a function that returns several results, ``what`` being None."""
    return CheckFailure(
        "type",
        f"{what[:1].upper()}{what[1:]} is None.",
        yours="None",
        received=f"None for {what}",
        cause="None in the place of a result",
        hint=f"The function returns something, but {what} in it is None. Print it before the return.",
    )


@contextlib.contextmanager
def watch(name: str) -> Iterator[None]:
    """Turn any exception of the student's code into a failure with the line of the student's code."""
    try:
        with time_limited():
            yield
    except (KeyboardInterrupt, CheckFailure):
        raise
    except CheckTimeout as error:
        raise _endless(name, error) from None
    except NotImplementedError as error:
        if error.__traceback__ is None or not _from_stub(error):
            raise _crash(name, error) from None
        raise _unwritten(name, error) from None
    except BaseException as error:
        raise _crash(name, error) from None


def _unwritten(name: str, error: BaseException) -> CheckFailure:
    """Return the failure for an unwritten stub. If it is not that of ``name``, ``received`` names it.

    It then belongs to another part of the same exercise, or to an earlier exercise.
    """
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    stub = frame.f_code.co_qualname.partition(".")[0]
    other_stub = stub if stub not in (name, "<module>") else ""
    text = " ".join(str(error).split())[:MESSAGE]  # the student may have changed it
    return CheckFailure(
        "unwritten",
        f"Not written yet{f' ({other_stub})' if other_stub else ''}{f': {quotation(text)}' if text else '.'}",
        received=other_stub or None,
        cause="not written yet",
        hint="If you have written it, remove the line raise NotImplementedError(...), and run the cell again.",
    )


def _endless(name: str, error: CheckTimeout) -> CheckFailure:
    return CheckFailure(
        "time",
        f"{name} took longer than {error.seconds:g} seconds and was stopped{location(error)}",
        received="time",
        cause="does not end, or takes far too long",
        hint="Does the loop end for every input? Print what its condition depends on. A loop over single numbers, where one "
        "operation on the whole tensor would do, takes long too.",
    )


def _from_stub(error: BaseException) -> bool:
    """Return whether an error is the stub's own ``raise NotImplementedError``, not PyTorch's 'not implemented for this dtype'."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "NotImplementedError" in (last.line or "NotImplementedError") and "site-packages" not in last.filename


def _crash(name: str, error: BaseException) -> CheckFailure:
    derived = " (a ValueError)" if isinstance(error, ValueError) and type(error) is not ValueError else ""
    text = f"{type(error).__name__}{derived}: {' '.join(str(error).split())[:MESSAGE]}{_meant_name(error)}"
    return CheckFailure("crash", f"{name} stopped with an error{location(error)}", yours=text, received=text)


def _meant_name(error: BaseException) -> str:
    """Return Python's suggestion for an unknown name, if there is a similar one; the exception's text does not contain it."""
    wrong = getattr(error, "name", None)
    if not isinstance(error, NameError | AttributeError) or not isinstance(wrong, str) or "Did you mean" in str(error):
        return ""
    names: list[str] = []
    with contextlib.suppress(Exception):  # the names come from the student's objects
        if isinstance(error, NameError):
            *_, (frame, _) = traceback.walk_tb(error.__traceback__)
            names = [*frame.f_locals, *(() if isinstance(error, UnboundLocalError) else frame.f_globals)]
        else:
            names = [] if error.obj is None else [*map(str, dir(error.obj))]
    names = [name for name in names if isinstance(name, str) and name != wrong and len(name) <= _LONGEST_NAME]
    names = [name for name in names if not name.startswith("_")]
    near = [name for name in names if name.lower() == wrong.lower()] or difflib.get_close_matches(wrong, names, 1, 0.8)
    return f". Did you mean: {near[0]!r}?" if near else ""
