"""What students write appears on a page formatted, and nothing of it runs."""

import pytest

from autograder.nbgrader_plugins.pages import clean, markdown


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<a href='javascript:alert(1)'>x</a>",
        "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
        "<img src='data:image/svg+xml;base64,PHN2Zz4='>",
        "<img src='https://example.com/tracker.png'>",
        "<iframe src='https://example.com'></iframe>",
        "<form action='https://example.com'><input></form>",
        "<div style='position:fixed;top:0'>covers the page</div>",
        "<svg><script>alert(1)</script></svg>",
        "<math><mtext></p><style><img src onerror=alert(1)></style></math>",
        "[x](javascript:alert(1))",
        "![x](javascript:alert(1))",
        "<details open ontoggle=alert(1)>x</details>",
        "<base href='https://example.com'>",
        "<meta http-equiv='refresh' content='0;url=https://example.com'>",
    ],
)
def test_nothing_live_is_left(text):
    page = markdown({"cell": {}}, text)
    tags = "".join(page.split("&lt;"))
    for bad in ("<script", "<iframe", "<form", "<svg", "<base", "<meta", "<style", "style=", 'href="java', 'src="'):
        assert bad not in tags
    assert not [part for part in page.split("<")[1:] if " on" in part.partition(">")[0]]


def test_what_formats_is_kept():
    page = markdown(
        {"cell": {}},
        "# A title\n\n**bold** `a < b` $x < y$\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[link](https://example.com)",
    )
    for part in ("<h1", "<strong>bold</strong>", "a &lt; b", "$x &lt; y$", "<table>", 'href="https://example.com"'):
        assert part in page


def test_a_pasted_picture_is_kept():
    cell = {"attachments": {"a.png": {"image/png": "iVBORw0KGgo="}}}
    assert 'src="data:image/png;base64,iVBORw0KGgo="' in markdown({"cell": cell}, "![shot](attachment:a.png)")


def test_text_that_is_no_html_is_kept():
    assert clean("if a < b and b > c:") == "if a &lt; b and b &gt; c:"
