"""What platforms hand out is put in place: for the right student, only the latest, within bounds, and again without change."""

import os
import unicodedata
import zipfile
from datetime import datetime, timedelta

import archives
import pytest
from archives import ASSIGNMENT, WHEN, archive, notebook, there

from autograder.grading.lms.collect import NEW, NEWER, OLDER, UNCHANGED, YOURS, Order, collect

N = "attention.ipynb"
GRADESCOPE = """\
---
submission_11:
  :submitters:
  - :name: Ada Lovelace
    :sid: s01
    :email: ada@example.org
  - :name: Somebody Else
    :sid: ''
    :email: anne@example.org
  :created_at: 2026-10-05 21:30:00.250000000 Z
  :score: 3.0
submission_12:
  :submitters:
  - :name: Anna Schmidt
    :sid: s05
    :email: anna2@example.org
  :created_at: 2026-10-06 08:00:00.000000000 Z
"""


@pytest.fixture
def course(tmp_path):
    return archives.course(tmp_path / "course")


@pytest.fixture
def collected(course, tmp_path):
    """Collect an archive of these files; return what was done."""

    def run(files, when=WHEN, sheet=None, **more):
        path = archive(tmp_path / "class.zip", files, when)
        if sheet is not None:
            (tmp_path / "sheet.csv").write_text(sheet, encoding="utf8")
            more["sheet"] = tmp_path / "sheet.csv"
        return collect(course, Order(ASSIGNMENT, path, **more))

    return run


def test_moodle_with_folders_and_without(course, collected):
    done = collected(
        {
            f"Ada Lovelace_101_assignsubmission_file_/{N}": notebook("ada"),
            "Ada Lovelace_101_assignsubmission_file_/weights/model.safetensors": b"w",
            "Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html": b"<p>hello",
            f"Änne Müller_102_assignsubmission_file_{N}": notebook("änne"),
            f"Team-7-Seán O’Brien Jr_103_assignsubmission_file_/{N}": notebook("seán"),
            f"王 小明_106_assignsubmission_file_/{N}": notebook("wang"),
            f"Anna Schmidt_104_assignsubmission_file_/{N}": notebook("one of two"),
            f"Nobody Known_199_assignsubmission_file_/{N}": notebook("?"),
        }
    )
    assert done.platform == "Moodle"
    found = there(course)
    assert set(found) == {"s01", "s02", "s03", "s06"}
    assert found["s01"][N] == notebook("ada")
    assert found["s01"]["weights/model.safetensors"] == b"w"
    assert [(name, some) for name, some in done.unmatched] == [
        ("Anna Schmidt / Participant 104", ["s04", "s05"]),
        ("Nobody Known / Participant 199", []),
    ]
    assert done.timed == 0, "an archive's own times are those of the download"
    assert "timestamp.txt" not in found["s01"]


def test_moodles_sheet_tells_two_of_one_name_apart_and_when_they_handed_in(course, collected):
    sheet = (
        "Kennung,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Zuletzt geändert (Abgabe)\n"
        'Teilnehmer/in 104,Anna Schmidt,anna1@example.org,Zur Bewertung abgegeben,,"Monday, 5. October 2026, 23:58"\n'
        'Teilnehmer/in 105,Anna Schmidt,anna2@example.org,Zur Bewertung abgegeben,,"Tuesday, 6 October 2026, 12:01 AM"\n'
        "Teilnehmer/in 101,Ada Lovelace,ada@example.org,Keine Abgabe,,-\n"
    )
    files = {f"Participant_{n}_assignsubmission_file_/{N}": notebook(str(n)) for n in (104, 105)}
    done = collected(files, sheet=sheet)
    assert done.students[NEW] == ["s04", "s05"]
    assert done.timed == 2
    found = there(course)
    assert found["s04"]["timestamp.txt"] == b"2026-10-05 21:58:00.000000 UTC\n", "Berlin is two hours ahead"
    assert found["s05"]["timestamp.txt"] == b"2026-10-05 22:01:00.000000 UTC\n"


def test_canvas(course, collected):
    done = collected(
        {
            "lovelaceada_LATE_4711_815_attention-2.ipynb": notebook("ada"),
            "lovelaceada_LATE_4711_816_model.safetensors": b"w",
            "mülleränne_4712_817_attention.ipynb": notebook("änne"),
            "schmidtanna_4714_818_attention.ipynb": notebook("anna"),
        },
        sheet="Student,ID,SIS User ID,SIS Login ID,Section,01-attention (9)\n    Points Possible,,,,,67\n"
        '"Schmidt, Anna",4714,,aschmidt1,B,\n"Schmidt, Anna",4715,,aschmidt2,B,\n',
    )
    assert done.platform == "Canvas"
    assert done.late == ["s01"]
    assert {student: set(files) for student, files in there(course).items()} == {
        "s01": {"attention-2.ipynb", "model.safetensors"},
        "s02": {N},
        "s04": {N},
    }


