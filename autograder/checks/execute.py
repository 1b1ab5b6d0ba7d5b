"""Execute a check on a student, and compare failures."""

import contextlib
import io
import math
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from autograder.checks import expect
from autograder.checks.inputs import Draw, Sizes
from autograder.checks.timing import drawn_twice, same_result
from autograder.content import references
from autograder.content.lesson import Lesson, mark_value, require_variant, takes_variant, variant_of
from autograder.runtime import measure
from autograder.runtime.errors import CheckFailure, PartialCredit, forget_calls, from_exception
from autograder.runtime.files import files_in
from autograder.runtime.limits import CheckTimeout
from autograder.runtime.local import LocalStudent
from autograder.runtime.state import known_torch_state, seeded_generators, tensors_of
from autograder.runtime.student import Exchange, Options, Request, Response, SearchTimeout, with_options

Check = Callable[..., None]

#: Characters of a student's printed output that are kept for each check.
_MOST_PRINTED = 10_000
_HERE = files_in(".")

#: Called at the beginning of each check, and of the search for causes, to show progress.
ON_CHECK: ContextVar[Callable[[], None]] = ContextVar("called at the beginning of each check", default=lambda: None)


@dataclass
class Execution:
    """The outcome of a check: error, output, last request and its response, broken promise, imprecision, measured values."""

    error: BaseException | None
    printed: str = ""
    exchange: Exchange | None = None
    breach: CheckFailure | None = None
    imprecise: CheckFailure | None = None
    measured: str = ""


def execute(check: Check, student: Any, seed: int) -> Execution:
    """Execute a check in a known state of PyTorch, unless the source of the answer uses a blocked function.

    The inputs are drawn from ``seed``. Raises only KeyboardInterrupt.
    """
    ON_CHECK.get()()
    student.last = student.breach = None
    printed, error, imprecisions = _Printed(), None, list[CheckFailure]()
    token, notes = expect.IMPRECISE.set(imprecisions), list[str]()
    measured = expect.MEASURED.set(notes)
    with known_torch_state(), suppress_output(printed):
        try:
            if (forbidden_use := student.forbidden_use(mark_value(check, "exercise"))) is not None:
                raise forbidden_use
            if takes_variant(check):
                require_variant(check, student.lesson)
            _call(check, student, seed, None)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:
            error = _as_verdict(raised, student)
        finally:
            expect.IMPRECISE.reset(token)
            expect.MEASURED.reset(measured)
    forget_calls(error)  # the errors of all checks of an exercise are held at once
    return Execution(
        error,
        printed.getvalue(),
        student.last,
        student.breach,
        imprecisions[0] if imprecisions else None,
        "" if error else "; ".join(notes),
    )


def call_check(check: Check, student: Any, seed: int, who: str | None = None) -> CheckFailure | None:
    """Call a check without isolation, with the numbers of the id ``who`` if given; return its failure, or None if it passes."""
    imprecisions = list[CheckFailure]()
    token = expect.IMPRECISE.set(imprecisions)
    with suppress_output():
        try:
            _call(check, student, seed, who)
        except Exception as error:
            return from_exception(_as_verdict(error, student))
        finally:
            expect.IMPRECISE.reset(token)
    return imprecisions[0] if imprecisions else None


def _call(check: Check, student: Any, seed: int, student_id: str | None) -> None:
    """Call a check with the arguments that it names: ``student``, ``sizes``, ``draw``, ``seed``, ``variant``.

    The global random generators are in the same state at its beginning, whatever ran before, and are restored afterwards.
    """
    arguments = {"student": student, "sizes": Sizes(), "draw": Draw(seed, check.__name__), "seed": seed}
    if takes_variant(check):
        arguments["variant"] = variant_of(check, student.student_id if student_id is None else student_id)
    parameters = check.__code__.co_varnames[: check.__code__.co_argcount]
    with seeded_generators(seed):
        check(**{name: arguments[name] for name in parameters})


