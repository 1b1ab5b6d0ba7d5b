"""A process that writes feedback pages: ``python -m autograder.nbgrader_plugins.page_writer ROOT ASSIGNMENT``."""

import contextlib
import logging
import sys
from pathlib import Path

from autograder.grading.gradebook.writer import nbgrader_settings
from autograder.grading.run.pool import describe, inside, read_frame, write_frame
from autograder.nbgrader_plugins.feedback import CourseFeedback


def main(root: str, assignment: str) -> None:
    """Read student ids, one per frame; write each student's page, and answer with the error, or ""."""
    requests, answers = inside()
    config, coursedir = nbgrader_settings(Path(root), assignment)
    pages = CourseFeedback(coursedir=coursedir, config=config)
    pages.log.setLevel(logging.CRITICAL)
    pages.begin()
    with contextlib.suppress(EOFError), contextlib.chdir(Path(root)):
        while True:
            student = read_frame(requests).decode()
            try:
                pages.write(student)
                answer = ""
            except (Exception, SystemExit) as error:  # must not prevent the next page
                answer = describe(error)
            write_frame(answers, answer.encode())


if __name__ == "__main__":
    main(*sys.argv[1:3])
