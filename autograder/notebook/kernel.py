"""An IPython extension for a student's kernel: explain a NameError after a restart.

``ipython_kernel_config.json`` beside this file, installed in ``etc/ipython`` of the environment, loads it. It imports nothing
heavy, and changes nothing but the output of a NameError.
"""

import contextlib
from typing import Any

#: Names that notebooks import from the course. If one is unknown, its import has not run, and a traceback is of no use.
_COURSE_NAMES = ("check", "progress", "hand_in", "plots", "devices", "course_lib")
_RUN_ABOVE = "Run > Run All Above Selected Cell runs what is missing."


def load_ipython_extension(shell: Any) -> None:
    """Show NameErrors with advice; called by IPython."""
    shell.set_custom_exc((NameError,), _show)


def _show(shell: Any, kind: type, error: NameError, trace: Any, tb_offset: int | None = None) -> None:
    name, advice = getattr(error, "name", "") or "", ""
    with contextlib.suppress(Exception):  # an error here must not hide the student's own
        advice = advice_on(name, shell.user_ns, shell.user_ns.get("In", ()))
    frames = not advice or name not in _COURSE_NAMES
    lines = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset) if frames else []
    shell._showtraceback(kind, error, [*lines, advice] if advice else lines)


def advice_on(name: str, names: Any, ran: Any) -> str:
    """Return advice about an unknown name if a cell of the saved notebook defines it and has not run; otherwise ""."""
    if name in names:
        return ""
    from autograder.content import notebook as notebooks
    from autograder.notebook.session import any_saved_notebook

    notebook = any_saved_notebook()
    ran_texts = {text.strip() for text in ran}
    for cell in notebook.cells if notebook else ():
        text = notebooks.source(cell)
        if cell.get("cell_type") == "code" and name in notebooks.bound_names(text)[0] and text.strip() not in ran_texts:
            lines = (line.partition("  #")[0].rstrip() for line in text.splitlines())
            first = next(line for line in lines if line.strip() and not line.startswith("#"))
            return (
                f"{name} comes from the cell that begins with “{first}”, which has not run in this kernel. {_RUN_ABOVE}"
            )
    if name in _COURSE_NAMES:
        return f"{name} comes from the cell with the imports, which has not run in this kernel. {_RUN_ABOVE}"
    return ""
