"""Inside: serve one submission. Run its cells and answer requests, one at a time, until the socket closes."""

import builtins
import contextlib
import functools
import importlib
import io
import multiprocessing
import os
import random
import socket
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from autograder.runtime.errors import CheckFailure
from autograder.runtime.local import LocalStudent
from autograder.runtime.state import forget_absent_device, known_torch_state
from autograder.runtime.student import StandIn
from autograder.sandbox.inside import c_library, lockdown, namespaces, notebook_stub, protocol, shell, values
from autograder.sandbox.inside.namespaces import HOME, WRITABLE
from autograder.sandbox.inside.protocol import SetUp
from course_lib import variants

_MOST_PRINTED = 2000


def prepared(number: int, settings: SetUp, program: bytes, ready_shell: Any) -> "Worker":
    """Return a worker that serves the socket with this number. Raises an error unless everything forbidden is out of reach.

    ``program`` forbids system calls (:func:`namespaces.forbid_calls`). ``ready_shell`` was created before the fork.
    """
    connection = socket.socket(fileno=number)
    os.chdir(HOME)
    os.environ.update(HOME=HOME, PWD=HOME)
    importlib.invalidate_caches()  # imports before the fork cached that the folder did not exist
    if sys.version_info >= (3, 14):  # whose own way starts a program
        multiprocessing.set_start_method("fork")
    torch.set_num_threads(settings.threads)
    random.seed()  # all three were seeded before the fork, the same for every worker
    np.random.seed()
    torch.seed()
    lockdown.raise_for_good(settings.forbid)
    if settings.lesson:
        notebook_stub.install(settings.lesson)
    variants.grade_as(settings.author)
    torch.compile = uncompiled
    shell.move(ready_shell, HOME)
    worker = Worker(connection, settings.forbid, ready_shell)
    if settings.measures == "memory":
        namespaces.give_back_at_once()
    namespaces.limit(**settings.limits)
    namespaces.forbid_calls(program)
    if settings.libraries is not None:
        c_library.forget()
    lockdown.stay_in_python(WRITABLE, ctypes_too=bool(settings.forbid))
    return worker


class Proxy(nn.Module):
    """A proxy for an object kept by the grader: passes on the calls that the object's class allows."""

    def __init__(self, calls: tuple[str, ...], ask: Callable[..., Any]):
        super().__init__()
        self.calls, self.ask = calls, ask

    def __getattr__(self, name: str) -> Any:
        return functools.partial(self.ask, name) if name in self.__dict__["calls"] else super().__getattr__(name)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.ask("forward", *args, **kwargs)


def uncompiled(model: Any = None, **settings: Any) -> Any:
    """A replacement for ``torch.compile``, which needs other programs: returns the function or module uncompiled."""
    return uncompiled if model is None else model


