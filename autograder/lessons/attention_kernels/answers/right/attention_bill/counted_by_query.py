"""How many keys each query's block reads, by a nested function."""


def attention_bill(N_Q, N_K, D, block=None, causal=False, bytes_per_number=4):
    def keys_of(query):
        if not causal:
            return N_K
        last = min((query // block + 1) * block, N_Q) - 1
        visible = last + N_K - N_Q + 1
        return 0 if visible <= 0 else min(N_K, -(-visible // block) * block)

    if block is None:
        return 4 * N_Q * N_K * D, bytes_per_number * (2 * D * (N_Q + N_K) + 4 * N_Q * N_K)
    operations = 4 * D * sum(keys_of(query) for query in range(N_Q))
    loaded = sum(keys_of(query) for query in range(0, N_Q, block))
    return operations, bytes_per_number * 2 * D * (N_Q + loaded)
