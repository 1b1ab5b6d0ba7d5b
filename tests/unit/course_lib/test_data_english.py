import ast
import asyncio.base_events
import typing

import pytest

from course_lib.data.english import PLAIN, _statements, paragraphs_of, python_english

PROSE = "This object is returned by functions that do not explicitly return a value."


@pytest.fixture(scope="module", params=["train", "held_out"])
def documents(request):
    return python_english(request.param)


def test_documents_are_sorted_and_have_different_names(documents):
    names = [document.name for document in documents]
    assert names == sorted(set(names))
    assert any(name.startswith("reference: ") for name in names)
    assert any(name.startswith("module: ") for name in names)


def test_paragraphs_are_prose_on_one_line(documents):
    paragraphs = [paragraph for document in documents for paragraph in document.paragraphs]
    assert len(paragraphs) > 500
    for paragraph in paragraphs:
        assert paragraph == " ".join(paragraph.split())
        assert not {">>>", "::=", "``"} & set(paragraph.split())
        assert sum(c.isalpha() or c.isspace() for c in paragraph) > (PLAIN - 0.2) * len(paragraph)


def test_nothing_stands_in_both_parts():
    train, held_out = python_english("train"), python_english("held_out")
    assert not {d.name for d in train} & {d.name for d in held_out}
    known = {p.lower() for d in train for p in d.paragraphs}
    assert not known & {p.lower() for d in held_out for p in d.paragraphs}
    words = [sum(len(p.split()) for d in part for p in d.paragraphs) for part in (train, held_out)]
    assert 0.05 < words[1] / sum(words) < 0.25
    assert sum(words) > 100_000


@pytest.mark.parametrize(
    ("text", "want"),
    [
        (PROSE, [PROSE]),
        (PROSE.replace("a value", "a\n   value"), [PROSE]),
        (
            'The "with" statement wraps the ``block`` of *code* below.',
            ["The with statement wraps the block of code below."],
        ),
        (
            "1. The manager's method is called with three arguments.",
            ["The manager's method is called with three arguments."],
        ),
        ("The Null Object\n***************\n\n" + PROSE, [PROSE]),
        (">>> print(1 + 2)\n3", []),
        ('with_stmt ::= "with" ( "(" contents ","? ")" ) ":" suite .', []),
        ("Too short.", []),
        ("x = [f(y) for y in range(3)]; z = {1: 2} and so it goes on.", []),
        ("", []),
    ],
)
def test_what_counts_as_prose(text, want):
    assert list(paragraphs_of(text)) == want


def test_another_part_is_an_error():
    with pytest.raises(ValueError, match="'train', 'held_out', got 'test'"):
        python_english("test")


@pytest.mark.parametrize("module", [ast, typing, asyncio.base_events], ids=lambda module: module.__name__)
def test_statements_come_in_the_order_of_ast_walk(module):
    with open(module.__file__, encoding="utf8") as file:
        tree = ast.parse(file.read())
    kinds = (ast.stmt, ast.excepthandler, ast.match_case, ast.Module)
    assert [*_statements(tree)] == [node for node in ast.walk(tree) if isinstance(node, kinds)]
