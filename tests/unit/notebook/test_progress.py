"""Where a student stands, read from a notebook, its files and the history of its checks."""

import json
import struct
from dataclasses import replace

import pytest

from autograder.content.lesson import Lessons
from autograder.notebook import api
from autograder.notebook.errors import UserError
from autograder.notebook.history import Entry
from autograder.notebook.progress import Panel, SavedFile, lesson_progress, source_hash
from autograder.notebook.session import assignments_here

LESSON = Lessons().of("06-captioning")
STUB = 'def grid_features(F):\n    raise NotImplementedError("Flatten.")'
WRITTEN = "def grid_features(F):\n    return F.flatten(1).mT"


def code(text, **marks):
    return {"cell_type": "code", "metadata": {"nbgrader": marks} if marks else {}, "source": text}


def cells(text=STUB, answer="YOUR ANSWER HERE"):
    return [
        code(text, grade_id="grid_features", solution=True),
        code('check("grid_features")', grade_id="check-grid_features", grade=True, points=6.0),
        {"cell_type": "markdown", "metadata": {}, "source": "text\n\n### Written question 1 (2 points)\nWhy?"},
        {
            "cell_type": "markdown",
            "metadata": {"nbgrader": {"grade_id": "written-why", "grade": True, "solution": True}},
            "source": answer,
        },
    ]


def checked(exercise="grid_features", earned=6.0, text=WRITTEN, time=10.0, **more):
    return Entry(exercise, time, "a", earned, 6.0, text, {}, **more)


def rows(tmp_path, **work):
    now = lesson_progress(LESSON, SavedFile(**({"cells": cells(), "folder": tmp_path} | work)))
    return now, {row.name: row for row in now.rows}


def test_an_untouched_notebook_has_nothing(tmp_path):
    now, row = rows(tmp_path)
    assert {r.name: r.state for r in now.exercises if r.name == "grid_features"} == {"grid_features": "not begun"}
    assert row["grid_features"].points == 6.0, "read from the notebook, without loading the checks"
    assert row["Written question 1"].state == "not answered"
    assert [r.state for r in now.files] == ["not there"] * 3
    assert now.earned == 0
    assert not now.complete


@pytest.mark.parametrize(
    ("entries", "state", "earned"),
    [
        ([], "not checked yet", 0),
        ([checked()], "all points", 6),
        ([checked(earned=4.0)], "not all points yet", 4),
        ([checked(), checked(earned=4.0, time=11.0)], "not all points yet", 4),
        ([checked(text=WRITTEN + "  # once")], "changed since its check", 0),
        ([checked(text="\n" + WRITTEN + "   \n")], "all points", 6),
        ([checked("another")], "not checked yet", 0),
    ],
)
def test_a_written_exercise_counts_as_last_checked(tmp_path, entries, state, earned):
    _, row = rows(tmp_path, cells=cells(WRITTEN), entries=entries)
    assert (row["grid_features"].state, row["grid_features"].earned) == (state, earned)
    assert row["grid_features"].done == (state == "all points")


def test_an_answer_of_any_kind_is_an_answer(tmp_path):
    _, row = rows(tmp_path, cells=cells(answer="Because."))
    assert row["Written question 1"].done
    assert "a person" in row["Written question 1"].state


def test_code_that_runs_but_is_not_in_the_file_is_unsaved(tmp_path):
    now, row = rows(tmp_path, entries=[checked()], running={"grid_features": WRITTEN})
    assert now.unsaved == ["grid_features"]
    assert row["grid_features"].earned == 6.0, "the panel shows what runs"
    now, _ = rows(tmp_path, cells=cells(WRITTEN), running={"grid_features": WRITTEN + "\n"})
    assert now.unsaved == []


