"""A results file is a stranger's: it is read within bounds, and its numbers are believed only with the weights beside it."""

import json
from copy import deepcopy

import pytest
import torch
from torch import nn

from autograder.checks.execute import NotebookStudent
from autograder.checks.weights import confirm, load, require_two, require_two_trainings, results, watch_units
from autograder.runtime.errors import CheckFailure
from course_lib.training import save_checkpoint, save_results

NAMES = ("exact", "exact without")
GOOD = {"predicted": {"exact": 0.9, "exact without": 0.2}, "measured": {"exact": 0.8, "exact without": 0.75}}


def _student(data: bytes | None):
    return NotebookStudent({}, file=lambda name: data if name == "results.json" else None)


def _cause(data: bytes | None) -> str:
    with pytest.raises(CheckFailure) as raised:
        results(_student(data), "results.json", NAMES)
    return raised.value.cause


def test_reads_saved_results(tmp_path):
    save_results(tmp_path / "results.json", GOOD["predicted"], GOOD["measured"])
    found = results(_student((tmp_path / "results.json").read_bytes()), "results.json", NAMES)
    assert (found.predicted, found.measured) == (GOOD["predicted"], GOOD["measured"])


@pytest.mark.parametrize(
    ("data", "cause"),
    [
        (None, "no results file"),
        (b"\x80\x04", "no prediction"),
        (b"[" * 9000, "no prediction"),
        (b" " * 10**6, "no prediction"),
        (json.dumps(GOOD | {"predicted": {"exact": 0.9}}).encode(), "no prediction"),
        (json.dumps(GOOD | {"predicted": [0.9, 0.2]}).encode(), "no prediction"),
        (json.dumps(GOOD | {"measured": {"exact": "0.8", "exact without": 0.7}}).encode(), "results missing"),
        (json.dumps(GOOD | {"measured": {"exact": True, "exact without": 0.7}}).encode(), "results missing"),
        (
            b'{"predicted": {"exact": 1, "exact without": 1}, "measured": {"exact": NaN, "exact without": 1}}',
            "results missing",
        ),
        (
            b'{"predicted": {"exact": 1, "exact without": 1}, "measured": {"exact": 1e999, "exact without": 1}}',
            "results missing",
        ),
    ],
)
def test_reports_incomplete_results(data, cause):
    assert _cause(data) == cause


def test_reports_results_of_other_weights():
    found = results(_student(json.dumps(GOOD).encode()), "results.json", NAMES)
    confirm(found, {"exact": 0.801, "exact without": 0.749}, within=0.005, setting="1000 scenes")
    with pytest.raises(CheckFailure, match=r"exact without 0\.6") as raised:
        confirm(found, {"exact": 0.8, "exact without": 0.6}, within=0.005, setting="1000 scenes")
    assert raised.value.cause == "results of other weights"
    with pytest.raises(CheckFailure):
        confirm(found, {"exact": float("nan")}, within=0.005, setting="")


def test_two_models_are_two_if_they_answer_differently():
    torch.manual_seed(0)
    logits = 2 * torch.randn(50, 7, 11)
    require_two(logits.softmax(-1), torch.randn(50, 7, 11).softmax(-1), "")
    for other in (logits, logits + 0.02 * torch.randn(50, 7, 11), logits + 5.0, torch.full_like(logits, torch.nan)):
        with pytest.raises(CheckFailure, match="too alike") as raised:
            require_two(logits.softmax(-1), other.softmax(-1), "50 sentences")
        assert raised.value.cause == "the same model twice"


def test_a_model_and_its_copy_with_noise_are_one():
    torch.manual_seed(0)
    model, other, wider = (nn.Sequential(nn.Linear(7, 11), nn.Linear(11, width)) for width in (5, 5, 3))
    copy = deepcopy(model)
    with torch.no_grad():
        for weight in copy.parameters():
            weight += 0.4 * weight.std() * torch.randn_like(weight)
        other[0].weight.copy_(model[0].weight)  # a part that both have kept
    answers = [(2 * torch.randn(50, 5)).softmax(-1) for _ in range(2)]
    require_two(*answers, "", (model, other))
    require_two(*answers, "", (model, wider))
    with pytest.raises(CheckFailure, match="too alike"):
        require_two(*answers, "", (model, copy))


