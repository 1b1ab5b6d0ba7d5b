"""What students write appears on a page formatted, in its own place and in bounded time, and nothing of it runs."""

import base64
import contextlib
import io
import json
import re
import time

import pages
import pytest
import torch
from browser import chromium, is_seen, opened
from known import COURSE
from PIL import Image

from autograder.checks.matrix_view import Matrix
from autograder.content import notebook
from autograder.grading.submission import released
from autograder.grading.submission.match import match
from autograder.nbgrader_plugins.formatter import FORMATS
from autograder.nbgrader_plugins.pages import FORMATTER
from autograder.nbgrader_plugins.sanitise import DEEPEST, clean, clean_report, in_order
from autograder.runtime.errors import CheckFailure, Diagnosis
from autograder.verdict.report import CheckResult, ExerciseReport

ASSIGNMENT = COURSE.assignments[0]
HOSTILE = sorted((COURSE.root / "tests" / "sandbox" / "attacks" / "cases").glob("page_*.py"))
[SLOW] = [path for path in HOSTILE if path.stem == "page_never_ready"]

#: The real total. The page of formgrader has none; there, the box of the first cell with points must be seen.
TOTAL = {"feedback": "#total", "formgrade": "input.score"}


def formatted(text, attachments=None):
    """Return markdown as a page shows it, without the bound on a page's time."""
    html, _ = FORMATTER.ask("markdown", text, attachments or {}, 60.0)
    assert html is not None
    return html


def picture(width, height):
    data = io.BytesIO()
    Image.new("1", (width, height)).save(data, "PNG")
    return base64.b64encode(data.getvalue()).decode()


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
        "<a href='//example.com'>x</a>",
        "<a href='../../elsewhere'>x</a>",
        "<img src='data:image/svg+xml;base64,PHN2Zz4='>",
        "<img src='https://example.com/tracker.png'>",
        f"<img src='data:image/png;base64,{base64.b64encode(b'no picture').decode()}'>",
        "<iframe src='https://example.com'></iframe>",
        "<form action='https://example.com'><input></form>",
        "<div style='position:fixed;top:0'>covers the page</div>",
        "<div class='navbar-fixed-top' id='toc' name='top' title='x' dir='rtl'>covers the page</div>",
        "<svg><script>alert(1)</script></svg>",
        "<math><mtext></p><style><img src onerror=alert(1)></style></math>",
        "[x](javascript:alert(1))",
        "![x](javascript:alert(1))",
        "<details open ontoggle=alert(1)>x</details>",
        "<base href='https://example.com'>",
        "<meta http-equiv='refresh' content='0;url=https://example.com'>",
        "```python\nx = 1\n```",
        "```mermaid\ngraph TD\n```",
    ],
)
def test_nothing_live_is_left(text):
    page = formatted(text)
    assert page.strip()
    tags = re.findall(r"<[^>]*>", page)
    for tag in tags:
        assert re.fullmatch(r"</?(a|img|div|pre|p|details|span|code)( [^>]*)?>", tag)
        assert not re.search(r'\s(on\w+|style|class|id|name|title|dir|open|src)\b|href="(?!https?:|mailto:|#)', tag)


def test_keeps_formatting():
    page = formatted(
        "# A title\n\n**bold** `a < b` $x < y$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[link](https://example.com)",
    )
    for part in (
        "<h1",
        "<strong>bold</strong>",
        "a &lt; b",
        "<mi>x</mi><mo>&lt;</mo><mi>y</mi>",
        "<table>",
        'href="https://example.com"',
    ):
        assert part in page
    assert 'target="_blank"' in page
    assert 'rel="noopener noreferrer"' in page


def test_a_pasted_picture_is_kept_unless_it_is_enormous():
    for size, kept in ((40, True), (6000, False)):
        data = picture(size, size)
        page = formatted("![shot](attachment:a.png)", {"a.png": {"image/png": data}})
        assert (f'src="data:image/png;base64,{data}"' in page) == kept


def test_text_that_is_no_html_is_kept():
    assert clean("if a < b and b > c:") == "if a &lt; b and b &gt; c:"
    assert clean("the product <q, k> of two") == "the product &lt;q, k&gt; of two"


