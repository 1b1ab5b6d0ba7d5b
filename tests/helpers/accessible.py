"""axe-core in a page: what is wrong for a reader who does not see it, or not well."""

import os
from pathlib import Path
from typing import Any

import axe_playwright_python

#: The script; AXE names another version of it.
SCRIPT = Path(os.environ.get("AXE", Path(axe_playwright_python.__file__).with_name("axe.min.js")))


def violations(page: Any, within: str = "body", ignore: tuple[str, ...] = ()) -> list[str]:
    """Return the violations that axe-core finds in an element, each with the beginning of its first example."""
    page.evaluate(SCRIPT.read_text(encoding="utf8"))
    rules = {name: {"enabled": False} for name in ignore}
    found = page.evaluate("([within, rules]) => axe.run(within, {rules})", [within, rules])
    return [f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found["violations"]]
