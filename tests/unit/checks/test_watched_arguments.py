"""The general promises of every exercise: what is a breach of one, what is none, and what it costs."""

import itertools

import pytest
import torch
from answers import RIGHT_ATTENTION, student
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.runtime import promises
from autograder.runtime.errors import CheckFailure
from autograder.runtime.state import copy_tensor
from autograder.runtime.student import Constructed, Request, SeededGenerator
from autograder.sandbox.inside import protocol
from autograder.verdict.runner import run_checks

X = torch.arange(24.0).reshape(2, 3, 4)


def asked(code, *args, **options):
    return student(code).answer(Request("f", args, **options))


CHANGES = {
    "numbers": ("x += 1", (X,), "x"),
    "numbers that no autograd sees": ("x.data[0] = 0", (X,), "x"),
    "shape": ("x.unsqueeze_(0)", (X,), "x"),
    "whether it records": ("x.requires_grad_()", (X,), "x.requires_grad"),
    "a tensor in a list in a tuple": ("x[1][0].zero_()", ((X, [X]),), "x[1][0]"),
    "an order": ("x.sort()", ([3, 1],), "x[0]"),
    "a list in a list": ("x[1].append(3)", ([[1], [2]],), "x[1]"),
    "an entry": ("x['a'] = 2", ({"a": 1},), "x['a']"),
    "a key": ("x.pop('a')", ({"a": 1},), "x"),
    "the mode of a model": ("x.eval()", (Constructed("Model", {}),), "x.training"),
    "the mode of a part": ("x.inner.eval()", (Constructed("Model", {}),), "x.inner.training"),
    "a weight": ("x.inner.weight.data.zero_()", (Constructed("Model", {}),), "x.inner.weight"),
    "a buffer": ("x.table += 1", (Constructed("Model", {}),), "x.table"),
    "what learns": ("x.inner.bias.requires_grad_(False)", (Constructed("Model", {}),), "x.inner.bias.requires_grad"),
    "a setting": ("x.width = 7", (Constructed("Config", {"width": 3}),), "x.width"),
}
MODEL = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 3)
        self.register_buffer("table", torch.zeros(3))

class Config:
    def __init__(self, width):
        self.width = width

def f(x, more=None):
    CHANGE
    return torch.zeros(1)
"""


@pytest.mark.parametrize(
    ("line", "kind"),
    [('torch.set_default_device("meta")', "device"), ("torch.set_default_dtype(torch.float64)", "dtype")],
)
def test_a_default_that_a_call_leaves_behind_is_reported_and_given_back(line, kind):
    answer = asked(f"def f():\n    {line}\n    return torch.zeros(1)")
    assert getattr(answer.breach, "cause", "") == f"default {kind} changed"
    assert (torch.zeros(1).device.type, torch.zeros(1).dtype) == ("cpu", torch.float32)
    packing = protocol.Packing()
    sent = protocol.pack_failure(answer.breach, packing)
    assert protocol.unpack_failure(sent, protocol.Unpacking(b"".join(packing.parts))).hint == answer.breach.hint


def test_a_default_that_a_call_gives_back_is_no_breach():
    code = """
def f():
    torch.set_default_device("meta")
    with torch.device("meta"):
        torch.zeros(1)
    torch.set_default_device("cpu")
    return torch.zeros(1)
"""
    assert asked(code).breach is None
    torch.set_default_device(None)


def test_a_default_that_a_call_with_an_error_leaves_behind_is_given_back():
    with pytest.raises(CheckFailure):
        asked('def f():\n    torch.set_default_device("meta")\n    raise KeyError')
    assert torch.zeros(1).device.type == "cpu"


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_in_place_is_reported_by_name(change):
    code, args, name = CHANGES[change]
    breach = asked(MODEL.replace("CHANGE", code), *args).breach
    assert breach.kind == "mutated"
    assert f"f has changed its argument {name}." in breach.message, breach.message
    assert asked(MODEL.replace("CHANGE", code), *args, may_change=("0",)).breach is None
    named = asked(MODEL.replace("CHANGE", code.replace("x", "more", 1)), 0, kwargs={"more": args[0]}).breach
    assert named.received == name.replace("x", "more", 1)


KEPT = {
    "restored": ("x += 1; x -= 1", (X,)),
    "a copy": ("x = x.clone(); x += 1", (X,)),
    "NaN": ("pass", (torch.tensor([torch.nan, torch.inf, 1.0]),)),
    "a generator": ("torch.rand(3, generator=x)", (SeededGenerator(3),)),
    "a model that is called": ("x.inner(torch.zeros(2))", (Constructed("Model", {}),)),
    "text": ("x += 'b'", ("a",)),
}


@pytest.mark.parametrize("case", KEPT)
def test_what_is_as_it_was_is_no_breach(case):
    code, args = KEPT[case]
    assert asked(MODEL.replace("CHANGE", code), *args).breach is None


CONSTRUCTED = """
class Model(torch.nn.Module):
    def __init__(self, width, state):
        super().__init__()
        CHANGE

    def forward(self, x):
        return x
