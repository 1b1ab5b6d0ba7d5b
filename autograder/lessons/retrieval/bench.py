"""The solution's search in chunks against all products at once, its index against FAISS's, and the encoder of section 4."""

import functools
import time
from collections.abc import Iterator

import torch

from autograder.checks.timing import BenchmarkResult, Solution
from autograder.lessons.retrieval import references
from autograder.runtime import measure
from course_lib.devices import peak_memory

#: Queries, documents, width, k, and the chunk, which with the best so far has to be below a tenth of all products.
SHAPES = ((64, 100_000, 32, 10, 4096), (256, 50_000, 64, 100, 1024))

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (
    ("in_batch_loss", "hits_are_wrong_answers"),
    ("TextTower", "mean_over_padding"),
)


#: Documents, queries, width and lists of an index, how many are looked at, and k.
INDEX = (20_000, 200, 32, 64, 8, 10)

#: How much of BertModel's time reading may take: 1.00 to 1.05 were measured.
READ = 1.1


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the ratios of both searches, and of reading with an encoder that others trained."""
    yield from in_chunks(solution)
    yield from with_lists(solution)
    yield from reading()


def in_chunks(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield time (processor time of one thread) and memory of chunked_top_k, each as a ratio."""
    chunked = solution.names()["chunked_top_k"]
    generator = torch.Generator().manual_seed(0)
    with measure.threads(1), torch.no_grad():
        for B, M, D, k, chunk in SHAPES:
            search = functools.partial(chunked, chunk=chunk)

            def fresh(B: int = B, M: int = M, D: int = D, k: int = k) -> tuple:
                return *(torch.randn(n, D, generator=generator) for n in (B, M)), k

            ratio = measure.time_ratio(search, references.chunked_top_k, fresh, [1.1], rounds=(8, 31))
            seen = f"of one product and topk (between {ratio.low:.2f} and {ratio.high:.2f})"
            yield BenchmarkResult(
                f"chunked search: time at (B, M, D, k, chunk) = {(B, M, D, k, chunk)}", ratio.value, 1.1, seen
            )
            peak = peak_memory(functools.partial(search, *fresh()))
            yield BenchmarkResult(f"chunked search: memory at M = {M}", peak / (4 * B * M), 0.1, "of all products")


def with_lists(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield how much probe_search finds of what FAISS's index with the same lists finds, and in how many times its time."""
    import faiss

    names, (M, B, D, lists, probes, k) = solution.names(), INDEX
    generator = torch.Generator().manual_seed(0)
    made = (torch.nn.functional.normalize(torch.randn(n, D, generator=generator), dim=1) for n in (M, B, lists))
    documents, queries, centroids = made
    order, starts = names["inverted_lists"](documents, centroids)
    flat = faiss.IndexFlatIP(D)
    flat.add(centroids.numpy())
    index = faiss.IndexIVFFlat(flat, D, lists, faiss.METRIC_INNER_PRODUCT)
    index.add(documents.numpy())
    index.nprobe = probes
    faiss.omp_set_num_threads(1)

    def ours() -> torch.Tensor:
        return names["probe_search"](queries, documents, centroids, order, starts, k, probes)[1]

    def theirs() -> torch.Tensor:
        return torch.from_numpy(index.search(queries.numpy(), k)[1])

    with measure.threads(1):
        ratio = measure.time_ratio(ours, theirs, tuple, [30.0], rounds=(8, 31), clock=time.process_time)
    yield BenchmarkResult(
        "index: found of what FAISS finds", (ours() == theirs()).float().mean().item(), 0.999, "", "higher"
    )
    yield BenchmarkResult("index: a Python loop's time", ratio.value, 30.0, "of FAISS's")


def reading() -> Iterator[BenchmarkResult]:
    """Yield the time of BERT in MiniLM's sizes against Hugging Face's with the same weights, in processor time of one thread.

    The sentences have 32 tokens, or 8 to 32 and are filled up. Time does not depend on the weights, which are random. Products
    take four fifths of both; what ours does more is to set the outputs of rows without any key to 0.
    """
    import transformers

    from course_lib.layers import LayerNorm, TransformerConfig, make_model

    torch.manual_seed(0)
    sizes = TransformerConfig(
        kind="encoder",
        vocab_size=30522,
        model_width=384,
        num_heads=12,
        hidden_width=1536,
        encoder_blocks=6,
        max_length=512,
        segments=2,
        activation="gelu",
    )
    ours = make_model(sizes).eval()
    config = transformers.BertConfig(
        hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
    )
    theirs = transformers.BertModel(config, add_pooling_layer=False).eval()
    ours.load_state_dict(_named_as_ours(theirs.state_dict()))
    for part in ours.modules():
        if isinstance(part, LayerNorm):
            part.eps = config.layer_norm_eps
    everything, ragged = torch.full((32,), 32), torch.arange(32) % 25 + 8
    with measure.threads(1), torch.no_grad():
        for name, lengths in (("of 32 tokens", everything), ("of 8 to 32 tokens", ragged)):
            ids, real = torch.randint(1000, 30000, (32, 32)), torch.arange(32) < lengths[:, None]

            def fresh(ids: torch.Tensor = ids) -> tuple:
                return (ids,)

            def read(ids: torch.Tensor, lengths: torch.Tensor = lengths) -> torch.Tensor:
                return ours(ids, lengths=lengths, need_weights=False)[0]

            def read_by_bert(ids: torch.Tensor, real: torch.Tensor = real) -> torch.Tensor:
                return theirs(ids, attention_mask=real.long()).last_hidden_state

            torch.testing.assert_close(read(ids)[real], read_by_bert(ids)[real], rtol=0, atol=1e-4)
            ratio = measure.time_ratio(read, read_by_bert, fresh, [READ], rounds=(8, 31), clock=time.process_time)
            sentences = f"32 sentences {name}"
            yield BenchmarkResult(f"reading with MiniLM's sizes: {sentences}", ratio.value, READ, "of BertModel's")


def _named_as_ours(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Return BERT's weights under the names of `course_lib.layers`."""
    maps = {
        "attention.self.query": "attention.W_Q",
        "attention.self.key": "attention.W_K",
        "attention.self.value": "attention.W_V",
    }
    maps |= {"attention.output.dense": "attention.W_O", "intermediate.dense": "feed_forward.W_1"}
    norms = {"attention.output.LayerNorm": "norm_1", "output.LayerNorm": "norm_2"}
    found = {
        "embedding.weight": state["embeddings.word_embeddings.weight"],
        "segments.weight": state["embeddings.token_type_embeddings.weight"],
        "positions.table": state["embeddings.position_embeddings.weight"],
    }
    renamed = {"weight": "gamma", "bias": "beta"}
    for kind, ours in renamed.items():
        found[f"norm.{ours}"] = state[f"embeddings.LayerNorm.{kind}"]
    for number in range(6):
        block, layer = f"encoder.blocks.{number}", f"encoder.layer.{number}"
        for kind, ours in renamed.items():
            found |= {f"{block}.{to}.{kind}": state[f"{layer}.{name}.{kind}"] for name, to in maps.items()}
            found[f"{block}.feed_forward.W_2.{kind}"] = state[f"{layer}.output.dense.{kind}"]
            found |= {f"{block}.{to}.{ours}": state[f"{layer}.{name}.{kind}"] for name, to in norms.items()}
    return found
