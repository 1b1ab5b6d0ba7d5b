"""A product of probabilities, as the definition has it, in logarithms to the base 2."""
def perplexity_and_bits(losses, sizes):
    if tuple(losses.shape) != tuple(sizes.shape):
        raise ValueError(f"one size for each loss is expected, got {tuple(sizes.shape)} and {tuple(losses.shape)}")
    if losses.numel() == 0 or not bool((sizes > 0).any()):
        raise ValueError("at least one token and one byte are expected")
    bits = (losses.to(torch.float64) / math.log(2.0)).cumsum(dim=0)[-1].item()
    return 2.0 ** (bits / losses.numel()), bits / float(sizes.sum())
