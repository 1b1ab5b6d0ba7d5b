"""Inside: serve one submission. Run its cells and answer requests, one at a time, until the socket closes."""

import contextlib
import importlib
import io
import os
import random
import socket
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from autograder.judging.failure import CheckFailure
from autograder.judging.local import LocalStudent
from autograder.judging.measure import threads
from autograder.judging.torch_state import known_torch_state
from autograder.sandbox import encoding, namespaces, requests, wire
from autograder.sandbox.inside import blockade, shell, stand_in

HOME = "/tmp/home"
_MOST_PRINTED = 2000


def main(number: int) -> None:
    """Serve the socket with this number. The first message is a greeting; the kernel attaches this process's number to it."""
    connection = socket.socket(fileno=number)
    Path(HOME).mkdir(mode=0o700, parents=True)
    os.chdir(HOME)
    os.environ.update(HOME=HOME, PWD=HOME)
    importlib.invalidate_caches()  # imports before the fork cached that the folder did not exist
    Worker(connection).serve()


class Worker:
    """Holds the shell in which the cells run and the student built from its namespace."""

    def __init__(self, connection: socket.socket):
        self.connection = connection
        self.shell = shell.prepare()
        self.student = LocalStudent(self.shell.user_ns)
        self.right = contextlib.ExitStack()
        self.operations: dict[str, Callable[[dict[str, Any], encoding.Unpacking, encoding.Packing], dict[str, Any]]] = {
            "begin": self.begin,
            "run": self.run,
            "answer": self.answer,
            "call": self.call,
            "work": self.work,
            "memory": self.memory,
            "right": self.use_right,
        }

    def serve(self) -> None:
        self.connection.sendall(b"hello")
        while True:
            try:
                header, body = wire.receive(self.connection)
            except wire.Silence:
                return
            packing = encoding.Packing()
            reply = self._handle(header, encoding.Unpacking(body, strided=True), packing)
            wire.send(self.connection, reply | {"ticket": header["ticket"]}, packing)

    def _handle(
        self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing
    ) -> dict[str, Any]:
        printed = io.StringIO()
        try:
            if header["op"] in ("begin", "run"):
                return self.operations[header["op"]](header, unpacking, packing)
            with self._surroundings(printed):
                reply = self.operations[header["op"]](header, unpacking, packing)
        except CheckFailure as failure:
            reply = {"failure": requests.pack_failure(failure, packing)}
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"[:300]
            stopped = CheckFailure("crash", "The call stopped with an error", yours=text, received=text)
            reply = {"failure": requests.pack_failure(stopped, packing)}
        return reply | {"printed": printed.getvalue()[:_MOST_PRINTED]}

    @contextlib.contextmanager
    def _surroundings(self, printed: io.StringIO) -> Any:
        with threads(1), known_torch_state(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                yield

    def begin(self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing) -> dict[str, Any]:
        """Set the limits, disable the forbidden functions, and write the files handed in with the notebook."""
        self.student = LocalStudent(self.shell.user_ns, forbid=tuple(header["forbid"]))
        if header["lesson"]:
            stand_in.install(header["lesson"])
        for name, content in unpacking.value(header["files"]).items():
            path = Path(HOME, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.numpy().tobytes())
        torch.set_num_threads(header["threads"])
        random.seed()
        torch.seed()
        if header["forbid"]:
            blockade.raise_for_good(tuple(header["forbid"]))
            blockade.stay_in_python(HOME)
        namespaces.limit(**header["limits"])
        return {"ok": True}

    def run(self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing) -> dict[str, Any]:
        """Run a cell, including the rest of it after an error caused by something that is unavailable here."""
        return shell.run(self.shell, header["text"])

    def answer(
        self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing
    ) -> dict[str, Any]:
        request = requests.unpack_request(header["request"], unpacking)
        return {"answer": requests.pack_answer(self.student.answer(request), packing)}

    def call(self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing) -> dict[str, Any]:
        """Call a function and return only its value: this request is timed."""
        args, kwargs = self._arguments(header, unpacking)
        return {"value": encoding.pack(self.student.timed(header["name"])(*args, **kwargs), packing)}

    def work(self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing) -> dict[str, Any]:
        args, kwargs = self._arguments(header, unpacking)
        return {"number": self.student.work(header["name"], *args, **kwargs)}

    def memory(
        self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing
    ) -> dict[str, Any]:
        args, kwargs = self._arguments(header, unpacking)
        return {"number": self.student.peak_memory(header["name"], *args, **kwargs)}

    def use_right(
        self, header: dict[str, Any], unpacking: encoding.Unpacking, packing: encoding.Packing
    ) -> dict[str, Any]:
        """Replace the student's earlier exercises with the given versions."""
        names: dict[str, Any] = {}
        exec(compile(header["text"], "right answers", "exec"), names)
        self.right.enter_context(self.student.with_right(header["names"], names))
        return {"ok": True}

    @staticmethod
    def _arguments(header: dict[str, Any], unpacking: encoding.Unpacking) -> tuple[tuple, dict[str, Any]]:
        return unpacking.value(header["args"]), unpacking.value(header["kwargs"])