def _permuted(model):
    order = torch.randperm(32)
    model[0].weight.data, model[0].bias.data = model[0].weight[order], model[0].bias[order]
    model[2].weight.data = model[2].weight[:, order]


def _rescaled(model):
    scale = torch.rand(32) * 4 + 0.25
    model[0].weight.data, model[0].bias.data = model[0].weight * scale[:, None], model[0].bias * scale
    model[2].weight.data = model[2].weight / scale


def _noisy(model):
    for weight in model.parameters():
        weight.data += 0.4 * weight.std() * torch.randn_like(weight)


def _biased(model):
    model[2].bias.data += 2 * torch.randn(9)


def _one_anew(model):
    model[3].weight.data = torch.randn_like(model[3].weight)


DISGUISES = {
    "permuted": (_permuted,),
    "rescaled": (_rescaled,),
    "biased": (_biased,),
    "permuted and biased": (_permuted, _biased),
    "noisy and rescaled": (_noisy, _rescaled),
    "permuted and noisy": (_permuted, _noisy),
    "one matrix anew, which hardly counts, and noisy": (_one_anew, _noisy),
}


def _trained(seed, steps, teacher):
    """Return a small classifier with two matrices more than it needs, trained from this seed."""
    torch.manual_seed(seed)
    model = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 9), nn.Linear(9, 9), nn.Linear(9, 9))
    for last in model[3:]:
        nn.init.eye_(last.weight)
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(steps):
        X = torch.randn(256, 24)
        loss = nn.functional.cross_entropy(model(X), (X @ teacher).argmax(1))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model.requires_grad_(False)


@pytest.mark.parametrize("steps", [30, 150])
def test_a_disguised_copy_is_no_second_training_and_another_seed_is_one(steps):
    teacher, drawn = torch.randn(24, 9, generator=torch.Generator().manual_seed(7)), torch.randn(500, 24)
    model, other = (_trained(seed, steps, teacher) for seed in (0, 1))
    answers = model(drawn).softmax(-1)
    require_two(answers, other(drawn).softmax(-1), "", (model, other))
    for name, disguise in DISGUISES.items():
        copy = deepcopy(model)
        for change in disguise:
            change(copy)
        with pytest.raises(CheckFailure, match="too alike"):
            require_two(answers, copy(drawn).softmax(-1), name, (model, copy))


def _answers_and_units(models, drawn):
    with watch_units(models, "0") as units:
        answers = [model(drawn).softmax(-1) for model in models]
    return answers, units


@pytest.mark.parametrize("steps", [30, 150])
def test_a_copy_is_recognised_by_its_units_whatever_the_basis_of_its_other_matrices(steps):
    teacher, drawn = torch.randn(24, 9, generator=torch.Generator().manual_seed(7)), torch.randn(500, 24)
    model, other = (_trained(seed, steps, teacher) for seed in (0, 1))
    answers, units = _answers_and_units((model, other), drawn)
    require_two(*answers, "", (), units)
    copy = deepcopy(model)
    for change in (_permuted, _rescaled, _biased):
        change(copy)
    basis = torch.linalg.qr(torch.randn(9, 9))[0]
    for place in (2, 3):  # an orthogonal basis between each two of the linear ones
        for each in copy[place].parameters():
            each.data = basis @ each.data
        copy[place + 1].weight.data = copy[place + 1].weight.data @ basis.T
        basis = torch.linalg.qr(torch.randn(9, 9))[0]
    copy[4].bias.data += 2 * torch.randn(9)
    answers, units = _answers_and_units((model, copy), drawn)
    with pytest.raises(CheckFailure, match="too alike"):
        require_two(*answers, "", (), units)


