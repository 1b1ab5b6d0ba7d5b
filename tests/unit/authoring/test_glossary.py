"""The glossary is what the lessons say, and each of the field's words occurs in a lesson."""

import re

import nbformat
import pytest
from known import COURSE

from autograder.authoring.site.glossary import PAGE, glossary_page, on_site, pattern, refresh_glossary
from autograder.grading.course import Course

#: Words that papers and libraries use for what the lessons build.
WORDS = """
    attention score, positional encoding, receptive field, relative position, residual stream, pre-norm, soft attention,
    hard attention, teacher forcing, exposure bias, beam search, self-supervised, autoregressive, decoder-only, encoder-only,
    feature-based, byte-pair encoding, SentencePiece, KV cache, prefill, in-context learning, induction head, temperature,
    zero-shot, few-shot, contrastive loss, InfoNCE, projection head, linear probe, two-tower model, in-batch negatives,
    hard negatives, negative sampling, re-ranking, cold start, popularity bias, feedback loop
"""


@pytest.fixture
def small(tmp_path):
    """A course of two lessons with a glossary of three terms."""
    lessons = {
        "01-one": "# One\n\n## 1 Scores\n\nAn attention\nscore.\n\n"
        "| symbol | meaning | In papers and libraries |\n|---|---|---|\n| $e$ | similarity | logit |\n\n"
        "| symbol | meaning |\n|---|---|\n| $x$ | input |",
        "02-two": "# Two\n\n### 2.1 Again\n\nThe **attention scores**, teacher-forcing.",
    }
    for name, text in lessons.items():
        for folder in (tmp_path / "solutions" / name, tmp_path / "assignments" / name):
            folder.mkdir(parents=True)
        (tmp_path / "solutions" / name / "lesson.py").touch()
        cell = nbformat.v4.new_markdown_cell(text)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "assignments" / name / "lesson.ipynb")
    (tmp_path / "docs").mkdir()
    (tmp_path / PAGE).write_text(
        "# Words\n\n| term | what it is | where | in PyTorch and Hugging Face | paper |\n|---|---|---|---|---|\n"
        "| teacher forcing | Reading the truth. |  | labels | Y |\n| attention score | A fit. |  | – | X |\n"
    )
    return Course(tmp_path)


def test_the_page_is_what_the_lessons_say():
    assert (COURSE.root / PAGE).read_text(encoding="utf8") == glossary_page(COURSE), "run `autograder build`"


@pytest.mark.parametrize("word", [word.strip() for word in WORDS.split(",")])
def test_a_word_of_the_field_is_in_a_lesson_and_in_the_glossary(word):
    sources = [path.read_text(encoding="utf8") for path in COURSE.sources()]
    assert any(re.search(pattern(word), text, re.IGNORECASE) for text in sources)
    assert f"| {word} |" in (COURSE.root / PAGE).read_text(encoding="utf8")


def test_a_term_leads_to_where_it_is_in_bold_and_a_letter_to_its_lesson(small):
    refresh_glossary(small)
    text = (small.root / PAGE).read_text()
    assert "| attention score | A fit. | [02-two](../assignments/02-two/lesson.ipynb), section 2.1 | – | X |" in text
    assert (
        "| teacher forcing | Reading the truth. | [02-two](../assignments/02-two/lesson.ipynb), section 2.1 |" in text
    )
    assert "| $e$ | similarity | logit | [01-one](../assignments/01-one/lesson.ipynb) |" in text
    assert "$x$" not in text
    assert text == glossary_page(small)
    assert "[02-two](lessons/02-two.ipynb), section" in on_site(text)


def test_reports_a_term_that_no_lesson_has(small):
    page = small.root / PAGE
    page.write_text(page.read_text() + "| beam | A search. |  | – | – |\n")
    with pytest.raises(LookupError, match="no lesson has the term 'beam'"):
        glossary_page(small)


def test_reports_a_row_with_a_column_too_few(small):
    page = small.root / PAGE
    page.write_text(page.read_text() + "| beam | A search. |\n")
    with pytest.raises(ValueError, match="expected 5 columns, got 2: beam"):
        glossary_page(small)


def test_a_course_without_a_glossary_gets_none(small):
    (small.root / PAGE).unlink()
    refresh_glossary(small)
    assert not (small.root / PAGE).exists()
