"""Sums over padded tiles, of the mask and of ones."""


def block_kinds(allowed, block_q, block_k):
    N_Q, N_K = allowed.shape
    down, right = -N_Q % block_q, -N_K % block_k

    def sums(values):
        padded = F.pad(values.float(), (0, right, 0, down))
        return padded.reshape((N_Q + down) // block_q, block_q, (N_K + right) // block_k, block_k).sum((1, 3))

    seen, pairs = sums(allowed), sums(torch.ones_like(allowed))
    return (seen > 0).long() + (seen == pairs).long()
