"""The references of lesson 07's model against Hugging Face's GPT-2, PyTorch's functions and plain loops, in float64."""

import math

import pytest
import torch
import torch.nn.functional as F
from drawn_weights import filled
from torch.testing import assert_close

from autograder.checks.inputs import Draw
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.sizes import BLOCKS, LONGEST, V, config
from course_lib.layers import TransformerConfig, make_model
from course_lib.layers.gpt import LanguageModel
from course_lib.training.next_token import next_token_loss

D, H, HIDDEN = 15, 3, 17


@pytest.fixture
def draw():
    return Draw(5, "language model")


def as_gpt2(model):
    """Return Hugging Face's GPT-2 with the weights of a reference."""
    transformers = pytest.importorskip("transformers")
    theirs = transformers.GPT2LMHeadModel(
        transformers.GPT2Config(
            vocab_size=V,
            n_positions=LONGEST,
            n_embd=D,
            n_layer=BLOCKS,
            n_head=H,
            n_inner=HIDDEN,
            activation_function="gelu",
            attn_implementation="eager",
        )
    )
    theirs = theirs.double().eval()
    own, moved = dict(model.named_parameters()), {}
    moved["transformer.wte.weight"], moved["transformer.wpe.weight"] = own["embedding.weight"], own["positions.table"]
    moved["lm_head.weight"] = own["embedding.weight"]
    moved["transformer.ln_f.weight"], moved["transformer.ln_f.bias"] = (
        own["decoder.norm.gamma"],
        own["decoder.norm.beta"],
    )
    for number in range(BLOCKS):
        ours, block = f"decoder.blocks.{number}", f"transformer.h.{number}"
        for kind in ("weight", "bias"):  # their maps keep (inputs, outputs)
            joined = torch.cat([own[f"{ours}.attention.{name}.{kind}"] for name in ("W_Q", "W_K", "W_V")])
            moved[f"{block}.attn.c_attn.{kind}"] = joined.T
            moved[f"{block}.attn.c_proj.{kind}"] = own[f"{ours}.attention.W_O.{kind}"].T
            moved[f"{block}.mlp.c_fc.{kind}"] = own[f"{ours}.feed_forward.W_1.{kind}"].T
            moved[f"{block}.mlp.c_proj.{kind}"] = own[f"{ours}.feed_forward.W_2.{kind}"].T
        for theirs_name, name in (("ln_1", "norm_1"), ("ln_2", "norm_2")):
            moved[f"{block}.{theirs_name}.weight"] = own[f"{ours}.{name}.gamma"]
            moved[f"{block}.{theirs_name}.bias"] = own[f"{ours}.{name}.beta"]
    missing, unknown = theirs.load_state_dict(moved, strict=False)
    assert not unknown
    assert all(name.endswith(("attn.bias", "masked_bias")) for name in missing)
    return theirs


@pytest.mark.filterwarnings("ignore")
def test_the_model_and_its_loss_are_hugging_faces(draw):
    model, ids = filled(references.GPT(config()), draw), draw.integers(V, 3, 7)
    with torch.no_grad():
        theirs = as_gpt2(model)(ids, labels=ids, output_attentions=True)
        logits, weights = model(ids)
    assert_close(logits, theirs.logits)
    for own, other in zip(weights, theirs.attentions, strict=True):
        assert_close(own, other)
    assert_close(references.next_token_loss(logits, ids).float(), theirs.loss)  # theirs is computed in float32


@pytest.mark.filterwarnings("ignore")
def test_greedy_writing_is_hugging_faces(draw):
    model, ids = filled(references.CachedGPT(config()), draw), draw.integers(V, 3, 4)
    written = references.generate(model, ids, torch.tensor([4] * 3), 12, LONGEST)
    theirs = as_gpt2(model).generate(
        ids, attention_mask=torch.ones_like(ids), max_length=12, do_sample=False, pad_token_id=0, eos_token_id=None
    )
    assert torch.equal(written, theirs)


@pytest.mark.parametrize("changes", [{}, {"tied": False}, {"activation": "relu"}])
def test_the_model_is_the_courses_language_model(draw, changes):
    fields = vars(config(**changes))
    known = {name: fields[name] for name in fields if name not in ("segments", "pooler")}
    theirs = filled(make_model(TransformerConfig(**known)), draw)
    ids = draw.integers(V, 2, 7)
    for kind in (references.GPT, references.CachedGPT):
        model = kind(config(**changes)).double().eval()
        model.load_state_dict(theirs.state_dict())
        assert_close(model(ids)[0], theirs(ids)[0])


