"""``autograder feedback``: write the feedback pages of a class, several at a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue

from autograder.grading.course import Course
from autograder.grading.gradebook.sync import settle
from autograder.grading.progress import progress
from autograder.grading.run.channel import Channel
from autograder.grading.run.many import in_threads
from autograder.grading.run.outcome import GRADED, readable, recall

#: What runs in each process. A string: nothing here may import the plug-ins.
_WRITER = "autograder.nbgrader_plugins.page_writer"


def write_pages(course: Course, assignment: str, students: Sequence[str], workers: int) -> int:
    """Write the page of every graded student, or of these. Returns 0 if all were written, else 1.

    Raises LookupError if there is nothing to write, or one of the students has not been graded.
    """
    graded = [student for student, outcome in recall(course.grading, assignment).items() if outcome.state == GRADED]
    if not graded:
        raise LookupError(
            f"Nobody has been graded in {assignment!r} yet. Run this first: autograder grade {assignment}"
        )
    if unknown := [student for student in students if student not in graded]:
        raise LookupError(f"{unknown[0]!r} has not been graded in {assignment}.")
    for told in settle(course):
        print(readable(told))
    wanted = list(students) or graded
    failed = []
    with (
        _writers(course, assignment, min(workers, len(wanted))) as write,
        progress("writing pages", len(wanted)) as step,
    ):
        for student, error in in_threads(lambda one: (one, write(one)), wanted, workers):
            step()
            failed += [(student, error)] if error else []
    for student, error in sorted(failed):
        print(f"{readable(student)}: {readable(error)}")
    folder = course.grading / "feedback"
    print(
        f"feedback: {assignment}, {len(wanted) - len(failed)} pages written, {len(failed)} failed; {folder}/STUDENT/{assignment}/"
    )
    return 1 if failed else 0


@contextmanager
def _writers(course: Course, assignment: str, number: int) -> Iterator[Callable[[str], str]]:
    """Yield a function that writes one student's page in whichever process is free, and returns the error or nothing."""
    free: SimpleQueue[Channel] = SimpleQueue()
    with ExitStack() as stack:
        for _ in range(number):
            channel = Channel(_WRITER, str(course.root), assignment, folder=course.root)
            stack.callback(channel.close)
            free.put(channel)

        def write(student: str) -> str:
            channel = free.get()
            try:
                return channel.ask(student.encode()).decode()
            except (OSError, EOFError):
                return "the process that writes pages has ended; see the message above"
            finally:
                free.put(channel)

        yield write
