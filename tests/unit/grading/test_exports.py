"""Grades come out as they stand in the gradebook: each format is read back, by readers written from the platforms' own code."""

import csv
import io
import json
from datetime import timedelta
from xml.etree import ElementTree as Xml

import made_up
import pytest
import readers
from made_up import ASSIGNMENT, DUE
from nbgrader.api import Gradebook
from rich.console import Console

from autograder.grading.gradebook.queries import database
from autograder.grading.gradebook.regrade_requests import answer, ask
from autograder.grading.gradebook.status import load_class_status
from autograder.grading.lms.csv_table import read_table, write_table
from autograder.grading.lms.export import Choice, ExportOptions, export
from autograder.grading.lms.grades import harmless
from autograder.nbgrader_plugins.export import SafeCsv

ROSTER = """\
id,last_name,first_name,email,login,excused
s1,"O'Brien, Jr.",Seán,sean@example.org,sobrien,
s2,Müller,Änne,anne@example.org,amueller,
s3,=1+1,@cmd,three@example.org,three,
s4,"Quote ""d"" E.",Anna,anna@example.org,aquote,
s5,Lovelace,Ada,ada@example.org,alovelace,
s6,Exempt,Eve,eve@example.org,eexempt,01-attention
s7,Nowhere,Nell,nell@example.org,nnowhere,
"""
#: What each student has in the end, of 73: s3 needs a human, s4 is not marked, s5 handed in nothing, s6 is excused.
WANTED = {"s1": 73.0, "s2": 62.0, "s7": 51.1}


@pytest.fixture
def course(empty_class):
    (empty_class.grading / "roster.csv").write_text(ROSTER, encoding="utf8")
    rule = 'timezone = "Europe/Berlin"\n[due]\n01-attention = 2026-10-06T00:00:00\n[late]\nper_day = 0.1\n'
    (empty_class.root / "course.toml").write_text(rule, encoding="utf8")
    marked = {"written-scaling": 2.0, "written-order": 2.0}
    full = dict.fromkeys(("s1", "s2", "s7"), marked)
    made_up.hand_in(
        empty_class,
        {"s1": {}, "s2": {"softmax": "=cmd|' /C calc'!A0", "attend": ""}, "s4": {}, "s7": {}},
        at={"s7": DUE + timedelta(days=2, hours=1)},
        manual=full,
        notes={"s1": ("an import cell stopped",)},
    )
    made_up.needs_human(empty_class, "s3", "two notebooks: which one counts?")
    return empty_class


@pytest.fixture
def run(course, tmp_path):
    """Export into this sheet, and return what was written and what was said."""

    def run(to, sheet=None, encoding="utf8", newline="", **choice):
        path = None
        if sheet is not None:
            path = tmp_path / "sheet.csv"
            path.write_bytes(sheet.encode(encoding))
        output = tmp_path / "out"
        said = io.StringIO()
        options = ExportOptions(ASSIGNMENT, to, path, output, Choice(**choice))
        status = export(course, options, Console(file=said, width=200))
        assert status in ((0, 1) if sheet else (0,))
        return output.read_bytes().decode(encoding) if output.is_file() else output

    return run


CANVAS = (
    "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,Essay (77),01 Attention (4711),Current Score\r\n"
    ",,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,10.00,73.00,(read only)\r\n"
    '"O\'Brien, Jr., Seán",901,s1,sobrien,"A, B",7.50,,80\r\n'
    '"Müller, Änne",902,,amueller,A,EX,12.00,1\r\n'
    '"=1+1, @cmd",903,s3,three,A,3,5.00,\r\n'
    '"Quote ""d"" E., Anna",904,s4,aquote,A,,,\r\n'
    '"Lovelace, Ada",905,s5,alovelace,B,,,\r\n'
    '"Exempt, Eve",906,s6,eexempt,B,,,\r\n'
    '"Stranger, Sam",999,,,B,1,1,\r\n'
    '"Student, Test",1000,,abc,B,,,\r\n'
)


