"""A teaching assistant opens a submission in formgrader, inside JupyterLab, and enters a manual grade."""

import json
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from browser import CHROMIUM, needs_chromium

from autograder.authoring.lay_out import folder_of, lay_out, nbgrader
from autograder.grading.course import Course
from autograder.judging import notebooks

ASSIGNMENT = "01-attention"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def course(root, tmp_path_factory):
    """A course root with one graded submission. Checks are left out of it, because here only the hand-graded cells matter."""
    place = tmp_path_factory.mktemp("course")
    lay_out(Course(root), place, [ASSIGNMENT], release=False)
    notebook = notebooks.read(root / "solutions" / ASSIGNMENT / "attention.ipynb")
    notebook["cells"] = [c for c in notebook["cells"] if c["cell_type"] == "markdown"]
    (place / "solutions" / ASSIGNMENT / "attention.ipynb").write_text(json.dumps(notebook), encoding="utf8")

    nbgrader(place, "generate_assignment", ASSIGNMENT)
    released = notebooks.read(place / "assignments" / ASSIGNMENT / "attention.ipynb")
    for cell in released["cells"]:
        if notebooks.grade_id(cell).startswith("written"):
            cell["source"] = "Because the softmax saturates."
    (folder_of(Course(place), "ada", ASSIGNMENT) / "attention.ipynb").write_text(json.dumps(released), encoding="utf8")
    nbgrader(place, "autograde", ASSIGNMENT)
    return place


@pytest.fixture(scope="module")
def lab(course):
    """JupyterLab in the course root; yields its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "jupyter",
        "lab",
        "--no-browser",
        "--allow-root",
        f"--port={port}",
        "--IdentityProvider.token=",
    ]
    with open(course / "lab.log", "w", encoding="utf8") as log:
        server = subprocess.Popen(command, cwd=course, stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", server, course / "lab.log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(30)


def _wait_for(address, server, log):
    for _ in range(240):
        assert server.poll() is None, log.read_text(encoding="utf8")
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(log.read_text(encoding="utf8"))


@needs_chromium
def test_a_manual_grade_is_entered_in_the_browser(lab, course):
    from nbgrader.api import Gradebook
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(f"{lab}/lab", wait_until="domcontentloaded")
        page.get_by_role("menuitem", name="Nbgrader").click(timeout=60000)
        page.get_by_role("menuitem", name="Formgrader", exact=True).click()
        formgrader = page.frame_locator("iframe")
        formgrader.get_by_text("Manage Assignments").first.wait_for(timeout=60000)

        page.goto(f"{lab}/formgrader/gradebook/{ASSIGNMENT}/attention", wait_until="domcontentloaded")
        page.get_by_role("link", name="Submission #1").click(timeout=60000)
        page.get_by_text("Because the softmax saturates.").first.wait_for(timeout=60000)
        box = page.locator("input.score").first
        page.wait_for_load_state("networkidle")  # the page fetches the grades and only then listens to the box
        box.fill("1.5")
        box.press("Tab")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1500)
        browser.close()

    with Gradebook(f"sqlite:///{course / 'grading' / 'gradebook.db'}") as gradebook:
        submission = gradebook.find_submission(ASSIGNMENT, "ada")
        grades = {grade.name: grade for notebook in submission.notebooks for grade in notebook.grades}
        assert grades["written-scaling"].manual_score == 1.5
        assert submission.score == 1.5
