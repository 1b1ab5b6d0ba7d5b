"""What platforms hand out is put in place: for the right student, only the latest, within bounds, and again without change."""

import os
import time
import unicodedata
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import archives
import pytest
from archives import ASSIGNMENT, WHEN, archive, notebook, there
from rich.console import Console

from autograder.grading.gradebook.collected import marked_late
from autograder.grading.lms.collect import (
    NEW,
    NEWER,
    OLDER,
    UNCHANGED,
    YOURS,
    CollectOptions,
    collect,
    print_result,
)

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
        return collect(course, CollectOptions(ASSIGNMENT, path, **more))

    return run


def test_reads_moodles_archives_with_folders_and_without(course, collected):
    done = collected(
        {
            f"Ada Lovelace_101_assignsubmission_file_/{N}": notebook("ada"),
            "Ada Lovelace_101_assignsubmission_file_/weights/model.safetensors": b"w",
            "Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html": b"<p>hello",
            f"Änne Müller_102_assignsubmission_file_{N}": notebook("änne"),
            f"Seán O’Brien Jr_103_assignsubmission_file_/{N}": notebook("seán"),
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
    assert done.with_time == 0, "an archive's own times are those of the download"
    assert "timestamp.txt" not in found["s01"]


def test_in_moodles_assignments_for_groups_the_groups_name_stands_before_the_students(course, collected):
    files = {
        f"Team-7-Seán O’Brien Jr_103_assignsubmission_file_/{N}": notebook("seán"),
        f"Default group-Ada Lovelace_101_assignsubmission_file_/{N}": notebook("ada"),
    }
    collected(files)
    assert set(there(course)) == {"s01", "s03"}


def test_a_first_name_with_a_hyphen_is_no_group(course, collected):
    """Where no groups hand in, the end of a name is not a name."""
    done = collected(
        {
            f"Marie-Ada Lovelace_107_assignsubmission_file_/{N}": notebook("a guest"),
            f"Änne Müller_102_assignsubmission_file_/{N}": notebook("änne"),
        }
    )
    assert done.unmatched == [("Marie-Ada Lovelace / Participant 107", [])]
    assert set(there(course)) == {"s02"}


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
    assert done.with_time == 2
    found = there(course)
    assert found["s04"]["timestamp.txt"] == b"2026-10-05 21:58:00.000000 UTC\n", "Berlin is two hours ahead"
    assert found["s05"]["timestamp.txt"] == b"2026-10-05 22:01:00.000000 UTC\n"


@pytest.mark.parametrize(
    ("titles", "time"),
    [
        ("Идентификатор,Полное имя,Эл. почта,Состояние,Оценка,Последнее изменение (ответ)", "5 октября 2026, 23:58"),
        ("?,??,???,????,?????,??????", "понедельник, 5 октября 2026, 23:58"),
        ("ID,フルネーム,メール,状態,評点,最終更新日時 (提出)", "2026年 10月 5日(月曜日) 23:58"),
    ],
)
def test_moodles_sheet_says_in_any_language_when_somebody_handed_in(course, collected, titles, time):
    rows = f'x 101,Ada Lovelace,ada@example.org,ok,,"{time}","6 мая 2027, 10:00"\nx 102,Änne Müller,,,,-,-\n'
    done = collected({f"Ada Lovelace_101_assignsubmission_file/{N}": notebook("ada")}, sheet=f"{titles},?\n{rows}")
    assert not done.unparsed_times
    assert there(course)["s01"]["timestamp.txt"] == b"2026-10-05 21:58:00.000000 UTC\n"


def test_moodles_sheet_may_hold_all_that_students_have_typed(course, collected):
    sheet = f'Identifier,Full name,Online text\nParticipant 101,Ada Lovelace,"{"long " * 50_000}"\n'
    collected({f"Ada L._101_assignsubmission_file/{N}": notebook("ada")}, sheet=sheet)
    assert not there(course), "her name in the archive is another"
    collected({f"Ada Lovelace_101_assignsubmission_file/{N}": notebook("ada")}, sheet=sheet)
    assert set(there(course)) == {"s01"}


def test_a_time_of_another_calendar_is_reported(collected):
    sheet = 'شناسه,نام کامل,وضعیت,تغییر\nشرکت کننده 101,Ada Lovelace,x,"دوشنبه، 13 مهر 1405، 23:58"\n'
    done = collected({f"Ada Lovelace_101_assignsubmission_file/{N}": notebook("ada")}, sheet=sheet)
    assert done.unparsed_times == [("s01", "دوشنبه، 13 مهر 1405، 23:58")]


def test_late_work_whose_time_a_teacher_has_written_is_not_listed_any_more(course, collected):
    collected({f"lovelaceada_LATE_4711_815_{N}": notebook("ada")})
    assert marked_late(course, ASSIGNMENT) == {"s01": "Canvas"}
    stamp = course.grading / "submitted" / "s01" / ASSIGNMENT / "timestamp.txt"
    stamp.write_text("2026-10-06 08:15:00 UTC\n", encoding="utf8")
    assert marked_late(course, ASSIGNMENT) == {}


def test_reads_canvas_archives(course, collected):
    done = collected(
        {
            "lovelaceada_LATE_4711_815_attention-2.ipynb": notebook("ada"),
            "lovelaceada_LATE_4711_816_model.safetensors": b"w",
            "mülleränne_4712_817_attention.ipynb": notebook("änne"),
            "schmidtanna_4714_818_attention.ipynb": notebook("anna"),
        },
        sheet="Student,ID,SIS User ID,SIS Login ID,Section,01-attention (9)\n    Points Possible,,,,,73\n"
        '"Schmidt, Anna",4714,,aschmidt1,B,\n"Schmidt, Anna",4715,,aschmidt2,B,\n',
    )
    assert done.platform == "Canvas"
    assert done.late == ["s01"]
    assert marked_late(course, ASSIGNMENT) == {"s01": "Canvas"}
    assert {student: set(files) for student, files in there(course).items()} == {
        "s01": {"attention-2.ipynb", "model.safetensors"},
        "s02": {N},
        "s04": {N},
    }


def test_canvas_test_student_is_reported_and_needs_nobody(course, collected, capsys):
    files = {
        "lovelaceada_4711_815_attention.ipynb": notebook("ada"),
        "studenttest_4799_900_attention.ipynb": notebook("a teacher's trial"),
        "studenttest_LATE_4799_901_model.safetensors": b"w",
    }
    done = collected(files)
    assert not done.unmatched
    assert set(there(course)) == {"s01"}
    assert print_result(done, CollectOptions(ASSIGNMENT, course.root), Console()) == 0
    assert "of Canvas's test student, and not collected: studenttest_4799_900" in capsys.readouterr().out


def test_a_student_called_like_canvas_test_student_is_one(tmp_path):
    course = archives.course(tmp_path, archives.ROSTER + "s07,Student,Test,test@example.org,tstudent,B,\n")
    path = archive(tmp_path / "class.zip", {"studenttest_4799_900_attention.ipynb": notebook("his own")})
    assert not collect(course, CollectOptions(ASSIGNMENT, path)).of_test_student
    assert set(there(course)) == {"s07"}


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


def test_reads_brightspace_archives_with_other_dates_and_without_folders(course, collected):
    done = collected(
        {
            "397063-2557369 - Ada Lovelace - 7 October, 2026 1035 AM - attention.ipynb": notebook("first"),
            "397063-2557370 - Ada Lovelace - 7 October, 2026 115 PM - attention.ipynb": notebook("last"),
            "397063-2557371 - amueller - Änne Müller - Oct 7, 2026 100 AM - my - Oct 8, 2099 100 AM - a.ipynb": notebook(
                "änne"
            ),
            "397063-2557372 - 小明 王 - 7 Smarch 2026 1035 - attention.ipynb": notebook("wang"),
            "index.html": b"<html>",
        }
    )
    found = there(course)
    assert found["s01"] == {N: notebook("last"), "timestamp.txt": b"2026-10-07 11:15:00.000000 UTC\n"}
    assert set(found["s02"]) == {"my - Oct 8, 2099 100 AM - a.ipynb", "timestamp.txt"}
    assert found["s02"]["timestamp.txt"] == b"2026-10-06 23:00:00.000000 UTC\n"
    assert found["s06"] == {N: notebook("wang")}
    assert (done.unparsed_times, done.unmatched) == ([("s06", "7 Smarch 2026 1035")], [])


def test_of_brightspaces_attempts_without_a_known_time_the_last_counts(course, collected):
    done = collected({f"3-{n} - Ada Lovelace - 5 Smarch 2026 926 PM/{N}": notebook(str(n)) for n in (9, 10)})
    assert there(course)["s01"] == {N: notebook("10")}
    assert done.unparsed_times == [("s01", "5 Smarch 2026 926 PM")]


def test_what_is_typed_into_canvas_is_a_file(course, collected):
    done = collected(
        {
            "lovelaceada_4711_815_attention.ipynb": notebook("ada"),
            "lovelaceada_4711_text.html": b"<p>hello",
            "mülleränne_LATE_4712_link.html": b"<a>",
        }
    )
    assert (done.platform, done.late) == ("Canvas", ["s02"])
    assert {student: set(files) for student, files in there(course).items()} == {
        "s01": {N, "text.html"},
        "s02": {"link.html"},
    }


def test_a_time_of_a_sheet_that_is_not_understood_is_reported(course, collected):
    sheet = (
        "Kennung,Vollständiger Name,E-Mail-Adresse,Zuletzt geändert (Abgabe)\n"
        'Teilnehmer/in 101,Ada Lovelace,ada@example.org,"Donnerstag, 8. Oktober 2026, 10:37"\n'
        'Teilnehmer/in 102,Änne Müller,anne@example.org,"torsdag, 8. vinterkuu 2026, 10:37"\n'
    )
    names = {101: "Ada Lovelace", 102: "Änne Müller"}
    done = collected({f"{name}_{n}_assignsubmission_file_/{N}": b"x" for n, name in names.items()}, sheet=sheet)
    assert there(course)["s01"]["timestamp.txt"] == b"2026-10-08 08:37:00.000000 UTC\n"
    assert done.unparsed_times == [("s02", "torsdag, 8. vinterkuu 2026, 10:37")]


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
    done = collect(course, CollectOptions(ASSIGNMENT, folder))
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


@pytest.mark.parametrize(
    "folder",
    [
        "Lovelace_Ada_alovelace",
        "Lovelace, Ada(alovelace)",
        "01-attention_s01",
        "s01 (1)",
        "alovelace+01-attention+2026-10-05 21:30:00 UTC+bXlJZA",
        "mail/s01/01-attention",
        "01-attention/s01",
    ],
)
def test_the_folder_of_a_single_student_is_one_in_whatever_way_it_names_them(course, collected, folder):
    done = collected({f"{folder}/{N}": notebook("ada"), f"{folder}/helper.py": b"x"})
    assert set(there(course)) == {"s01"}
    assert {N, "helper.py"} <= set(there(course)["s01"])
    assert not done.unmatched


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ((f"alice/{N}", "alice/helper.py"), "alice"),
        ((f"alice/01-attention/{N}",), "alice"),
        (("alice/01-attention.ipynb",), "alice"),
        ((f"01-attention/alice/{N}",), "alice"),
    ],
)
def test_the_folder_of_a_single_student_whom_nobody_knows_is_listed_by_its_name(course, collected, capsys, files, name):
    done = collected(dict.fromkeys(files, b"x"))
    assert done.unmatched == [(name, [])]
    assert print_result(done, CollectOptions(ASSIGNMENT, Path("class.zip")), Console(width=200)) == 1
    assert "name the archive, or a folder around it, after the student's id" in capsys.readouterr().out


