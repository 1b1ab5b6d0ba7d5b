"""Log-softmax and the targets, written out."""


def clip_loss(images, texts, log_scale, same=None):
    logits = torch.exp(log_scale) * torch.einsum("id,jd->ij", images, texts)
    B = logits.shape[0]
    positive = torch.eye(B).to(logits) if same is None else same.to(logits.dtype)
    by_row = positive / positive.sum(1, keepdim=True)
    by_column = positive / positive.sum(0, keepdim=True)
    rows = -(by_row * logits.log_softmax(1)).sum(1)
    columns = -(by_column * logits.log_softmax(0)).sum(0)
    return 0.5 * (rows.mean() + columns.mean())
