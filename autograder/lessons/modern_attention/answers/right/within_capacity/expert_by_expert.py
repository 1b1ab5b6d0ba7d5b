"""For each expert the first choices in the order of the flattened transpose."""


def within_capacity(chosen, num_experts, capacity):
    flat = chosen.t().flatten()
    keep = torch.zeros_like(flat, dtype=torch.bool)
    for expert in range(num_experts):
        keep[torch.nonzero(flat == expert).squeeze(-1)[:capacity]] = True
    return keep.unflatten(0, (chosen.size(1), chosen.size(0))).t().contiguous()
