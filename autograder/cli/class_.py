"""The teacher's commands: collect, grade, report and export a class, and inspect one student."""

from pathlib import Path
from typing import Any

import click

from autograder.cli.command import (
    COUNT,
    PATH,
    SHARE,
    assignment,
    command,
    exercise,
    find_course,
    flag,
    output,
    student,
    students,
    trust,
    workers,
)


@command("grade 01-attention --workers 4")
@assignment
@workers("submissions")
@click.option("--scheduler", metavar="ADDRESS", help="grade on this Dask cluster, tcp://host:port")
@students("grade only this student")
@flag("--force", "grade finished submissions again")
@flag("--diff", "show whose points would change, and why; write nothing")
@click.option("--seed", type=int, help="draw inputs from this seed (default: a secret one for each)")
@trust
@click.option("--limits", metavar="JSON", help="limits of the sandbox, such as '{\"request_cpu\": 80}'")
def grade(seed: int | None, trust: bool, limits: str | None, **options: Any) -> int:
    """Grade a class in a sandbox, and write the gradebook.

    Submissions are graded in parallel. Finished ones are never graded twice: after an interruption, run the same command again.
    """
    from autograder.grading.gradebook.class_run import GradeOptions, grade_class
    from autograder.grading.settings import Settings
    from autograder.sandbox.limits import Limits

    course = find_course()
    limits_given: dict[str, Any] = {} if limits is None else {"limits": Limits.from_json(limits)}
    settings = Settings.from_environment(
        seed=seed, trust=trust, label=course.label, lessons=course.lessons, **limits_given
    )
    return grade_class(course, GradeOptions(**options, settings=settings))


@command("collect 01-attention submissions.zip --sheet class.csv")
@assignment
@click.argument("source", metavar="ARCHIVE", type=PATH)
@click.option(
    "--sheet",
    type=PATH,
    metavar="CSV",
    help="the platform's sheet of the class, for its ids of students and, from Moodle, the submission times",
)
@flag("--entry-times", "use the times of the files as submission times")
@click.option(
    "--platform",
    type=click.Choice(["Moodle", "Canvas", "Brightspace", "Blackboard", "Gradescope", "Sakai", "OpenOlat", "files"]),
    help="the platform of the files (default: recognised by their names)",
)
@flag("--force", "replace newer work, and work that was put there by hand")
def collect(**options: Any) -> int:
    """Put a class's hand-ins into grading/submitted/.

    ARCHIVE is the zip downloaded from a platform (Moodle, Canvas, Brightspace, Blackboard, Gradescope, Sakai, OpenOlat, ILIAS,
    …), or a folder of notebooks. Names are matched against grading/roster.csv. Running the command again changes nothing.
    """
    from autograder.grading.console import console
    from autograder.grading.lms.collect import CollectOptions, collect, print_result

    collect_options = CollectOptions(**options | {"platform": options["platform"] or ""})
    return print_result(collect(find_course(), collect_options), collect_options, console())


@command("mark 01-attention")
@assignment
@flag("--no-browser", "only print the page's address")
@click.option("--port", type=COUNT, metavar="N", help="the server's port (default: the first free one from 8888)")
@flag("--allow-root", "start the server as root, as in a container")
def mark(assignment: str, no_browser: bool, port: int | None, allow_root: bool) -> int:
    """Mark a class's written questions in the browser.

    Equal and nearly equal answers are marked together, with the mark scheme beside them and without names. Points and comments
    are in the gradebook at once, as from formgrader. Ctrl-C ends the server.
    """
    from autograder.grading.teacher.mark import mark

    return mark(find_course(), assignment, not no_browser, port, allow_root)


@command("feedback 01-attention")
@assignment
@students("only this student's")
@workers("pages")
@click.option("--zip", "as_zip", is_flag=True, help="also write an archive for Moodle's or Canvas's upload")
def feedback(assignment: str, students: tuple[str, ...], workers: int, as_zip: bool) -> int:
    """Write the feedback pages of all graded students. Each run renews them, with the latest points and comments."""
    from autograder.grading.console import show
    from autograder.grading.gradebook.feedback import write_pages
    from autograder.grading.lms.feedback_zip import write_feedback_zip

    course = find_course()
    written, failed = write_pages(course, assignment, students, workers)
    if as_zip:
        show("\n".join(write_feedback_zip(course, assignment, written)))
    return 1 if failed else 0


