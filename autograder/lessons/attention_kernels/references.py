"""Right versions of the exercises of 16-attention-kernels: whole matrices in place of blocks."""

import math
from typing import Any

import torch
from torch import Tensor

#: Rows of which the matrices are in memory at once.
ROWS = 1024


def attention_bill(
    N_Q: int, N_K: int, D: int, block: int | None = None, causal: bool = False, bytes_per_number: int = 4
) -> tuple[int, int]:
    """Count tile by tile: 4 D operations a pair, and each row of a tile that is loaded (Dao et al. 2022, section 2)."""
    if block is None:
        return 4 * N_Q * N_K * D, bytes_per_number * (2 * D * (N_Q + N_K) + 4 * N_Q * N_K)
    operations, numbers = 0, 0
    for row in range(0, N_Q, block):
        queries = len(range(row, min(row + block, N_Q)))
        numbers += 2 * queries * D
        for column in range(0, N_K, block):
            if causal and column > N_K - N_Q + row + queries - 1:
                continue
            keys = len(range(column, min(column + block, N_K)))
            operations += 2 * (2 * queries * keys * D)
            numbers += 2 * keys * D
    return operations, bytes_per_number * numbers


def merge_states(Y1: Tensor, L1: Tensor, Y2: Tensor, L2: Tensor) -> tuple[Tensor, Tensor]:
    """Join by the share of each denominator: a softmax over the two log-sum-exps. Two empty states make an empty one."""
    both = torch.stack([L1, L2])
    shares = torch.softmax(both, 0).nan_to_num(0.0)
    return shares[0].unsqueeze(-1) * Y1 + shares[1].unsqueeze(-1) * Y2, both.logsumexp(0)


def causal_mask(N_Q: int, N_K: int) -> Tensor:
    """Return allowed[i, j] = (j ≤ i + N_K − N_Q): the queries are the last rows."""
    return torch.ones(N_Q, N_K, dtype=torch.bool).tril(N_K - N_Q)