def _wider(model, more, write):
    """Add hidden units with random weights; ``write`` are the weights with which they write, (outputs, units)."""
    first, second = model[0], model[2]
    first.weight.data = torch.cat([first.weight, more])
    first.bias.data = torch.cat([first.bias, torch.zeros(len(more))])
    second.weight.data = torch.cat([second.weight, write], dim=1)


def _idle(model):
    _wider(model, torch.randn(40, 24), torch.zeros(9, 40))


def _cancelling(model):
    half, write = torch.randn(25, 24), torch.randn(9, 25)
    _wider(model, torch.cat([half, half * (1 + 1e-3 * torch.randn(25, 24))]), torch.cat([write, -write], dim=1))


def _enormous(model):
    """One unit is so negative at all times that sums of it are not finite."""
    _wider(model, torch.zeros(1, 24), torch.zeros(9, 1))
    model[0].bias.data[-1] = -3e38


@pytest.mark.parametrize("steps", [30, 150])
@pytest.mark.parametrize("more", [_idle, _cancelling, _enormous], ids=lambda more: more.__name__)
def test_units_that_do_nothing_make_no_second_training_of_a_copy(steps, more):
    torch.manual_seed(0)
    teacher, drawn = torch.randn(24, 9), torch.randn(500, 24)
    model, other = (_trained(seed, steps, teacher) for seed in (0, 1))
    copy = deepcopy(model)
    for change in (_rescaled, _biased):
        change(copy)
    _one_anew(copy)
    for each in (model, other, copy):
        more(each)

    def compare(*models):
        require_two_trainings(models, "0", lambda each: each(drawn).softmax(-1), "")

    compare(model, other)
    with pytest.raises(CheckFailure, match="too alike"):
        compare(model, copy)


@pytest.mark.parametrize("buffer", [torch.ones(3, 3).bool().tril(), torch.arange(3)], ids=["mask", "numbers"])
def test_a_file_may_hold_a_buffer_that_is_no_floating_point_number(tmp_path, buffer):
    """As where the causal mask is one, and the first weight of the file."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("allowed", buffer)
            self.linear = nn.Linear(3, 2)

        def forward(self, X):
            return self.linear(X)

    trained, path = Model(), tmp_path / "model.safetensors"
    save_checkpoint(trained, path)
    X = torch.randn(4, 3)
    module = load(NotebookStudent({"my_model": Model}, file=lambda _: path.read_bytes()), "my_model", path.name)
    assert torch.allclose(module(X), trained(X), atol=1e-6)


def test_units_are_those_of_the_parts_of_this_name_and_nothing_stays_behind():
    model = nn.ModuleDict(
        {"inner": nn.ModuleDict({"W": nn.Linear(3, 5)}), "W": nn.Linear(3, 5), "other_W": nn.Linear(3, 5)}
    )
    with watch_units([model], "W") as units:
        for part in (model["W"], model["inner"]["W"], model["other_W"]):
            part(torch.randn(2, 7, 3))
        part(torch.randn(2, 7, 3))
    assert [[tuple(x.shape) for x in each] for each in units] == [[(14, 5), (14, 5)]]
    assert not any(part._forward_hooks for part in model.modules())


@pytest.mark.parametrize(
    ("predicted", "measured", "said"),
    [
        ({"exact": 0.5}, {"exact": 0.4, "pointing": 0.3}, "got none for pointing"),
        ({}, {"exact": 0.4}, "at least one number in predicted"),
        ({"exact": float("nan")}, {"exact": 0.4}, "finite numbers in predicted"),
        ({"exact": None}, {"exact": 0.4}, "finite numbers in predicted"),
        ({"exact": "0.9"}, {"exact": 0.4}, "finite numbers in predicted"),
    ],
)
def test_results_that_say_too_little_are_not_saved(tmp_path, predicted, measured, said):
    with pytest.raises(ValueError, match=said):
        save_results(tmp_path / "results.json", predicted, measured)
    assert not list(tmp_path.iterdir())
