"""``autograder site``: the course as a site that works offline, without any answer."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autograder.authoring.site.course_map import map_page
from autograder.authoring.site.glossary import on_site
from autograder.authoring.site.leaking import leaks
from autograder.authoring.site.lesson_pages import lesson_page
from autograder.authoring.site.readme import write_parts
from autograder.grading.console import progress
from autograder.grading.course import Course


def site(course: Course, output: Path, drawn: Sequence[str] = ()) -> list[str]:
    """Build the site in a folder, replacing its content. Returns lines that describe the result.

    ``drawn``: the lessons whose cells are run and whose mistakes are drawn (default: all). Raises LookupError if the course has
    no ``docs/conf.py``, ValueError if a page would give an answer away or Sphinx reports a problem, such as a broken link.
    """
    if unknown := [name for name in drawn if name not in course.assignments]:
        raise LookupError(f"There is no lesson {unknown[0]!r}. There are: {', '.join(course.assignments)}.")
    if not (course.root / "docs" / "conf.py").is_file():
        raise LookupError(f"{course.root} has no docs/conf.py, which says what the site looks like.")
    if output.exists() and any(output.iterdir()) and not (output / "searchindex.js").is_file():
        raise ValueError(f"{output} holds something other than a site. Choose another folder with --output.")
    with tempfile.TemporaryDirectory() as folder:
        pages, built = Path(folder, "pages"), Path(folder, "site")
        _write_pages(course, pages, drawn or course.assignments)
        _sphinx(pages, built)
        if leaked := leaks(course, built):
            raise ValueError(f"The site would give answers away: {'; '.join(leaked[:5])}")
        shutil.rmtree(output, ignore_errors=True)
        shutil.copytree(built, output)
    return [f"site: {output / 'index.html'}, {len(list(output.rglob('*.html')))} pages"]


def _write_pages(course: Course, pages: Path, drawn: Sequence[str]) -> None:
    """Write the pages that Sphinx reads: those of ``docs/``, and those generated from the course."""
    from autograder.authoring.site.mistakes import (
        write_mistakes,  # loads PyTorch, which `autograder build` does without
    )

    shutil.copytree(course.root / "docs", pages)
    write_parts(course, pages)
    (pages / "map.md").write_text(map_page(course), encoding="utf8")
    glossary = pages / "glossary.md"
    glossary.write_text(on_site(glossary.read_text(encoding="utf8")), encoding="utf8")
    (pages / "lessons").mkdir()
    with progress("running what needs no exercise, drawing mistakes", len(course.assignments)) as step:
        for assignment in course.assignments:
            page = lesson_page(course, assignment, assignment in drawn)
            (pages / "lessons" / f"{assignment}.ipynb").write_text(page, encoding="utf8")
            write_mistakes(course.lessons.of(assignment), pages / "mistakes", assignment in drawn)
            step()


def _sphinx(pages: Path, built: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    more = ["-d", str(built.with_name("doctrees")), str(pages), str(built)]
    done = subprocess.run([*command, *more], capture_output=True, text=True, encoding="utf8", errors="replace")
    if done.returncode:
        raise ValueError(f"Sphinx could not build the site:\n{done.stderr.strip()[-4000:]}")
    (built / ".buildinfo").unlink(missing_ok=True)
