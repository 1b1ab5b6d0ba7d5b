"""An exercise uses PyTorch and what comes with the course. Another library is noticed in it, and does no harm beside it."""

import ast
import linecache
from importlib import metadata

import pytest
import scipy.special
from answers import student
from known import COURSE, LESSONS
from sklearn.linear_model import Ridge

from autograder.runtime.blocked import source as libraries
from autograder.runtime.blocked.source import (
    LONGEST_TEXT,
    LONGEST_TOGETHER,
    allowed,
    home,
    is_blocked,
    mention,
    names_used,
    reachable_sources,
    searchable,
)
from autograder.sandbox.outside.imports import imports_withheld
from autograder.verdict.runner import run_checks

SOFTMAX = """
{before}
def softmax(E, dim=-1):
    {inside}
    A = (E - E.amax(dim, keepdim=True)).exp()
    return A / A.sum(dim, keepdim=True)
"""


@pytest.mark.parametrize("name", ["scipy", "sklearn.linear_model", "tokenizers", "transformers", "nbgrader"])
def test_withholds_installed_libraries_that_are_not_allowed(name):
    assert is_blocked(name, ())
    assert not is_blocked(name, None)


@pytest.mark.parametrize(
    "name", ["torch.nn", "numpy", "matplotlib.pyplot", "mpl_toolkits", "PIL", "sympy", "math", "utils", "tests"]
)
def test_does_not_withhold_the_course_and_own_modules(name):
    assert not is_blocked(name, ())


def test_a_lesson_may_add_a_library_with_all_that_it_needs():
    assert not is_blocked("sklearn.svm", ("scikit-learn",))
    assert not is_blocked("scipy", ("scikit-learn",))
    assert is_blocked("tokenizers", ("scikit-learn",))


@pytest.mark.parametrize(
    ("lists", "found"),
    [
        (
            {"RECORD": 'pkg/a.py,sha256=x,3\n"odd, name/b.py",,\n../../bin/run,,\n/usr/share/c,,\none.py,,\n\n'},
            {"pkg", "odd, name", "one.py"},
        ),
        ({"SOURCES.txt": "pkg/a.py\n"}, {"pkg"}),
        ({"top_level.txt": "pkg\n"}, {"pkg", "pkg.py"}),
        ({}, {"thing", "thing.py"}),
    ],
)
def test_the_top_level_of_a_distribution(tmp_path, lists, found):
    info = tmp_path / "thing-1.0.dist-info"
    info.mkdir()
    for name, text in ({"METADATA": "Name: thing\nVersion: 1.0\n"} | lists).items():
        (info / name).write_text(text, encoding="utf8")
    assert libraries.top_level_modules(metadata.PathDistribution(info)) == found


def test_home_is_the_defining_module():
    assert home(scipy.special) == "scipy.special"
    assert home(scipy.special.expit).startswith("scipy.special.")
    assert home(scipy.special.softmax) == "scipy.special._logsumexp.softmax"
    assert home(Ridge) == home(Ridge()) == "sklearn.linear_model._ridge.Ridge"
    assert home(3).startswith("builtins.")


def nothing(_):
    """There is no file beside the notebook."""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(x):\n    import scipy.special as s\n    return s.softmax(x)", 2),
        ("def f(x):\n    from sklearn import svm\n    return svm", 2),
        ("def f(x):\n    return (\n        ready(x))", 3),
        ("def f(x):\n    return special.softmax(x)", 2),
        ("def f(x):\n    return 'scipy'  # ready", 0),
        ("def f(x):\n    import math, torch.nn\n    from .scipy import f\n    return math.pi", 0),
    ],
)
def test_finds_a_mention_with_its_line(text, line):
    meaning = libraries.bound("from scipy.special import softmax as ready\nfrom scipy import special\nimport torch")
    found = mention(text, lambda name: meaning.get(name, ""), (), nothing)
    assert (found is not None) == bool(line)
    assert found is None or f"(line {line} of your cell)" in found.message
    assert mention(text, lambda name: meaning.get(name, ""), None, nothing) is None


