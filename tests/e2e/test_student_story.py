"""A student in JupyterLab, as one story: open, predict, a wrong answer, its named cause, the right answer, progress, hand in.

`PICTURES=docs python -m pytest tests/e2e/test_student_story.py` makes pictures of the README.
"""

import json
import zipfile

import pytest
from accessible import violations
from lab import Notebook, browser, lab, picture
from sample_class import SHARES

from autograder.content import notebook as notebooks

NAME = "01-attention/attention.ipynb"
#: An experiment with a prediction: the question, a picture to look into, and what came out.
EXPERIMENT = ('predict("slider"', "explore_attention(rows", 'came_out("slider"')
KEPT = {"set-up", "softmax", "check-softmax", "written-scaling", "where-you-stand"}
WRONG = "def softmax(E, dim=-1):\n    return torch.sigmoid(E)"
RIGHT = f"def softmax(E, dim=-1):\n{SHARES}"


@pytest.fixture(scope="module")
def folder(root, tmp_path_factory):
    """A working copy of the first lesson, without what the story does not need."""
    place = tmp_path_factory.mktemp("work")
    notebook = notebooks.read(root / "assignments" / NAME)
    notebook["cells"] = [
        cell
        for cell in notebook["cells"]
        if notebooks.grade_id(cell) in KEPT
        or any(text in notebooks.source(cell) for text in ("import check\n", *EXPERIMENT))
    ]
    assert len(notebook["cells"]) == len(KEPT) + 1 + len(EXPERIMENT)
    (place / NAME).parent.mkdir()
    (place / NAME).write_text(json.dumps(notebook), encoding="utf8")
    return place


@pytest.mark.browser
def test_from_opening_a_notebook_to_handing_it_in(folder):
    with lab(folder) as address, browser() as started:
        page = started.new_page(viewport={"width": 1300, "height": 1000})
        notebook = Notebook(page, address, NAME)

        restarted = notebook.run('check("softmax")').inner_text()
        assert "has not run in this kernel" in restarted, "no import yet: one sentence"
        assert "Traceback" not in restarted

        notebook.run_all()
        notebook.wait()
        first = notebook.cell('check("softmax")')
        assert "○ Not written yet" in first.inner_text() or "softmax" in first.inner_text()

        predicts(notebook, folder)

        answers_wrongly_then_rightly(notebook)
        looks_at_the_progress(notebook)

        notebook.add_below('progress("01-attention")', 'hand_in("01-attention")')
        told = notebook.run('hand_in("01-attention")').inner_text()
        assert "✓ softmax" in told
        assert "Hand in this one file:" in told
    with zipfile.ZipFile(folder / "01-attention" / "01-attention.zip") as archive:
        [name] = archive.namelist()
        handed_in = notebooks.parse(archive.read(name), name)
    assert RIGHT in [notebooks.source(cell) for cell in handed_in["cells"]]


def predicts(notebook, folder):
    """Click a prediction, move a slider, and read what came out: in a kernel that has just run everything, and in a new one."""
    question, explorer, result = map(notebook.cell, EXPERIMENT)
    file = folder / "01-attention" / ".autograder" / "predictions.json"
    assert "No prediction was clicked" in result.inner_text()
    assert not file.exists()
    question.get_by_role("radio", name="all keys get nearly the same").check()
    question.get_by_text("Noted. The result was there already.").wait_for()
    result.get_by_text("You chose “all keys get nearly the same” when the result was there.").wait_for()

    file.unlink()
    notebook.restart()
    notebook.run("import check\n")
    notebook.run(EXPERIMENT[0])
    question.get_by_role("radio", name="one key takes nearly everything").check()
    question.get_by_text("Noted. Now run the next cell.").wait_for()
    question.get_by_role("radio", name="one key takes nearly everything").focus()
    notebook.page.keyboard.press("ArrowDown")
    assert not question.get_by_role("radio", name="one key takes nearly everything").is_checked(), (
        "by the keyboard, too"
    )
    notebook.page.keyboard.press("ArrowUp")
    notebook.run(EXPERIMENT[1])
    notebook.run(EXPERIMENT[2])
    result.get_by_text(
        "You predicted “one key takes nearly everything”; it came out as “all keys get nearly"
    ).wait_for()
    assert violations(notebook.page, ".jp-OutputArea-output fieldset") == []
    slider = explorer.get_by_role("slider", name="scores divided by")
    slider.focus()
    for _ in range(2):
        notebook.page.keyboard.press("ArrowRight")
    assert "√D_Q = 16" in explorer.inner_text()
    question.evaluate("cell => cell.scrollIntoView()")
    picture(notebook.page, "experiment", *(cell.locator(".jp-OutputArea-output") for cell in (question, result)))
    saved = json.loads(file.read_text(encoding="utf8"))
    assert saved == {"slider": "one key takes nearly everything"}


def answers_wrongly_then_rightly(notebook):
    """Write a wrong answer, read its named cause, and mend it."""
    notebook.write("raise NotImplementedError", WRONG)
    notebook.run("torch.sigmoid")
    wrong = notebook.run('check("softmax")')
    assert "Likely cause: sigmoid." in wrong.inner_text()
    assert "1 of 7 points" in wrong.inner_text()
    assert wrong.locator("progress").count() == 0, "the line that moved is gone"
    assert "1.0" not in wrong.locator(".jp-OutputArea").inner_text().split(), "no stray number"
    assert violations(notebook.page, ".jp-OutputArea-output table") == []

    notebook.write("torch.sigmoid", RIGHT)
    notebook.run("torch.exp(E - E.amax")
    right = notebook.run('check("softmax")').inner_text()
    assert "7 of 7 points" in right
    assert "Your last change mended “exp(E), divided by its sum over the last dimension”" in right


def looks_at_the_progress(notebook):
    """Read the panel before and after saving."""
    unsaved = notebook.run('progress("01-attention")').inner_text()
    assert "Not saved yet: softmax." in unsaved
    notebook.save()
    panel = notebook.run('progress("01-attention")')
    text = panel.inner_text()
    assert "7 of 69 points by your last checks, 0 of 1 written questions answered" in text
    assert "Saved at" in text
    assert "Next: write attend" in text
    assert violations(notebook.page, ".jp-OutputArea-output table") == []
    picture(panel.locator(".jp-OutputArea-output"), "progress")
