"""A class for each lesson that is there, and the users' own commands on it. A new lesson is in it by itself."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from known import LESSONS, points

from autograder.authoring.lay_out import lay_out as make_course
from autograder.grading.committed import committed_scores, database
from autograder.grading.course import Course, find_course
from autograder.judging import notebooks
from autograder.judging.answers import misconceptions


def lay_out(place: Path, lesson: str) -> Course:
    """Make a course with one lesson: the solution, the untouched release, a wrong answer to every exercise, and, where a file is
    handed in with the notebook, one without it and one with that of another model.
    """
    source = find_course()
    solution = source.solution_notebook(lesson)
    make_course(source, place, [lesson])
    released = place / "assignments" / lesson / solution.name
    files = {name: (solution.parent / name).read_bytes() for name in LESSONS.of(lesson).handed_in}
    assert all(files.values())
    right = notebooks.read(solution)
    hand_in(place, "solution", lesson, solution.name, notebooks.read(solution), files)
    hand_in(place, "release", lesson, solution.name, notebooks.read(released), {})
    hand_in(place, "wrong", lesson, solution.name, with_wrong_answers(lesson, right), files)
    if files:
        hand_in(place, "without-file", lesson, solution.name, notebooks.read(solution), {})
        hand_in(
            place,
            "foreign-file",
            lesson,
            solution.name,
            notebooks.read(solution),
            dict.fromkeys(files, foreign(lesson)),
        )
    return Course(place)


def with_wrong_answers(lesson: str, notebook: dict) -> dict:
    """Put a known wrong answer in the place of every exercise."""
    known = {name: misconceptions(LESSONS.of(lesson), name) for name in LESSONS.of(lesson).exercises}
    wrong = {name: cases[0].text for name, cases in known.items()}
    changed = json.loads(json.dumps(notebook))
    for cell in changed["cells"]:
        cell["source"] = wrong.get(notebooks.grade_id(cell), notebooks.source(cell))
    return changed


def foreign(lesson: str) -> bytes:
    """Return the weights of another lesson's model."""
    others = [path for path in sorted(find_course().solutions.glob("*/*.safetensors")) if path.parent.name != lesson]
    return others[0].read_bytes()


def hand_in(place: Path, student: str, lesson: str, name: str, notebook: dict, files: dict) -> None:
    folder = place / "grading" / "submitted" / student / lesson
    folder.mkdir(parents=True)
    (folder / name).write_text(json.dumps(notebook), encoding="utf8")
    for file, data in files.items():
        (folder / file).write_bytes(data)


def run(place: Path, command: str, *arguments: str, good: tuple[int, ...] = (0,)) -> str:
    """Run a command as a user does, in the course, with the programs of this environment; return what it printed."""
    program = Path(sys.executable).parent / command
    done = subprocess.run(
        [program, *arguments],
        cwd=place,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=os.environ | {"MPLBACKEND": "Agg"},
        encoding="utf8",
    )
    assert done.returncode in good, f"{command} {' '.join(arguments)}: {done.returncode}\n{done.stdout[-6000:]}"
    return done.stdout


def in_gradebook(course: Course, lesson: str) -> dict[str, dict[str, float]]:
    """Return the points in the gradebook by student and exercise."""
    exercises = LESSONS.of(lesson).exercises
    return {
        student: {name: there.scores[f"check-{name}"] for name in exercises}
        for student, there in committed_scores(database(course), lesson).items()
    }


def by_check(course: Course, lesson: str, students: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return what ``autograder check`` says of hand-ins."""
    found = {}
    for student in students:
        [notebook] = (course.grading / "submitted" / student / lesson).glob("*.ipynb")
        printed = run(course.root, "autograder", "check", str(notebook), "--json", "--seed", "11", good=(0, 1))
        told = json.loads(printed[printed.index("{") :])
        found[student] = {one["name"]: one["earned"] for one in told["exercises"]}
    return found


def on_pages(course: Course, lesson: str) -> dict[str, float]:
    """Return the totals on the feedback pages."""
    found = {}
    for page in (course.grading / "feedback").glob(f"*/{lesson}/*.html"):
        [total] = re.findall(r"\(Score: ([\d.]+) / [\d.]+\)</h4>", page.read_text(encoding="utf8"))
        found[page.parent.parent.name] = float(total)
    return found


def full(lesson: str) -> dict[str, float]:
    return points(lesson)
