"""Who is in the class, what lateness costs, and what groups share: each in one place, and computed again at any time."""

import os
import time
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import made_up
import pytest
from made_up import ASSIGNMENT, DUE

from autograder.grading.gradebook.enrolment import handed_in_at, with_group_members
from autograder.grading.gradebook.queries import SubmissionRow, gradebook_session
from autograder.grading.gradebook.status import EXCUSED, MISSING, UNMARKED, WAITING, load_class_status
from autograder.grading.gradebook.sync import penalties, sync_gradebook
from autograder.grading.roster.column_titles import COLUMNS
from autograder.grading.roster.datetimes import LANGUAGES, parse_datetime, zone
from autograder.grading.roster.roster import (
    Directory,
    LateRule,
    Roster,
    Student,
    StudentMatch,
    read_policy,
    read_roster,
)
from autograder.grading.run.status import (
    GRADED,
    HUMAN,
    Outcome,
    first_with_same_work,
    late_without_time,
    same_as_others,
)
from autograder.grading.submission.read import HandIn

BERLIN = zone("Europe/Berlin")


@pytest.fixture
def roster(tmp_path):
    def read(text, **more):
        path = tmp_path / "roster.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_roster(path, BERLIN, **more)

    return read


def test_reads_a_roster_as_spreadsheets_write_it(roster):
    plain = roster('id,last_name,first_name,group\ns1,"O\'Brien, Jr.",Seán,7\n\ns2,Müller,Änne,\n')
    assert [(one.id, one.last_name, one.first_name, one.group) for one in plain] == [
        ("s1", "O'Brien, Jr.", "Seán", "7"),
        ("s2", "Müller", "Änne", ""),
    ]
    assert roster("\ufeffStudent ID;Full name\r\ns1;Seán O'Brien\r\ns2;Müller, Änne\r\n") == Roster(
        (Student("s1", "O'Brien", "Seán"), Student("s2", "Müller", "Änne"))
    )


def test_the_sheets_of_platforms_are_rosters(roster):
    canvas = (
        "Student,ID,SIS User ID,SIS Login ID,Section,01-attention (9)\n,,,,,Manual Posting\n    Points Possible,,,,,73\n"
        '"Lovelace, Ada",4711,s1,alovelace,A,\n'
    )
    [ada] = roster(canvas)
    assert (ada.id, ada.last_name, ada.first_name, ada.login) == ("4711", "Lovelace", "Ada", "alovelace")
    assert [one.group for one in roster("id,Groups,Remarks\ns1,8,none\n")] == [""], "Moodle's participants"
    [ada] = roster("OrgDefinedId,Username,Last Name,First Name,End-of-Line Indicator\n#s1,#alovelace,Lovelace,Ada,#\n")
    assert (ada.id, ada.name) == ("s1", "Ada Lovelace")
    assert ada.login == "alovelace", "an archive may have either"
    [ada] = roster(
        '"Last Name"\t"First Name"\t"Username"\t"Student ID"\nLovelace\tAda\talovelace\ts1\n'.encode("utf-16")
    )
    assert (ada.id, ada.login) == ("alovelace", "s1"), "Blackboard's gradebook"


def test_canvas_test_student_is_not_in_the_class(roster):
    titles = "Student,ID,SIS User ID,SIS Login ID,Section\n"
    ada, hashed = '"Lovelace, Ada",4711,s1,alovelace,A\n', f'"Student, Test",4799,,{"0a" * 20},A\n'
    assert [one.id for one in roster(titles + ada + hashed)] == ["4711"]
    assert [one.id for one in roster(titles + ada + '"Student, Test",4799,,,A\n')] == ["4711"]
    assert [one.id for one in roster(titles + ada + '"Student, Test",4799,s9,tstudent,A\n')] == ["4711", "4799"]
    titles = titles.replace("Student", "LastName,FirstName")
    assert [
        one.id for one in roster(titles + hashed.replace('"', "").replace(", ", ",") + "Student,Test,1,,t,A\n")
    ] == ["1"]


