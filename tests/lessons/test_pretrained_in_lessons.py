"""Models that others trained, as cells of lessons load them, compute what transformers and gguf do."""

import argparse
import ast
import contextlib
import inspect
import json
import random
import unicodedata

import gguf
import matplotlib.pyplot as plt
import pytest
import torch
import torch.nn.functional as F
from known import COURSE
from many_languages import texts_in_many_languages
from package_index import skip_without_index
from safetensors.torch import save_file
from tokenizers import pre_tokenizers, trainers
from transformers import AutoModel

from autograder.authoring.seeds import cells_of
from autograder.checks.inputs import Draw
from autograder.lessons.retrieval import references
from autograder.lessons.retrieval.checks import check_dequantise
from course_lib.data import gpt2_words, pretrained, python_english, random_checkpoint
from course_lib.layers import load_modern
from course_lib.pretrained.fetch import fetch
from course_lib.pretrained.folder import CONFIG, WEIGHTS, model_folder
from course_lib.pretrained.readers import byte_pairs

CLOSE = 1e-4  # at every layer, in float32
KINDS = tuple(check_dequantise.SIZES)


def names_of(lesson, parts, folder):
    """Return what the cells of a lesson's source define that hold one of these texts, without any model at hand."""
    (source,) = (source for source in COURSE.sources() if source.parent.name == lesson)
    cells = cells_of(source)
    names = {"__name__": "__main__"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_MODELS", str(folder))
        for part in parts:
            (cell,) = (cell for cell in cells if part in cell)
            exec(compile(cell, part, "exec"), names)
    plt.close("all")
    return names


@pytest.fixture(scope="module")
def vit(tmp_path_factory):
    parts = ("import course_lib  #", "def patchify(", "def unpatchify(", "class PatchEmbedding", "class ViTConfig")
    exercises = ("class VisionTransformer(", "def interpolate_positions(", "def fold_layer_scale(")
    more = (*exercises, "dino = pretrained", "def dino_vit(")
    return names_of("11-vit", (*parts, *more), tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def search(tmp_path_factory):
    parts = ("import course_lib  #", "class SentenceEncoder", "def dequantise(")
    return names_of("13-retrieval", parts, tmp_path_factory.mktemp("models"))


def after_each_block(model, pictures):
    """Return what comes out of each block of the lesson's model, and the class token's vector."""
    found = []
    handles = [
        block.register_forward_hook(lambda _, __, output: found.append(output[0])) for block in model.encoder.blocks
    ]
    logits, _ = model(pictures)
    for handle in handles:
        handle.remove()
    return [*found, logits]


def differences(model, theirs, pictures):
    """Return the largest difference after each block, and of the class token at the end."""
    wanted = theirs(pictures, output_hidden_states=True)
    states = [*wanted.hidden_states[1:], wanted.pooler_output]
    own = after_each_block(model, pictures)
    assert len(own) == len(states)
    return [(one - other).abs().max().item() for one, other in zip(own, states, strict=True)]


def in_transformers(given, folder):
    """Return the model of transformers with a checkpoint. It reads the published names from files only."""
    (folder / CONFIG).write_text(json.dumps(given.config))
    save_file(given.state_dict, folder / WEIGHTS, {"format": "pt"})
    return AutoModel.from_pretrained(folder).eval()


@pytest.fixture(scope="module")
def small_dinov2(tmp_path_factory):
    given = random_checkpoint("dinov2")
    return given, in_transformers(given, tmp_path_factory.mktemp("dinov2"))


@torch.no_grad()
@pytest.mark.parametrize("grid", [(5, 5), (7, 7), (4, 6)])
def test_dinov2_in_the_students_vit_equals_transformers_at_every_layer(grid, vit, small_dinov2):
    given, theirs = small_dinov2
    pictures = Draw(1, "pictures").normal(2, 3, grid[0] * 14, grid[1] * 14).float()
    own = vit["dino_vit"](given.state_dict, given.config, grid)
    assert max(differences(own, theirs, pictures)) <= CLOSE


@torch.no_grad()
def test_without_layer_scale_or_with_another_eps_it_differs(vit, small_dinov2):
    given, theirs = small_dinov2
    pictures = Draw(1, "pictures").normal(2, 3, 70, 70).float()
    for own in (
        vit["dino_vit"](vit["without_fold"](given.state_dict), given.config, (5, 5)),
        vit["dino_vit"](given.state_dict, given.config, (5, 5), eps=0.1),
    ):
        assert differences(own, theirs, pictures)[0] > 10 * CLOSE


@torch.no_grad()
@pytest.mark.parametrize("name", ["minilm", "e5"])
def test_an_encoder_in_the_retrieval_lesson_equals_transformers(name, search, tmp_path):
    """e5 fills texts up with 1, not 0, and has no pooler."""
    given = random_checkpoint(name)
    theirs, padding = in_transformers(given, tmp_path), given.config["pad_token_id"]
    ids = Draw(2, "ids").integers(given.config["vocab_size"] - 5, 3, 11) + 5
    ids[1, 6:], ids[2, 1:] = padding, padding
    real = (ids != padding).long()
    Y = theirs(ids, attention_mask=real).last_hidden_state
    wanted = F.normalize((Y * real[..., None]).sum(dim=1), dim=1)
    own = search["SentenceEncoder"](given.state_dict, given.config).eval()
    assert (own(ids) - wanted).abs().max() <= CLOSE


def functions_of(lesson, *names, given=None):
    """Return these functions and tables of a lesson's source, without running the cells in which they stand."""
    (source,) = (source for source in COURSE.sources() if source.parent.name == lesson)
    found = dict(given or {})
    for cell in cells_of(source):
        for node in ast.parse(cell).body:
            called = {getattr(node, "name", "")} | {getattr(to, "id", "") for to in getattr(node, "targets", [])}
            if called & {*names}:
                exec(compile(ast.Module([node], []), lesson, "exec"), found)
    assert {*names} <= found.keys()
    return found


def merges_of_lesson_7(name, tokenizer):
    """Return the lesson's way from a text to a tokenizer's ids, by its merges and the course's own bpe."""
    given = {"json": json, "unicodedata": unicodedata, "gpt2_words": gpt2_words, "of_world": {}}
    wanted = ("merge_pair", "printable", "byte_of", "own_merges", "words_of_smollm2", "encoded_by")
    cells = functions_of("07-language-models", *wanted, given=given)
    cells["words_of"] = {"gpt2-tokenizer": gpt2_words, "smollm2": cells["words_of_smollm2"]}
    pairs, theirs = cells["of_world"][name] = cells["own_merges"](tokenizer)
    assert len(pairs) == len(json.loads(tokenizer.to_str())["model"]["merges"])
    return lambda text: [theirs[number] for number in cells["encoded_by"](name, text)]


@pytest.mark.parametrize("name", ["gpt2-tokenizer", "smollm2"])
def test_the_merges_of_another_tokenizer_give_its_ids_in_lesson_7(name):
    texts = [*texts_in_many_languages(200), inspect.getsource(argparse)[:5000]]
    letters = ["<|endoftext|>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    empty = byte_pairs(
        {letter: n for n, letter in enumerate(letters)}, [], letters[:1], single_digits=name == "smollm2"
    )
    empty.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=700, initial_alphabet=letters[1:], show_progress=False)
    )
    encoded = merges_of_lesson_7(name, empty)
    assert all(encoded(text) == empty.encode(text).ids for text in texts)


