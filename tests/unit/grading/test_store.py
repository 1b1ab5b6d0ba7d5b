"""Stored results: named by what they are the result of, signed, whole; and the secret from which seeds are drawn."""

import multiprocessing

import pytest

from autograder.grading.run.result import Result
from autograder.grading.run.store import SECRET, Store
from autograder.grading.settings import Settings
from autograder.grading.submission.model import Submission
from autograder.sandbox.limits import Limits

RESULT = Result(
    "01-attention",
    "d" * 64,
    2**63,
    True,
    "c",
    {"python": "3"},
    {2: []},
    {"check-x": (1.0, 2.0)},
    [{"earned": 1.0}],
    [("cell", "error \ud800")],
    ["note"],
)


def submission(text="x = 1", **more):
    cell = {"cell_type": "code", "metadata": {}, "source": text}
    return Submission("ada", "01-attention", "attention", [cell], **more)


def test_a_result_comes_back_as_it_was(tmp_path):
    Store(tmp_path).put("ab", RESULT)
    assert Store(tmp_path).get("ab") == RESULT


def test_a_result_under_another_name_or_of_another_course_does_not_count(tmp_path):
    first, second = Store(tmp_path / "first"), Store(tmp_path / "second")
    first.put("ab", RESULT)
    for store, key in ((first, "cd"), (second, "ab")):
        store.path(key).parent.mkdir(parents=True, exist_ok=True)
        store.path(key).write_bytes(first.path("ab").read_bytes())
        assert store.get(key) is None
        assert store.refused == [key]
        store.refused.clear()
    assert first.get("nothing") is None
    assert first.refused == []


def test_the_seed_has_64_bits_and_depends_on_the_submission_alone(tmp_path):
    store = Store(tmp_path)
    seeds = {store.seed_for(submission(f"x = {n}"), Settings()) for n in range(50)}
    assert len(seeds) == 50
    assert max(seeds) >= 2**60
    assert store.seed_for(submission(), Settings()) == store.seed_for(submission(), Settings(trust=True))
    assert store.seed_for(submission(), Settings()) != Store(tmp_path / "other").seed_for(submission(), Settings())
    assert store.seed_for(submission(), Settings(seed=7)) == 7


def test_the_name_depends_on_all_that_a_result_depends_on(tmp_path):
    store = Store(tmp_path)
    names = [
        store.key_and_seed(*arguments)[0]
        for arguments in (
            (submission(), Settings()),
            (submission("x = 2"), Settings()),
            (submission(files={"a.py": b"1"}), Settings()),
            (submission(files={"a.py": b"2"}), Settings()),
            (submission(author="ada"), Settings()),
            (submission(author="ben"), Settings()),
            (submission(), Settings(trust=True)),
            (submission(), Settings(seed=3)),
            (submission(), Settings(limits=Limits(idle=3))),
        )
    ]
    assert len(set(names)) == len(names)
    same = Submission("ben", "01-attention", "attention", submission().cells, notes=("late",))
    assert store.key_and_seed(same, Settings(label="x"))[0] == names[0]


def _secret_of(folder, barrier, queue):
    barrier.wait()
    queue.put(Store(folder).secret())


def test_all_who_begin_at_once_have_the_same_secret(tmp_path):
    context = multiprocessing.get_context("fork")
    barrier, queue = context.Barrier(8), context.Queue()
    processes = [context.Process(target=_secret_of, args=(tmp_path, barrier, queue)) for _ in range(8)]
    for process in processes:
        process.start()
    secrets = {queue.get(timeout=30) for _ in processes}
    for process in processes:
        process.join()
    assert len(secrets) == 1
    assert len(secrets.pop()) == 64
    assert (tmp_path / SECRET).stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == [SECRET]


def test_reports_an_invalid_secret(tmp_path):
    (tmp_path / SECRET).write_text("short")
    with pytest.raises(ValueError, match="should hold a secret"):
        Store(tmp_path).secret()
