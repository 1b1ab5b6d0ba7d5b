"""A JupyterHub with a teacher and two students, and nbgrader's exchange between them.

``hub.py PROXY ASSIGNMENT`` is run as root of a machine that has these users, whose homes hold the teacher's course and what each
student writes. The last line that it prints is JSON: what each command printed, and what the students see in JupyterLab.
"""

import http.client
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

#: The users of this machine, by name.
USERS = {"teacher": 70001, "ada": 70002, "bob": 70003}
STUDENTS = ("ada", "bob")
COURSE = "attention"
PORT, TOKEN = 18080, "a-token-of-this-test"
CONFIG = """
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {port} + 1
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{api}"
c.ConfigurableHTTPProxy.command = ["{proxy}"]
c.JupyterHub.db_url = "sqlite://"
c.JupyterHub.cookie_secret = bytes(range(32))
c.Spawner.cmd = ["{python}", "-m", "jupyterhub.singleuser"]
c.Spawner.start_timeout = 240
c.Spawner.http_timeout = 240
c.Spawner.environment = {{"PATH": "{path}"}}
c.JupyterHub.services = [{{"name": "test", "api_token": "{token}"}}]
scopes = ["admin:users", "admin:servers", "access:servers"]
c.JupyterHub.load_roles = [{{"name": "test", "scopes": scopes, "services": ["test"]}}]
"""


def ask(method: str, path: str, form: Mapping[str, str] | None = None) -> Any:
    """Ask the hub or a user's server, and return its answer."""
    data = urllib.parse.urlencode(form).encode() if form else None
    headers = {"Authorization": f"token {TOKEN}"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", data, headers, method=method)
    with urllib.request.urlopen(request, timeout=300) as answer:
        text = answer.read().decode()
    return json.loads(text) if text.startswith(("{", "[")) else text


def wait(path: str, seconds: float = 240) -> Any:
    """Ask until the answer is JSON, and return it. While a server starts, the hub answers in its place, with a page."""
    end, told = time.monotonic() + seconds, None
    while time.monotonic() < end:
        try:
            if not isinstance(answer := ask("GET", path), str):
                return answer
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError) as error:
            told = str(error)
        time.sleep(0.5)
    raise TimeoutError(f"No answer at {path} in {seconds:.0f} s: {told}")


def run_as(user: str, folder: str, *command: str) -> str:
    """Run a command as a user of the machine in a folder of their home, and return what it printed and its exit status."""
    home = Path("/home", user)
    done = subprocess.run(
        [Path(sys.executable).with_name(command[0]), *command[1:]] if command[0] != "cp" else command,
        cwd=home / folder,
        user=USERS[user],
        group=USERS[user],
        extra_groups=[],
        env=os.environ | {"HOME": str(home), "USER": user},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return f"{done.stdout}\nexit status {done.returncode}"


def of_student(student: str, assignment: str, action: str) -> Any:
    """Do what a click in the list of assignments does: fetch, submit or fetch_feedback."""
    form = {"course_id": COURSE, "assignment_id": assignment}
    return ask("POST", f"/user/{student}/assignments/{action}", form)


def story(assignment: str) -> dict[str, Any]:
    """Release, fetch, work, submit, collect, grade, and give back the pages."""
    told: dict[str, Any] = {"released": run_as("teacher", "course", "nbgrader", "release_assignment", assignment)}
    for student in STUDENTS:
        ask("POST", f"/hub/api/users/{student}")
        ask("POST", f"/hub/api/users/{student}/server")
        told[f"{student} sees"] = wait(f"/user/{student}/assignments?course_id={COURSE}")
        told[f"{student} fetches"] = of_student(student, assignment, "fetch")
        told[f"{student} works"] = run_as(student, "", "cp", "-r", "work/.", assignment)
        told[f"{student} submits"] = of_student(student, assignment, "submit")
    for name, command in {
        "collected": ("nbgrader", "collect", assignment),
        "graded": ("autograder", "grade", assignment, "--workers", "1"),
        "pages": ("nbgrader", "generate_feedback", assignment),
        "given back": ("nbgrader", "release_feedback", assignment),
    }.items():
        told[name] = run_as("teacher", "course", *command)
    for student in STUDENTS:
        told[f"{student} gets"] = of_student(student, assignment, "fetch_feedback")
    return told


def main(proxy: str, assignment: str) -> None:
    place = Path("/srv/jupyterhub")
    path = os.pathsep.join(
        [str(Path(sys.executable).parent), str(Path(shutil.which("node") or "").parent), os.environ["PATH"]]
    )
    values = {"port": PORT, "api": PORT + 2, "proxy": proxy, "python": sys.executable, "path": path, "token": TOKEN}
    (place / "jupyterhub_config.py").write_text(CONFIG.format(**values))
    with (place / "log").open("w") as log:
        program = [sys.executable, "-m", "jupyterhub", "-f", "jupyterhub_config.py"]
        hub = subprocess.Popen(program, cwd=place, env=os.environ | {"PATH": path}, stdout=log, stderr=log)
        try:
            wait("/hub/api/")
            told = story(assignment)
        except Exception:
            print((place / "log").read_text()[-8000:])
            raise
        finally:
            hub.terminate()
            hub.wait()
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