def test_brightspace_says_when(course, collected):
    collected(
        {
            f"397063-2557369 - Ada Lovelace - Oct 5, 2026 926 PM/{N}": notebook("first"),
            f"397063-2557370 - Ada Lovelace - Oct 5, 2026 1159 PM/{N}": notebook("last"),
            f"397063-2557371 - Seán O'Brien, Jr. - Oct 6, 2026 1201 AM/{N}": notebook("seán"),
            "index.html": b"<html>",
        }
    )
    found = there(course)
    assert found["s01"] == {N: notebook("last"), "timestamp.txt": b"2026-10-05 21:59:00.000000 UTC\n"}
    assert found["s03"]["timestamp.txt"] == b"2026-10-05 22:01:00.000000 UTC\n"


def test_gradescope_knows_groups_and_times(course, collected):
    done = collected(
        {
            "assignment_1_export/submission_metadata.yml": GRADESCOPE.encode(),
            f"assignment_1_export/submission_11/{N}": notebook("together"),
            f"assignment_1_export/submission_12/answers/{N}": notebook("anna"),
        }
    )
    assert done.platform == "Gradescope"
    found = there(course)
    assert found["s01"] == found["s02"]
    assert found["s01"]["timestamp.txt"] == b"2026-10-05 21:30:00.250000 UTC\n"
    assert set(found["s05"]) == {f"answers/{N}", "timestamp.txt"}


@pytest.mark.parametrize(
    "place", ["Ada Lovelace_101_assignsubmission_file_/", "3-1 - Ada Lovelace - 5 October, 2026 930 PM/", "s01/"]
)
@pytest.mark.parametrize("text", [GRADESCOPE.replace("s01", "s02").encode(), b"x: 1", b"{"])
def test_a_students_file_that_is_called_like_gradescopes_list_is_a_file(course, collected, place, text):
    """It would say whose the hand-ins are."""
    collected(
        {f"{place}{N}": notebook("ada"), f"{place}submission_11/{N}": b"?", f"{place}submission_metadata.yml": text}
    )
    assert there(course)["s01"][N] == notebook("ada")
    assert set(there(course)) == {"s01"}


def test_a_students_file_beside_gradescopes_own_list_is_a_file(course, collected):
    files = {"e/submission_11/submission_metadata.yml": GRADESCOPE.replace("s05", "s02").encode()}
    files |= {"e/submission_metadata.yml": GRADESCOPE.encode(), f"e/submission_12/{N}": notebook("anna")}
    assert collected(files).platform == "Gradescope"
    found = there(course)
    assert set(found) == {"s01", "s02", "s05"}, "the first two are a group"
    assert found["s05"][N] == notebook("anna")
    assert N not in found["s02"]


def test_a_file_that_is_called_like_an_entry_of_moodles_belongs_to_whom_its_own_entry_names(course, collected):
    collected({f"Ada Lovelace_101_assignsubmission_file_x-Änne Müller_102_assignsubmission_file_{N}": notebook("ada")})
    assert set(there(course)) <= {"s01"}


