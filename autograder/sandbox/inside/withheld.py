"""Inside: what stands for a library that an exercise may not import, where a cell or a helper module imports it at its top."""

import contextlib
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from autograder.runtime.blocked import libraries


class Withheld(ModuleType):
    """Stands for a library or anything in it. It can be imported and named; whoever uses it learns that it is not allowed."""

    def __getattr__(self, name: str) -> "Withheld":
        if name.startswith("__"):  # what Python itself asks of every object
            raise AttributeError(name)
        return Withheld(f"{self.__name__}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise libraries.failure(self.__name__)

    __mro_entries__ = __getitem__ = __iter__ = __call__


class _Finder(MetaPathFinder, Loader):
    """Finds every module that no other finder finds."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec:
        return ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Withheld(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: there is nothing in it."""


@contextlib.contextmanager
def standing_in() -> Iterator[None]:
    """Inside, a library that cannot be imported is stood for. Later, to import it fails again, as before."""
    finder = _Finder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name, module in sys.modules.items() if isinstance(module, Withheld)]:
            del sys.modules[name]
