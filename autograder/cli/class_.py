"""The teacher's commands: collect, grade, report and export a class, and inspect one student."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any


def add_one_student(commands: Any) -> None:
    """Add this module's commands to the parser of ``autograder``."""
    for add in (_add_why, _add_replay, _add_questions, _add_adopt, _add_similar, _add_request, _add_requests):
        add(commands)


def _add_why(commands: Any) -> None:
    about = "Say where one student's points come from: points, causes, seed, and what ran."
    parser = commands.add_parser("why", help="say where a student's points come from", description=about)
    parser.add_argument("student", metavar="STUDENT")
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--exercise", metavar="NAME", help="only this exercise, whole")
    parser.set_defaults(run=_why)


def _add_replay(commands: Any) -> None:
    about = (
        "Grade one student's work again, sealed and with the same seed, and compare with the stored result. Nothing is written. "
        "With --shell: run the student's cells in the sandbox and give a prompt there."
    )
    parser = commands.add_parser("replay", help="grade a student's work again and compare", description=about)
    parser.add_argument("student", metavar="STUDENT")
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--exercise", metavar="NAME", help="only this exercise")
    parser.add_argument("--shell", action="store_true", help="a prompt in the sandbox, after the student's cells")
    parser.add_argument("--trust-submissions", action="store_true", help="run students' code without a sandbox")
    parser.set_defaults(run=_replay)


def _add_questions(commands: Any) -> None:
    about = (
        "Make questions about a student's own right answers, for a talk: one line is changed a little, and the checks have said "
        "what that would cost. The same hand-in gets the same questions."
    )
    parser = commands.add_parser("questions", help="make questions about a student's own code", description=about)
    parser.add_argument("student", metavar="STUDENT")
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--exercise", metavar="NAME", help="only about this exercise")
    parser.add_argument("--count", type=int, default=3, metavar="N", help="how many (default: 3)")
    parser.add_argument("--trust-submissions", action="store_true", help="run students' code without a sandbox")
    parser.set_defaults(run=_questions)


def _add_adopt(commands: Any) -> None:
    about = (
        "Make a case for the audit of a student's answer: without comments, docstrings and the student's names. "
        "Try it with: autograder audit --bank bank --exercise EXERCISE"
    )
    parser = commands.add_parser("adopt", help="make a case of a student's answer", description=about)
    parser.add_argument("student", metavar="STUDENT")
    parser.add_argument("exercise", metavar="EXERCISE")
    parser.add_argument(
        "--assignment", metavar="ASSIGNMENT", help="where several lessons have an exercise of this name"
    )
    parser.add_argument("--bank", type=Path, metavar="DIR", help="where the cases lie (default: bank/)")
    parser.add_argument("--name", help="the name of the mistake (default: from its text)")
    parser.add_argument("--hint", default="", help="what happens, in one sentence, and where to look")
    parser.add_argument("--right", action="store_true", help="a right answer that was judged wrongly")
    parser.set_defaults(run=_adopt)