def test_a_release_beside_the_hand_ins_makes_them_no_single_one(course, collected):
    collected({f"class/{N}": b"x", f"class/s01/{N}": notebook("ada"), "class/s02.ipynb": notebook("änne")})
    assert set(there(course)) == {"s01", "s02"}


@pytest.mark.parametrize("folder", [False, True])
def test_an_archive_of_one_hand_in_may_itself_be_called_by_the_student(course, tmp_path, capsys, folder):
    files = {N: notebook("ada"), "helper.py": b"x"}
    place = tmp_path / "alovelace_01-attention.zip"
    if folder:
        place = tmp_path / "Ada Lovelace"
        place.mkdir()
        for name, data in files.items():
            (place / name).write_bytes(data)
    else:
        archive(place, files)
    options = CollectOptions(ASSIGNMENT, place)
    assert print_result(collect(course, options), options, Console(width=200)) == 0
    assert there(course) == {"s01": files}
    assert "one hand-in, of whom the name of the archive or folder says" in capsys.readouterr().out


def test_the_name_of_an_archive_says_nothing_of_several_hand_ins(course, tmp_path):
    files = {N: b"x", f"s02/{N}": notebook("änne"), "mallory.ipynb": notebook("?")}
    done = collect(course, CollectOptions(ASSIGNMENT, archive(tmp_path / "s01.zip", files)))
    assert set(there(course)) == {"s02"}
    assert len(done.unmatched) == 2


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