def attention(Q: Tensor, K: Tensor, V: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return Y and the log-sum-exp of each row; a row without a key gets 0 and −∞."""
    E = Q @ K.mT / math.sqrt(Q.shape[-1])
    if allowed is not None:
        E = E.masked_fill(~allowed.to(E.device), -math.inf)
    return torch.softmax(E, -1).nan_to_num(0.0) @ V, E.logsumexp(-1)


def flash_forward(
    Q: Tensor, K: Tensor, V: Tensor, block_q: int = 16, block_k: int = 16, causal: bool = False
) -> tuple[Tensor, Tensor]:
    """FlashAttention's forward pass (Dao 2023, algorithm 1), by whole rows, at most so many at a time."""
    allowed = causal_mask(Q.shape[-2], K.shape[-2]) if causal else None
    visible = [None] * len(Q.split(ROWS, -2)) if allowed is None else allowed.split(ROWS)
    states = [attention(q, K, V, mask) for q, mask in zip(Q.split(ROWS, -2), visible, strict=True)]
    return torch.cat([Y for Y, _ in states], -2), torch.cat([L for _, L in states], -1)


def flash_backward(
    Q: Tensor,
    K: Tensor,
    V: Tensor,
    Y: Tensor,
    L: Tensor,
    dY: Tensor,
    block_q: int = 16,
    block_k: int = 16,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """FlashAttention's backward pass (Dao 2023, algorithm 2), by whole rows, at most so many at a time."""
    scale, allowed = 1 / math.sqrt(Q.shape[-1]), causal_mask(Q.shape[-2], K.shape[-2]).to(Q)
    log = torch.where(torch.isneginf(L), math.inf, L).unsqueeze(-1)
    outputs, dK, dV = [], torch.zeros_like(K), torch.zeros_like(V)
    for q, y, logs, dy, mask in zip(*(each.split(ROWS, -2) for each in (Q, Y, log, dY, allowed)), strict=True):
        P = torch.exp(q @ K.mT * scale - logs)
        if causal:
            P = P * mask
        dE = P * (dy @ V.mT - (dy * y).sum(-1, keepdim=True)) * scale
        outputs.append(dE @ K)
        dK, dV = dK + dE.mT @ q, dV + P.mT @ dy
    return torch.cat(outputs, -2), dK, dV


def block_kinds(allowed: Tensor, block_q: int, block_k: int) -> Tensor:
    """0: no pair of the block is allowed, 2: all are, 1: some are."""
    N_Q, N_K = allowed.shape
    rows, columns = -(-N_Q // block_q), -(-N_K // block_k)
    row, column = (torch.arange(n) // size for n, size in ((N_Q, block_q), (N_K, block_k)))
    place = (row[:, None] * columns + column).flatten()
    counts, sizes = (
        torch.zeros(rows * columns, dtype=torch.int64).index_add_(0, place, what.flatten().long())
        for what in (allowed.cpu(), torch.ones(N_Q, N_K))
    )
    return ((counts > 0).long() + (counts == sizes).long()).view(rows, columns)


def block_sparse_attention(
    Q: Tensor, K: Tensor, V: Tensor, allowed: Tensor, kinds: Tensor, block_q: int, block_k: int
) -> Tensor:
    """Attention under the mask that ``kinds`` and, in blocks of kind 1, ``allowed`` describe."""
    N_Q, N_K = allowed.shape
    whole = kinds.repeat_interleave(block_q, 0)[:N_Q].repeat_interleave(block_k, 1)[:, :N_K]
    visible = (whole == 2) | ((whole == 1) & allowed)
    needed = visible.any(0).unsqueeze(-1)
    K, V = torch.where(needed, K, 0.0), torch.where(needed, V, 0.0)
    return attention(Q, K, V, visible)[0]


def split_states(q: Tensor, K: Tensor, V: Tensor, splits: int) -> tuple[Tensor, Tensor]:
    """The state of each split for one query of each head (Dao et al. 2023, Flash-Decoding)."""
    size = -(-K.shape[1] // splits)
    of_head = [head * len(K) // len(q) for head in range(len(q))]
    states = []
    for split in range(splits):
        keys, values = (X[of_head, split * size : (split + 1) * size] for X in (K, V))
        Y, L = attention(q.unsqueeze(1), keys, values)
        states.append((Y.squeeze(1), L.squeeze(1)))
    return torch.stack([Y for Y, _ in states]), torch.stack([L for _, L in states])


def paged_attention(q: Tensor, K_pages: Tensor, V_pages: Tensor, table: Tensor, lengths: Tensor) -> Tensor:
    """Gather the rows of each sequence one by one (Kwon et al. 2023), and attend."""
    outputs = []
    for query, pages, length in zip(q, table.tolist(), lengths.tolist(), strict=True):
        size = K_pages.shape[1]
        rows = [(pages[token // size], token % size) for token in range(length)]
        of_head = [head * K_pages.shape[2] // len(query) for head in range(len(query))]
        if not rows:
            outputs.append(query.new_zeros(len(query), V_pages.shape[-1]))
            continue
        K, V = (torch.stack([X[page, slot] for page, slot in rows], 1)[of_head] for X in (K_pages, V_pages))
        outputs.append(attention(query.unsqueeze(1), K, V)[0].squeeze(1))
    return torch.stack(outputs)


def packed_attention(
    Q: Tensor, K: Tensor, V: Tensor, starts_q: Tensor, starts_k: Tensor, causal: bool = False
) -> Tensor:
    """Attend sequence by sequence; the last entries of ``starts`` are the ends."""
    sequences = []
    for a, b, c, d in zip(
        *(each.tolist() for each in (starts_q[:-1], starts_q[1:], starts_k[:-1], starts_k[1:])), strict=True
    ):
        sequences.append(flash_forward(Q[:, a:b], K[:, c:d], V[:, c:d], causal=causal)[0])
    return torch.cat(sequences, 1)


Store = tuple[Tensor, Tensor, Tensor]


def _matrix(memory: Any, start: int, rows: range, columns: int, stride: int) -> Tensor:
    """Return rows of a matrix, read one by one."""
    read = [memory.load(start + row * stride + torch.arange(columns)) for row in rows]
    return torch.stack(read) if read else torch.zeros(0, columns)


def softmax_kernel(
    memory: Any, program: int, X: int, Y: int, columns: int, X_stride: int, Y_stride: int, block: int
) -> Store:
    """The softmax of the columns that there are, filled up with zeros."""
    row = memory.load(X + program * X_stride + torch.arange(columns))
    addresses = Y + program * Y_stride + torch.arange(block)
    return addresses, torch.cat([torch.softmax(row, 0), row.new_zeros(block - columns)]), torch.arange(block) < columns


def matmul_kernel(
    memory: Any,
    program: int,
    A: int,
    B: int,
    C: int,
    M: int,
    N: int,
    K: int,
    A_stride: int,
    B_stride: int,
    C_stride: int,
    block: int,
) -> Store:
    """The product of the rows and columns that there are, filled up with zeros."""
    row, column = (block * part for part in divmod(program, -(-N // block)))
    rows, columns = range(row, min(row + block, M)), range(column, min(column + block, N))
    left = _matrix(memory, A, rows, K, A_stride)
    right = _matrix(memory, B + column, range(K), len(columns), B_stride)
    values = left.new_zeros(block, block)
    values[: len(rows), : len(columns)] = left @ right
    i, j = row + torch.arange(block).unsqueeze(1), column + torch.arange(block)
    return C + i * C_stride + j, values, (i < M) & (j < N)


def flash_kernel(
    memory: Any,
    program: int,
    Q: int,
    K: int,
    V: int,
    Y: int,
    L: int,
    N_Q: int,
    N_K: int,
    D: int,
    stride: int,
    block_q: int,
    block_k: int,
    causal: bool,
) -> tuple[Store, Store]:
    """Whole matrices of the rows that there are, filled up with zeros."""
    rows = range(program * block_q, min((program + 1) * block_q, N_Q))
    keys = range(max(0, min(N_K, rows.stop + N_K - N_Q)) if causal else N_K)
    q, k, v = (_matrix(memory, start, of, D, stride) for start, of in ((Q, rows), (K, keys), (V, keys)))
    i = program * block_q + torch.arange(block_q).unsqueeze(1)
    visible = torch.arange(len(keys)) <= i[: len(rows)] + N_K - N_Q if causal else None
    outputs, logs = attention(q, k.to(q), v.to(q), visible)
    values, numbers = q.new_zeros(block_q, D), q.new_full((block_q, 1), -math.inf)
    values[: len(rows)], numbers[: len(rows), 0] = outputs, logs
    return (Y + i * stride + torch.arange(D), values, i < N_Q), (L + i, numbers, i < N_Q)


def grouped_kernel(
    memory: Any, program: int, Q: int, K: int, V: int, Y: int, N_K: int, D: int, group: int, stride: int, block_k: int
) -> Store:
    """All keys of the program's head at once, for the rows of its group (Ainslie et al. 2023, section 2.2)."""
    heads, keys = range(program * group, (program + 1) * group), range(program * N_K, (program + 1) * N_K)
    q, k, v = (_matrix(memory, start, of, D, stride) for start, of in ((Q, heads), (K, keys), (V, keys)))
    h = torch.tensor(heads).unsqueeze(1)
    return Y + h * stride + torch.arange(D), attention(q, k, v)[0], torch.ones_like(h, dtype=torch.bool)
