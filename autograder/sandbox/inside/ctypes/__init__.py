"""Beside an exercise: a stand-in for ctypes, which could call C functions and change memory.

PyTorch and other libraries import it and mention its types on every machine, but use it on few. So here its names exist, and
using one raises an error that it is not available.
"""

import os
import struct
import sys
from types import ModuleType
from typing import Any

from autograder.sandbox.inside import c_library
from autograder.sandbox.inside.c_library import NotAvailableHere

RTLD_LOCAL, RTLD_GLOBAL = os.RTLD_LOCAL, os.RTLD_GLOBAL


class ArgumentError(Exception):
    """Never raised: it exists for code that catches it."""


def _refuse(*_: Any, **__: Any) -> Any:
    """Return a stand-in while libraries are loaded, because SciPy creates pointers then; later, raise NotAvailableHere."""
    if not c_library.forgotten:
        return _named("nothing")
    raise NotAvailableHere("ctypes is not available while this lesson is graded.")


class _Kind(type):
    """Metaclass of the stand-ins: types that can be mentioned and inherited from, but not instantiated."""

    def __getattr__(cls, name: str) -> Any:
        return _named(name)

    def __mul__(cls, _: int) -> Any:
        return cls

    __rmul__ = __mul__
    __call__ = _refuse


def _named(name: str) -> Any:
    """Return a stand-in for a name in ctypes. Raises AttributeError for Windows-only names and probed attributes."""
    if name.lower().startswith(("__", "windll", "oledll", "winfunc", "winerror", "dtype")):
        raise AttributeError(name)
    return _Kind(name, (), {"__module__": "ctypes"})


def _kind_of(*_: Any, **__: Any) -> Any:
    return _named("_CFuncPtr")


#: Codes of the module struct for the types whose sizes libraries ask for; all others have the size of a pointer.
_CODES = {
    "c_bool": "?",
    "c_char": "c",
    "c_byte": "b",
    "c_ubyte": "b",
    "c_int8": "b",
    "c_uint8": "b",
    "c_wchar": "i",
    "c_short": "h",
    "c_ushort": "h",
    "c_int16": "h",
    "c_uint16": "h",
    "c_int": "i",
    "c_uint": "i",
    "c_int32": "i",
    "c_uint32": "i",
    "c_float": "f",
    "c_longdouble": "16s",
}


def sizeof(kind: type) -> int:
    return struct.calcsize(_CODES.get(kind.__name__, "P"))


CFUNCTYPE = PYFUNCTYPE = POINTER = _kind_of


def CDLL(name: str | None, mode: int = RTLD_LOCAL, *_: Any, **__: Any) -> None:
    """Load a library that PyTorch needs, without returning a handle to it. In a worker nothing is loaded."""
    import _ctypes

    getattr(_ctypes, "dlopen", _refuse)(name, mode)


class _StandIn(ModuleType):
    """A module that has every name, and is false: NumPy then does without ctypes."""

    def __getattr__(self, name: str) -> Any:
        return _named(name)

    def __bool__(self) -> bool:
        return False


sys.modules[__name__].__class__ = _StandIn
