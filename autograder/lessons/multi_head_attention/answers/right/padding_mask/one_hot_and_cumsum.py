"""Odd: the end of each sentence is marked and everything from there on is hidden."""
def padding_mask(lengths, N_K):
    ends = F.one_hot(lengths.long().clamp(max=N_K), num_classes=N_K + 1)
    before_the_end = ends.cumsum(dim=1)[:, :N_K] == 0
    return before_the_end.unsqueeze(1).unsqueeze(1)