def test_a_folder_of_notebooks_and_copies(course, tmp_path):
    folder = tmp_path / "mail"
    for number, (name, text) in enumerate(
        {
            "attention_s01.ipynb": "old",
            "attention_s01 (1).ipynb": "new",
            "ada@example.org translator.safetensors": "ignored: nobody is called that",
            "amueller/01-attention/attention.ipynb": "änne",
            unicodedata.normalize("NFD", "Seán O'Brien Jr.ipynb"): "seán",
            "xwang/attention (1).ipynb": "older copy",
            "xwang/attention.ipynb": "both are kept: the grading decides",
            "xwang/timestamp.txt": "2020-01-01 00:00:00 UTC",
        }.items()
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf8")
        os.utime(folder / name, (1_790_000_000 + number, 1_790_000_000 + number))
    (folder / "link.ipynb").symlink_to("/etc/passwd")
    done = collect(course, Order(ASSIGNMENT, folder))
    found = there(course)
    assert {student: set(files) for student, files in found.items()} == {
        "s01": {"attention_s01 (1).ipynb"},
        "s02": {"attention.ipynb"},
        "s03": {unicodedata.normalize("NFD", "Seán O'Brien Jr.ipynb")},
        "s06": {"attention (1).ipynb", "attention.ipynb"},
    }, "a student's own time stamp is not taken, nor a link"
    assert found["s01"]["attention_s01 (1).ipynb"] == b"new"
    assert [name for name, _ in done.unmatched] == ["ada@example.org translator / ada@example org translator"]
    assert set(done.missing) == {"s04", "s05"}


def test_a_zipped_folder_around_everything_is_no_student(course, collected):
    collected({f"hand-ins/week 1/s01/{N}": notebook("ada"), f"hand-ins/week 1/s02/{N}": notebook("änne")})
    assert set(there(course)) == {"s01", "s02"}


def test_the_folder_of_a_single_student_is_one(course, collected):
    collected({f"s01/{N}": notebook("ada")})
    assert there(course) == {"s01": {N: notebook("ada")}}


def test_collects_again_newer_and_older_submissions(course, collected):
    files = {f"s01/{N}": notebook("first"), f"s02/{N}": notebook("änne")}
    assert collected(files).students == {NEW: ["s01", "s02"]}
    before = there(course)
    assert collected(files).students == {UNCHANGED: ["s01", "s02"]}
    assert there(course) == before
    files[f"s01/{N}"] = notebook("earlier")
    assert collected(files, WHEN - timedelta(hours=1)).students == {OLDER: ["s01"], UNCHANGED: ["s02"]}
    files[f"s01/{N}"] = notebook("second")
    assert collected(files, WHEN + timedelta(hours=1)).students == {NEWER: ["s01"], UNCHANGED: ["s02"]}
    assert there(course)["s01"] == {N: notebook("second")}


def test_keeps_files_of_a_teacher(course, collected):
    place = course.grading / "submitted" / "s01" / ASSIGNMENT
    place.mkdir(parents=True)
    (place / N).write_bytes(b"mended")
    files = {f"s01/{N}": notebook("broken"), f"s02/{N}": notebook("änne")}
    assert collected(files).students == {YOURS: ["s01"], NEW: ["s02"]}
    assert (place / N).read_bytes() == b"mended"
    (course.grading / "submitted" / "s02" / ASSIGNMENT / N).write_bytes(b"mended, too")
    assert collected(files).students == {YOURS: ["s01"], UNCHANGED: ["s02"]}
    assert there(course)["s02"] == {N: b"mended, too"}
    collected(files, force=True)
    assert there(course)["s01"] == {N: notebook("broken")}


def test_the_times_of_files_count_when_asked(course, collected):
    collected({f"s01/{N}": notebook("ada")}, datetime(2026, 10, 5, 23, 59), entry_times=True)
    assert there(course)["s01"]["timestamp.txt"] == b"2026-10-05 21:59:00.000000 UTC\n"


@pytest.mark.parametrize("path", ["s01/../../../evil.ipynb", "s01/a/../../s02/x.ipynb", f"s01/{'n' * 151}.ipynb"])
def test_a_path_that_leads_out_is_refused(course, collected, path):
    done = collected({path: b"x", f"s02/{N}": notebook("änne")})
    assert [student for student, _ in done.refused] == ["s01"]
    assert set(there(course)) == {"s02"}
    assert not list(course.root.parent.rglob("evil*"))


def test_bombs_and_links_in_an_archive(course, tmp_path):
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(f"s01/{N}", notebook("ada"))
        made.writestr("s01/corpus.txt", bytes(60 * 2**20))
        link = zipfile.ZipInfo(f"s02/{N}")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        for number in range(201):
            made.writestr(f"s06/{number}.txt", b"x")
    done = collect(course, Order(ASSIGNMENT, path))
    assert [(student, why.split(" ")[0]) for student, why in done.refused] == [
        ("s01", "'s01/corpus.txt'"),
        ("s06", "there"),
    ]
    assert there(course) == {}


def test_a_damaged_entry_costs_only_its_student(course, tmp_path):
    path = archive(tmp_path / "class.zip", {f"s01/{N}": b"attention " * 5000, f"s02/{N}": notebook("änne")})
    data = bytearray(path.read_bytes())
    at = data.index(b"s01/") + 30
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    done = collect(course, Order(ASSIGNMENT, path))
    assert [student for student, _ in done.refused] == ["s01"]
    assert set(there(course)) == {"s02"}


def test_errors_say_what_to_do(course, tmp_path):
    with pytest.raises(LookupError, match=r"no assignment '1-attention'. Expected one of: 01-attention"):
        collect(course, Order("1-attention", tmp_path))
    with pytest.raises(FileNotFoundError, match="does not exist"):
        collect(course, Order(ASSIGNMENT, tmp_path / "nothing.zip"))
    (tmp_path / "text.zip").write_text("no archive")
    with pytest.raises(ValueError, match="neither a folder nor a zip"):
        collect(course, Order(ASSIGNMENT, tmp_path / "text.zip"))
    (course.grading / "roster.csv").unlink()
    with pytest.raises(LookupError, match="There is no class yet"):
        collect(course, Order(ASSIGNMENT, tmp_path))


def test_reports_unmatched_students(course, tmp_path, command):
    path = archive(tmp_path / "class.zip", {f"s01/{N}": b"x", f"who is this/{N}": b"x"})
    done = command("autograder", "collect", ASSIGNMENT, path, cwd=course.root)
    assert done.returncode == 1
    assert "who is this" in done.stdout
    assert "collect: 01-attention from files, 1 students: 1 new" in done.stdout
    assert "nothing from: s02, s03, s04, s05, s06" in done.stdout