@pytest.mark.parametrize(
    "titles",
    [
        "Matrikelnummer;Nachname;Vorname;E-Mail",
        "Matr.-Nr.;Name;Vorname;E-Mail-Adresse",
        "N° étudiant;Nom;Prénom;Courriel",
        "Matrícula;Apellidos;Nombre;Correo electrónico",
        "Matricola;Cognome;Nome;Indirizzo email",
        "Nº de matrícula;Sobrenome;Nome;E-mail",
        "Studentnummer;Achternaam;Voornaam;E-mailadres",
        "Nr albumu;Nazwisko;Imię;Adres e-mail",
        "UČO;Příjmení;Jméno;E-mail",
        "Opiskelijanumero;Sukunimi;Etunimi;Sähköposti",
        "Öğrenci No;Soyadı;Adı;E-posta",
        "№ зачётки;Фамилия;Имя;Эл. почта",
        "Номер заліковки;Прізвище;Ім'я;Електронна пошта",
        "学籍番号;姓;名;メールアドレス",
        "NUMERO ETUDIANT;NOM;PRENOM;COURRIEL",
    ],
)
def test_reads_rosters_in_the_languages_of_universities(roster, titles):
    [ada] = roster(f"{titles}\n0012345;Lovelace;Ada;ada@example.org\n")
    assert (ada.id, ada.last_name, ada.first_name, ada.email) == ("0012345", "Lovelace", "Ada", "ada@example.org")


@pytest.mark.parametrize("title", ["姓名", "ФИО", "Nome completo", "이름", "الاسم الكامل", "Imię i nazwisko", "Nom"])
def test_a_name_without_columns_for_its_parts_is_whole(roster, title):
    [ada] = roster(f"id,{title}\n1,Ada Lovelace\n")
    assert ada.name == "Ada Lovelace"


def test_a_whole_name_beside_one_of_its_parts(roster):
    [ada] = roster("id,First name,Name\n1,Ada,Ada Lovelace\n")
    assert (ada.first_name, ada.last_name) == ("Ada", "Lovelace")


def test_a_class_of_twenty_is_no_group_that_hands_in_together(roster):
    for title in ("Gruppe", "Группа", "Groupe", "班级"):
        [ada] = roster(f"id,{title}\n1,A\n")
        assert (ada.section, ada.group) == ("A", "")


def test_no_title_means_two_columns():
    keys = [(key, name) for name, titles in COLUMNS.items() for key in titles]
    assert sorted({key for key, name in keys for other, second in keys if key == other and name != second}) == [
        "username"
    ]


@pytest.mark.parametrize("key", ["4711", "s1", "alovelace", "ada@example.org"])
def test_whoever_has_several_ids_is_found_by_each(roster, key):
    canvas = 'Student,ID,SIS User ID,SIS Login ID,Email\n"Lovelace, Ada",4711,s1,alovelace,ada@example.org\n'
    assert Directory(roster(canvas)).find(StudentMatch((key,))) is not None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_roster_in_what_spreadsheets_call_unicode_text(roster, encoding):
    [one] = roster("id\tname\r\ns1\tMüller, Änne\r\n".encode(encoding))
    assert (one.id, one.name) == ("s1", "Änne Müller")


def test_an_extension_of_more_days_than_there_are_is_refused(roster):
    with pytest.raises(ValueError, match=r"line 2.*Expected an extension of some days or hours"):
        roster("id,extension\ns1,01-attention: +9999999999\n", assignments=("01-attention",))


