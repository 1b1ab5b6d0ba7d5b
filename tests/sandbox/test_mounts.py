"""The sandbox sees what Python needs, and nothing that lies beside it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autograder.runtime.blocked import source
from autograder.sandbox.outside import bubblewrap, mounts

#: Where nbgrader keeps everybody's hand-ins, if nothing else is set.
EXCHANGE = Path("/usr/local/share/nbgrader/exchange")


def seen(path):
    """Return whether the sandbox of this interpreter shows a path, or something that contains it."""
    shown = {Path(at) for option, *paths in mounts.mounts(()) if option == "--ro-bind" for at in paths[-1:]}
    return not shown.isdisjoint({path, *path.parents})


def facts_of(python):
    """Return what an interpreter says of itself, as the names in ``mounts`` tell it."""
    text = "import sys, site, sysconfig; print(repr([sys.executable, sys.prefix, sys.base_prefix, sys.base_exec_prefix,"
    text += "{kind: sysconfig.get_path(kind) for kind in ('stdlib', 'platstdlib', 'purelib', 'platlib')},"
    text += "site.getsitepackages(), sys.path]))"
    return eval(subprocess.run([python, "-I", "-c", text], capture_output=True, text=True, check=True).stdout)


@pytest.fixture(
    params=["this", *(pytest.param(other, marks=pytest.mark.slow) for other in ("the system's", "environment"))]
)
def python(request, monkeypatch, tmp_path):
    """Let ``mounts`` be asked by this interpreter, by Debian's, or by an environment that is made of it."""
    if request.param != "this":
        found = "/usr/bin/python3"
        if not os.path.exists(found):
            pytest.skip("there is no /usr/bin/python3, whose mounts would be asked for")
        if request.param == "environment":
            subprocess.run([found, "-m", "venv", "--without-pip", tmp_path / "own"], check=True)
            found = str(tmp_path / "own" / "bin" / "python")
        executable, prefix, base, base_exec, paths, packages, path = facts_of(found)
        for name, value in {"executable": executable, "prefix": prefix, "base_prefix": base, "path": path}.items():
            monkeypatch.setattr(sys, name, value)
        monkeypatch.setattr(
            mounts.sysconfig, "get_path", lambda kind, vars=None: paths[kind] if not vars else paths["stdlib"]
        )
        monkeypatch.setattr(mounts.site, "getsitepackages", lambda: packages)
        assert base_exec == base
    # What is computed from these paths is kept, and must not be kept for the next test.
    kept = (mounts.visible, mounts._stores, source.allowed, source._modules, source.is_blocked)
    for function in kept:
        function.cache_clear()
    yield Path(sys.executable)
    monkeypatch.undo()
    for function in kept:
        function.cache_clear()


def test_hand_ins_and_courses_near_python_are_not_seen(python):
    for folder in (EXCHANGE, Path("/usr/local/share"), Path("/usr/share"), Path("/usr/bin"), Path("/etc")):
        assert not seen(folder)
    for prefix in {sys.prefix, sys.base_prefix}:
        for name in ("course", "share", "grading/submitted/neighbour", "bin/course"):
            assert not seen(Path(prefix, name))


def test_what_python_needs_is_seen(python):
    wanted = [os.path.realpath(python), mounts.sysconfig.get_path("stdlib") + "/os.py", "/etc/ld.so.cache"]
    for path in [*wanted, "/usr/share/fonts", "/usr/share/zoneinfo"]:
        assert seen(Path(path)) or not os.path.exists(path)
    libraries = subprocess.run(["ldd", python], capture_output=True, text=True, check=True).stdout
    for library in [word for word in libraries.split() if word.startswith("/")]:
        assert seen(Path(library)), library


@pytest.mark.sandbox
def test_python_starts_with_what_is_seen(python):
    """With bubblewrap alone, so that an interpreter without PyTorch can be tried too."""
    shown = [("--ro-bind", str(path), str(path)) for path in mounts.visible()]
    if os.path.realpath(python) != str(python):
        shown.append(("--symlink", os.path.realpath(python), str(python)))
    text = "import ctypes, ssl, sqlite3, zoneinfo, encodings.idna, os, sys; print(sys.prefix); print(os.path.exists(sys.argv[1]))"
    command = [
        bubblewrap.find(),
        "--unshare-all",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        *(word for words in shown for word in words),
    ]
    done = subprocess.run([*command, python, "-c", text, EXCHANGE], capture_output=True, text=True)
    assert done.stdout.split() == [sys.prefix, "False"], done.stderr


@pytest.mark.sandbox
def test_a_course_below_the_prefix_cannot_be_read(run):
    course = Path(sys.prefix, "course-below-the-prefix")
    course.mkdir()
    try:
        (course / "answer.txt").write_text("42")
        assert (
            run(f"import os\nprint(os.path.exists({str(course)!r}), os.path.exists('/usr/local/share/nbgrader'))")
            == "False False\n"
        )
    finally:
        shutil.rmtree(course)