@pytest.mark.parametrize(
    "text", ["<div><div>", "</div></div>", "<table><tr><td>", "<b><p>x</b>", "<a href=#a>x<table><a>"]
)
def test_every_element_is_closed(text):
    page = clean(text)
    for name in {*re.findall(r"<(\w+)", page)}:
        assert len(re.findall(rf"<{name}\b", page)) == page.count(f"</{name}>")
    assert clean(page) == page


def test_characters_that_reverse_others_are_named():
    assert clean("a\u202eb &#x202E; &#8295;") == "a[U+202E]b [U+202E] [U+2067]"
    assert in_order("a\x1b]0;b\x07\x00\x9b\x7f\tc\r\nd") == "a[U+001B]]0;b[U+0007][U+0000][U+009B][U+007F]\tc\r\nd"
    assert FORMATS["text"]("\x1b[31mred\x1b[0m \x1b]0;title\x07", {}).endswith(">red</span> [U+001B]]0;title[U+0007]")


def test_an_enormous_table_cell_is_an_ordinary_one():
    assert clean("<table><tr><td colspan=9999 rowspan=-1>x</table>").count('colspan="50"') == 1


def test_a_report_keeps_its_looks_and_nothing_else():
    page = clean_report(
        '<table style="color:red;position:fixed" class="x" onclick="y"><tr><td>✓<script>z</script></td></tr>'
    )
    assert page == '<table style="color:red"><tbody><tr><td>✓</td></tr></tbody></table>'


def test_no_property_of_a_report_with_a_picture_is_lost():
    values = torch.tensor([[0.2, 0.8], [5.0, 0.5]])
    shown = Matrix(values, values.T, values != values.T, "A")
    failure = CheckFailure("value", "A has wrong values.", "0.2", "0.8", picture=shown)
    results = [CheckResult("check", "It is `right`.", 2.0, 0.0, failure, Diagnosis("no scaling", "Divide."), "printed")]
    given = ExerciseReport("softmax", 7, results)._repr_html_()
    kept = clean_report(given)
    assert given.count(":") == kept.count(":") > 50
    assert given.count("style=") == kept.count("style=")
    for tag in ("details", "summary", "code", "small", "table", "pre"):
        assert given.count(f"<{tag}") == kept.count(f"<{tag}") > 0


CELLS = [
    pages.markdown("<div class='navbar-fixed-top' id='top'>mine</div>"),
    *(
        pages.raw("<div class='navbar-fixed-top' id='top'>mine</div>", kind)
        for kind in ("", "text/html", "text/markdown")
    ),
    pages.code(
        "x = '<div class=navbar-fixed-top>'",
        pages.shown({"text/html": "<div class='navbar-fixed-top'>mine</div>"}),
        pages.shown({"text/html": "<table style='color:red'><tr><td>ours</td></tr></table>"}, autograder=True),
        pages.shown({"application/javascript": "alert(1)", "text/plain": "plain"}),
        pages.shown({"image/svg+xml": "<svg class='navbar-fixed-top'/>", "text/plain": "plain"}),
        pages.shown({"text/latex": r"$\style{position:fixed}{x}$", "text/plain": "plain"}),
        pages.shown({"text/markdown": "<div class='navbar-fixed-top'>", "text/plain": "plain"}),
        {"output_type": "stream", "name": "stdout", "text": "<b>\x1b[31mred\x1b[0m \u202e"},
        {"output_type": "error", "ename": "E", "evalue": "", "traceback": ["<div class='navbar-fixed-top'>"]},
    ),
]


@pytest.mark.parametrize("kind", pages.KINDS)
def test_every_kind_of_cell_and_output_is_sanitised(kind, tmp_path):
    page = pages.page(kind, tmp_path, CELLS).partition('id="notebook-container"')[2]
    tags = " ".join(re.findall(r"<[^>]*>", page))
    assert "navbar" not in tags
    assert 'id="top"' not in tags
    assert "<svg" not in tags
    assert "alert(1)" not in page
    assert r"\style" not in page
    assert '<table style="color:red">' in page
    assert page.count(">plain<") == 4
    assert '<span class="ansi-red-fg">red</span> [U+202E]' in page
    assert page.count("contain: content") == 1