def test_reads_extensions_and_excuses(roster):
    text = (
        "id,extension,excused\n"
        "s1,01-attention: +3; 02-heads: 2026-11-02 23:59,\n"
        "s2,01-attention: +12 h,01-attention; 02-heads\n"
    )
    one, two = roster(text, assignments=("01-attention", "02-heads"))
    assert one.extensions == {
        "01-attention": timedelta(days=3),
        "02-heads": datetime(2026, 11, 2, 22, 59, tzinfo=UTC),
    }, "in winter Berlin is one hour ahead"
    assert two.extensions == {"01-attention": timedelta(hours=12)}
    assert (one.is_excused("01-attention"), two.is_excused("02-heads")) == (False, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name\nAda\n", "has no column id. Its columns: 'name'. Call the one that tells students apart id"),
        ("id,name\n1,Ada\n,Prof X\n", "line 3: 'Prof X' has no id. Write one, or remove the row"),
        ("id;name\n1;Ada\nSumme;\n", "line 3: 'Summe' seems to begin a row of totals. Remove it"),
        ("id;name\n1;Ada\nAnzahl: 1;\n", "line 3: 'Anzahl: 1' seems to begin a row of totals"),
        (
            "id,group\n" + "".join(f"s{n},A\n" for n in range(11)),
            "the group 'A' has 11 members, who would hand in once",
        ),
        ("id,name\n12345.0,Ada\n", "line 2: the id '12345.0' has been taken for a number"),
        ("id\ns1\nS1\n", "line 3: the id 'S1' is there twice"),
        ("id\n1.23457E+07\n", "line 2: a spreadsheet has rounded the id '1.23457E\\+07'"),
        ("sep=;\r\nid;name\r\n1,2E+11;Ada\r\n", "line 3: a spreadsheet has rounded"),
        ("id\n../x\n", "line 2: expected an id that can be the name of a folder"),
        ('id,name\ns1,"Ada\ns2,Anne\n', "line 2: a cell goes on in the next line; is a quotation mark not closed"),
        ("id,excused\ns1,1-attention\n", "line 2: there is no assignment '1-attention'. Expected one of: 01-attention"),
        ("id,extension\ns1,01-attention 3 days\n", "line 2: expected an extension such as"),
        ("id,extension\ns1,01-attention: soon\n", "line 2: Expected a time such as"),
        (
            "id,Extention\ns1,01-attention: +3\n",
            "has a column 'Extention', which is not read, and no column 'extension'",
        ),
        ("id,Excuse\ns1,all\n", "no column 'excused'. Call it 'excused' if that is meant"),
        (b"id,name\ns1,M\xfcller\n", "is not UTF-8. Save it as CSV"),
        (b"\xff\xfei\x00d\x00\n", "is not UTF-8. Save it as CSV"),
        (b"i\x00d\x00\n\x001\x00\n\x00", "is not UTF-8. Save it as CSV"),
        (b"PK\x03\x04 a workbook", "is a spreadsheet. Save it as CSV"),
        (b"\xd0\xcf\x11\xe0 a workbook", "is a spreadsheet. Save it as CSV"),
    ],
)
def test_a_wrong_roster_says_where(roster, text, said):
    with pytest.raises(ValueError, match=said):
        roster(text, assignments=("01-attention",))


@pytest.mark.parametrize(
    ("names", "ids", "found"),
    [
        (("Ada Lovelace",), (), "s1"),
        (("Lovelace, Ada",), (), "s1"),
        (("lovelaceada",), (), "s1"),
        (("ADA\u00a0LOVELACE",), (), "s1"),
        (("muelleranne",), (), "s2"),
        (("Anne Müller",), (), "s2"),
        (("A\u0308nne Mu\u0308ller",), (), "s2"),
        (("Anna Schmidt",), (), None),
        (("Anna Schmidt",), ("Anna2@Example.org",), "s4"),
        ((), ("S3",), "s3"),
        (("Ada Lovelace",), ("s3",), "s3"),
        (("Ada",), (), None),
    ],
)
def test_people_are_found_by_whatever_a_platform_calls_them(names, ids, found):
    students = (
        Student("s1", "Lovelace", "Ada"),
        Student("s2", "Müller", "Änne"),
        Student("s3", "Schmidt", "Anna", "anna1@example.org"),
        Student("s4", "Schmidt", "Anna", "anna2@example.org"),
    )
    student = Directory(Roster(students)).find(StudentMatch(ids, names))
    assert (student.id if student else None) == found


def test_a_name_as_it_is_spelt_is_more_than_another_spelling_of_it():
    students = (Student("s1", "Groß", "Jürgen"), Student("s2", "Gross", "Juergen"), Student("s3", "Schmidt", "Anna"))
    directory = Directory(Roster(students))
    assert directory.find(StudentMatch((), ("Juergen Gross",))) == students[1]
    assert directory.find(StudentMatch((), ("grossjürgen",))) == students[0]
    [one, other] = (StudentMatch((f"Participant {number}",), ("Anna Schmidt",)) for number in (1, 2))
    assert directory.place([one, other]) == {}
    directory.add_alias("Participant 2", "s3")
    assert directory.place([one, other]) == {other: students[2]}


