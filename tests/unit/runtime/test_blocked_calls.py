"""Ready-made functions are found however they are reached, and nothing else is."""

import linecache

import pytest
import torch
from answers import RIGHT_ATTENTION, student
from known import ASSIGNMENTS, LESSONS
from torch.overrides import get_overridable_functions

from autograder.checks.execute import NotebookStudent
from autograder.runtime.blocked.calls import (
    block_functions,
    first_violation,
    is_alias_of,
    may_pass_to_watch,
    mentions,
    objects_of,
)
from autograder.runtime.blocked.source import reachable_sources
from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Request
from autograder.sandbox.outside.imports import imported
from autograder.verdict.runner import run_checks

FORBIDDEN = ("torch.nn.Softmax",)

NAME = "scaled_dot_product_attention"
WAYS = {
    "by its usual name": "Y = F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed)",
    "by its full name": "Y = torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=allowed)",
    "imported inside": "from torch.nn.functional import scaled_dot_product_attention as f; Y = f(Q, K, V, attn_mask=allowed)",
    "by getattr": "Y = getattr(F, 'scaled_dot' + '_product_attention')(Q, K, V, attn_mask=allowed)",
    "under another name": "Y = ready(Q, K, V, attn_mask=allowed)",
    "below Python": "Y = torch.ops.aten.scaled_dot_product_attention(Q, K, V, allowed)",
    "as a layer": "Y = nn.MultiheadAttention(Q.shape[-1], 1, batch_first=True).double()(Q, K, K)[0]",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_ready_made_function_earns_no_points_for_values(way):
    lines = RIGHT_ATTENTION.replace("return A @ V, A", f"{WAYS[way]}; return Y, A")
    report = run_checks(NAME, student("ready = F.scaled_dot_product_attention\n" + lines))
    values = next(r for r in report.results if r.name == "check_values")
    assert values.earned == 0, str(report)
    assert "ready-made function" in report.named


def test_reading_the_source_names_the_line():
    lines = RIGHT_ATTENTION.replace("return A @ V, A", "return F.scaled_dot_product_attention(Q, K, V), A")
    linecache.cache["<cell>"] = (len(lines), None, lines.splitlines(keepends=True), "<cell>")
    try:
        report = run_checks(NAME, student(lines))
    finally:
        del linecache.cache["<cell>"]
    assert report.earned == 0
    assert "(line 8 of your cell)" in str(report)


@pytest.mark.parametrize(
    "harmless",
    [
        "# F.scaled_dot_product_attention would do this",
        "name = 'F.scaled_dot_product_attention'",
        "again = F.softmax(A, -1)",
    ],
)
def test_naming_it_in_a_comment_or_a_string_costs_nothing(harmless):
    code = RIGHT_ATTENTION.replace("    return", f"    {harmless}\n    return")
    report = run_checks(NAME, student(code))
    assert report.earned == report.points, str(report)


def test_comparing_with_it_outside_the_exercise_costs_nothing():
    code = RIGHT_ATTENTION + "ready = F.scaled_dot_product_attention\nx = torch.randn(2, 3, 4)\nready(x, x, x)\n"
    report = run_checks(NAME, student(code))
    assert report.earned == report.points, str(report)


def test_the_functions_are_back_afterwards():
    import torch.nn.functional as F

    before = F.scaled_dot_product_attention
    run_checks(NAME, student(RIGHT_ATTENTION))
    assert F.scaled_dot_product_attention is before


HIDDEN = """
def helper(Q, K, V, allowed):
    try:
        return F.scaled_dot_product_attention(Q, K, V, attn_mask=allowed)
    except Exception:
        return torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), -1) @ V
"""


def test_finds_a_hidden_use():
    lines = RIGHT_ATTENTION.replace("return A @ V, A", "helper(Q, K, V, allowed); return A @ V, A")
    report = run_checks(NAME, student(HIDDEN + lines))
    assert report.earned == 0, str(report)


@pytest.mark.parametrize(
    ("operator", "forbid", "behind"),
    [
        ("aten::avg_pool1d", "torch.nn.functional.avg_pool1d", True),
        ("aten::avg_pool1d.out", "torch.avg_pool1d", True),
        ("aten::_softmax", "torch.softmax", True),
        ("aten::log_softmax.int", "torch.softmax", False),
        ("aten::_scaled_dot_product_flash_attention_for_cpu", "torch.nn.functional.scaled_dot_product_attention", True),
        ("aten::split", "course_lib.layers.split", False),
    ],
)
def test_the_operator_behind_a_function_has_its_name_or_one_that_is_listed(operator, forbid, behind):
    assert is_alias_of(operator, (forbid,)) == behind


def test_a_module_that_goes_below_python_is_found():
    code = """
class CausalSelfAttention(SelfAttention):
    def forward(self, X):
        Q, K, V = self.W_Q(X), self.W_K(X), self.W_V(X)
        _, A = scaled_dot_product_attention(Q, K, V, causal_mask(X.shape[1]))
        return torch.ops.aten.scaled_dot_product_attention(Q, K, V, is_causal=True), A
"""
    report = run_checks("CausalSelfAttention", student(code))
    assert "ready-made function" in report.named


@pytest.mark.parametrize(
    ("exercise", "code", "where"),
    [
        ("softmax", "def softmax(E, dim=-1):\n    return E.softmax(dim)", "softmax is not allowed in this exercise"),
        (
            "softmax",
            "def softmax(E, dim=-1):\n    return torch.softmax(E, dim)",
            "torch.softmax is not allowed in this exercise",
        ),
        (NAME, RIGHT_ATTENTION.replace("A @ V, A", f"{NAME}_(Q, K, V), A"), "is not allowed in this exercise"),
    ],
)
def test_the_failure_says_who_forbids_it(exercise, code, where):
    report = run_checks(exercise, student(f"{NAME}_ = F.{NAME}\n{code}"))
    assert report.earned == 0
    assert where in str(report)


def test_a_function_forbidden_in_one_exercise_is_allowed_in_others():
    report = run_checks("attend", student("def attend(q, X):\n    a = torch.softmax(X @ q, 0)\n    return a @ X, a"))
    assert report.earned == report.points, str(report)


def test_a_package_is_forbidden_before_anybody_imports_it():
    import subprocess
    import sys

    code = (
        "import sys; from autograder.runtime.blocked import calls as forbidden; "
        "assert 'course_lib.layers' not in sys.modules; found = forbidden.objects_of(('course_lib.layers',)); "
        "assert 'course_lib.layers.vit.VisionTransformer' in found"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_helper_that_the_exercise_calls_is_looked_at_too():
    """A class that is compiled cannot be given other code: only the source tells."""
    sources = {
        "softmax": "def softmax(E, dim=-1):\n    return made(E, dim)",
        "made": "def made(E, dim):\n    return Ready(dim)(E)",
        "attend": "def attend(E):\n    return other(E)",
        "other": "def other(E):\n    return Ready(-1)(E)",
    }
    names = imported("from torch.nn import Softmax as Ready", FORBIDDEN)

    def told(name, others=()):
        texts = reachable_sources(name, lambda each: sources.get(each, ""), others)
        return first_violation(texts, lambda text: mentions(text, names, FORBIDDEN))

    assert told("softmax").message == "torch.nn.Softmax is not allowed in this exercise."
    assert told("made").message == "torch.nn.Softmax is not allowed in this exercise (line 2 of your cell)."
    assert told("attend", others=("other",)) is None, "another exercise answers for itself"
    sources["A"] = "A = Ready(-1)(E)"
    sources["own"] = "def own(E):\n    A = E.exp()\n    return A / A.sum()"
    sources["read"] = "def read(E):\n    return A"
    assert told("own") is None, "a variable of its own, called like one of a cell that compares"
    assert told("read") is not None


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        ("def f(p):\n    Ready = p / p.sum()\n    return Ready", True),
        ("def f(Ready):\n    return Ready.sum()", True),
        ("def f(p):\n    return [Ready for Ready in p]", True),
        ("def f(p, Ready=Ready):\n    return Ready(-1)(p)", False),
        ("def f(p):\n    def g(Ready):\n        return Ready\n    return g(Ready(-1)(p))", False),
        ("def f(p):\n    import torch\n    return torch.nn.Softmax(-1)(p)", False),
    ],
)
def test_a_variable_of_ones_own_may_be_called_like_a_forbidden_function(code, allowed):
    assert (mentions(code, {"Ready": torch.nn.Softmax, "torch": torch}, FORBIDDEN) is None) is allowed


