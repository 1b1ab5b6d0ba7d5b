"""What grading notes for a person: work that earns nothing for a reason outside the exercises, and a file that cannot be read."""

import sys
from types import SimpleNamespace

import pytest
from known import LESSONS

from autograder.checks import CheckFailure
from autograder.checks.weights import weights_in
from autograder.grading.run import grade as grading
from autograder.grading.run.executors import TrustedExecutor
from autograder.grading.run.grade import grade
from autograder.verdict.report import CheckResult, ExerciseReport

LESSON = LESSONS.of("01-attention")


def notes_on(lesson, texts, files=None):
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []} for text in texts]
    for cell in cells:
        if "check(" in cell["source"]:
            cell["metadata"]["nbgrader"] = {"grade": True, "points": 1, "grade_id": cell["source"], "solution": False}
    work = SimpleNamespace(assignment=lesson.assignment, digest="", author="", cells=cells)
    executor = TrustedExecutor(lesson, files or {})
    try:
        return grade(work, LESSONS, 1, executor, causes=False).notes
    finally:
        executor.close()


def test_no_points_at_all_although_something_is_written():
    answer = "def softmax(E, dim=-1):\n    return torch.softmax(E, dim)"
    right = "def softmax(E, dim=-1):\n    W = torch.exp(E - E.amax(dim, keepdim=True))\n    return W / W.sum(dim, keepdim=True)"
    broken, check = "import torchh as torch", "check('softmax')"
    [first, second] = notes_on(LESSON, [broken, right, check])
    assert "which imports, stopped" in first
    assert second == ("no points for softmax; cell number 1 stopped: “ModuleNotFoundError: No module named 'torchh'”")
    assert notes_on(LESSON, ["import torch", right, check]) == []
    assert notes_on(LESSON, ["import torch", answer, check]) == [], "wrong, and nothing has stopped"


def test_notes_a_file_of_weights_that_cannot_be_read(monkeypatch):
    with pytest.raises(CheckFailure) as caught:
        weights_in(b"\x40\0\0\0\0\0\0\0{", "my_model", "my_model.safetensors")
    report = ExerciseReport("softmax", 1, [CheckResult("check_file", "It is read", 1.0, 0.0, caught.value)])
    monkeypatch.setattr(grading, "run_single", lambda *_: report)
    monkeypatch.setattr(grading, "recheck_with_references", lambda report, *_: report)
    assert notes_on(LESSON, ["check('softmax')"]) == [
        "softmax: its checkpoint cannot be read. Was the file cut short on its way?"
    ]


RIGHT = "    W = torch.exp(E - E.amax(dim, keepdim=True))\n    return W / W.sum(dim, keepdim=True)"


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
@pytest.mark.parametrize(
    "line",
    [
        "type Numbers = list[float]",
        "type Pair[T] = tuple[T, T]",
        "def same[T](x: T) -> T: return x",
        "class Box[T]: pass",
        "names = {'a': 1}; print(f'{names['a']}')",
        "print(f'{'\\n'.join('ab')}')",
        "try: pass\nexcept ValueError, TypeError: pass",
        "print(t'{1}')",
    ],
)
def test_notes_a_cell_that_only_a_later_python_can_read(line):
    """On the student's computer it ran. Whoever forgot a bracket has seen the error there."""
    softmax = f"def softmax(E, dim=-1):\n{RIGHT}"
    [note] = notes_on(LESSON, ["import torch", softmax, f"{line}\n\n{softmax}", "check('softmax')"])
    assert note.startswith("cell number 3 cannot be read by Python 3.11"), note
    assert notes_on(LESSON, ["import torch", softmax, f"(\n\n{softmax}", "check('softmax')"]) == []


def test_a_second_check_at_the_end_draws_other_inputs(monkeypatch):
    seeds = []

    def recording(name, student, seed):
        seeds.append(seed)
        return run_single(name, student, seed)

    run_single = grading.run_single
    monkeypatch.setattr(grading, "run_single", recording)
    first = "import torch\ndef softmax(E, dim=-1):\n    return finish(torch.exp(E - E.amax(dim, keepdim=True)), dim)"
    below = "def finish(W, dim):\n    return W / W.sum(dim, keepdim=True)"
    [note] = notes_on(LESSON, [first, "check('softmax')", below])
    assert note.endswith("its check comes before cells that it needs, and was run again at the end")
    assert len(set(seeds)) == 2
