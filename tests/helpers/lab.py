"""JupyterLab in a folder, with a real browser in front of it, as a student has it."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from browser import CHROMIUM

from autograder.notebook import kernel

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
#: Milliseconds to wait for what a student sees after a few seconds on an idle machine.
PATIENCE = 180_000

_RUNNING = """() => {
  const light = document.querySelector('.jp-Notebook-ExecutionIndicator');
  return light && light.dataset.status === 'idle';
}"""


@contextlib.contextmanager
def lab(folder: Path, theme: str = "JupyterLab Light") -> Iterator[str]:
    """Start JupyterLab in a folder, in simple mode and without its questions; yield its address."""
    settings = folder / ".lab-settings"
    apputils = settings / "@jupyterlab" / "apputils-extension"
    apputils.mkdir(parents=True, exist_ok=True)
    for name, values in (("notification", {"fetchNews": "false"}), ("themes", {"theme": theme})):
        (apputils / f"{name}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf8")
    profile = folder / ".ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    shutil.copy(Path(kernel.__file__).with_name("ipython_kernel_config.json"), profile)  # as make install does
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}"]
    log = folder / ".lab.log"
    with open(log, "w", encoding="utf8") as file:
        server = subprocess.Popen(
            [*command, "--IdentityProvider.token="],
            cwd=folder,
            env={**os.environ, "JUPYTERLAB_SETTINGS_DIR": str(settings), "IPYTHONDIR": str(folder / ".ipython")},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", server, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(60)


def picture(place: Any, name: str, *between: Any) -> None:
    """Write a picture for the README, if PICTURES names a folder: of an element, or of a page from one element to another."""
    if folder := os.environ.get("PICTURES"):
        boxes = [element.bounding_box() for element in between]
        left, top = (min((box[side] for box in boxes), default=0) for side in ("x", "y"))
        clip = {
            "x": left - 8,
            "y": top - 8,
            "width": max((box["x"] + box["width"] for box in boxes), default=0) - left + 16,
            "height": max((box["y"] + box["height"] for box in boxes), default=0) - top + 16,
        }
        place.screenshot(path=str(Path(folder, f"{name}.png")), **({"clip": clip} if boxes else {}))


def _wait_for(address: str, server: subprocess.Popen, log: Path) -> None:
    for _ in range(240):
        assert server.poll() is None, log.read_text(encoding="utf8")
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(log.read_text(encoding="utf8"))


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Yield a browser that sees the network of this machine."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


class Notebook:
    """A notebook opened in the browser, in Lab's simple mode."""

    def __init__(self, page: Any, address: str, path: str):
        self.page = page
        page.set_default_timeout(PATIENCE)
        self._sessions = f"{address}/api/sessions"
        page.goto(f"{address}/doc/tree/{path}", wait_until="domcontentloaded")
        page.locator(".jp-Notebook").wait_for()
        self._wait_for_kernel()
        self.wait()

    def wait(self) -> None:
        """Wait until the kernel has nothing to do."""
        self.page.wait_for_function(_RUNNING)

    def _wait_for_kernel(self) -> None:
        """Wait until the page is connected to its kernel. Before, the light says idle, and a cell that is run asks for one."""
        for _ in range(PATIENCE // 500):
            with urllib.request.urlopen(self._sessions, timeout=60) as answer:
                if any((session["kernel"] or {}).get("connections") for session in json.load(answer)):
                    return
            self.page.wait_for_timeout(500)
        raise AssertionError("the page was never connected to a kernel")

    def _answer_dialog(self) -> None:
        """Accept what Lab asks when a kernel starts too slowly for it (which one to take, say), as a student would."""
        dialog = self.page.locator(".jp-Dialog")
        if dialog.count():
            print("JupyterLab asked:", dialog.first.inner_text())
            dialog.first.locator(".jp-mod-accept").click()
            dialog.first.wait_for(state="detached")

    def run_all(self) -> None:
        """Run all cells from the menu. What is asked of a kernel that is just starting is lost: this looks whether it began."""
        for _ in range(10):
            self._answer_dialog()
            self._menu("Run", "Run All Cells")
            self.page.wait_for_timeout(1500)
            if self.page.locator(".jp-CodeCell .jp-InputPrompt").first.inner_text().strip() != "[ ]:":
                return
        raise AssertionError("the kernel runs nothing")

    def restart(self) -> None:
        """Restart the kernel from the menu."""
        self._menu("Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        self.page.wait_for_timeout(1500)
        self._wait_for_kernel()
        self.wait()

    def _menu(self, menu: str, item: str) -> None:
        self.page.keyboard.press("Escape")
        self.page.get_by_role("menuitem", name=menu, exact=True).click()
        self.page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True).click()  # beside it stands its shortcut

    def cell(self, text: str) -> Any:
        """Return the code cell whose input contains a text."""
        return self.page.locator(".jp-CodeCell").filter(has=self.page.locator(".cm-content", has_text=text)).first

    def run(self, text: str) -> Any:
        """Run the cell that contains a text, wait for the kernel, and return the cell."""
        cell = self.cell(text)
        cell.scroll_into_view_if_needed()
        prompt = cell.locator(".jp-InputPrompt").first
        before = prompt.inner_text()
        for _ in range(10):  # what is asked of a kernel that is just starting is lost
            self._answer_dialog()
            cell.locator(".cm-content").click()
            self.page.keyboard.press("Control+Enter")
            self.page.wait_for_timeout(1000)
            if prompt.inner_text() != before:
                break
        for _ in range(PATIENCE // 500):
            if "*" not in prompt.inner_text():
                break
            self.page.wait_for_timeout(500)
        self.wait()
        return cell

    def write(self, text: str, new: str) -> None:
        """Replace the whole text of a cell by pasting."""
        cell = self.cell(text)
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(new)

    def add_below(self, text: str, new: str) -> None:
        """Add a cell below the one that contains a text."""
        cell = self.cell(text)
        cell.scroll_into_view_if_needed()
        cell.locator(".cm-content").click()
        for key in ("Escape", "b", "Enter"):
            self.page.keyboard.press(key)
        self.page.keyboard.insert_text(new)

    def save(self) -> None:
        """Save as a student does."""
        self.page.keyboard.press("Control+s")
        self.page.wait_for_timeout(1500)

    def show(self, text: str) -> None:
        """Scroll to the cell that contains a text."""
        self.cell(text).evaluate("cell => cell.scrollIntoView()")
        self.page.wait_for_timeout(400)