class Worker:
    """The shell in which the cells run, and the student built from its namespace."""

    def __init__(self, connection: socket.socket, forbid: tuple[str, ...], ready_shell: Any):
        self.connection = connection
        self.shell = shell.without_programs(ready_shell)
        self.student = LocalStudent(self.shell.user_ns, forbid=forbid)
        self.student.stand_in = self.proxy
        self.ticket = ""  # of the request that is being answered
        self.right = contextlib.ExitStack()
        self.operations: dict[str, Callable[[dict[str, Any], protocol.Unpacking, protocol.Packing], dict[str, Any]]] = {
            "files": self.files,
            "run": self.run,
            "answer": self.answer,
            "call": self.call,
            "memory": self.memory,
            "right": self.use_right,
            "values": self.values,
            "give": self.give,
        }
        self.carried: set[str] = set()  # names of data that came from another worker of the submission

    def serve(self) -> None:
        """Answer requests. The first message is a greeting, to which the kernel attaches this process's number."""
        self.connection.sendall(b"hello")
        while True:
            try:
                header, body = protocol.receive(self.connection)
            except protocol.Silence:
                return
            packing = protocol.Packing()
            self.ticket = header["ticket"]
            reply = self._handle(header, protocol.Unpacking(body, strided=True), packing)
            protocol.send(self.connection, reply | {"ticket": header["ticket"]}, packing)

    def _handle(
        self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing
    ) -> dict[str, Any]:
        printed = io.StringIO()
        try:
            if header["op"] in ("files", "run"):
                return self.operations[header["op"]](header, unpacking, packing)
            with self._surroundings(printed):
                reply = self.operations[header["op"]](header, unpacking, packing)
            if packing.size > protocol.most_bytes(len(unpacking.body)):
                text = f"{packing.size // 2**20:,} MB"
                packing.parts, packing.size = [], 0
                raise CheckFailure(
                    "size", "The result is far larger than any that was asked for.", yours=text, received=text
                )
        except CheckFailure as failure:
            reply = {"failure": protocol.pack_failure(failure, packing)}
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"[:300]
            stopped = CheckFailure("crash", "The call stopped with an error", yours=text, received=text)
            reply = {"failure": protocol.pack_failure(stopped, packing)}
        return reply | {"printed": printed.getvalue()[:_MOST_PRINTED]}

    def proxy(self, stand_in: StandIn) -> Any:
        """Return the object for the student's code: a proxy of one that the grader keeps, or one of the course's library."""
        if not hasattr(stand_in.cls, "CALLS"):
            return stand_in.make()
        return Proxy(stand_in.cls.CALLS, functools.partial(self._ask_grader, stand_in.kwargs["number"]))

    def _ask_grader(self, number: int, method: str, *args: Any, **kwargs: Any) -> Any:
        packing = protocol.Packing()
        request = {"stand_in": number, "method": method, "args": protocol.pack((args, kwargs), packing)}
        protocol.send(self.connection, request | {"ticket": self.ticket}, packing)
        header, body = protocol.receive(self.connection)
        if "error" in header:
            name, text = header["error"]
            raise getattr(builtins, name, RuntimeError)(text)
        return protocol.Unpacking(body, strided=True).value(header["value"])

    @contextlib.contextmanager
    def _surroundings(self, printed: io.StringIO) -> Any:
        with known_torch_state(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
                yield

    def files(self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing) -> dict[str, Any]:
        """Write the files handed in with the notebook."""
        for name, content in unpacking.value(header["files"]).items():
            path = Path(HOME, name)
            if not name or ".." in path.parts or not path.is_relative_to(HOME):
                raise ValueError(f"the path {name!r} leaves the notebook's folder")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.numpy().tobytes())
        return {"ok": True}

    def run(self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing) -> dict[str, Any]:
        """Run a cell, and after an error about something that is unavailable here, the rest of it."""
        with shell.unseen(self.shell) if header.get("again") else contextlib.nullcontext():
            result = shell.run(self.shell, header["text"], bool(header.get("whole")), bool(header.get("fewer")))
        forget_absent_device()
        return result

    def answer(
        self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing
    ) -> dict[str, Any]:
        request = protocol.unpack_request(header["request"], unpacking)
        return {"answer": protocol.pack_answer(self.student.answer(request), packing)}

    def call(self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing) -> dict[str, Any]:
        """Call a function and return only its value; this request is timed."""
        args, kwargs = self._arguments(header, unpacking)
        return {"value": protocol.pack(self.student.timed(header["name"])(*args, **kwargs), packing)}

    def memory(
        self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing
    ) -> dict[str, Any]:
        args, kwargs = self._arguments(header, unpacking)
        return {"number": self.student.peak_memory(header["name"], lambda: args, **kwargs)}

    def use_right(
        self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing
    ) -> dict[str, Any]:
        """Replace the student's earlier exercises with the given versions."""
        names: dict[str, Any] = {}
        exec(compile(header["text"], "right answers", "exec"), names)
        self.right.enter_context(self.student.with_references(header["names"], names))
        return {"ok": True}

    def values(
        self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing
    ) -> dict[str, Any]:
        plain_data = values.values(self.shell.user_ns)
        return {"values": protocol.pack({name: values.sent(value) for name, value in plain_data.items()}, packing)}

    def give(self, header: dict[str, Any], unpacking: protocol.Unpacking, packing: protocol.Packing) -> dict[str, Any]:
        """Store plain data under those names that no cell has defined here."""
        data = unpacking.value(header["values"])
        bound = {name for name, value in self.shell.user_ns.items() if not isinstance(value, shell.Withheld)}
        new = {name for name in data if name in self.carried or name not in bound}
        self.shell.user_ns.update({name: values.received(data[name]) for name in new})
        self.carried |= new
        return {"ok": True}

    @staticmethod
    def _arguments(header: dict[str, Any], unpacking: protocol.Unpacking) -> tuple[tuple, dict[str, Any]]:
        return unpacking.value(header["args"]), unpacking.value(header["kwargs"])
