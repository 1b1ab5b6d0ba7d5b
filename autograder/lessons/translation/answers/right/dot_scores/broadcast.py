"""Products of all pairs by broadcasting, added up."""
def dot_scores(states, memory):
    S, M = states.shape[-1], memory.shape[-1]
    if S != M:
        raise ValueError(f"Expected the same width, got {S} for the states and {M} for the memory.")
    return (states.unsqueeze(2) * memory.unsqueeze(1)).sum(-1)
