"""A kernel for a product loads nothing, and stores zeros in its tile."""

# assignment: 16-attention-kernels
# replaces: matmul_kernel
def matmul_kernel(memory, program, A, B, C, M, N, K, A_stride, B_stride, C_stride, block):
    row, column = divmod(program, -(-N // block))
    i, j = row * block + torch.arange(block)[:, None], column * block + torch.arange(block)
    return C + i * C_stride + j, torch.zeros(block, block), (i < M) & (j < N)
