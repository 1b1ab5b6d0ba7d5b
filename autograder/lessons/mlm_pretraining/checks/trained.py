"""The submitted language model: the course's model with the submitted weights."""

import functools

from torch import Tensor, nn

from autograder.checks import Student, expect, modules
from autograder.checks import weights as checkpoint
from autograder.lessons.mlm_pretraining import references
from autograder.lessons.mlm_pretraining.references import PAD

NAME = "my_language_model"
FILE = "language_model.safetensors"
LONGEST = 19  # tokens of a framed sentence


def loaded(student: Student, inputs: Tensor, file: str = FILE) -> nn.Module:
    """Return the course's model with the weights in ``file``. Fail unless it computes what the student's model computes.

    Both are compared on ``inputs``, a few sentences. The language is public, so a student's ``forward`` could answer with its
    exact probabilities; the course's model has only the weights.
    """
    module = checkpoint.load(student, NAME, file)
    logits = expect.tensor(module(inputs), "logits")
    expect.shape(logits, (*inputs.shape, vocabulary()), "logits", "(B, N, V)", f"ids {tuple(inputs.shape)}")
    real = inputs != PAD
    checkpoint.are_numbers(logits[real])
    return OWN.like(module, {"logits": logits[real]}, lambda model: {"logits": model(inputs)[real]})


def _candidates(weights):
    """Return how to make a masked language model with the sizes of these weights, for every number of heads."""
    V, D = modules.sizes(weights, "encoder.embeddings.tokens.weight", 2)
    places, _ = modules.sizes(weights, "encoder.embeddings.positions.weight", 2)
    blocks = modules.count(weights, "encoder.blocks.blocks.{}.norm_1.gamma")
    if vocabulary() != V or places < LONGEST:
        raise modules.OtherModel(f"{V} tokens, {places} places")
    return [
        functools.partial(references.MaskedLanguageModel, V, D, heads, blocks, places)
        for heads in modules.possible_heads(D)
    ]


OWN = modules.OwnModel(NAME, "a MaskedLanguageModel", _candidates)


def vocabulary() -> int:
    """Return how many tokens the small language has, the special ones included."""
    from course_lib.data import agreement_words

    return len(agreement_words())
