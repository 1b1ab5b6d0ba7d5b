"""A group is a block of queries of flash_kernel; only the addresses differ."""


def grouped_kernel(memory, program, Q, K, V, Y, N_K, D, group, stride, block_k):
    queries, keys = program * group * stride, program * N_K * stride
    output, _ = flash_kernel(
        memory, 0, Q + queries, K + keys, V + keys, Y + queries, 0, group, N_K, D, stride, group, block_k, False
    )
    return output
