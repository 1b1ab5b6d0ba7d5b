"""Right versions of what 06-language-models asks for, one module for each part of the lesson."""

# part A

# part B
# part C
from autograder.lessons.language_models.reference_context import (
    BidirectionalLanguageModel,
    agreement_words,
    induction_score,
    my_gpt,
    my_learner,
    next_token_limit,
    predict_by_counts,
    scalar_mix,
)
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

__all__ = [
    "GPT",
    "BidirectionalLanguageModel",
    "CachedGPT",
    "SpyLanguageModel",
    "TransformerConfig",
    "agreement_words",
    "generate",
    "induction_score",
    "layers",
    "my_gpt",
    "my_learner",
    "next_probabilities",
    "next_token_limit",
    "next_token_loss",
    "packed",
    "perplexity_and_bits",
    "predict_by_counts",
    "sample",
    "scalar_mix",
]
