"""Inside: call C functions during the set-up of a worker, and make that impossible for the code that it runs afterwards.

Only ``_ctypes`` is used, the compiled half of ctypes. The other half, which defines fifty types and keeps the functions that it
has looked up, is never loaded beside an exercise (:mod:`ctypes` is a stand-in there).
"""

import _ctypes
import gc
import os
import sys
from collections.abc import Iterator

#: Whether :func:`forget` has been called in this process.
forgotten = False

#: Where CPython keeps, in every type, the functions that make its instances: ``tp_alloc`` and ``tp_new``, after a header.
_HEADER, _BASIC_SIZE, _MAKERS = object.__basicsize__ + 8, 8, (280, 288)
#: Where it keeps the functions and the set-up steps in the definition of a module: ``m_methods`` and ``m_slots``.
_CONTENT = (64, 72)


class NotAvailableHere(PermissionError):
    """Raised for something that works on a student's computer but not during grading."""


class _Word(_ctypes._SimpleCData):
    """A pointer, as an argument, a result, or at an address."""

    _type_ = "P"


class _Function(_ctypes.CFuncPtr):
    """A C function that returns an integer. Its arguments are integers, bytes, None and words."""

    _flags_ = _ctypes.FUNCFLAG_CDECL | 8  # FUNCFLAG_USE_ERRNO


class _ReturnsPointer(_ctypes.CFuncPtr):
    _flags_ = _ctypes.FUNCFLAG_CDECL
    _restype_ = _Word


def _address(name: str) -> int:
    return _ctypes.dlsym(_ctypes.dlopen(None, 0), name)  # type: ignore[arg-type]  # None is the program itself


def call(name: str, *arguments: int | bytes | None, operation: str = "") -> None:
    """Call a function of the C library. Raises OSError, which begins with ``operation``, if it does not return 0."""
    if _Function(_address(name))(*arguments) != 0:
        number = _ctypes.get_errno()
        raise OSError(number, f"{operation or name}: {os.strerror(number)}")


def try_to_call(name: str, *arguments: int | bytes | None) -> None:
    """Call a function of the C library, and ignore its result."""
    _Function(_address(name))(*arguments)


def address_of(content: bytes) -> int:
    """Return the address of the content of a bytes object: after its header, with a zero byte at the end."""
    return id(content) + bytes.__basicsize__ - 1


def clear_word(address: int) -> None:
    """Overwrite a pointer in memory with zeros."""
    _Word.from_address(address).value = None


def forget_copies() -> None:
    """Empty Python's copy of the content of ``_ctypes``, from which it would recreate the module. For the zygote, once."""
    for names in gc.get_referrers(_ctypes.dlsym):
        if isinstance(names, dict) and names is not vars(_ctypes):
            names.clear()


def forget() -> None:
    """Make it impossible to call a C function through ``_ctypes``, in this process or in those that it forks.

    Its types cannot be unloaded, and any code finds them among the subclasses of ``object``. So instantiating one of them, or of
    their metaclasses, raises MemoryError from now on, and a module that Python creates again from the same library is empty.
    """
    kinds = {*_kinds()}
    types = kinds | {type(kind) for kind in kinds} - {type}
    fails = _address("PyErr_NoMemory")
    definition = _ReturnsPointer(_address("PyModule_GetDef"))(_Word(id(_ctypes)))
    words: list[tuple[int, int | None]] = [(id(kind) + _HEADER + maker, fails) for kind in types for maker in _MAKERS]
    words += [(definition + offset, None) for offset in _CONTENT]
    sizes = {_Word.from_address(id(kind) + _HEADER + _BASIC_SIZE).value == kind.__basicsize__ for kind in types}
    if sizes != {True}:
        raise RuntimeError("This build of Python lays out its types differently.")
    views = [(_Word.from_address(address), value) for address, value in words]  # before none can be made any more
    for view, value in views:
        view.value = value
    global forgotten
    forgotten = True
    vars(_ctypes).clear()
    sys.modules["_ctypes"] = sys.modules["ctypes"]


def _kinds() -> Iterator[type]:
    """Yield the types of ``_ctypes`` for data and functions, and all types that inherit from them."""
    waiting = [_Word.__mro__[-2]]  # the base of all of them
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += kind.__subclasses__()
