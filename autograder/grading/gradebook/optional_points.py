"""The value of optional points in nbgrader's gradebook.

nbgrader sums over all cells of a notebook, both the points of a submission and the points possible. So an extra cell, which no
notebook contains, subtracts the points that do not count. The points of each exercise and question are unchanged.
"""

from typing import Any

from autograder.content.notebook import checked_exercise
from autograder.grading.course import Course
from autograder.grading.roster.roster import OptionalRule

#: The name of that cell.
BALANCE = "optional-points"


def balance_optional_points(db: Any, course: Course, rule: OptionalRule) -> None:
    """Adjust nbgrader's sums to the rule, in every assignment with optional parts."""
    from nbgrader.api import Assignment, Notebook

    query = db.query(Assignment.name, Notebook.id).filter(Notebook.assignment_id == Assignment.id)
    for assignment, notebook in query.all():
        lesson = course.lessons.find(assignment)
        if lesson and lesson.optional and rule is not OptionalRule.COUNT:
            _balance(db, notebook, lesson.optional, rule)
        else:
            remove_balance(db, notebook)


def remove_balance(db: Any, notebook: str) -> None:
    """Remove the balancing cell of a notebook, with its points in all submissions."""
    from nbgrader.api import Grade, GradeCell

    for cell in db.query(GradeCell).filter(GradeCell.notebook_id == notebook, GradeCell.name == BALANCE).all():
        db.query(Grade).filter(Grade.cell_id == cell.id).delete()
        db.delete(cell)


def _balance(db: Any, notebook: str, left_out: frozenset[str], rule: OptionalRule) -> None:
    from nbgrader.api import GradeCell, SourceCell, TaskCell

    texts = dict(db.query(SourceCell.name, SourceCell.source).filter(SourceCell.notebook_id == notebook).all())
    possible, optional = [0.0, 0.0], {}
    for table in (GradeCell, TaskCell):
        for cell, name, points in db.query(table.id, table.name, table.max_score).filter(table.notebook_id == notebook):
            if name != BALANCE:
                optional[cell] = (checked_exercise(texts.get(name) or "") or name) in left_out
                possible[optional[cell]] += float(points or 0.0)
    less = rule.total(0.0, 0.0, *possible)[1] - sum(possible)
    if not less:
        remove_balance(db, notebook)
        return
    cell = db.query(GradeCell).filter(GradeCell.notebook_id == notebook, GradeCell.name == BALANCE).one_or_none()
    if cell is None:
        db.add(cell := GradeCell(name=BALANCE, notebook_id=notebook, cell_type="code", max_score=less))
        db.flush()
    elif cell.max_score != less:
        cell.max_score = less
    _write_scores(db, notebook, cell.id, optional, possible, rule)


def _write_scores(
    db: Any, notebook: str, balance: str, optional: dict[str, bool], possible: list[float], rule: OptionalRule
) -> None:
    from nbgrader.api import Grade, SubmittedNotebook

    hand_ins = db.query(SubmittedNotebook.id).filter(SubmittedNotebook.notebook_id == notebook)
    earned = {hand_in: [0.0, 0.0] for (hand_in,) in hand_ins.all()}
    written: dict[str, float | None] = {}
    query = db.query(Grade.notebook_id, Grade.cell_id, Grade.auto_score, Grade.score)
    for hand_in, cell, auto, points in query.filter(Grade.notebook_id.in_(hand_ins.scalar_subquery())).all():
        if cell == balance:
            written[hand_in] = auto
        else:
            earned[hand_in][optional[cell]] += float(points or 0.0)
    for hand_in, (core, more) in earned.items():
        less = round(rule.total(core, more, *possible)[0] - core - more, 4)
        if hand_in not in written:
            db.add(Grade(cell_id=balance, notebook_id=hand_in, auto_score=less))
        elif written[hand_in] != less:
            db.query(Grade).filter(Grade.notebook_id == hand_in, Grade.cell_id == balance).update({"auto_score": less})