def test_a_sheet_may_tell_the_time_of_work_that_was_collected_without_it(course, collected, capsys):
    """An archive's own times are those of the download, which is later than any time of handing in."""
    rows = 'Identifier,Full name,Last modified (submission)\nParticipant 101,Ada Lovelace,"Monday, 5 October 2026, 11:58 PM"\n'
    files = {f"Ada Lovelace_101_assignsubmission_file/{N}": notebook("ada")}
    late = WHEN + timedelta(days=30)
    stamp = course.grading / "submitted" / "s01" / ASSIGNMENT / "timestamp.txt"
    collected(files, late)
    assert not stamp.exists()
    with_sheet = collected(files, late, sheet=rows)
    assert (with_sheet.students, with_sheet.timed, with_sheet.with_time) == ({UNCHANGED: ["s01"]}, ["s01"], 1)
    print_result(with_sheet, CollectOptions(ASSIGNMENT, course.root), Console())
    assert "the time is known now: s01" in capsys.readouterr().out
    first = stamp.read_text()
    assert first.startswith("2026-10-05")
    without = collected(files, late)
    assert (without.students, without.timed, without.with_time) == ({UNCHANGED: ["s01"]}, [], 1)
    assert stamp.read_text() == first
    files[f"Ada Lovelace_101_assignsubmission_file/{N}"] = notebook("later")
    assert collected(files, late).students == {NEWER: ["s01"]}


def test_a_time_that_a_teacher_has_written_stays(course, collected):
    rows = 'Identifier,Full name,Last modified (submission)\nParticipant 101,Ada Lovelace,"Monday, 5 October 2026, 11:58 PM"\n'
    files = {f"Ada Lovelace_101_assignsubmission_file/{N}": notebook("ada")}
    collected(files)
    stamp = course.grading / "submitted" / "s01" / ASSIGNMENT / "timestamp.txt"
    stamp.write_text("2026-10-01 12:00:00 UTC\n")
    collected(files, sheet=rows)
    assert stamp.read_text() == "2026-10-01 12:00:00 UTC\n"


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


@pytest.mark.parametrize("seconds", [2**38, -(2**40), 253402300799, 2**34])
def test_a_file_from_no_year_that_there_is_harms_nobody(course, tmp_path, monkeypatch, seconds):
    """File systems know more years than Python, whose last is 9999."""
    for student in ("s01", "s02"):
        (tmp_path / "class" / student).mkdir(parents=True)
        (tmp_path / "class" / student / N).write_bytes(notebook(student))
    lstat, odd = Path.lstat, tmp_path / "class" / "s01" / N

    def of_another_year(path):
        status = lstat(path)
        return os.stat_result((*status[:8], seconds, status[9])) if path == odd else status

    monkeypatch.setattr(Path, "lstat", of_another_year)  # not every file system keeps such a time
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    for entry_times in (False, True):
        done = collect(course, CollectOptions(ASSIGNMENT, tmp_path / "class", entry_times=entry_times, force=True))
        assert sorted(student for students in done.students.values() for student in students) == ["s01", "s02"]
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("path", ["s01/../../../evil.ipynb", "s01/a/../../s02/x.ipynb", f"s01/{'n' * 151}.ipynb"])
def test_a_path_that_leads_out_is_refused(course, collected, path):
    done = collected({path: b"x", f"s02/{N}": notebook("änne")})
    assert [student for student, _ in done.refused] == ["s01"]
    assert set(there(course)) == {"s02"}
    assert not list(course.root.parent.rglob("evil*"))


def test_refuses_bombs_and_links_in_an_archive(course, tmp_path):
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(f"s01/{N}", notebook("ada"))
        made.writestr("s01/corpus.txt", bytes(60 * 2**20))
        link = zipfile.ZipInfo(f"s02/{N}")
        link.external_attr = 0o120777 << 16
        made.writestr(link, "/etc/passwd")
        for number in range(201):
            made.writestr(f"s06/{number}.txt", b"x")
    done = collect(course, CollectOptions(ASSIGNMENT, path))
    assert [(student, why.split(" ")[0]) for student, why in done.refused] == [
        ("s01", "'s01/corpus.txt'"),
        ("s06", "there"),
    ]
    assert there(course) == {}


@pytest.mark.parametrize(("method", "name"), [(zipfile.ZIP_BZIP2, "bzip2"), (zipfile.ZIP_LZMA, "LZMA")])
def test_an_entry_is_not_opened_if_reading_it_cannot_be_bounded(course, tmp_path, method, name):
    """A kilobyte of bzip2 is a gigabyte, and zipfile unpacks four kilobytes at once, however little is asked for."""
    path = tmp_path / "class.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(f"s01/{N}", notebook("ada"), compress_type=method)
        made.writestr(f"s02/{N}", notebook("änne"))
    done = collect(course, CollectOptions(ASSIGNMENT, path))
    assert [(student, f"compressed with {name}" in why) for student, why in done.refused] == [("s01", True)]
    assert set(there(course)) == {"s02"}


def test_a_damaged_entry_costs_only_its_student(course, tmp_path):
    path = archive(tmp_path / "class.zip", {f"s01/{N}": b"attention " * 5000, f"s02/{N}": notebook("änne")})
    data = bytearray(path.read_bytes())
    at = data.index(b"s01/") + 30
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    done = collect(course, CollectOptions(ASSIGNMENT, path))
    assert [student for student, _ in done.refused] == ["s01"]
    assert set(there(course)) == {"s02"}


@pytest.mark.parametrize(
    "name",
    [
        "lovelaceada_4711_{}_attention.ipynb",
        f"3-{{}} - Ada Lovelace - Jan 1, 2099 1200 PM/{N}",
        f"Ada Lovelace_{{}}_assignsubmission_file_/{N}",
    ],
)
def test_files_of_one_student_do_not_decide_the_platform(course, collected, name):
    """They would credit others with it, in place of the work that these handed in, and from the year 2099."""
    files = {f"s06/{'x/' * ('/' not in name)}{name.format(number)}": notebook("forged") for number in range(9)}
    done = collected({f"s01/{N}": notebook("ada"), f"s02/{N}": notebook("änne")} | files)
    found = there(course)
    assert done.platform == "files"
    assert (found["s01"], found["s02"]) == ({N: notebook("ada")}, {N: notebook("änne")})
    assert set(found) == {"s01", "s02", "s06"}


def test_a_loose_file_that_is_called_like_gradescopes_list_says_nothing(course, collected):
    listed = GRADESCOPE.replace("submission_11", "s04.ipynb").replace("s01", "s06")
    done = collected({"s04.ipynb": notebook("anna"), "submission_metadata.yml": listed.encode()})
    assert there(course) == {"s04": {"s04.ipynb": notebook("anna")}}
    assert [name for name, _ in done.unmatched] == ["submission_metadata / submission metadata"]


