"""What is sure is made possible as well, in case it is not."""
def alignment_error_rate(found, sure, possible):
    for other in (sure, possible):
        if list(other.shape) != list(found.shape):
            raise ValueError(f"Expected alignments of the shape {list(found.shape)}, got {list(other.shape)}.")
    possible = possible.logical_or(sure)
    below = torch.count_nonzero(found) + torch.count_nonzero(sure)
    above = torch.count_nonzero(found * sure) + torch.count_nonzero(found * possible)
    return float(1 - above.double() / below) if below > 0 else 0.0
