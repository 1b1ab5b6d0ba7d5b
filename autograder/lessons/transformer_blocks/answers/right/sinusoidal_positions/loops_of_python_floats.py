"""Python's math, number by number."""
def sinusoidal_positions(N, D):
    P = torch.zeros(N, D)
    for position in range(N):
        for column in range(D):
            angle = position / 10000 ** ((column - column % 2) / D)
            P[position, column] = math.sin(angle) if column % 2 == 0 else math.cos(angle)
    return P
