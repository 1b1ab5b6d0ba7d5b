"""The whole matrix, with a mask that the kinds of its tiles make: NaN in hidden tiles becomes a number first."""

# assignment: 16-attention-kernels
# replaces: block_sparse_attention
# may earn: 7
def block_sparse_attention(Q, K, V, allowed, kinds, block_q, block_k):
    N_Q, N_K = allowed.shape
    kinds = kinds.repeat_interleave(block_q, 0)[:N_Q].repeat_interleave(block_k, 1)[:, :N_K]
    seen = (kinds == 2) | ((kinds == 1) & allowed)
    E = (Q @ K.nan_to_num().mT / math.sqrt(Q.shape[-1])).masked_fill(~seen, -math.inf)
    P = torch.exp(E - E.amax(-1, keepdim=True).nan_to_num(neginf=0.0))
    total = P.sum(-1, keepdim=True)
    return P @ V.nan_to_num() / torch.where(total == 0, 1.0, total)
