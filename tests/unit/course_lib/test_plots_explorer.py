"""Attention to look into: what is sent, what is shown without a widget, and the picture itself in a browser."""

import base64
import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from accessible import violations
from browser import chromium, opened

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
    assert (made.query_names, made.key_names, made.axes) == (QUERIES, KEYS, [{"name": "head", "labels": ["a", "b"]}])


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


def test_pictures_whose_names_are_too_long_have_only_their_labels_and_the_name_stands_above_all():
    axes = explore_attention(A, QUERIES, KEYS, {"scores divided by": ["1", "√D_Q = 16"]}, title="Ten keys")
    assert [ax.get_title() or ax.get_title(loc="left") for ax in axes] == ["1", "√D_Q = 16"]
    assert axes[0].figure.get_suptitle() == "Ten keys, scores divided by"
    plt.close("all")


def test_keys_may_be_the_cells_of_a_grid_over_a_picture(live):
    made = explore_attention(A[0, :, :4], QUERIES, picture=torch.rand(1, 6, 6), grid=(2, 2))
    assert (made.key_names, made.grid, made.coloured) == (CELLS, [2, 2], False)
    assert made.picture.startswith("data:image/png;base64,iVBOR")
    assert "le" in made.static["text/html"]


@pytest.mark.parametrize("channels", [1, 3])
def test_without_a_widget_the_first_queries_stand_over_the_picture(channels):
    axes = explore_attention(A[..., :4], QUERIES, picture=torch.rand(channels, 6, 6), grid=(2, 2))
    assert [ax.get_xlabel() for ax in axes] == QUERIES
    strength = np.asarray(axes[0].images[1].get_alpha())
    most = A[0, 0, :4].argmax().item()
    assert (strength.argmax() if channels == 1 else strength.argmin()) == most
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
        (A, {"grid": (1, 5)}, "Expected a picture and a grid of 5 cells"),
        (A, {"grid": (2, 2), "picture": torch.rand(1, 8, 8)}, r"got the grid \(2, 2\)"),
        (A, {"grid": (1, 5), "picture": torch.rand(8, 8)}, "Expected picture of shape"),
    ],
)
def test_mismatched_arguments_are_errors(weights, more, message):
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


def page_of(browser, expected=b"", style="background:#fff;color:#111", weights=A, **more):
    values = {
        "weights": base64.b64encode(weights.numpy().tobytes()).decode(),
        "expected": base64.b64encode(expected).decode(),
        "shape": [2, 3, 5],
        "query_names": QUERIES,
        "key_names": KEYS,
        "axes": [{"name": "head", "labels": ["a", "b"]}],
        "title": "Two heads",
        "grid": [],
        **more,
    }
    script = Path(explorer.__file__).with_name("explorer.js").read_text(encoding="utf8")
    html = PAGE.format(values=json.dumps(values), script=json.dumps(script).replace("</", "<\\/"), style=style)
    page = opened(browser, html)
    page.locator("main table").wait_for()
    return page


CELLS = ["row 0, column 0", "row 0, column 1", "row 1, column 0", "row 1, column 1"]
ON_A_PICTURE = torch.softmax(torch.arange(2 * 5 * 4, dtype=torch.float32).reshape(2, 5, 4).cos() * 3, -1)


def page_over_a_picture(browser, **more):
    made = explorer.ground(torch.rand(3, 8, 8), (2, 2), 4)
    more = {
        "shape": [2, 5, 4],
        "query_names": ["class token", *CELLS],
        "key_names": CELLS,
        "grid": [2, 2],
        "picture": made.png(),
        "coloured": True,
    } | more
    return page_of(browser, weights=ON_A_PICTURE, **more)


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def numbers(page):
    return [
        [float(cell.strip("×")) for cell in row.locator("td").all_inner_texts()]
        for row in page.locator("tbody tr").all()
    ]


