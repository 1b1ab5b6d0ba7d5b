"""Make docs/report.png, a picture in the README: run `make demo` and then `python docs/report.py [CHROMIUM]`, at the root."""

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from autograder.grading.course import Course
from autograder.grading.teacher.report import write_report

LESSON = "01-attention"


def main() -> None:
    """Write the report on the sample class, and take a picture of its beginning."""
    page_file = write_report(Course(Path("demo").resolve()), LESSON)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=(sys.argv[1:] or ["/usr/bin/chromium"])[0], args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1040, "height": 860})
        page.goto(page_file.as_uri())
        page.screenshot(path=str(Path(__file__).with_name("report.png")))
        browser.close()


if __name__ == "__main__":
    main()
