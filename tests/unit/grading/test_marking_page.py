"""The page for marking, asked by HTTP: who gets in, what is refused and why, and that answers stay text."""

import asyncio
import json
import re
from types import SimpleNamespace

import made_up
import pytest
from filelock import FileLock
from jupyter_server.serverapp import ServerApp
from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.httpserver import HTTPServer
from tornado.testing import bind_unused_port

from autograder.grading.gradebook import queries
from autograder.grading.gradebook.marking import Change, State, answers, write_marks

CELL = "written-scaling"
PAGE = f"/marking/{made_up.ASSIGNMENT}/{CELL}"
TOKEN = {"Authorization": "token secret"}
OPEN = {"points": None, "comment": "", "open": True}
HOSTILE = '<script>alert(1)</script> <img src=x onerror="alert(2)"> <b style="position:fixed" class="mark">bold</b>'


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Jupyter Server with nothing but the page."""
    place = tmp_path_factory.mktemp("server")
    with pytest.MonkeyPatch.context() as patch:
        for kind in ("CONFIG", "DATA", "RUNTIME"):
            patch.setenv(f"JUPYTER_{kind}_DIR", str(place))
        patch.setattr(ServerApp, "init_signal", lambda self: None)  # else Ctrl-C stops it, and not the tests
        started = ServerApp()
        started.initialize(
            [
                f"--ServerApp.root_dir={place}",
                "--IdentityProvider.token=secret",
                "--ServerApp.jpserver_extensions={'autograder.nbgrader_plugins.server_extension': True}",
                "--allow-root",
            ],
            find_extensions=False,
            new_httpserver=False,
        )
    return started


@pytest.fixture
def course(empty_class):
    made_up.hand_in(empty_class, {"ada": {}, "ben": {}})
    made_up.write_answers(empty_class, CELL, {"ada": HOSTILE, "ben": "It saturates."})
    return empty_class


@pytest.fixture
def ask(server, course):
    """Send a request to the page of this test's course; return its status, headers and text."""
    server.web_app.settings["server_root_dir"] = str(course.root)

    def ask(path, headers=TOKEN, post=None):
        async def once():
            socket, port = bind_unused_port()
            serving = HTTPServer(server.web_app)
            serving.add_socket(socket)
            body = None if post is None else post if isinstance(post, str) else json.dumps(post)
            request = HTTPRequest(
                f"http://127.0.0.1:{port}{path}",
                "GET" if post is None else "POST",
                {"Host": "localhost:8888", **headers},  # the name of its cookie
                body,
                follow_redirects=False,
            )
            answer = await AsyncHTTPClient(force_instance=True).fetch(request, raise_error=False)
            serving.stop()
            await serving.close_all_connections()
            return SimpleNamespace(status=answer.code, headers=answer.headers, text=answer.body.decode())

        return asyncio.run(once())

    return ask


def change(course, student="ada", seen=OPEN, **new):
    grade = next(one.grade for one in answers(course, made_up.ASSIGNMENT, CELL) if one.student == student)
    return {"changes": [{"grade": grade, "seen": seen, "new": {"points": 1, "comment": "", "open": False} | new}]}


def states(course):
    return {one.student: one.state for one in answers(course, made_up.ASSIGNMENT, CELL)}


def test_the_list_of_questions_says_how_many_answers_are_left(ask):
    page = ask(f"/marking/{made_up.ASSIGNMENT}")
    assert page.status == 200
    assert re.findall(r'<span class="left">(\d+)</span> of (\d+) left', page.text) == [("2", "2"), ("2", "2")]


def test_a_mark_is_written_and_counted(ask, course):
    answer = ask(PAGE, post=change(course, points=1.5, comment="Which factor?"))
    assert answer.status == 200
    assert states(course) == {"ada": State(1.5, "Which factor?", False), "ben": State(None, "", True)}
    assert '<span class="left">1</span> of 2 left' in ask(PAGE).text


def test_nothing_is_shown_or_written_without_the_token(ask, course):
    page = ask(PAGE, {})
    assert page.status == 302
    assert page.headers["Location"].startswith("/login?")
    assert ask(PAGE, {"Authorization": "token wrong"}).status == 302
    assert ask(PAGE, {}, change(course)).status == 403
    assert states(course)["ada"].open


def cookies(answer):
    """Return the cookies that a browser sends after this answer."""
    return "; ".join(one.split(";")[0] for one in answer.headers.get_list("Set-Cookie"))


