"""``autograder replay --shell``: a prompt in the sandbox in which a student's cells have run.

Typed statements run there, too, and cannot reach the teacher's files.
"""

import codeop
import contextlib
import sys
from collections.abc import Iterator

from autograder.content import notebook
from autograder.grading.console import show
from autograder.grading.course import find_course
from autograder.grading.run.sandbox_executor import SandboxExecutor
from autograder.grading.teacher.replay import job_of
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside.cell_result import CellResult
from autograder.sandbox.outside.sandbox import Sandbox


def main(student: str, assignment: str) -> None:
    """Run the cells, then read and run statements until the input ends."""
    course = find_course()
    job = job_of(course, student, assignment, None, None, False)
    cells = job.submission.cells
    needed = notebook.dependencies(cells)
    limits = Limits(total_wall=24 * 3600.0, total_cpu=24 * 3600.0)
    with (
        Sandbox(limits, label=course.label, libraries=job.lesson.libraries_in("") if job.lesson else None) as sandbox,
        contextlib.closing(
            SandboxExecutor(job.lesson, sandbox, job.submission.files, job.submission.author)
        ) as executor,
    ):
        for cell, need in zip(cells, needed, strict=True):
            if need and cell["cell_type"] == "code" and not notebook.is_check(cell):
                _show(executor.run(notebook.source(cell)), only_errors=True)
        show(f"{student}, {assignment}: the cells have run, in the sandbox. Ctrl-D ends.")
        for text in _typed():
            _show(executor.run(text))


def _typed() -> Iterator[str]:
    """Yield whole statements."""
    lines: list[str] = []
    while True:
        try:
            lines.append(input("... " if lines else ">>> "))
        except (EOFError, KeyboardInterrupt):
            show("")
            return
        text = "\n".join(lines)
        try:
            complete = codeop.compile_command(text, symbol="exec") is not None
        except (SyntaxError, ValueError, OverflowError):
            complete = True  # the sandbox says what is wrong, or runs a magic
        if complete or (len(lines) > 1 and not lines[-1].strip()):
            lines = []
            if text.strip():
                yield text


def _show(result: CellResult, only_errors: bool = False) -> None:
    for item in () if only_errors else result.outputs:
        text = item.get("text") or item.get("data", {}).get("text/plain", "")
        show(str(text).rstrip("\n"))
    if result.error:
        show(f"{result.error[0]}: {result.error[1]}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