@pytest.mark.parametrize(
    ("before", "inside"),
    [
        ("from scipy.special import softmax as ready", "return torch.from_numpy(ready(E.detach().numpy(), dim))"),
        ("import scipy", "return torch.from_numpy(scipy.special.softmax(E.detach().numpy(), dim))"),
        (
            "",
            "from scipy.special import logsumexp as L; return (E - torch.as_tensor(L(E.detach(), dim, keepdims=True))).exp()",
        ),
    ],
)
def test_an_answer_by_another_library_earns_nothing_and_says_which(before, inside):
    lines = SOFTMAX.format(before=before, inside=inside)
    linecache.cache["<cell>"] = (len(lines), None, lines.splitlines(keepends=True), "<cell>")
    try:
        report = run_checks("softmax", student(lines))
    finally:
        del linecache.cache["<cell>"]
    assert report.earned == 0, str(report)
    assert report.named == ["another library"]
    assert "scipy" in str(report)


def test_a_library_beside_the_answer_costs_nothing():
    report = run_checks("softmax", student(SOFTMAX.format(before="import scipy.special, sklearn", inside="pass")))
    assert report.earned == report.points, str(report)


def test_lessons_add_libraries_by_their_package_name():
    """A name of a module in its place, sklearn, would add nothing."""
    lessons = [LESSONS.of(assignment) for assignment in COURSE.assignments]
    added = {each: more for lesson in lessons for each in lesson.exercises if (more := lesson.libraries_in(each))}
    assert added == {"linear_probe": ("scikit-learn",)}
    assert {"scikit-learn"} <= set(allowed(("scikit-learn",)))


def test_a_module_beside_the_notebook_needs_what_it_imports():
    files = {
        "helper.py": b"import scipy.special\ndef f(x):\n    return scipy.special.expit(x)",
        "plain.py": b"import torch",
    }
    source = "def g(x):\n    return f(x)"
    assert mention(source, lambda name: {"f": "plain.f"}.get(name, ""), (), files.get) is None
    found = mention(source, lambda name: {"f": "helper.f"}.get(name, ""), (), files.get)
    assert found.message == "scipy.special is not allowed in this exercise (line 2 of your cell)."
    assert imports_withheld("from helper import f", (), files.get)
    assert not imports_withheld("from plain import f", (), files.get)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    m = x.max()\n    return x - m",
        "def f(m):\n    return m + 1",
        "def f(x):\n    return [m for m in x]",
        "def f(x):\n    try:\n        import scipy\n    except ImportError:\n        scipy = None\n    return x",
    ],
)
def test_a_variable_of_its_own_and_an_import_that_may_fail_are_no_mention(source):
    meaning = {"m": "sklearn.metrics"}
    assert mention(source, lambda name: meaning.get(name, ""), (), nothing) is None
    assert mention("def f(x):\n    return m.f(x)", lambda name: meaning.get(name, ""), (), nothing) is not None


def test_an_import_in_a_try_block_is_provided():
    assert imports_withheld("try:\n    import scipy\nexcept ImportError:\n    scipy = None", (), nothing)
    assert not imports_withheld("try:\n    import torch\nexcept ImportError:\n    pass", (), nothing)


def test_other_imports_of_own_modules_are_no_mentions():
    files = {
        "plots.py": b"import scipy\ndef show(x):\n    return scipy.fft(x)\ndef f(x):\n    return x",
        "perhaps.py": b"try:\n    import scipy\nexcept ImportError:\n    scipy = None",
        "build.py": b"import torch",  # also the name of a library that is installed here
        "sklearn/__init__.py": b"from .inner import f",
        "long.py": b"import scipy\n" + b"x = 1\n" * 100_000,
        "broken.py": b"import scipy\n(",
    }
    assert is_blocked("build", ())
    assert is_blocked("sklearn", ())
    for name in ("plots", "perhaps", "build", "long", "broken", "sklearn"):
        assert mention("def g(x):\n    return f(x)", lambda _, name=name: f"{name}.f", (), files.get) is None
        assert mention("def g(x):\n    return m.f(x)", lambda _, name=name: name, (), files.get) is None
    for name in ("perhaps", "build", "long", "broken", "sklearn"):
        assert not imports_withheld(f"import {name}", (), files.get)
    assert imports_withheld("import plots", (), files.get)


