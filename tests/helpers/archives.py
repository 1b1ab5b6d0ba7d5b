"""What platforms hand out, made small: in the layouts of their own documentation and code."""

import io
import json
import zipfile
from datetime import datetime
from pathlib import Path

from autograder.grading.course import Course

ASSIGNMENT = "01-attention"
WHEN = datetime(2026, 10, 5, 21, 30)

ROSTER = """\
id,last_name,first_name,email,login,section,group
s01,Lovelace,Ada,ada@example.org,alovelace,A,
s02,Müller,Änne,anne@example.org,amueller,A,
s03,"O'Brien, Jr.",Seán,sean@example.org,sobrien,B,
s04,Schmidt,Anna,anna1@example.org,aschmidt1,B,
s05,Schmidt,Anna,anna2@example.org,aschmidt2,B,
s06,王,小明,wang@example.org,xwang,B,
"""


def course(place: Path, roster: str = ROSTER) -> Course:
    """Return a course with one assignment and a class, but no gradebook."""
    for folder, name in (("solutions", "attention.py"), ("assignments", "attention.ipynb")):
        (place / folder / ASSIGNMENT).mkdir(parents=True)
        (place / folder / ASSIGNMENT / name).write_text("{}", encoding="utf8")
    (place / "nbgrader_config.py").touch()
    (place / "course.toml").write_text('timezone = "Europe/Berlin"\n', encoding="utf8")
    (place / "grading").mkdir()
    (place / "grading" / "roster.csv").write_text(roster, encoding="utf8")
    return Course(place)


def notebook(text: str) -> bytes:
    cell = {"cell_type": "code", "source": text, "metadata": {}, "outputs": [], "execution_count": None}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def archive(path: Path, files: dict[str, bytes], when: datetime = WHEN) -> Path:
    """Write a zip archive whose entries have this time."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(zipfile.ZipInfo(name, when.timetuple()[:6]), content)
    path.write_bytes(data.getvalue())
    return path


def there(course: Course) -> dict[str, dict[str, bytes]]:
    """Return everything in ``grading/submitted`` by student and path."""
    submitted = course.grading / "submitted"
    found: dict[str, dict[str, bytes]] = {}
    for path in sorted(submitted.rglob("*")):
        if path.is_file():
            student, assignment, *rest = path.relative_to(submitted).parts
            assert assignment == ASSIGNMENT
            found.setdefault(student, {})["/".join(rest)] = path.read_bytes()
    return found