@pytest.mark.nightly(reason="another test has small ones; the real ones take 20 seconds")
@pytest.mark.parametrize("name", ["gpt2-tokenizer", "smollm2"])
def test_the_real_merges_give_the_real_ids_in_lesson_7(name, tmp_path, monkeypatch):
    """A thousand texts in 24 languages, and a megabyte of English and code."""
    skip_without_index(tmp_path)
    monkeypatch.setenv("COURSE_MODELS", str(tmp_path))
    fetch(name)
    tokenizer = pretrained(name).tokenizer
    encoded = merges_of_lesson_7(name, tokenizer)
    english = "\n".join(text for document in python_english("train") for text in document.paragraphs)
    code = "\n".join(inspect.getsource(module) for module in (argparse, ast, inspect, random))
    mixed = [english[:600_000], code[:400_000]]
    assert all(encoded(text) == tokenizer.encode(text).ids for text in [*texts_in_many_languages(1000), *mixed])


def test_heads_are_switched_off_only_for_a_while_in_lesson_8():
    given = random_checkpoint("smollm2")
    world = load_modern(given.state_dict, given.config).float().eval()
    whole = {name: tensor.clone() for name, tensor in world.state_dict().items()}
    width = given.config["head_dim"]
    names = {"contextlib": contextlib, "torch": torch, "world": world, "width_of_head": width}
    without_heads = functions_of("08-in-context-learning", "without_heads", given=names)["without_heads"]
    with without_heads([(0, 1), (2, 0), (0, 3)]):
        weight = world.blocks[0].attention.W_O.weight
        off = {head for head in range(6) if not weight[:, head * width : (head + 1) * width].any()}
        assert off == {1, 3}
    assert all(torch.equal(tensor, whole[name]) for name, tensor in world.state_dict().items())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", ["reference", "lesson"])
def test_blocks_hold_the_numbers_that_gguf_reads(kind, which, search):
    dequantise = references.dequantise if which == "reference" else search["dequantise"]
    data = check_dequantise.blocks(Draw(3, kind), kind, 7, 5)
    wanted = torch.tensor(gguf.dequantize(data.numpy(), gguf.GGMLQuantizationType[kind]))
    assert torch.equal(dequantise(data, kind), wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_the_lesson_makes_nearly_all_blocks_as_gguf_does(kind, tmp_path):
    """Halves are rounded in another way, and a step is computed in another order: a byte in a hundred may differ."""
    lines = next(cell for cell in cells_of(_retrieval()) if "def quantise(" in cell).split("\n\n\n")[0]
    names = {"torch": torch}
    exec(compile(lines, "quantise", "exec"), names)
    X = Draw(4, kind).normal(64, 96).float()
    wanted = torch.tensor(gguf.quantize(X.numpy(), gguf.GGMLQuantizationType[kind]))
    own = names["quantise"](X, kind)
    assert own.shape == wanted.shape
    assert (own == wanted).double().mean() > 0.99


def _retrieval():
    return next(source for source in COURSE.sources() if source.parent.name == "13-retrieval")


@pytest.mark.slow
@torch.no_grad()
def test_the_real_dinov2_in_the_students_vit_equals_transformers_at_every_layer(vit, tmp_path, monkeypatch):
    skip_without_index(tmp_path)
    monkeypatch.setenv("COURSE_MODELS", str(tmp_path))
    fetch("dinov2")
    given, theirs = pretrained("dinov2"), AutoModel.from_pretrained(model_folder("dinov2")).eval()
    own = vit["dino_vit"](given.state_dict, given.config)
    _, light = vit["photographs"](16 * 14)
    # Numbers of up to 16 after twelve blocks, rounded in another order on each machine.
    assert max(differences(own, theirs, (light[:2] - vit["MEAN"]) / vit["SPREAD"])) <= 10 * CLOSE
