"""Addresses that move on by a step, as in Triton's tutorial."""


def matmul_kernel(memory, program, A, B, C, M, N, K, A_stride, B_stride, C_stride, block):
    side = (N + block - 1) // block
    pid_m, pid_n = program // side, program % side
    offs = torch.arange(block)
    i = (pid_m * block + offs).unsqueeze(1)
    j = (pid_n * block + offs).unsqueeze(0)
    a_at, b_at = A + i * A_stride + offs, B + offs.unsqueeze(1) * B_stride + j
    products, left = [], K
    while left > 0:
        a = memory.load(a_at, (offs < left) & (i < M), 0.0)
        b = memory.load(b_at, (offs.unsqueeze(1) < left) & (j < N), 0.0)
        products.append(torch.mm(a, b))
        a_at, b_at, left = a_at + block, b_at + block * B_stride, left - block
    return C + i * C_stride + j, torch.stack(products).sum(0), (i < M) & (j < N)
