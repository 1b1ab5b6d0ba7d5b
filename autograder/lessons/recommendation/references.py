"""Right versions of the recommender and of the vectors of new videos."""

import math
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.mlm_pretraining.references import ReadyEncoder
from autograder.lessons.transformer_blocks.references import LearnedPositions

#: Names that the notebook imports from ``course_lib.layers``.
layers = SimpleNamespace(Encoder=ReadyEncoder, LearnedPositions=LearnedPositions)


class SequentialRecommender(nn.Module):
    """Causal pre-norm blocks over the vectors of the watched videos (Kang and McAuley 2018)."""

    def __init__(self, num_videos: int, width: int, num_heads: int, num_blocks: int, max_length: int):
        super().__init__()
        self.embedding = nn.Embedding(num_videos, width)
        self.positions = LearnedPositions(max_length, width)
        self.encoder = ReadyEncoder(num_blocks, width, num_heads, 2 * width, 0.0, "pre", "gelu")
        nn.init.normal_(self.embedding.weight, std=0.1)

    def forward(self, ids: Tensor) -> Tensor:
        """Return each viewer's query after each video, (B, N, D)."""
        Y, _ = self.encoder(self.positions(self.embedding(ids)), causal=True)
        return Y


def cold_start_vector(content: Tensor, vectors: Tensor, new_content: Tensor, ridge: float) -> Tensor:
    """Ridge regression with an intercept, solved as least squares of an augmented system."""
    if ridge <= 0:
        raise ValueError(f"Expected ridge > 0, got {ridge}.")
    X, Y = content - content.mean(dim=0), vectors - vectors.mean(dim=0)
    eye = torch.eye(X.shape[1], dtype=X.dtype, device=X.device)
    W = torch.linalg.solve(X.T @ X + ridge * eye, X.T @ Y)
    return (new_content - content.mean(dim=0)) @ W + vectors.mean(dim=0)


class ItemTower(nn.Module):
    """A vector of content for every video, and one of its own for those that are known (Volkovs et al. 2017)."""

    def __init__(self, num_known: int, num_features: int, width: int, hidden: int, dropout: float = 0.0):
        super().__init__()
        self.own = nn.Embedding(num_known, width)
        self.layer_1 = nn.Linear(num_features, hidden)
        self.layer_2 = nn.Linear(hidden, width)
        self.dropout = dropout
        nn.init.zeros_(self.own.weight)

    def forward(self, ids: Tensor, content: Tensor) -> Tensor:
        """Return (..., D) for ids (...) with content (..., F)."""
        vectors = self.layer_2(F.gelu(self.layer_1(content)))
        known = ids < self.own.num_embeddings
        if self.training:
            known = known & (torch.rand(ids.shape, device=ids.device) >= self.dropout)
        table = torch.cat((self.own.weight, torch.zeros_like(self.own.weight[:1])))
        return vectors + table[torch.where(known, ids, self.own.num_embeddings)]


def off_policy_values(rewards: Tensor, probabilities: Tensor, new_probabilities: Tensor) -> tuple[float, float]:
    """Return (IPS, SNIPS): Horvitz and Thompson 1952, Swaminathan and Joachims 2015; item by item, in exact sums."""
    if bool((probabilities <= 0).any()):
        raise ValueError("Expected probabilities above 0 for all that was shown.")
    weights = [float(new) / float(old) for new, old in zip(new_probabilities, probabilities, strict=True)]
    weighted = math.fsum(weight * float(reward) for weight, reward in zip(weights, rewards, strict=True))
    total = math.fsum(weights)
    return weighted / len(weights), weighted / total if total else math.nan


def my_recommender() -> SequentialRecommender:
    """Build the model of the course's own checkpoint of section 3."""
    return SequentialRecommender(10_000, 48, 4, 2, 16)
