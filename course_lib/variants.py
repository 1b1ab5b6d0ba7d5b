"""Numbers of an exercise that differ from student to student: `i_am` sets the id, and `numbers` draws for it."""

import contextlib
import hashlib
import os
import random
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Beside the history of the checks, in a folder that is ignored in a submission, so that no grade depends on it.
FILE = Path(".autograder", "student")
#: Maximum of characters in an id, and of bytes read of the file.
LONGEST, MOST_BYTES = 200, 1000

#: The id set by the grader, None outside grading; and the id set by `i_am` in this kernel.
_GRADED: str | None = None
_HERE = ""


def student(folder: str | Path = ".") -> str:
    """Return the id whose numbers a notebook in this folder has, empty if none is known.

    It is the grader's, or else the one set by `i_am` here or in an earlier kernel, or else the user of the JupyterHub.
    """
    if _GRADED is not None:
        return _GRADED
    return (_HERE if Path(folder) == Path() else "") or _saved(Path(folder)) or os.environ.get("JUPYTERHUB_USER", "")


def i_am(who: Any) -> None:
    """Set the id whose numbers this notebook has: yours, as your teacher writes it. It is saved in `.autograder/student`.

    An empty id asks for one. In grading this does nothing. Raises TypeError unless it is text, ValueError if it is longer than a
    line.
    """
    global _HERE
    if not isinstance(who, str):
        raise TypeError(f'Expected your id as text, such as variants.i_am("jdoe"), got {who!r}.')
    if _GRADED is not None:
        return
    if not who.strip():
        print("Write your id between the quotation marks, and run this cell again: your numbers follow from it.")
        return
    if not who.isprintable() or len(who) > LONGEST:
        raise ValueError(f"Expected an id of one line and at most {LONGEST} characters, got {who[:80]!r}.")
    _HERE = who.strip()
    kept = _keep(_HERE)
    print(
        f"Your numbers are those of {_HERE}{'' if kept else ' until the kernel ends'}. Run the cells that draw them again."
    )


def numbers(exercise: str, who: str | None = None) -> random.Random:
    """Return a generator from which to draw the numbers of an exercise: yours, unless `who` is another student's id.

    It is the same for one id on every machine, however often it is made; capitals and spaces around an id do not matter.
    """
    if not exercise:
        raise ValueError('Expected the name of an exercise, such as variants.numbers("softmax").')
    text = f"{exercise}\0{casefold_name(student() if who is None else who)}"
    return random.Random(int.from_bytes(hashlib.sha256(text.encode("utf8", "surrogatepass")).digest(), "big"))


def casefold_name(who: str) -> str:
    """Return the form in which ids and names are compared: NFKC, without case, with single spaces."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", who).casefold()).split())


def grade_as(who: str | None) -> str | None:
    """Use the numbers of this id from now on, regardless of notebook, file and environment; the empty id is nobody's.

    Returns the grader's previous id; None returns the choice to the notebook.
    """
    global _GRADED
    before, _GRADED = _GRADED, who
    return before


@contextlib.contextmanager
def graded_as(who: str) -> Iterator[None]:
    """Use the numbers of this id inside, as :func:`grade_as` does."""
    before = grade_as(who)
    try:
        yield
    finally:
        grade_as(before)


def _keep(who: str) -> bool:
    """Write the file, whole or not at all, and return whether that was possible."""
    part = FILE.with_suffix(f".{os.getpid()}.part")
    with contextlib.suppress(OSError):
        FILE.parent.mkdir(exist_ok=True)
        part.write_text(f"{who}\n", encoding="utf8")
        part.replace(FILE)
        return True
    return False


def _saved(folder: Path) -> str:
    """Return the id in the file of a folder; empty if it cannot be read, since a damaged file must not stop a student."""
    try:
        with (folder / FILE).open("rb") as file:
            who = file.read(MOST_BYTES).decode("utf8").strip()
    except (OSError, ValueError):
        return ""
    return who if who.isprintable() and len(who) <= LONGEST else ""
