"""bmm, and PyTorch's own error as a ValueError."""
def dot_scores(states, memory):
    B, T, S = states.shape
    if memory.shape[::2] != (B, S):
        raise ValueError(f"Expected a memory (B, N, S) = ({B}, N, {S}), got {tuple(memory.shape)}.")
    return torch.bmm(states, memory.permute(0, 2, 1))
