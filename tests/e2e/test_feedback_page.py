"""The feedback page: small, without a network, readable on a telephone, and it says what is not yet marked."""

import json
import re
import sys

import pages
import pytest
from browser import chromium
from known import COURSE

from autograder.content import notebook as notebooks
from autograder.nbgrader_plugins.mathematics import Formulas, mathml
from autograder.nbgrader_plugins.page_content import MOST_OUTPUT

TABLE = '<table style="color:red"><tr><td>✓</td></tr></table>'
REPORT = {"text/html": TABLE, "text/plain": "as text"}


def graded(name, text, *outputs, **marks):
    cell = pages.code(text, *outputs)
    cell["metadata"] = {"nbgrader": {"grade_id": name, "grade": True, "solution": False, "points": 2, **marks}}
    return cell


CELLS = [
    pages.markdown("Let $A = \\frac{QK^\\top}{\\sqrt{D_Q}}$ be\n\n$$Y = A V \\qquad \\text{over the keys}$$"),
    graded("check-softmax", 'check("softmax")', pages.shown(REPORT, autograder=True)),
    pages.markdown("Because of $x < y$."),
]
CELLS[2]["metadata"] = {"nbgrader": {"grade_id": "written-scaling", "grade": True, "solution": True, "points": 2}}


def test_exercises_have_their_names_and_open_questions_no_points(tmp_path, monkeypatch):
    describe = pages.describe

    def with_open(notebook, about, rows):
        rows["written-scaling"] |= {"open": True, "score": 0.0, "comment": "Say **why**."}
        describe(notebook, about, rows)

    monkeypatch.setattr(pages, "describe", with_open)
    page = pages.page("feedback", tmp_path, CELLS)
    text = " ".join(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL).split())
    assert "12.5 of 14 points ; 1 question is not yet marked" in text
    assert "softmax 1 of 2" in text
    assert "scaling (written) with a comment not yet marked" in text
    assert "Comment: Say why ." in text
    assert "Test cell" not in text
    assert "0.0" not in text


def test_a_locked_cell_that_only_sets_up_is_left_out_unless_it_was_changed_or_failed(tmp_path):
    locked = {"grade": False, "locked": True, "points": 0}
    cells = [graded("set-up", "import importlib.util", **locked), *CELLS]
    assert "importlib" not in pages.page("feedback", tmp_path, cells, frozenset({"import importlib.util"}))
    assert "importlib" in pages.page("feedback", tmp_path, cells, frozenset({"import torch"}))


def test_formulas_are_drawn_without_a_script(tmp_path):
    page = pages.page("feedback", tmp_path, CELLS)
    assert "<mfrac>" in page
    assert '<math display="block">' in page
    assert "<script" not in page
    assert not re.findall(r"https?://(?!www.w3.org)", page), "nothing is fetched"
    assert "$" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize(
    "latex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed;top:0}{x}",
        r"\class{navbar-fixed-top}{x}",
        r"\text{</math><script>alert(1)</script>}",
        r"\mathrm{\"><img src=x onerror=alert(1)>}",
        r"\color{red;background:url(//x)}{x}",
        r"\rule{9999em}{9999em}",
        "{" * 500 + "x" + "}" * 500,
        r"\frac" * 300,
        r"\begin{matrix}" * 60,
        "&lt;script&gt;",
    ],
)
@pytest.mark.parametrize("display", [True, False])
def test_a_hostile_formula_is_only_a_formula(latex, display):
    html = mathml(latex, display)
    if html is None:
        return  # shown as it was typed
    tags = re.findall(r"<[^>]*>", html)
    assert all(re.fullmatch(r"</?m?[a-z]+( [a-z]+=\"[a-z0-9. %-]*\")*>", tag, re.IGNORECASE) for tag in tags), tags
    assert not re.search(r"<(?!/?m)", html)
    for word in ("href", "style=", "class", "onerror=", "<script", "<img", "url("):
        assert word not in " ".join(tags)
    assert "9999em" not in " ".join(tags)


