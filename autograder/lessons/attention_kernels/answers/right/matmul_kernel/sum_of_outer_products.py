"""Broadcast products, summed over the step."""


def matmul_kernel(memory, program, A, B, C, M, N, K, A_stride, B_stride, C_stride, block):
    row, column = divmod(program, -(-N // block))
    offsets = torch.arange(block)
    rows, columns = row * block + offsets, column * block + offsets
    acc = torch.zeros(block, block, dtype=torch.float64)
    for begin in range(0, K, block):
        inner = begin + offsets
        a = memory.load(
            A + rows[:, None] * A_stride + inner[None, :], (rows[:, None] < M) & (inner[None, :] < K), 0.0
        )
        b = memory.load(
            B + inner[:, None] * B_stride + columns[None, :], (inner[:, None] < K) & (columns[None, :] < N), 0.0
        )
        acc += (a[:, :, None] * b[None, :, :]).sum(1)
    return C + rows[:, None] * C_stride + columns[None, :], acc, (rows[:, None] < M) & (columns[None, :] < N)