@pytest.mark.browser
def test_a_slider_chooses_the_head_and_a_button_the_query(browser):
    page = page_of(browser)
    assert np.allclose(numbers(page), A[0], atol=0.006)
    page.get_by_role("slider", name="head").fill("1")
    assert np.allclose(numbers(page), A[1], atol=0.006)
    page.get_by_role("button", name="chat", exact=True).click()
    best = KEYS[int(A[1, 1].argmax())]
    assert page.get_by_role("status").inner_text().startswith(f"chat attends to {best} ({A[1, 1].max():.2f})")
    assert "sum to 1.00" in page.get_by_role("status").inner_text()


@pytest.mark.browser
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


@pytest.mark.browser
def test_cells_that_differ_from_the_expected_ones_are_marked(browser):
    right = A.clone()
    right[0, 2, 4] += 0.2
    page = page_of(browser, right.numpy().tobytes())
    marked = [text for text in page.locator("tbody td").all_inner_texts() if text.startswith("×")]
    assert marked == [f"×{A[0, 2, 4]:.2f}"]
    assert (
        page.locator("tbody tr").nth(2).locator("td").nth(4).get_attribute("title") == f"expected {right[0, 2, 4]:.3f}"
    )


@pytest.mark.browser
@pytest.mark.parametrize("style", ["background:#fff;color:#111", "background:#111;color:#eee"], ids=["light", "dark"])
def test_axe_finds_no_violation(browser, style):
    page = page_of(browser, style=style)
    page.set_viewport_size({"width": 480, "height": 800})
    assert violations(page, "main") == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def said(page):
    return page.get_by_role("status").inner_text()


@pytest.mark.browser
def test_over_a_picture_a_slider_or_a_click_chooses_the_query(browser):
    page = page_over_a_picture(browser)
    best = CELLS[int(ON_A_PICTURE[0, 0].argmax())]
    assert said(page).startswith(f"class token attends to {best} ({ON_A_PICTURE[0, 0].max():.2f})")
    page.get_by_role("slider", name="head").fill("1")
    page.locator("td").nth(3).click()
    best = CELLS[int(ON_A_PICTURE[1, 4].argmax())]
    assert said(page).startswith(f"{CELLS[3]} attends to {best} ({ON_A_PICTURE[1, 4].max():.2f})")
    assert page.get_by_role("slider", name="query").input_value() == "4"
    page.get_by_role("slider", name="query").fill("1")
    assert said(page).startswith(f"{CELLS[0]} attends to")
    names = [cell.get_attribute("aria-label") for cell in page.locator("td button").all()]
    assert names == [f"{key}: {weight:.3f}" for key, weight in zip(CELLS, ON_A_PICTURE[1, 1].tolist(), strict=True)]


@pytest.mark.browser
@pytest.mark.parametrize("coloured", [True, False], ids=["veil", "tint"])
def test_cells_with_high_weights_are_clear_or_tinted(browser, coloured):
    page = page_over_a_picture(browser, coloured=coloured)
    shades = [
        cell.evaluate("cell => getComputedStyle(cell).backgroundColor") for cell in page.locator("td button").all()
    ]
    alpha = [float(shade.rstrip(")").split(",")[3]) if shade.startswith("rgba") else 1.0 for shade in shades]
    most = int(ON_A_PICTURE[0, 0].argmax())
    assert alpha[most] == pytest.approx(0.0 if coloured else 0.75, abs=0.01)
    assert (min(alpha) if coloured else max(alpha)) == alpha[most]


@pytest.mark.browser
@pytest.mark.parametrize("style", ["background:#fff;color:#111", "background:#111;color:#eee"], ids=["light", "dark"])
@pytest.mark.parametrize("queries", [["class token", *CELLS], list("abcde")], ids=["patches ask", "words ask"])
def test_axe_finds_no_violation_over_a_picture(browser, style, queries):
    page = page_over_a_picture(browser, style=style, query_names=queries)
    page.set_viewport_size({"width": 400, "height": 800})
    assert violations(page, "main") == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
