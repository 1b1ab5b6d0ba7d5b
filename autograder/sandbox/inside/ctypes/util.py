"""A part that libraries import by name: it has what the whole has."""

import sys

sys.modules[__name__].__class__ = type(sys.modules["ctypes"])
