"""Outside: one process of the sandbox, with time limits on its answers."""

import contextlib
import math
import secrets
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol

from autograder.sandbox.inside import protocol
from autograder.sandbox.limits import MB, Limits
from autograder.sandbox.outside.process import Process

#: Maximum of calls of stand-ins in one request, of bytes of the arguments of each, and of numbers of all together: far more than
#: a check needs. A stand-in may keep its arguments.
_MOST_CALLS, _MOST_BYTES, _MOST_NUMBERS = 10_000, 2**20, 2**20
_LOOK = 0.1  # seconds between two looks at what a submission does


class Stopped(Exception):
    """A worker was stopped or has ended. ``reason`` is a fixed word; the text is a sentence for the student."""

    def __init__(self, reason: str, text: str):
        super().__init__(text)
        self.reason = reason


class _Closed(Protocol):
    """A resource that is closed with the worker."""

    def close(self) -> None: ...


class Worker:
    """The process of one submission. Everything it sends is treated as untrusted bytes."""

    def __init__(self, connection: socket.socket, process: Process, limits: Limits, threads: int):
        self.connection, self.process, self.limits, self.threads = connection, process, limits, threads
        self.deadline = math.inf  # of the whole submission, in time.monotonic seconds
        # Seconds in which it neither computed nor waited for a processor, while an answer was pending.
        self.waited = 0.0
        self.may_wait = math.inf
        self.parent: _Closed | None = None  # belongs to this worker alone, and is closed with it
        self.held = 0  # bytes of memory and files beyond those at its start, when it was last asked
        self._spent = self._lost = 0.0
        self._rests = False

    def ask(
        self,
        op: str,
        header: dict[str, Any],
        packing: protocol.Packing | None = None,
        cpu: float | None = None,
        alone: bool = False,
    ) -> tuple[dict[str, Any], protocol.Unpacking]:
        """Send one message and return the answer. Raises Stopped, with the worker killed, if none arrives.

        Between requests, while its resource use is not watched, the worker is suspended and has no other process. With ``alone``,
        for measurements, no other process may run beside it during the request.
        """
        ticket = secrets.token_hex(16)  # a reply forged in advance cannot contain it
        watch = _Watch(self, self.limits.request_cpu if cpu is None else cpu, alone)
        self._rests = False
        self.process.go_on()
        try:
            protocol.send(self.connection, header | {"op": op, "ticket": ticket}, packing, watch)
            most = protocol.most_bytes(packing.size if packing else 0)
            reply, body = self._reply(ticket, watch, most)
            calls = _Calls(packing.stand_ins if packing else [])
            for _ in range(_MOST_CALLS):
                if "stand_in" not in reply:
                    break
                watch()  # what the worker has sent in advance does not wait for it
                protocol.send(self.connection, *calls.answer(reply, body), watch)
                reply, body = self._reply(ticket, watch, most)
        except (protocol.Silence, OSError):
            self.close()
            raise Stopped("ended", "The process ended during the call.") from None
        except protocol.BadMessage as error:
            self.close()
            raise Stopped("garbled", f"The answer could not be read: {error}.") from None
        except BaseException:
            self.close()
            raise
        self._rest()
        return reply, protocol.Unpacking(body)

    def _reply(self, ticket: str, watch: Callable[[], None], most: int) -> tuple[dict[str, Any], bytearray]:
        reply, body = protocol.receive(self.connection, watch, most)
        if reply.get("ticket") != ticket:
            raise protocol.BadMessage("an answer to another question")
        return reply, body

    def _rest(self) -> None:
        """Suspend the worker, so that its resource use cannot change before the next request."""
        self.process.stop()
        used = self.process.cpu()
        if self.process.end_others():
            used, before = self.process.cpu(), used
            self._lost += max(0.0, before - used)  # what the kernel forgets with a process that is killed
        self._spent = max(self._spent, self._lost + used)
        self.held = self.process.resident() + self.process.kept() - self.process.begin
        self._rests = True

    def cpu(self) -> float:
        """Return the processor seconds used; for a worker that has ended, the last known value."""
        if self.process.handle >= 0 and not self._rests:
            self._spent = max(self._spent, self._lost + self.process.cpu())
        return self._spent

    def close(self) -> None:
        """Kill the worker and every process that it has left behind."""
        self.cpu()
        self.process.kill()
        with contextlib.suppress(OSError):
            self.connection.close()
        if self.parent is not None:
            self.parent.close()
            self.parent = None


