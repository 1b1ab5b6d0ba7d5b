"""A submodule that libraries import by name, with the names of the whole package."""

import sys

sys.modules[__name__].__class__ = type(sys.modules["ctypes"])
