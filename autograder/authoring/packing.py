"""Pack known answers and references, one file per lesson, for the wheel and the bundle that students install."""

from collections.abc import Callable, Mapping
from importlib import util
from pathlib import Path, PurePosixPath
from typing import TypeVar

from setuptools.command.build_py import build_py

try:
    from autograder.content import packed
except ModuleNotFoundError:  # pip builds with nothing but setuptools on its path
    _spec = util.spec_from_file_location("answers_pack", Path(__file__).resolve().parents[1] / "content" / "packed.py")
    assert _spec is not None and _spec.loader is not None  # noqa: PT018 a Python file always has both
    packed = util.module_from_spec(_spec)
    _spec.loader.exec_module(packed)

_Data = TypeVar("_Data", bytes, Path)

#: The lessons' folder, by its path in a checkout or in an installed package.
LESSONS = "autograder/lessons"


def split_packed(files: Mapping[str, _Data], read: Callable[[_Data], str]) -> tuple[dict[str, _Data], dict[str, bytes]]:
    """Return the files that remain unpacked, and the packs that replace the others, both by path.

    ``files`` are by path, beginning with ``autograder/``; ``read`` returns the text of one of them.
    """
    unpacked: dict[str, _Data] = {}
    texts: dict[str, dict[str, str]] = {}
    for path, data in files.items():
        parts = PurePosixPath(path).relative_to(LESSONS).parts if path.startswith(f"{LESSONS}/") else ()
        name = "/".join(parts[1:])
        if packed.is_packed(name):
            texts.setdefault(parts[0], {})[name] = read(data)
        else:
            unpacked[path] = data
    return unpacked, {f"{LESSONS}/{lesson}/{packed.NAME}": packed.pack(of_one) for lesson, of_one in texts.items()}


class BuildPacked(build_py):
    """setuptools' step that copies the package's files: packed for a wheel, unpacked for a checkout."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        root = Path(self.build_lib)
        files = {path.relative_to(root).as_posix(): path for path in (root / LESSONS).rglob("*") if path.is_file()}
        unpacked, packs = split_packed(files, lambda path: path.read_text(encoding="utf8"))
        for name in files.keys() - unpacked.keys():
            files[name].unlink()
        for name, data in packs.items():
            (root / name).write_bytes(data)
