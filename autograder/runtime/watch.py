"""Turn exceptions of the student's code into failures that show the student's own line."""

import contextlib
import traceback
from collections.abc import Iterator

from autograder.runtime.failure import CheckFailure
from autograder.runtime.locations import place
from autograder.runtime.patience import TooLong, limited


@contextlib.contextmanager
def watch(name: str) -> Iterator[None]:
    """Turn any exception of the student's code into a failure that shows the student's own line."""
    try:
        with limited():
            yield
    except (KeyboardInterrupt, CheckFailure):
        raise
    except TooLong as error:
        raise _endless(name, error) from None
    except NotImplementedError as error:
        if error.__traceback__ is None or not _from_stub(error):
            raise _crash(name, error) from None
        raise _unwritten(name, error) from None
    except BaseException as error:
        raise _crash(name, error) from None


def _unwritten(name: str, error: BaseException) -> CheckFailure:
    """Return the failure for a stub that is still there. In an exercise of several parts, name the part."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    piece = f" ({last.name})" if last.name not in (name, "__init__", "forward", "<module>") else ""
    return CheckFailure(
        "unwritten",
        f"Not written yet{piece}. {error}".strip(),
        cause="not written yet",
        hint="If you have written it: take out the line raise NotImplementedError(...), and run the cell again.",
    )


def _endless(name: str, error: TooLong) -> CheckFailure:
    return CheckFailure(
        "time",
        f"{name} took longer than {error.seconds:g} seconds and was stopped{place(error)}",
        received="time",
        cause="does not end, or takes far too long",
        hint="Does the loop end for every input? Print what its condition depends on. A loop over single numbers, where one "
        "operation on the whole tensor would do, takes long too.",
    )


def _from_stub(error: BaseException) -> bool:
    """Distinguish the stub's own ``raise NotImplementedError`` from PyTorch's 'not implemented for this dtype'."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "NotImplementedError" in (last.line or "NotImplementedError") and "site-packages" not in last.filename


def _crash(name: str, error: BaseException) -> CheckFailure:
    derived = " (a ValueError)" if isinstance(error, ValueError) and type(error) is not ValueError else ""
    text = f"{type(error).__name__}{derived}: {' '.join(str(error).split())[:300]}"
    return CheckFailure("crash", f"{name} stopped with an error{place(error)}", yours=text, received=text)
