"""A training step of lesson 07's masked language model against that of Hugging Face's, and what the lesson's training reaches."""

from collections.abc import Callable, Iterator
from typing import Any

from autograder import measure, notebooks
from autograder.bench_steps import step_ratio
from autograder.course import find_course
from autograder.retrain import retrain

LESSON = "07-mlm-pretraining"
#: (B, N, vocabulary, D, H, blocks): what the lesson trains, and something larger.
SHAPES = ((64, 19, 75, 64, 4, 2), (16, 128, 2000, 256, 8, 4))
#: What the cells that are run here contain.
CELLS = ("held_out = framed(", "def draw_batch")
SEED = "SEED, BATCH = 0,"


def steps() -> Iterator[tuple[str, float, float, str]]:
    """Yield (name, ratio, target, unit): forward, loss and backward of the solution's model against BertForMaskedLM's.

    Both have the same sizes, the same dropout and as many threads, and compute the logits of all places.
    """
    import torch
    import transformers

    names = notebooks.run(find_course().solution_notebook(LESSON)).namespace
    with measure.threads(2):
        for B, N, V, D, H, blocks in SHAPES:
            torch.manual_seed(0)
            ours = names["MaskedLanguageModel"](V, D, H, blocks, N, dropout=0.1)
            config = transformers.BertConfig(
                vocab_size=V, hidden_size=D, num_hidden_layers=blocks, num_attention_heads=H, intermediate_size=4 * D,
                max_position_embeddings=N, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1,
            )  # fmt: skip
            theirs = transformers.BertForMaskedLM(config)
            our_loss = _our_loss(ours, names["mlm_loss"])
            ratio = step_ratio(ours, our_loss, theirs, _their_loss(theirs), _maker(B, N, V))
            sizes = f"(B, N, V, D, H, blocks) = {(B, N, V, D, H, blocks)}"
            yield f"masked language model: step at {sizes}", ratio, 1.0, "of BertForMaskedLM's"


def _our_loss(model: Any, mlm_loss: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    return lambda inputs, labels: mlm_loss(model(inputs), labels)


def _their_loss(model: Any) -> Callable[[Any, Any], Any]:
    return lambda inputs, labels: model(input_ids=inputs, attention_mask=(inputs != 0).long(), labels=labels).loss


def _maker(B: int, N: int, V: int) -> Callable[[], tuple[Any, Any]]:
    """Return a function that makes a batch: a quarter of the rows is half as long as the others."""
    import torch

    from autograder import references

    generator = torch.Generator().manual_seed(0)

    def make() -> tuple[Any, Any]:
        ids = torch.randint(references.ORDINARY, V, (B, N), generator=generator)
        ids[::4, N // 2 :] = references.PAD
        return references.mask_tokens(ids, V, generator)

    return make


def pretraining(seed: int = 0) -> Iterator[tuple[str, float, float, str]]:
    """Yield (name, value, target, unit) for the language model that the notebook trains from this seed."""
    from course_lib.data import MASK, ORDINARY, Masking, agreement_words

    V = len(agreement_words())
    names = retrain(LESSON, CELLS, SEED, seed, {"V": V, "masking": Masking(V, MASK, ORDINARY)})
    yield "pretraining: minutes", names["history"].seconds / 60, 3.0, "min"
    yield "pretraining: loss above the limit", names["history"].validation[-1] - names["limit"], 0.05, "nats"
