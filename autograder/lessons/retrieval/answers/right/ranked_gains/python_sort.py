"""Row by row, with Python's own sort of pairs."""


def ranked_gains(scores, gains):
    rows = []
    for s, g in zip(scores.tolist(), gains.tolist()):
        rows.append([gain for _, gain in sorted(zip([-x for x in s], g))])
    return torch.tensor(rows, dtype=gains.dtype)