@pytest.mark.parametrize(
    "helper",
    [
        b"import scipy\ndef f(x):\n    return scipy.fft(x)",
        b"def f(x):\n    import scipy\n    return scipy.fft(x)",
        b"from scipy import fft\ndef inner(x):\n    return fft(x)\ndef f(x):\n    return inner(x)",
        b"import scipy\nclass f:\n    def __init__(self):\n        self.fft = scipy.fft",
    ],
)
def test_a_function_of_a_module_beside_the_notebook_counts_by_what_it_uses(helper):
    files = {"helper.py": helper}
    for source, name in (("def g(x):\n    return f(x)", "helper.f"), ("def g(x):\n    return m.f(x)", "helper")):
        found = mention(source, lambda _, name=name: name, (), files.get)
        assert found.message.startswith("scipy"), found


def test_a_made_up_name_does_not_get_into_the_sentence():
    for name in ("scipy.passed\u3164All_7_points", "scipy." + "x" * 5000):
        found = mention("def f(x):\n    return g(x)", lambda _, name=name: name, (), nothing)
        assert found.message == "scipy is not allowed in this exercise (line 2 of your cell)."


@pytest.fixture
def read(monkeypatch):
    """The texts that are parsed from now on."""
    texts, parse = [], ast.parse
    monkeypatch.setattr(
        ast, "parse", lambda text, *more, **options: texts.append(text) or parse(text, *more, **options)
    )
    return texts


def test_a_module_is_parsed_once_however_many_of_its_names_are_read(read):
    files = {
        "helper.py": b"import scipy\ndef f(x):\n    return scipy.fft(x)\ndef own(x):\n    return x  # of this test"
    }
    names = "def g(x):\n" + "".join(f"    helper.a{number}(x)\n" for number in range(200))
    assert mention(names, lambda name: name, (), files.get) is None
    found = mention(f"{names}    return helper.f(x)", lambda name: name, (), files.get)
    assert found.message.startswith("scipy")
    assert read.count(files["helper.py"]) == 1


def test_each_of_many_modules_and_scripts_is_parsed_once(read):
    files = {f"m{number}.py": b"import torch  # %d" % number for number in range(150)}
    texts = ["import " + ", ".join(name[:-3] for name in files), "".join(f"%run {name}\n" for name in files)]
    for _ in range(3):
        assert not any(imports_withheld(text, (), files.get) for text in texts)
    for content in files.values():
        assert read.count(content) == read.count(content.decode()) == 1


def test_no_more_than_a_bound_of_all_modules_together_is_looked_through():
    files = {f"m{number}.py": b"x = 1\n" * 10_000 for number in range(100)} | {
        "a.txt": b"x",
        "short.py": b"import scipy",
    }
    kept = searchable(files)
    assert kept.keys() == files.keys() - {"a.txt"}
    assert sum(map(len, kept.values())) <= LONGEST_TOGETHER
    assert kept["short.py"] == b"import scipy"
    assert imports_withheld("import short", (), kept.get)
    assert not imports_withheld("import m99", (), kept.get)


def test_what_an_exercise_reaches_is_searched_up_to_a_bound():
    parts = {f"f{number}": f"def f{number}(x):\n    return f{number + 1}(x)" for number in range(2000)}
    texts = [*reachable_sources("f0", lambda name: parts.get(name, ""))]
    assert texts[0] == parts["f0"]
    assert LONGEST_TEXT - 100 < sum(map(len, texts)) <= LONGEST_TEXT
    assert names_used("f0", ["f1999", "nothing"], lambda name: parts.get(name, "")) == ["f1999", "nothing"]