def _as_verdict(error: BaseException, student: Any) -> BaseException:
    """Return the failure that an error of a check stands for.

    An unexpected error that the type of the last result explains becomes a failure about that type; any other stays as it is.
    """
    if not isinstance(error, Exception) or isinstance(error, CheckFailure | PartialCredit | CheckTimeout):
        return error
    last = student.last
    if last is None or last.failure is not None:
        return error
    right = _right_answer(last.request, student)
    try:
        yours, expected = _kind_of(last.value), "" if right is None else _kind_of(right.value)
    except Exception:  # an object of a class of the student's own, in their own notebook
        return error
    if yours == expected or (right is None and not _without_numbers(last.value)):
        return error
    return CheckFailure(
        "type",
        f"{last.request.name} returns a result of the wrong kind.",
        expected=expected or "numbers",
        yours=yours,
        received=f"{yours}: {type(error).__name__}: {' '.join(str(error).split())}"[:300],
        cause="a result of another kind",
        hint="Compare the two lines: the kind of result, its shape, and the dtype of its numbers.",
    )


def _right_answer(request: Request, student: Any) -> Response | None:
    """Return the answer of the references to a request; None if there is no lesson, or they cannot answer it."""
    try:
        lesson = student.lesson
        return NotebookStudent(references.namespace(lesson), lesson, deep=False).answer(request)
    except (Exception, SearchTimeout):
        return None


def _without_numbers(value: Any) -> bool:
    """Return whether a result holds a tensor without directly readable numbers: sparse, quantised, or on the meta device."""
    return any(x.is_meta or x.is_quantized or x.layout is not torch.strided for x in tensors_of(value))


#: Parts of a result that are described, and letters of the name of a class.
_MOST_PARTS, _LONGEST_NAME = 4, 100


def _kind_of(value: Any, depth: int = 2) -> str:
    """Describe a result by type, and tensors by shape, dtype and properties such as sparse or not finite."""
    if isinstance(value, Tensor):
        odd = [f"on {value.device}"] if value.device.type != "cpu" else []
        odd += ["sparse"] if value.layout is not torch.strided else []
        odd += ["not finite"] if not (odd or value.is_quantized) and not bool(value.detach().isfinite().all()) else []
        shape = f"shape {tuple(value.shape)}" if value.dim() else "one number"
        return ", ".join((f"a tensor, {shape}", str(value.dtype).removeprefix("torch."), *odd))
    if isinstance(value, tuple | list | dict) and depth:
        parts = list(value.values() if isinstance(value, dict) else value)
        described = "; ".join(_kind_of(part, depth - 1) for part in parts[:_MOST_PARTS])
        more = f"; and {len(parts) - _MOST_PARTS} more" if len(parts) > _MOST_PARTS else ""
        return f"a {type(value).__name__} of {len(parts)}" + (f" ({described}{more})" if parts else "")
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= _BEYOND_FLOATS:
        return "an int too large for a float"
    if isinstance(value, float) and not math.isfinite(value):
        return f"the float {value}"
    name = type(value).__name__[:_LONGEST_NAME]
    return "None" if value is None else f"{'an' if name[:1] in ('a', 'e', 'i', 'o', 'u') else 'a'} {name}"


_BEYOND_FLOATS = 2**1023


class _Printed(io.StringIO):
    """Keeps the beginning of the printed output."""

    def write(self, text: str) -> int:
        super().write(text[: max(0, _MOST_PRINTED - self.tell())])
        return len(text)


