"""Inside the sandbox: a process that has loaded PyTorch, holds no secret, and forks a fresh worker for every submission.

Started as ``python -m autograder.sandbox.inside.zygote FD``. On the socket FD it receives one-byte messages, each with the socket
of a new worker. A worker enters its own namespaces, so it can reach neither this process nor the worker of another submission.
"""

import gc
import os
import signal
import socket
import sys

from autograder.sandbox import namespaces

#: Imported once, before any fork. No PyTorch operation may run here: it would start threads, and threads do not survive a fork.
PRELOAD = (
    "torch",
    "numpy",
    "IPython.core.interactiveshell",
    "IPython.utils.capture",
    "matplotlib.figure",
    "matplotlib_inline.backend_inline",
    "matplotlib.backends.backend_agg",
    "matplotlib.pyplot",
    "course_lib.devices",
    "course_lib.plots",
    "autograder.judging.local",
    "autograder.sandbox.inside.worker",
    "autograder.sandbox.inside.shell",
    "json",
    "asyncio",
)


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    _preload()
    namespaces.hide_from_others()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps finished children
    gc.collect()
    gc.freeze()  # keeps a collection in a child from touching, and so copying, shared pages
    control.sendall(b"ready")
    while True:
        data, files, _, _ = socket.recv_fds(control, 1, 1)
        if not data:
            return
        for number in files:
            if os.fork() == 0:
                _become_worker(number)
            os.close(number)


def _preload() -> None:
    for name in PRELOAD:
        __import__(name)


def _become_worker(number: int) -> None:
    """Never return: this process only waits for process 1 of the new namespace, which serves the submission."""
    status = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        namespaces.close_all_but(number)
        namespaces.die_with_parent()
        namespaces.enter(int(os.environ["SANDBOX_DISK"]), os.environ["SANDBOX_KEEP"].split(os.pathsep)[:-1])
        child = os.fork()
        if child == 0:
            _serve(number)
        os.close(number)
        namespaces.hide_from_others()
        namespaces.give_up_privileges()
        os.waitpid(child, 0)
        status = 0
    except BaseException as error:
        os.write(2, f"worker: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


def _serve(number: int) -> None:
    from autograder.sandbox.inside import worker

    status = 1
    try:
        namespaces.die_with_parent()
        namespaces.give_up_privileges()
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        worker.main(number)
        status = 0
    except BaseException as error:
        os.write(2, f"worker: {type(error).__name__}: {error}\n".encode())
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
