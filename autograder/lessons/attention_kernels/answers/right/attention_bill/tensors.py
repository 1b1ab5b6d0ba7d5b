"""The last query of each block in a tensor, all blocks at once."""


def attention_bill(N_Q, N_K, D, block=None, causal=False, bytes_per_number=4):
    pairs = N_Q * N_K
    if block is None:
        return 4 * D * pairs, bytes_per_number * (2 * D * (N_Q + N_K) + 4 * pairs)
    starts = torch.arange(0, N_Q, block)
    ends = (starts + block).clamp(max=N_Q)
    seen = torch.full_like(ends, N_K)
    if causal:
        seen = ((N_K - N_Q + ends).clamp(min=0) + block - 1).div(block, rounding_mode="floor").mul(block).clamp(max=N_K)
    operations = int(((ends - starts) * seen).sum()) * 4 * D
    return operations, bytes_per_number * (2 * N_Q * D + 2 * D * int(seen.sum()))
