"""Predictions by a click: what is kept, what is said beside the result, and the buttons in a browser."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from accessible import violations
from browser import chromium, opened

from course_lib import predictions
from course_lib.predictions import came_out, outcome, predict, question, store

ASK = ("shuffled", "The patches are shuffled. What is left?", ["nearly all", "about <half>", "chance"])


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder, and a kernel that has not asked anything."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(store, "_HERE", {})
    monkeypatch.setattr(predictions, "_ASKED", {})
    monkeypatch.setattr(predictions, "_OUTCOMES", {})
    monkeypatch.setattr(predictions, "_LATE", set())
    return tmp_path


@pytest.fixture
def live(monkeypatch):
    """As in an open notebook."""
    for module in (predictions, outcome):
        monkeypatch.setattr(module, "in_live_notebook", lambda: True)


def restarted(monkeypatch):
    monkeypatch.setattr(store, "_HERE", {})


def test_a_click_is_kept_in_the_folder_of_the_history(live, folder):
    predict(*ASK).choice = "about <half>"
    assert json.loads((folder / ".autograder" / "predictions.json").read_text("utf8")) == {"shuffled": "about <half>"}
    assert [path.name for path in (folder / ".autograder").iterdir()] == ["predictions.json"]


def test_a_click_is_there_after_a_restart_and_may_be_changed(live, monkeypatch):
    assert predict(*ASK).choice == ""
    predict(*ASK).choice = "chance"
    restarted(monkeypatch)
    again = predict(*ASK)
    assert (again.choice, again.note) == ("chance", "Noted earlier; you may still change it.")
    again.choice = "nearly all"
    assert (store.recorded("shuffled"), again.note) == ("nearly all", "Noted. Now run the next cell.")


@pytest.mark.parametrize(
    ("choice", "came", "said"),
    [
        ("chance", "chance", "You predicted “chance”, and so it came out."),
        ("nearly all", "chance", "You predicted “nearly all”; it came out as “chance”. A surprise teaches most"),
        ("", "chance", "It came out as “chance”. No prediction was clicked before."),
    ],
)
def test_one_sentence_stands_beside_the_result(live, choice, came, said):
    asked = predict(*ASK)
    if choice:
        asked.choice = choice
    assert str(came_out("shuffled", came)).startswith(said)


def test_a_click_after_the_result_updates_the_sentence_but_is_no_prediction(live, monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            shown.append(data)

    monkeypatch.setattr("IPython.display.display", lambda data, **options: shown.append(data) or Handle())
    asked = predict(*ASK)
    came_out("shuffled", "chance")._ipython_display_()
    asked.choice = "about <half>"
    assert [("No prediction" in data["text/plain"]) for data in shown] == [True, False]
    assert shown[1]["text/html"].count("<p ") == 1
    assert "You chose “about &lt;half&gt;” when the result was there." in shown[1]["text/html"]
    assert asked.note == "Noted. The result was there already."
    assert "when the result was there" in str(came_out("shuffled", "chance")), "also when its cell runs again"


def test_an_option_without_a_button_is_not_stored(live, folder):
    predict(*ASK).choice = "what a browser made up"
    assert not (folder / ".autograder").exists()
    assert "No prediction" in str(came_out("shuffled", "chance"))


def test_an_option_of_an_earlier_version_is_no_answer(live):
    store.record("shuffled", "an option of last year")
    assert predict(*ASK).choice == ""
    assert "No prediction" in str(came_out("shuffled", "chance"))


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b"[1]", b'{"shuffled": 3}', b"[" * 100_000])
def test_a_damaged_file_stops_nobody(live, folder, damage):
    (folder / ".autograder").mkdir()
    (folder / ".autograder" / "predictions.json").write_bytes(damage)
    asked = predict(*ASK)
    assert asked.choice == ""
    asked.choice = "chance"
    assert json.loads((folder / ".autograder" / "predictions.json").read_text("utf8")) == {"shuffled": "chance"}


def test_where_nothing_can_be_written_a_click_lasts_as_long_as_the_kernel(live, folder, monkeypatch):
    (folder / ".autograder").write_text("a file where a folder should be")
    asked = predict(*ASK)
    asked.choice = "chance"
    assert asked.note == "Noted until this kernel stops: the disk took no file."
    assert "You predicted “chance”" in str(came_out("shuffled", "chance"))
    restarted(monkeypatch)
    assert "No prediction" in str(came_out("shuffled", "chance"))


def test_without_a_kernel_it_is_text_and_writes_nothing(folder):
    asked = predict(*ASK)
    assert str(asked).splitlines() == [ASK[1], *(f"  ( ) {option}" for option in ASK[2])]
    assert "<li>about &lt;half&gt;</li>" in asked._repr_html_()
    store.record("shuffled", "chance")
    assert str(came_out("shuffled", "nearly all")) == "It came out as “nearly all”."
    (folder / ".autograder" / "predictions.json").unlink()
    assert list((folder / ".autograder").iterdir()) == []


def test_where_no_widget_manager_is_there_is_the_text(live):
    bundle, _ = predict(*ASK)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "<li>chance</li>" in bundle["text/html"]


def test_mismatched_options_are_errors():
    for options in (["one"], ["one", "one"], "ab"):
        with pytest.raises(ValueError, match="at least two different options"):
            predict("x", "y?", options)
    predict(*ASK)
    with pytest.raises(ValueError, match="Expected one of the options of 'shuffled'"):
        came_out("shuffled", "half")


def test_importing_it_loads_nothing_heavy():
    code = "import sys, course_lib.predictions; print(sorted({'torch', 'anywidget', 'IPython'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


SCRIPT = Path(question.__file__).with_name("question.js").read_text(encoding="utf8")


def test_the_script_is_one_file_that_asks_no_network():
    assert not [word for word in ("import ", "http", "fetch(", "innerHTML", "eval(") if word in SCRIPT]


PAGE = """<!doctype html><html lang=en><title>x</title><body style="{style}"><main><h1>x</h1><div id=here></div></main>
<script type=module>
const values = {values}, heard = {{}};
window.model = {{
  get: name => values[name], on: (name, call) => {{ heard[name] = call; }}, off: name => {{ delete heard[name]; }},
  set: (name, value) => {{ values[name] = value; }}, save_changes: () => {{ window.sent = values.choice; }},
  told: (name, value) => {{ values[name] = value; heard[`change:${{name}}`](); }},
}};
const source = new Blob([{script}], {{type: "text/javascript"}});
const part = await import(URL.createObjectURL(source));
part.default.render({{model: window.model, el: document.getElementById("here")}});
</script></html>"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


