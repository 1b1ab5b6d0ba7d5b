"""Numbers of each student's own: whose they are, that they are the same everywhere, and what is said of a wrong call."""

import hashlib
import random
import subprocess
import sys

import pytest

from course_lib import variants


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty folder, a kernel that knows nobody, and no JupyterHub."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(variants, "_HERE", "")
    monkeypatch.delenv("JUPYTERHUB_USER", raising=False)
    return tmp_path


def restarted(monkeypatch):
    monkeypatch.setattr(variants, "_HERE", "")


def test_the_numbers_are_those_of_the_generator_that_sha256_seeds():
    """Written out once more, and as literals: Python's generator gives them on every platform."""
    own = variants.numbers("echo", "jdoe")
    again = random.Random(int.from_bytes(hashlib.sha256(b"echo\0jdoe").digest(), "big"))
    drawn = [own.randrange(1000), own.uniform(0, 1), own.choice("abcdefgh")]
    assert drawn == [again.randrange(1000), again.uniform(0, 1), again.choice("abcdefgh")]
    assert drawn == LITERALS


LITERALS = [221, 0.18823671585408153, "b"]


def test_numbers_depend_on_student_and_exercise_but_not_on_the_spelling_of_an_id():
    drawn = {variants.numbers(name, who).random() for name in ("echo", "room") for who in ("", "ada", "ben", "adaben")}
    assert len(drawn) == 8
    typed = ("Ada Müller", " ada  MÜLLER ", "ada mu\N{COMBINING DIAERESIS}ller")
    assert len({variants.numbers("echo", who).random() for who in typed}) == 1


def test_the_grader_comes_before_the_notebook_and_the_notebook_before_the_hub(folder, monkeypatch):
    assert variants.student() == ""
    monkeypatch.setenv("JUPYTERHUB_USER", "hub")
    assert variants.student() == "hub"
    variants.i_am(" ada ")
    assert variants.student() == "ada"
    restarted(monkeypatch)
    assert variants.student() == "ada"  # it is kept beside the notebook
    assert variants.student(folder / "elsewhere") == "hub"
    with variants.graded_as("ben"):
        assert variants.student() == variants.student(folder) == "ben"
        variants.i_am("eve")
        with variants.graded_as(""):
            assert variants.student() == ""  # nobody, whatever the file and the hub say
        assert variants.student() == "ben"
    assert variants.student() == "ada"


def test_the_id_survives_a_change_of_folder(tmp_path_factory, monkeypatch):
    variants.i_am("ada")
    monkeypatch.chdir(tmp_path_factory.mktemp("other"))
    assert variants.student() == "ada"


def test_an_id_that_cannot_be_saved_lasts_until_the_kernel_ends(folder, monkeypatch, capsys):
    (folder / ".autograder").write_text("a file in the place of the folder")
    variants.i_am("ada")
    assert "Your numbers are those of ada until the kernel ends." in capsys.readouterr().out
    assert variants.student() == "ada"
    restarted(monkeypatch)
    assert variants.student() == ""


def test_nothing_else_is_left_beside_the_notebook(folder):
    variants.i_am("ada")
    variants.i_am("ben")
    assert [path.name for path in (folder / ".autograder").iterdir()] == ["student"]
    assert variants.student() == "ben"


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"two\nlines", b"x" * 999, b"a\x1b[2J"])
def test_a_damaged_file_names_nobody(folder, content):
    (folder / ".autograder").mkdir()
    (folder / ".autograder" / "student").write_bytes(content)
    assert variants.student() == ""


def test_an_empty_id_asks_for_one_and_forgets_nobody(capsys):
    variants.i_am("ada")
    variants.i_am("")
    assert capsys.readouterr().out.endswith(
        "Write your id between the quotation marks, and run this cell again: your numbers follow from it.\n"
    )
    assert variants.student() == "ada"


def test_a_wrong_call_says_what_was_expected():
    with pytest.raises(TypeError, match=r'Expected your id as text, such as variants.i_am\("jdoe"\), got 4711'):
        variants.i_am(4711)
    for who in ("a\nb", "a" * 201, "a\x00"):
        with pytest.raises(ValueError, match="Expected an id of one line and at most 200 characters"):
            variants.i_am(who)
    with pytest.raises(ValueError, match="Expected the name of an exercise"):
        variants.numbers("")


def test_it_loads_no_torch():
    code = "import sys, course_lib.variants; print('torch' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
