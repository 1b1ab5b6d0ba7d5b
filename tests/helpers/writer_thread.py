"""The process that writes the gradebook, as a thread of this one: a process needs two seconds to load nbgrader."""

import contextlib
import os
import threading

from autograder.grading.gradebook import writer
from autograder.grading.run.pool import read_frame, write_frame


class WriterThread:
    """In the place of :class:`Channel`: the same frames through pipes, the same ``main`` at the other end. One at a time."""

    def __init__(self, module, *arguments, folder):
        assert (module, os.path.realpath(folder)) == (writer.__name__, os.path.realpath("."))
        asked, asking = os.pipe()
        answering, answered = os.pipe()
        self._questions, self._answers = os.fdopen(asking, "wb"), os.fdopen(answering, "rb")
        inside = os.fdopen(asked, "rb"), os.fdopen(answered, "wb")
        self._thread = threading.Thread(target=self._run, args=(inside, arguments))
        self._thread.start()

    def _run(self, inside, arguments):
        before, writer.inside = writer.inside, lambda: inside
        try:
            writer.main(arguments[0], arguments[1], arguments[2] == "1")
        finally:
            writer.inside = before
            for stream in inside:
                stream.close()

    def ask(self, data):
        write_frame(self._questions, data)
        return read_frame(self._answers)

    def kill(self):
        self.close()

    def close(self):
        with contextlib.suppress(OSError):
            self._questions.close()
        self._thread.join()
        self._answers.close()
