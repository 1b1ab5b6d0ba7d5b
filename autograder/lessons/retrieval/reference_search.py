"""Right versions of the text tower, its loss, hard negatives and the search among many vectors."""

from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.mlm_pretraining.references import ReadyEncoder
from autograder.lessons.transformer_blocks.references import LearnedPositions
from course_lib.data import PAD, english_vocabulary, french_vocabulary

LONGEST_TEXT = 40


class TextTower(nn.Module):
    """Word and position vectors, pre-norm blocks, the mean over the real tokens, length 1."""

    def __init__(self, vocab_size: int, width: int, num_heads: int, num_blocks: int, max_length: int):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.positions = LearnedPositions(max_length, width)
        self.encoder = ReadyEncoder(num_blocks, width, num_heads, 2 * width, 0.0, "pre", "gelu")
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, ids: Tensor) -> Tensor:
        """Return a vector of length 1 for each text, (B, D); zeros for one without a token."""
        real = ids != PAD
        Y, _ = self.encoder(self.positions(self.embedding(ids)), real[:, None, None])
        total = Y.masked_fill(~real[..., None], 0.0).sum(dim=1)
        return F.normalize(total / real.sum(dim=1, keepdim=True).clamp(min=1), dim=-1)


class TwoTower(nn.Module):
    """A tower for queries and one for documents (the notebook has the same)."""

    def __init__(
        self, query_words: int, document_words: int, width: int, num_heads: int, num_blocks: int, max_length: int
    ):
        super().__init__()
        self.queries = TextTower(query_words, width, num_heads, num_blocks, max_length)
        self.documents = TextTower(document_words, width, num_heads, num_blocks, max_length)

    def forward(self, queries: Tensor, documents: Tensor) -> tuple[Tensor, Tensor]:
        """Return the vectors of the queries and of the documents."""
        return self.queries(queries), self.documents(documents)


def in_batch_loss(queries: Tensor, documents: Tensor, ids: Tensor, log_frequency: Tensor | None = None) -> Tensor:
    """Cross-entropy of each query's own column among all that are not the same document, corrected for its frequency."""
    logits = queries @ documents.T
    if log_frequency is not None:
        logits = logits - log_frequency
    rows = torch.arange(len(queries), device=queries.device)
    own = rows[:, None] == torch.arange(len(documents), device=queries.device)
    hit = (ids[: len(queries), None] == ids) & ~own
    logits = logits.masked_fill(hit, -torch.inf)
    return (logits.logsumexp(dim=1) - logits[rows, rows]).mean()


def hard_negatives(queries: Tensor, documents: Tensor, targets: Tensor, k: int, skip: int = 0) -> Tensor:
    """Return the k best wrong documents of each query, after skipping the best `skip`."""
    if k < 1 or skip < 0 or k + skip >= len(documents):
        raise ValueError(f"Expected 1 ≤ k, 0 ≤ skip and k + skip < {len(documents)} documents, got {k} and {skip}.")
    scores = (queries @ documents.T).scatter(1, targets[:, None], -torch.inf)
    return scores.argsort(dim=1, descending=True)[:, skip : skip + k]


def chunked_top_k(queries: Tensor, documents: Tensor, k: int, chunk: int = 4096) -> tuple[Tensor, Tensor]:
    """Return the k largest products of each query, from all at once. Memory and time of chunked versions are compared with it."""
    if not 1 <= k <= len(documents) or chunk < 1:
        raise ValueError(f"Expected 1 ≤ k ≤ {len(documents)} and chunk ≥ 1, got {k} and {chunk}.")
    found = torch.topk(queries @ documents.T, k, dim=1)
    return found.values, found.indices


def inverted_lists(documents: Tensor, centroids: Tensor) -> tuple[Tensor, Tensor]:
    """The documents in the order of their nearest centroids, and where the list of each centroid begins and ends."""
    nearest = (documents @ centroids.T).argmax(dim=1)
    counts = torch.bincount(nearest, minlength=len(centroids))
    return nearest.argsort(stable=True), F.pad(counts.cumsum(0), (1, 0))


def probe_search(
    queries: Tensor,
    documents: Tensor,
    centroids: Tensor,
    order: Tensor,
    starts: Tensor,
    k: int,
    probes: int,
) -> tuple[Tensor, Tensor]:
    """The k best of the documents in the lists of the query's nearest centroids; −inf and −1 where there are fewer."""
    if k < 1 or not 1 <= probes <= len(centroids):
        raise ValueError(f"Expected k ≥ 1 and 1 ≤ probes ≤ {len(centroids)}, got {k} and {probes}.")
    values = queries.new_full((len(queries), k), -torch.inf)
    ids = torch.full((len(queries), k), -1, device=queries.device)
    lists = torch.topk(queries @ centroids.T, probes, dim=1).indices.tolist()
    for row, (query, near) in enumerate(zip(queries, lists, strict=True)):
        some = torch.cat([order[starts[c] : starts[c + 1]] for c in near])
        best = torch.topk(documents[some] @ query, min(k, len(some)))
        values[row, : len(best.values)] = best.values
        ids[row, : len(best.values)] = some[best.indices]
    return values, ids


def my_search() -> TwoTower:
    """Build the model of the course's own checkpoint of section 2."""
    return TwoTower(len(french_vocabulary()), len(english_vocabulary()), 48, 4, 2, LONGEST_TEXT)


#: Names that the notebook imports from ``course_lib.layers``.
layers = SimpleNamespace(Encoder=ReadyEncoder, LearnedPositions=LearnedPositions)