"""


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("state.pop('a')", "state"),
        ("state['a'].data += 1", "state['a']"),
        ("self.a = torch.nn.Parameter(state['a']); self.a.data.zero_()", "state['a']"),
        ("state = dict(state); state.pop('a')", ""),
        ("self.a = torch.nn.Parameter(state['a'])", ""),
    ],
)
def test_a_constructor_leaves_its_arguments_as_they_were(code, name):
    module = student(CONSTRUCTED.replace("CHANGE", code)).build("Model", 3, {"a": X, "b": X})
    for cotangents in (None, (X,)):
        breach = module.request(X, cotangents=cotangents).breach
        assert (breach.message if breach else "") == (f"Model has changed its argument {name}." if name else "")


def test_a_part_of_an_argument_may_be_changed_and_the_rest_may_not():
    code = "def f(x): x[0][1] += 1; x[1] += CHANGE; return x[0]"
    for change, broken in (("0", False), ("1", True)):
        answer = asked(code.replace("CHANGE", change), [[X, X], X], may_change=("0[0][1]",))
        assert (answer.breach is not None) == broken


@pytest.mark.parametrize("parameters", ["a, b", "first, /, then", "*args", "*args, **kwargs", "x, *rest"])
def test_what_may_be_changed_does_not_depend_on_how_it_is_called(parameters):
    code = f"def g(a, b): b[0] += 1; a += CHANGE; return a\ndef f({parameters}): return g({{}})"
    given = ", ".join(name for name in parameters.split(", ") if name not in ("/", "**kwargs"))
    for change, broken in (("0", None), ("1", "input changed in place")):
        breach = asked(code.format(given).replace("CHANGE", change), X, [X], may_change=("1[0]",)).breach
        assert (breach.cause if breach else None) == broken


@pytest.mark.parametrize("shape", [(2, 3), (3, 2, 4), (2, 3, 4, 5), (2, 1, 3), (1, 3, 1, 2, 1), (2, 2, 2, 2, 2)])
@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.int64, torch.bool])
def test_no_two_axes_can_be_merged_in_the_order_that_is_drawn(shape, dtype):
    tensor = torch.randn(shape).to(dtype)
    turned = promises.reordered(tensor)
    assert torch.equal(turned, tensor)
    assert (turned.shape, turned.dtype) == (tensor.shape, tensor.dtype)
    assert turned.untyped_storage().nbytes() == tensor.untyped_storage().nbytes()
    assert turned.stride() == promises.reordered(tensor).stride(), "one request, one order"
    long = [axis for axis, length in enumerate(shape) if length > 1]
    for first, second in itertools.pairwise(long):
        merged = [*shape[:first], -1, *shape[second + 1 :]]
        assert tensor.view(merged).numel() == tensor.numel()
        with pytest.raises(RuntimeError, match="view size is not compatible"):
            turned.view(merged)


def test_orders_differ_with_the_numbers_and_one_that_the_check_chose_stays():
    strides = {promises.reordered(torch.randn(2, 3, 5, 7)).stride() for _ in range(50)}
    assert len(strides) > 3
    for chosen in (X.mT, X[:, ::2], X[:1].expand(5, 3, 4), torch.randn(5), torch.randn(1, 5), torch.zeros(2, 0, 3)):
        assert promises.reordered(chosen).stride() == copy_tensor(chosen).stride()


@pytest.mark.parametrize("given", [X, X.mT], ids=["contiguous", "not contiguous"])
def test_a_view_of_an_argument_gets_its_answer_and_is_reported(given):
    answer = asked("def f(x): return x.view(-1)", given)
    assert torch.equal(answer.value, given.reshape(-1))
    assert (answer.breach.kind, answer.breach.cause) == ("layout", "view of a non-contiguous tensor")
    assert "reshape" in answer.breach.hint
    assert asked("def f(x): return x.reshape(-1)", given).breach is None


def test_reading_an_argument_as_another_dtype_asks_for_a_copy():
    code = "def f(x): return x.view(torch.uint8)"
    assert "contiguous()" in asked(code, torch.randn(4, 6)).breach.hint
    assert asked(code.replace("x.view", "x.contiguous().view"), torch.randn(4, 6)).breach is None


def test_generators_of_one_seed_get_one_order_and_others_the_other():
    """``empty_like`` keeps the order, and what fills it with random numbers goes through memory."""
    own = student("def f(x, g): return torch.empty_like(x).uniform_(generator=g), x.stride()")
    answers = [own.answer(Request("f", (X, SeededGenerator(seed)))).value for seed in (3, 3, 4, 3, 4)]
    numbers, strides = zip(*answers, strict=True)
    assert torch.equal(numbers[0], numbers[1])
    assert torch.equal(numbers[0], numbers[3])
    assert torch.equal(numbers[2], numbers[4])
    assert strides[0] != X.stride() == strides[2]


def test_the_second_argument_of_a_shape_lies_as_it_is_given():
    """A view where reshape needs no copy: what is written into it then is the caller's."""
    answers = student("def f(x):\n    y = x.reshape(-1)\n    y += 1\n    return y")
    assert [answers.answer(Request("f", (X,))).breach is None for _ in range(4)] == [True, False, True, False]
    assert answers.answer(Request("f", (X.reshape(6, 4),))).breach is None


