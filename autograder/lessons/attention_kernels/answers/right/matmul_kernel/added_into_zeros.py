"""A while loop that adds into a tile of zeros, of the dtype that zeros have."""


def matmul_kernel(memory, program, A, B, C, M, N, K, A_stride, B_stride, C_stride, block):
    tiles = -(-N // block)
    rows = program // tiles * block + torch.arange(block).view(-1, 1)
    columns = program % tiles * block + torch.arange(block).view(1, -1)
    result, step = torch.zeros(block, block), 0
    while step < K:
        inner = step + torch.arange(block)
        left = memory.load(A + rows * A_stride + inner, (rows < M) & (inner < K), 0.0)
        down = inner.view(-1, 1)
        result += left @ memory.load(B + down * B_stride + columns, (down < K) & (columns < N), 0.0)
        step += block
    return C + rows * C_stride + columns, result, (rows < M) & (columns < N)
