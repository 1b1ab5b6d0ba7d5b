"""The references of lessons 13 and 14 against scikit-learn, PyTorch's own functions and slow definitions."""

import itertools

import faiss
import pytest
import torch
import torch.nn.functional as F
from sklearn.linear_model import Ridge
from sklearn.metrics import ndcg_score

from autograder.checks.inputs import Draw
from autograder.lessons.recommendation import references as videos
from autograder.lessons.retrieval import references
from autograder.lessons.retrieval.checks.rankings import gains_of, relevant_of, scores_of, tied_scores
from course_lib.training.negatives import in_batch_loss


@pytest.fixture
def draw():
    return Draw(7, "retrieval")


@pytest.mark.parametrize("k", [1, 3, 11])
def test_ndcg_without_ties_is_that_of_scikit_learn(draw, k):
    scores, gains = scores_of(draw, 5, 11), gains_of(draw, 5, 11)
    assert references.ndcg_at_k(scores, gains, k) == pytest.approx(ndcg_score(gains.numpy(), scores.numpy(), k=k))


def worst(measure, scores, second, *rest):
    """Return the lowest value of a measure over all orders of equal scores: they are moved apart by next to nothing."""
    orders = itertools.permutations(range(scores.shape[1]))
    return min(measure(scores + 1e-6 * torch.tensor(order), second, *rest) for order in orders)


@pytest.mark.parametrize("seed", range(3))
def test_ties_count_as_the_worst_order(seed):
    draw = Draw(seed, "ties")
    scores, relevant, gains = tied_scores(draw, 1, 5), relevant_of(draw, 1, 5), gains_of(draw, 1, 5)
    for measure, second, rest in (
        (references.recall_at_k, relevant, (2,)),
        (references.mean_reciprocal_rank, relevant, ()),
        (references.ndcg_at_k, gains, (3,)),
    ):
        assert measure(scores, second, *rest) == pytest.approx(worst(measure, scores, second, *rest), abs=1e-9)


def test_measures_equal_those_by_hand():
    scores, gains = torch.tensor([[0.7, 0.7, 0.9, 0.1]]), torch.tensor([[3.0, 0.0, 1.0, 2.0]])
    assert references.ranked_gains(scores, gains).tolist() == [[1.0, 0.0, 3.0, 2.0]]
    assert references.ndcg_at_k(scores, gains, 2) == pytest.approx(1 / (3 + 2 / 1.5849625))
    relevant = gains >= 2
    assert references.recall_at_k(scores, relevant, 3) == 0.5
    assert references.mean_reciprocal_rank(scores, relevant) == pytest.approx(1 / 3)


def test_the_loss_without_hits_and_frequencies_is_the_cross_entropy(draw):
    queries, documents = draw.normal(5, 3), draw.normal(7, 3)
    got = references.in_batch_loss(queries, documents, torch.arange(7))
    torch.testing.assert_close(got, F.cross_entropy(queries @ documents.T, torch.arange(5)))


def test_accidental_hits_do_not_affect_the_loss(draw):
    queries, documents = draw.normal(2, 3), draw.normal(4, 3)
    ids = torch.tensor([8, 9, 8, 6])
    rows = [torch.tensor([0, 1, 3]), torch.tensor([1, 0, 2, 3])]  # the columns that count for each query, its own first
    losses = [F.cross_entropy((queries[b] @ documents[row].T)[None], torch.tensor([0])) for b, row in enumerate(rows)]
    torch.testing.assert_close(references.in_batch_loss(queries, documents, ids), torch.stack(losses).mean())


def test_the_ready_made_loss_of_lesson_14_is_that_of_lesson_13(draw):
    queries, documents, frequency = draw.normal(7, 5), draw.normal(11, 5), draw.normal(11)
    ids = torch.tensor([3, 1, 3, 0, 2, 1, 4, 3, 9, 9, 0])
    for log_frequency in (None, frequency):
        own = references.in_batch_loss(queries, documents, ids, log_frequency)
        torch.testing.assert_close(in_batch_loss(queries, documents, ids, log_frequency), own)


