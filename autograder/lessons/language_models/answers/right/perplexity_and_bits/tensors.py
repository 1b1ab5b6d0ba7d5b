"""Tensors throughout, which hold one number each."""
def perplexity_and_bits(losses, sizes):
    if losses.size() != sizes.size() or len(losses) == 0 or int(sizes.sum()) == 0:
        raise ValueError("one loss and one size for each token, and at least one byte")
    bits = losses.double() / torch.log(torch.tensor(2.0, dtype=torch.float64))
    return torch.exp2(bits.mean()), bits.sum() / sizes.sum()
