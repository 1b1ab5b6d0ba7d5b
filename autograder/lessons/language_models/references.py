"""Right versions of the exercises of 07-language-models, one module for each part of the lesson."""

from autograder.lessons.language_models.reference_model import (
    GPT,
    CachedGPT,
    SpyLanguageModel,
    TransformerConfig,
    generate,
    layers,
    next_probabilities,
    next_token_loss,
    packed,
    perplexity_and_bits,
    sample,
)
from autograder.lessons.language_models.reference_tokens import (
    BYTES,
    bpe_decode,
    bpe_encode,
    count_pairs,
    merge_pair,
    train_bpe,
    train_bpe_fast,
)

__all__ = [
    "BYTES",
    "GPT",
    "CachedGPT",
    "SpyLanguageModel",
    "TransformerConfig",
    "bpe_decode",
    "bpe_encode",
    "count_pairs",
    "generate",
    "layers",
    "merge_pair",
    "next_probabilities",
    "next_token_loss",
    "packed",
    "perplexity_and_bits",
    "sample",
    "train_bpe",
    "train_bpe_fast",
]
