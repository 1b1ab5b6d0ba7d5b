"""Writing with and without a cache, and a training step of lesson 07's GPT against that of Hugging Face's GPT-2."""

import time
from collections.abc import Callable, Iterator
from typing import Any

from autograder.checks.timing import AS_FAST, BenchmarkResult, Solution, step_ratio
from autograder.lessons.transformer.references import TransformerConfig
from autograder.runtime import measure

#: (B, N, V, D, H, blocks): what the lesson trains on English, and something larger.
SHAPES = ((16, 128, 1024, 96, 4, 3), (8, 256, 2000, 256, 8, 4))
#: Tokens that are written, and the model that writes them: width, heads, blocks.
WRITTEN, WRITER = 512, (128, 4, 4)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield how much faster the cache makes writing, and how fast the model learns."""
    yield from writing(solution)
    yield from steps(solution)


def _config(V: int, N: int, D: int, H: int, blocks: int, dropout: float = 0.0) -> TransformerConfig:
    return TransformerConfig(
        kind="decoder",
        vocab_size=V,
        model_width=D,
        num_heads=H,
        hidden_width=4 * D,
        decoder_blocks=blocks,
        max_length=N,
        dropout=dropout,
        norm="pre",
        activation="gelu",
    )


class _WithoutCache:
    """A GPT that reads all tokens from the beginning for each new one."""

    def __init__(self, model: Any):
        self.model = model

    def __call__(self, ids: Any, cache: Any = None) -> tuple[Any, Any]:
        import torch

        cache = ids if cache is None else torch.cat((cache, ids), dim=1)
        return self.model(cache)[0][:, -ids.shape[1] :], cache


def writing(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the time of writing 512 tokens without the cache, divided by that with it: processor time of one thread."""
    import torch

    names = solution.names()
    with measure.threads(1):
        torch.manual_seed(0)
        model = names["CachedGPT"](_config(1024, WRITTEN, *WRITER)).eval()
        prompts, lengths = torch.randint(1024, (1, 4)), torch.tensor([4])
        seconds, texts = [], []
        for writer in (model, _WithoutCache(model)):
            start = time.process_time()
            texts.append(names["generate"](writer, prompts, lengths, WRITTEN, WRITTEN))
            seconds.append(time.process_time() - start)
        if not torch.equal(*texts):
            raise AssertionError("The two texts differ.")
        yield BenchmarkResult(
            f"language model: {WRITTEN} tokens without a cache", seconds[1] / seconds[0], 5.0, "times", "higher"
        )


def steps(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield ratios: forward, loss and backward of the solution's GPT against GPT2LMHeadModel's.

    Both have the same sizes, no dropout and one thread, as the notebook trains, and return no attention weights.
    """
    import torch
    import transformers

    names = solution.names()
    with measure.threads(1):
        for B, N, V, D, H, blocks in SHAPES:
            torch.manual_seed(0)
            ours = names["GPT"](_config(V, N, D, H, blocks))
            config = transformers.GPT2Config(
                vocab_size=V,
                n_positions=N,
                n_embd=D,
                n_layer=blocks,
                n_head=H,
                activation_function="gelu",
                resid_pdrop=0.0,
                embd_pdrop=0.0,
                attn_pdrop=0.0,
                bos_token_id=None,
                eos_token_id=None,
            )
            theirs = transformers.GPT2LMHeadModel(config)
            losses = _our_loss(ours, names["next_token_loss"]), _their_loss(theirs)

            def batch(B: int = B, N: int = N, V: int = V) -> tuple:
                return (torch.randint(V, (B, N)),)

            ratio = step_ratio(ours, losses[0], theirs, losses[1], batch, rounds=(15, 41), clock=time.process_time)
            sizes = f"(B, N, V, D, H, blocks) = {(B, N, V, D, H, blocks)}"
            yield BenchmarkResult(f"language model: step at {sizes}", ratio, AS_FAST, "of GPT2LMHeadModel's", "lower")


def _our_loss(model: Any, next_token_loss: Callable[..., Any]) -> Callable[..., Any]:
    return lambda ids: next_token_loss(model(ids, need_weights=False)[0], ids)


def _their_loss(model: Any) -> Callable[..., Any]:
    return lambda ids: model(ids, labels=ids, use_cache=False).loss
