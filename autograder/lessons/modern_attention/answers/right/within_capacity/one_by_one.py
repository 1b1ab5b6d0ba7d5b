"""Places given one by one, with a counter for each expert."""


def within_capacity(chosen, num_experts, capacity):
    N, k = chosen.shape
    taken = [0 for _ in range(num_experts)]
    kept = torch.zeros(N, k, dtype=torch.bool, device=chosen.device)
    for j in range(k):
        for i in range(N):
            e = chosen[i, j].item()
            if taken[e] < capacity:
                taken[e] += 1
                kept[i, j] = True
    return kept