def test_the_teacher_says_which_platform_it_is(course, collected):
    files = {f"lovelaceada_4711_815_{N}": notebook("ada"), "notes of mine.txt": b"x"}
    done = collected(files)
    assert (done.platform, done.students) == ("files", {})
    done = collected(files, platform="Canvas")
    assert there(course) == {"s01": {N: notebook("ada")}}
    assert [name for name, _ in done.unmatched] == ["notes of mine"]


def test_the_folder_around_everything_is_reported(course, collected):
    """It may be the only student's, whom nobody knows; what is inside names others then."""
    assert collected({f"mallory/s01/{N}": b"x", f"mallory/s02/{N}": b"x"}).outer_folder == "mallory"


def test_two_participants_of_one_name_are_asked_about(course, collected):
    files = {
        f"Ada Lovelace_101_assignsubmission_file_/{N}": notebook("ada"),
        f"Ada Lovelace_177_assignsubmission_file_/{N}": notebook("another ada"),
        f"Änne Müller_102_assignsubmission_file_/{N}": notebook("änne"),
    }
    done = collected(files)
    assert set(there(course)) == {"s02"}
    assert done.unmatched == [("Ada Lovelace / Participant 101", ["s01"]), ("Ada Lovelace / Participant 177", ["s01"])]
    sheet = (
        "Identifier,Full name,Email address,Grade\nParticipant 177,Ada Lovelace,guest@example.org,\n"
        "Participant 101,Ada Lovelace,ada@example.org,\n"
    )
    done = collected(files, sheet=sheet)
    assert there(course)["s01"] == {N: notebook("ada")}
    assert done.unmatched == [("Ada Lovelace / Participant 177", ["s01"])]


def test_work_that_another_file_replaces_is_reported(course, collected):
    done = collected({"s01.ipynb": notebook("ada"), "Ada Lovelace.ipynb": notebook("forged"), "s01 (1).ipynb": b"x"})
    assert done.superseded == [("s01", "'s01.ipynb': 's01 (1).ipynb' is later, or the same age")]
    assert done.unmatched == [("Ada Lovelace", ["s01"])], "an id is more than a name"
    assert there(course) == {"s01": {"s01 (1).ipynb": b"x"}}


def test_a_hand_in_of_very_many_files_loses_only_itself(course, collected):
    files = {f"s01/{number}.txt": b"" for number in range(20_001)} | {f"s02/{N}": notebook("änne")}
    done = collected(files)
    assert [student for student, _ in done.refused] == ["s01"]
    assert set(there(course)) == {"s02"}


def test_links_and_pipes_are_reported_and_not_followed(course, tmp_path):
    folder = tmp_path / "mail"
    (folder / "s01").mkdir(parents=True)
    (folder / "s01" / N).write_bytes(notebook("ada"))
    (folder / "s01" / "more").symlink_to("/etc")
    (folder / "s02.ipynb").symlink_to("/etc/passwd")
    os.mkfifo(folder / "s06.ipynb")
    done = collect(course, CollectOptions(ASSIGNMENT, folder))
    assert sorted(done.skipped) == [
        ("s01/more", "a symbolic link, which is not followed"),
        ("s02.ipynb", "a symbolic link, which is not followed"),
        ("s06.ipynb", "neither a file nor a folder"),
    ]
    assert set(there(course)) == {"s01"}


def test_an_entry_without_a_name_harms_nobody(course, collected):
    done = collected({"\0": b"x", f"s02/{N}": notebook("änne")})
    assert set(there(course)) == {"s02"}
    assert done.skipped == [("", "a file without a name")]


def test_an_archive_of_a_later_version_is_refused(course, tmp_path):
    path = archive(tmp_path / "class.zip", {N: b"{}"})
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 6] = 64  # the version that is needed to read it, in tenths
    path.write_bytes(data)
    with pytest.raises(ValueError, match="is neither a folder nor a zip archive"):
        collect(course, CollectOptions(ASSIGNMENT, path))


def test_folders_nested_without_end_harm_nobody(course, tmp_path):
    place = tmp_path / "class"
    (place / "s01" / Path(*["a"] * 300)).mkdir(parents=True)
    (place / "s01" / Path(*["a"] * 300) / N).write_bytes(notebook("ada"))
    (place / "s02").mkdir()
    (place / "s02" / N).write_bytes(notebook("änne"))
    done = collect(course, CollectOptions(ASSIGNMENT, place))
    assert set(there(course)) == {"s02"}
    [(name, why)] = done.skipped
    assert (name, "folders nested more than" in why) == ("s01/a/a/…", True)


def test_names_in_an_archive_without_the_flag_for_utf8(course, tmp_path):
    """As macOS writes them."""
    path = archive(tmp_path / "class.zip", {f"Aenne M__ller/{N}": notebook("änne"), f"s01/{N}": b"x"})
    path.write_bytes(path.read_bytes().replace(b"Aenne M__ller", "Änne Müller".encode()))
    assert collect(course, CollectOptions(ASSIGNMENT, path)).unmatched == []
    assert set(there(course)) == {"s01", "s02"}


def test_an_assignment_whose_source_is_elsewhere_is_collected_and_has_its_dates(course, collected):
    """A teaching assistant may have the release alone, and so has the folder of the demo."""
    (course.solutions / ASSIGNMENT / "attention.py").unlink()
    (course.root / "course.toml").write_text(f'[due]\n"{ASSIGNMENT}" = 2026-10-05T21:00:00\n', encoding="utf8")
    (course.grading / "roster.csv").write_text(f"id,excused\ns01,\ns02,{ASSIGNMENT}\n", encoding="utf8")
    assert collected({f"s01/{N}": notebook("ada")}).unmatched == []
    assert set(there(course)) == {"s01"}


def test_errors_say_what_to_do(course, tmp_path):
    with pytest.raises(LookupError, match=r"no assignment '1-attention'. Expected one of: 01-attention"):
        collect(course, CollectOptions("1-attention", tmp_path))
    with pytest.raises(FileNotFoundError, match="does not exist"):
        collect(course, CollectOptions(ASSIGNMENT, tmp_path / "nothing.zip"))
    (tmp_path / "text.zip").write_text("no archive")
    with pytest.raises(ValueError, match="neither a folder nor a zip"):
        collect(course, CollectOptions(ASSIGNMENT, tmp_path / "text.zip"))
    (course.grading / "roster.csv").unlink()
    with pytest.raises(LookupError, match="There is no class yet"):
        collect(course, CollectOptions(ASSIGNMENT, tmp_path))


def test_reports_unmatched_students(course, tmp_path, command):
    path = archive(tmp_path / "class.zip", {f"s01/{N}": b"x", f"who is this/{N}": b"x"})
    done = command("autograder", "collect", ASSIGNMENT, path, cwd=course.root)
    assert done.returncode == 1
    assert "who is this" in done.stdout
    assert "collect: 01-attention from files, 1 students: 1 new" in done.stdout
    assert "nothing from: s02, s03, s04, s05, s06" in done.stdout


