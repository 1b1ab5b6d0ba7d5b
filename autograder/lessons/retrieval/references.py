"""Right versions of the exercises of 13-retrieval, one module for each part of the lesson."""

from autograder.lessons.retrieval.reference_blocks import dequantise
from autograder.lessons.retrieval.reference_measures import (
    mean_reciprocal_rank,
    ndcg_at_k,
    ranked_gains,
    recall_at_k,
)
from autograder.lessons.retrieval.reference_search import (
    LONGEST_TEXT,
    PAD,
    TextTower,
    TwoTower,
    chunked_top_k,
    english_vocabulary,
    french_vocabulary,
    hard_negatives,
    in_batch_loss,
    inverted_lists,
    layers,
    my_search,
    probe_search,
)

__all__ = [
    "LONGEST_TEXT",
    "PAD",
    "TextTower",
    "TwoTower",
    "chunked_top_k",
    "dequantise",
    "english_vocabulary",
    "french_vocabulary",
    "hard_negatives",
    "in_batch_loss",
    "inverted_lists",
    "layers",
    "mean_reciprocal_rank",
    "my_search",
    "ndcg_at_k",
    "probe_search",
    "ranked_gains",
    "recall_at_k",
]
