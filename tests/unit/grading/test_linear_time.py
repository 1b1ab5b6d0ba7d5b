"""What searches a student's text outside the limits of a sandbox takes time in proportion to it, whatever it holds."""

import time

import pytest
from nbformat.notebooknode import NotebookNode

from autograder.content import notebook
from autograder.grading.run import grade
from autograder.grading.teacher.answers import _LONGEST as LONGEST
from autograder.grading.teacher.answers import Answer, groups
from autograder.nbgrader_plugins import page_content
from autograder.sandbox.outside import imports

pytestmark = pytest.mark.slow

LINES = 100_000


def run_scripts(text):
    return imports.imports_withheld(text, (), lambda name: None)


def shorten_page(text):
    page_content.shorten_paths({"text": text}, "/course")


def keep_headings(text):
    cell = NotebookNode(cell_type="markdown", source=text, metadata=NotebookNode())
    page_content.drop_unchanged_cells(NotebookNode(cells=[cell]), frozenset([text.strip()]))


def group_answers(text):
    other = text[len(text) // 3 :] + text[: len(text) // 3]
    groups({("f", ()): [Answer("a", "f", text), Answer("b", "f", other)]})


def without_strings(text):
    notebook._TEXT.sub(b"", text.encode())


SEARCHES = [
    run_scripts,
    grade._IMPORTS.search,
    grade._IN_A_CELL.search,
    grade._LATER_PYTHON.search,
    shorten_page,
    keep_headings,
    notebook.defined,
    notebook.without_magics,
    notebook.checked_exercise,
    without_strings,
]

TEXTS = {
    "empty lines": "\n",
    "spaces": " ",
    "indented": "    \n",
    "scripts": "%run \n",
    "names of scripts": "%run a.py",
    "imports": "import\n",
    "definitions": "class\n\n",
    "asynchronous": "async def\n",
    "folders": "/a",
    "slashes": "//a/",
    "fences": "```\n",
    "open fences": "```a\n`",
    "headings": "#",
    "places": "(<ipython-input",
    "numbers": "(1",
    "quotes": '"\\',
    "checks": "check('",
    "types": "type a",
}


def seconds(search, text):
    begin = time.process_time()
    search(text)
    return time.process_time() - begin


def ratio(search, text, length):
    """Return how much longer twice the text takes. Where all is done in a millisecond, a ratio says nothing."""
    short, long = ([seconds(search, text * times) for _ in range(2)] for times in (length, 2 * length))
    return (min(long) + 1e-3) / (min(short) + 1e-3)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.__name__)
def test_twice_the_lines_take_twice_the_time(search, text):
    for length in (4_000, LINES):  # the first shows what takes the square, which would not end for the second
        assert any(ratio(search, text, length) < 3.5 for _ in range(3))


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_twice_the_answer_takes_twice_the_time(text):
    times = LONGEST // 2 // len(text)
    assert any(ratio(group_answers, text, times) < 3.5 for _ in range(3))


def test_twice_the_functions_take_twice_the_time():
    """Each with a name of its own: Python's own table of a text looks through all of them for every name."""

    def of_functions(count):
        return min(seconds(notebook.bound_names, "".join(f"def f{n}(): 0\n" for n in range(count))) for _ in range(2))

    assert any(of_functions(16_000) < 3.5 * of_functions(8_000) for _ in range(3))


def test_the_names_of_a_few_hundred_functions_are_known():
    bound, used = notebook.bound_names("".join(f"def f{n}(): return g{n}\n" for n in range(300)))
    assert (len(bound), len(used)) == (300, 300)
