"""A teaching assistant opens a submission in formgrader, inside JupyterLab, and enters a manual grade."""

import json

import pytest
from lab import browser, lab

from autograder.authoring.lay_out import folder_of, lay_out, nbgrader
from autograder.content import notebook as notebooks
from autograder.grading.course import Course

ASSIGNMENT = "01-attention"


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
def address(course):
    """The address of JupyterLab in the course root."""
    with lab(course) as started:
        yield started


@pytest.mark.browser
def test_a_manual_grade_is_entered_in_the_browser(address, course):
    from nbgrader.api import Gradebook

    with browser() as started:
        page = started.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(f"{address}/lab", wait_until="domcontentloaded")
        page.get_by_role("menuitem", name="Nbgrader").click(timeout=60000)
        page.get_by_role("menuitem", name="Formgrader", exact=True).click()
        formgrader = page.frame_locator("iframe")
        formgrader.get_by_text("Manage Assignments").first.wait_for(timeout=60000)

        page.goto(f"{address}/formgrader/gradebook/{ASSIGNMENT}/attention", wait_until="domcontentloaded")
        page.get_by_role("link", name="Submission #1").click(timeout=60000)
        page.get_by_text("Because the softmax saturates.").first.wait_for(timeout=60000)
        box = page.locator("input.score").first
        page.wait_for_load_state("networkidle")  # the page fetches the grades and only then listens to the box
        box.fill("1.5")
        box.press("Tab")
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1500)

    with Gradebook(f"sqlite:///{course / 'grading' / 'gradebook.db'}") as gradebook:
        submission = gradebook.find_submission(ASSIGNMENT, "ada")
        grades = {grade.name: grade for notebook in submission.notebooks for grade in notebook.grades}
        assert grades["written-scaling"].manual_score == 1.5
        assert submission.score == 1.5