@pytest.mark.parametrize(
    "text",
    [
        "2026-10-05 23:58",
        "2026-10-05T21:58:00Z",
        "Monday, 5 October 2026, 11:58 PM",
        "Monday, 5. October 2026, 23:58",
        "Oct 5, 2026 1158 PM",
        "10/05/2026 11:58 PM",
        "05.10.2026 23:58",
        "Montag, 5. Oktober 2026, 23:58",  # Moodle, in its languages
        "Monday, October 5, 2026, 11:58 PM",
        "lundi 5 octobre 2026, 23:58",
        "lunes, 5 de octubre de 2026, 23:58",
        "lunedì, 5 ottobre 2026, 23:58",
        "maandag, 5 oktober 2026, 23:58",
        "segunda-feira, 5 de outubro de 2026 às 23:58",
        "5 October, 2026 1158 PM",  # Brightspace
        "5 oct. 2026 23 h 58",
        "Oct 5, 2026 11:58\u202fp.m.",
        "5 October 2026 2358",
        "понедельник, 5 октября 2026, 23:58",  # Moodle in more of its languages, by their language packs
        "понеділок 5 жовтня 2026 23:58 PM",
        "poniedziałek, 5 października 2026, 23:58 PM",
        "pondělí, 5. října 2026, 23.58",
        "maanantai, 5. lokakuuta 2026, 23.58",
        "5 Ekim 2026, Pazartesi, 23:58",
        "2026. október 5., hétfő, 23:58",
        "2026 m. spalio 5 d., pirmadienis, 23:58",
        "2026年 10月 5日(月曜日) 23:58",
        "2026年10月5日 星期一 23:58",
        "2026年 10月 5日(週一) 下午11:58",
        "2026년 10월 5일(월요일) 오후 11:58",
        "Thứ hai, 5 Tháng 10 2026, 11:58 PM",
        "Δευτέρα, 5 Οκτωβρίου 2026, 11:58 μ.μ.",
        "الاثنين، 5 أكتوبر 2026، 11:58 م",
        "الاثنين، ٥ أكتوبر ٢٠٢٦، ١١:٥٨ م",
        "dilluns, 5 d’octubre 2026, 23:58",
    ],
)
def test_reads_times_as_platforms_write_them(text):
    assert parse_datetime(text, BERLIN) == datetime(2026, 10, 5, 21, 58, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("100 AM", 1, 0),
        ("125 AM", 1, 25),
        ("115 PM", 13, 15),
        ("1035 AM", 10, 35),
        ("1200 AM", 0, 0),
        ("1205 PM", 12, 5),
    ],
)
def test_the_clock_of_brightspace_has_no_colon(text, hour, minute):
    assert parse_datetime(f"7 October, 2026 {text}", UTC) == datetime(2026, 10, 7, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("clock", "hour", "minute"), [("00:30 AM", 0, 30), ("12:30 AM", 0, 30), ("12:30 PM", 12, 30), ("13:30 PM", 13, 30)]
)
def test_a_clock_of_24_hours_may_have_its_half_of_the_day_behind_it(clock, hour, minute):
    """Moodle's Polish and Ukrainian write it so."""
    assert parse_datetime(f"5 May 2026, {clock}", UTC) == datetime(2026, 5, 5, hour, minute, tzinfo=UTC)


def test_a_weekday_is_no_month():
    assert parse_datetime("mar. 6 janv. 2026, 10:37", UTC) == datetime(2026, 1, 6, 10, 37, tzinfo=UTC)


def test_no_name_of_a_month_means_two():
    from babel.dates import get_month_names

    named = {}
    for language in LANGUAGES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for number, name in get_month_names(width, context, language).items():
                    letters = unicodedata.normalize("NFKD", name.casefold().strip("."))
                    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
                    named.setdefault(plain, set()).add(number)
    assert [name for name, numbers in named.items() if len(numbers) > 1] == []


@pytest.mark.parametrize(
    "text",
    [
        "", "-", "soon", "5 October 2026", "October 2026 10:37", "5 Smarch 2026 10:37", "31 June 2026 10:37",
        "5 May 2026 1337 PM", "1 2 May 2026 10:37", "5 May 2026 10:37 and more", "5 May 2026 2575", "7",
        "5 May 2026 11:58 xx", "5 May 2026 xx 11:58", "5 May 2026 13:37 AM", "5 May 2026 0:30 PM",
        "5 October 2569 10:37", "دوشنبه، 13 مهر 1405، 23:58",  # other calendars
    ],
)  # fmt: skip
def test_a_text_that_is_not_a_time_gives_none(text):
    with pytest.raises(ValueError, match="Expected a time such as"):
        parse_datetime(text, BERLIN)


