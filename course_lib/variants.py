"""Numbers of an exercise that differ from student to student: `i_am` says who works here, and `numbers` draws for them."""

import contextlib
import hashlib
import os
import random
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Beside the history of the checks. A hand-in that contains the folder is read without it, so the file decides no grade.
FILE = Path(".autograder", "student")
#: Characters of the longest id, and bytes of the file that are read.
LONGEST, MOST_BYTES = 200, 1000

#: Whom the grader has named, None while nobody grades; and whom `i_am` has named in this kernel.
_GRADED: str | None = None
_HERE = ""


def student(folder: str | Path = ".") -> str:
    """Return the id whose numbers a notebook in this folder has, empty if none is known.

    It is whom the grader has named, or else whom `i_am` has named here, or else the user of the JupyterHub.
    """
    if _GRADED is not None:
        return _GRADED
    return (_HERE if Path(folder) == Path() else "") or _saved(Path(folder)) or os.environ.get("JUPYTERHUB_USER", "")


def i_am(who: Any) -> None:
    """Say whose numbers this notebook has: your id as your teacher writes it. It is kept in `.autograder/student`.

    An empty id asks for one. Where notebooks are graded this does nothing. Raises TypeError for what is no text, ValueError for
    more than a line of it.
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
    told = f"{exercise}\0{same(student() if who is None else who)}"
    return random.Random(int.from_bytes(hashlib.sha256(told.encode("utf8", "surrogatepass")).digest(), "big"))


def same(who: str) -> str:
    """Return the form of an id in which ids are compared."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", who).casefold()).split())


def grade_as(who: str | None) -> str | None:
    """Take the numbers of this id from now on, whatever notebook, file or environment say; an empty one is nobody's.

    Returns whom the grader had named before; None gives the choice back to the notebook.
    """
    global _GRADED
    before, _GRADED = _GRADED, who
    return before


@contextlib.contextmanager
def graded_as(who: str) -> Iterator[None]:
    """Take the numbers of this id for a while, as :func:`grade_as` does."""
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
    """Return the id in the file of a folder; empty where there is none that can be read: a damaged file must stop nobody."""
    try:
        with (folder / FILE).open("rb") as file:
            who = file.read(MOST_BYTES).decode("utf8").strip()
    except (OSError, ValueError):
        return ""
    return who if who.isprintable() and len(who) <= LONGEST else ""