def test_recognises_unloaded_modules_by_name():
    names = imported("from never_loaded.models import BPE as B\nfrom math import pi", ("never_loaded.models.BPE",))
    found = mentions("def f():\n    return B()", names, ("never_loaded.models.BPE",))
    assert found.message.startswith("never_loaded.models.BPE is not allowed")


def test_deeply_nested_source_is_judged_by_its_result(monkeypatch):
    code = f"""
def softmax(E, dim=-1):
    if dim > 99:
        return torch{".nn" * 1200}
    A = (E - E.amax(dim, keepdim=True)).exp()
    return A / A.sum(dim, keepdim=True)
"""
    monkeypatch.setitem(linecache.cache, "<cell>", (len(code), None, code.splitlines(keepends=True), "<cell>"))
    report = run_checks("softmax", student(code))
    assert report.earned == report.points, str(report)


IN_LESSONS = {
    LESSONS.of(name).forbidden_in(exercise) for name in ASSIGNMENTS for exercise in LESSONS.of(name).exercises
}


def test_where_no_call_is_watched_pytorch_passes_none_that_is_forbidden():
    """Watching takes a third of a model's time, so it is left out where every forbidden function is written in Python."""
    passed = [function for functions in get_overridable_functions().values() for function in functions]
    unwatched = {forbid for forbid in IN_LESSONS if not may_pass_to_watch(forbid)}
    assert len(passed) > 1000
    assert len(unwatched) >= 10
    assert len(IN_LESSONS - unwatched) >= 5
    for forbid in unwatched:
        forbidden = {id(thing) for thing in objects_of(forbid).values()}
        refused = {f.__name__ for f in passed if id(f) in forbidden or is_alias_of(f"torch::{f.__name__}", forbid)}
        assert not refused, forbid