@pytest.mark.parametrize(("hours", "days"), [(-5, 0), (0, 0), (0.1, 0), (0.2, 1), (24, 1), (24.01, 2), (240, 10)])
def test_counts_days_begun_after_the_minutes_of_grace(hours, days):
    assert LateRule(grace_minutes=10).days(timedelta(hours=hours)) == days


@pytest.mark.parametrize(
    ("rule", "days", "points"),
    [
        (LateRule(per_day=0.1), 2, 8.0),
        (LateRule(per_day=0.1, cap=0.5), 9, 20.0),
        (LateRule(per_day=0.1, of="possible"), 2, 10.0),
        (LateRule(per_day=0.5, of="possible"), 2, 40.0),
        (LateRule(), 9, 0.0),
    ],
)
def test_the_late_penalty_follows_the_rule(rule, days, points):
    assert rule.penalty(days, earned=40.0, possible=50.0) == points


def test_free_days_are_spent_in_the_order_of_the_due_dates():
    def work(name, day, late):
        due = datetime(2026, 10, day, tzinfo=UTC)
        return SubmissionRow(name, name, "s1", name, due + timedelta(days=late), due, None, None, 10.0, 10.0)

    done = [work("03", 20, 1), work("01", 5, 2), work("02", 12, 0), work("04", 25, 3)]
    rule = LateRule(per_day=0.1, free_days=4)
    assert penalties(rule, done) == {"01": (2, 0.0), "02": (0, 0.0), "03": (1, 0.0), "04": (3, 2.0)}


def rules(course, late="", roster="", due="2026-10-06T00:00:00"):
    text = f'timezone = "Europe/Berlin"\n[due]\n01-attention = {due}\n'
    (course.root / "course.toml").write_text(text + (f"[late]\n{late}\n" if late else ""), encoding="utf8")
    if roster:
        (course.grading / "roster.csv").write_text(roster, encoding="utf8")


def standings(course):
    return {one.student.id: one for one in load_class_status(course, ASSIGNMENT).students}


MARKED = {"written-scaling": 1.5, "written-order": 1.0}


def test_a_changed_rule_holds_for_the_whole_class_and_no_mark_is_touched(empty_class):
    late = {"ada": DUE + timedelta(hours=30), "ben": DUE, "cyd": DUE + timedelta(hours=30)}
    made_up.hand_in(empty_class, {"ada": {}, "ben": {}, "cyd": {}}, at=late, manual=dict.fromkeys(late, MARKED))
    rules(empty_class, "per_day = 0.1", "id,extension\nada,\nben,\ncyd,01-attention: +1\n")
    found = standings(empty_class)
    points = found["ben"].total
    assert points == 69 + 2.5
    assert (found["ada"].days_late, found["ada"].penalty, found["ada"].raw) == (2, 14.3, points)
    assert (found["cyd"].days_late, found["cyd"].total) == (1, pytest.approx(0.9 * points))
    rules(empty_class, "per_day = 0.1\ncap = 0.05\nfree_days = 1")
    found = standings(empty_class)
    assert (found["ada"].penalty, found["cyd"].penalty) == (3.575, 0.0)
    assert {part.cell: part.earned for part in found["ada"].parts if part.by_hand} == MARKED
    rules(empty_class, "per_day = 0.1", due="2026-10-09T00:00:00")
    assert {one.penalty for one in standings(empty_class).values()} == {0.0}


def test_keeps_nbgraders_penalty_without_a_late_rule(empty_class):
    from nbgrader.api import SubmittedNotebook

    made_up.hand_in(empty_class, {"ada": {}}, at={"ada": DUE + timedelta(days=3)}, manual={"ada": MARKED})
    with gradebook_session(empty_class) as db:
        db.query(SubmittedNotebook).update({"late_submission_penalty": 7.0})
        db.commit()
    assert standings(empty_class)["ada"].penalty == 7.0


