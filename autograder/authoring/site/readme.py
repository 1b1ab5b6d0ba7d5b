"""Extract the parts of README.md and CONTRIBUTING.md that pages of the site include."""

import re
from pathlib import Path

from autograder.grading.course import Course

#: Paths on the site of files of the repository, relative to the root of its pages.
_ON_SITE = {"docs/feedback.png": "feedback.png", "CONTRIBUTING.md": "contributing.md"}


def parts(readme: str) -> dict[str, str]:
    """Return the sections of a README by name, such as ``for-a-student``; the text before the first is ``introduction``."""
    first, *sections = re.split(r"^## ", readme, flags=re.MULTILINE)
    texts = {"introduction": first.partition("\n")[2]}
    for section in sections:
        title, _, text = section.partition("\n")
        texts[re.sub(r"\W+", "-", title.strip().lower())] = text
    return {name: text.strip() + "\n" for name, text in texts.items()}


def lesson_rows(readme: str) -> dict[str, str]:
    """Return the description of each lesson ("from … to") in the README's table."""
    return dict(re.findall(r"^\| `(\d\d-[\w-]+)` \| ([^|]+) \|", readme, flags=re.MULTILINE))


def write_parts(course: Course, pages: Path) -> None:
    """Write each section as a file in ``_readme/``, for pages to include, and CONTRIBUTING.md as a page."""
    (pages / "_readme").mkdir()
    for name, text in parts((course.root / "README.md").read_text(encoding="utf8")).items():
        (pages / "_readme" / f"{name}.md").write_text(_linked(text), encoding="utf8")
    text = (course.root / "CONTRIBUTING.md").read_text(encoding="utf8")
    (pages / "contributing.md").write_text(_linked(text), encoding="utf8")


def _linked(text: str) -> str:
    """Redirect links to the site's own pages, and link the lessons' names in the table."""

    def redirected(match: re.Match[str]) -> str:
        return f"]({_ON_SITE.get(match[1], match[1].removeprefix('docs/'))})"

    text = re.sub(r"\]\(((?:docs/)?[\w-]+\.(?:md|png))\)", redirected, text)
    return re.sub(r"^\| `(\d\d-[\w-]+)` \|", r"| [\1](lessons/\1.ipynb) |", text, flags=re.MULTILINE)