def page_of(browser, choice="", style="background:#fff;color:#111"):
    values = {"question": ASK[1], "options": ASK[2], "choice": choice, "note": ""}
    script = json.dumps(SCRIPT).replace("</", "<\\/")
    page = opened(browser, PAGE.format(values=json.dumps(values), script=script, style=style))
    page.locator("fieldset").wait_for()
    return page


@pytest.mark.browser
def test_a_click_reaches_the_kernel_and_its_note_is_a_status(browser):
    page = page_of(browser)
    group = page.get_by_role("group", name=f"Your prediction. {ASK[1]}")
    assert group.get_by_role("radio").count() == 3
    assert page.get_by_role("radio", checked=True).count() == 0
    page.get_by_text("about <half>").click()
    assert page.evaluate("window.sent") == "about <half>"
    page.evaluate("window.model.told('note', 'Noted.')")
    assert page.get_by_role("status").inner_text() == "Noted."


@pytest.mark.browser
def test_it_works_by_the_keyboard_alone_with_a_visible_focus(browser):
    page = page_of(browser, choice="nearly all")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("window.sent") == "about <half>"
    focused = page.evaluate("document.activeElement.parentNode.style.outline")
    assert "2px" in focused, focused
    assert page.locator("label[style*='outline: rgb']").count() == 1


@pytest.mark.browser
def test_another_view_follows(browser):
    page = page_of(browser)
    page.evaluate("window.model.told('choice', 'chance')")
    assert page.get_by_role("radio", name="chance").is_checked()


@pytest.mark.browser
@pytest.mark.parametrize("style", ["background:#fff;color:#111", "background:#111;color:#eee"], ids=["light", "dark"])
def test_axe_finds_no_violation_in_a_narrow_window(browser, style):
    page = page_of(browser, choice="chance", style=style)
    page.set_viewport_size({"width": 400, "height": 600})
    assert violations(page, "main") == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
