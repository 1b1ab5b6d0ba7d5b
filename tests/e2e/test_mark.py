"""``autograder mark``: the pages in a server and a browser, and marks on their way into exports and feedback."""

import csv
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

import pytest
from lab import browser, wait_for
from whole_way import run

from autograder.authoring.lay_out import folder_of, lay_out, nbgrader
from autograder.cli.main import main
from autograder.content import notebook as notebooks
from autograder.grading.course import Course
from autograder.grading.gradebook.marking import answers

ASSIGNMENT, CELL = "01-attention", "written-scaling"
TOKEN = "a-token"
SCRIPT = "<script>document.title='attacked'</script>It saturates"


@pytest.fixture(scope="module")
def course(root, tmp_path_factory):
    """A class of three, two of whom wrote the same. Checks are left out: only what a person marks matters here."""
    place = tmp_path_factory.mktemp("course")
    lay_out(Course(root), place, [ASSIGNMENT], release=False)
    notebook = notebooks.read(root / "solutions" / ASSIGNMENT / "attention.ipynb")
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    (place / "solutions" / ASSIGNMENT / "attention.ipynb").write_text(json.dumps(notebook), encoding="utf8")
    nbgrader(place, "generate_assignment", ASSIGNMENT)
    for student, text in {"ada": SCRIPT, "ben": f"{SCRIPT}.", "cyd": "To normalise"}.items():
        released = notebooks.read(place / "assignments" / ASSIGNMENT / "attention.ipynb")
        for cell in released["cells"]:
            if notebooks.grade_id(cell).startswith("written"):
                cell["source"] = text
        (folder_of(Course(place), student, ASSIGNMENT) / "attention.ipynb").write_text(
            json.dumps(released), encoding="utf8"
        )
    run(place, "autograder", "grade", ASSIGNMENT)
    return place


@pytest.fixture(scope="module")
def address(course):
    """The address of the pages, from the command as a teaching assistant types it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--allow-root", f"--port={port}", f"--IdentityProvider.token={TOKEN}"]
    command = [sys.executable, "-P", "-m", "autograder", "mark", ASSIGNMENT, "--no-browser", *options]
    log = course / ".mark.log"
    with log.open("w", encoding="utf8") as file:
        server = subprocess.Popen(command, cwd=course, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
    wait_for(f"http://127.0.0.1:{port}/api", server, log)
    yield f"http://127.0.0.1:{port}/marking/{ASSIGNMENT}"
    os.killpg(server.pid, signal.SIGTERM)
    server.wait(60)


class Client:
    """What a browser sends, with its cookies."""

    def __init__(self, address, token=TOKEN):
        self.address, self.cookies = address, CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.cookies))
        self.query = f"?token={token}" if token else ""

    def get(self, path=""):
        with self.opener.open(f"{self.address}{path}{self.query}") as answer:
            return answer.read().decode(), answer

    def post(self, path, changes, xsrf=None):
        xsrf = next(one.value for one in self.cookies if one.name == "_xsrf") if xsrf is None else xsrf
        request = urllib.request.Request(
            self.address + path, json.dumps(changes).encode(), {"X-XSRFToken": xsrf, "Content-Type": "application/json"}
        )
        try:
            with self.opener.open(request) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())


OPEN = {"points": None, "comment": "", "open": True}


def change(grade, points=1.0, seen=OPEN):
    return {"grade": grade, "seen": seen, "new": {"points": points, "comment": "Why?", "open": False}}


def marked(course):
    return {one.student: (one.state.points, one.state.comment) for one in answers(Course(course), ASSIGNMENT, CELL)}


def grade_of(course, student):
    return next(one.grade for one in answers(Course(course), ASSIGNMENT, CELL) if one.student == student)


@pytest.mark.e2e
def test_without_the_token_there_is_no_page(address):
    page, answer = Client(address, "").get(f"/{CELL}")
    assert urllib.parse.urlsplit(answer.url).path == "/login"
    assert "saturates" not in page


@pytest.mark.e2e
def test_the_page_has_the_answers_as_text_and_names_are_hidden(address):
    page, answer = Client(address).get(f"/{CELL}")
    assert SCRIPT not in page
    assert "It saturates" in page
    assert "<b>2 students</b>" in page
    assert re.search(r'<span class="names" hidden>ada, ben</span>', page)
    assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]
    assert not re.search(r"""(src|href)=["']?https?:""", page), "nothing is fetched from elsewhere"


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("path", "body", "xsrf", "status", "said"),
    [
        (f"/{CELL}", {"changes": []}, "another", 403, "XSRF"),
        ("/written-nothing", {"changes": []}, None, 404, "no question 'written-nothing'"),
        (f"/{CELL}", {"changes": [change("0" * 32)]}, None, 404, "no such answer"),
        (f"/{CELL}", {"changes": [{"grade": 1}]}, None, 400, "no list of marks"),
        (f"/{CELL}", [], None, 400, "no list of marks"),
    ],
)
def test_what_is_no_mark_is_refused_with_a_sentence(address, course, path, body, xsrf, status, said):
    before, client = marked(course), Client(address)
    client.get(f"/{CELL}")
    code, answer = client.post(path, body, xsrf)
    assert code == status
    assert said in answer["message"]
    assert marked(course) == before