_BLACKBOARD = "01%20Attention_{}_attempt_2026-10-{}"


def _receipt(name, login):
    return f"Name: {name} ({login})\nAssignment: 01 Attention\n".encode()


def test_blackboards_receipts_say_who_and_its_names_say_when(course, collected):
    early, late, other = (
        _BLACKBOARD.format(*about)
        for about in (("alovelace", "05-10-00-00"), ("alovelace", "06-11-00-00"), ("s_ob_rien", "05-23-00-00"))
    )
    files = {
        f"{early}_{N}": b"1",
        f"{early}.txt": _receipt("Ada Lovelace", "alovelace"),
        f"{late}_{N}": b"2",
        f"{late}.txt": _receipt("Ada Lovelace", "ALovelace"),
        f"{other}_my_attempt.ipynb": b"3",
        f"{other}.txt": b"\xef\xbb\xbf" + _receipt("Seán O'Brien, Jr.", "s_ob_rien"),
    }
    result = collected(files)
    assert (result.platform, result.unmatched, result.with_time) == ("Blackboard", [], 2)
    assert there(course)["s01"][N] == b"2"
    assert there(course)["s01"]["timestamp.txt"] == b"2026-10-06 09:00:00.000000 UTC\n"
    assert there(course)["s03"]["my_attempt.ipynb"] == b"3"
    assert [student for student, _ in result.superseded] == ["s01"]


@pytest.mark.parametrize("receipt", [None, b"Name: Ada Lovelace (alovelace)\n", b"\xff\0"])
def test_without_blackboards_own_receipt_a_name_is_nobodys(course, collected, receipt):
    """A title may end as a login begins: ``Week_1_alovelace`` is no word of ``alovelace``."""
    stem = _BLACKBOARD.format("x_alovelace" if receipt is None else "somebody", "05-10-00-00")
    files = {f"{stem}_{N}": b"1"} | ({} if receipt is None else {f"{stem}.txt": receipt})
    result = collected(files)
    assert result.platform == "Blackboard"
    assert len(result.unmatched) == 1
    assert there(course) == {}


@pytest.mark.parametrize(
    ("ada", "anne", "name"),
    [
        ("Lovelace, Ada(alovelace)/Submission attachment(s)", "Müller, Änne(amueller)/Submission attachment(s)", N),
        ("Attention/Lovelace_Ada_alovelace_4711", "Attention/Müller_Änne_amueller_4712", f"20261005213000_{N}"),
        ("01-attention-submissions/01-attention-alovelace", "01-attention-submissions/01-attention-amueller", N),
        ("Working files/Ada Lovelace/01-attention", "Working files/Änne Müller/01-attention", N),
        ("dropboxes/Lovelace_Ada_alovelace", "dropboxes/Mueller_Aenne_amueller", N),
        (
            "Submitted files/Ada Lovelace/01-attention/Version 1",
            "Submitted files/Änne Müller/01-attention/Version 1",
            N,
        ),
        ("Lovelace, Ada - alovelace/Revision 1 - On Time", "Müller, Änne - amueller/Revision 1 - Late", N),
        ("alovelace+01-attention+2026-10-05 21:30:00 UTC+ab", "amueller+01-attention+2026-10-05 21:31:00 UTC+cd", N),
    ],
)
def test_other_platforms_write_a_name_and_a_login(course, collected, ada, anne, name):
    done = collected({f"{ada}/{name}": notebook("ada"), f"{anne}/{name}": notebook("änne")})
    assert not done.unmatched
    found = {student: set(files) - {"timestamp.txt"} for student, files in there(course).items()}
    assert found == {"s01": {name}, "s02": {name}}


@pytest.mark.parametrize(
    ("earlier", "later"), [("Version 9", "Version 10"), ("Revision 9 - On Time", "Revision 10 - Late")]
)
def test_of_the_versions_of_an_attempt_the_last_counts(course, collected, earlier, later):
    collected({f"Ada Lovelace/01-attention/{each}/{N}": notebook(each) for each in (later, earlier)})
    assert there(course) == {"s01": {N: notebook(later)}}


def test_teams_may_call_the_assignment_anything(course, collected):
    folder = "Submitted files/{}/Week 1 – attention/Version {}"
    done = collected(
        {
            f"{folder.format('Ada Lovelace', 1)}/{N}": notebook("early"),
            f"{folder.format('Ada Lovelace', 2)}/{N}": notebook("late"),
            f"{folder.format('Änne Müller', 1)}/my work/{N}": notebook("änne"),
        }
    )
    assert not done.unmatched
    assert there(course)["s01"] == {N: notebook("late")}
    assert set(there(course)["s02"]) == {f"my work/{N}"}


def test_a_students_own_folder_of_versions_stays(course, collected):
    files = {N: notebook("ada"), "lib/Version 1/helper.py": b"1", "lib/Version 2/helper.py": b"2"}
    collected({f"Ada Lovelace/{name}": data for name, data in files.items()})
    assert there(course) == {"s01": files}


@pytest.mark.parametrize("name", ["{} - attention.ipynb", "Copy of attention - {}.ipynb", "{}_attention (1).ipynb"])
def test_google_classrooms_names_of_files(course, collected, name):
    assert not collected(
        {name.format("Ada Lovelace"): notebook("ada"), name.format("Änne Müller"): notebook("änne")}
    ).unmatched
    assert set(there(course)) == {"s01", "s02"}


@pytest.mark.parametrize(
    "files",
    [
        ("anon_Ab3xZ_815_attention.ipynb", "anon_Qw9yU_816_attention.ipynb"),
        ("lovelaceada4711_question_99_815_attention.ipynb", "mülleränne4712_question_99_816_attention.ipynb"),
        ("attention_Team 7_attempt_2026-10-05-21-30-00_attention.ipynb",),
        ("assignment_77_export/submission_11/attention.ipynb", "assignment_77_export/submission_12/attention.ipynb"),
        ("attention_alovelace_Versuch_2026-10-05-21-30-00_attention.ipynb",),
    ],
)
def test_what_does_not_say_whose_it_is_is_listed(course, collected, files):
    done = collected(dict.fromkeys(files, notebook("whose?")))
    assert len(done.unmatched) == len(files)
    assert not there(course)


_SAKAI_ADA, _SAKAI_ANNE = "01-attention/Lovelace, Ada(alovelace)", "01-attention/Müller, Änne(amueller)"


