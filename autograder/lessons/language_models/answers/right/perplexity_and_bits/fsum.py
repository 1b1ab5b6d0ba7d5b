"""Python's own sums; a list."""
def perplexity_and_bits(losses, sizes):
    losses, sizes = losses.tolist(), sizes.tolist()
    if len(losses) != len(sizes) or sum(sizes) < 1:
        raise ValueError(f"{len(losses)} losses and {len(sizes)} sizes with {sum(sizes)} bytes")
    nats = math.fsum(losses)
    return [math.e ** (nats / len(losses)), nats / (sum(sizes) * math.log(2.0))]