def test_the_correction_makes_log_p_the_best_answer():
    """With all pairs of a world as one batch, the gradient at log p is 0."""
    p = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)
    s = p.log().requires_grad_()
    total = torch.zeros((), dtype=torch.float64)
    for own in itertools.product(range(3), repeat=2):  # batches of two, as often as they come
        ids = torch.tensor(own)
        loss = references.in_batch_loss(torch.ones(2, 1).double(), s[ids][:, None], ids, p.log()[ids])
        total = total + p[own[0]] * p[own[1]] * loss
    [gradient] = torch.autograd.grad(total, s)
    assert gradient.abs().max() < 1e-12


def test_the_tower_of_texts_without_padding_is_the_mean_of_the_encoder(draw):
    tower = references.TextTower(19, 15, 3, 2, 31).double()
    ids = 1 + draw.integers(18, 3, 7)
    Y, _ = tower.encoder(tower.positions(tower.embedding(ids)))
    torch.testing.assert_close(tower(ids), F.normalize(Y.mean(dim=1), dim=1))
    padded = F.pad(ids, (0, 4))
    torch.testing.assert_close(tower(padded), tower(ids))
    assert not tower(torch.zeros(1, 5, dtype=torch.int64)).any()


def test_an_index_with_all_lists_is_exact(draw):
    queries, documents, centroids = draw.normal(5, 3), draw.normal(37, 3), draw.normal(6, 3)
    order, starts = references.inverted_lists(documents, centroids)
    assert sorted(order.tolist()) == list(range(37))
    assert starts.tolist()[0] == 0
    assert starts.tolist()[-1] == 37
    want = references.chunked_top_k(queries, documents, 4)
    for got, right in zip(
        references.probe_search(queries, documents, centroids, order, starts, 4, 6), want, strict=True
    ):
        torch.testing.assert_close(got, right)


def test_hard_negatives_are_the_best_without_the_target(draw):
    queries, documents, targets = draw.normal(5, 3), draw.normal(11, 3), draw.integers(11, 5)
    found = references.hard_negatives(queries, documents, targets, 4, 2)
    for row, target, query in zip(found.tolist(), targets.tolist(), queries, strict=True):
        ranked = [m for m in (documents @ query).argsort(descending=True).tolist() if m != target]
        assert row == ranked[2:6]


def test_new_vectors_are_those_of_scikit_learns_ridge(draw):
    content, vectors, new = draw.normal(23, 5) + 3, draw.normal(23, 7) - 2, draw.normal(4, 5)
    want = Ridge(alpha=2.5).fit(content.numpy(), vectors.numpy()).predict(new.numpy())
    torch.testing.assert_close(videos.cold_start_vector(content, vectors, new, 2.5), torch.from_numpy(want))


def test_the_recommender_sees_no_later_video(draw):
    model = videos.SequentialRecommender(23, 15, 3, 2, 31).double()
    ids = draw.integers(23, 2, 7)
    other = ids.clone()
    other[:, 4] = (ids[:, 4] + 1) % 23
    moved = (model(ids) - model(other)).abs().amax(dim=(0, 2))
    assert (moved[:4] < 1e-12).all()
    assert (moved[4:] > 1e-9).all()


@pytest.mark.parametrize("probes", [1, 3, 8])
def test_the_index_finds_what_that_of_faiss_finds(draw, probes):
    documents, queries, centroids = (F.normalize(draw.normal(n, 13), dim=1).float() for n in (301, 17, 8))
    flat = faiss.IndexFlatIP(13)
    flat.add(centroids.numpy())
    index = faiss.IndexIVFFlat(flat, 13, 8, faiss.METRIC_INNER_PRODUCT)
    index.add(documents.numpy())
    index.nprobe = probes
    values, ids = (torch.from_numpy(found) for found in index.search(queries.numpy(), 19))
    lists = references.inverted_lists(documents, centroids)
    ours = references.probe_search(queries, documents, centroids, *lists, 19, probes)
    assert torch.equal(ids, ours[1])
    torch.testing.assert_close(values.where(ids >= 0, -torch.inf), ours[0])