class _Calls:
    """Calls stand-ins of a request on behalf of the worker. An error is the student's, and is raised in the student's code."""

    def __init__(self, stand_ins: list[Any]):
        self.stand_ins = stand_ins
        self.numbers = self.shapes = float(_MOST_NUMBERS)  # that are left

    def answer(self, request: dict[str, Any], body: bytearray) -> tuple[dict[str, Any], protocol.Packing]:
        """Return the result of a call as a message. Raises BadMessage if the request is not a call, or has too many numbers."""
        packing, number, method = protocol.Packing(), request["stand_in"], request.get("method")
        if type(number) is not int or not 0 <= number < len(self.stand_ins) or len(body) > _MOST_BYTES:
            raise protocol.BadMessage("a call of something that is not there")
        stand_in = self.stand_ins[number]
        if not isinstance(method, str) or method not in getattr(stand_in, "CALLS", ()):
            raise protocol.BadMessage("a call that is not allowed")
        args, kwargs = self._arguments(request.get("args"), protocol.Unpacking(body))
        try:
            return {"value": protocol.pack(getattr(stand_in, method)(*args, **kwargs), packing)}, packing
        except Exception as error:
            return {"error": [type(error).__name__, str(error)[:300]]}, protocol.Packing()

    def _arguments(self, data: Any, unpacking: protocol.Unpacking) -> tuple[tuple, dict]:
        unpacking.numbers, unpacking.shapes = self.numbers, self.shapes
        arguments = unpacking.value(data)
        self.numbers, self.shapes = unpacking.numbers, unpacking.shapes
        if not isinstance(arguments, tuple) or [type(item) for item in arguments] != [tuple, dict]:
            raise protocol.BadMessage("a call without arguments")
        return arguments


class _Watch:
    """Called repeatedly while an answer is pending. Raises Stopped when the submission exceeds a limit."""

    def __init__(self, worker: Worker, cpu: float, alone: bool):
        self.worker, self.process, self.limits = worker, worker.process, worker.limits
        self.most, self.deadline, self.alone = cpu, worker.deadline, alone
        self.begun = worker.cpu()
        self.waited_before = worker.waited
        self.last_look = (time.monotonic(), self.begun, self.process.waiting())

    def __call__(self) -> None:
        now, cpu = time.monotonic(), self.worker.cpu()
        if now > self.deadline:
            raise Stopped("total", "Stopped: the time for the whole notebook is used up.")
        if self.alone and self.process.count() > 1:
            raise Stopped("processes", "Stopped: while time or memory is measured, no other process may run.")
        if cpu - self.begun > self.most:
            raise Stopped("time", f"Stopped after {self.most:g} seconds of computing.")
        self._count_waiting(now, cpu)
        used = self.process.resident() + self.process.kept()
        number = self.process.count()  # after that: whoever was born in between has its share
        if used > self.process.begin * number + self.limits.memory:
            raise Stopped("memory", f"Stopped: more than {self.limits.memory // MB} MB of memory were used.")
        if number > self.limits.processes:
            raise Stopped("processes", f"Stopped: more than {self.limits.processes} processes were running.")

    def _count_waiting(self, now: float, cpu: float) -> None:
        """Add the time in which the submission was idle. Waiting for a processor, as on a busy machine, does not count.

        Only the longest wait of any thread is deducted, since many threads could wait for each other. The kernel records a wait
        when it ends, so time counted as idle during the wait is then deducted again.
        """
        (then, before, queued), worker = self.last_look, self.worker
        if now - then < _LOOK:
            return
        self.last_look = now, cpu, self.process.waiting()
        starved = max(
            (seconds - queued.get(thread, seconds) for thread, seconds in self.last_look[2].items()), default=0.0
        )
        computed = min(max(0.0, cpu - before), now - then)
        worker.waited = max(self.waited_before, worker.waited + (now - then) - computed - starved)
        if worker.waited - self.waited_before > self.limits.idle or worker.waited > worker.may_wait:
            raise Stopped(
                "idle", f"Stopped after {self.limits.idle:g} seconds of waiting in which nothing was computed."
            )
