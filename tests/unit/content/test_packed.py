"""Known answers and references travel packed, and are read from memory as from files."""

import importlib
import sys
import traceback

import pytest

from autograder.content import packed

TEXTS = {
    "references.py": "def double(x):\n    return x * 2\n\n\ndef broken():\n    raise RuntimeError('here')\n",
    "answers/double.diff": "@@ plain (right) @@ A style\n|def double(x):\n|    return x * 2\n",
}


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """The folder of a lesson's package, importable, with a pack in it."""
    folder = tmp_path / "packed_lessons" / "doubling"
    folder.mkdir(parents=True)
    for place in (folder, folder.parent):
        (place / "__init__.py").write_text("")
    (folder / packed.NAME).write_bytes(packed.pack(TEXTS))
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.startswith("packed_lessons")]:
        del sys.modules[name]
    packed.texts_in.cache_clear()


def test_a_pack_gives_back_what_went_in():
    texts = {**TEXTS, "answers/naïve.diff": "→ «né»\n"}
    assert packed.unpack(packed.pack(texts)) == texts
    assert packed.pack(texts) == packed.pack(dict(reversed(texts.items()))), "the order of the files plays no part"


def test_no_search_finds_an_answer_in_it():
    data = packed.pack(TEXTS)
    assert b"def double" not in data
    assert b"return x" not in data


@pytest.mark.parametrize("data", [b"", b"no pack", packed.pack(TEXTS)[:-5]])
def test_a_damaged_pack_is_refused_with_what_to_do(data):
    with pytest.raises(ValueError, match=r"damaged.*install the course again"):
        packed.unpack(data)


@pytest.mark.parametrize(
    ("name", "travels"),
    [
        ("answers/softmax.diff", True),
        ("references.py", True),
        ("reference_model.py", True),
        ("answers/names.txt", False),
        ("checks/references.py", False),
        ("preferences.py", False),
        ("__init__.py", False),
    ],
)
def test_what_is_packed(name, travels):
    assert packed.is_packed(name) == travels


def test_a_packed_module_is_imported_and_shows_no_line_in_a_traceback(lesson):
    packed.find_packed_modules()
    module = importlib.import_module("packed_lessons.doubling.references")
    assert module.double(4) == 8
    with pytest.raises(RuntimeError) as raised:
        module.broken()
    assert "raise RuntimeError" not in "".join(traceback.format_exception(raised.value)[-2:])


def test_a_file_comes_before_the_pack(lesson):
    assert packed.read_text(lesson / "answers" / "double.diff", lesson) == TEXTS["answers/double.diff"]
    (lesson / "answers").mkdir()
    (lesson / "answers" / "double.diff").write_text("changed by its author")
    assert packed.read_text(lesson / "answers" / "double.diff", lesson) == "changed by its author"
    assert packed.read_text(lesson / "answers" / "unknown.diff", lesson) is None
    (lesson / "references.py").write_text("def double(x):\n    return x + x\n")
    packed.find_packed_modules()
    module = importlib.import_module("packed_lessons.doubling.references")
    assert module.double.__code__.co_filename == str(lesson / "references.py")
    assert not hasattr(module, "broken")


def test_another_module_is_not_found_in_it(lesson):
    packed.find_packed_modules()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("packed_lessons.doubling.reference_unknown")