def test_nothing_is_ever_mistaken_for_zero_points(empty_class):
    roster = "id,last_name,first_name,excused\n" + "".join(
        f"{name},L,F,{'01-attention' if name == 'exc' else ''}\n"
        for name in ("full", "open", "hum", "wait", "none", "exc")
    )
    rules(empty_class, roster=roster)
    made_up.hand_in(empty_class, {"full": {}, "open": {}, "exc": {}}, manual={"full": MARKED})
    made_up.needs_human(empty_class, "hum", "two notebooks")
    (empty_class.grading / "submitted" / "wait" / ASSIGNMENT).mkdir(parents=True)
    found = standings(empty_class)
    assert {name: (one.state, one.total) for name, one in found.items()} == {
        "full": (GRADED, 71.5),
        "open": (UNMARKED, None),
        "hum": (HUMAN, None),
        "wait": (WAITING, None),
        "none": (MISSING, None),
        "exc": (EXCUSED, None),
    }
    assert found["open"].so_far == 69.0
    assert found["hum"].reason == "two notebooks"


def test_a_folder_in_other_capitals_is_no_second_student(empty_class):
    rules(empty_class, roster="id,last_name,first_name\nS01,Lovelace,Ada\n")
    (empty_class.grading / "submitted" / "s01" / ASSIGNMENT).mkdir(parents=True)
    assert {name: one.state for name, one in standings(empty_class).items()} == {"S01": WAITING}


def test_a_group_is_graded_by_its_latest_hand_in(tmp_path):
    def folder(student, stamp, notebook):
        place = tmp_path / student
        place.mkdir()
        (place / "attention.ipynb").write_text(notebook, encoding="utf8")
        (place / "timestamp.txt").write_text(f"2026-10-05 {stamp} UTC\n", encoding="utf8")
        return HandIn(student, place)

    found = [folder("ada", "10:00:00", "a"), folder("ben", "11:00:00", "b"), folder("eve", "09:00:00", "b")]
    every = with_group_members(found, {"7": ["ada", "ben", "cyd"], "8": ["dee", "dan"]})
    assert [(one.student, one.folder.name) for one in every] == [
        ("ada", "ben"),
        ("ben", "ben"),
        ("cyd", "ben"),
        ("eve", "eve"),
    ]
    assert every[2].note == "group 7: graded the hand-in of ben, which is later than that of ada"
    assert every[3].note == ""
    same = with_group_members(found, {"9": ["ben", "eve"]})
    assert {one.student: (one.folder.name, one.note) for one in same if one.by} == {
        "ben": ("ben", ""),
        "eve": ("ben", ""),
    }


def test_the_same_work_within_a_group_is_no_news():
    outcomes = [Outcome(name, GRADED, digest="d", earned=3.0) for name in ("ada", "ben", "eve")]
    noted = {one.student: one.notes for one in same_as_others(outcomes, {"7": ["ada", "ben"]})}
    assert noted == {
        "ada": ("the same work as eve",),
        "ben": ("the same work as eve",),
        "eve": ("the same work as ada, ben",),
    }


def test_students_with_the_same_work_are_found_by_ids_with_spaces():
    outcomes = same_as_others([Outcome(name, GRADED, digest="d", earned=3.0) for name in ("Ada L", "Bob M", "eve")])
    assert first_with_same_work(outcomes) == {"Ada L": "Ada L", "Bob M": "Ada L", "eve": "Ada L"}


def test_late_work_without_a_time_stays_on_the_list_to_look_at():
    outcomes = [Outcome("ada", GRADED, notes=("n",)), Outcome("ben", GRADED), Outcome("eve", HUMAN)]
    noted = {one.student: one.notes for one in late_without_time(outcomes, {"ada": "Canvas", "eve": "Canvas"})}
    assert noted == {
        "ada": ("n", "Canvas marks it as late, but not by how much: it counts as on time"),
        "ben": (),
        "eve": (),
    }