@command("export 01-attention --to canvas --sheet class.csv")
@assignment
@click.option(
    "--to",
    required=True,
    type=click.Choice(("canvas", "moodle", "brightspace", "gradescope", "csv", "json", "junit")),
    help="the format",
)
@click.option("--sheet", type=PATH, metavar="CSV", help="the sheet downloaded from the platform; a copy is filled in")
@output("PATH", "where to write (default: beside the sheet, or grading/export/)")
@click.option("--column", default="", metavar="TITLE", help="the column's title, if it is not the assignment's name")
@flag("--per-exercise", "a column for each exercise, with its name as title")
@flag("--zero-if-missing", "give 0 to students who handed in nothing")
@flag("--unmarked", "write points although written questions are not yet marked")
def export(assignment: str, to: str, sheet: Path | None, output: Path | None, **choice: Any) -> int:
    """Write an assignment's grades for a platform.

    They are filled into the sheet that you downloaded from Canvas, Moodle or Brightspace, or written as CSV, JSON, JUnit or
    Gradescope's results. Students without a decision (needs a human, not yet marked, not handed in) get no points.
    """
    from autograder.grading.console import console
    from autograder.grading.lms.export import Choice, ExportOptions, export

    return export(find_course(), ExportOptions(assignment, to, sheet, output, Choice(**choice)), console())


@command("report 01-attention")
@click.argument("assignment", required=False)
@output("PATH", "where to write (default: grading/report/)")
def report(assignment: str | None, output: Path | None) -> None:
    """Write a report on an assignment or the whole course.

    It shows the distribution of points, pass rates, misconceptions and the students who have them, similar unexplained wrong
    answers, work to look at, and changes by a regrade. The report is one page and works offline.
    """
    from autograder.grading.teacher.report import write_report

    print(f"report: {write_report(find_course(), assignment, output)}")


@command("gradescope 01-attention")
@assignment
@output("ZIP", "where to write (default: grading/export/)")
@flag("--trusted", "let submissions run without a sandbox")
@flag("--leaderboard", "show points on Gradescope's leaderboard")
def gradescope(assignment: str, output: Path | None, trusted: bool, leaderboard: bool) -> None:
    """Build the zip for a programming assignment on Gradescope.

    It has setup.sh and run_autograder at its root. If the container cannot run students' code in a sandbox, the autograder
    refuses with a message, unless the zip is built with --trusted.
    """
    from autograder.grading.gradescope.zip_file import build

    course = find_course()
    output = output or course.grading / "export" / f"{assignment}-gradescope.zip"
    path = build(course, assignment, output, trusted, leaderboard)
    print(
        f"gradescope: {path}\nUpload it as the autograder; base image: Ubuntu 24.04 or later, with Python 3.11 or later."
    )
    if trusted:
        print("Built for trusted use: where no sandbox is possible, a hostile notebook can write its own results.")


@command("why s01 01-attention --exercise softmax")
@student
@assignment
@click.option("--exercise", metavar="NAME", help="only this exercise, in full")
def why(student: str, assignment: str, exercise: str | None) -> None:
    """Explain one student's points. Print points, causes, the seed, and the versions that ran."""
    from autograder.grading.teacher.why import find_student, why

    print(why(find_student(find_course(), student, assignment), exercise))


@command("replay s01 01-attention --exercise softmax")
@student
@assignment
@click.option("--exercise", metavar="NAME", help="only this exercise")
@flag("--shell", "a prompt in the sandbox, after the student's cells")
@trust
def replay(student: str, assignment: str, exercise: str | None, shell: bool, trust: bool) -> int:
    """Grade a student's work again, and compare.

    It is graded in the sandbox with the same seed, and compared with the stored result. Nothing is written. With --shell, run the
    student's cells in the sandbox and open a prompt there.
    """
    from autograder.grading.teacher.replay import open_shell, replay
    from autograder.grading.teacher.why import find_student

    course = find_course()
    if shell:
        return open_shell(course, student, assignment)
    return replay(course, find_student(course, student, assignment), exercise, trust)


@command("questions s01 01-attention --count 2")
@student
@assignment
@click.option("--exercise", metavar="NAME", help="only about this exercise")
@click.option("--count", type=COUNT, default=3, metavar="N", help="how many (default: 3)")
@trust
def questions(student: str, assignment: str, exercise: str | None, count: int, trust: bool) -> int:
    """Make questions about a student's own right answers.

    They are for an interview: each changes one line a little and asks for the effect, which the checks have determined. The same
    hand-in always gets the same questions.
    """
    from autograder.grading.teacher.questions import as_text, questions
    from autograder.grading.teacher.why import find_student

    course = find_course()
    chosen_questions = questions(course, find_student(course, student, assignment), exercise, count, trust)
    print(as_text(chosen_questions))
    return 0 if chosen_questions else 1