def test_a_mark_inside_a_tag_stays_text():
    formulas = Formulas("n0nce")
    mark = formulas.mark('x"<y>', False)
    assert formulas.put_in(f'<img alt="{mark}"><p>{mark}</p>') == (
        f'<img alt="x&quot;‹y›"><p>{mathml(chr(120) + chr(34) + "<y>", False)}</p>'
    )
    assert formulas.put_in("formulaotherN0e") == "formulaotherN0e"


def test_every_formula_of_the_course_can_be_drawn():
    pattern = re.compile(r"\$\$(.+?)\$\$|(?<!\$)\$([^$\n]+?)\$(?!\$)", re.DOTALL)
    count = 0
    for source in COURSE.sources():
        for found in pattern.finditer(source.read_text(encoding="utf8")):
            html = mathml(found[1] or found[2], bool(found[1]))
            assert html is not None, found[0]
            assert "\\" not in html, found[0]
            count += 1
    assert count > 500


def test_paths_of_the_server_are_left_out(tmp_path):
    paths = [f"{sys.prefix}/lib/python3.11/site-packages/torch/nn.py", "/home/ta/course/x.py", f"{tmp_path}/grading/x"]
    error = {
        "output_type": "error",
        "ename": "E",
        "evalue": "",
        "traceback": [f'File "{path}", line 3' for path in paths],
    }
    page = pages.page("feedback", tmp_path, [pages.code("x", error)])
    assert sys.prefix not in page
    assert str(tmp_path) not in page
    assert "…/torch/nn.py" in page


def test_large_outputs_do_not_make_a_large_page(tmp_path):
    picture = pages.shown({"image/png": "A" * (MOST_OUTPUT - 100)})
    stream = {"output_type": "stream", "name": "stdout", "text": "x" * 400}
    page = pages.page("feedback", tmp_path, [pages.code("a", picture), pages.code("b", picture, stream), *CELLS])
    assert page.count("data:image/png;base64,") == 1
    assert page.count("is left out here") == 2
    assert TABLE.replace("<table", "<table") in page or '<table style="color:red">' in page
    assert len(page) < 300_000


@pytest.mark.parametrize("assignment", COURSE.assignments)
def test_a_lessons_page_has_at_most_300_kb(assignment, tmp_path):
    """With every cell of the solution, and for each check a report of the usual size of one that failed."""
    cells = notebooks.read(COURSE.solution_notebook(assignment))["cells"]
    for cell in cells:
        if notebooks.is_check(cell):
            cell["outputs"] = [pages.shown({"text/html": TABLE * 60, "text/plain": "t"}, autograder=True)]
    [released] = (COURSE.release / assignment).glob("*.ipynb")
    given = frozenset(notebooks.source(cell).strip() for cell in notebooks.read(released)["cells"])
    page = pages.page("feedback", tmp_path, json.loads(json.dumps(cells)), given)
    assert len(page.encode()) <= 300_000
    assert "<h2" in page, "the headings stay"


def test_a_heading_below_which_nothing_is_left_is_left_out(tmp_path):
    prose = ["# Title\n\n## How it works\n\nText.", "## One\n\n### Alone", "### Two\n\nText.", "## Empty", "# Last"]
    kept, cells = pages.code("mine = 1"), [pages.markdown(text) for text in prose]
    page = pages.page("feedback", tmp_path, [*cells[:3], kept, *cells[3:]], frozenset(prose))
    names = ("Title", "How it works", "One", "Alone", "Two", "Empty", "Last")
    assert [name for name in names if re.search(f"<h[1-6][^>]*>{name}", page)] == ["Title", "One", "Two"]


@pytest.mark.browser
def test_on_a_telephone_and_in_the_dark(tmp_path):
    html = pages.page("feedback", tmp_path, [*CELLS, pages.code("x = 1  # " + "long " * 60)])
    path = tmp_path / "page.html"
    path.write_text(html, encoding="utf8")
    with chromium() as browser:
        papers = set()
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport={"width": 400, "height": 800}, color_scheme=scheme, offline=True)
            page, said = context.new_page(), []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.goto(f"file://{path}")
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            papers.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
            box = page.locator("#total").bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 400
            assert said == []
            context.close()
        assert len(papers) == 2
