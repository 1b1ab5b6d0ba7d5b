"""What platforms do with a sheet, written from their own import code. Each returns what would stand in their gradebook."""

import csv
import io
import re
from datetime import datetime


def canvas(text: str) -> tuple[dict[str, dict[str, str]], dict[str, str]]:
    """Return grades by Canvas's number of the student and of the assignment, and the points possible.

    As ``gradebook_importer.rb``: two columns in front, then perhaps SIS columns, Section the last of them; scores of columns
    that Canvas computes are dropped; ``Points Possible`` and rows that only say how grades are posted are no students.
    """
    first = text.splitlines()[:3]
    semicolon = all(line.count(";") == first[0].count(";") for line in first) and first[0].count(";") > first[0].count(
        ","
    )
    rows = list(csv.reader(io.StringIO(text), delimiter=";" if semicolon else ","))
    header = rows[0]
    assert "Student" in header[0], "the first column names the student"
    assert "ID" in header[1], "the second column is Canvas's number"
    columns = 3
    if re.search(r"SIS\s+Login\s+ID", header[2]):
        columns += 1
    elif re.search(r"SIS\s+User\s+ID", header[2]) and re.search(r"SIS\s+Login\s+ID", header[3]):
        columns += 2
    assert "Section" in header[columns - 1], "Section is the last column before the assignments"
    computed = re.compile(r"(Current|Final|Override) (Score|Points|Grade|Status)")
    at = {}
    for place, title in enumerate(header[columns:], start=columns):
        if not computed.search(title):
            match = re.fullmatch(r"(.*) \((\d+)\)", title)
            at[match[2] if match else title] = place
    grades, possible = {}, {}
    for row in rows[1:]:
        if "Points Possible" in row[0]:
            possible = {name: row[place] for name, place in at.items()}
        elif not all(re.fullmatch(r"\s*(Muted|Manual Posting.*)?\s*", cell, re.IGNORECASE) for cell in row):
            grades[row[1] or row[0]] = {name: _score(row[place].strip()) for name, place in at.items()}
    return grades, possible


def _score(cell: str) -> str:
    """As ``decimal_comma_to_period``: the last of the points and commas in a number is the decimal one."""
    if re.fullmatch(r"-?[0-9.,]+%?", cell):
        *front, last = re.split(r"[,.]", cell)
        return f"{''.join(front)}.{last}" if front else last
    return cell


def moodle(text: str, strings: dict[str, str]) -> dict[int, tuple[float | None, str]]:
    """Return (grade, feedback) by number of the participant.

    As ``importgradeslib.php``: the columns have the titles that ``strings`` says in the teacher's language, and the number is
    what follows "Participant " in that language. A modified time that is later than the sheet's would be skipped.
    """
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
    at = {name: rows[0].index(title) for name, title in strings.items() if name not in ("participant", "decimal")}
    found = {}
    for row in rows[1:]:
        said = row[at["id"]][len(strings["participant"]) :]
        grade = row[at["grade"]].replace(" ", "").replace(strings.get("decimal", "."), ".")
        found[int(said)] = (float(grade) if grade else None, row[at["comments"]])
        assert re.fullmatch(r"-|.+\d{4}.*", row[at["modified"]]), "strtotime must read it"
    return found


def brightspace(text: str) -> dict[str, dict[str, str]]:
    """Return grades by org-defined id and by title of the item. The last cell of each line has to be a number sign."""
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][-1] == "End-of-Line Indicator"
    assert rows[0][0] == "OrgDefinedId"
    items = {}
    for place, title in enumerate(rows[0]):
        if match := re.fullmatch(r"(.+) Points Grade <Numeric MaxPoints:([\d.]+).*>", title):
            items[match[1]] = (place, float(match[2]))
    found = {}
    for row in rows[1:]:
        assert row[-1] == "#", "a line without its end is not imported"
        grades = {title: row[place] for title, (place, _) in items.items() if row[place]}
        assert all(float(grades[title]) <= most for title, (_, most) in items.items() if title in grades)
        found[row[0].removeprefix("#")] = grades
    return found


def gradescope(data: dict) -> float | None:
    """Return the score that Gradescope would show, after its specification of ``results.json``; None if there is none."""
    visible = {"hidden", "after_due_date", "after_published", "visible"}
    assert data.keys() <= {
        "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
        "stdout_visibility", "extra_data", "tests", "leaderboard", "max_score",
    }  # fmt: skip
    assert data["visibility"] in visible
    formats = {"text", "html", "simple_format", "md", "ansi"}
    for test in data["tests"]:
        assert test.keys() <= {
            "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags",
            "visibility", "extra_data",
        }  # fmt: skip
        assert test["visibility"] in visible
        assert test["output_format"] in formats
        assert test.get("status", "passed") in ("passed", "failed")
        assert test["max_score"] > 0
        assert 0 <= test.get("score", 0.0) <= test["max_score"] + 1e-9
    for line in data.get("leaderboard", ()):
        assert line.keys() <= {"name", "value", "order"}
    return data.get("score")


def parsed(time: str) -> datetime:
    return datetime.fromisoformat(time)
