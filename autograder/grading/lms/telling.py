"""What ``autograder collect`` prints."""

from rich.console import Console

from autograder.grading.console import print_table
from autograder.grading.lms.collect import Collected, Order
from autograder.grading.lms.placing import NEW, NEWER, OLDER, UNCHANGED, YOURS
from autograder.grading.run.outcome import readable

_MOST_MISSING = 40


def tell(done: Collected, order: Order, console: Console) -> int:
    """Print what was collected, and whom nobody could place. Returns 1 if something needs a person, else 0."""
    counts = {what: len(done.students.get(what, ())) for what in (NEW, NEWER, UNCHANGED, OLDER, YOURS)}
    rows = [(name, f"could be {', '.join(some)}" if some else "nobody in the class") for name, some in done.unmatched]
    print_table(console, "not matched: not collected", rows, ("handed in as", "who"))
    print_table(console, "not read: not collected", done.refused, ("student", "why"))
    by_hand = [
        (one, "the folder was there before; with --force it is replaced") for one in done.students.get(YOURS, ())
    ]
    older = [(one, "what was collected before is newer") for one in done.students.get(OLDER, ())]
    print_table(console, "left as it was", [*by_hand, *older], ("student", "why"))
    if done.late:
        print(f"{done.platform} marks as late, without saying by how much: {_few(done.late)}")
    total = sum(counts.values())
    if done.timed < total:
        print(
            f"The time of handing in is not known for {total - done.timed} of {total}: these count as on time. "
            "A sheet of the platform may know it (--sheet); --entry-times takes the times of the files."
        )
    if done.missing:
        print(f"nothing from: {_few(done.missing)}")
    print(
        f"collect: {order.assignment} from {done.platform}, {total} students: "
        + ", ".join(f"{number} {what}" for what, number in counts.items())
        + f"; {len(done.unmatched)} not matched, {len(done.refused)} not read"
    )
    return 1 if done.unmatched or done.refused else 0


def _few(students: list[str]) -> str:
    more = len(students) - _MOST_MISSING
    return ", ".join(map(readable, students[:_MOST_MISSING])) + (f" and {more} more" if more > 0 else "")
