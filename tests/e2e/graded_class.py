"""What holds for each lesson's class once plain nbgrader has graded it. A fixture ``graded`` says which class it is."""

from known import LESSONS
from nbgrader.api import Gradebook
from whole_way import full, lay_out, needed_for, on_pages, run, with_files

from autograder.content import notebook
from autograder.grading.gradebook.queries import committed_scores, database

#: The smallest lesson that hands in files: in every run the whole class of it is graded; a part of the others, nightly.
WHOLE = "14-recommendation"
assert LESSONS.of(WHOLE).handed_in

#: Of a class, those without whom nothing is shown of a lesson.
SOME = ("solution", "without-file")


def grade_class(place, lesson, students=None):
    """Make a lesson's class (or only these students), and grade it with plain nbgrader. Return also what that printed."""
    course = lay_out(place, lesson, students)
    printed = run(course.root, "nbgrader", "autograde", lesson)
    run(course.root, "nbgrader", "generate_feedback", lesson)
    return course, lesson, printed


class GradedClass:
    def test_the_solution_is_full_and_the_rest_is_what_it_should_be(self, graded, points):
        lesson = graded[1]
        assert points["solution"] == full(lesson)
        assert set(points.get("release", {"": 0.0}).values()) == {0.0}
        assert all(points["wrong"][name] < worth for name, worth in full(lesson).items() if "wrong" in points)
        lost = with_files(lesson)
        assert bool(lost) == bool(LESSONS.of(lesson).handed_in) == ("without-file" in points)
        kept = needed_for(lesson, lost) - {*lost}
        for student in points.keys() & {"without-file", "foreign-file"}:
            expected = {name: worth if name in kept else 0.0 for name, worth in full(lesson).items()}
            assert points[student] == expected, f"{student} loses {lost}, and nothing else of what is solved"

    def test_the_page_has_the_points_of_the_gradebook(self, graded, points):
        course, lesson, _ = graded
        with Gradebook(database(course)) as gradebook:
            sums = {one.student.id: round(one.score, 2) for one in gradebook.assignment_submissions(lesson)}
        assert on_pages(course, lesson) == sums == {student: sum(scores.values()) for student, scores in points.items()}

    def test_the_gradebook_holds_the_cells_of_the_notebook_and_no_other(self, graded):
        """Where the teacher has set no rule on optional parts, nothing is added to nbgrader's sums or taken off."""
        course, lesson, _ = graded
        [released] = (course.release / lesson).glob("*.ipynb")
        marks = [cell["metadata"].get("nbgrader", {}) for cell in notebook.read(released)["cells"]]
        cells = {each["grade_id"] for each in marks if each.get("grade")}
        for student, there in committed_scores(database(course), lesson).items():
            assert there.scores.keys() == cells, student

    def test_each_submission_has_its_line_with_name_points_and_time(self, graded, points):
        _, lesson, printed = graded
        most = sum(full(lesson).values())
        for student, scores in points.items():
            assert f"INFO] {student}: {sum(scores.values()):g} of {most:g} points in " in printed
        if files := LESSONS.of(lesson).handed_in:
            assert f"please look: {files[0]} was not handed in" in printed