def test_nbgraders_own_export_knows_the_same_states(course, tmp_path):
    own = {grade.student.id: grade.state for grade in load_class_status(course, ASSIGNMENT).students}
    assert set(own.values()) == {"graded", "needs a human", "not yet marked", "not handed in", "excused"}
    with Gradebook(database(course)) as gradebook:
        exporter = SafeCsv()
        exporter.to = str(tmp_path / "grades.csv")
        exporter.export(gradebook)
    with (tmp_path / "grades.csv").open(encoding="utf8", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert {student: row["state"] for student, row in rows.items()} == own
    assert [student for student, row in rows.items() if not row["score"]] == ["s3", "s6"]


def test_fills_canvas_sheet(run, capsys):
    written = run("canvas", CANVAS, encoding="utf8")
    grades, possible = readers.canvas(written.removeprefix("\ufeff"))
    assert {one: row["4711"] for one, row in grades.items()} == {
        "901": "73", "902": "62", "903": "5.00", "904": "", "905": "", "906": "EX", "999": "1", "1000": "",
    }  # fmt: skip
    assert possible == {"77": "10.00", "4711": "73.00"}
    said = capsys.readouterr().out
    assert "in the sheet, but not in the class: Stranger, Sam / Canvas 999" in said
    assert "in the class, but not in the sheet: s7" in said
    changed = [(a, b) for a, b in zip(CANVAS.split("\r\n"), written.split("\r\n"), strict=True) if a != b]
    assert [b for _, b in changed] == [
        '"O\'Brien, Jr., Seán",901,s1,sobrien,"A, B",7.50,73,80',
        '"Müller, Änne",902,,amueller,A,EX,62,1',
        '"Exempt, Eve",906,s6,eexempt,B,,EX,',
    ], "every other byte is as it was"


def test_points_that_no_row_takes_are_no_success(course, tmp_path, capsys):
    def status(more=""):
        (tmp_path / "sheet.csv").write_text(CANVAS + more, encoding="utf8")
        return export(course, ExportOptions(ASSIGNMENT, "canvas", tmp_path / "sheet.csv", tmp_path / "out"), Console())

    assert status() == 1
    assert "their points are written nowhere: s7." in capsys.readouterr().out
    assert status('"Nowhere, Nell",907,s7,nnowhere,B,,,\r\n') == 0


def test_fills_canvas_sheet_with_semicolons_and_another_maximum(run, capsys):
    sheet = (
        "Student;ID;SIS Login ID;Section;01-attention (1)\n    Points Possible;;;;36,5\nMüller, Änne;2;amueller;A;\n"
    )
    grades, _ = readers.canvas(run("canvas", sheet))
    assert grades == {"2": {"1": "31"}}
    assert "scaled: 01-attention (1): 73 points here are 36.5 there" in capsys.readouterr().out


def test_what_was_decided_in_the_other_system_stays(run, capsys):
    sheet = (
        CANVAS.replace("12.00,1", "EX,1")
        .replace("aquote,A,,,", "aquote,A,,N/A,")
        .replace("alovelace,B,,,", "alovelace,B,,5,")
    )
    written = run("canvas", sheet, zero_if_missing=True, unmarked=True)
    grades, _ = readers.canvas(written.removeprefix("\ufeff"))
    assert {one: grades[one]["4711"] for one in ("901", "902", "904", "905")} == {
        "901": "73", "902": "EX", "904": "N/A", "905": "5",
    }  # fmt: skip
    said = capsys.readouterr().out
    assert "left" in said
    more = {"name": "Full name", "mail": "Email address", "most": "Maximum grade", "full": "73.00"}
    sheet = MOODLE.format(**ENGLISH, **more).replace('grading",50,', 'grading",bestanden,')
    grades = list(csv.reader(io.StringIO(run("moodle", sheet).removeprefix("\ufeff"))))
    assert grades[2][4] == "bestanden"
    assert grades[2][-1] == "before", "no points are told of a grade that is not written"


def test_moodles_own_comments_are_kept_and_ours_written_once(run):
    sheet = MOODLE.format(**ENGLISH, name="Full name", mail="Email address", most="m", full="")
    first = run("moodle", sheet)
    comment = readers.moodle(first, ENGLISH)[102][1]
    assert comment.startswith("before<br>Points by exercise: softmax 1 of 7; ")
    assert run("moodle", first) == first


def test_two_rows_of_one_name_are_nobodys(run, capsys):
    sheet = "Identifier,Full name,Grade\nParticipant 1,Änne Müller,\nParticipant 2,Änne Müller,\nParticipant 3,Nell Nowhere,\n"
    assert run("moodle", sheet) == sheet.replace("Nell Nowhere,", "Nell Nowhere,51.1")
    assert "Änne Müller / Participant 1, Änne Müller / Participant 2" in " ".join(capsys.readouterr().out.split())


def test_moodles_id_number_tells_who_it_is(run):
    sheet = "ID,Vollständiger Name,ID-Nummer,Bewertung\nTeilnehmer/in1,Nell N.,S7,\n"
    assert run("moodle", sheet) == sheet.replace("S7,", "S7,51.1")


def test_fills_a_canvas_column_per_exercise(run, course):
    parts = [part.title for part in load_class_status(course, ASSIGNMENT).parts]
    titles = [f"{part} ({number})" for number, part in enumerate(parts)]
    sheet = f"Student,ID,Section,{','.join(titles)},late penalty (99)\nNell Nowhere,7,A{',' * (len(titles) + 1)}\n"
    [row] = readers.canvas(run("canvas", sheet, per_exercise=True))[0].values()
    assert sum(float(points) for points in row.values()) == pytest.approx(WANTED["s7"])
    assert row["99"] == "-21.9"
    with pytest.raises(ValueError, match="named like these exercises: attend"):
        run("canvas", sheet.replace("attend (", "attention ("), per_exercise=True)


ENGLISH = {
    "id": "Identifier", "grade": "Grade", "modified": "Last modified (grade)", "comments": "Feedback comments",
    "participant": "Participant ",
}  # fmt: skip
GERMAN = {
    "id": "ID", "grade": "Bewertung", "modified": "Zuletzt geändert (Bewertung)", "comments": "Feedback als Kommentar",
    "participant": "Teilnehmer/in", "decimal": ",",
}  # fmt: skip
MOODLE = (
    "\ufeff{id},{name},{mail},Status,{grade},{most},Kann geändert werden,{modified},{comments}\n"
    '{participant}101,"O\'Brien, Jr. Seán",sean@example.org,"No submission",,"{full}",Yes,-,\n'
    '{participant}102,Änne Müller,anne@example.org,"Submitted for grading",50,"{full}",Yes,'
    '"Monday, 5 October 2026, 11:58 PM",before\n'
    '{participant}103,=1+1,three@example.org,x,,"{full}",Yes,-,\n'
    '{participant}107,Nell Nowhere,,x,,"{full}",Yes,-,\n'
)


@pytest.mark.parametrize(
    ("strings", "more"),
    [
        (ENGLISH, {"name": "Full name", "mail": "Email address", "most": "Maximum grade", "full": "73.00"}),
        (GERMAN, {"name": "Vollständiger Name", "mail": "E-Mail-Adresse", "most": "Bestwertung", "full": "73,00"}),
    ],
)
def test_fills_moodles_sheet_in_two_languages(run, strings, more):
    sheet = MOODLE.format(**strings, **more)
    written = run("moodle", sheet)
    assert written.startswith("\ufeff")
    grades = readers.moodle(written, strings)
    assert {number: grade for number, (grade, _) in grades.items()} == {101: 73.0, 102: 62.0, 103: None, 107: 51.1}
    assert "softmax 1 of 7; " in grades[102][1]
    assert "handed in 3 days late: −21.9" in grades[107][1]
    assert grades[103][1] == ""
    assert '"Monday, 5 October 2026, 11:58 PM"' in written


def test_moodles_comments_are_html_and_hold_the_requests(run, course):
    ask(course, ASSIGNMENT, "s1", "=<script>alert(1)</script> I think that it is right", "softmax", 73.0)
    answer(course, ASSIGNMENT, 1, "It is.", {"s1": 73.0})
    comment = readers.moodle(
        run("moodle", MOODLE.format(**ENGLISH, name="n", mail="Email address", most="m", full="")), ENGLISH
    )
    assert (
        "request 1 about softmax: =&lt;script&gt;alert(1)&lt;/script&gt; I think that it is right – It is."
        in comment[101][1]
    )


def test_a_translated_sheet_that_nobody_knows_asks_for_the_column(run):
    sheet = "Dynodwr,Enw,Gradd\nCyfranogwr 101,Seán O'Brien Jr.,\n"
    with pytest.raises(ValueError, match=r"Name it with --column: 'Dynodwr', 'Enw', 'Gradd'"):
        run("moodle", sheet)


BRIGHTSPACE = (
    "OrgDefinedId,Username,Last Name,First Name,Email,Quiz 1 Points Grade <Numeric MaxPoints:10 Weight:5>,"
    "01-attention Points Grade <Numeric MaxPoints:100 Weight:10 Category:Notebooks CategoryWeight:50>,End-of-Line Indicator\r\n"
    '#s1,#sobrien,"O\'Brien, Jr.",Seán,sean@example.org,5,,#\r\n'
    "#9,#amueller,Müller,Änne,anne@example.org,,12,#\r\n"
    "#s5,#alovelace,Lovelace,Ada,ada@example.org,,,#\r\n"
)


def test_fills_brightspace_sheet(run):
    assert readers.brightspace(run("brightspace", BRIGHTSPACE)) == {
        "s1": {"Quiz 1": "5", "01-attention": "100"},
        "9": {"01-attention": "84.93"},
        "s5": {},
    }
    zeros = readers.brightspace(run("brightspace", BRIGHTSPACE, zero_if_missing=True))
    assert zeros["s5"] == {"01-attention": "0"}


def test_blackboards_sheet(run, capsys):
    sheet = (
        '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"01-attention [Total Pts: 100 Score] |4711"\r\n'
        '"O\'Brien, Jr."\t"Seán"\t"sobrien"\t"s1"\t"Needs Grading(0.00)"\r\n"Müller"\t"Änne"\t"amueller"\t""\t"12"\r\n'
    )
    written = run("csv", sheet, encoding="utf-16")
    assert [line.rpartition("\t")[2] for line in written.splitlines()[1:]] == ["100", "84.93"]
    assert "73 points here are 100 there" in capsys.readouterr().out


def test_google_classrooms_sheet(run, capsys):
    sheet = (
        "Last Name,First Name,Email Address,01-attention\nDate,,,10/5\nPoints,,,100\n"
        '"O\'Brien, Jr.",Seán,sean@example.org,\nMüller,Änne,anne@example.org,12\n'
    )
    assert run("csv", sheet) == sheet.replace("org,\n", "org,100\n").replace("org,12", "org,84.93")
    said = capsys.readouterr().out
    assert "73 points here are 100 there" in said
    assert "in the sheet, but not in the class" not in said


def test_moodle_in_a_language_that_is_not_known(run):
    sheet = 'Идентификатор,"Полное имя","Адрес почты",Оценка\n"Участник 102","Müller A.",anne@example.org,\n'
    assert '"Участник 102","Müller A.",anne@example.org,62' in run("moodle", sheet, column="Оценка")


def test_moodles_maximum_stands_behind_the_grade_in_any_language(run, capsys):
    """Points that are not scaled would be too many or too few, and nobody would be told."""
    sheet = 'Dynodwr,Enw,Gradd,Uchafswm,Newid\nCyfranogwr 102,Änne Müller,,"100,00",x\n'
    assert 'Änne Müller,"84,93","100,00",x' in run("moodle", sheet, column="Gradd")
    said = capsys.readouterr().out
    assert "scaled: Gradd: 73 points here are 100 there" in said
    assert "no column for comments was recognised: only points are written" in said


@pytest.mark.parametrize(
    ("sheet", "written"),
    [
        ("Matrikelnummer;Name;01-attention\ns7;Nowhere;\n", "51,1"),
        ("id;Übung 1;01-attention\ns7;7,5;\n", "51,1"),
        ("id,Quiz,01-attention\ns7,7.5,\n", "51.1"),
        ('id,Quiz,01-attention\ns7,"7,5",\n', '"51,1"'),
        ("id;Quiz;01-attention\ns7;7.5;\n", "51.1"),
    ],
)
def test_a_number_has_the_comma_or_the_point_of_the_sheets_own(run, sheet, written):
    """A spreadsheet that writes 5,1 takes 5.1 for a day in January."""
    assert run("csv", sheet).rstrip().endswith(written)


@pytest.mark.parametrize(
    ("sheet", "column"),
    [
        ("id,01-attention (%)\ns7,\n", ""),
        ("id,01-attention\nMaximum,100\ns7,\n", ""),
        ("roster_identifier,points_awarded,points_available\ns7,,100\n", "points_awarded"),
        ('Benutzername,"01-attention [Gesamtpunktzahl: 100 Punkte] |77"\nnnowhere,\n', ""),
    ],
)
def test_the_points_possible_of_other_sheets(run, capsys, sheet, column):
    assert ",70" in run("csv", sheet, column=column)
    said = capsys.readouterr().out
    assert "73 points here are 100 there" in said
    assert "not in the class" not in said


def test_somebody_called_max_is_no_maximum(run):
    assert "Max,Nowhere,s7,51.1" in run("csv", "Vorname,Nachname,id,01-attention\nMax,Nowhere,s7,12\n")


def test_rows_of_one_name_without_an_id_are_nobodys(run, capsys):
    sheet = "Name,01-attention\nNell Nowhere,\nNell Nowhere,\n"
    assert run("csv", sheet) == sheet
    assert "several rows of one name and without an id, left: Nell Nowhere" in capsys.readouterr().out


def test_our_own_csv_disarms_formulas_and_keeps_the_states_apart(run):
    rows = {row["student_id"]: row for row in csv.DictReader(io.StringIO(run("csv", per_exercise=True)))}
    assert {one: (row["state"], row["points"]) for one, row in rows.items()} == {
        "s1": ("graded", "73"),
        "s2": ("graded", "62"),
        "s3": ("needs a human", ""),
        "s4": ("not yet marked", ""),
        "s5": ("not handed in", ""),
        "s6": ("excused", ""),
        "s7": ("graded", "51.1"),
    }
    assert (rows["s3"]["last_name"], rows["s3"]["first_name"]) == ("'=1+1", "'@cmd")
    assert rows["s3"]["reason"] == "two notebooks: which one counts?"
    assert (rows["s7"]["days_late"], rows["s7"]["penalty"], rows["s7"]["points_before_penalty"]) == ("3", "21.9", "73")
    assert (rows["s2"]["softmax"], rows["s2"]["attend"], rows["s4"]["scaling (written)"]) == ("1", "1", "")
    assert rows["s1"]["please_look"] == "an import cell stopped"


def test_unmarked_work_is_exported_only_when_asked(run):
    sheet = "id,01-attention\ns4,\ns5,\n"
    assert run("csv", sheet) == sheet
    assert run("csv", sheet, unmarked=True) == "id,01-attention\ns4,69\ns5,\n"
    rows = {row["student_id"]: row["points"] for row in csv.DictReader(io.StringIO(run("csv", unmarked=True)))}
    assert (rows["s4"], rows["s5"]) == ("69", "")
    data = {one["student"]["id"]: one["points"] for one in json.loads(run("json", unmarked=True))["students"]}
    assert (data["s4"], data["s5"]) == (69.0, None)


def test_a_column_that_is_not_there_is_named(run):
    with pytest.raises(ValueError, match="no column, or several, named like 'nope'"):
        run("canvas", CANVAS, column="nope")
    with pytest.raises(ValueError, match="no column, or several, called 'nope'"):
        run("moodle", MOODLE.format(**ENGLISH, name="n", mail="m", most="x", full=""), column="nope")


def test_json_and_gradescope_and_junit_hold_everything(run, course):
    data = {one["student"]["id"]: one for one in json.loads(run("json"))["students"]}
    assert {name: one["points"] for name, one in data.items() if one["points"] is not None} == WANTED
    [softmax] = [one for one in data["s2"]["exercises"] if one["name"] == "softmax"]
    assert (softmax["points"], softmax["causes"]) == (1.0, ["=cmd|' /C calc'!A0"])
    (course.root.parent / "out").unlink()
    folder = run("gradescope")
    scores = {
        path.parent.name: readers.gradescope(json.loads(path.read_text(encoding="utf8")))
        for path in folder.glob("*/results.json")
    }
    assert scores == {"s1": 73.0, "s2": 62.0, "s3": None, "s4": 69.0, "s5": None, "s6": None, "s7": 51.1}


def test_junit_has_a_suite_per_student(run):
    suites = {suite.get("name"): suite for suite in Xml.fromstring(run("junit").encode())}
    kinds = ("failures", "errors", "skipped")
    counts = {name.partition(".")[2]: [int(suite.get(kind)) for kind in kinds] for name, suite in suites.items()}
    assert counts == {
        "s1": [0, 0, 0], "s2": [2, 0, 0], "s3": [0, 1, 0], "s4": [0, 0, 2], "s5": [0, 0, 1], "s6": [0, 0, 1], "s7": [0, 0, 0],
    }  # fmt: skip
    assert all(len(suite) == int(suite.get("tests")) for suite in suites.values())


@pytest.mark.parametrize(
    ("to", "sheet", "said"),
    [
        ("canvas", None, "Expected --sheet with the CSV file that Canvas handed out"),
        ("json", "a,b\n1,2\n", "--sheet is for canvas, moodle, brightspace and csv"),
        ("canvas", BRIGHTSPACE, "looks like a sheet of brightspace, not of canvas"),
        ("canvas", CANVAS.replace("01 Attention", "Week 1"), r"Name it with --column: .*'Week 1 \(4711\)'"),
        ("canvas", "", "is empty"),
        ("canvas", "PK\0\0", "is not a CSV file"),
    ],
)
def test_errors_say_what_was_expected(run, to, sheet, said):
    with pytest.raises(ValueError, match=said):
        run(to, sheet)


def test_fills_a_column_of_another_name(run):
    grades, _ = readers.canvas(
        run("canvas", CANVAS.replace("01 Attention", "Week 1"), column="Week 1").removeprefix("\ufeff")
    )
    assert grades["901"]["4711"] == "73"


@pytest.mark.parametrize(
    "text",
    [
        "a,b\r\n1,2\r\n",
        'a,b\n"1,\n""x""",2',
        "a;b;c\n1;;\n;;\n",
        "a,b\n\n1,2\n",
        "sep=;\r\na;b\r\n1;2\r\n",
        'a,b\nhe said "no",2\n',
        "a,b\n,\n",
        "\ufeffa,b\r\n'x', \"y\"\r\n",
    ],
)
def test_a_sheet_in_which_nothing_is_changed_stays_as_it_was(tmp_path, text):
    path = tmp_path / "sheet.csv"
    path.write_bytes(text.encode())
    table = read_table(path)
    write_table(table, path)
    assert path.read_bytes() == text.encode()
    plain = text.removeprefix("\ufeff").removeprefix("sep=;\r\n")
    assert table.rows == list(csv.reader(io.StringIO(plain, newline=""), delimiter=table.delimiter))


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf8"])
def test_a_sheet_keeps_its_encoding(tmp_path, encoding):
    path = tmp_path / "sheet.csv"
    path.write_bytes("\ufeffid\tname\r\ns1\tÄnne\r\n".encode(encoding))
    before, table = path.read_bytes(), read_table(path)
    assert table.rows[0] == ["id", "name"]
    write_table(table, path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "text",
    [
        *("=1+1", "+1", "-1", "@x", "\t=1", " =1", "\n=1", "\r=1", "\t1"),
        *(
            "\uff1d1",
            "\uff0b1",
            "\uff0d1",
            "\uff20x",
            "\ufe62" + "1",
            "\u22121",
            "\u00a0=1",
            "\ufeff=1",
            "\u200b\u3000＝1",
            "\x00=1",
        ),
    ],
)
def test_formulas_are_disarmed(text):
    assert harmless(text) == "'" + text


def test_other_text_is_left_alone():
    assert [harmless(text) for text in ("a=1", " x", "", "–", "5", None)] == ["a=1", " x", "", "–", "5", ""]


@pytest.mark.e2e
def test_the_command_writes_the_export_and_a_summary(course, command):
    done = command("autograder", "export", ASSIGNMENT, "--to", "csv", cwd=course.root)
    assert done.returncode == 0, done.stderr
    assert "7 students, 3 graded, 1 not yet marked, 1 needs a human, 1 not handed in, 1 excused" in done.stdout
    assert (course.grading / "export" / "01-attention.csv").exists()
    done = command("autograder", "export", "1-attention", "--to", "csv", cwd=course.root)
    assert (done.returncode, "There is no assignment '1-attention'. Expected one of: 01-attention" in done.stderr) == (
        2,
        True,
    )
