"""A training step and a written token of lesson 15's decoder against those of Hugging Face's Llama with the same weights."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from autograder.checks.timing import BenchmarkResult, Solution, step_ratio
from autograder.runtime import measure

#: (B, N, V, D, heads, groups, hidden width, blocks): something small, and something larger.
SHAPES = ((16, 64, 512, 96, 6, 2, 256, 3), (8, 128, 2000, 256, 8, 4, 688, 4))
#: At most so much of the time of LlamaForCausalLM. It computes the angles of the positions once for all blocks, and attention
#: in one fused kernel without weights (with that kernel, the solution's step takes 1.08). The exercises, each of which is checked
#: alone, do neither.
STEP, TOKEN = 1.4, 1.25
#: The model that writes: SmolLM2-135M's width and heads, with fewer blocks and words. And how much it reads and writes.
WRITER, PROMPT, WRITTEN = (4000, 576, 9, 3, 1536, 8), 32, 96

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (
    ("GroupedQueryAttention", "mask_without_the_cache"),
    ("LatentAttention", "cache_ignored"),
    ("ModernBlock", "positions_from_zero"),
    ("ModernDecoder", "values_too"),
)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield how fast the decoder learns, and how fast it writes."""
    yield from steps(solution)
    yield from writing(solution)


def _pair(names: dict[str, Any], V: int, D: int, heads: int, groups: int, hidden: int, blocks: int) -> tuple[Any, Any]:
    """Return the solution's ModernDecoder and Hugging Face's LlamaForCausalLM, with the same weights.

    Raises AssertionError if their logits differ by more than 1e-4.
    """
    import torch
    import transformers

    torch.manual_seed(0)
    config: dict[str, Any] = {
        "vocab_size": V,
        "hidden_size": D,
        "num_attention_heads": heads,
        "num_key_value_heads": groups,
        "intermediate_size": hidden,
        "num_hidden_layers": blocks,
        "rms_norm_eps": 1e-5,
    }
    theirs = transformers.LlamaForCausalLM(transformers.LlamaConfig(**config, tie_word_embeddings=True))
    ours = names["ModernDecoder"](theirs.state_dict(), config | {"rope_theta": 10000.0})
    ids = torch.randint(V, (2, 17))
    with torch.no_grad():
        torch.testing.assert_close(ours(ids)[0], theirs.eval()(input_ids=ids).logits, rtol=0, atol=1e-4)
    return ours, theirs


def steps(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the time of a step (forward, loss, backward) against that of LlamaForCausalLM, in processor time of one thread."""
    import torch

    names = solution.names()
    with measure.threads(1):
        for B, N, V, *sizes in SHAPES:
            ours, theirs = _pair(names, V, *sizes)

            def batch(B: int = B, N: int = N, V: int = V) -> tuple:
                return (torch.randint(V, (B, N)),)

            losses = _our_loss(ours), _their_loss(theirs)
            ratio = step_ratio(ours, losses[0], theirs, losses[1], batch, STEP, (15, 41), time.process_time)
            name = f"modern decoder: step at (B, N, V, D, heads, groups, hidden, blocks) = {(B, N, V, *sizes)}"
            yield BenchmarkResult(name, ratio, STEP, "of LlamaForCausalLM's")


def _our_loss(model: Any) -> Callable[..., Any]:
    from torch.nn import functional

    return lambda ids: functional.cross_entropy(model(ids)[0][:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def _their_loss(model: Any) -> Callable[..., Any]:
    return lambda ids: model(input_ids=ids, labels=ids, use_cache=False).loss


def writing(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the time of greedy decoding with a cache against LlamaForCausalLM's, in processor time of one thread.

    Raises AssertionError if the two do not write the same tokens.
    """
    import torch

    with measure.threads(1), torch.no_grad():
        ours, theirs = _pair(solution.names(), *WRITER)
        theirs.eval()

        def prompt() -> tuple:
            return (torch.randint(WRITER[0], (1, PROMPT)),)

        def write(step: Callable[[Any, Any], tuple[Any, Any]], ids: Any) -> list[int]:
            cache, tokens = None, []
            for _ in range(WRITTEN):
                logits, cache = step(ids, cache)
                ids = logits[:, -1:].argmax(dim=-1)
                tokens.append(int(ids))
            return tokens

        def their_step(ids: Any, cache: Any) -> tuple[Any, Any]:
            output = theirs(input_ids=ids, past_key_values=cache, use_cache=True, logits_to_keep=1)
            return output.logits, output.past_key_values

        one = prompt()
        if write(ours, *one) != write(their_step, *one):
            raise AssertionError("The two decoders do not write the same tokens.")
        ratio = measure.time_ratio(
            lambda ids: write(ours, ids),
            lambda ids: write(their_step, ids),
            prompt,
            [TOKEN],
            rounds=(5, 15),
            clock=time.process_time,
        )
        name = f"modern decoder: {WRITTEN} tokens with a cache, D = {WRITER[1]}, {WRITER[-1]} blocks"
        yield BenchmarkResult(name, ratio.value, TOKEN, "of LlamaForCausalLM's")
