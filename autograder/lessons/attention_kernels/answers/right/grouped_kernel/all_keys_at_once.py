"""All keys of the head in one load, and a softmax of PyTorch's."""


def grouped_kernel(memory, program, Q, K, V, Y, N_K, D, group, stride, block_k):
    columns = torch.arange(D)
    rows = torch.arange(program * group, (program + 1) * group).unsqueeze(1) * stride + columns
    keys = torch.arange(program * N_K, (program + 1) * N_K).unsqueeze(1) * stride + columns
    weights = torch.softmax(memory.load(Q + rows) @ memory.load(K + keys).T / D**0.5, dim=-1)
    return Y + rows, weights @ memory.load(V + keys), torch.ones_like(rows, dtype=torch.bool)
