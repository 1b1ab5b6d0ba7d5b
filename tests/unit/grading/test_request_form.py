"""A student's request to grade again: written beside the notebook, handed in with or without the work, read within bounds."""

import archives
import made_up
import pytest
from archives import ASSIGNMENT, archive, notebook, there
from known import LESSONS

from autograder.grading.gradebook.regrade_requests import requests
from autograder.grading.lms.collect import CollectOptions, collect
from autograder.grading.student.request_form import Form, is_form, read_form, write_form

LESSON = LESSONS.of(ASSIGNMENT)
FOLDER = "Ada Lovelace_101_assignsubmission_file_"
NAME = f"{ASSIGNMENT}-request.toml"


def filled_in(tmp_path, exercise="softmax", reason="The sum is over dim.\nI think."):
    (tmp_path / "form").mkdir(exist_ok=True)
    path = write_form(LESSON, tmp_path / "form")
    text = path.read_text(encoding="utf8")
    path.unlink()
    return text.replace('exercise = ""', f'exercise = "{exercise}"').replace('"""\n"""', f'"""\n{reason}\n"""').encode()


@pytest.fixture
def collected(tmp_path):
    course = archives.course(tmp_path / "course")

    def run(files):
        options = CollectOptions(ASSIGNMENT, archive(tmp_path / "class.zip", files))
        return course, collect(course, options)

    return run


def test_a_form_is_read_as_it_was_filled_in(tmp_path):
    assert read_form(filled_in(tmp_path), ASSIGNMENT) == Form("softmax", "The sum is over dim. I think.")
    assert "one of softmax, attend, " in filled_in(tmp_path).decode()


def test_a_form_is_not_overwritten(tmp_path):
    write_form(LESSON, tmp_path)
    with pytest.raises(FileExistsError, match="fill it in"):
        write_form(LESSON, tmp_path)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda text: text.replace(b"The sum", b'"""The sum'), "no longer in the form"),
        (lambda text: text.replace(b"The sum is over dim.\nI think.", b""), "no reason"),
        (lambda text: text.replace(b"01-attention", b"02-multi-head-attention"), "'02-multi-head-attention'"),
        (lambda text: text.replace(b'"softmax"', b"7"), "in quotation marks"),
        (lambda text: b"\xff\xfe\x00", "no longer in the form"),
        (lambda text: b"a = " + 9_000 * b"[" + 9_000 * b"]", "no longer in the form"),
        (lambda text: text + 30_000 * b"#", "at most 20,000"),
    ],
)
def test_anything_else_is_refused_with_a_reason(tmp_path, change, why):
    with pytest.raises(ValueError, match=why):
        read_form(change(filled_in(tmp_path)), ASSIGNMENT)


@pytest.mark.parametrize(
    ("name", "is_one"), [(NAME, True), ("01-attention-request (1).toml", True), ("pyproject.toml", False)]
)
def test_a_form_is_known_by_its_name(name, is_one):
    assert is_form(name) is is_one


def test_a_request_beside_the_work_is_no_part_of_it(tmp_path, collected):
    files = {f"{FOLDER}/attention.ipynb": notebook("ada"), f"{FOLDER}/{NAME}": filled_in(tmp_path)}
    for _ in range(2):  # again without change
        course, done = collected(files)
    assert there(course)["s01"] == {"attention.ipynb": notebook("ada")}
    [request] = requests(course, ASSIGNMENT)["s01"]
    assert (request.exercise or request.reason, request.open) == ("softmax: The sum is over dim. I think.", True)
    assert [student for student, _ in done.requests] == ["s01"]


def test_a_request_alone_leaves_the_work_as_it_was(tmp_path, collected):
    collected({f"{FOLDER}/attention.ipynb": notebook("ada")})
    course, _ = collected({f"{FOLDER}/{NAME}": filled_in(tmp_path, exercise="")})
    assert there(course)["s01"] == {"attention.ipynb": notebook("ada")}
    assert requests(course, ASSIGNMENT)["s01"][0].reason == "The sum is over dim. I think."


def test_a_later_attempt_with_a_request_only_does_not_hide_the_work(tmp_path, collected):
    first, second = (f"12-3{n} - Ada Lovelace - Oct {n}, 2026 1159 PM" for n in (4, 5))
    course, done = collected({f"{first}/attention.ipynb": notebook("ada"), f"{second}/{NAME}": filled_in(tmp_path)})
    assert there(course)["s01"]["attention.ipynb"] == notebook("ada")
    assert not done.superseded


def test_what_was_graded_is_noted_with_the_request(tmp_path, empty_class):
    (empty_class.grading / "roster.csv").write_text("id,last_name,first_name\ns01,Lovelace,Ada\n", encoding="utf8")
    made_up.hand_in(empty_class, {"s01": {"softmax": ""}})
    source = archive(tmp_path / "class.zip", {f"{FOLDER}/{NAME}": filled_in(tmp_path)})
    collect(empty_class, CollectOptions(ASSIGNMENT, source))
    [request] = requests(empty_class, ASSIGNMENT)["s01"]
    assert (request.exercise, request.before) == ("softmax", 63.0)


def test_a_spoilt_request_is_listed_and_the_work_collected(tmp_path, collected):
    course, done = collected({f"{FOLDER}/attention.ipynb": notebook("ada"), f"{FOLDER}/{NAME}": b"reason = Why?"})
    assert there(course)["s01"] == {"attention.ipynb": notebook("ada")}
    [(student, why)] = done.refused_requests
    assert (student, "no longer in the form" in why) == ("s01", True)
    assert not requests(course, ASSIGNMENT)
