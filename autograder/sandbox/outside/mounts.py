"""The mounts of the sandbox: folders of the system and of Python, the course library, and two folders of the autograder."""

import functools
import os
import platform
import sys
import sysconfig
from collections.abc import Iterator
from importlib import util
from pathlib import Path

from autograder.runtime.blocked.source import STORES, allowed, top_level_modules

INSIDE = "/inside"

#: The only folders of the autograder that exist inside: no check, no known answer, no reference, no score.
FOLDERS = ("runtime", "sandbox/inside")
#: And the files that make packages of what lies above them.
PACKAGES = ("__init__.py", "sandbox/__init__.py")

#: Hidden wherever they are installed: they are shown elsewhere, or not at all.
OUR_OWN = ("autograder", "course_lib")

#: How deep below a visible folder libraries are looked for.
_DEEPEST = 8

#: Where the file of scikit-learn that course_lib.data reads can be seen, though the library itself cannot be imported.
DIGITS = f"{INSIDE}/digits.csv.gz"

_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")


class SandboxMissing(Exception):
    """The sandbox cannot be set up on this machine."""


def mounts(libraries: tuple[str, ...] | None = None) -> Iterator[tuple[str, ...]]:
    """Yield bubblewrap's options for what is visible. Of Python's libraries that is everything if ``libraries`` is None."""
    from course_lib.data.digits import file  # loads PyTorch

    for path in _SYSTEM:
        yield ("--ro-bind-try", path, path)
    for tree in trees():
        yield ("--ro-bind", str(tree), str(tree))
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
    yield ("--ro-bind", str(_folder_of("course_lib")), f"{INSIDE}/course_lib")
    if (data := file()) is not None:
        yield ("--ro-bind", str(data), DIGITS)


def program(kind: str, machine: str = "") -> Path:
    """Return the file with the system calls that a worker may not make (:mod:`autograder.authoring.system_calls`)."""
    path = Path(__file__).with_name("system_calls") / f"{machine or platform.machine()}{kind}.bpf"
    if not path.is_file():
        known = ", ".join(file.stem for file in path.parent.glob("*[0-9].bpf"))
        raise SandboxMissing(
            f"There is no sandbox for machines of the kind {platform.machine()}. Expected one of: {known}."
        )
    return path


def trees() -> list[Path]:
    """Return the folders of Python and of the environment, except those of the system."""
    found: list[Path] = []
    for path in map(Path, (sys.base_prefix, sys.prefix, sysconfig.get_path("purelib"))):
        if not any(path.is_relative_to(other) for other in (Path("/usr"), *found)):
            found.append(path)
    return found


def _all_libraries() -> Iterator[tuple[str, ...]]:
    """Hide what is visible and must not be: the installed autograder, and the library, which is shown elsewhere."""
    for folder in map(_folder_of, OUR_OWN):
        if any(folder.is_relative_to(tree) for tree in (*trees(), Path("/usr"))):
            yield ("--tmpfs", str(folder))
            yield ("--remount-ro", str(folder))


def _chosen(libraries: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Empty every folder with libraries, and show in it only what an exercise with these ``libraries`` may use."""
    shown = {
        Path(str(each.locate_file(top)))
        for each in allowed(libraries).values()
        for top in top_level_modules(each) - {*OUR_OWN}
    }
    shown = {path.parent.resolve() / path.name for path in shown if path.exists()}
    for store in _stores():
        yield ("--tmpfs", str(store))
        for path in sorted(path for path in shown if path.parent == store):
            yield ("--ro-bind", str(path), str(path))
        yield ("--remount-ro", str(store))


@functools.cache
def _stores() -> list[Path]:
    """Return the folders with libraries of any Python in what is visible, and those with a package manager's environments."""
    found = {Path(tree, name).resolve() for tree in trees() for name in ("pkgs", "envs") if Path(tree, name).is_dir()}
    for root in (Path("/usr"), *trees()):
        for place, folders, _ in os.walk(root):
            at = Path(place)
            found |= {(at / name).resolve() for name in folders if name in STORES}
            deep = len(at.parts) - len(root.parts) >= _DEEPEST
            folders[:] = [] if deep else [name for name in folders if name not in (*STORES, "share", "include", "doc")]
    return sorted(store for store in found if not any(other in store.parents for other in found))


def _folder_of(package: str) -> Path:
    found = util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SandboxMissing(f"The package {package} is not installed beside the autograder.")
    return Path(found.submodule_search_locations[0]).resolve()
