"""Make docs/feedback.png, the picture in the README: run `python docs/feedback.py [CHROMIUM]` from the repository's root."""

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from autograder.checks.execute import NotebookStudent
from autograder.content.known_answers import misconceptions
from autograder.content.lesson import Lessons
from autograder.content.references import namespace
from autograder.verdict.runner import run_checks

LESSON, EXERCISE, MISTAKE, SEED = "01-attention", "scaled_dot_product_attention", "mask_after_softmax", 1729


def main() -> None:
    """Check a known wrong answer and take a picture of the table that a student sees."""
    lesson = Lessons().of(LESSON)
    names = namespace(lesson)
    [case] = [case for case in misconceptions(lesson, EXERCISE) if case.name == MISTAKE]
    exec(compile(case.text, str(case), "exec"), names)
    report = run_checks(EXERCISE, NotebookStudent(names, lesson), SEED)
    style = "body{font:14px 'DejaVu Sans',sans-serif;width:1000px;margin:16px}code{font-size:12px}"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "page.html"
        page_file.write_text(f"<meta charset='utf8'><style>{style}</style>{report._repr_html_()}", encoding="utf8")
        browser = playwright.chromium.launch(
            executable_path=(sys.argv[1:] or ["/usr/bin/chromium"])[0], args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1040, "height": 400})
        page.goto(page_file.as_uri())
        page.screenshot(path=str(Path(__file__).with_name("feedback.png")), full_page=True)
        browser.close()


if __name__ == "__main__":
    main()
