"""The autograder's own small versions of what the students write. Oracles are PyTorch's functions wherever there is one.

Known wrong answers may call the right version of an earlier exercise, and so may a student's later exercise when the earlier
one is not right yet; they find it here.
"""

import ast
import functools
import math
import sys
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from autograder.references import attention, blocks, captioning, heads, pretraining, stacks, vision
from autograder.references.attention import (
    CausalSelfAttention,
    SelfAttention,
    attend,
    blockwise_attention,
    causal_mask,
    scaled_dot_product_attention,
    softmax,
)
from autograder.references.blocks import (
    DecoderBlock,
    EncoderBlock,
    FeedForward,
    LayerNorm,
    LearnedPositions,
    sinusoidal_positions,
)
from autograder.references.captioning import (
    END,
    PAD,
    START,
    AdditiveAttention,
    CaptionDecoder,
    TableDecoder,
    TransformerCaptioner,
    beam_search,
    caption_loss,
    greedy_caption,
    grid_features,
    weights_to_grid,
)
from autograder.references.heads import (
    CachedSelfAttention,
    ConvSelfAttention,
    MultiHeadAttention,
    attention_weights,
    merge_heads,
    padding_mask,
    split_heads,
)
from autograder.references.pretraining import (
    CLS,
    IGNORE,
    MASK,
    ORDINARY,
    SEP,
    BertEmbeddings,
    BertEncoder,
    MaskedLanguageModel,
    ReadyEncoder,
    SequenceClassifier,
    SpanHead,
    TokenTagger,
    best_span,
    mask_tokens,
    mlm_loss,
    sentence_pairs,
)
from autograder.references.stacks import Decoder, Encoder, Transformer, TransformerConfig, parameter_count
from autograder.references.vision import (
    PatchEmbedding,
    VisionTransformer,
    ViTConfig,
    attention_rollout,
    interpolate_positions,
    patchify,
    shifted_windows,
    unpatchify,
)
from course_lib.data import scene_vocabulary

__all__ = [
    "CLS",
    "END",
    "IGNORE",
    "MASK",
    "ORDINARY",
    "PAD",
    "SEP",
    "START",
    "AdditiveAttention",
    "BertEmbeddings",
    "BertEncoder",
    "CachedSelfAttention",
    "CaptionDecoder",
    "CausalSelfAttention",
    "ConvSelfAttention",
    "Decoder",
    "DecoderBlock",
    "Encoder",
    "EncoderBlock",
    "FeedForward",
    "LayerNorm",
    "LearnedPositions",
    "MaskedLanguageModel",
    "MultiHeadAttention",
    "PatchEmbedding",
    "ReadyEncoder",
    "SelfAttention",
    "SequenceClassifier",
    "SpanHead",
    "TableDecoder",
    "TokenTagger",
    "Transformer",
    "TransformerCaptioner",
    "TransformerConfig",
    "ViTConfig",
    "VisionTransformer",
    "attend",
    "attention_rollout",
    "attention_weights",
    "beam_search",
    "best_span",
    "blockwise_attention",
    "caption_loss",
    "causal_mask",
    "greedy_caption",
    "grid_features",
    "interpolate_positions",
    "mask_tokens",
    "merge_heads",
    "mlm_loss",
    "namespace",
    "padding_mask",
    "parameter_count",
    "patchify",
    "scaled_dot_product_attention",
    "sentence_pairs",
    "shifted_windows",
    "sinusoidal_positions",
    "softmax",
    "source_of",
    "split_heads",
    "unpatchify",
    "weights_to_grid",
]  # fmt: skip

_MODULES = (attention, heads, blocks, stacks, captioning, pretraining, vision)


def namespace() -> dict[str, Any]:
    """Return what a solution cell finds when it runs: the imports, and every exercise in its right version."""
    found: dict[str, Any] = {"math": math, "torch": torch, "nn": nn, "F": F, "__name__": "known_answer"}
    found["layers"] = SimpleNamespace(
        make_model=Transformer, Decoder=Decoder, Encoder=ReadyEncoder, sinusoidal_positions=sinusoidal_positions
    )
    found["scene_vocabulary"] = scene_vocabulary
    here = vars(sys.modules[__name__])
    return found | {name: here[name] for name in __all__ if name not in ("namespace", "source_of")}


def source_of(names: Iterable[str]) -> str:
    """Return a Python source that defines these things and all that they are made of, and nothing else of ours."""
    parts = _parts()
    wanted, waiting = set(), [name for name in names if name in parts]
    while waiting:
        name = waiting.pop()
        if name not in wanted:
            wanted.add(name)
            waiting += _mentioned(parts[name]) & parts.keys()
    heads_of_file = "from __future__ import annotations\nimport math\nimport torch\nimport torch.nn.functional as F\n"
    heads_of_file += "from dataclasses import dataclass\nfrom torch import nn\n\n"
    return heads_of_file + "\n\n".join(text for name, text in parts.items() if name in wanted)


@functools.cache
def _parts() -> dict[str, str]:
    """Return the source of everything that the modules define at their top level, by name, in order."""
    found: dict[str, str] = {}
    for module in _MODULES:
        with open(str(module.__file__), encoding="utf8") as file:
            text = file.read()
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                found[node.name] = "".join(text.splitlines(keepends=True)[first - 1 : node.end_lineno])
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found[node.targets[0].id] = ast.unparse(node) + "\n"
    return found


def _mentioned(text: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
