"""Known answers and references of an installed package: packed into one file per lesson, and unpacked only in memory.

A search for ``def softmax``, or an assistant that reads the folder, finds nothing there. This is no protection: anyone can unpack
the file on purpose. A checkout has the files as the author writes them, and no pack.
"""

import functools
import json
import re
import sys
import zlib
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

NAME = "answers.pack"

#: Matches the files to pack, by their path in a lesson's folder: known answers, and modules with right answers.
_PACKED = re.compile(r"answers/\w+\.diff|references\.py|reference_\w+\.py")


def is_packed(name: str) -> bool:
    """Return whether a file of a lesson, given by its path in the lesson's folder, belongs in the pack."""
    return _PACKED.fullmatch(name) is not None


def pack(files: Mapping[str, str]) -> bytes:
    """Return the content of a pack from texts by their paths in the lesson's folder."""
    return zlib.compress(json.dumps(dict(sorted(files.items())), ensure_ascii=False).encode("utf8"), 9)


def unpack(data: bytes) -> dict[str, str]:
    """Return the texts in a pack by their paths. Raises ValueError if it is damaged."""
    try:
        return dict(json.loads(zlib.decompress(data)))
    except (zlib.error, ValueError, TypeError) as error:
        raise ValueError(f"a pack of known answers is damaged ({error}); install the course again") from None


@functools.cache
def texts_in(folder: Path) -> Mapping[str, str]:
    """Return the texts in the pack of a lesson's folder; empty in a checkout, which has no pack."""
    path = folder / NAME
    return unpack(path.read_bytes()) if path.is_file() else {}


def read_text(path: Path, folder: Path) -> str | None:
    """Return the text of a lesson's file, from its path or from the pack of ``folder``; None if it is in neither."""
    if path.is_file():
        return path.read_text(encoding="utf8")
    return texts_in(folder).get(path.relative_to(folder).as_posix())


class PackedModules(MetaPathFinder):
    """Finds packed modules of lessons, such as ``references``, if Python has found no file."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        name = f"{fullname.rpartition('.')[2]}.py"
        if not path or not is_packed(name):
            return None
        for folder in map(Path, path):
            if name in texts_in(folder):
                return spec_from_file_location(fullname, folder / name, loader=_FromPack(folder, name))
        return None


class _FromPack(Loader):
    """Runs a packed module. It provides no source, so a traceback shows none of its lines."""

    def __init__(self, folder: Path, name: str):
        self.folder, self.name = folder, name

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(texts_in(self.folder)[self.name], str(self.folder / self.name), "exec"), vars(module))


def find_packed_modules() -> None:
    """Let Python import packed modules. Calling it again changes nothing."""
    if not any(isinstance(finder, PackedModules) for finder in sys.meta_path):
        sys.meta_path.append(PackedModules())
