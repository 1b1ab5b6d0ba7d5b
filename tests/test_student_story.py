"""A student in JupyterLab, as one story: open, a wrong answer, its named cause, the right answer, progress, hand in."""

import json
import zipfile

import pytest
from accessible import violations
from browser import needs_chromium
from lab import Notebook, browser, lab
from sample_class import SHARES

from autograder.judging import notebooks

NAME = "01-attention/attention.ipynb"
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
        if notebooks.grade_id(cell) in KEPT or "import check\n" in notebooks.source(cell)
    ]
    assert len(notebook["cells"]) == len(KEPT) + 1
    (place / NAME).parent.mkdir()
    (place / NAME).write_text(json.dumps(notebook), encoding="utf8")
    return place


@needs_chromium
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

        notebook.write("raise NotImplementedError", WRONG)
        notebook.run("torch.sigmoid")
        wrong = notebook.run('check("softmax")')
        assert "Likely cause: sigmoid." in wrong.inner_text()
        assert "1 of 7 points" in wrong.inner_text()
        assert wrong.locator("progress").count() == 0, "the line that moved is gone"
        assert "1.0" not in wrong.locator(".jp-OutputArea").inner_text().split(), "no stray number"
        assert violations(page, ".jp-OutputArea-output table") == []

        notebook.write("torch.sigmoid", RIGHT)
        notebook.run("torch.exp(E - E.amax")
        right = notebook.run('check("softmax")').inner_text()
        assert "7 of 7 points" in right
        assert "Your last change mended “exp(E), divided by its sum over the last dimension”" in right

        unsaved = notebook.run('progress("01-attention")').inner_text()
        assert "Not saved yet: softmax." in unsaved
        notebook.save()
        panel = notebook.run('progress("01-attention")')
        text = panel.inner_text()
        assert "7 of 63 points by your last checks, 0 of 1 written questions answered" in text
        assert "Saved at" in text
        assert "Next: write attend" in text
        assert violations(page, ".jp-OutputArea-output table") == []

        notebook.add_below('progress("01-attention")', 'hand_in("01-attention")')
        told = notebook.run('hand_in("01-attention")').inner_text()
        assert "✓ softmax" in told
        assert "Hand in this one file:" in told
    with zipfile.ZipFile(folder / "01-attention" / "01-attention.zip") as archive:
        [name] = archive.namelist()
        handed_in = notebooks.parse(archive.read(name), name)
    assert RIGHT in [notebooks.source(cell) for cell in handed_in["cells"]]