def test_a_browser_that_is_logged_in_needs_the_pages_own_xsrf_token(ask, course):
    first = ask(f"{PAGE}?token=secret", {})
    cookie = {"Cookie": cookies(first)}
    own = re.search(r'data-xsrf="([^"]+)"', first.text)[1]
    for wrong in ({}, {"X-XSRFToken": "2|00000000|00000000000000000000000000000000|0"}):
        assert ask(PAGE, cookie | wrong, change(course)).status == 403
        assert states(course)["ada"].open
    assert ask(PAGE, cookie | {"X-XSRFToken": own, "Origin": "http://elsewhere.test"}, change(course)).status == 404
    assert states(course)["ada"].open
    assert ask(PAGE, cookie | {"X-XSRFToken": own}, change(course)).status == 200
    assert states(course)["ada"].points == 1


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (f"/marking/{made_up.ASSIGNMENT}/written-nothing", "has no question 'written-nothing'"),
        (f"/marking/{made_up.ASSIGNMENT}/check-softmax", "has no question 'check-softmax'"),
        ("/marking/02-nothing%25s", "There is no assignment '02-nothing%s'"),
        ("/marking/..%2F..", "There is no assignment"),
        ("/marking/%3Cscript%3E", "There is no assignment '<script>'"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(ask, course, path, sentence):
    page = ask(path)
    assert (page.status, page.headers["Content-Type"]) == (404, "text/plain; charset=utf-8")
    assert sentence in page.text
    if path.count("/") == 3:
        assert ask(path, post=change(course)).status == 404


@pytest.mark.parametrize("points", [2.5, -1, float("nan"), float("inf"), pytest.param(10**400, id="huge"), "1", True])
def test_points_that_the_question_cannot_have_are_refused(ask, course, points):
    answer = ask(PAGE, post=change(course, points=points))
    assert answer.status == 400
    assert answer.text.startswith("Expected ")
    assert states(course)["ada"].open


@pytest.mark.parametrize(
    "body", ["", "[]", "{", '{"changes": [{}]}', '{"changes": [1]}', pytest.param("[" * 100_000, id="deep")]
)
def test_a_request_without_marks_is_refused(ask, body):
    assert ask(PAGE, post=body).status == 400


@pytest.mark.parametrize("comment", [pytest.param("x" * 5_001, id="long"), "\ud800", None, 7])
def test_a_comment_that_cannot_be_stored_is_refused(ask, course, comment):
    assert ask(PAGE, post=change(course, comment=comment)).status == 400
    assert states(course)["ada"].open


def test_a_mark_of_another_question_is_refused(ask, course):
    body = change(course)
    body["changes"][0]["grade"] = answers(course, made_up.ASSIGNMENT, "written-order")[0].grade
    answer = ask(PAGE, post=body)
    assert (answer.status, answer.text) == (404, "There is no such answer any more. Load the page again.")


def test_a_mark_that_formgrader_changed_meanwhile_is_refused_in_a_sentence_and_shown(ask, course):
    body, theirs = change(course, points=0), State(2.0, "Fine.", False)
    seen = State(None, "", True)
    write_marks(course, made_up.ASSIGNMENT, CELL, [Change(body["changes"][0]["grade"], seen, theirs)])
    answer = ask(PAGE, post=body)
    assert answer.status == 409
    told = json.loads(answer.text)
    assert told["message"].startswith("Somebody else has changed this mark meanwhile.")
    assert [*told["refused"].values()] == [vars(theirs)]
    assert states(course)["ada"] == theirs


def test_a_gradebook_that_another_program_writes_is_reported_and_nothing_is_changed(ask, course, monkeypatch):
    monkeypatch.setattr(queries, "PATIENCE", 0.1)
    body = change(course)
    with FileLock(course.grading / "gradebook.lock"):
        answer = ask(PAGE, post=body)
    assert (answer.status, answer.text.split(".")[0]) == (503, "Another program is writing the gradebook")
    assert states(course)["ada"].open


def test_an_answer_stays_text(ask, course):
    page = ask(PAGE)
    nonce = re.search(r"script-src 'nonce-([\w-]{20,})'", page.headers["Content-Security-Policy"])[1]
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; ")
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert re.findall(r"<script[^>]*>", page.text) == [f'<script nonce="{nonce}">']
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.text
    assert "<b>bold</b>" in page.text
    assert not re.search(r"onerror=|position:fixed|<img [^>]*src", page.text)
    assert nonce not in ask(PAGE).text, "each page has its own"


def test_a_comment_stays_text(ask, course):
    ask(PAGE, post=change(course, comment='</script>"><script>alert(3)</script>'))
    assert "<script>alert" not in ask(PAGE).text


def test_names_are_shown_only_on_request(ask):
    assert not re.search(r"\b(ada|ben)\b", ask(PAGE).text)
    assert re.search(r'class="names">ada<', ask(f"{PAGE}?names=1").text)


def test_near_answers_are_together_or_apart(ask, course):
    long = "The weights are nearly uniform, so the query has hardly any influence on the output of the layer"
    made_up.hand_in(course, {"cyd": {}, "dan": {}})
    made_up.write_answers(course, CELL, {"cyd": long, "dan": long.replace("hardly", "hardy")})
    together, apart = ask(PAGE).text, ask(f"{PAGE}?apart=1").text
    assert "without <del>" in together
    assert (together.count("<article"), apart.count("<article")) == (3, 4)


def test_the_page_needs_no_network(ask):
    assert re.findall(r"""(?:src|href)=["']?(?:https?:)?//""", ask(PAGE).text) == []
