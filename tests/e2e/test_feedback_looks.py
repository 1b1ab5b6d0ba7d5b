"""The table of a check and the panel of a notebook, seen in a browser: narrow, enlarged, dark, and read aloud."""

import pytest
import torch
from accessible import violations
from browser import chromium, opened

from autograder.checks import matrix_view
from autograder.checks.execute import NotebookStudent
from autograder.content.known_answers import misconceptions
from autograder.content.lesson import Lessons
from autograder.content.references import namespace
from autograder.nbgrader_plugins.sanitise import clean_report
from autograder.notebook.progress import ExerciseProgress, LessonProgress, Panel
from autograder.runtime.errors import CheckFailure
from autograder.verdict.report import CheckResult, ExerciseReport
from autograder.verdict.runner import run_checks

pytestmark = pytest.mark.browser

THEMES = {"light": "background:#fff;color:#111", "dark": "background:#111;color:#eee"}
#: Widths of a window, and one that is enlarged by half.
WIDTHS = {"480": 480, "760": 760, "1300": 1300, "1300 at 150 %": 1300 / 1.5}


@pytest.fixture(scope="module")
def report():
    """A wrong answer whose feedback has everything: a cause, numbers, a picture, a repetition, and what the code printed."""
    lesson, exercise = Lessons().of("01-attention"), "scaled_dot_product_attention"
    names = namespace(lesson)
    [case] = [case for case in misconceptions(lesson, exercise) if case.name == "mask_after_softmax"]
    exec(compile(case.text, str(case), "exec"), names)
    made = run_checks(exercise, NotebookStudent(names, lesson), 1729)
    made.results[0].printed = "x" * 300
    made.since = "Your last change mended “one output row for every query”."
    return made


@pytest.fixture(scope="module")
def panel():
    rows = [ExerciseProgress("scaled_dot_product_attention", "changed since its check", False, "run it", 0.0, 14.0)]
    rows += [ExerciseProgress("softmax", "all points", True, "", 7.0, 7.0)]
    files = [
        ExerciseProgress(
            "a_checkpoint_with_a_long_name.safetensors", "older than your last change", False, "train again"
        )
    ]
    return Panel(
        LessonProgress("01-attention", rows, [ExerciseProgress("Written question 1", "answered", True)], files),
        ["Saved."],
        "",
    )


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened_browser:
        yield opened_browser


def page_of(browser, html, theme="light", width=1300.0):
    style = f"body{{margin:8px;font:14px sans-serif;{THEMES[theme]}}}"
    whole = (
        f"<!doctype html><html lang=en><title>x</title><style>{style}</style><body><main><h1>x</h1>{html}</main></html>"
    )
    page = opened(browser, whole)
    page.set_viewport_size({"width": round(width), "height": 900})
    return page


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS.keys())
@pytest.mark.parametrize("what", ["report", "panel"])
def test_nothing_is_cut_off_and_the_points_stay_visible(browser, request, what, width):
    page = page_of(browser, request.getfixturevalue(what)._repr_html_(), width=width)
    page.eval_on_selector_all("details", "all => all.forEach(e => e.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    boxes = page.eval_on_selector_all(
        "main > table > tbody > tr > td:last-child", "all => all.map(e => e.getBoundingClientRect().right)"
    )
    assert len(boxes) >= 4
    assert max(boxes) <= round(width)
    assert page.evaluate(
        "[...document.querySelectorAll('main > table > tbody > tr > :not([colspan])')]"
        ".every(e => e.scrollWidth <= e.clientWidth + 1)"
    ), "no word is longer than its column"


def test_pictures_lie_side_by_side_where_there_is_room_and_else_below_each_other(browser, report):
    def tops(width):
        page = page_of(browser, report._repr_html_(), width=width)
        places = page.eval_on_selector_all(
            "td > div > div:has(> table)", "all => all.map(e => e.getBoundingClientRect().top)"
        )
        assert len(places) >= 2
        return places[:2]

    wide, narrow = tops(1300), tops(480)
    assert abs(wide[0] - wide[1]) < 20
    assert narrow[1] - narrow[0] > 50


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("what", ["report", "panel"])
def test_axe_finds_no_violation(browser, request, what, theme):
    for html in (
        request.getfixturevalue(what)._repr_html_(),
        clean_report(request.getfixturevalue(what)._repr_html_()),
    ):
        page = page_of(browser, html, theme)
        page.eval_on_selector_all("details", "all => all.forEach(e => e.open = true)")
        assert violations(page, "main") == []


def test_axe_would_find_what_is_wrong(browser):
    page = page_of(browser, "<img src='data:,x'><div style='color:#ccc;background:#fff'>pale</div>")
    assert {one.partition(":")[0] for one in violations(page, "main")} >= {"image-alt", "color-contrast"}


def test_the_table_has_a_caption_headers_and_accessible_names(browser, report):
    page = page_of(browser, report._repr_html_())
    table = page.locator("main > table")
    assert report.exercise in table.locator("> caption").inner_text()
    assert table.locator("> thead th[scope=col]").all_inner_texts() == ["property", "points"]
    assert table.locator("> tbody > tr > th[scope=row]").count() == len(report.shown())
    spoken = table.locator("> tbody > tr > th [role=img]").evaluate_all("all => all.map(e => e.ariaLabel)")
    assert spoken == ["passed" if result.passed else "failed" for result in report.shown()]
    inner = page.locator("td table").first
    assert inner.locator("caption").inner_text().startswith("expected")
    assert inner.locator("thead th[scope=col]").count() == inner.locator("tbody tr").first.locator("td").count()


def test_the_cause_comes_before_the_numbers(report):
    for text in (str(report), report._repr_html_()):
        assert 0 < text.index("Likely cause: mask after softmax") < text.index("A has wrong values")


def test_a_matrix_that_is_too_wide_scrolls_by_the_keyboard(browser):
    values = torch.rand(3, 40)
    failure = CheckFailure("value", "wrong", picture=matrix_view.Matrix(values, values, values > 0.5, "A"))
    html = ExerciseReport("softmax", 1, [CheckResult("check", "It is right", 1.0, 0.0, failure)])._repr_html_()
    page = page_of(browser, html, width=480)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert violations(page, "main") == []
    region = page.locator("[role=group]").first
    region.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


@pytest.mark.parametrize("value", [0.0, 0.2, 0.45, 0.5, 0.55, 0.6, 0.8, 1.0])
def test_the_ink_of_a_cell_can_be_read(value):
    """The contrast of text and ground is at least 4.5 to 1, as WCAG asks for."""
    shade = tuple(round(a + (b - a) * value) for a, b in zip(matrix_view._LIGHT, matrix_view._DARK, strict=True))

    def luminance(colour):
        light = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
        return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]

    ink = {"#000": (0, 0, 0), "#fff": (255, 255, 255)}[matrix_view.ink_on(shade)]
    low, high = sorted((luminance(shade), luminance(ink)))
    assert (high + 0.05) / (low + 0.05) >= 4.5
