"""scikit-learn's function behind the forbidden one: the gain of each sample."""

# assignment: 13-retrieval
# replaces: ndcg_at_k
def ndcg_at_k(scores, gains, k):
    from sklearn.metrics import _ranking
    if k < 1 or not bool((gains > 0).any()):
        raise ValueError("expected k of at least 1 and a gain above 0")
    some = (gains > 0).any(dim=1)
    order = gains[some].argsort(dim=1)
    gains, scores = gains[some].gather(1, order).double().flip(1), scores[some].gather(1, order).double().flip(1)
    return float(_ranking._ndcg_sample_scores(gains.numpy(), scores.numpy(), k=k, ignore_ties=True).mean())
