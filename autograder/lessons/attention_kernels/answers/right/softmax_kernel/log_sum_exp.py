"""By the log-sum-exp, with a very small number beyond the row."""


def softmax_kernel(memory, program, X, Y, columns, X_stride, Y_stride, block):
    offsets = torch.arange(0, block)
    valid = columns > offsets
    row = memory.load(X + X_stride * program + offsets, valid, -1e30)
    return Y + Y_stride * program + offsets, torch.exp(row - torch.logsumexp(row, 0)), valid
