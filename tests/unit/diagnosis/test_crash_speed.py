"""An answer that raises is checked about as fast as one that returns: no slow set-up, and no search repeated in every row."""

import torch
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.diagnosis import search
from autograder.diagnosis.search import Recording
from autograder.verdict.runner import run_checks

LESSON = LESSONS.of("03-transformer-blocks")
BLOCK = """
class EncoderBlock(nn.Module):
    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm not in ("pre", "post"):
            raise ValueError(norm)
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1, self.norm_2 = LayerNorm(model_width), LayerNorm(model_width)

    def forward(self, X, allowed=None):
        Y, A = self.attention(X, X, X, allowed=allowed)
        return self.norm_3(X + Y), A
"""


def _report():
    names = namespace(LESSON)
    exec(BLOCK, names)
    return run_checks("EncoderBlock", NotebookStudent(names, LESSON), 5)


def test_slow_set_up_of_autograd_only_for_changes_in_place(monkeypatch):
    entered, slow = [], torch.autograd.graph.allow_mutation_on_saved_tensors

    def counted():  # it imports the compiler of PyTorch, which takes seconds
        entered.append(True)
        return slow()

    monkeypatch.setattr(torch.autograd.graph, "allow_mutation_on_saved_tensors", counted)
    report = _report()
    assert report.named == ["an attribute that does not exist"]
    assert not entered


def test_searches_once_for_one_error_in_many_rows(monkeypatch):
    tried, recorded = [], []
    reproduces, variants = search.reproduces, Recording.shape_variants

    def counted(candidate, exchange, received):
        tried.append(exchange)
        return reproduces(candidate, exchange, received)

    def noted(self, *arguments):
        recorded.append(arguments)
        return variants(self, *arguments)

    monkeypatch.setattr(search, "reproduces", counted)
    monkeypatch.setattr(Recording, "shape_variants", noted)
    report = _report()
    assert sum(result.failure is not None for result in report.results) > 3
    assert len({id(exchange) for exchange in tried}) <= 2  # the error of forward, and that of the parameters
    assert not recorded  # no known answer raises this error, so none has to be confirmed
