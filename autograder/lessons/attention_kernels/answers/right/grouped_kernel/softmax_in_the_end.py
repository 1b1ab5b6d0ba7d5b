"""Keys and values in one load for each block, both together, and a softmax of PyTorch's in the end."""


def grouped_kernel(memory, program, Q, K, V, Y, N_K, D, group, stride, block_k):
    columns = torch.arange(D)
    rows = torch.arange(program * group, (program + 1) * group).unsqueeze(1) * stride + columns
    keys = torch.arange(program * N_K, (program + 1) * N_K).unsqueeze(1) * stride + columns
    both = torch.cat([memory.load(torch.stack([K + part, V + part])) for part in keys.split(block_k)], dim=1)
    weights = torch.softmax(memory.load(Q + rows) @ both[0].T / D**0.5, dim=-1)
    return Y + rows, weights @ both[1], torch.ones_like(rows, dtype=torch.bool)
