"""The solution's search in chunks against all products at once, and its index against FAISS's."""

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

#: At most so much of the time of one product and one topk, which need no bound on memory: in chunks, each score is written,
#: compared and looked through, and the best are put in order once for each chunk.
AGAINST_WHOLE = 1.7
#: And of the time of these operations alone, with the bound that is reached in the end instead of the best so far. Measured: 1.3
#: and 1.6; the rest puts what is found into rows.
AGAINST_BARE = 1.8

#: Frequent mistakes, for the time that a diagnosis takes: exercise and name.
MISTAKES = (
    ("in_batch_loss", "hits_are_wrong_answers"),
    ("TextTower", "mean_over_padding"),
)


#: Documents, queries, width and lists of an index, how many are looked at, and k.
INDEX = (20_000, 200, 32, 64, 8, 10)


def figures(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the ratios of both searches."""
    yield from in_chunks(solution)
    yield from with_lists(solution)


def in_chunks(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield time (processor time of one thread) and memory of chunked_top_k, each as a ratio."""
    chunked = solution.names()["chunked_top_k"]
    generator = torch.Generator().manual_seed(0)
    with measure.threads(1), torch.no_grad():
        for B, M, D, k, chunk in SHAPES:
            search = functools.partial(chunked, chunk=chunk)

            def fresh(B: int = B, M: int = M, D: int = D, k: int = k) -> tuple:
                return *(torch.randn(n, D, generator=generator) for n in (B, M)), k

            bare = functools.partial(_bare, chunk=chunk)
            for other, whose, most in (
                (references.chunked_top_k, "one product and topk", AGAINST_WHOLE),
                (bare, "its operations alone", AGAINST_BARE),
            ):
                ratio = measure.time_ratio(search, other, fresh, [most], rounds=(8, 31))
                seen = f"of {whose} (between {ratio.low:.2f} and {ratio.high:.2f})"
                yield BenchmarkResult(
                    f"chunked search: time at (B, M, D, k, chunk) = {(B, M, D, k, chunk)}", ratio.value, most, seen
                )
            peak = peak_memory(functools.partial(search, *fresh()))
            yield BenchmarkResult(f"chunked search: memory at M = {M}", peak / (4 * B * M), 0.1, "of all products")


def _bare(queries: torch.Tensor, documents: torch.Tensor, k: int, chunk: int) -> None:
    """Compute only the operations that a search in chunks needs: products, where they are large, and the best k in order."""
    D, M = queries.shape[1], len(documents)
    # Products of standard normal vectors have a standard deviation of √D; a share k/M of them is above the bound.
    bound = torch.special.ndtri(torch.tensor(1 - k / M)) * D**0.5
    best = (queries @ documents[:chunk].T).topk(k, dim=1).values
    for start in range(chunk, M, chunk):
        (queries @ documents[start : start + chunk].T > bound).nonzero()
        best.topk(k, dim=1)


def with_lists(solution: Solution) -> Iterator[BenchmarkResult]:
    """Yield the recall and the time of probe_search, each divided by that of FAISS's index with the same lists."""
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
