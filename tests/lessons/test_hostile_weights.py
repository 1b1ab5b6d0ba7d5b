"""Sizes in a checkpoint are bounded before anything is built: a small file cannot make the grader take memory or time."""

import json
import subprocess
import sys
import time
from types import SimpleNamespace

import hostile_weights as hostile
import pytest
import torch
from torch import nn

from autograder.checks import modules
from autograder.checks import weights as checkpoint
from autograder.lessons.in_context_learning.checks import handed_in
from autograder.lessons.language_models.reference_model import GPT
from autograder.lessons.transformer.references import TransformerConfig
from autograder.runtime.errors import CheckFailure
from course_lib.training import save_checkpoint

pytestmark = pytest.mark.slow

KINDS = {
    "clip": "a DualEncoder",
    "vilbert": "a ViLBERT",
    "translator": "a TransformerTranslator",
    "vit": "a VisionTransformer",
    "bert": "a MaskedLanguageModel",
    "gpt": "a GPT",
    "learner": "a GPT",
    "captioner": "a CaptionDecoder",
    "search": "a TwoTower",
    "recommender": "a SequentialRecommender",
}

#: They refuse by the same code; each takes a process of its own.
IN_EVERY_RUN = ("clip",)
NIGHTLY = pytest.mark.nightly(reason="as the first, in a process each")


@pytest.mark.parametrize(
    "kind", [kind if kind in IN_EVERY_RUN else pytest.param(kind, marks=NIGHTLY) for kind in KINDS]
)
def test_weights_that_promise_much_are_refused_and_take_little_memory(tmp_path, kind):
    """Before sizes were bounded, the first of them took 2.3 GiB."""
    command = [sys.executable, hostile.__file__, kind, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["name"] for one in told] == [name for name in hostile.PROMISES if name.startswith(kind)]
    for one in told:
        assert one["earned"] == 0, one
        other = f"not {KINDS[kind]} with these weights"
        assert one["named"] in (["sizes out of bounds"], [other], ["model too costly"]), one
        assert one["grown"] < 150, one  # MiB


@pytest.mark.parametrize(
    ("names", "shape"), [(10, (1024, 1024)), (1300, (2, 2)), (30_000, (1000,))], ids=["large", "many", "both"]
)
def test_a_tied_weight_counts_under_each_of_its_names(tmp_path, names, shape):
    path = tmp_path / "weights.safetensors"
    hostile.tie(path, [f"w{n}" for n in range(names)], torch.zeros(shape))
    began = time.process_time()
    with pytest.raises(CheckFailure) as failure:
        checkpoint.weights_in(path.read_bytes(), "my_model", path.name)
    assert failure.value.cause == "sizes out of bounds"
    assert time.process_time() - began < 5


@pytest.mark.parametrize("shape", [(2**40, 0), (11_000,), (1,) * 12], ids=["empty", "long", "many axes"])
def test_no_weight_is_empty_long_or_of_many_axes(tmp_path, shape):
    path = tmp_path / "weights.safetensors"
    save_checkpoint(hostile.Bag({"w": shape}, None), path)
    with pytest.raises(CheckFailure) as failure:
        checkpoint.weights_in(path.read_bytes(), "my_model", path.name)
    assert failure.value.cause == "sizes out of bounds"
    assert "w" in failure.value.yours


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_weights_of_any_precision_become_float32(tmp_path, dtype):
    path = tmp_path / "weights.safetensors"
    save_checkpoint(hostile.Bag({"w": (3, 5)}, None, dtype), path)
    weights = checkpoint.weights_in(path.read_bytes(), "my_model", path.name)
    assert weights["w"].dtype == torch.float32


def test_tied_weights_stay_one_tensor(tmp_path):
    path = tmp_path / "weights.safetensors"
    hostile.tie(path, ["second"], torch.ones(3, 5, dtype=torch.float16))
    weights = checkpoint.weights_in(path.read_bytes(), "my_model", path.name)
    assert weights["second"] is weights["only"]


@pytest.mark.parametrize(
    ("blocks", "width", "vocab", "places"),
    [(4, 256, 75, 19), (8, 192, 75, 19), (3, 320, 75, 19), (2, 256, 8, 64), (24, 64, 75, 19)],
)
def test_an_honest_model_as_large_as_the_lesson_allows_is_not_too_costly(blocks, width, vocab, places):
    """As `my_gpt` with a file of 12 to 16 MB, or very deep, and `my_learner` at its largest, for the few rows of a comparison."""
    with torch.no_grad(), modules._Bounded() as cost:
        gpt(blocks, width, vocab, places)(torch.randint(vocab, (handed_in.FEW, places)))
    assert 0 < cost.operations < modules.MOST_OPERATIONS


def test_a_model_of_very_many_narrow_blocks_is_too_costly():
    """What it computes is little, and each call of an operator takes its time: a translation took half a minute, five times."""
    with pytest.raises(modules._TooCostly, match="calls"), torch.no_grad(), modules._Bounded():
        gpt(40, 32, 75, 19)(torch.randint(75, (handed_in.FEW, 19)))


def test_a_model_that_computes_little_gets_more_rows_at_once(monkeypatch):
    """Up to four times as many: a batch never takes more memory than the fewest rows of the most costly model."""
    monkeypatch.setattr(modules, "MOST_COMPUTED", 2**16)
    few, rows = torch.ones(8, 1), []
    for width in (2**11 - 1, 2**10, 1):  # for 8 rows of float32 nearly all that is allowed, half of it, and hardly any
        wide = torch.zeros(width, 1)
        own = modules.OwnModel("my_model", "a layer", lambda w: [lambda: nn.Linear(1, len(w["weight"]), bias=False)])
        given = SimpleNamespace(weights={"weight": wide})
        model = own.like(given, {"Y": few @ wide.T}, lambda model: {"Y": model(few)})
        rows.append(modules.rows_at_once(model))
        found = modules.in_batches(lambda part: torch.full((1,), len(part) / 1), torch.zeros(64, 1), model=model)
        assert found.tolist() == [rows[-1]] * (64 // rows[-1])
    assert rows == [16, 32, 64]
    assert modules.rows_at_once(nn.Linear(1, 1)) == 16


def gpt(blocks, width, vocab, places):
    sizes = {"model_width": width, "num_heads": 8, "hidden_width": 4 * width, "decoder_blocks": blocks}
    config = TransformerConfig(
        kind="decoder", vocab_size=vocab, max_length=places, dropout=0.0, activation="gelu", **sizes
    )
    return GPT(config).eval()
