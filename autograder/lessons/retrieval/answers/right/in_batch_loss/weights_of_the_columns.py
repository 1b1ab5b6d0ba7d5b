"""log softmax, and where the hits stand minus infinity is added."""


def in_batch_loss(queries, documents, ids, log_frequency=None):
    B, M = len(queries), len(documents)
    scores = torch.einsum("bd,md->bm", queries, documents) - (0 if log_frequency is None else log_frequency[None])
    same = ids[:B].unsqueeze(1).eq(ids.unsqueeze(0)) & ~torch.eye(B, M, dtype=torch.bool, device=ids.device)
    penalty = torch.zeros_like(scores).masked_fill_(same, float("-inf"))
    return -torch.log_softmax(scores + penalty, dim=1).diagonal().mean()
