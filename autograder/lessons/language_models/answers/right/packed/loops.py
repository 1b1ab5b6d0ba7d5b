"""Loops over rows and tokens."""
def packed(documents):
    B, N = documents.shape
    allowed = torch.zeros(B, 1, N, N, dtype=torch.bool)
    places = torch.zeros(B, N, dtype=torch.int64)
    for b, row in enumerate(documents.tolist()):
        for i in range(N):
            if i and row[i] == row[i - 1]:
                places[b, i] = places[b, i - 1] + 1
            for j in range(N):
                allowed[b, 0, i, j] = row[i] == row[j]
    return allowed, places
