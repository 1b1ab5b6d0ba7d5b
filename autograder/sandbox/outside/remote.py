"""Outside: the student whose code runs in the sandbox, measured from outside by the kernel's figures."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from torch import Tensor

from autograder.checks.timing import drawn_twice, same_result
from autograder.content import references
from autograder.content.lesson import Lesson
from autograder.runtime import measure, promises
from autograder.runtime.blocked.source import names_used
from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Budget, Options, Request, RequestBuilder, Response, StandIn, with_options
from autograder.sandbox.inside import protocol
from autograder.sandbox.limits import MB
from autograder.sandbox.outside.imports import found_in
from autograder.sandbox.outside.process import NotMeasured, Process
from autograder.sandbox.outside.session import Session
from autograder.sandbox.outside.worker import Stopped, Worker


def arguments(name: str, args: tuple, kwargs: Mapping[str, Any], packing: protocol.Packing) -> dict[str, Any]:
    packed = protocol.pack(args, packing, strided=True)
    return {"name": name, "args": packed, "kwargs": protocol.pack(dict(kwargs), packing, strided=True)}


class _Session(Protocol):
    """The session whose worker is timed."""

    def worker(self) -> Worker: ...

    def ask(
        self, op: str, header: dict[str, Any], packing: protocol.Packing | None = None, alone: bool = False
    ) -> Any: ...


def must_live(process: Process) -> None:
    """Raise Stopped if a process has ended: the kernel then reports nothing about it."""
    if process.ended():
        raise Stopped("ended", "The process ended during the call.")


def _timed(
    endpoint: "_Session | Worker", worker: Worker, name: str, inputs: tuple, kwargs: Mapping[str, Any]
) -> tuple[float, Any]:
    """Return the processor seconds of a worker for one call, as counted by the kernel, and the result."""
    packing = protocol.Packing()
    header = arguments(name, inputs, kwargs, packing)
    start = worker.process.cpu()
    reply, unpacking = endpoint.ask("call", header, packing, alone=True)
    spent = worker.process.cpu() - start
    must_live(worker.process)
    return spent, read_answer(name, reply, unpacking, packing, "value", protocol.value)


def read_answer(
    name: str,
    reply: Mapping[str, Any],
    unpacking: protocol.Unpacking,
    packing: protocol.Packing,
    key: str,
    read: Callable[[Any, protocol.Unpacking], Any],
) -> Any:
    """Return the result of ``read`` for the entry ``key`` of the reply to a request with its tensors in ``packing``.

    Raises the CheckFailure in the reply, or one if the answer is too large, and Stopped if the reply is invalid.
    """
    unpacking.bound(packing.size)
    try:
        if "failure" in reply:
            raise protocol.unpack_failure(reply["failure"], unpacking)
        return read(reply.get(key), unpacking)
    except protocol.TooLarge as error:
        raise CheckFailure("size", f"{name} returned {error}.", received=str(error)) from None
    except protocol.BadMessage as error:
        raise Stopped("garbled", f"The answer could not be read: {error}.") from None


#: Calls of a new process before the transfer of bytes is measured, calls that measure it, and the accuracy of that, as a share.
_COLD, _WARM, _KNOWN_TO = 4, 8, 0.25


class Race:
    """A submission's worker and a worker that runs only the reference, timed in turn on the same inputs and compared.

    ``reference``: its name, if it differs from the ``name`` of the exercise.
    """

    def __init__(self, session: _Session, rival: Worker, name: str, kwargs: Mapping[str, Any], reference: str = ""):
        self.session, self.rival, self.kwargs = session, rival, kwargs
        self.names = {False: name, True: reference or name}
        self.results: dict[bool, Any] = {}
        self.carrying: float | None = None

    def run(self, fresh: Callable[[], tuple], thresholds: Sequence[float], rounds: tuple[int, int]) -> measure.Ratio:
        """Return the ratio of the times, each without the time to transfer the bytes.

        The first calls of a new process take longer, so the transfer is measured after them. Its time is known only roughly: a
        much shorter time cannot be distinguished from 0, so every time counts as at least ``_KNOWN_TO`` of it. Otherwise a time
        near 0 would dominate the ratio.
        """

        def seconds(of_rival: bool) -> Callable[[tuple], float]:
            def timed(inputs: tuple) -> float:
                spent, self.results[of_rival] = self._call(of_rival, self.names[of_rival], inputs)
                self._compare()
                if self.carrying is None:  # after the first call: an answer that raises an error ends here at once
                    calls = [self._call(True, "echo", inputs)[0] for _ in range(_COLD + _WARM)]
                    self.carrying = min(calls[_COLD:])
                return max(spent - self.carrying, self.carrying * _KNOWN_TO, 1e-6)

            return timed

        return measure.compare_time(seconds(False), seconds(True), fresh, thresholds, rounds)

    def _call(self, of_rival: bool, name: str, inputs: tuple) -> tuple[float, Any]:
        """Return the processor seconds of one call, and its result."""
        worker = self.rival if of_rival else self.session.worker()
        return _timed(worker if of_rival else self.session, worker, name, inputs, self.kwargs)

    def _compare(self) -> None:
        """Compare the results once both have answered, in every round: a fast wrong answer must not pass."""
        if len(self.results) == 2:
            same_result(self.results[False], self.results[True], "while it was timed")
            self.results.clear()


#: Memory of a process that its tensors do not explain: pools of the memory allocator, which grow by doubling.
_MEMORY_NOISE = 12 * MB


def explained(measured: int, arguments: int) -> int:
    """Return the bytes that a process may use for tensors of ``measured`` bytes, given arguments that arrive meanwhile."""
    return measured * 3 // 2 + _MEMORY_NOISE + arguments


class RemoteStudent(RequestBuilder):
    """Answers requests through a :class:`Session`. ``sources`` maps each name to the source text that defines it.

    Once a request has been stopped, every later one fails immediately: an endless loop delays the class only once.
    """

    def __init__(self, session: Session, sources: Mapping[str, str], lesson: Lesson):
        self.session, self.sources, self.lesson = session, dict(sources), lesson
        self.forbid = lesson.forbidden
        self.stopped: CheckFailure | None = None
        self._searched: dict[str, CheckFailure | None] = {}  # by exercise: what the search of its source has found

    def file(self, name: str) -> bytes | None:
        """Return a file handed in with the notebook, as it was before any of the student's cells ran."""
        return self.session.files.get(name)

    def _new_budget(self) -> Budget:
        return self.session.search_budget()

    def _carry_out(self, request: Request) -> Response:
        packing = protocol.Packing()
        header = {"request": protocol.pack_request(request, packing)}

        def read(data: Any, unpacking: protocol.Unpacking) -> Response:
            answer, stand_ins = protocol.unpack_answer(data, unpacking, len(request.args)), iter(packing.stand_ins)
            pairs = zip(request.args, answer.args_after, strict=True)
            answer.args_after = tuple((isinstance(arg, StandIn) and next(stand_ins)) or after for arg, after in pairs)
            answer.breach = answer.breach or _changed_arguments(request, answer)
            return answer

        return self._ask("answer", request.name, header, packing, read, "answer")

    def timed(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            packing = protocol.Packing()
            header = arguments(name, args, kwargs, packing)
            return self._ask("call", name, header, packing, protocol.value, "value")

        return call

    def work_ratio(self, name: str, fresh: Callable[[], tuple], part: Options, whole: Options, limit: float) -> float:
        """Return the processor time of ``part`` divided by that of ``whole``, measured outside so that it cannot be forged."""

        def clocked(options: Options) -> Callable[[tuple], float]:
            def seconds(inputs: tuple) -> float:
                args, kwargs = with_options(inputs, options)
                spent, actual = _timed(self.session, self.session.worker(), name, args, kwargs)
                same_result(actual, references.answer_for(self.lesson, name, args, kwargs), "while it was timed")
                return spent

            return seconds

        with self._failures(name), self._forbidding(name), self.session.measuring("time"):
            return measure.compare_time(clocked(part), clocked(whole), fresh, [limit], rounds=(3, 25)).low

    def peak_memory(self, name: str, fresh: Callable[[], tuple], **kwargs: Any) -> int:
        """Return the worker's own measurement, which is exact, unless the kernel's for a second call is far larger; then that.

        The second call has other numbers, and its result must be right. Raises ValueError if ``fresh`` draws the same numbers.
        """
        args, others = drawn_twice(name, fresh)
        packings = protocol.Packing(), protocol.Packing()
        first, second = (
            arguments(name, *call) for call in zip((args, others), (kwargs, kwargs), packings, strict=True)
        )
        with self._failures(name), self._forbidding(name), self.session.measuring("memory"):
            measured = self._ask("memory", name, first, packings[0], protocol.number, "number", alone=True)
            process = self.session.worker().process
            try:
                process.watch_memory()
                actual = self._ask("call", name, second, packings[1], protocol.value, "value", alone=True)
                held = process.held()
            except NotMeasured:
                must_live(process)
                raise Stopped("memory", "Stopped: its memory cannot be measured.") from None
            must_live(process)
        same_result(actual, references.answer_for(self.lesson, name, others, kwargs), "while its memory was measured")
        return measured if held <= explained(measured, packings[1].size) else held

    def time_ratio(
        self,
        name: str,
        fresh: Callable[[], tuple],
        thresholds: Sequence[float],
        rounds: tuple[int, int],
        rival: str = "",
        /,
        **kwargs: Any,
    ) -> measure.Ratio:
        """Time the worker against one that runs only the reference.

        The processor time of each process is counted, as the kernel reports it, from the request to the last byte of the answer.
        The cost of transferring the bytes is measured with a function that only returns an argument.
        """
        with self._failures(name), self._forbidding(name), self.session.measuring("time"):
            rival_worker = self.session.start((), {}, "time")  # with no file of the submission
            try:
                text = references.source_of(self.lesson, [rival or name]) + "\ndef echo(*args, **_): return args[-1]\n"
                rival_worker.ask("run", {"text": text, "again": True})
                return Race(self.session, rival_worker, name, kwargs, rival).run(fresh, thresholds, rounds)
            finally:
                rival_worker.close()

    def forbidden_use(self, name: str) -> CheckFailure | None:
        if name not in self._searched:
            self._searched[name] = self._search(name)
        violation = self._searched[name]
        return replace(violation) if violation else None

    def _search(self, name: str) -> CheckFailure | None:
        try:
            with self._failures(name), self._forbidding(name):
                self.session.worker()  # so that it is known which names are plain data
        except CheckFailure:
            return None  # it is told when the exercise is asked
        return found_in(name, self.lesson, self.sources, self.session.carried, self.session.modules.get)

    def source(self, name: str) -> str:
        """Return the text of a function or class of the notebook, or "" if it cannot be found."""
        return self.sources.get(name, "") or ""

    def uses(self, exercise: str, names: Iterable[str]) -> list[str]:
        """Return those of ``names`` that ``exercise``, or a function that it calls, mentions; all if there is no source."""
        return names_used(exercise, list(names), lambda name: self.sources.get(name, ""))

    @contextlib.contextmanager
    def with_references(self, names: Iterable[str]) -> Iterator[None]:
        self.check_search_budget()
        chosen = list(dict.fromkeys((*self.session.replaced, *names)))  # those of an outer call stay replaced
        right = references.source_of(self.lesson, chosen)
        stopped, self.stopped = self.stopped, None
        try:
            with self._failures("the notebook"), self.session.with_references(chosen, right):
                yield
        finally:
            self.stopped = stopped

    def _ask(
        self,
        op: str,
        name: str,
        header: dict[str, Any],
        packing: protocol.Packing,
        read: Callable[[Any, protocol.Unpacking], Any],
        key: str,
        alone: bool = False,
    ) -> Any:
        with self._failures(name), self._forbidding(name):
            reply, unpacking = self.session.ask(op, header, packing, alone)
            if isinstance(printed := reply.get("printed"), str):
                print(printed[:2000], end="")
            return read_answer(name, reply, unpacking, packing, key, read)

    def _forbidding(self, name: str) -> contextlib.AbstractContextManager[None]:
        """Redirect requests to a worker for the exercise ``name``: it blocks forbidden functions, and has few libraries."""
        return self.session.forbidding(self.lesson.forbidden_in(name), self.lesson.libraries_in(name))

    @contextlib.contextmanager
    def _failures(self, name: str) -> Iterator[None]:
        """Turn the end of the process into a failure of the current check and of all later ones."""
        if self.stopped is not None:
            raise self.stopped
        try:
            yield
        except Stopped as stopped:
            self.stopped = _failure(name, stopped)
            raise self.stopped from None


def _changed_arguments(request: Request, answer: Response) -> CheckFailure | None:
    """Return the failure of a call that returned changed arguments although its process reports no change."""
    names = [f"argument {number}" for number in range(1, len(request.args) + 1)]
    before = [arg if _is_data(arg) else None for arg in request.args]
    after = [returned if _is_data(arg) else None for arg, returned in zip(request.args, answer.args_after, strict=True)]
    pairs = dict(zip(names, before, strict=True)), dict(zip(names, after, strict=True))
    return promises.breach(request.name, *pairs, False, request.may_change)


def _is_data(value: Any) -> bool:
    """Return whether this is a tensor, or plain data that returns unchanged from the sandbox."""
    if isinstance(value, tuple | list):
        return all(map(_is_data, value))
    if isinstance(value, dict):
        return all(type(key) is str and _is_data(item) for key, item in value.items())
    return value is None or type(value) in (Tensor, bool, int, float, str)


def _failure(name: str, stopped: Stopped) -> CheckFailure:
    endless = "never finishes"
    causes = {"time": endless, "idle": endless, "ended": "ends the process", "memory": "too much memory"}
    return CheckFailure(
        "crash",
        f"{name} gave no result. {stopped}",
        received=stopped.reason,
        cause=causes.get(stopped.reason, "stopped"),
        hint="The remaining checks of this exercise were not run.",
    )
