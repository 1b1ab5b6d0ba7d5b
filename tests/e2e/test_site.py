"""The course as a site: every link leads somewhere, nothing comes from a network, no page gives an answer away."""

import html
import re
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from accessible import violations
from browser import chromium
from some_cases import only

from autograder.authoring.bundle import scheme_lines
from autograder.authoring.leaks import leaked_lines
from autograder.authoring.site import leaking, site
from autograder.authoring.site.course_map import direct
from autograder.authoring.site.readme import parts
from autograder.content.known_answers import misconceptions
from autograder.grading.course import Course
from autograder.runtime.errors import Diagnosis

pytestmark = pytest.mark.slow

LESSON, EXERCISE = "01-attention", "causal_mask"
MAIN, PAGE, MISTAKES = "index.html", f"lessons/{LESSON}.html", f"mistakes/{LESSON}/{EXERCISE}.html"


@pytest.fixture(scope="module")
def course(root):
    return Course(root)


FIGURES = {"first": [LESSON], "all": []}


@pytest.fixture(
    scope="module",
    params=only([], FIGURES, "Sphinx writes its 250 pages for two minutes"),
)
def built(request, course, tmp_path_factory):
    """The site with the figures of the first lesson, and with those of all."""
    folder = tmp_path_factory.mktemp("site") / "site"
    [line] = site(course, folder, FIGURES[request.param])
    assert "index.html" in line
    return folder


def pages(built):
    found = {path: path.read_text(encoding="utf8") for path in sorted(built.rglob("*.html"))}
    assert len(found) > 100
    return found


def test_every_lesson_and_every_known_mistake_has_its_place(course, built):
    for assignment in course.assignments:
        assert (built / "lessons" / f"{assignment}.html").is_file()
        lesson = course.lessons.of(assignment)
        for exercise in lesson.exercises:
            text = (built / "mistakes" / assignment / f"{exercise}.html").read_text(encoding="utf8")
            said = re.sub(r"</?em>", "*", html.unescape(text))
            for case in misconceptions(lesson, exercise):
                assert f"<h2>{case.title}<" in text, case
                what, _, _ = Diagnosis(case.title, case.hint, case.why).steps()
                assert what.split("`")[0].strip() in said, case


def test_shows_figures_of_cells_that_need_no_exercise(built):
    text = (built / PAGE).read_text(encoding="utf8")
    assert 'alt="How large are the scores?' in text, "section 2 needs no exercise"
    assert "NotImplementedError</span>" in text, "the exercises' own text"
    assert "Traceback" not in text
    assert "This notebook computes on" not in text
    assert "marked ×" in (built / MISTAKES).read_text(encoding="utf8")


def test_every_link_leads_somewhere(built):
    texts = pages(built)
    names = {path: set(re.findall(r'\bid="([^"]*)"', text)) for path, text in texts.items()}
    wrong = []
    for path, text in texts.items():
        for address in map(html.unescape, re.findall(r'\b(?:href|src)="([^"]*)"', text)):
            if re.match(r"https?:|data:|mailto:", address):
                continue
            file, anchor = urldefrag(address)
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            if not target.is_file() or (anchor and target in names and unquote(anchor) not in names[target]):
                wrong.append((path.name, address))
    assert wrong == []


def test_nothing_comes_from_a_network(built):
    for path, text in pages(built).items():
        loaded = re.findall(r'<(?:script|img|iframe|source|video)\b[^>]*\bsrc="(?!data:)([^"]*)"', text)
        loaded += re.findall(r'<link\b[^>]*\bhref="([^"]*)"', text)
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], path
    for path in built.rglob("*.css"):
        assert not re.search(r"(url\(|@import)\s*['\"]?(https?:)?//", path.read_text(encoding="utf8")), path


def test_no_page_gives_an_answer_away(course, built):
    assert leaking.leaks(course, built) == []


@pytest.mark.parametrize("page", [PAGE, MISTAKES, "contributing.html", "searchindex.js"])
@pytest.mark.parametrize("kind", ["solution", "right answer", "mark scheme", "picture's text"])
def test_a_planted_answer_is_found(course, built, tmp_path, page, kind):
    source = course.source_of(LESSON).read_text(encoding="utf8")
    notebook = course.solution_notebook(LESSON).read_text(encoding="utf8")
    solution = max(leaked_lines(notebook, notebook), key=len)
    right = "return exponentials / exponentials.sum(dim=dim, keepdim=True)"
    line = {"mark scheme": scheme_lines(source)[0], "right answer": right}.get(kind, solution)
    planted = "".join(f"<span>{html.escape(part)}</span>" for part in re.split(r"(\W)", line))
    if kind == "picture's text":
        planted = f'<img alt="{html.escape(line)}">'
    copy = tmp_path / page
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text((built / page).read_text(encoding="utf8") + planted, encoding="utf8")
    assert [told for told in leaking.leaks(course, tmp_path) if told.startswith(page)]


def test_the_command_replaces_a_site_and_nothing_else(course, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="something other than a site"):
        site(course, tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    with pytest.raises(LookupError, match="There is no lesson '11-other'"):
        site(course, tmp_path / "new", ["11-other"])


def test_reports_missing_docs(second_course, tmp_path):
    with pytest.raises(LookupError, match=r"no docs/conf\.py"):
        site(second_course, tmp_path / "new")


def test_the_map_leaves_out_what_another_arrow_says():
    below = {"1": frozenset(), "2": frozenset("1"), "3": frozenset("12"), "4": frozenset("1")}
    assert direct(below) == {"1": [], "2": ["1"], "3": ["2"], "4": ["1"]}


def test_a_readme_is_cut_at_its_headings():
    found = parts("# Title\n\nFirst.\n\n## For a student\n\nText.\n\n### Part\n\n## Notation\nX\n")
    assert found == {"introduction": "First.\n", "for-a-student": "Text.\n\n### Part\n", "notation": "X\n"}


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


def shown(browser, built: Path, page: str, width: int = 1300, **options):
    """Return a page as it is on disk, without any server, and refuse all that is not on disk."""
    opened = browser.new_page(viewport={"width": width, "height": 900}, **options)
    opened.route(re.compile("^(?!file:|data:)"), lambda route: pytest.fail(f"{page} asks for {route.request.url}"))
    opened.goto(f"{(built / page).as_uri()}", wait_until="load")
    return opened


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", [MAIN, "map.html", PAGE, "mistakes.html", MISTAKES, "teachers.html", "search.html"])
def test_pages_are_accessible(browser, built, page, scheme):
    opened = shown(browser, built, page, color_scheme=scheme)
    assert violations(opened) == []
    opened.close()


@pytest.mark.browser
@pytest.mark.parametrize("width", [400, 760, 1600])
@pytest.mark.parametrize("page", [MAIN, "map.html", PAGE, MISTAKES, "teachers.html", "contributing.html"])
def test_pages_are_never_wider_than_their_window(browser, built, page, width):
    opened = shown(browser, built, page, width)
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()


@pytest.mark.browser
def test_words_of_a_lesson_are_found_without_a_network(browser, built):
    opened = shown(browser, built, "index.html")
    opened.goto(f"{(built / 'search.html').as_uri()}?q=Bahdanau")
    opened.wait_for_selector("#search-results li a")
    found = opened.eval_on_selector_all("#search-results li a", "links => links.map(link => link.getAttribute('href'))")
    assert any(PAGE in address for address in found), found
    opened.close()
