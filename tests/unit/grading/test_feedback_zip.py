"""Feedback under the names by which Moodle and Canvas know a student's work."""

import io
import zipfile

import archives
import pytest
from archives import ASSIGNMENT, archive, notebook

from autograder.grading.gradebook.collected import load_records
from autograder.grading.lms.collect import CollectOptions, collect
from autograder.grading.lms.feedback_zip import write_feedback_zip, zipped

N = "attention.ipynb"

IN_NO_ZIP = (
    "in no zip, because their work was not collected from Moodle or Canvas, or in Moodle of a group or under a name without the "
    "participant's number:"
)


@pytest.fixture
def course(tmp_path):
    return archives.course(tmp_path / "course")


def collected(course, tmp_path, files):
    return collect(course, CollectOptions(ASSIGNMENT, archive(tmp_path / "class.zip", files)))


def give_pages(course, *students):
    """Write what ``autograder feedback`` and grading leave behind."""
    for student in students:
        page = course.grading / "feedback" / student / ASSIGNMENT / "attention.html"
        graded = course.grading / "autograded" / student / ASSIGNMENT / N
        for path, text in ((page, f"<p>page of {student}"), (graded, f"graded {student}")):
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf8")


def content(path):
    with zipfile.ZipFile(path) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def test_moodle_reads_the_participants_number_in_the_folders_name(course, tmp_path):
    files = {
        f"Ada Lovelace_101_assignsubmission_file_/{N}": notebook("ada"),
        "Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html": b"<p>hello",
        f"Änne Müller_102_assignsubmission_file_{N}": notebook("änne"),
    }
    collected(course, tmp_path, files)
    give_pages(course, "s01", "s02", "s04")
    said = write_feedback_zip(course, ASSIGNMENT, ["s01", "s02", "s04"])
    path = course.grading / "export" / f"{ASSIGNMENT}-feedback-moodle.zip"
    assert content(path) == {
        "Ada Lovelace_101_assignsubmission_file_/attention.html": b"<p>page of s01",
        "Änne Müller_102_assignsubmission_file_/attention.html": b"<p>page of s02",
    }
    assert said == [
        f"{path}: for Moodle (Upload multiple feedback files in a zip); files: 2",
        f"{IN_NO_ZIP} s04",
    ]


def test_an_underscore_in_a_name_does_not_hide_the_number_from_moodle(course, tmp_path):
    collected(course, tmp_path, {f"Ada_Lovelace_101_assignsubmission_file_/{N}": notebook("ada")})
    give_pages(course, "s01")
    write_feedback_zip(course, ASSIGNMENT, ["s01"])
    [name] = content(course.grading / "export" / f"{ASSIGNMENT}-feedback-moodle.zip")
    assert name.split("_")[1] == "101"


def test_canvas_gets_a_file_of_the_kind_that_was_handed_in(course, tmp_path):
    files = {
        f"lovelaceada_4711_816_{N}": notebook("ada"),
        "lovelaceada_4711_817_model.safetensors": b"w",
        "mulleranne_LATE_4712_818_01-attention.zip": zipped({N: notebook("änne")}),
    }
    done = collected(course, tmp_path, files)
    assert not done.unmatched
    give_pages(course, "s01", "s02")
    write_feedback_zip(course, ASSIGNMENT, ["s01", "s02"])
    found = content(course.grading / "export" / f"{ASSIGNMENT}-feedback-canvas.zip")
    page = found.pop("mulleranne_LATE_4712_818_01-attention.zip")
    assert found == {f"lovelaceada_4711_816_{N}": b"graded s01"}
    assert content(io.BytesIO(page)) == {"attention.html": b"<p>page of s02"}


def test_work_that_was_collected_before_gets_its_name(course, tmp_path):
    """Records of an earlier version have none."""
    files = {f"Ada Lovelace_101_assignsubmission_file_/{N}": notebook("ada")}
    collected(course, tmp_path, files)
    records = course.grading / "collected" / f"{ASSIGNMENT}.json"
    text = records.read_text(encoding="utf8")
    records.write_text(text.replace('"Moodle"', '""'), encoding="utf8")
    collected(course, tmp_path, files)
    assert load_records(course, ASSIGNMENT)["s01"].platform == "Moodle"


def test_feedback_for_a_group_of_moodles_goes_to_no_participant(tmp_path):
    """The number in its folder's name is the group's: Moodle would give the page to the participant of that number."""
    course = archives.course(tmp_path / "course", "id,group\ns01,Team 7\ns02,Team 7\n")
    collected(course, tmp_path, {f"Team 7_12_assignsubmission_file/{N}": notebook("seven")})
    give_pages(course, "s01", "s02")
    assert write_feedback_zip(course, ASSIGNMENT, ["s01", "s02"]) == [
        f"{IN_NO_ZIP} s01, s02",
    ]


def test_a_name_without_moodles_number_goes_into_no_zip(course, tmp_path):
    """A teacher may say ``--platform Moodle`` of folders that were named by hand."""
    give_pages(course, "s01")
    place = course.grading / "collected" / f"{ASSIGNMENT}.json"
    collected(course, tmp_path, {f"Ada Lovelace_101_assignsubmission_file_/{N}": notebook("ada")})
    records = place.read_text(encoding="utf8")
    place.write_text(records.replace("Ada Lovelace_101_assignsubmission_file_", "ada"), encoding="utf8")
    assert load_records(course, ASSIGNMENT)["s01"].uploaded_as == "ada"
    assert write_feedback_zip(course, ASSIGNMENT, ["s01"]) == [f"{IN_NO_ZIP} s01"]
