"""The browser in which pages are tested."""

import shutil

import pytest

CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)

#: For tests that open a page: a laptop without a browser can run all others.
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, which .ci/run installs")
