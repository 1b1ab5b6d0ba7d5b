"""Load a model that was fetched, or make a small random one of the same form."""

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from course_lib.pretrained.folder import TOKENIZER, WEIGHTS, is_whole, model_folder
from course_lib.pretrained.readers import byte_pairs, read_tokenizer, read_weights, unigram
from course_lib.pretrained.shapes import weight_shapes
from course_lib.pretrained.sources import source_of
from course_lib.training.errors import CheckpointError

if TYPE_CHECKING:  # loaded when needed
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class Pretrained:
    """A model's weights, for a class of your own.

    config: its sizes under Hugging Face's names (hidden_size, num_attention_heads, …). state_dict: its weights under Hugging
    Face's names; those of e5 and smollm2 are float16. tokenizer: of Hugging Face's `tokenizers`, without padding and without a
    limit; None for a model of pictures. random: True for a small random checkpoint, which has only the names and the form of the
    model.
    about: what it is, in a sentence.
    """

    config: dict[str, Any]
    state_dict: dict[str, Tensor]
    tokenizer: "Tokenizer | None"
    random: bool
    about: str

    def __repr__(self) -> str:
        numbers = sum(tensor.numel() for tensor in self.state_dict.values())
        return f"{self.about} ({numbers:,} weights)" if numbers else self.about


def pretrained(name: str) -> Pretrained:
    """Return a model that `autograder models get` has fetched: "minilm", "e5", "dinov2", "smollm2" or "gpt2-tokenizer".

    Raises FileNotFoundError, with the command, if it is not there, and CheckpointError if its files are damaged.
    """
    source, folder = source_of(name), model_folder(name)
    command = f"autograder models get {name}"
    if not is_whole(name):
        raise FileNotFoundError(
            f"The model {name} is not on this computer. Fetch it ({source.megabytes} MB): {command}"
        )
    try:
        weights = read_weights(folder / WEIGHTS, source.config) if source.has_weights else {}
        tokenizer = read_tokenizer(folder / TOKENIZER) if source.has_tokenizer else None
    except CheckpointError as error:
        raise CheckpointError(
            f"The files of the model {name} are damaged. Fetch it again: {command}\n{error}"
        ) from error
    return Pretrained(dict(source.config), weights, tokenizer, False, f"{name}: {source.about}")


def random_checkpoint(name: str) -> Pretrained:
    """Return a small random checkpoint of a model's form, the same at every call. Nothing is downloaded.

    Its tokenizer cuts text into single characters (minilm, e5) or bytes. No two sizes in it are equal without need, and norms and
    biases are random, too, so that no weight can be put in the place of another unnoticed.
    """
    source = source_of(name)
    kind = source.config.get("tokenizer_class", source.config["model_type"])
    tokenizer = _TOKENIZERS[kind]() if source.has_tokenizer else None
    config = {**source.config, **source.small}
    if tokenizer is not None:
        config["vocab_size"] = tokenizer.get_vocab_size()
    drawn = torch.Generator().manual_seed(0)
    weights = {shape_name: _draw(shape_name, shape, drawn) for shape_name, shape in weight_shapes(config).items()}
    about = (
        f"a small random checkpoint in the form of {name}; the model itself comes with: autograder models get {name}"
    )
    return Pretrained(config, weights, tokenizer, True, about)


def pretrained_or_random(name: str) -> Pretrained:
    """Return the model if it is there, else `random_checkpoint`; say which it is."""
    model = pretrained(name) if is_whole(name) else random_checkpoint(name)
    print(f"This is {model}.")
    return model


def _draw(name: str, shape: tuple[int, ...], drawn: torch.Generator) -> Tensor:
    """Draw weights that keep the scale of the activations."""
    numbers = torch.randn(shape, generator=drawn)
    if "norm" in name.lower() or "layer_scale" in name:
        return numbers * 0.1 + (0.0 if name.endswith("bias") else 1.0)
    if len(shape) == 1 or "embed" in name:
        return numbers * 0.1
    return numbers / torch.Size(shape[1:]).numel() ** 0.5


def _characters() -> "Tokenizer":
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    from course_lib.data.special_tokens import CLS, SEP, SPECIAL  # not above: course_lib.data imports this module

    special = list(SPECIAL)
    letters = [letter for letter in string.printable if not (letter.isspace() or letter.isupper())]
    vocabulary = {piece: n for n, piece in enumerate([*special, *letters, *(f"##{one}" for one in letters)])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    start, end = (special[number] for number in (CLS, SEP))
    tokenizer.post_processor = processors.BertProcessing((end, SEP), (start, CLS))
    tokenizer.add_special_tokens(special)
    return tokenizer


def _single_bytes() -> "Tokenizer":
    from tokenizers import pre_tokenizers

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    return byte_pairs(
        {piece: number for number, piece in enumerate(["<|endoftext|>", *letters])}, [], ["<|endoftext|>"]
    )


def _unigram_characters() -> "Tokenizer":
    letters = [letter for letter in string.printable if not letter.isspace()]
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    return unigram([*((token, 0.0) for token in special), ("▁", -2.0), *((letter, -3.0) for letter in letters)])


_TOKENIZERS = {
    "bert": _characters,
    "XLMRobertaTokenizer": _unigram_characters,
    "llama": _single_bytes,
    "gpt2": _single_bytes,
}
