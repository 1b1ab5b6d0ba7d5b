"""The references of the pretraining lesson against Hugging Face's BERT, plain loops and enumeration, in float64."""

import pytest
import torch
from torch.testing import assert_close

from autograder.checks.inputs import Draw
from autograder.checks.modules import sample
from autograder.lessons.fine_tuning import references as heads
from autograder.lessons.fine_tuning.checks import check_PretrainedEncoder
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.references import CLS, IGNORE, MASK, ORDINARY, PAD, SEP
from course_lib.layers.bert import BertEncoder

transformers = pytest.importorskip("transformers")

V, D, H, BLOCKS, LONGEST = 23, 14, 2, 3, 19

#: Names here → names there, inside a block.
BLOCK = {
    "attention.W_Q": "attention.self.query",
    "attention.W_K": "attention.self.key",
    "attention.W_V": "attention.self.value",
    "attention.W_O": "attention.output.dense",
    "norm_1.gamma": "attention.output.LayerNorm.weight",
    "norm_1.beta": "attention.output.LayerNorm.bias",
    "feed_forward.W_1": "intermediate.dense",
    "feed_forward.W_2": "output.dense",
    "norm_2.gamma": "output.LayerNorm.weight",
    "norm_2.beta": "output.LayerNorm.bias",
}
OUTSIDE = {
    "encoder.embeddings.tokens": "bert.embeddings.word_embeddings",
    "encoder.embeddings.segments": "bert.embeddings.token_type_embeddings",
    "encoder.embeddings.positions": "bert.embeddings.position_embeddings",
    "encoder.embeddings.norm": "bert.embeddings.LayerNorm",
    "transform": "cls.predictions.transform.dense",
    "output_norm": "cls.predictions.transform.LayerNorm",
    "output_bias": "cls.predictions.bias",
}


def there(name):
    """What Hugging Face calls a parameter of ours."""
    if name.startswith("encoder.blocks.blocks."):
        number, _, rest = name.removeprefix("encoder.blocks.blocks.").partition(".")
        [(ours, theirs)] = [(a, b) for a, b in BLOCK.items() if rest.startswith(a)]
        return f"bert.encoder.layer.{number}.{theirs}{rest.removeprefix(ours)}"
    ours = max((key for key in OUTSIDE if name.startswith(key)), key=len)
    return OUTSIDE[ours] + name.removeprefix(ours)


@pytest.fixture(scope="module")
def pair():
    """Our masked language model and Hugging Face's, with the same random weights."""
    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=BLOCKS,
        num_attention_heads=H,
        intermediate_size=4 * D,
        max_position_embeddings=LONGEST,
        layer_norm_eps=1e-5,
        hidden_act="gelu",
        pad_token_id=PAD,
    )
    theirs = transformers.BertForMaskedLM(config).double().eval()
    ours = references.MaskedLanguageModel(V, D, H, BLOCKS, LONGEST).double().eval()
    draw, target = Draw(7, "bert"), dict(theirs.named_parameters())
    with torch.no_grad():
        for name, value in ours.named_parameters():
            value.copy_(sample(name, value, draw))
            target.pop(there(name)).copy_(value)
    assert not target, f"without a counterpart: {list(target)}"
    return ours, theirs


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("columns", [2, 7, LONGEST])
@pytest.mark.parametrize("with_segments", [False, True])
def test_masked_language_model_is_berts(pair, rows, columns, with_segments):
    ours, theirs = pair
    draw = Draw(rows * columns, "ids")
    ids = ORDINARY + draw.integers(V - ORDINARY, rows, columns)
    for b in range(1, rows):
        ids[b, max(1, columns - b) :] = PAD
    segments = (torch.arange(columns) >= columns // 2).long().expand(rows, -1) if with_segments else None
    logits = ours(ids, segments)
    want = theirs(input_ids=ids, token_type_ids=segments, attention_mask=(ids != PAD).long()).logits
    keep = ids != PAD
    assert_close(logits[keep], want[keep])
    [found] = torch.autograd.grad(logits[keep].square().sum(), [ours.encoder.embeddings.tokens.weight])
    [expected] = torch.autograd.grad(want[keep].square().sum(), [theirs.bert.embeddings.word_embeddings.weight])
    expected = expected.clone()
    expected[PAD] = found[PAD]  # theirs keeps the vector of padding as it is
    assert_close(found, expected)


def test_the_loss_is_berts(pair):
    ours, theirs = pair
    draw = Draw(3, "loss")
    ids = ORDINARY + draw.integers(V - ORDINARY, 4, 9)
    labels = ids.masked_fill(draw.normal(4, 9) > 0, IGNORE)
    assert_close(references.mlm_loss(ours(ids), labels), theirs(input_ids=ids, labels=labels).loss)


def test_the_pooled_classifier_is_berts():
    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=1,
        num_attention_heads=H,
        intermediate_size=D,
        num_labels=3,
    )
    theirs = transformers.BertForSequenceClassification(config).double().eval()
    ours = heads.SequenceClassifier(D, 3).double().eval()
    with torch.no_grad():
        ours.pooler.load_state_dict(theirs.bert.pooler.dense.state_dict())
        ours.output.load_state_dict(theirs.classifier.state_dict())
    ids = torch.arange(10).view(2, 5) + 1
    assert_close(ours(theirs.bert(ids).last_hidden_state), theirs(ids).logits)