def test_sakai_says_when_and_its_own_files_are_nobodys_work(course, collected):
    done = collected(
        {
            "01-attention/grades.csv": b"x",
            f"{_SAKAI_ADA}/timestamp.txt": b"2026-10-05T21:30:00Z",
            f"{_SAKAI_ADA}/Submission attachment(s)/{N}": notebook("ada"),
            f"{_SAKAI_ADA}/Submission attachment(s)/timestamp.txt": b"2020-01-01T00:00:00Z",
            f"{_SAKAI_ADA}/comments.txt": b"a teacher's",
            f"{_SAKAI_ADA}/Feedback Attachment(s)/{N}": notebook("a teacher's"),
            f"{_SAKAI_ANNE}/timestamp.txt": b"20261006083000000",
            f"{_SAKAI_ANNE}/Submission attachment(s)/{N}": notebook("änne"),
        }
    )
    assert (done.platform, done.with_time, done.unmatched, done.lists) == ("Sakai", 2, [], ["grades.csv"])
    assert there(course) == {
        "s01": {N: notebook("ada"), "timestamp.txt": b"2026-10-05 21:30:00.000000 UTC\n"},
        "s02": {N: notebook("änne"), "timestamp.txt": b"2026-10-06 08:30:00.000000 UTC\n"},
    }


def test_a_time_is_sakais_only_in_an_archive_of_sakai(course, collected):
    """Without its list, a folder may be what a student has called so."""
    stamp = {f"{_SAKAI_ADA}/timestamp.txt": b"2020-01-01T00:00:00Z"}
    collected({f"{_SAKAI_ADA}/{N}": notebook("ada"), f"{_SAKAI_ANNE}/{N}": notebook("änne")} | stamp)
    assert there(course) == {"s01": {N: notebook("ada")}, "s02": {N: notebook("änne")}}


def test_sakai_without_folders(course, collected):
    attached = "Submission attachment(s)"
    done = collected(
        {
            "01-attention/grades.xlsx": b"PK",
            f"{_SAKAI_ADA}_{attached}_{N}": notebook("ada"),
            f"{_SAKAI_ANNE}_{attached}_{N}": b"x",
        }
    )
    assert (done.platform, done.unmatched, done.lists) == ("Sakai", [], ["grades.xlsx"])
    assert there(course) == {"s01": {N: notebook("ada")}, "s02": {N: b"x"}}


def test_openolat_holds_tasks_corrections_and_revisions_too(course, collected):
    root = "ita_01-attention_2026-10-07_12-00-00"
    done = collected(
        {
            f"{root}/Course_20261007.xlsx": b"PK",
            f"{root}/solutions/{N}": notebook("a teacher's"),
            f"{root}/Lovelace_Ada_alovelace/1_task/{N}": notebook("released"),
            f"{root}/Lovelace_Ada_alovelace/2_submissions/{N}": notebook("ada"),
            f"{root}/Lovelace_Ada_alovelace/3_corrections/{N}": notebook("a teacher's"),
            f"{root}/Lovelace_Ada_alovelace/4_revisions_1/{N}": notebook("revised"),
            f"{root}/Mueller_Aenne_amueller/1_task/{N}": notebook("released"),
            f"{root}/Mueller_Aenne_amueller/2_submissions/lib/{N}": notebook("änne"),
        }
    )
    assert (done.platform, done.unmatched, done.lists) == ("OpenOlat", [], ["Course_20261007.xlsx"])
    assert there(course) == {"s01": {N: notebook("revised")}, "s02": {f"lib/{N}": notebook("änne")}}


def test_a_students_own_folder_of_tasks_stays(course, collected):
    files = {N: notebook("ada"), "1_task/notes.py": b"1", "3_corrections/notes.py": b"2"}
    collected({f"s01/{name}": data for name, data in files.items()} | {f"s02/2_submissions/{N}": notebook("änne")})
    assert there(course)["s01"] == files


def test_folders_of_groups_around_the_students(course, collected):
    """As of ILIAS's teams, and of tutorials."""
    folders = ("Team 12/Lovelace_Ada_alovelace_4711", "Team 13/Müller_Änne_amueller_4712", "Team 13/s03")
    done = collected({f"{folder}/{N}": b"x" for folder in folders} | {"list.xlsx": b"PK"})
    assert set(there(course)) == {"s01", "s02", "s03"}
    assert (done.unmatched, done.lists) == ([], ["list.xlsx"])


@pytest.mark.parametrize("other", ["s02/attention.ipynb", "Working files/Ada Lovelace/attention.ipynb"])
def test_what_a_folder_of_somebody_unknown_holds_is_nobodys(course, collected, capsys, other):
    done = collected({f"mallory/Ada Lovelace/{N}": notebook("forged"), other: notebook("hers")})
    assert "s01" not in there(course)
    print_result(done, CollectOptions(ASSIGNMENT, Path("class.zip")), Console(width=200))
    assert "it holds folders with students' names" in capsys.readouterr().out


def test_gradescopes_list_may_name_classes_of_ruby(course, collected):
    listed = GRADESCOPE.replace(
        ":score: 3.0", ":results: !ruby/hash:ActiveSupport::HashWithIndifferentAccess\n    a: 1"
    )
    collected({"submission_metadata.yml": listed.encode(), f"submission_11/{N}": b"x", f"submission_12/{N}": b"y"})
    assert {"s01", "s05"} <= set(there(course))


def test_blackboards_receipt_in_chinese(course, collected):
    stem = _BLACKBOARD.format("alovelace", "05-10-00-00")
    collected({f"{stem}_{N}": b"1", f"{stem}.txt": "姓名：Ada Lovelace (alovelace)\r\n".encode()})
    assert set(there(course)) == {"s01"}


def test_moodles_sheet_in_a_language_that_is_not_known_still_says_who_it_is(course, collected):
    sheet = 'Идентификатор,"Полное имя","Адрес почты",Оценка\n"Участник 104","Anna Schmidt",anna1@example.org,\n'
    collected({f"Participant_104_assignsubmission_file_/{N}": b"x"}, sheet=sheet)
    assert set(there(course)) == {"s04"}


def test_a_name_and_the_login_of_another_are_nobody(course, collected):
    done = collected(
        {
            f"Lovelace_Ada_amueller/{N}": notebook("whose?"),
            f"Lovelace, Ada(amueller)/{N}": notebook("whose?"),
            f"Anna_Maria_amueller/{N}": notebook("a guest"),
        }
    )
    assert len(done.unmatched) == 3
    assert not there(course)


def test_an_archive_with_nothing_in_it_is_an_error(course, collected):
    with pytest.raises(ValueError, match="holds no file that was handed in"):
        collected({"__MACOSX/._s01": b"x"})


