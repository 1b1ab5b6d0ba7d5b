"""Questions about Python's documentation in two languages."""

from course_lib.data import documentation_questions, python_english, sentences_of


def held_out():
    """The paragraphs of more than one sentence, as lesson 13 takes them."""
    many = [sentences_of(text) for document in python_english("held_out") for text in document.paragraphs]
    return [" ".join(sentences) for sentences in many if len(sentences) > 1]


def test_each_question_has_a_paragraph_of_its_own_and_is_there_in_both_languages():
    paragraphs = held_out()
    numbers, english, german = documentation_questions(paragraphs)
    assert len(numbers) == len({*numbers}) == len({*english}) == len({*german})
    assert len(numbers) >= 30, "some are missing in other versions of Python"
    assert all(text.endswith("?") for text in [*english, *german])
    assert not {*english} & {*german}
    assert "weekday" in english[numbers.index(next(n for n, text in enumerate(paragraphs) if "Julian day" in text))]


def test_questions_without_one_paragraph_are_left_out():
    text = next(text for text in held_out() if text.startswith("A string is a special kind of sequence"))
    assert documentation_questions(["Another.", text])[0] == [1]
    assert documentation_questions([text, text]) == ([], [], [])
