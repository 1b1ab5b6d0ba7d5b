"""How Sphinx makes the site of the course. `autograder site` writes what the pages here include, and then calls Sphinx."""

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging

from autograder.nbgrader_plugins.mathematics import mathml

project = "Attention and Transformers"
author = "the authors of the course"
html_title = project
extensions = ["myst_nb", "sphinx.ext.autodoc"]
exclude_patterns = ["_readme"]
html_theme = "furo"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_copy_source = False  # of a page's source a reader has no use
html_show_sphinx = False
highlight_language = "text"
html_math_renderer = "mathml"  # browsers draw it themselves: no script, no font, no network
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"  # what can be run has been run
suppress_warnings = ["mystnb.unknown_mime_type"]

_log = logging.getLogger(__name__)
#: What may be wider than a narrow page scrolls in its own place, by the keyboard too.
_SCROLLING = re.compile(r'<(pre|div class="(?:table-wrapper|math|map)[^"]*")(?=[ >])')
#: What the theme and docutils leave out for those who do not see the page.
_SPOKEN = {
    'role="heading">': 'role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="Parts of this page">',
    '<th class="head"><p></p></th>': "<td></td>",
}


def setup(app: Sphinx) -> None:
    """Add formulas without a script, and scrolling by the keyboard."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("html-page-context", _by_keyboard)
    app.connect("build-finished", _by_ear)


def _inline(writer: Any, node: nodes.Element) -> None:
    writer.body.append(_formula(node, False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.Element) -> None:
    writer.body.append(f'<div class="math notranslate">{_formula(node, True)}</div>')
    raise nodes.SkipNode


def _formula(node: nodes.Element, display: bool) -> str:
    made = mathml(node.astext().strip(), display)
    if made is None:
        _log.warning("This formula cannot be drawn: %s", node.astext(), location=node)
        return ""
    return made


def _by_keyboard(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object) -> None:
    if "body" in context:
        context["body"] = _SCROLLING.sub(r'<\1 tabindex="0"', context["body"])


def _by_ear(app: Sphinx, error: Exception | None) -> None:
    for path in [] if error else Path(app.outdir).rglob("*.html"):
        text = path.read_text(encoding="utf8")
        for silent, spoken in _SPOKEN.items():
            text = text.replace(silent, spoken)
        path.write_text(text, encoding="utf8")