@pytest.fixture(scope="module")
def hostile():
    """A function that returns the cells of a hostile submission, as grading writes them."""
    given = notebook.read(COURSE.release / ASSIGNMENT / "attention.ipynb")
    known = released.from_notebook(ASSIGNMENT, "attention", given, COURSE.lessons)

    def cells_of(path):
        names, saved = {}, []
        exec(compile(path.read_text(encoding="utf8"), str(path), "exec"), names)
        names["hand_in"](None, json.loads(json.dumps(given)), saved.append)
        return match(json.loads(json.dumps(saved[0])), known).cells

    return cells_of


@pytest.mark.slow
def test_a_page_takes_bounded_time(tmp_path, hostile):
    cells, started = hostile(SLOW), time.process_time()
    page = pages.page("feedback", tmp_path, cells)
    assert time.process_time() - started < 12  # besides the five seconds of the formatter
    assert "### BEGIN HIDDEN TESTS" in page


@pytest.mark.slow
def test_the_longest_notebook_makes_a_page(tmp_path):
    cells = [pages.code("<&*`" * 1000) for _ in range(250)] + [pages.markdown("<&*`" * 1000) for _ in range(250)]
    started = time.process_time()
    page = pages.page("feedback", tmp_path, cells)
    assert time.process_time() - started < 12
    assert "is too long to be shown here" in page


def test_pages_after_a_hostile_one_are_formatted(tmp_path):
    assert FORMATTER.ask("code", "*a" * 9_000, {}, 0.5) == (None, 0.0)
    assert "<strong>b</strong>" in pages.page("feedback", tmp_path, [pages.markdown("**b**")])
    FORMATTER._channel.kill()  # as when the thread that started it ends
    assert "<strong>b</strong>" in pages.page("feedback", tmp_path, [pages.markdown("**b**")])


@pytest.mark.slow
def test_only_the_honest_pages_are_formatted_whole(tmp_path):
    """The longest cells of the course, three times over, are within a page's allowances."""
    cells = []
    for assignment in COURSE.assignments:
        cells = max(
            cells, notebook.read(COURSE.solution_notebook(assignment))["cells"], key=lambda c: len(json.dumps(c))
        )
    page = pages.page("feedback", tmp_path, cells * 3)
    assert "<pre>#" not in page
    assert page.count('<div class="highlight"><pre>') == 0


@pytest.mark.browser
@pytest.mark.parametrize("kind", pages.KINDS)
def test_the_real_total_is_seen_whatever_the_notebook_holds(kind, tmp_path, hostile):
    assert len(HOSTILE) >= 8
    with chromium() as browser:
        for path in [path for path in HOSTILE if path != SLOW]:
            page = opened(browser, pages.page(kind, tmp_path, hostile(path)))
            page.wait_for_timeout(200)
            assert is_seen(page, TOTAL[kind]), path.stem
            assert "attack-script-ran" not in page.title()
            assert page.locator(".navbar-fixed-top").count() == (kind == "formgrade")
            page.close()


@pytest.mark.browser
@pytest.mark.parametrize("kind", pages.KINDS)
def test_not_even_a_fixed_box_leaves_its_cell(kind, tmp_path):
    """What MathJax makes of a formula is put into the cell after everything was sanitised."""
    cells = [*CELLS, pages.markdown("mine")]
    cells[-1]["metadata"] = {"nbgrader": {"grade_id": "a", "grade": True, "solution": True, "points": 2}}
    box = "<div style='position:fixed;top:-900px;left:0;width:9000px;height:9000px;z-index:9999;background:white'>14 / 14</div>"
    with chromium() as browser:
        page = opened(browser, pages.page(kind, tmp_path, cells))
        places = ".text_cell_render, .input_area, .output_area, pre.as-typed"
        count = page.eval_on_selector_all(places, f"all => (all.forEach(e => e.innerHTML += `{box}`), all.length)")
        assert count >= 13
        assert is_seen(page, TOTAL[kind])
        page.close()


@pytest.mark.parametrize("extra", [-1, 1])
def test_elements_too_deep_in_each_other_are_no_html(extra):
    """They are shown as typed: nbconvert and the browser walk down them."""
    text = (DEEPEST + extra) * "<em>" + "x" + (DEEPEST + extra) * "</em>"
    with contextlib.nullcontext() if extra < 0 else pytest.raises(ValueError, match="too deep"):
        assert "x" in clean(text)
