"""Reading with lesson 10's encoder in MiniLM's sizes, against Hugging Face's with the same weights."""

import time
from collections.abc import Iterator

import torch

from autograder.checks.timing import BenchmarkResult, Solution
from autograder.runtime import measure

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (("PretrainedEncoder", "eps_forgotten"), ("mean_pooling", "padding_averaged_in"))

#: How much of BertModel's time reading may take: 1.00 to 1.05 were measured. Products take four fifths of both; what the course's
#: encoder does more is to set the outputs of rows without any key to 0.
READ = 1.1


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the time for 32 sentences as a ratio, in processor time of one thread.

    They have 32 tokens, or 8 to 32 and are filled up. Time does not depend on the weights, which are random.
    Raises AssertionError if the results differ by more than 1e-4.
    """
    import transformers

    torch.manual_seed(0)
    config = transformers.BertConfig(
        hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )
    theirs = transformers.BertModel(config, add_pooling_layer=False).eval()
    ours = solution.names()["PretrainedEncoder"](theirs.state_dict(), config.to_dict()).eval()
    everything, ragged = torch.full((32,), 32), torch.arange(32) % 25 + 8

    def read(ids: torch.Tensor) -> torch.Tensor:
        return ours(ids, need_weights=False)[0]

    def read_by_bert(ids: torch.Tensor) -> torch.Tensor:
        return theirs(ids, attention_mask=(ids != 0).long()).last_hidden_state

    with measure.threads(1), torch.no_grad():
        for name, lengths in (("of 32 tokens", everything), ("of 8 to 32 tokens", ragged)):
            real = torch.arange(32) < lengths[:, None]
            ids = torch.randint(1000, 30000, (32, 32)) * real

            def fresh(ids: torch.Tensor = ids) -> tuple:
                return (ids,)

            torch.testing.assert_close(read(ids)[real], read_by_bert(ids)[real], rtol=0, atol=1e-4)
            ratio = measure.time_ratio(read, read_by_bert, fresh, [READ], rounds=(8, 31), clock=time.process_time)
            sentences = f"32 sentences {name}"
            yield BenchmarkResult(f"reading with MiniLM's sizes: {sentences}", ratio.value, READ, "of BertModel's")
