"""Marking by hand, the whole way with the users' own commands, and by the keys of the page in a browser."""

import contextlib
import csv
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from html import unescape
from pathlib import Path

import made_up
import pytest
from accessible import violations
from browser import chromium
from known import COURSE
from some_cases import one_in
from whole_way import hand_in, run, with_texts

from autograder.authoring.lay_out import lay_out
from autograder.content import notebook as notebooks
from autograder.grading.gradebook.marking import answers, open_counts

LESSON = COURSE.assignments[0]
CELL, OTHER = "written-scaling", "written-order"
LONG = "The weights are nearly uniform, so the query has hardly any influence on the output of the layer at the start."


@contextlib.contextmanager
def marking(course):
    """Start ``autograder mark``; yield the address and the token that it prints."""
    program = Path(sys.executable).parent / "autograder"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [program, "mark", LESSON, "--no-browser", "--allow-root", f"--port={port}"]
    server = subprocess.Popen(command, cwd=course.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf8")
    try:
        line = server.stdout.readline()
        found = re.fullmatch(r"mark: (http://127\.0\.0\.1:\d+/marking/.+)\?token=(.{40,})\n", line)
        assert found, line + server.communicate()[1]
        yield found[1], found[2]
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    finally:
        server.kill()
        server.communicate()


def ask(address, token, changes=None):
    body = None if changes is None else json.dumps({"changes": changes}).encode()
    request = urllib.request.Request(address, body, {"Authorization": f"token {token}"})
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()


def shown(page):
    """Return what the page knows of each answer."""
    return [one for found in re.findall(r'data-answers="([^"]*)"', page) for one in json.loads(unescape(found))]


def export(course):
    """Export the class; return (state, points) of each student."""
    run(course.root, "autograder", "export", LESSON, "--to", "csv", good=(0, 1))
    [path] = (course.grading / "export").glob("*.csv")
    with path.open(encoding="utf8", newline="") as file:
        return {row["student_id"]: (row["state"], row["points"]) for row in csv.DictReader(file)}


def report(course):
    run(course.root, "autograder", "report", LESSON)
    return (course.grading / "report" / f"{LESSON}.html").read_text("utf8")


@pytest.mark.e2e
@pytest.mark.sandbox
def test_marks_arrive_on_the_pages_and_in_the_export_and_stay(tmp_path):
    course = lay_out(COURSE, tmp_path, [LESSON])
    name = COURSE.solution_notebook(LESSON).name
    released = notebooks.read(course.release / LESSON / name)
    for student, texts in {"ann": {CELL: LONG, OTHER: "The same rows."}, "ben": {CELL: LONG.lower()}}.items():
        hand_in(tmp_path, student, LESSON, name, with_texts(released, texts), {})
    run(tmp_path, "autograder", "grade", LESSON, "--workers", "1")
    assert open_counts(course, LESSON) == {CELL: (2, 2), OTHER: (1, 1)}, "grading has given 0 for the empty answer"
    assert export(course) == {"ann": ("not yet marked", ""), "ben": ("not yet marked", "")}

    assert "not yet marked" in report(course)

    with marking(course) as (address, token):
        with pytest.raises(urllib.error.HTTPError, match="403"):
            ask(f"{address}/{CELL}", "wrong", [])
        given = shown(ask(f"{address}/{CELL}", token))
        assert len(given) == 2
        assert ask(f"{address}/{CELL}", token).count("<article") == 1, "equal but for capitals"
        for cell, points in ((CELL, 1.5), (OTHER, 2)):
            new = {"points": points, "comment": "Which *factor*?", "open": False}
            open_ones = [one for one in shown(ask(f"{address}/{cell}", token)) if one["state"]["open"]]
            changes = [{"grade": one["grade"], "seen": one["state"], "new": new} for one in open_ones]
            assert json.loads(ask(f"{address}/{cell}", token, changes))["message"] == ""
        assert "No answer is left to mark." in ask(address, token)

    expected = {"ann": ("graded", "3.5"), "ben": ("graded", "1.5")}
    assert export(course) == expected
    for command in (("autograder", "feedback"), ("nbgrader", "generate_feedback")):
        run(tmp_path, *command, LESSON)
        for student in expected:
            page = (course.grading / "feedback" / student / LESSON / f"{Path(name).stem}.html").read_text("utf8")
            assert "Which <em>factor</em>?" in page
            assert "1.5 of 2" in page
    assert "not yet marked" not in report(course)
    run(tmp_path, "autograder", "grade", LESSON, "--workers", "1", "--force")
    assert {one.state.points for one in answers(course, LESSON, CELL)} == {1.5}
    assert {one.state.comment for one in answers(course, LESSON, CELL)} == {"Which *factor*?"}
    assert export(course) == expected


@pytest.fixture
def course(tmp_path):
    """Five students, of whom two wrote the same and one nearly the same; nobody was graded."""
    made = made_up.course(tmp_path / "course")
    texts = {"ann": LONG, "ben": LONG, "cem": LONG.replace("hardly", "hardy")}
    texts["dee"] = "<script>document.title = 'x'</script>"
    made_up.hand_in(made, {one: {} for one in (*texts, "eve")}, manual={"eve": {CELL: 2.0, OTHER: 0.0}})
    made_up.write_answers(made, CELL, {**texts, "eve": "A factor."})
    return made


def states(course, cell=CELL):
    return {one.student: (one.state.points, one.state.comment, one.state.open) for one in answers(course, LESSON, cell)}


class Marker:
    """A person in front of the page of the first question. ``errors`` and ``requests`` are the browser's."""

    def __init__(self, browser, address, token):
        self.page, self.errors, self.requests = browser.new_page(viewport={"width": 1200, "height": 900}), [], []
        self.page.on("console", lambda one: self.errors.append(one.text) if one.type == "error" else None)
        self.page.on("pageerror", lambda one: self.errors.append(str(one)))
        self.page.on("request", lambda one: self.requests.append(one.url))
        self.page.goto(f"{address}?token={token}")
        self.page.get_by_role("link", name="scaling (written)").click()
        self.page.locator(".mark").filter(has_text="not marked").first.wait_for()

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)
        self.page.locator("body:not(.busy)").wait_for()

    @property
    def told(self):
        return self.page.locator("#told").inner_text()

    @property
    def current(self):
        return self.page.locator(".group.current").inner_text()

    @property
    def first_mark(self):
        return self.page.locator(".mark").first.inner_text()


