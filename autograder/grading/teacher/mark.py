"""``autograder mark``: a Jupyter Server for this course, with the pages on which written questions are marked."""

import os
import subprocess
import sys
from collections.abc import Sequence

from autograder.grading.course import Course
from autograder.grading.gradebook.marking import open_counts, questions

#: The extension with the pages, in the way in which Jupyter Server takes its settings.
EXTENSION = "autograder.nbgrader_plugins.marking"


def open_marking(course: Course, assignment: str, browser: bool = True, options: Sequence[str] = ()) -> int:
    """Start the server and open the list of questions, with its ``options``; return its exit status.

    Raises LookupError if there is nothing to mark, and ValueError for root, as whom Jupyter starts only if it is told to.
    """
    asked = questions(course, assignment)
    if not asked:
        raise LookupError(f"{assignment} has no written questions.")
    counts = open_counts(course, assignment)
    if not counts:
        raise LookupError(f"There are no answers yet. Run this first: autograder grade {assignment}")
    if getattr(os, "geteuid", lambda: 1)() == 0 and "--allow-root" not in options:
        raise ValueError(
            "You are root here, as in many containers, and Jupyter starts for root only if it is told to. Say so: "
            f"autograder mark {assignment} --allow-root"
        )
    left, every = (sum(count[part] for count in counts.values()) for part in (0, 1))
    print(
        f"{assignment}: {left} of {every} answers to {len(asked)} questions are open. Ctrl+C ends the server.",
        flush=True,
    )
    settings = [
        f"--ServerApp.root_dir={course.root}",
        f"--ServerApp.jpserver_extensions={{'{EXTENSION}': True}}",
        f"--ServerApp.default_url=/marking/{assignment}",
    ]
    quiet = [] if browser else ["--no-browser"]
    return subprocess.run(
        [sys.executable, "-m", "jupyter", "server", *settings, *quiet, *options], cwd=course.root
    ).returncode