@pytest.mark.parametrize("call", [lambda x: torch.softmax(x, 0), lambda x: x.softmax(0)], ids=["function", "method"])
def test_a_forbidden_function_of_pytorch_is_watched(call):
    with pytest.raises(CheckFailure, match="not allowed"), block_functions(("torch.softmax",)):
        call(torch.ones(2))


def test_a_constructor_that_uses_a_ready_made_layer_is_stopped_when_it_is_called():
    class LayerNorm(torch.nn.Module):
        def __init__(self, width, eps=1e-5):
            super().__init__()
            self.gamma, self.beta = (torch.nn.Parameter(fill(width)) for fill in (torch.ones, torch.zeros))
            self.ready = torch.nn.LayerNorm(width, eps, elementwise_affine=False)

        def forward(self, X):
            return self.gamma * self.ready(X) + self.beta

    lesson = LESSONS.of("03-transformer-blocks")
    report = run_checks("LayerNorm", NotebookStudent({"LayerNorm": LayerNorm}, lesson), seed=1)
    assert report.earned == 0
    assert report.named == ["ready-made function"]


def test_a_class_in_the_place_of_a_forbidden_function_changes_nothing(monkeypatch):
    softmax = torch.softmax
    monkeypatch.setattr(torch, "softmax", type("softmax", (), {}))
    with pytest.raises(CheckFailure, match="not allowed"), block_functions(("torch.softmax",)):
        softmax(torch.ones(2), 0)


@pytest.mark.parametrize("build", [(torch.ones(3),), ([torch.ones(3)],), (torch.nn.Linear(1, 3),)])
def test_a_constructor_that_receives_numbers_is_watched(build):
    class Weighted(torch.nn.Module):
        def __init__(self, given):
            super().__init__()
            given = given.weight[:, 0] if isinstance(given, torch.nn.Module) else torch.stack([*given])
            self.weights = torch.softmax(given.detach(), 0)

        def forward(self, X):
            return X

    lesson = LESSONS.of("01-attention")
    student = NotebookStudent({"softmax": Weighted}, lesson, deep=False)
    with pytest.raises(CheckFailure, match="not allowed"):
        student.answer(Request("softmax", (torch.ones(3),), build=build))