@pytest.mark.e2e
def test_points_that_the_question_does_not_have_are_refused(address, course):
    client = Client(address)
    client.get(f"/{CELL}")
    code, answer = client.post(f"/{CELL}", {"changes": [change(grade_of(course, "cyd"), points=99.0)]})
    assert code == 400
    assert "from 0 to 2" in answer["message"]


@pytest.mark.browser
def test_marked_with_the_keyboard_and_undone_and_on_the_way_to_everybody(address, course):
    with browser() as started:
        page = started.new_page(viewport={"width": 1200, "height": 900})
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{address}/{CELL}?token={TOKEN}")
        progress = page.locator("#progress")

        def wait(text):
            page.wait_for_function("text => document.getElementById('progress').textContent === text", arg=text)

        wait("0 of 3 marked")
        page.keyboard.type("1.5")
        page.keyboard.press("Enter")
        wait("2 of 3 marked")
        assert marked(course) == {"ada": (1.5, ""), "ben": (1.5, ""), "cyd": (None, "")}
        page.keyboard.press("c")
        page.keyboard.type("Which factor?")
        page.keyboard.press("Escape")
        page.keyboard.press("0")
        page.keyboard.press("Enter")
        wait("3 of 3 marked")
        assert marked(course)["cyd"] == (0.0, "Which factor?")
        page.keyboard.press("Escape")
        page.keyboard.press("u")
        wait("2 of 3 marked")
        assert marked(course)["cyd"] == (None, "")
        assert page.title() == "scaling (written): 01-attention"
        assert progress.inner_text() == "2 of 3 marked"
        client = Client(address)
        client.get(f"/{CELL}")
        code, answer = client.post(f"/{CELL}", {"changes": [change(grade_of(course, "ada"), points=2.0)]})
        assert (code, answer["written"]) == (200, {}), "it is no longer open, as this page saw it"
        assert answer["refused"] == {grade_of(course, "ada"): {"points": 1.5, "comment": "", "open": False}}
        assert not errors
    run(course, "autograder", "grade", ASSIGNMENT)
    run(course, "autograder", "export", ASSIGNMENT, "--to", "csv", "--unmarked")
    run(course, "autograder", "feedback", ASSIGNMENT)
    [path] = (course / "grading" / "export").glob("*.csv")
    with path.open(encoding="utf8", newline="") as file:
        points = {row["student_id"]: row["points"] for row in csv.DictReader(file)}
    assert points == {"ada": "1.5", "ben": "1.5", "cyd": "0"}


@pytest.mark.e2e
def test_where_there_is_nothing_to_mark_the_command_says_so(course, monkeypatch, capsys):
    monkeypatch.chdir(course)
    assert main(["mark", "02-multi-head-attention"]) == 2
    assert "02-multi-head-attention" in capsys.readouterr().err
    if os.geteuid() == 0:
        assert main(["mark", ASSIGNMENT]) == 2
        assert "--allow-root" in capsys.readouterr().err
