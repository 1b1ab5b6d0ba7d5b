"""Two courses whose packages have one name: each gets its own lessons, also in one process."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from autograder.checks.execute import NotebookStudent
from autograder.content.known_answers import cases_of
from autograder.content.lesson import Lessons
from autograder.content.references import source_of
from autograder.grading.course import Course
from autograder.verdict.runner import run_checks

LESSON = "01-averages"


def edited(course, file, old, new):
    path = course.root / "signal_lessons" / "averages" / file
    text = path.read_text(encoding="utf8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf8")


@pytest.fixture
def other_course(root, tmp_path):
    """A copy of the second course in which a check is worth more, and the right standard deviation is another one."""
    shutil.copytree(root / "tests" / "second_course", tmp_path / "other")
    course = Course(tmp_path / "other")
    edited(course, "checks/check_standardise.py", "@points(2)", "@points(5)")
    edited(course, "references.py", "x.std(correction=0)", "x.std()")
    edited(course, "__init__.py", "HANDED_IN = ()", 'HANDED_IN = ("signal.bin",)')
    return course


def test_each_course_gets_its_own_lessons(second_course, other_course):
    for course, worth, files in ((second_course, 3, ()), (other_course, 6, ("signal.bin",)), (second_course, 3, ())):
        lesson = course.lessons.of(LESSON)
        assert lesson.folder.is_relative_to(course.root)
        assert lesson.handed_in == files
        assert lesson.points("standardise") == worth
        assert sum(check.pytestmark[0].args[0] for check in lesson.checks("standardise").values()) == worth


def test_each_course_judges_by_its_own_references(second_course, other_course):
    for course, correction in ((second_course, 0), (other_course, 1), (second_course, 0)):
        lesson = course.lessons.of(LESSON)
        assert ("correction=0" in source_of(lesson, ["moving_average"])) == (correction == 0)
        student = NotebookStudent({"standardise": lambda x, c=correction: (x - x.mean()) / x.std(correction=c)}, lesson)
        assert run_checks("standardise", student, seed=1).full


def test_a_course_without_its_package_does_not_get_anothers(second_course, other_course):
    assert second_course.lessons.names() == ["averages"]
    shutil.rmtree(other_course.root / "signal_lessons")
    with pytest.raises(LookupError, match="There is no package 'signal_lessons' with the course's lessons"):
        other_course.lessons.load()


def test_the_known_answers_are_those_of_the_course(second_course, other_course):
    edited(other_course, "answers/standardise.diff", "@@ unbiased @@", "@@ renamed @@")
    found = [
        {case.name for case in cases_of(c.lessons.of(LESSON), "standardise")} for c in (second_course, other_course)
    ]
    assert found[0] - found[1] == {"unbiased"}
    assert found[1] - found[0] == {"renamed"}


def test_a_package_that_is_installed_is_loaded_once(root):
    """Also where it lies in the folder of the course: everyone shares one copy of its checks."""
    loaded = Lessons().load()
    assert Lessons("autograder.lessons", str(root)).load() is loaded
    assert sys.modules["autograder.lessons"] is loaded


def test_a_package_is_not_loaded_again_while_its_course_is_the_same(second_course):
    assert second_course.lessons.load() is Course(second_course.root).lessons.load()


def test_many_threads_may_ask_first(second_course):
    """The class runner's threads do. Once one of them met modules that had just changed, and its student had no points."""
    lessons = second_course.lessons
    with ThreadPoolExecutor(8) as pool:
        for _ in range(50):
            for name in [name for name in sys.modules if f"{name}.".startswith(f"{lessons.package}.")]:
                del sys.modules[name]
            loaded = list(pool.map(lambda _: lessons.load(), range(8)))
            assert len({id(module) for module in loaded}) == 1
