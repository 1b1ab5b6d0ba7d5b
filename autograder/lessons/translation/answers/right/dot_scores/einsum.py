"""einsum."""
def dot_scores(states, memory):
    if memory.size(2) != states.size(2):
        raise ValueError("states and memory need the same width: %d, %d" % (states.size(2), memory.size(2)))
    return torch.einsum("btd,bnd->btn", states, memory)