def test_what_is_not_matched_says_how_many_files_and_what_to_do(course, tmp_path, capsys):
    (course.grading / "roster.csv").write_text("id,last_name\n00123,Lovelace\n")
    files = {"123/attention.ipynb": b"1", "123/helper.py": b"2", "class.zip": b"PK"}
    options = CollectOptions(ASSIGNMENT, archive(tmp_path / "class.zip", files))
    assert print_result(collect(course, options), options, Console(width=200)) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "nobody in the class; 00123 differs only in leading zeros" in said
    assert "nobody in the class; if it holds the hand-ins of several, unpack it and collect its content" in said
    assert "123 (2 files)" in said
    assert "--sheet" in said


def test_who_is_excused_is_not_missed(tmp_path):
    roster = "id,excused\ns01,\ns02,01-attention\ns03,all\ns04,06-captioning\n"
    course = archives.course(tmp_path / "course", roster)
    (course.release / "06-captioning").mkdir()
    (course.solutions / "06-captioning").mkdir()
    (course.solutions / "06-captioning" / "captioning.py").touch()
    done = collect(course, CollectOptions(ASSIGNMENT, archive(tmp_path / "class.zip", {f"s01/{N}": b"x"})))
    assert done.missing == ["s04"]


def test_whom_the_sheet_knows_to_have_handed_in_and_who_is_not_there(course, collected):
    sheet = (
        "Identifier,Full name,Last modified (submission)\n"
        'Participant 1,Ada Lovelace,"Monday, 5 October 2026, 10:37 PM"\n'
        'Participant 2,Änne Müller,"Monday, 5 October 2026, 10:37 PM"\n'
        "Participant 4,Anna Schmidt,-\n"
    )
    result = collected({f"Ada Lovelace_1_assignsubmission_file_/{N}": b"1"}, sheet=sheet)
    assert result.only_in_sheet == ["s02"]


def test_a_time_before_there_were_platforms_is_none(course, collected):
    sheet = (
        "Identifier,Full name,Last modified (submission)\n"
        'Participant 1,Ada Lovelace,"Thursday, 1 January 1970, 1:00 AM"\n'
    )
    result = collected({f"Ada Lovelace_1_assignsubmission_file_/{N}": b"1"}, sheet=sheet)
    assert result.unparsed_times == [("s01", "Thursday, 1 January 1970, 1:00 AM")]
    assert "timestamp.txt" not in there(course)["s01"]


def test_reads_a_sheet_that_states_its_separator(course, collected):
    result = collected(
        {f"s01/{N}": b"1", f"4711/{N}": b"1"}, sheet="sep=;\r\nid;name;login\r\ns01;Ada Lovelace;4711\r\n"
    )
    assert result.unmatched == [("4711", [])]  # a login of a sheet is no alias, but the sheet is read


#: The class in pairs, as a teacher writes them for work that is handed in together.
PAIRS = """\
id,last_name,first_name,email,group
s01,Lovelace,Ada,ada@example.org,Team 7
s02,Müller,Änne,anne@example.org,Team 7
s03,Schmidt,Anna,anna@example.org,Team 8
s04,Alone,Al,al@example.org,
"""


@pytest.fixture
def pairs(tmp_path):
    """Collect files of a class in pairs; return what was done, and the course."""
    course = archives.course(tmp_path / "pairs", PAIRS)

    def run(files, sheet=None):
        if sheet is not None:
            (tmp_path / "sheet.csv").write_text(sheet, encoding="utf8")
        path = archive(tmp_path / "class.zip", {name: notebook(text) for name, text in files.items()})
        return collect(course, CollectOptions(ASSIGNMENT, path, tmp_path / "sheet.csv" if sheet else None)), course

    return run


@pytest.mark.parametrize(
    "folder",
    [
        "Team 7_12_assignsubmission_file/{}",  # Moodle: the number is the group's
        "team7_4711_817_{}",  # Canvas: the number is one member's
        "101-55 - Team 7 - 5 October, 2026 1158 PM/{}",  # Brightspace
        "01-attention/Team 7 (0a1b2c3d-1111-4222-8333-444455556666)/Submission attachment(s)/{}",  # Sakai
        "Team_7/2_submissions/{}",  # OpenOlat
        "Team 7/{}",
    ],
)
@pytest.mark.parametrize("both", [True, False], ids=["two groups", "one group"])
def test_what_a_group_hands_in_belongs_to_each_member(pairs, capsys, folder, both):
    eight = {"Team 7": "Team 8", "team7": "team8", "Team_7": "Team_8", "_12_": "_13_", "_4711_": "_4714_"}
    files = {folder.format(N): "seven"}
    if both:
        other = folder
        for old, new in eight.items():
            other = other.replace(old, new)
        files[other.format(N)] = "eight"
    done, course = pairs(files)
    found = {student: files[N] for student, files in there(course).items()}
    assert found == dict.fromkeys(("s01", "s02"), notebook("seven")) | ({"s03": notebook("eight")} if both else {})
    assert not done.unmatched
    print_result(done, CollectOptions(ASSIGNMENT, course.root), Console())
    said = " ".join(capsys.readouterr().out.split())
    assert "handed in by a group, and put there for each of its members: " in said
    assert "(s01, s02)" in said


@pytest.mark.parametrize("group", ["Team 7", "A team that the roster lacks"])
def test_the_number_of_moodles_group_is_no_participants(pairs, group):
    """Somebody's number may be the same, and their work would be another's."""
    sheet = (
        "Identifier,Full name,Email address\nParticipant 12,Al Alone,al@example.org\nParticipant 101,Ada Lovelace,\n"
    )
    done, course = pairs({f"{group}_12_assignsubmission_file/{N}": "ours"}, sheet)
    assert "s04" not in there(course)
    assert set(there(course)) == ({"s01", "s02"} if group == "Team 7" else set())
    assert [name for name, _ in done.unmatched] == ([] if group == "Team 7" else [group])


def test_who_is_in_no_group_of_moodles_is_listed(pairs):
    done, course = pairs(
        {f"Team 7_12_assignsubmission_file/{N}": "seven", f"Default group_assignsubmission_file/{N}": "whose?"}
    )
    assert (done.platform, [name for name, _ in done.unmatched]) == ("Moodle", ["Default group"])
    assert set(there(course)) == {"s01", "s02"}


def test_a_folder_of_a_group_with_students_folders_is_nobodys_work(pairs):
    done, course = pairs(
        {f"Team 7/Ada Lovelace/{N}": "ada", f"Team 7/Unknown/{N}": "?", f"Team 8/Anna Schmidt/{N}": "anna"}
    )
    assert not any("Unknown" in name for files in there(course).values() for name in files)
    assert [name for name, _ in done.unmatched] == ["Team 7", "Team 8"]


