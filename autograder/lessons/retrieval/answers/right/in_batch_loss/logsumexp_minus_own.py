"""logsumexp over the columns minus the own product."""


def in_batch_loss(queries, documents, ids, log_frequency=None):
    own_product = (queries * documents[:len(queries)]).sum(dim=1)
    scores = queries.matmul(documents.t())
    if log_frequency is not None:
        own_product = own_product - log_frequency[:len(queries)]
        scores = scores - log_frequency.unsqueeze(0)
    differs = ids[:len(queries), None] != ids
    differs = differs | torch.eye(*scores.shape, device=scores.device).bool()
    return torch.where(differs, scores, scores.new_tensor(-torch.inf)).logsumexp(1).sub(own_product).mean()
