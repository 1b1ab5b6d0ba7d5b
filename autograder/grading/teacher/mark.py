"""``autograder mark``: a local server with the page for marking, which only the printed address opens."""

import contextlib
import os
import secrets
from urllib.parse import quote

from autograder.grading.course import Course
from autograder.grading.gradebook.marking import questions

#: The extensions of the server: the page, and formgrader, which shows whole hand-ins.
EXTENSIONS = {"autograder.nbgrader_plugins.server_extension": True, "nbgrader.server_extensions.formgrader": True}


def mark(course: Course, assignment: str, browser: bool, port: int | None, allow_root: bool) -> int:
    """Serve the page of an assignment until Ctrl-C, and open it in the browser.

    Raises LookupError if the gradebook does not have the assignment, and ValueError if it has no written question, or if root
    starts the server without ``allow_root``.
    """
    from jupyter_server.serverapp import ServerApp

    to_mark = questions(course, assignment)
    if not to_mark:
        raise ValueError(f"{assignment} has no written question to mark.")
    if getattr(os, "geteuid", lambda: 1)() == 0 and not allow_root:
        raise ValueError(
            "You are root here, as in many containers, and a server starts for root only with an option: "
            f"autograder mark {assignment} --allow-root"
        )
    token, steps = secrets.token_urlsafe(32), [assignment]
    if len(to_mark) == 1:  # there is nothing to choose
        steps.append(to_mark[0].cell)
    page = "/".join(["marking", *(quote(step, safe="") for step in steps)])
    settings = {  # before those of a configuration file, which may know no token, or let other machines in
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.allow_remote_access": False,
        "ServerApp.root_dir": str(course.root),
        "ServerApp.default_url": f"/{page}",
        "ServerApp.open_browser": browser,
        "ServerApp.allow_root": allow_root,
        "ServerApp.answer_yes": True,
        "ServerApp.terminals_enabled": False,
        "ServerApp.jpserver_extensions": EXTENSIONS,
        "IdentityProvider.token": token,
        "Application.log_level": "WARN",
    }
    if port is not None:
        settings["ServerApp.port"] = port
    with contextlib.chdir(course.root):  # where nbgrader looks for its settings
        server = ServerApp.instance()
        server.initialize([f"--{name}={value}" for name, value in settings.items()], find_extensions=False)
        message = f"mark: {server.connection_url}{page}?token={token}\nCtrl-C ends it."
        server.io_loop.add_callback(print, message, flush=True)  # when it listens
        server.start()
    return 0