@contextlib.contextmanager
def suppress_output(printed: io.StringIO | None = None) -> Iterator[None]:
    """Capture printed output, and ignore warnings."""
    with (
        contextlib.redirect_stdout(_Printed() if printed is None else printed),
        contextlib.redirect_stderr(_Printed()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


class NotebookStudent(LocalStudent):
    """A student whose code runs in this process, with a lesson.

    Blocks the functions in ``forbid``, by default those that the ``lesson`` forbids. ``file`` reads a file handed in with the
    notebook; by default, from the current folder.
    """

    def __init__(
        self,
        namespace: dict[str, Any],
        lesson: Lesson | None = None,
        forbid: tuple[str, ...] | None = None,
        deep: bool = True,
        file: Callable[[str], bytes | None] = _HERE,
    ):
        if forbid is None:
            forbid = lesson.forbidden if lesson else ()
        super().__init__(namespace, forbid, deep, file)
        self._lesson = lesson

    @property
    def lesson(self) -> Lesson:
        if self._lesson is None:
            raise TypeError("Checks and right versions are a lesson's. Expected NotebookStudent(namespace, lesson).")
        return self._lesson

    @contextlib.contextmanager
    def with_references(self, names: Iterable[str], right: Mapping[str, Any] | None = None) -> Iterator[None]:
        """Replace the student's exercises with those in ``right``, by default the references."""
        with super().with_references(names, references.namespace(self.lesson) if right is None else right):
            yield

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
        """Measure the student's function against the reference."""
        call, ready = self.timed(name), references.reference_for(self.lesson, rival or name)
        return measure.time_ratio(
            lambda *x: call(*x, **kwargs), lambda *x: ready(*x, **kwargs), fresh, thresholds, rounds
        )

    def work_ratio(self, name: str, fresh: Callable[[], tuple], part: Options, whole: Options, limit: float) -> float:
        ratio = super().work_ratio(name, fresh, part, whole, limit)
        inputs = fresh()
        for options in (part, whole):
            args, kwargs = with_options(inputs, options)
            right = references.answer_for(self.lesson, name, args, kwargs)
            same_result(self.call(name, *args, **kwargs), right, "after its operations were counted")
        return ratio

    def peak_memory(self, name: str, fresh: Callable[[], tuple], **kwargs: Any) -> int:
        args, _ = drawn_twice(name, fresh)
        peak, result = self._peak_and_result(name, args, kwargs)
        same_result(result, references.answer_for(self.lesson, name, args, kwargs), "while its memory was measured")
        return peak

    def _forbidden(self, exercise: str) -> tuple[str, ...]:
        return self._lesson.forbidden_in(exercise) if self._lesson else self.forbid

    def _libraries(self, exercise: str) -> tuple[str, ...] | None:
        return self._lesson.libraries_in(exercise) if self._lesson else None

    def _others(self) -> Sequence[str]:
        return self._lesson.exercises if self._lesson else ()


def same_failure(a: CheckFailure, b: CheckFailure) -> bool:
    """Return whether two failures agree in their kind, inputs, location and wrong result."""
    if (a.kind, a.setting) != (b.kind, b.setting):
        return False
    if a.message.partition(" in line ")[0] != b.message.partition(" in line ")[0]:
        return False
    if isinstance(a.received, Tensor) and isinstance(b.received, Tensor):
        return a.received.shape == b.received.shape and equal(a.received, b.received)
    return bool(a.received == b.received)


def equal(a: Tensor, b: Tensor) -> bool:
    """Return whether two results are equal up to the rounding differences between two implementations of one mistake."""
    if a.dtype == b.dtype:  # what follows takes seconds for a large mask
        same = torch.equal(a, b)
        if same or a.dtype is torch.bool:
            return same
    a, b = a.double(), b.double()
    if not (_of_float32(a) and _of_float32(b)):
        return torch.allclose(a, b, rtol=1e-6, atol=1e-9, equal_nan=True)
    size = float(a.abs().nan_to_num(0, 0, 0).max()) if a.numel() else 0.0
    # Where the result is 0, rounding may leave a number such as 2^-58.
    return torch.allclose(a, b, rtol=1e-4, atol=max(1e-4 * min(size, 1.0), 1e-9), equal_nan=True)


def _of_float32(x: Tensor) -> bool:
    """Return whether all numbers are representable in float32, whatever their dtype."""
    return torch.equal(x.nan_to_num(), x.float().double().nan_to_num())
