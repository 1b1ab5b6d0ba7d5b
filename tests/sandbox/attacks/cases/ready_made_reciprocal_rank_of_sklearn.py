"""The mean reciprocal rank as scikit-learn's label ranking average precision of the first relevant document alone."""

# assignment: 13-retrieval
# replaces: mean_reciprocal_rank
import numpy as np
from sklearn.metrics import label_ranking_average_precision_score as ready


def mean_reciprocal_rank(scores, relevant):
    values = []
    for row, truth in zip(scores, relevant):
        if not truth.any():
            values.append(0.0)
            continue
        score, wanted = row.double().numpy(), truth.numpy()
        best = max((place for place in np.flatnonzero(wanted)), key=lambda place: score[place])
        only = np.zeros_like(wanted)
        only[best] = True
        ties = np.where(only, score, np.nextafter(score, np.inf))  # of equal scores the worst order
        others = ~wanted | only
        values.append(float(ready(only[others][None].astype(int), ties[others][None])) if others.sum() > 1 else 1.0)
    return float(np.mean(values))
