"""nn.CrossEntropyLoss for each position, with einops-like names and type hints."""
def caption_loss(logits, captions, pad=PAD):
    criterion = nn.CrossEntropyLoss(ignore_index=pad, reduction="sum")
    steps = captions.size(1) - 1
    total = logits.new_zeros(()) + 0 * logits[0, 0, 0]
    for t in range(steps):
        total = total + criterion(logits[:, t], captions[:, t + 1])
    words = torch.count_nonzero(captions[:, 1:] - pad)
    return total / torch.clamp(words, min=1)