@pytest.mark.browser
@pytest.mark.e2e
def test_a_class_is_marked_with_the_keys(course):
    before = states(course)
    with marking(course) as (address, token), chromium() as browser:
        marker = Marker(browser, address, token)
        assert "3 students" in marker.current
        assert "ann" not in marker.page.locator("main").inner_text()
        marker.press("1", ".", "5", "c")
        marker.page.keyboard.type("Which factor?")
        marker.press("Escape", "Enter")
        group = dict.fromkeys(("ann", "ben", "cem"), (1.5, "Which factor?", False))
        assert states(course) == before | group
        assert marker.first_mark == "1.5 of 2"
        assert "document.title" in marker.current, "eve's answer has its mark already"
        marker.press("3")
        assert marker.told == "This question has 2 points."
        marker.press("2", "1", "Shift+Digit1")
        assert states(course) == before | group | {"dee": (1.0, "Which factor?", False)}
        marker.press("u", "u", "u")
        assert states(course) == before | group
        marker.press("u", "u")
        assert states(course) == before, "one and a half was one step"
        assert marker.told == "Undone."
        assert not marker.errors
        assert [one for one in marker.requests if not one.startswith((address, "data:"))] == []


@pytest.mark.browser
@pytest.mark.e2e
def test_what_a_colleague_has_marked_meanwhile_is_kept_and_shown(course):
    with marking(course) as (address, token), chromium() as browser:
        marker = Marker(browser, address, token)
        left = [one for one in shown(ask(f"{address}/{CELL}", token)) if one["state"]["open"]]
        new = {"points": 2, "comment": "Fine.", "open": False}
        ask(f"{address}/{CELL}", token, [{"grade": one["grade"], "seen": one["state"], "new": new} for one in left])
        theirs = states(course)
        marker.press("j", "k", "0")
        assert "Somebody else has changed 3 of these marks meanwhile." in marker.told
        assert marker.first_mark == "2 of 2"
        assert states(course) == theirs
        marker.press("l")
        marker.page.wait_for_url(f"{address}/{OTHER}")
        marker.press("0", "Enter")
        assert marker.told == "All answers are marked."
        assert {points for points, _, _ in states(course, OTHER).values()} == {0.0}
        assert len(marker.errors) == 1, marker.errors
        assert "409 (Conflict)" in marker.errors[0], "the one that was refused"


@pytest.mark.browser
@pytest.mark.e2e
@pytest.mark.parametrize("theme", one_in(2, ["light", "dark"], "the same page in other colours"))
def test_everybody_can_read_the_page_at_any_width(course, theme):
    with marking(course) as (address, token), chromium() as browser:
        for width in (480, 1200):
            page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme, bypass_csp=True)
            page.goto(f"{address}/{CELL}?token={token}")
            page.locator(".variant summary").first.click()
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert violations(page) == []
            page.keyboard.press("?")
            page.get_by_role("dialog").wait_for()
            assert violations(page) == []
            page.keyboard.press("?")
            page.get_by_role("dialog").wait_for(state="hidden")
            page.goto(f"{address}/{CELL}?names=1&apart=1")
            assert page.locator(".names").all_inner_texts() == ["ann, ben", "cem", "eve", "dee"]
            assert page.title() == "scaling (written) · marking 01-attention"
