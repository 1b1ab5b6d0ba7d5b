"""The mounts of the sandbox: folders of the system and of Python, the course library, and two folders of the autograder."""

import functools
import os
import platform
import re
import site
import sys
import sysconfig
from collections.abc import Iterator
from glob import glob
from importlib import util
from pathlib import Path

from autograder.runtime.blocked.source import STORES, allowed, top_level_modules
from course_lib.digits_file import digits_file

INSIDE = "/inside"

#: The only folders of the autograder that exist inside: no check, no known answer, no reference, no score.
FOLDERS = ("runtime", "sandbox/inside")
#: And the files that make packages of the folders above them.
PACKAGES = ("__init__.py", "sandbox/__init__.py")

#: Hidden wherever they are installed: they are shown elsewhere, or not at all.
OUR_OWN = ("autograder", "course_lib")

#: Maximum depth below a visible folder at which libraries are searched for.
_DEEPEST = 8

#: Where the file of scikit-learn that course_lib.data reads is visible, although the library itself cannot be imported.
DIGITS = f"{INSIDE}/digits.csv.gz"

#: System files beside the folders with libraries: the loader's configuration, and data that Python's libraries read.
_SYSTEM = (
    *("/lib64", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/usr/lib/locale", "/usr/local/share/fonts"),
    *(f"/usr/share/{name}" for name in ("ca-certificates", "fontconfig", "fonts", "locale", "matplotlib", "zoneinfo")),
)
_LOADER_CACHE = Path("/etc/ld.so.cache")

#: An environment's own folder of this name has no standard library in it.
_PYTHONS_OWN = {"platbase": sys.base_exec_prefix}

#: Libraries that call any function of any other.
_FOREIGN = ("cffi", "_cffi_backend")


class SandboxMissing(Exception):
    """The sandbox cannot be set up on this machine."""


def mounts(libraries: tuple[str, ...] | None = None) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for the visible files. All of Python's libraries are visible if ``libraries`` is None."""
    if (python := os.path.realpath(sys.executable)) != sys.executable:
        yield ("--symlink", python, sys.executable)  # the loader looks for libraries beside the file that it is
    for path in visible():
        yield ("--ro-bind", str(path), str(path))
    yield from _all_libraries() if libraries is None else _chosen(libraries)
    package = Path(__file__).parents[2]
    for kind in ("", "-alone"):
        yield ("--ro-bind", str(program(kind)), f"{INSIDE}/system_calls{kind}.bpf")
    for name in (*PACKAGES, *FOLDERS):
        yield ("--ro-bind", str(package / name), f"{INSIDE}/autograder/{name}")
    yield (
        "--ro-bind",
        str(package / "sandbox" / "inside" / "notebook_stub.py"),
        f"{INSIDE}/autograder/notebook/api.py",
    )
    if libraries is not None:  # else it is that of Python
        yield ("--ro-bind", str(package / "sandbox" / "inside" / "ctypes"), f"{INSIDE}/ctypes")
    yield ("--ro-bind", str(_folder_of("course_lib")), f"{INSIDE}/course_lib")
    if (data := digits_file()) is not None:
        yield ("--ro-bind", str(data), DIGITS)


def program(kind: str, machine: str = "") -> Path:
    """Return the file with the BPF program of blocked system calls (see :mod:`autograder.authoring.system_calls`)."""
    path = Path(__file__).with_name("system_calls") / f"{machine or platform.machine()}{kind}.bpf"
    if not path.is_file():
        machines = ", ".join(file.stem for file in path.parent.glob("*[0-9].bpf"))
        raise SandboxMissing(
            f"There is no sandbox for machines of the kind {platform.machine()}. Expected one of: {machines}."
        )
    return path


@functools.cache
def visible() -> list[Path]:
    """Return the visible files and folders of the system and of Python: only those that Python needs."""
    places = {*_SYSTEM, *_folders_of_loader(), *_files_of_python()}
    paths = {
        Path(spelling) for place in places for spelling in (place, os.path.realpath(place)) if os.path.exists(place)
    }
    return sorted(path for path in paths if not any(parent in paths for parent in path.parents))


def _folders_of_loader() -> Iterator[str]:
    """Yield the folders in which ld.so looks for libraries."""
    if _LOADER_CACHE.is_file():
        yield from {
            os.path.dirname(os.fsdecode(name)) for name in re.findall(rb"/[^\0]+\.so[^\0]*", _LOADER_CACHE.read_bytes())
        }


def _files_of_python() -> Iterator[str]:
    """Yield the interpreter, the standard library, the folders of installed libraries, and the shared libraries beside them."""
    yield os.path.realpath(sys.executable)
    yield os.path.join(sys.prefix, "pyvenv.cfg")
    yield from (sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib"))
    yield sysconfig.get_path("platstdlib", vars=_PYTHONS_OWN)
    yield from (path for path in site.getsitepackages() if path in sys.path)
    for prefix in {sys.prefix, sys.base_prefix}:
        # An environment of conda is a system of its own: all shared libraries lie there.
        shared = os.path.join(prefix, "lib")
        yield from [shared] if os.path.isdir(os.path.join(prefix, "conda-meta")) else glob(f"{shared}/libpython*.so*")


def _all_libraries() -> Iterator[tuple[str, ...]]:
    """Show all libraries, except the installed autograder and the course's library, which is mounted elsewhere."""
    for folder in map(_folder_of, OUR_OWN):
        if any(folder.is_relative_to(path) for path in visible()):
            yield ("--tmpfs", str(folder))
            yield ("--remount-ro", str(folder))


def _chosen(libraries: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Empty every folder with libraries, and show in it only those that an exercise with these ``libraries`` may use.

    Python's own compiled modules for testing its internals are hidden.
    """
    for module in glob(os.path.join(sysconfig.get_path("platstdlib", vars=_PYTHONS_OWN), "lib-dynload", "_*test*.so")):
        yield ("--ro-bind", os.devnull, module)
    permitted = {
        Path(str(distribution.locate_file(top)))
        for distribution in allowed(libraries).values()
        for top in top_level_modules(distribution) - {*OUR_OWN, *_FOREIGN}
    }
    permitted = {path.parent.resolve() / path.name for path in permitted if path.exists()}
    for store in _stores():
        yield ("--tmpfs", str(store))
        for path in sorted(path for path in permitted if path.parent == store):
            yield ("--ro-bind", str(path), str(path))
        yield ("--remount-ro", str(store))


@functools.cache
def _stores() -> list[Path]:
    """Return the visible folders with libraries of any Python, or with another Python's compiled modules."""
    own_modules, emptied = (
        Path(sysconfig.get_path("platstdlib", vars=_PYTHONS_OWN), "lib-dynload"),
        (*STORES, "lib-dynload"),
    )
    roots = {root.resolve() for root in visible() if not {"share", "etc"} & {*root.parts}}
    stores = {root for root in roots if root.name in STORES}
    for root in roots - stores:
        for place, folders, _ in os.walk(root):
            at = Path(place)
            stores |= {(at / name).resolve() for name in folders if name in emptied} - {own_modules.resolve()}
            deep = len(at.parts) - len(root.parts) >= _DEEPEST
            folders[:] = [] if deep else [name for name in folders if name not in (*emptied, "share", "include", "doc")]
    return sorted(store for store in stores if not any(outer in store.parents for outer in stores))


def _folder_of(package: str) -> Path:
    spec = util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SandboxMissing(f"The package {package} is not installed beside the autograder.")
    return Path(spec.submodule_search_locations[0]).resolve()
