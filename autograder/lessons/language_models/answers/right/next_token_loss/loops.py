"""Place by place."""
def next_token_loss(logits, ids, documents=None, pad=None):
    P = logits.log_softmax(dim=2)
    B, N, _ = P.shape
    losses = [logits.sum() * 0]
    for b in range(B):
        for i in range(N - 1):
            token = ids[b, i + 1].item()
            same = documents is None or documents[b, i] == documents[b, i + 1]
            if same and (pad is None or token != pad):
                losses.append(-P[b, i, token])
    return torch.stack(losses).sum() / max(len(losses) - 1, 1)