@pytest.mark.parametrize(
    "files",
    [
        (f"Team 7/xyz123/{N}", f"Team 8/abc/{N}"),
        ("Team 7/xyz123.ipynb", "Team 7/abc.ipynb", f"Team 8/{N}/a.ipynb"),
        (f"Team 7/Part 1/{N}", f"Team 8/Part 1/{N}"),
        ("Team 7/Al Alone.ipynb", f"Team 8/x/{N}"),
    ],
)
def test_a_folder_that_may_be_a_tutorials_is_nobodys_work(pairs, files):
    """Whom the class does not know may have handed in what is in it: it must not become the work of all its members."""
    done, course = pairs(dict.fromkeys(files, "whose?"))
    assert not there(course)
    assert done.unmatched


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("Teilnehmerin_{}_assignsubmission_file/{}", "reveal student identities in Moodle"),
        ("anon_Ab{}_815_{}", "switch anonymous grading off in Canvas"),
        (
            "{}a1b2c3d-1111-4222-8333-444455556666 Anonymous/Submission attachment(s)/{}",
            "switch anonymous grading off on the",
        ),
    ],
)
def test_an_anonymous_archive_says_so_and_can_be_graded_by_its_ids(tmp_path, capsys, folder, said):
    course = archives.course(tmp_path / "course")
    files = {folder.format(number, N): notebook(str(number)) for number in (1, 2)}
    files |= {"grades.csv": b"x"} if "Anonymous" in folder else {}
    path = archive(tmp_path / "class.zip", files)
    done = collect(course, CollectOptions(ASSIGNMENT, path))
    print_result(done, CollectOptions(ASSIGNMENT, path), Console())
    assert said in " ".join(capsys.readouterr().out.split())
    assert len(done.unmatched) == 2
    assert not there(course)
    (course.grading / "roster.csv").write_text(f"id\n{done.anonymous}\n", encoding="utf8")
    assert collect(course, CollectOptions(ASSIGNMENT, path)).students[NEW] == [done.anonymous]


def test_a_sheet_of_an_anonymous_assignment_says_so(collected):
    sheet = "Identifier,Status,Grade\nParticipant 1,Submitted,\nParticipant 2,Submitted,\n"
    with pytest.raises(ValueError, match="reveal student identities in Moodle"):
        collected({f"Participant_1_assignsubmission_file/{N}": b"x"}, sheet=sheet)


@pytest.mark.parametrize("late", ["Late Submission", "Verspaetete Abgabe"])
def test_ilias_marks_each_file_that_is_late(course, collected, late):
    done = collected(
        {
            f"Abgaben/Lovelace_Ada_alovelace_4711/{late} - {N}": notebook("ada"),
            f"Abgaben/Lovelace_Ada_alovelace_4711/{late} - model.safetensors": b"late",
            "Abgaben/Lovelace_Ada_alovelace_4711/model.safetensors": b"in time",
            f"Abgaben/Mueller_Aenne_amueller_4712/{N}": notebook("änne"),
        }
    )
    assert done.late == ["s01"]
    assert set(there(course)["s01"]) == {N, "model.safetensors", "model (2).safetensors"}, "no file is lost"


def test_schoology_marks_a_late_revision(course, collected):
    folder = "Lovelace, Ada - alovelace/Revision"
    done = collected(
        {f"{folder} 1 - On Time/{N}": notebook("1"), f"{folder} 2 - Late/{N}": notebook("2"), f"Änne Müller/{N}": b"x"}
    )
    assert done.late == ["s01"]
    assert there(course)["s01"] == {N: notebook("2")}


@pytest.mark.parametrize("names", [("Submitted files", "Working files"), ("Eingereichte Dateien", "Arbeitsdateien")])
def test_of_teams_whole_library_only_what_was_handed_in_counts(course, collected, names):
    submitted, working = names
    done = collected(
        {
            f"Student Work/{submitted}/Ada Lovelace/01-attention/Version 1/{N}": notebook("first"),
            f"Student Work/{submitted}/Ada Lovelace/01-attention/Version 2/{N}": notebook("last"),
            f"Student Work/{working}/Ada Lovelace/01-attention/{N}": notebook("a draft"),
            f"Student Work/{working}/Änne Müller/01-attention/{N}": notebook("not handed in"),
        }
    )
    assert there(course) == {"s01": {N: notebook("last")}}
    assert (len(done.working_files), done.unmatched) == (2, [])


def test_two_tutorials_are_not_teams_two_folders(course, collected):
    files = {
        f"Tue/Ada Lovelace/homework/Part 1/{N}": notebook("ada"),
        f"Thu/Änne Müller/homework/{N}": notebook("änne"),
    }
    assert not collected(files).working_files
    assert set(there(course)) == {"s01", "s02"}


def test_of_teams_assignments_only_this_one_counts(course, collected):
    """Another lesson's notebook must not take this one's place."""
    folder = "Submitted files/Ada Lovelace/{}/Version {}/{}"
    done = collected(
        {
            folder.format("01-attention", 1, N): notebook("one"),
            folder.format("02-multi-head-attention", 2, "heads.ipynb"): notebook("two"),
        }
    )
    assert there(course) == {"s01": {N: notebook("one")}}
    assert done.other_assignments == ["02-multi-head-attention"]


def test_teams_assignments_of_which_none_is_called_like_this_one_are_refused(collected):
    folder = "Submitted files/Ada Lovelace/{}/Version 1/a.ipynb"
    with pytest.raises(ValueError, match=r"several assignments: Week 1, Week 2\. Leave the folders of the others out"):
        collected({folder.format("Week 1"): b"1", folder.format("Week 2"): b"2"})


def test_of_open_edx_each_files_name_says_whose_it_is(course, collected):
    folder = "[1]Week 1, [1]Attention, [1]Hand in/[1] - {} - {}"
    done = collected(
        {
            "submissions.csv": b"course_id,block_id",
            folder.format("alovelace", N): notebook("ada"),
            folder.format("alovelace", "model.safetensors"): b"w",
            folder.format("amueller", N): notebook("änne"),
        }
    )
    assert not done.unmatched
    assert there(course) == {"s01": {N: notebook("ada"), "model.safetensors": b"w"}, "s02": {N: notebook("änne")}}


def test_several_attempts_at_blackboard_without_receipts_tell_where_the_title_ends(course, collected):
    done = collected(
        {f"{_BLACKBOARD.format(login, '05-10-00-00')}_{N}": notebook(login) for login in ("alovelace", "amueller")}
    )
    assert not done.unmatched
    assert {student: files[N] for student, files in there(course).items()} == {
        "s01": notebook("alovelace"),
        "s02": notebook("amueller"),
    }


def test_two_who_hand_in_together_at_sakai(course, collected):
    folder = "01-attention/Lovelace, Ada(alovelace); Muller, Anne(amueller)/Submission attachment(s)"
    done = collected({f"{folder}/{N}": notebook("both"), "01-attention/grades.csv": b"x"})
    assert not done.unmatched
    assert set(there(course)) == {"s01", "s02"}