def test_a_packed_document_is_as_alone(draw):
    model, ids = filled(references.GPT(config()), draw), draw.integers(V, 1, 9)
    documents = torch.tensor([[4, 4, 4, 1, 1, 1, 1, 7, 7]])
    logits, weights = model(ids, documents=documents)
    for part in (slice(0, 3), slice(3, 7), slice(7, 9)):
        assert_close(logits[:, part], model(ids[:, part])[0])
    assert not weights[0][0, 0, 5, :3].any()


def test_the_loss_leaves_out_padding_and_borders(draw):
    logits, ids = draw.normal(2, 5, V), 1 + draw.integers(V - 1, 2, 5)
    ids[1, 3:] = 0
    documents = torch.tensor([[1, 1, 2, 2, 2], [1, 1, 1, 1, 1]])
    places = [(0, 0), (0, 2), (0, 3), (1, 0), (1, 1)]
    want = sum(F.cross_entropy(logits[b, i], ids[b, i + 1]) for b, i in places) / len(places)
    assert_close(references.next_token_loss(logits, ids, documents, 0), want)


def test_perplexity_and_bits_by_hand():
    perplexity, bits = references.perplexity_and_bits(torch.tensor([2, 8]).double().log(), torch.tensor([2, 2]))
    assert math.isclose(perplexity, 4)
    assert math.isclose(bits, 1)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("k", "p"), [(None, None), (3, None), (None, 0.6), (4, 0.7), (1, 0.1), (100, 1.0)])
def test_the_probabilities_are_hugging_faces(draw, k, p):
    transformers = pytest.importorskip("transformers")
    logits = draw.normal(5, 11, scale=2.0)
    warped = transformers.TemperatureLogitsWarper(0.7)(None, logits)
    if k is not None:
        warped = transformers.TopKLogitsWarper(k)(None, warped)
    if p is not None and p < 1:
        warped = transformers.TopPLogitsWarper(p)(None, warped)
    assert_close(references.next_probabilities(logits, 0.7, k, p), warped.softmax(-1))


def test_ties_at_the_border_stay_and_temperature_zero_is_the_largest():
    P = references.next_probabilities(torch.tensor([[0.4, 0.2, 0.2, 0.2]]).log(), top_k=2)
    assert_close(P, torch.tensor([[0.4, 0.2, 0.2, 0.2]]))
    assert references.sample(torch.tensor([[1.0, 3.0, 2.0]]), 0.0).tolist() == [1]


@pytest.mark.parametrize(("window", "chunk"), [(LONGEST, 64), (9, 2), (5, 64), (2, 1)])
def test_writing_with_a_cache_is_writing_without_one(draw, window, chunk):
    model = filled(references.CachedGPT(config()), draw)
    prompts, lengths, total = draw.integers(V, 3, 4), torch.tensor([2, 4, 3]), 23
    want, start = torch.zeros(3, total, dtype=torch.int64), 0
    want[:, :4] = prompts
    for n in range(2, total):
        start = n - window // 2 if n - start > window else start
        with torch.no_grad():
            new = model(want[:, start:n])[0][:, -1].argmax(1)
        want[:, n] = torch.where(n < lengths, want[:, n], new)
    assert torch.equal(references.generate(model, prompts, lengths, total, window, chunk), want)


@pytest.mark.parametrize("pad", [None, 3])
def test_the_ready_made_loss_of_lesson_08_is_that_of_lesson_07(draw, pad):
    logits, ids = draw.normal(4, 11, 7), draw.integers(7, 4, 11)
    documents = draw.integers(3, 4, 11).cumsum(dim=1)
    for own in (None, documents):
        want = references.next_token_loss(logits, ids, own, pad)
        assert_close(next_token_loss(logits, ids, own, pad), want)


def test_the_ready_made_model_of_lesson_08_is_that_of_lesson_07(draw):
    sizes = config()
    ours = filled(references.GPT(sizes), draw)
    ready = LanguageModel(TransformerConfig(**vars(sizes))).double()
    ready.load_state_dict(ours.state_dict())
    ids = draw.integers(V, 3, 5)
    assert_close(ready.eval()(ids)[0], ours.eval()(ids)[0])
