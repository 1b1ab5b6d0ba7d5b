"""A class for each lesson that is there, and the users' own commands on it. A new lesson is in it by itself."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from known import LESSONS, points

from autograder.authoring.lay_out import lay_out as make_course
from autograder.content import notebook as notebooks
from autograder.content.known_answers import misconceptions
from autograder.grading.course import Course, find_course
from autograder.grading.gradebook.queries import committed_scores, database
from autograder.grading.run.result import Result
from autograder.grading.run.status import load_status
from autograder.grading.run.store import Store


def lay_out(place: Path, lesson: str, students: tuple[str, ...] | None = None) -> Course:
    """Make a course with one lesson: the solution, the untouched release, a wrong answer to every exercise. If a file is handed
    in with the notebook, two more have solved only what is needed for it: one forgot it, one handed in that of another model.
    With ``students``, only these have handed something in.
    """
    source = find_course()
    solution = source.solution_notebook(lesson)
    make_course(source, place, [lesson])
    released = notebooks.read(place / "assignments" / lesson / solution.name)
    right = notebooks.read(solution)
    files = {name: (solution.parent / name).read_bytes() for name in LESSONS.of(lesson).handed_in}
    assert all(files.values())
    hand_in(place, "solution", lesson, solution.name, right, files)
    hand_in(place, "release", lesson, solution.name, released, {})
    # By name: a model kept between calls, which may stand first, is built of a right earlier exercise only where cells run again.
    own = LESSONS.of(lesson)
    wrong = {name: min(misconceptions(own, name), key=str).text for name in own.exercises}
    hand_in(place, "wrong", lesson, solution.name, with_texts(right, wrong), files)
    if files:
        solved = needed_for(lesson, with_files(lesson))
        some = with_texts(released, {name: text for name, text in texts(right).items() if name in solved})
        hand_in(place, "without-file", lesson, solution.name, some, {})
        hand_in(place, "foreign-file", lesson, solution.name, some, dict.fromkeys(files, foreign(lesson)))
    for folder in (place / "grading" / "submitted").iterdir():
        if students is not None and folder.name not in students:
            shutil.rmtree(folder)
    return Course(place)


def with_files(lesson: str) -> list[str]:
    """Return the exercises for which a file is handed in: their checks load it into a model of their own."""
    own = LESSONS.of(lesson)
    return [name for name in own.exercises if ".made_anew(" in own.check_file(name).read_text(encoding="utf8")]


def needed_for(lesson: str, exercises: list[str]) -> set[str]:
    """Return these exercises and all that they build on."""
    more = {earlier for name in exercises for earlier in LESSONS.of(lesson).builds_on(name)} - {*exercises}
    return needed_for(lesson, [*exercises, *more]) if more else {*exercises}


def texts(notebook: dict) -> dict[str, str]:
    """Return the text of each cell that has a name."""
    return {notebooks.grade_id(cell): notebooks.source(cell) for cell in notebook["cells"] if notebooks.grade_id(cell)}


def with_texts(notebook: dict, given: dict[str, str]) -> dict:
    """Return a copy of the notebook with these texts in the cells of these names."""
    changed = json.loads(json.dumps(notebook))
    for cell in changed["cells"]:
        cell["source"] = given.get(notebooks.grade_id(cell), notebooks.source(cell))
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


class Checker:
    """A process that checks one notebook after another as ``autograder check`` does; each start of PyTorch takes seconds."""

    def __init__(self) -> None:
        program = [sys.executable, "-P", str(Path(__file__).with_name("checker.py"))]
        self.process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf8")

    def check(self, course: Course, lesson: str, student: str) -> Result:
        """Return what it finds in a hand-in."""
        [notebook] = (course.grading / "submitted" / student / lesson).glob("*.ipynb")
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{notebook}\n")
        self.process.stdin.flush()
        return Result.from_json(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


def stored(course: Course, lesson: str, student: str) -> Result:
    """Return the result that the gradebook's points are from."""
    result = Store(course.grading).get(load_status(course.grading, lesson)[student].key)
    assert result is not None
    return result


def verdicts(result: Result) -> dict[str, tuple[float, list[str]]]:
    """Return the points and the named causes by exercise."""
    return {one["name"]: (one["earned"], one["named"]) for one in result.exercises}


def on_pages(course: Course, lesson: str) -> dict[str, float]:
    """Return the totals on the feedback pages."""
    found = {}
    for page in (course.grading / "feedback").glob(f"*/{lesson}/*.html"):
        [total] = re.findall(r'<p id="total"><b>([\d.]+) of [\d.]+ points</b>', page.read_text(encoding="utf8"))
        found[page.parent.parent.name] = float(total)
    return found


def full(lesson: str) -> dict[str, float]:
    return points(lesson)
