"""Numbers of classes without `same`, probabilities with it."""


def clip_loss(images, texts, log_scale, same=None):
    E = (images * log_scale.exp()) @ texts.t()
    if same is None:
        targets = torch.arange(len(images), device=E.device)
    else:
        targets = F.normalize(same.to(E.dtype), p=1, dim=1)
    return torch.stack([F.cross_entropy(table, targets) for table in (E, E.t())]).mean()