@command("adopt s01 softmax --hint 'The sum is over everything. Look at dim.'")
@student
@exercise
@click.option("--assignment", metavar="ASSIGNMENT", help="where several lessons have an exercise of this name")
@click.option("--bank", type=PATH, metavar="DIR", help="the folder of the cases (default: bank/)")
@click.option("--name", help="the name of the mistake (default: from its text)")
@click.option("--hint", default="", help="what happens, in one sentence, and where to look")
@flag("--right", "a right answer that was judged wrongly")
def adopt(student: str, exercise: str, assignment: str | None, **case: Any) -> None:
    """Turn a student's answer into a case for the audit.

    Comments, docstrings and the student's names are left out. Try it with: autograder audit --bank bank --exercise EXERCISE
    """
    from autograder.grading.console import show
    from autograder.grading.teacher.adopt import adopt, assignment_with
    from autograder.grading.teacher.why import find_student

    course = find_course()
    record = find_student(course, student, assignment or assignment_with(course, exercise))
    path = adopt(course, record, exercise, **case)
    show(path.read_text(encoding="utf8"))
    print(f"adopt: {path}\nRead it before it leaves your hands, and try it: autograder audit --bank {path.parents[3]}")


@command("similar 01-attention --least 0.8")
@assignment
@click.option(
    "--least", type=SHARE, default=0.6, metavar="SHARE", help="list pairs at least this similar (default: 0.6)"
)
@output("PATH", "where to write (default: grading/similar/)")
def similar(assignment: str, least: float, output: Path | None) -> None:
    """Find similar answers in a class.

    Released code and known answers do not count. A page shows pairs side by side: places to look at, not proof of copying.
    """
    from autograder.grading.teacher.similarity import write_similar

    page, number, same = write_similar(find_course(), assignment, least, output)
    print(f"similar: {number} pair{'s' * (number != 1)}; {same} group{'s' * (same != 1)} with the same work; {page}")


@command("request s01 01-attention --reason 'The sum is over dim, I think.'")
@student
@assignment
@click.option("--reason", required=True, help="the student's words")
@click.option("--exercise", metavar="NAME", help="the exercise that it is about")
def request(student: str, assignment: str, reason: str, exercise: str | None) -> None:
    """Record a student's request to grade again. It is kept beside the results, and shown in exports."""
    from autograder.grading.gradebook.regrade_requests import ask
    from autograder.grading.teacher.why import find_student

    course = find_course()
    record = find_student(course, student, assignment)
    names = [part.title for part in record.status.parts]
    if exercise and exercise not in names:
        raise LookupError(f"There is no exercise {exercise!r}. Expected one of: {', '.join(names)}.")
    made = ask(course, assignment, record.status.student.id, reason, exercise or "", record.status.so_far)
    print(f"request {made.number} noted. Look: autograder why {student} {assignment}")


@command("requests 01-attention --answer 1 --text 'It is over all of E: try it with two rows.'")
@assignment
@click.option("--answer", type=int, metavar="NUMBER", help="answer this one")
@click.option("--text", default="", help="the answer")
def requests(assignment: str, answer: int | None, text: str) -> None:
    """List the requests to grade again, or answer one. Points are changed in formgrader or by grading again."""
    from autograder.grading.console import readable
    from autograder.grading.gradebook import regrade_requests
    from autograder.grading.gradebook.queries import released_assignment
    from autograder.grading.gradebook.status import load_class_status
    from autograder.grading.lms.grades import request_text

    course = find_course()
    if answer is not None and not text.strip():
        raise ValueError("Expected the answer: --text '…'.")
    released_assignment(course, assignment)  # raises LookupError for one that is not there
    if answer is not None:
        points = {status.student.id: status.so_far for status in load_class_status(course, assignment).students}
        student, answered = regrade_requests.answer(course, assignment, answer, text, points)
        print(f"{student}: {readable(request_text(answered))}")
        return
    requests_of = regrade_requests.requests(course, assignment)
    every = [(student, entry) for student, entries in requests_of.items() for entry in entries]
    for student, entry in sorted(every, key=lambda item: (not item[1].open, item[1].number)):
        print(f"{student}: {readable(request_text(entry))}")
    print(f"requests: {len(every)}, of which {sum(entry.open for _, entry in every)} wait for an answer")