def test_the_tagger_and_the_span_head_are_berts():
    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=D,
        num_hidden_layers=1,
        num_attention_heads=H,
        intermediate_size=D,
        num_labels=2,
    )
    ids = torch.arange(10).view(2, 5) + 1
    tagger = transformers.BertForTokenClassification(config).double().eval()
    own = heads.TokenTagger(D, 2).double().eval()
    own.output.load_state_dict(tagger.classifier.state_dict())
    assert_close(own(tagger.bert(ids).last_hidden_state), tagger(ids).logits)
    spans = transformers.BertForQuestionAnswering(config).double().eval()
    head = heads.SpanHead(D).double().eval()
    head.output.load_state_dict(spans.qa_outputs.state_dict())
    answer = spans(ids)
    for found, want in zip(
        head(spans.bert(ids).last_hidden_state), (answer.start_logits, answer.end_logits), strict=True
    ):
        assert_close(found, want)


def test_hidden_tokens_begin_no_span():
    draw = Draw(1, "span")
    allowed = draw.allowed(4, 7)
    start, end = heads.SpanHead(D)(draw.normal(4, 7, D).float(), allowed)
    assert bool(start[~allowed].isneginf().all())
    assert bool(end[~allowed].isneginf().all())
    first, last = heads.best_span(start.double(), end.double())
    assert bool((first <= last).all())
    assert bool(allowed.gather(1, first[:, None]).all())
    assert bool(allowed.gather(1, last[:, None]).all())


def test_masking_hides_what_it_says():
    draw = Draw(2, "mask")
    ids = draw.integers(V, 200, 40)
    inputs, labels = references.mask_tokens(ids, V, torch.Generator().manual_seed(3), rate=1.0)
    ordinary = ids >= ORDINARY
    assert torch.equal(labels, torch.where(ordinary, ids, IGNORE))
    assert torch.equal(inputs[~ordinary], ids[~ordinary])
    assert (inputs[ordinary] == MASK).double().mean() == pytest.approx(0.8, abs=0.03)
    assert int(inputs[ordinary & (inputs != MASK)].min()) >= ORDINARY


def test_pairs_are_made_of_whole_sentences():
    documents = [[[5, 6], [7]], [[8, 9, 10]]]
    seen = set()
    for seed in range(20):
        ids, segments, is_next = references.sentence_pairs(documents, torch.Generator().manual_seed(seed))
        b = [7] if bool(is_next) else [8, 9, 10]
        assert ids.tolist() == [[CLS, 5, 6, SEP, *b, SEP]]
        assert segments.tolist() == [[0] * 4 + [1] * (len(b) + 1)]
        seen.add(bool(is_next))
    assert seen == {False, True}
    with pytest.raises(ValueError, match="another document"):
        references.sentence_pairs(documents[:1], torch.Generator())


SIZES = {
    "vocab_size": 101,
    "hidden_size": 40,
    "num_attention_heads": 4,
    "num_hidden_layers": 3,
    "max_position_embeddings": 67,
    "intermediate_size": 56,
}


@pytest.fixture(scope="module")
def published():
    """A checkpoint as the check of PretrainedEncoder draws it, and Hugging Face's own model with it."""
    given = check_PretrainedEncoder.checkpoint(Draw(5, "bert"), tuple(SIZES.values()), 0.1)
    settings = transformers.BertConfig(**SIZES, layer_norm_eps=0.1, hidden_act="gelu", pad_token_id=PAD)
    theirs = transformers.BertModel(settings).double().eval()
    theirs.load_state_dict({name: tensor.double() for name, tensor in given.state.items()}, strict=False)
    return given, theirs


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (3, 7), (2, 67)])
@pytest.mark.parametrize("with_segments", [False, True])
def test_every_layer_of_a_checkpoint_is_berts(published, rows, columns, with_segments):
    given, theirs = published
    ids, segments = check_PretrainedEncoder.tokens(Draw(rows, "ids"), given, rows, columns)
    segments = segments if with_segments else None
    want = theirs(ids, (ids != PAD).long(), segments, output_hidden_states=True).hidden_states
    found = heads.hidden_states(given.state, given.config, ids, segments)
    assert len(found) == len(want) == SIZES["num_hidden_layers"] + 1
    for own, other in zip(found, want, strict=True):
        assert_close(own[ids != PAD], other[ids != PAD])
    encoder = heads.PretrainedEncoder(given.state, given.config).double().eval()
    assert_close(encoder(ids, segments)[0][ids != PAD], want[-1][ids != PAD], rtol=1e-5, atol=1e-5)


def test_every_tensor_of_a_checkpoint_has_a_place_in_the_courses_encoder_but_the_poolers(published):
    given, theirs = published
    assert given.state.keys() == theirs.state_dict().keys()
    encoder = BertEncoder(*(SIZES[name] for name in list(SIZES)[:5]), hidden_width=SIZES["intermediate_size"])
    names = [heads.our_name(name) for name in given.state if not name.startswith("pooler.")]
    assert sorted(names) == sorted(encoder.state_dict())
    assert heads.our_name("pooler.dense.weight") is None


def test_the_mean_of_the_tokens_leaves_padding_out():
    Y, mask = torch.tensor([[[2.0, 4.0], [6.0, 0.0], [1e4, 1e4]]]), torch.tensor([[True, True, False]])
    assert_close(heads.mean_pooling(Y, mask), torch.tensor([[4.0, 2.0]]))
