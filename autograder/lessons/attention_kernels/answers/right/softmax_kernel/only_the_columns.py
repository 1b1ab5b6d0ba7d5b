"""Addresses of the columns alone, so that no mask hides anything."""


def softmax_kernel(memory, program, X, Y, columns, X_stride, Y_stride, block):
    j = torch.arange(columns)
    row = memory.load(X + program * X_stride + j)
    exponentials = (row - row.amax()).exp()
    return Y + program * Y_stride + j, exponentials / exponentials.sum(), torch.ones(columns, dtype=torch.bool)
