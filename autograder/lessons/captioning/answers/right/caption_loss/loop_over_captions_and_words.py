"""Python loops over captions and words, with logsumexp."""
def caption_loss(logits, captions, pad=PAD):
    total, count = logits.sum() * 0, 0
    for caption, scores in zip(captions, logits):
        for t in range(1, len(caption)):
            word = caption[t]
            if word != pad:
                total = total + torch.logsumexp(scores[t - 1], dim=0) - scores[t - 1, word]
                count += 1
    return total / count if count else total
