"""``autograder report``: the report's pages. Students' text is escaped; the only script is the report's own.

Matplotlib draws the charts as SVG with the colours of the page, light or dark.
"""

import base64
import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from statistics import mean, median
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from autograder.grading.console import readable_lines
from autograder.grading.course import Course
from autograder.grading.gradebook.class_run import changes
from autograder.grading.gradebook.please_look import things_to_look_at
from autograder.grading.gradebook.status import MISSING, STATES, UNMARKED, ClassStatus, load_class_status
from autograder.grading.lms.grades import number, results
from autograder.grading.roster.roster import Student, read_policy
from autograder.grading.run.status import history
from autograder.grading.run.store import Store, write_whole
from autograder.grading.teacher.findings import Findings, findings

_HERE = Path(__file__).with_name("templates")
_LONGEST_ANSWER = 3_000


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_HERE),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"number": number, "clipped": _clipped, "breakable": _breakable}
    return made


def _printable(value: Any) -> Any:
    """Return a value for the page: text without control characters, some of which would reverse the text around them."""
    return "\n".join(readable_lines(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def _clipped(text: str) -> str:
    return text if len(text) <= _LONGEST_ANSWER else text[:_LONGEST_ANSWER] + "\n…"


def _breakable(name: str) -> Markup:
    """Return a name that a browser may break after its underscores only."""
    return escape(name).replace("_", Markup("_&#8203;"))  # a space of no width; <wbr> would not survive the script


def render(template: str, **values: Any) -> str:
    """Return a page. Its content security policy allows only its own script."""
    script = (_HERE / "report.js").read_text(encoding="utf8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    style = (_HERE / "report.css").read_text(encoding="utf8")
    page = _environment().get_template(template)
    made = datetime.now().astimezone().strftime("%d %B %Y, %H:%M %Z")
    # Ours, and without "<": autoescaping would change quotation marks, and with them the script's hash.
    assert "</" not in script + style
    return page.render(script=Markup(script), style=Markup(style), script_hash=digest, made=made, **values)


def assignment_page(
    class_status: ClassStatus, findings: Findings, changes: Sequence[Sequence[str]], zone: tzinfo
) -> str:
    """Return the report on one assignment. ``changes`` are the rows changed by the last regrade."""
    totals = [grade.so_far for grade in class_status.students if grade.so_far is not None]
    counts = class_status.counts
    times = [
        (grade.student.id, grade.outcome.seconds)
        for grade in class_status.students
        if grade.outcome and grade.outcome.seconds
    ]
    times.sort(key=lambda item: -item[1])
    shares = [
        [points / exercise.points for points in exercise.earned.values()]
        for exercise in findings.exercises
        if exercise.points
    ]
    sections = {
        "look": "Please look",
        "distribution": "Distribution",
        "misconceptions": "Misconceptions",
        "unnamed": "Without a name",
        "exercises": "Exercises",
        "checks": "Checks",
        "missing": "No submission",
        **({"regrade": "Regrade"} if changes else {}),
        "time": "Time",
        "students": "Students",
    }
    names = [exercise.name for exercise in findings.exercises if exercise.points]
    return render(
        "assignment.html.j2",
        class_status=class_status,
        findings=findings,
        optional={part.title for part in class_status.parts if part.optional},
        zone=zone,
        sections=list(sections.items()),
        states=[(state, count) for state, count in counts.items() if count],
        graded=len(totals),
        unmarked=counts[UNMARKED],
        mean=mean(totals) if totals else None,
        median=median(totals) if totals else None,
        histogram=_points_chart(totals, class_status.points),
        shares=Markup(box_plot_svg(names, shares, _shares_summary(names, shares))) if names else "",
        looks=things_to_look_at(
            class_status.assignment, ((grade.student, grade.outcome, grade.requests) for grade in class_status.students)
        ),
        missing=[grade.student.id for grade in class_status.students if grade.state == MISSING],
        changes=changes,
        times=times,
        time_chart=_time_chart([seconds for _, seconds in times]),
    )


def _points_chart(totals: Sequence[float], most: float) -> Markup:
    if not totals:
        return Markup("")
    low, high, middle = (number(value) for value in (min(totals), max(totals), median(totals)))
    summary = f"Points of {len(totals)} students: from {low} to {high}, median {middle}."
    return Markup(histogram_svg(totals, most, "points", summary))


def _shares_summary(names: Sequence[str], shares: Sequence[Sequence[float]]) -> str:
    return "Median share of the points: " + ", ".join(
        f"{name} {100 * median(values):.0f} %" for name, values in zip(names, shares, strict=True) if values
    )


def _time_chart(seconds: Sequence[float]) -> Markup:
    if not seconds:
        return Markup("")
    summary = (
        f"Seconds for each of {len(seconds)} submissions: median {median(seconds):.0f}, at most {max(seconds):.0f}."
    )
    return Markup(histogram_svg(seconds, max(seconds), "seconds", summary))


#: The misconceptions of an assignment on the report on the course.
_MOST_MISCONCEPTIONS = 3


def course_page(
    class_statuses: Sequence[ClassStatus], findings: Mapping[str, Findings], left_out: Sequence[str]
) -> str:
    """Return the report on the whole course. ``left_out`` names assignments missing in the gradebook."""
    rows: list[dict[str, Any]] = []
    everyone: dict[str, Student] = {}
    shares = []
    for class_status in class_statuses:
        totals = [grade.so_far for grade in class_status.students if grade.so_far is not None]
        shares.append([points / class_status.points for points in totals] if class_status.points else [])
        counts = class_status.counts
        graded = counts[STATES[0]]
        rows.append(
            {
                "name": class_status.assignment,
                "link": f"{class_status.assignment}.html",
                "points": class_status.points,
                "graded": graded,
                "open": sum(counts.values()) - graded - counts[MISSING] - counts[STATES[-1]],
                "missing": counts[MISSING],
                "share": mean(shares[-1]) if shares[-1] else None,
                "misconceptions": findings[class_status.assignment].misconceptions[:_MOST_MISCONCEPTIONS],
            }
        )
        for grade in class_status.students:
            everyone.setdefault(grade.student.id, grade.student)
    by_student = [{grade.student.id: grade for grade in class_status.students} for class_status in class_statuses]
    students = []
    for student_id, student in everyone.items():
        cells = [by.get(student_id) for by in by_student]
        students.append((student, sum(grade.so_far or 0.0 for grade in cells if grade is not None), cells))
    names = [class_status.assignment for class_status in class_statuses]
    chart = Markup(box_plot_svg(names, shares, _shares_summary(names, shares))) if names else Markup("")
    return render(
        "course.html.j2",
        class_statuses=class_statuses,
        rows=rows,
        students=students,
        shares=chart,
        left_out=list(left_out),
    )


def write_report(course: Course, assignment: str | None, output: Path | None = None) -> Path:
    """Write the report on an assignment, or on the whole course with all its assignments; return the path of the page.

    Raises LookupError if the gradebook does not have the assignment, or has none at all.
    """
    folder = course.grading / "report"
    if assignment is not None:
        page = output or folder / f"{assignment}.html"
        _write(course, assignment, page)
        return page
    written, left_out = {}, []
    for name in course.gradable:
        try:
            written[name] = _write(course, name, folder / f"{name}.html")
        except LookupError:
            left_out.append(name)
    if not written:
        raise LookupError(
            "The gradebook knows no assignment yet. Run this first: nbgrader generate_assignment ASSIGNMENT"
        )
    page = output or folder / "course.html"
    class_statuses = [class_status for class_status, _ in written.values()]
    write_whole(
        page,
        course_page(class_statuses, {name: class_findings for name, (_, class_findings) in written.items()}, left_out),
    )
    return page


def _write(course: Course, assignment: str, page: Path) -> tuple[ClassStatus, Findings]:
    class_status = load_class_status(course, assignment)
    class_findings = findings(course, class_status, results(course, class_status))
    write_whole(
        page, assignment_page(class_status, class_findings, _changes(course, class_status), read_policy(course).zone)
    )
    return class_status, class_findings


def _changes(course: Course, class_status: ClassStatus) -> list[tuple[str, ...]]:
    """Return the changes made by the last regrade, for students who still have its result."""
    now = {grade.student.id: grade.outcome.key for grade in class_status.students if grade.outcome is not None}
    last = {row["student"]: row for row in history(course.grading, class_status.assignment)}
    store = Store(course.grading)
    rows: list[tuple[str, ...]] = []
    for student, row in sorted(last.items()):
        if now.get(student) == row["after"]:
            changed = changes(store.get(row["before"]), store.get(row["after"]))
            rows += [(student, *change) for change in changed]
    return rows


#: Matplotlib draws in these; the page's style sheet says what they are.
_INK, _BAR, _SOFT = "#010203", "#040506", "#070809"
_CLASSES = {_INK: "var(--ink)", _BAR: "var(--accent)", _SOFT: "var(--line)"}
_BINS = 20


def histogram_svg(values: Sequence[float], most: float, x: str, title: str) -> str:
    """Draw the distribution of values between 0 and ``most`` as an SVG, with this title as its alternative text."""
    figure, axes = _axes()
    axes.hist(values, bins=_BINS, range=(0, most or 1.0), color=_BAR, rwidth=0.9)
    axes.set_xlabel(x)
    axes.set_ylabel("students")
    axes.yaxis.get_major_locator().set_params(integer=True)
    return _svg(figure, title)


def box_plot_svg(names: Sequence[str], values: Sequence[Sequence[float]], title: str) -> str:
    """Draw a box plot for each exercise: the share of its points that students earned, with the middle half as the box."""
    figure, axes = _axes(height=0.35 * len(names) + 0.9)
    style = {"color": _INK, "linewidth": 1.0}
    axes.boxplot(
        [list(sample) or [0.0] for sample in values][::-1],
        orientation="horizontal",
        whis=(0, 100),
        widths=0.6,
        patch_artist=True,
        boxprops={"facecolor": _BAR, "edgecolor": _INK},
        medianprops={"color": _INK, "linewidth": 2.5},
        whiskerprops=style,
        capprops=style,
        showmeans=False,
    )
    axes.set_yticks(range(1, len(names) + 1), list(names)[::-1])
    axes.set_xlim(-0.02, 1.02)
    axes.set_xlabel("share of the points")
    return _svg(figure, title)


def _axes(height: float = 2.6):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, height), layout="constrained")
    axes = figure.add_subplot()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for spine in axes.spines.values():
        spine.set_edgecolor(_INK)
    axes.tick_params(colors=_INK, labelcolor=_INK)
    axes.xaxis.label.set_color(_INK)
    axes.yaxis.label.set_color(_INK)
    axes.grid(axis="x", color=_SOFT, linewidth=0.8)
    axes.set_axisbelow(True)
    return figure, axes


def _svg(figure, title: str) -> str:
    import html

    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "report", "font.family": "sans-serif"}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"(#[0-9a-f]{6})", lambda colour: _CLASSES.get(colour[1], colour[1]), text)
    text = re.sub(r'font: ([\d.]+)px [^;"]*', r"font: \1px system-ui, sans-serif", text)
    name = html.escape(title, quote=True)
    head = f'<svg role="img" aria-label="{name}"'
    text = re.sub(
        r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1), count=1
    )
    return text.replace("<svg", head, 1)
