"""Headings that end in "(optional)" say what may be left out, and a core cell never needs it."""

import jupytext
import nbformat
import pytest
from known import COURSE

from autograder.authoring.optional_parts import optional_cells, pieces
from autograder.authoring.source_rules import Source
from autograder.content.lesson import Lesson, Lessons


def written(*texts: str):
    """Return cells: code if a text begins with ">", a check if with "?", else prose."""
    made = []
    for text in texts:
        if text[0] in ">?":
            marks = {"grade_id": text, "grade": True, "solution": False} if text[0] == "?" else {}
            made.append(nbformat.v4.new_code_cell(text[1:].strip(), metadata={"nbgrader": marks} if marks else {}))
        else:
            made.append(nbformat.v4.new_markdown_cell(text))
    return made


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["## 1 A", ">a", "## 2 B (optional)", ">b", "### 2.1 C", ">c", "## 3 D", ">d"], "00111100"),
        (["## 1 A", "### 1.1 B (optional)", ">b", "#### more", ">m", "### 1.2 C", ">c"], "0111100"),
        (["## 1 A", "### Written question 1 (2 points, graded by hand, optional)", ">a", "## 2 B"], "0110"),
        (["## 1 A", "**Exercise 1 (optional).** ● Write `f`.", ">f", "?check", ">core"], "01110"),
        (["**Exercise 1 (optional).** ● Write `f`.", ">f", "**Exercise 2.** ● Write `g`.", ">g"], "1100"),
        (["## 1 A\n```\n## 2 B (optional)\n```", ">a", "(optional)\n\n## 2 Optional (or not)", ">b"], "0000"),
    ],
)
def test_what_stands_below_an_optional_heading_is_optional(texts, expected):
    assert "".join(str(int(each)) for each in optional_cells(written(*texts))) == expected


def test_a_cell_with_several_headings_is_cut_at_each():
    [of_cell] = pieces(written("words\n\n## 2 A (optional)\nmore\n\n### 2.1 B\n\n**Exercise 2.** ● Write\n\n## 3 C"))
    assert [(piece.text.split("\n")[0], piece.optional, piece.named) for piece in of_cell] == [
        ("words", False, False),
        ("## 2 A (optional)", True, True),
        ("### 2.1 B", True, False),
        ("**Exercise 2.** ● Write", True, False),
        ("## 3 C", False, False),
    ]


def problems(*texts: str, lesson: Lesson | None = None) -> list[str]:
    return [*Source(COURSE.root, written(*texts), lesson).problems()]


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["## 1 A (optional)", ">b = 2", "## 2 B", ">print(b)"], ["b"]),
        ([">b = 1", "## 1 A (optional)", ">b = 2", "## 2 B", ">def f():\n    return b"], ["b"]),
        (["## 1 A (optional)", ">b = 2", "## 2 B", ">b = 3", ">print(b)"], []),
        (["## 1 A (optional)", ">b = 2", "## 2 B", ">b = b + 1"], ["b"]),
        (["## 1 A (optional)", ">b = 2", "## 2 B", ">print(b)\nb = 3"], ["b"]),
        ([">b = 1", "## 1 A (optional)", ">c = b", ">print(c)", "## 2 B", ">print(b)"], []),
    ],
)
def test_the_build_refuses_a_core_cell_that_needs_an_optional_one_and_names_both(texts, names):
    found = problems(*texts)
    assert len(found) == len(names)
    for name, sentence in zip(names, found, strict=True):
        user, binder = len(texts), texts.index(">b = 2") + 1
        assert f"it uses {name} as the optional cell {binder} (b = 2 …) binds it" in sentence
        assert sentence.startswith(f"cell {user} (")


def test_an_exercise_of_an_optional_section_says_itself_that_it_is_optional():
    [sentence] = problems("## 1 A (optional)\n\n**Exercise 3.** ● Write `f`.")
    assert (
        sentence
        == "cell 1 (## 1 A (optional) …): Exercise 3 is in an optional part; write (optional) after its number."
    )
    assert not problems("## 1 A (optional)\n\n**Exercise 3 (optional).** ● Write `f`.")


@pytest.mark.parametrize("assignment", ["05-translation"])
def test_the_build_refuses_other_marks_than_the_headings(assignment):
    """Of a real lesson: an exercise that builds on an optional one, a check in the core, and a table that says otherwise."""
    lesson = Lessons().of(assignment)
    path = COURSE.source_of(assignment)
    text = path.read_text(encoding="utf8")
    changes = {
        "the exercise AttentionDecoder builds on AdditiveScores, which is optional.": (
            "**Exercise 2.**",
            "**Exercise 2 (optional).**",
        ),
        "one of the exercise dot_scores and its check is optional, and the other is not.": (
            '# %% nbgrader={"grade_id": "check-dot_scores"',
            '# %% [markdown]\n# ## 3 b\n\n# %% nbgrader={"grade_id": "check-dot_scores"',
        ),
        "its table says that warmup_rate is core, and its heading says the opposite.": (
            "`warmup_rate` (optional)",
            "`warmup_rate`",
        ),
    }
    for sentence, (old, new) in changes.items():
        assert text.count(old) == 1, old
        cells = jupytext.reads(text.replace(old, new), fmt="py:percent").cells
        assert any(problem.endswith(sentence) for problem in Source(path, cells, lesson).problems()), sentence


@pytest.mark.parametrize("names", [(), ("ConvSelfAttention", "padding_mask")])
def test_the_build_refuses_settings_that_name_other_parts_than_the_headings(names, monkeypatch):
    lesson, path = Lessons().of("02-multi-head-attention"), COURSE.source_of("02-multi-head-attention")
    source = Source(path, jupytext.read(path).cells, lesson)
    assert not [*source.problems()]
    monkeypatch.setattr(lesson.settings, "OPTIONAL", names)
    [sentence] = source.problems()
    assert sentence.endswith("is not what the headings mark as optional; expected ('ConvSelfAttention',).")


def test_questions_and_files_are_optional_too():
    """A question below an optional heading, and a file of which only optional cells speak."""
    assert Lessons().of("12-vision-language").optional >= {"written-two-streams", "answers.safetensors", "my_answers"}
    assert "clip.safetensors" not in Lessons().of("12-vision-language").optional
