"""Row by row, with the columns that count chosen."""


def in_batch_loss(queries, documents, ids, log_frequency=None):
    losses = []
    for b in range(len(queries)):
        scores = documents @ queries[b]
        if log_frequency is not None:
            scores = scores - log_frequency
        others = scores[ids != ids[b]]
        losses.append(torch.logsumexp(torch.cat((scores[b:b + 1], others)), dim=0) - scores[b])
    return sum(losses) / len(losses)
