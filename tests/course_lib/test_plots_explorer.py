"""Attention to look into: what is sent, what is shown without a widget, and the picture itself in a browser."""

import base64
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from accessible import violations
from browser import chromium, needs_chromium, opened

from course_lib.plots import explore_attention, explorer

A = torch.softmax(torch.arange(2 * 3 * 5, dtype=torch.float32).reshape(2, 3, 5).sin() * 3, -1)
QUERIES, KEYS = ["le", "chat", "<b>"], ["the", "cat", "sat", ".", "&"]


@pytest.fixture
def live(monkeypatch):
    """As in an open notebook."""
    monkeypatch.setattr(explorer, "in_live_notebook", lambda: True)
    yield
    plt.close("all")


def test_the_widget_gets_the_students_own_numbers_and_names(live):
    made = explore_attention(A, QUERIES, KEYS, {"head": ["a", "b"]}, expected=A + 0.1)
    assert np.array_equal(np.frombuffer(made.weights, np.float32).reshape(2, 3, 5), A.numpy())
    assert np.allclose(np.frombuffer(made.expected, np.float32).reshape(2, 3, 5), A.numpy() + 0.1)
    assert (made.queries, made.keys, made.axes) == (QUERIES, KEYS, [{"name": "head", "labels": ["a", "b"]}])


def test_where_no_widget_manager_is_there_is_a_picture_with_words(live):
    bundle, _ = explore_attention(A, QUERIES, KEYS, {"head": ["a", "b"]})._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert 'alt="Attention weights. ' in bundle["text/html"]
    assert "data:image/png;base64,iVBOR" in bundle["text/html"]
    assert len(bundle["text/html"]) < 60_000


def test_in_a_plain_program_and_in_the_grader_it_is_the_static_picture():
    axes = explore_attention(A, QUERIES, KEYS)
    assert [ax.get_title() or ax.get_title(loc="left") for ax in axes] == ["axis 0 0", "axis 0 1"]
    assert explore_attention(A[0]).get_title(loc="left") == "Attention weights"
    plt.close("all")


@pytest.mark.parametrize(
    ("weights", "more", "message"),
    [
        (A[0, 0], {}, "Expected A of shape"),
        (torch.zeros(2, 0, 3), {}, "Expected A of shape"),
        (torch.zeros(2000, 2000), {}, "Pick a part of it"),
        (A, {"axes": {"head": ["a"]}}, r"leading axes of the sizes \[2\]"),
        (A, {"queries": ["a"]}, "queries"),
        (A, {"expected": A[0]}, "to compare with"),
    ],
)
def test_what_does_not_fit_is_said(weights, more, message):
    with pytest.raises(ValueError, match=message):
        explore_attention(weights, **more)


def test_the_script_is_one_file_that_asks_no_network():
    text = Path(explorer.__file__).with_name("explorer.js").read_text(encoding="utf8")
    for word in ("import ", "http", "fetch(", "innerHTML", "eval("):
        assert word not in text


PAGE = """<!doctype html><html lang=en><title>x</title><body style="{style}"><main><h1>x</h1><div id=here></div></main>
<script type=module>
const bytes = text => new DataView(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
const values = {values};
for (const name of ["weights", "expected"]) values[name] = bytes(values[name]);
const source = new Blob([{script}], {{type: "text/javascript"}});
const part = await import(URL.createObjectURL(source));
part.default.render({{model: {{get: name => values[name]}}, el: document.getElementById("here")}});
</script></html>"""


def page_of(browser, expected=b"", style="background:#fff;color:#111"):
    values = {
        "weights": base64.b64encode(A.numpy().tobytes()).decode(),
        "expected": base64.b64encode(expected).decode(),
        "shape": [2, 3, 5],
        "queries": QUERIES,
        "keys": KEYS,
        "axes": [{"name": "head", "labels": ["a", "b"]}],
        "title": "Two heads",
    }
    script = Path(explorer.__file__).with_name("explorer.js").read_text(encoding="utf8")
    html = PAGE.format(values=json.dumps(values), script=json.dumps(script).replace("</", "<\\/"), style=style)
    page = opened(browser, html)
    page.locator("main table").wait_for()
    return page


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def numbers(page):
    return [
        [float(cell.strip("×")) for cell in row.locator("td").all_inner_texts()]
        for row in page.locator("tbody tr").all()
    ]


@needs_chromium
def test_a_slider_chooses_the_head_and_a_button_the_query(browser):
    page = page_of(browser)
    assert np.allclose(numbers(page), A[0], atol=0.006)
    page.get_by_role("slider", name="head").fill("1")
    assert np.allclose(numbers(page), A[1], atol=0.006)
    page.get_by_role("button", name="chat", exact=True).click()
    best = KEYS[int(A[1, 1].argmax())]
    assert page.get_by_role("status").inner_text().startswith(f"chat attends to {best} {A[1, 1].max():.2f}")
    assert "sum to 1.00" in page.get_by_role("status").inner_text()


@needs_chromium
def test_it_works_by_the_keyboard_alone(browser):
    page = page_of(browser)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert np.allclose(numbers(page), A[1], atol=0.006)
    for _ in range(4):  # past the table to its second query
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "chat":
            break
    page.keyboard.press("Enter")
    assert page.get_by_role("status").inner_text().startswith("chat attends to")


@needs_chromium
def test_cells_that_differ_from_the_expected_ones_are_marked(browser):
    right = A.clone()
    right[0, 2, 4] += 0.2
    page = page_of(browser, right.numpy().tobytes())
    marked = [text for text in page.locator("tbody td").all_inner_texts() if text.startswith("×")]
    assert marked == [f"×{A[0, 2, 4]:.2f}"]
    assert (
        page.locator("tbody tr").nth(2).locator("td").nth(4).get_attribute("title") == f"expected {right[0, 2, 4]:.3f}"
    )


@needs_chromium
@pytest.mark.parametrize("style", ["background:#fff;color:#111", "background:#111;color:#eee"], ids=["light", "dark"])
def test_axe_finds_no_violation(browser, style):
    page = page_of(browser, style=style)
    page.set_viewport_size({"width": 480, "height": 800})
    assert violations(page, "main") == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