def test_what_stops_in_any_order_is_reported_as_an_error():
    with pytest.raises(CheckFailure) as told:
        asked("def f(x): raise ValueError('no')", X)
    assert told.value.kind == "crash"


def test_an_error_that_is_no_matter_of_the_arguments_stays_one():
    """A result that is changed in place where its gradient needs it; what is handed in has nothing to do with it."""
    code = "def f(x):\n    y = x.exp()\n    y += 1\n    return y"
    with pytest.raises(CheckFailure) as told:
        asked(code, X / 9, cotangents=(torch.ones_like(X),))
    assert told.value.kind == "crash"
    assert "inplace operation" in told.value.yours


@pytest.mark.parametrize("change", ["x += 1", "x.mul_(2)", "x[0] = 0", "x.view(-1)[0] = 5", "x.data += 1"])
def test_a_change_while_gradients_are_recorded_costs_no_gradient(change):
    code = f"def f(x, w):\n    y = w * x.square()\n    {change}\n    return y"
    answer = asked(code, X / 9, X + 1, cotangents=(torch.ones_like(X),))
    assert answer.breach.kind == "mutated"
    assert torch.allclose(answer.gradients[1], (X / 9).square()) or ".data" in change
    assert torch.allclose(answer.gradients[0], 2 * (X + 1) * X / 9) or ".data" in change


OWN = """
class Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.zeros(3))
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        CHANGE
        return x * self.scale
"""


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("self.drop.train(not self.training)", "mode"),
        ("self.scale.data += 1", "scale"),
        ("self.seen = x", None),
        ("self.eval(); self.train(TRAINING)", None),
    ],
)
def test_a_module_keeps_its_mode_and_its_parameters(change, told, training):
    code = OWN.replace("CHANGE", change).replace("TRAINING", str(training))
    module = student(code).build("Own", weights={"scale": torch.randn(3)}).when(training=training)
    breach = module.request(torch.randn(2, 3)).breach
    assert (breach and breach.received) == told


def test_a_breach_comes_through_the_wire():
    packing = protocol.Packing()
    data = protocol.pack_answer(asked("def f(x): x += 1; return x", X), packing)
    body = bytearray(b"".join(bytes(part) for part in packing.parts))
    answer = protocol.unpack_answer(data, protocol.Unpacking(body), 1)
    assert (answer.breach.kind, answer.breach.received) == ("mutated", "x")
    assert protocol.unpack_answer({**data, "breach": None}, protocol.Unpacking(body), 1).breach is None


BREAKS = {
    "mutated": RIGHT_ATTENTION.replace("return A @ V, A", "Y = A @ V\n    K += 1\n    return Y, A"),
    "layout": RIGHT_ATTENTION.replace("    E = Q", "    K.view(-1)\n    E = Q", 1),
}


@pytest.mark.parametrize("kind", BREAKS)
def test_a_breach_costs_one_check_and_is_reported_there(kind):
    name = "scaled_dot_product_attention"
    names = student(BREAKS[kind]).namespace
    report = run_checks(name, NotebookStudent(names, LESSONS.of("01-attention")), 3)
    [lost] = [result for result in report.results if not result.passed]
    assert (lost.name, lost.failure.kind) == ("check_inputs_are_not_changed", kind)
    assert report.earned == report.points - 1
    assert lost.diagnosis.name == lost.failure.cause
