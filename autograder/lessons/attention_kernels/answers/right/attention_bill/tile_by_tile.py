"""Tile by tile, with a list of tiles."""


def attention_bill(N_Q, N_K, D, block=None, causal=False, bytes_per_number=4):
    if block is None:
        operations = 2 * (2 * N_Q * N_K * D)
        numbers = N_Q * D + N_K * D + N_K * D + N_Q * D + 4 * N_Q * N_K
        return operations, numbers * bytes_per_number
    operations = numbers = 0
    for i in range(0, N_Q, block):
        rows = min(block, N_Q - i)
        tiles = [min(block, N_K - j) for j in range(0, N_K, block) if not causal or j <= i + rows - 1 + N_K - N_Q]
        operations += sum(4 * rows * columns * D for columns in tiles)
        numbers += 2 * rows * D + 2 * sum(tiles) * D
    return operations, numbers * bytes_per_number
