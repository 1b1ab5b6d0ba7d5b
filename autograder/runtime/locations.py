"""Locate an event in the student's source, by line and cell."""

import difflib
import inspect
import re
import traceback
from collections.abc import Collection, Mapping
from typing import Any

#: Parts of the paths of files that are not the student's.
_LIBRARY_PATHS = ("site-packages", "/autograder/", "/course_lib/", "/lib/python3")


def location(error: BaseException) -> str:
    """Return `` in line 7 of In[3]: …`` for the innermost line of the student's code in a traceback; "" if there is none."""
    frames = traceback.extract_tb(error.__traceback__)
    student_frames = [
        frame for frame in frames if not any(path in frame.filename.replace("\\", "/") for path in _LIBRARY_PATHS)
    ]
    if not student_frames or not student_frames[-1].line:
        return ""
    number = cell_of(student_frames[-1].filename)
    return f" in line {student_frames[-1].lineno}{f' of In[{number}]' if number else ''}: {student_frames[-1].line}"


def cell_of(filename: str) -> int:
    """Return the number of the cell that Jupyter compiled under this file name; 0 for any other file, and outside a notebook."""
    shell = kernel_shell()
    if shell is None:
        return 0
    if not hasattr(shell.compile, "format_code_name"):  # IPython 7, which Colab has
        typed = shell.history_manager.input_hist_raw
        names = (shell.compile.get_code_name(text, text, number) for number, text in enumerate(typed))
        return max((number for number, name in enumerate(names) if name == filename), default=0)
    label = shell.compile.format_code_name(filename)
    digits = re.fullmatch(r"In\[(\d+)\]", label[1]) if label else None
    return int(digits[1]) if digits else 0


def kernel_shell() -> Any:
    """Return the IPython shell of the notebook in this process; None in a plain program, and in grading."""
    from IPython import get_ipython

    shell = get_ipython()
    return shell if getattr(shell, "kernel", None) is not None else None


def cell_text(name: str, names: Mapping[str, Any]) -> str:
    """Return the text of the cell of this notebook that defined ``names[name]``; "" if it is not known."""
    shell = kernel_shell()
    number = _cell_of_definition(names[name]) if shell is not None and name in names else 0
    typed = getattr(getattr(shell, "history_manager", None), "input_hist_raw", ())
    return str(typed[number]) if 0 < number < len(typed) else ""


def redefined_in(name: str, names: Mapping[str, Any]) -> str:
    """Return a sentence if a cell after that of ``names[name]`` also defines it, but stopped before the definition."""
    shell = kernel_shell()
    if shell is None:
        return ""
    written = re.compile(rf"^(?:def|class)\s+{re.escape(name)}\b", re.MULTILINE)
    last = max((number for number, text in enumerate(shell.user_ns.get("In", ())) if written.search(text)), default=0)
    if name not in names:
        return f"In[{last}] defines {name}, but stopped with an error before: see there." if last else ""
    defined = _cell_of_definition(names[name])
    if not 0 < defined < last:
        return ""
    return (
        f"In[{last}] defines {name} anew, but stopped with an error before. "
        f"So an older version was checked, that of In[{defined}]."
    )


def misnamed_in(name: str, names: Mapping[str, Any], others: Collection[str]) -> str:
    """Return a sentence if a cell that has run defines a function or class with nearly this name; otherwise "".

    ``others``: names with another meaning, such as those of other exercises.
    """
    shell = kernel_shell()
    if shell is None:
        return ""
    defined = {
        candidate: cell
        for candidate, obj in names.items()
        if candidate not in others and candidate != name and callable(obj) and (cell := _cell_of_definition(obj))
    }
    plain = {candidate.replace("_", "").lower(): candidate for candidate in defined}
    near = difflib.get_close_matches(name.replace("_", "").lower(), plain, 1, 0.85)
    if not near:
        return ""
    similar = plain[near[0]]
    return f"In[{defined[similar]}] defines {similar}. If that is your answer, its name has to be {name}."


def _cell_of_definition(obj: Any) -> int:
    members = vars(obj).values() if isinstance(obj, type) else [obj]
    codes = [getattr(inspect.unwrap(member), "__code__", None) for member in members if callable(member)]
    return max((cell_of(code.co_filename) for code in codes if code is not None), default=0)
