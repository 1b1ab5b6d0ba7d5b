"""``autograder feedback --zip``: the pages as an archive that Moodle or Canvas gives back to the students.

Both identify the student of a file by the name that the platform gave the submission in its download. Moodle (*Upload multiple
feedback files in a zip*) reads the participant's number in the name of the folder. Canvas (*Upload Submissions*) reads the
numbers of the student and of the file, and shows the upload under the name of the submitted file: so the answer to a zip archive
is an archive with the page, and the answer to a notebook is the graded notebook.
"""

import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import PurePosixPath

from autograder.grading.console import readable
from autograder.grading.course import Course
from autograder.grading.gradebook.collected import Record, load_records
from autograder.grading.lms.platforms import CANVAS, MOODLE

_MOODLE_FOLDER = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_")
_HOW = {MOODLE: "Upload multiple feedback files in a zip", CANVAS: "Upload Submissions"}


def write_feedback_zip(course: Course, assignment: str, students: Sequence[str]) -> list[str]:
    """Write an archive for each platform from which the students' work was collected; return lines that describe the archives."""
    records = load_records(course, assignment)
    lines = []
    for platform, how in _HOW.items():
        files: dict[str, bytes] = {}
        for student in students:
            record = records.get(student)
            if record is not None and record.platform == platform and _names_a_participant(record):
                files |= _feedback(course, assignment, student, record)
        if files:
            path = course.grading / "export" / f"{assignment}-feedback-{platform.lower()}.zip"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(zipped(files))
            lines.append(f"{path}: for {platform} ({how}); files: {len(files)}")
    left_out = [
        student_id
        for student_id in students
        if (record := records.get(student_id)) is None or not record.platform or not _names_a_participant(record)
    ]
    if left_out:
        lines.append(
            f"in no zip, because their work was not collected from {' or '.join(_HOW)}, or in Moodle of a group "
            "or under a name without the participant's number: "
            f"{', '.join(map(readable, left_out))}"
        )
    return lines


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a zip archive of these files, the same for the same files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


def _feedback(course: Course, assignment: str, student: str, record: Record) -> dict[str, bytes]:
    """Return a student's feedback under the platform's name for it; empty if there is none."""
    pages = sorted((course.grading / "feedback" / student / assignment).glob("*.html"))
    if record.platform == MOODLE:
        folder = _moodle_folder(record.uploaded_as)
        return {f"{folder}/{page.name}": page.read_bytes() for page in pages}
    kind = PurePosixPath(record.uploaded_as).suffix.lower()
    if kind == ".zip" and pages:
        return {record.uploaded_as: zipped({page.name: page.read_bytes() for page in pages})}
    graded = sorted((course.grading / "autograded" / student / assignment).glob("*.ipynb"))
    return {record.uploaded_as: graded[0].read_bytes()} if kind == ".ipynb" and graded else {}


def _names_a_participant(record: Record) -> bool:
    """Return whether the platform will know from the submission's name whose it was: Moodle needs the participant's number."""
    return record.platform != MOODLE or _MOODLE_FOLDER.match(record.uploaded_as) is not None


def _moodle_folder(name: str) -> str:
    """Return the folder name of a participant. Moodle takes the text between the first two underscores as the number."""
    match = _MOODLE_FOLDER.match(name)
    assert match is not None, name  # _names_a_participant has said so
    return f"{match['name'].replace('_', ' ')}_{match['number']}_assignsubmission_file_"