def weights(header=b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'):
    return struct.pack("<Q", len(header)) + header + b"\0\0\0\0"


@pytest.mark.parametrize(
    ("name", "data", "state"),
    [
        ("captioner.safetensors", weights(), "there, not checked yet"),
        ("captioner.safetensors", weights()[:30], "damaged"),
        ("captioner.safetensors", b"", "damaged"),
        ("captioner.safetensors", b"\xff" * 40, "damaged"),
        ("results.json", b"{}", "there, not checked yet"),
        ("results.json", b"{", "damaged"),
    ],
)
def test_a_file_is_there_or_damaged(tmp_path, name, data, state):
    (tmp_path / name).write_bytes(data)
    assert rows(tmp_path)[1][name].state == state


def test_a_checkpoint_becomes_stale(tmp_path):
    """When it is trained anew after its check, and when a class that it was trained with is changed after its check."""
    path = tmp_path / "captioner.safetensors"
    path.write_bytes(weights())
    read = {"captioner.safetensors": source_hash(weights())}
    early = checked("CaptionDecoder", text="class CaptionDecoder: ...", time=1.0)
    own = replace(checked("my_captioner", text="my_captioner = 1", time=5.0), files=read)
    late = checked("CaptionDecoder", text="class CaptionDecoder: pass", time=9.0)

    def state(*entries):
        return rows(tmp_path, entries=entries)[1]["captioner.safetensors"]

    assert state(early, own).state == "there"
    stale = state(early, own, late)
    assert stale.state == "older than your last change of CaptionDecoder"
    assert not stale.done
    assert state(early, own, late, replace(own, time=10.0)).state == "there", "the check has accepted it since"
    path.write_bytes(weights() + b"\0")
    anew = state(early, own)
    assert anew.state == "written anew since its check"
    assert anew.to_do == 'run check("my_captioner") again'


def test_the_panel_says_what_comes_next_in_text_and_in_html(tmp_path):
    now, _ = rows(tmp_path, cells=cells(WRITTEN), entries=[checked()])
    panel = Panel(now, ["Saved at 14:03."], "To hand in: <here>")
    text, page = str(panel), panel._repr_html_()
    for part in ("✓ grid_features: all points", "6 of 6", "○ Written question 1: not answered", "Saved at 14:03."):
        assert part in text
    assert "Next: write weights_to_grid" in text
    assert 'aria-label="done"' in page
    assert 'scope="col"' in page
    assert "&lt;here&gt;" in page
    assert json.dumps(page)


def test_a_finished_lesson_has_nothing_left(tmp_path):
    now, _ = rows(tmp_path)
    done = replace(
        now,
        exercises=[replace(row, done=True) for row in now.exercises],
        questions=[replace(row, done=True) for row in now.questions],
        files=[replace(row, done=True) for row in now.files],
    )
    assert done.complete
    assert "Nothing is left to do. Hand in." in str(Panel(done, (), "Hand in."))
    assert "save the notebook" in str(Panel(replace(done, unsaved=["grid_features"])))


def test_optional_parts_are_marked_and_counted_apart_and_nothing_waits_for_them(tmp_path):
    left_out = "TransformerCaptioner"
    now, row = rows(tmp_path)
    assert {each.name for each in now.rows if each.optional} == {left_out}
    assert str(Panel(now)).count("(optional)") == 1
    assert f"○ {left_out} (optional): not begun" in str(Panel(now))
    assert f"{left_out} (optional)" in Panel(now)._repr_html_()
    core = sum(each.points for each in now.exercises) - row[left_out].points
    assert f"0 of {core:g} points by your last checks, 0 of {row[left_out].points:g} optional points" in str(Panel(now))
    done = [
        [replace(each, done=each.name != left_out) for each in some]
        for some in (now.exercises, now.questions, now.files)
    ]
    finished = replace(now, exercises=done[0], questions=done[1], files=done[2])
    assert finished.complete
    assert "Nothing is left to do but 1 optional part." in str(Panel(finished))
    assert "optional part" not in str(
        Panel(replace(finished, exercises=[replace(each, done=True) for each in done[0]]))
    )


def test_an_optional_question_and_file_are_marked(tmp_path):
    lesson = Lessons().of("12-vision-language")
    answer = cells()[-1] | {
        "metadata": {"nbgrader": {"grade_id": "written-two-streams", "grade": True, "solution": True}}
    }
    now = lesson_progress(lesson, SavedFile([*cells()[:-1], answer], tmp_path))
    assert [each.label for each in (*now.questions, *now.files)] == [
        "Written question 1 (optional)",
        "clip.safetensors",
        "answers.safetensors (optional)",
    ]


def _notebook(folder, assignment):
    text = json.dumps(
        {"cells": [], "metadata": {"course": {"assignment": assignment}}, "nbformat": 4, "nbformat_minor": 5}
    )
    (folder / f"{assignment}.ipynb").write_text(text, encoding="utf8")


def test_knows_the_lesson_of_the_notebook_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    assert assignments_here(Lessons()) == []
    _notebook(tmp_path, "06-captioning")
    assert assignments_here(Lessons()) == ["06-captioning"]
    _notebook(tmp_path, "01-attention")
    assert assignments_here(Lessons()) == ["01-attention", "06-captioning"]
    assert assignments_here(Lessons(), "attention") == ["01-attention"]


@pytest.mark.parametrize(("call", "name"), [(api.progress, "progress"), (api.hand_in, "hand_in")])
def test_without_a_name_it_says_what_to_write(call, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.setattr("course_lib.live.in_live_notebook", lambda: True)
    for arguments, words in (
        ((), f'{name}("01-attention")'),
        ((3,), "in quotes"),
        (("attention",), "its number and its name"),
    ):
        with pytest.raises(UserError) as raised:
            call(*arguments)
        assert words in str(raised.value)