def _add_similar(commands: Any) -> None:
    about = (
        "Compare the answers of a class, without what was released and what the bank of known answers holds. A page shows pairs "
        "side by side; it points, and says nothing about anybody."
    )
    parser = commands.add_parser("similar", help="find similar answers", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument(
        "--least", type=float, default=0.6, metavar="SHARE", help="list pairs from here on (default: 0.6)"
    )
    parser.add_argument("--output", type=Path, metavar="PATH", help="where to write (default: grading/similar/)")
    parser.set_defaults(run=_similar)


def _add_request(commands: Any) -> None:
    about = (
        "Note a student's request to grade again, with its reason. It is kept beside the results and shown in exports."
    )
    parser = commands.add_parser("request", help="note a request to grade again", description=about)
    parser.add_argument("student", metavar="STUDENT")
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--reason", required=True, help="the student's words")
    parser.add_argument("--exercise", default="", metavar="NAME", help="what it is about")
    parser.set_defaults(run=_request)


def _add_requests(commands: Any) -> None:
    about = "List the requests to grade again, or answer one. Points themselves are changed in formgrader or by grading again."
    parser = commands.add_parser("requests", help="list or answer requests to grade again", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--answer", type=int, metavar="NUMBER", help="answer this one")
    parser.add_argument("--text", default="", help="the answer")
    parser.set_defaults(run=_requests)


def _why(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.teacher.why import find, why

    print(why(find(find_course(), options.student, options.assignment), options.exercise))
    return 0


def _replay(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.teacher.replay import look_inside, replay
    from autograder.grading.teacher.why import find

    course = find_course()
    if options.shell:
        return look_inside(course, options.student, options.assignment)
    found = find(course, options.student, options.assignment)
    return replay(course, found, options.exercise, options.trust_submissions)


def _questions(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.teacher.questions import as_text, questions
    from autograder.grading.teacher.why import find

    if options.count < 1:
        raise ValueError(f"--count should be at least 1, but is {options.count}.")
    course = find_course()
    found = find(course, options.student, options.assignment)
    asked = questions(course, found, options.exercise, options.count, options.trust_submissions)
    print(as_text(asked))
    return 0 if asked else 1


def _adopt(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.teacher.adopt import adopt, assignment_of
    from autograder.grading.teacher.why import find

    course = find_course()
    found = find(course, options.student, options.assignment or assignment_of(course, options.exercise))
    given = {name: getattr(options, name) for name in ("bank", "name", "hint", "right")}
    path = adopt(course, found, options.exercise, **given)
    print(path.read_text(encoding="utf8"))
    print(f"adopt: {path}\nRead it before it leaves your hands, and try it: autograder audit --bank {path.parents[3]}")
    return 0


def _similar(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.teacher.similarity import write_similar

    if not 0 < options.least <= 1:
        raise ValueError(f"--least is a share between 0 and 1, but is {options.least:g}.")
    page, number = write_similar(find_course(), options.assignment, options.least, options.output)
    print(f"similar: {number} pairs; {page}")
    return 0


def _request(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.gradebook.regrade_requests import ask
    from autograder.grading.teacher.why import find

    course = find_course()
    found = find(course, options.student, options.assignment)
    names = [part.title for part in found.own.parts]
    if options.exercise and options.exercise not in names:
        raise LookupError(f"There is no exercise {options.exercise!r}. Expected one of: {', '.join(names)}.")
    made = ask(course, options.assignment, found.own.student.id, options.reason, options.exercise, found.own.so_far)
    print(f"request {made.number} noted. Look: autograder why {options.student} {options.assignment}")
    return 0


def _requests(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.gradebook.regrade_requests import answer, requests
    from autograder.grading.gradebook.status import load_class_status
    from autograder.grading.lms.grades import request_text
    from autograder.grading.run.status import readable

    course = find_course()
    if options.answer is not None:
        if not options.text.strip():
            raise ValueError("Expected the answer: --text '…'.")
        points = {one.student.id: one.so_far for one in load_class_status(course, options.assignment).students}
        known = requests(course, options.assignment)
        student = next((who for who, some in known.items() if any(one.number == options.answer for one in some)), "")
        _, done = answer(course, options.assignment, options.answer, options.text, points.get(student))
        print(f"{student}: {readable(request_text(done))}")
        return 0
    every = [(student, one) for student, some in requests(course, options.assignment).items() for one in some]
    for student, one in sorted(every, key=lambda item: (not item[1].open, item[1].number)):
        print(f"{student}: {readable(request_text(one))}")
    print(f"requests: {len(every)}, of which {sum(one.open for _, one in every)} wait for an answer")
    return 0


def add_reports(commands: Any) -> None:
    """Add this module's commands to the parser of ``autograder``."""
    for add in (_add_export, _add_report, _add_gradescope):
        add(commands)


def _add_export(commands: Any) -> None:
    about = (
        "Write an assignment's grades: into the sheet that you downloaded from Canvas, Moodle or Brightspace, or as CSV, JSON, "
        "JUnit or Gradescope's results. Students without a decision (needs a human, not yet marked, not handed in) get no points."
    )
    parser = commands.add_parser("export", help="write grades for a platform", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    formats = ("canvas", "moodle", "brightspace", "gradescope", "csv", "json", "junit")
    parser.add_argument("--to", required=True, choices=formats, help="the format")
    parser.add_argument(
        "--sheet", type=Path, metavar="CSV", help="the sheet that the platform handed out; a copy is filled"
    )
    where = "where to write (default: beside the sheet, or grading/export/)"
    parser.add_argument("--output", type=Path, metavar="PATH", help=where)
    parser.add_argument(
        "--column", default="", metavar="TITLE", help="the column, if it is not called like the assignment"
    )
    parser.add_argument("--per-exercise", action="store_true", help="a column for each exercise, called like it")
    parser.add_argument("--zero-if-missing", action="store_true", help="give 0 to whoever handed in nothing")
    unmarked = "write points although written questions are not yet marked"
    parser.add_argument("--unmarked", action="store_true", help=unmarked)
    parser.set_defaults(run=_export)


def _export(options: argparse.Namespace) -> int:
    from autograder.grading.console import console
    from autograder.grading.course import find_course
    from autograder.grading.lms.export import Order, export
    from autograder.grading.lms.fill import Choice

    choice = Choice(options.column, options.per_exercise, options.zero_if_missing, options.unmarked)
    return export(
        find_course(), Order(options.assignment, options.to, options.sheet, options.output, choice), console()
    )


def _add_report(commands: Any) -> None:
    about = (
        "Write one page about an assignment, or about the whole course: distribution, pass rates, misconceptions and who has "
        "them, similar wrong answers without a name, what to look at, changes by a regrade. It needs no network."
    )
    parser = commands.add_parser("report", help="see the class on one page", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT", nargs="?", help="default: the whole course")
    parser.add_argument("--output", type=Path, metavar="PATH", help="where to write (default: grading/report/)")
    parser.set_defaults(run=_report)


def _report(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.teacher.report import write_report

    print(f"report: {write_report(find_course(), options.assignment, options.output)}")
    return 0


def _add_gradescope(commands: Any) -> None:
    about = (
        "Build the zip for a programming assignment on Gradescope: setup.sh and run_autograder at its root. Where the container "
        "cannot seal students' code, it refuses and says so, unless the zip is built with --trusted."
    )
    parser = commands.add_parser("gradescope", help="build the zip for Gradescope", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--output", type=Path, metavar="ZIP", help="where to write (default: grading/export/)")
    parser.add_argument("--trusted", action="store_true", help="let submissions run without a sandbox")
    parser.add_argument("--leaderboard", action="store_true", help="show points on Gradescope's leaderboard")
    parser.set_defaults(run=_gradescope)


def _gradescope(options: argparse.Namespace) -> int:
    from autograder.grading.course import find_course
    from autograder.grading.gradescope.zip_file import build

    course = find_course()
    output = options.output or course.grading / "export" / f"{options.assignment}-gradescope.zip"
    path = build(course, options.assignment, output, options.trusted, options.leaderboard)
    print(
        f"gradescope: {path}\nUpload it as the autograder; base image: Ubuntu 24.04 or later, with Python 3.11 or later."
    )
    if options.trusted:
        print("Built for trusted use: where nothing can be sealed, a hostile notebook can write its own results.")
    return 0


#: What a command does, and its exit status.
Run = Callable[[argparse.Namespace], int]


def add_collect(commands: Any) -> None:
    """Add this module's commands to the parser of ``autograder``."""
    for add in (_add_collect, _add_feedback):
        add(commands)


def add_grade(commands: Any, run: Run) -> None:
    about = (
        "Grade a class in a sandbox, in parallel, and write the gradebook. Finished submissions are never graded twice: after "
        "an interruption, run the same command again."
    )
    parser = commands.add_parser("grade", help="grade a class", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--workers", type=int, default=None, help="submissions at a time (default: one for each core)")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="grade on this Dask cluster, tcp://host:port")
    parser.add_argument("--student", action="append", metavar="ID", help="grade only this student (repeatable)")
    parser.add_argument("--force", action="store_true", help="grade finished submissions again")
    parser.add_argument("--diff", action="store_true", help="show whose points would change, and why; write nothing")
    parser.add_argument("--seed", type=int, help="draw inputs from this seed (default: secret, one each)")
    parser.add_argument("--trust-submissions", action="store_true", help="run students' code without a sandbox")
    parser.add_argument("--limits", metavar="JSON", help="limits of the sandbox, such as '{\"request_cpu\": 80}'")
    parser.set_defaults(run=run)


def _add_collect(commands: Any) -> None:
    about = (
        "Put a class's hand-ins into grading/submitted/: from the zip that Moodle, Canvas, Brightspace or Gradescope hands out, "
        "or from a folder of notebooks. Names are matched against grading/roster.csv. Running it again changes nothing."
    )
    parser = commands.add_parser("collect", help="put a class's hand-ins in place", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("source", metavar="ARCHIVE", type=Path, help="a zip archive, or a folder")
    sheet = (
        "the platform's own sheet of the class: knows its numbers for people, and from Moodle the times of handing in"
    )
    parser.add_argument("--sheet", type=Path, metavar="CSV", help=sheet)
    times = "take the times of the files for the times of handing in"
    parser.add_argument("--entry-times", action="store_true", help=times)
    parser.add_argument("--force", action="store_true", help="replace newer work, and what was put there by hand")
    parser.set_defaults(run=_collect)


def _collect(options: argparse.Namespace) -> int:
    from autograder.grading.console import console
    from autograder.grading.course import find_course
    from autograder.grading.lms.collect import Order, collect, tell

    order = Order(options.assignment, options.source, options.sheet, options.entry_times, options.force)
    return tell(collect(find_course(), order), order, console())


def _add_feedback(commands: Any) -> None:
    about = (
        "Write the feedback pages of everyone who was graded, several at a time. Pages are always written anew: they show "
        "the latest points, marks and comments."
    )
    parser = commands.add_parser("feedback", help="write a class's feedback pages", description=about)
    parser.add_argument("assignment", metavar="ASSIGNMENT")
    parser.add_argument("--student", action="append", metavar="ID", help="only this student's (repeatable)")
    parser.add_argument("--workers", type=int, default=None, help="pages at a time (default: one for each core)")
    parser.set_defaults(run=_feedback)


def _feedback(options: argparse.Namespace) -> int:
    from joblib import cpu_count

    from autograder.grading.course import find_course
    from autograder.grading.gradebook.feedback import write_pages

    workers = cpu_count() if options.workers is None else options.workers
    if workers < 1:
        raise ValueError(f"--workers should be at least 1, but is {workers}.")
    return write_pages(find_course(), options.assignment, options.student or (), workers)
