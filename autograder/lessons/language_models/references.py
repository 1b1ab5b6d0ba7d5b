"""Right versions of what 06-language-models asks for, one module for each part of the lesson."""

# part A

# part B
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

# part C

__all__ = [
    "GPT",
    "CachedGPT",
    "SpyLanguageModel",
    "TransformerConfig",
    "generate",
    "layers",
    "next_probabilities",
    "next_token_loss",
    "packed",
    "perplexity_and_bits",
    "sample",
]
