"""Inside the sandbox: a process that has loaded PyTorch, holds no secret, and forks a fresh worker for every submission.

Started as ``python -m autograder.sandbox.inside.zygote FD``. On the socket FD it receives the settings of new workers, each with
the worker's socket. A worker enters its own namespaces, so it can reach neither this process nor another submission's worker. All
protection is in place before the worker's first message, and any error in setting it up ends the worker.
"""

import contextlib
import gc
import linecache
import os
import pkgutil
import signal
import socket
import sys
from importlib import util
from typing import Any

from autograder.runtime.blocked import calls
from autograder.sandbox.inside import c_library, namespaces, protocol

#: Imported once, before any fork. No PyTorch operation may run here: it would start threads, and threads do not survive a fork.
PRELOAD = (
    "torch",
    "torch.nested._internal.ops",
    "torch.onnx.ops",  # with torch.ao.nn.quantizable
    "torch._decomp.decompositions_for_jvp",  # for derivatives in forward mode; no worker can load this later, nor the next
    "torch.masked.maskedtensor._ops_refs",
    "torch._inductor",  # PyTorch loads it for a triangle on the device "meta", which takes a second: not once a submission
    "numpy",
    "scipy.special",
    "sklearn.datasets",
    "sklearn.cluster",
    "joblib",  # with the table of the machine, in each lesson's first cell
    "stack_data",  # with the first traceback of a cell, as are the next two
    "pydoc",
    "pygments.formatters.terminal256",
    "IPython.core.interactiveshell",
    "IPython.core.application",
    "IPython.core.completerlib",
    "IPython.core.magics.ast_mod",  # this and the next two are loaded on first use
    "IPython.core.magics.execution",
    "IPython.core.magics.script",
    "IPython.utils.capture",
    "matplotlib.figure",
    "matplotlib_inline.backend_inline",
    "matplotlib.backends.backend_agg",
    "matplotlib.pyplot",
    "course_lib.devices",
    "course_lib.layers",
    "course_lib.plots",
    "course_lib.predictions",
    "course_lib.training",
    "autograder.runtime.local",
    "autograder.sandbox.inside.worker",
    "autograder.sandbox.inside.shell",
    "json",
    "asyncio",
)
#: Not every supported version of PyTorch has these, and not every lesson may use scikit-learn.
_IF_THERE = (
    *("torch.nested._internal.ops", "torch.onnx.ops", "torch._inductor", "torch._decomp.decompositions_for_jvp"),
    *("torch.masked.maskedtensor._ops_refs", "scipy.special", "sklearn.datasets", "sklearn.cluster"),
    "IPython.core.magics.ast_mod",
)


_LONGEST = 2**16  # bytes of a worker's settings
_LIBRARY = "/inside/course_lib/"
_PROGRAM = "/inside/system_calls"


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    if os.environ["SANDBOX_USER"]:
        os.chmod("/tmp", 0o1777)
        namespaces.become(int(os.environ["SANDBOX_USER"]))
    gc.disable()  # what is imported stays; looking for garbage among it takes half a second
    _preload()
    ready_shell = _new_shell()
    namespaces.hide_from_others()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps finished children
    gc.freeze()  # keeps a collection in a child from touching, and so copying, shared pages
    gc.enable()
    control.sendall(b"ready")
    while True:
        data, files, _, _ = socket.recv_fds(control, _LONGEST, 1)
        if not data:
            return
        _find_what_is_forbidden(data)
        for number in files:
            if os.fork() == 0:
                _become_worker(number, data, ready_shell)
            os.close(number)


def _preload() -> None:
    from autograder.sandbox.inside import lockdown

    for name in PRELOAD:
        if name not in _IF_THERE or _is_there(name):
            __import__(name)
    for module in pkgutil.iter_modules(sys.modules["course_lib.layers"].__path__, "course_lib.layers."):
        __import__(module.name)
    calls.written_in_python()
    c_library.forget_copies()
    linecache.clearcache()  # which would keep the texts of files that a worker cannot read
    lockdown.forget_graphs()


def _new_shell() -> Any:
    """Create the shell for a worker's cells before the fork: this takes a third of a worker's start."""
    from autograder.sandbox.inside import shell

    return shell.prepare()


def _is_there(name: str) -> bool:
    try:
        spec = util.find_spec(name)
        return spec is not None and spec.origin is not None  # a folder without a module is none
    except ModuleNotFoundError:  # nor the package that it belongs to
        return False


def _find_what_is_forbidden(data: bytes) -> None:
    """Resolve the forbidden objects once, here, for all workers with the same settings, which inherit the result."""
    from autograder.sandbox.inside import lockdown

    settings = protocol.from_bytes(data)
    with contextlib.suppress(Exception):  # a worker meets the error again, says so and ends; the parent must go on
        lockdown.hidden(settings.forbid, settings.lesson, _LIBRARY)
        lockdown.kernels(settings.forbid)


def _become_worker(number: int, data: bytes, ready_shell: Any) -> None:
    """Become a worker. Never returns: this process only waits for process 1 of the new namespace, which does the work."""
    from autograder.sandbox.inside import lockdown

    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        namespaces.close_all_but(number)
        namespaces.die_with_parent()
        settings = protocol.from_bytes(data)
        keep = os.environ["SANDBOX_KEEP"].split(os.pathsep)[:-1]
        hide = lockdown.hidden(settings.forbid, settings.lesson, _LIBRARY)
        namespaces.enter(int(os.environ["SANDBOX_DISK"]), keep, hide)
        child = os.fork()
        if child == 0:
            _serve(number, settings, ready_shell)
        os.close(number)
        namespaces.hide_from_others()
        namespaces.give_up_privileges()
        os.waitpid(child, 0)
        status = 0
    except BaseException as error:
        os.write(2, f"worker: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def _serve(number: int, settings: protocol.SetUp, ready_shell: Any) -> None:
    from autograder.sandbox.inside import worker

    status = 1
    try:
        namespaces.die_with_parent()
        namespaces.give_up_privileges()
        os.setsid()
        with open(f"{_PROGRAM}{'-alone' if settings.measures else ''}.bpf", "rb") as file:
            program = file.read()
        ready = worker.prepared(number, settings, program, ready_shell)
        _silence_standard_streams()
        ready.serve()
        status = 0
    except BaseException as error:
        os.write(2, f"worker: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def _silence_standard_streams() -> None:
    """Redirect the standard streams to /dev/null, so that a student's code cannot write to the grader's log."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)


if __name__ == "__main__":
    main()