def give(course, student, points, comment=""):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.grading / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade("written-scaling", "attention", ASSIGNMENT, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.find_comment("written-scaling", "attention", ASSIGNMENT, student).manual_comment = comment
        gradebook.db.commit()


def test_marks_by_hand_are_shared_in_a_group_and_a_later_change_too(empty_class):
    made_up.hand_in(empty_class, {"ada": {}, "ben": {}, "eve": {}})
    rules(empty_class, roster="id,group\nada,7\nben,7\neve,\n")

    def of(student):
        [part] = [part for part in standings(empty_class)[student].parts if part.cell == "written-scaling"]
        return part.earned, part.comment

    give(empty_class, "ada", 1.5, "Say why.")
    assert [of(name) for name in ("ada", "ben", "eve")] == [(1.5, "Say why."), (1.5, "Say why."), (None, "")]
    give(empty_class, "ben", 2.0, "Right.")
    assert [of(name) for name in ("ada", "ben")] == [(2.0, "Right.")] * 2
    give(empty_class, "ada", 0.5)
    give(empty_class, "ben", 1.0)
    assert "different marks by hand (ada 0.5, ben 1)" in sync_gradebook(empty_class)[0]
    assert [of(name)[0] for name in ("ada", "ben")] == [0.5, 1.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[late]\nper_day = 10\n", "a share between 0 and 1"),
        ("[late]\nper_week = 0.1\n", "has 'per_week'. Expected: cap, free_days, grace_minutes, of, per_day"),
        ("[late]\nof = 'all'\n", 'of = "earned" or "possible"'),
        ("timezone = 'Mars/Base'\n", "no time zone 'Mars/Base'"),
        ("[lat]\nper_day = 0.1\n", "expected timezone, optional, due, late, but got 'lat'"),
        ("timezon = 'Europe/Berlin'\n", "but got 'timezon'"),
        ("[due]\n01-attentoin = 2026-01-01T00:00:00\n", "names '01-attentoin'. Expected one of: 01-attention"),
        ("[due]\n01-attention = 'tomorrow'\n", "expected a date and time"),
        ("[due\n", "cannot be read"),
    ],
)
def test_a_wrong_rule_says_what_was_expected(empty_class, text, said):
    (empty_class.root / "course.toml").write_text(text, encoding="utf8")
    with pytest.raises(ValueError, match=said):
        read_policy(empty_class)


def test_the_work_of_a_group_is_graded_once_and_noted_where_two_handed_in(empty_class):
    from sample_class import hand_in

    from autograder.grading.gradebook.enrolment import handed_in
    from autograder.grading.gradebook.queries import released_assignment
    from autograder.grading.run.batch import Batch, outcomes
    from autograder.grading.run.store import Store
    from autograder.grading.settings import Settings

    rules(empty_class, roster="id,group\nada,7\nben,7\ncyd,7\neve,\n")
    for student in ("ada", "ben", "eve"):
        hand_in(empty_class.root, student, f"def softmax(E, dim=-1):\n    return '{student}'")
    for student, hour in (("ada", 10), ("ben", 11)):
        stamp = empty_class.grading / "submitted" / student / ASSIGNMENT / "timestamp.txt"
        stamp.write_text(f"2026-10-05 {hour}:00:00 UTC\n", encoding="utf8")
    asked = []

    def grader(task):
        time.sleep(0.05)  # long enough for the other thread to want the same
        asked.append(task.submission.digest)
        made = made_up.result(empty_class, task.submission.digest, {}, task.seed)
        return replace(made, sealed=True)

    work = Batch(
        empty_class.grading, released_assignment(empty_class, ASSIGNMENT), Settings(), Store(empty_class.grading)
    )
    found = handed_in(empty_class, empty_class.grading / "submitted", ASSIGNMENT, [])
    ended = {one.student: one for one in outcomes(work, found, grader, 4)}
    assert set(ended) == {"ada", "ben", "cyd", "eve"}
    assert len(asked) == 2, "once for the group, once for eve"
    assert len({ended[name].digest for name in ("ada", "ben", "cyd")}) == 1
    assert all("graded the hand-in of ben" in " ".join(ended[name].notes) for name in ("ada", "ben", "cyd"))
    assert ended["eve"].notes == ()


@pytest.mark.parametrize("seconds", [2**38, -(2**40)])
def test_a_folder_from_no_year_that_there_is_was_handed_in_first(tmp_path, monkeypatch, seconds):
    """Some file systems keep such a time, and the hand-ins of a group are compared by it."""
    lstat = Path.lstat
    monkeypatch.setattr(Path, "lstat", lambda path: os.stat_result((*lstat(path)[:8], seconds, 0)))
    assert handed_in_at(tmp_path).year == 1970
