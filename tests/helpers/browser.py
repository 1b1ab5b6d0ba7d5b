"""The browser in which pages are tested."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbgrader
import pytest

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

FORMGRADER = Path(nbgrader.__file__).parent / "server_extensions" / "formgrader"

#: Whether a reader sees this element: nothing else lies at the centre of its first line.
_SEEN = """element => {
  element.scrollIntoView({block: "nearest"});
  const box = element.getClientRects()[0];
  const found = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return box.width > 0 && box.height > 0 && element.contains(found);
}"""


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser without a network: pages get nbgrader's own files, and nothing else."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"] if os.getuid() == 0 else [])
        yield browser
        browser.close()


def opened(browser: Any, html: str) -> Any:
    """Return the page with this text, after its scripts had time to run."""

    def answer(route: Any) -> None:
        address = route.request.url.removeprefix("http://course.test/")
        if address == "page":
            route.fulfill(body=html, content_type="text/html; charset=utf-8")
        elif address.startswith("formgrader/static/") and (FORMGRADER / address.removeprefix("formgrader/")).is_file():
            route.fulfill(path=FORMGRADER / address.removeprefix("formgrader/"))
        else:
            route.abort()

    page = browser.new_page(viewport={"width": 1300, "height": 900})
    page.route("**/*", answer)
    page.goto("http://course.test/page", wait_until="load")
    return page


def is_seen(page: Any, selector: str) -> bool:
    """Return whether the first element that the selector finds is visible, and not covered at its centre."""
    return page.locator(selector).first.evaluate(_SEEN)
