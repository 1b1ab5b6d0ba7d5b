# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
r"""
# 16 Attention kernels

The formula of attention is one line, and programs that compute it differ in what they keep and in what they move between memory and
processor. You count that, then write the algorithms behind FlashAttention, its backward pass, sparse masks, and decoding with a cache in pages.

| section | the one change | exercise |
|---|---|---|
| 1 | count what is moved | `attention_bill` |
| 2 | attention in pieces that can be joined | `merge_states` |
| 3 | tiles, forward | `flash_forward` |
| 4 | tiles, backward | `flash_backward` |
| 5 | leave out tiles that a mask hides | `block_kinds`, `block_sparse_attention` (optional) |
| 6 | one query, many keys | `split_states` |
| 7 | a cache in pages | `paged_attention` |
| 8 | texts of many lengths in one row | `packed_attention` (optional) |
| 9 | a program for each block, address by address | `softmax_kernel` (optional), `matmul_kernel` (optional), `flash_kernel` (optional), `grouped_kernel` (optional) |

**Before you begin.** You need lesson 1, blockwise attention included; sections 6 and 7 need the groups of lesson 15.
Plan about three hours; the optional parts take about two and a half more.

## How this notebook works

- Run the cells from top to bottom. In an exercise, replace the line `raise NotImplementedError(...)`: about ten lines at most. The next
  cell is its **check**; run it as often as you like.
- ●: a few lines, once you have read the text. ●●: think about shapes or a formula first, about 25 minutes.
- Answer the question before each experiment, then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype, leaves its arguments unchanged, and accepts any memory layout.
- This lesson forbids `F.scaled_dot_product_attention`, `flex_attention`, `nn.MultiheadAttention` and `course_lib.layers`.
- Leave out what is marked "(optional)" if you like: nothing else needs it.

**Notation.** As in lesson 1, for one head unless axes stand in front.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $N_Q$, $N_K$ | `N_Q`, `N_K` | queries and keys; with `causal` the queries are the **last** $N_Q$ of the $N_K$ positions | `seqlen_q`, `seqlen_k` |
| $L$ | `L`, `(..., N_Q)` | logarithm of the sum of the exponentials of a row's scores | `lse`, `logsumexp` |
| – | `block_q`, `block_k` | rows of a tile, and its columns | `BLOCK_M`, `BLOCK_N` |
| $m$, $l$, $S$ in section 3 | `m`, `l`, `S` | running state of a row: largest score, sum of exponentials, weighted sum of values | `m_i`, `l_i`, `acc` |
| $P$ | `P` | a tile of exponentials: relative to $m$ in section 3; in section 4 to $L$, which makes them the weights | $P$; $A$ in lesson 1 |
| $\Delta$ | `delta`, `(..., N_Q)` | sum of $dY \circ Y$ over a row | `D`, `delta` |
| $dX$ | `dQ`, `dK`, … | gradient of the loss with respect to $X$ | `grad` |
| $H$, $G$ | the first axis of `q`, of `K` | heads of queries; of keys and values | `num_heads`; `num_kv_heads` |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import functools
import math

import matplotlib.pyplot as plt
import torch
import torch.nn.functional as F

from autograder.lessons.attention_kernels import check
from course_lib import devices, plots
from course_lib.memory import Memory, launch
from course_lib.predictions import came_out, predict

torch.set_num_threads(1)            # times below are those of one core

# %% [markdown]
r"""
## 1 The bill

A processor multiplies much faster than its memory delivers. An operation on two fresh float32 numbers from memory waits for eight bytes;
in the same time tens of operations could have been done on numbers that lie in the cache. The **arithmetic intensity** of an algorithm is its number
of operations divided by the number of bytes that it moves between memory and processor. With bandwidth $b$ (bytes per second) and peak
speed $p$ (operations per second) no algorithm of intensity $I$ is faster than

$$\min(p,\; b \cdot I) \quad \text{operations per second.}$$

Plotted over $I$, this bound looks like a roof: the **roofline** (Williams et al. 2009). Left of its edge $p/b$ an algorithm waits for
memory, right of it for the multipliers.

**What is counted.** A product of an $m \times k$ and a $k \times n$ matrix takes $2mkn$ operations; the softmax is not counted. Only numbers
that enter or leave the processor are counted:

- *Whole matrix:* $Q$, $K$, $V$ are read and $Y$ is written, once, as though the processor could hold them all. $E$ is written and read, and
  so is $A$: four times $N_Q N_K$ numbers. A causal mask saves nothing.
- *In tiles:* $Q$ is cut into blocks of `block` rows, and so are $K$ and $V$. For each block of queries, its rows of $Q$ are read, all blocks of
  $K$ and $V$ that it needs are read, and its rows of $Y$ are written. Tiles of $E$ and $A$ never leave the processor. The last block may be
  shorter, and only its real rows count.
- *In tiles, causal:* the query in row $i$ sees the keys $0 \dots i + N_K - N_Q$. A block of keys is read and multiplied, as a whole, if at least one
  query of the block of queries sees at least one of its keys.

**Exercise 1.** ●● Write `attention_bill`. It returns two ints, the operations and the bytes.

<details><summary>Hint: causal</summary>

Only the last query of a block decides which blocks of keys are needed. How many keys does it see? Round up to whole blocks, but not beyond
$N_K$, and not below 0: with more queries than keys, the first see none.
</details>
"""

# %% nbgrader={"grade_id": "attention_bill", "solution": true}
def attention_bill(N_Q, N_K, D, block=None, causal=False, bytes_per_number=4):
    """Return (operations, bytes) of attention with N_Q queries and N_K keys and values of width D.

    block: rows of a block of queries and of a block of keys; None counts the whole matrix.
    """
    ### BEGIN SOLUTION Count the operations and the numbers moved: for the whole matrix, or block of queries by block of queries.
    if block is None:
        return 4 * N_Q * N_K * D, bytes_per_number * (2 * D * (N_Q + N_K) + 4 * N_Q * N_K)
    pairs, numbers = 0, 2 * N_Q * D                            # Q is read and Y is written
    for start in range(0, N_Q, block):
        end = min(start + block, N_Q)
        seen = N_K
        if causal:
            visible = max(0, N_K - N_Q + end)                  # by the last query of the block
            seen = min(N_K, math.ceil(visible / block) * block)
        pairs += (end - start) * seen
        numbers += 2 * seen * D                                # rows of K and of V
    return 4 * pairs * D, bytes_per_number * numbers
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-attention_bill", "grade": true}
check("attention_bill")

# %% [markdown]
r"""
**Before you run it:** sort these four by arithmetic intensity: the whole matrix at $N = 4096$, tiles of 16, tiles of 128, and one new query
against 4096 cached keys. Which of them can a longer text move to the right? The control is the whole matrix whose two products also read $K$ and
$V$ again for every block of queries: the same tiles, but $E$ and $A$ leave the processor.
"""

# %% tags=["experiment"]
cases = {"whole matrix": (4096, 4096, 64), "tiles of 16": (4096, 4096, 64, 16), "tiles of 128": (4096, 4096, 64, 128),
         "tiles of 128, causal": (4096, 4096, 64, 128, True), "one query": (1, 4096, 64, 128)}
intensity, moved = {}, {}
for name, case in cases.items():
    operations, moved[name] = attention_bill(*case)
    intensity[name] = operations / moved[name]
    print(f"{name:21} {operations / 1e6:7.1f} million operations, {moved[name] / 2**20:6.1f} MiB, intensity {intensity[name]:5.1f}")
for size in (16, 128):
    in_blocks = moved[f"tiles of {size}"] + 4 * 4 * 4096**2                     # and E and A, each written and read
    intensity["in blocks", size] = intensity[f"tiles of {size}"] * moved[f"tiles of {size}"] / in_blocks
    print(f"whole matrix, read in blocks of {size:3}: intensity {intensity['in blocks', size]:4.1f}")
longer = {name: attention_bill(4 * N_Q if N_Q > 1 else 1, 4 * N_K, *rest) for name, (N_Q, N_K, *rest) in cases.items()}

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("The whole matrix has intensity 15.8", intensity["whole matrix"])
says("tiles of 16 have\n8.0", 16, intensity["tiles of 16"])
says("tiles of 128 have 62.1", 128, intensity["tiles of 128"])
says("only 0.5", intensity["one query"])
says("move 66.0 MiB in place of 260.0 MiB", moved["tiles of 128"] / 2**20, moved["whole matrix"] / 2**20)
claims("Four times the text changes none of them by more than a twentieth",
       all(abs(operations / moved_bytes / intensity[name] - 1) < 0.05 for name, (operations, moved_bytes) in longer.items()))
says("blocks of 16 it has 5.3, and in blocks of 128 it has 12.7", 16, intensity["in blocks", 16], 128, intensity["in blocks", 128])
claims("saves half of both", abs(moved["tiles of 128, causal"] / moved["tiles of 128"] - 0.5) < 0.05
       and abs(intensity["tiles of 128, causal"] / intensity["tiles of 128"] - 1) < 0.05)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The whole matrix has intensity 15.8: almost all that it moves is $E$ and $A$. Tiles help only if they are large enough: tiles of 16 have
8.0, since all keys are read again for every 16 queries, and tiles of 128 have 62.1. These move 66.0 MiB in place of 260.0 MiB. But the whole
matrix was counted kindly: read in blocks of 16 it has 5.3, and in blocks of 128 it has 12.7, so with equal blocks tiles always win. A causal
mask saves half of both, operations and bytes. One query has only 0.5: each number of the cache is read for two operations. Four times the
text changes none of them by more than a twentieth. The tile decides.
</details>

Now the roof of your own machine. The next cell measures three speeds of one core (memory, products, exponentials), the whole matrix, and one
query. The control is the two products of the whole matrix alone, without the softmax.
"""

# %% tags=["experiment"]
def whole_matrix(Q, K, V):
    """Return softmax(Q K^T / sqrt(D)) V."""
    return torch.softmax(Q @ K.mT / math.sqrt(Q.shape[-1]), dim=-1) @ V


big, square = torch.randn(2**24), torch.randn(512, 512)                         # 64 MiB, and 1 MiB
into, product = torch.empty_like(big), torch.empty_like(square)
bandwidth = 2 * 4 * big.numel() / devices.least_time(lambda: into.copy_(big))
peak = 2 * 512**3 / devices.least_time(lambda: torch.mm(square, square, out=product))
exponentials = square.numel() / devices.least_time(lambda: torch.exp(square, out=product))
del big, into
print(f"memory {bandwidth / 1e9:.1f} GB/s, products {peak / 1e9:.0f} billion operations/s, exponentials {exponentials / 1e9:.2f} billion/s")
print(f"the edge of the roof lies at {peak / bandwidth:.0f} operations per byte")

reached = {}
for name, (N_Q, N_K, D) in {"whole matrix": (2048, 2048, 64), "one query": (1, 65536, 64)}.items():
    Q, K, V = (torch.randn(N, D) for N in (N_Q, N_K, N_K))
    operations, moved_bytes = attention_bill(N_Q, N_K, D)
    reached[name] = operations / moved_bytes, operations / devices.least_time(lambda: whole_matrix(Q, K, V))
    print(f"{name}: {reached[name][1] / 1e9:.1f} billion operations/s, under a roof of {min(peak, bandwidth * reached[name][0]) / 1e9:.0f}")
    if name == "whole matrix":
        E = torch.empty(N_Q, N_K)
        alone = operations / (devices.least_time(lambda: torch.mm(Q, K.mT, out=E)) + devices.least_time(lambda: torch.mm(E, V)))
        print(f"    its two products alone: {alone / 1e9:.1f} billion operations/s")

figure, axes = plt.subplots(figsize=(6, 3.5))
scale = [2.0**power for power in range(-3, 9)]
axes.plot(scale, [min(peak, bandwidth * each) / 1e9 for each in scale], color="black", label="roofline")
for marker, (name, (at, speed)) in zip("os", reached.items()):
    axes.plot([at], [speed / 1e9], marker, label=name)
axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="billion operations per second",
         title="Two ways of attention under the roof of this machine")
axes.legend();

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The numbers are those of your machine. The single query lies far to the left, near the sloping part: what it needs is bandwidth, and a
faster multiplier would not help. (It can lie a little above the line: reading alone is faster than copying, and part of its keys may still
be in the cache.) The whole matrix stays clearly below the roof. Its two products alone are faster, so a good part of the time goes to
what the count leaves out: scaling, exponentials, divisions. Compare how many exponentials and how many operations a core does in a second.
The products alone are below the roof, too: matrices of 64 columns are less convenient than the squares that measured the peak.
</details>

## 2 Attention in pieces

Split the keys into two parts, and attend to each part alone. Can the two results be joined? Not by a mean: a part with large scores should
count more. What is missing is the denominator of each part. Keep its logarithm,

$$L = \log \sum_j e^{E_j}, \qquad Y = \sum_j e^{E_j - L}\, V_j .$$

The pair $(Y, L)$ is the **attention state** of a set of keys. The state of two sets together follows from their two states:

$$L = \log\left(e^{L_1} + e^{L_2}\right), \qquad Y = e^{L_1 - L}\, Y_1 + e^{L_2 - L}\, Y_2 .$$

The state of no keys at all is $(0, -\infty)$, and joining it with another state changes nothing. The order of joining makes no difference either:
states under this operation are a *monoid*. So keys may be cut anywhere, worked on by different processors, and joined in any order.

"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    whole = (Y and L: of all keys)
    last = [merge]
    left = [merge] | right = [merge]
    s1 = (Y_1, L_1) | s2 = (Y_2, L_2) | s3 = (Y_3, L_3) | s4 = (Y_4, L_4)
    k1 = (keys 0 – 249) | k2 = (keys 250 – 499) | k3 = (keys 500 – 749) | k4 = (keys 750 – 999)
    k1 -> s1
    k2 -> s2
    k3 -> s3
    k4 -> s4
    s1, s2 -> left
    s3, s4 -> right
    left, right -> last
    last -> whole
""", title="States of parts, joined as a tree");

# %% [markdown]
r"""
**Exercise 2.** ● Write `merge_states`. Shapes: `Y1`, `Y2` `(..., D)` and `L1`, `L2` `(...)`. Scores of ±1000 must work, and so must states
without keys: two of them give zeros and $-\infty$, never NaN.

<details><summary>Hint: no keys on either side</summary>

`torch.logaddexp` is right even for two times $-\infty$. But then $L_1 - L$ is $-\infty + \infty$: subtract 0 in place of $L$ there.
</details>
"""

# %% nbgrader={"grade_id": "merge_states", "solution": true}
def merge_states(Y1, L1, Y2, L2):
    """Return the state (Y, L) of two sets of keys together. Y1, Y2 (..., D); L1, L2 (...); no keys: zeros and -inf."""
    ### BEGIN SOLUTION Return the new log-sum-exp, and the sum of both outputs, each times exp(its L minus the new one).
    L = torch.logaddexp(L1, L2)                                            # (...)
    finite = torch.where(L == -math.inf, 0.0, L)                           # no keys on either side: subtract 0
    first, second = torch.exp(L1 - finite), torch.exp(L2 - finite)         # (...): at most 1
    return first.unsqueeze(-1) * Y1 + second.unsqueeze(-1) * Y2, L
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-merge_states", "grade": true}
check("merge_states")

# %% [markdown]
r"""
**Before you run it:** 1,000 keys are 1,000 states of one key each: $Y = V_j$ and $L = E_j$. They are joined from the left, from the right, as a
tree, and in random order. How much do the results differ in float32? The control is the mean of all states, without their denominators.
"""

# %% tags=["experiment"]
predict("orders", "How far apart are the results of the four orders, in float32?",
        ["equal to the last bit", "about 0.00001", "about 0.01"])

# %% tags=["experiment"]
def tree(states):
    """Join neighbours until one state is left."""
    while len(states) > 1:
        pairs = [merge_states(*a, *b) for a, b in zip(states[::2], states[1::2])]
        states = pairs + ([states[-1]] if len(states) % 2 else [])
    return states[0]


def from_the_left(states):
    return functools.reduce(lambda a, b: merge_states(*a, *b), states)


torch.manual_seed(0)
E, V = 3 * torch.randn(1000), torch.randn(1000, 8)
states = list(zip(V, E))
exact = torch.softmax(E.double(), 0) @ V.double()
results = {"from the left": from_the_left(states), "from the right": from_the_left(states[::-1]), "as a tree": tree(states),
           "in random order": from_the_left([states[i] for i in torch.randperm(1000)])}
errors = {name: (Y.double() - exact).abs().max().item() for name, (Y, L) in results.items()}
mean_error = (V.double().mean(0) - exact).abs().max().item()
for name, error in errors.items():
    print(f"{name:16} error {error:.1e}")
print(f"mean of all       error {mean_error:.1e}")
apart = max((Y - results["as a tree"][0]).abs().max().item() for Y, _ in results.values())
came_out("orders", "equal to the last bit" if apart == 0 else "about 0.00001" if apart < 1e-3 else "about 0.01")

# %% tags=["numbers"]
claims("All four differ from the exact result by rounding only", 0 < max(errors.values()) < 1e-4)
claims("the tree's error is\nthe smallest", errors["as a tree"] == min(errors.values()))
claims("The mean is wrong in the first digit", mean_error > 0.1)
given("with each of ten seeds")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

All four differ from the exact result by rounding only, and therefore a little from each other: the operation is associative for real numbers, and not quite for
float32. So results on a GPU may depend on how the work was split. In a chain the first key goes through 999 merges, each of which rounds; in a tree
every key goes through ten: the tree's error is
the smallest (with each of ten seeds). The mean is wrong in the first digit.
</details>

## 3 Tiles, forward

FlashAttention (Dao et al. 2022) is section 2 with tiles. In its second version (Dao 2023) a program holds one block of queries and walks over the blocks
of keys. For each query it keeps the largest score so far $m$ and the sum $l$ of the exponentials relative to $m$ (Milakov and Gimelshein 2018), and the
sum $S$ of these exponentials times the values. For each new tile of scores $E$ with row maxima it takes

$$m' = \max(m, \max_j E_j), \quad P = e^{E - m'}, \quad l' = e^{m - m'} l + \textstyle\sum_j P_j, \quad S' = e^{m - m'} S + P\, V .$$

In the end $Y = S / l$ and $L = m + \log l$. In lesson 1 you wrote this without $L$. Here you add the details that are easily forgotten:
lengths that are no multiple of the block, $N_Q \neq N_K$, tiles that are not square, causal masks with a cache, rows that see no key, and $L$.

"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | out = (Y and L: block_q rows) | .
    . | divide = [S / l and m + log l] | .
    . | state = (m, l, S: stay in fast memory) | .
    . | renew = [renew the state] | .
    . | tile = (a tile of scores: block_q × block_k) | v = ((blocks of values: block_k × D_V))
    . | product = [product] | .
    q = (one block of queries: block_q × D) | k = ((blocks of keys: block_k × D)) | .
    q -> product: stays
    k -> product: streams
    v -> renew: streams
    product -> tile
    tile -> renew
    renew -> state
    state ~> renew: for the next block
    state -> divide: after the last
    divide -> out
""", title="FlashAttention: no N × N matrix anywhere");

# %% [markdown]
r"""
**With `block_q` = `block_k` = 16 and $D = D_V = 64$, which box holds the most numbers at once? Which box grows with the length of the text?**

- With `causal`, the queries are the **last** rows: query $i$ sees the keys $j \le i + N_K - N_Q$. With $N_Q = N_K$ this is the mask of lesson 1, and
  with $N_Q = 1$ the newest token sees everything.
- Blocks of keys that no query of the block sees are **not touched**: they are neither read nor multiplied.
- A row that sees no key (causal with $N_Q > N_K$, or $N_K = 0$) has $Y = 0$ and $L = -\infty$.

**Exercise 3.** ●● Write the loop over the blocks of keys. The loop over the blocks of queries is given.

<details><summary>Hint: a row that has seen no key yet</summary>

Its $m$ is $-\infty$, and $-\infty + \infty$ is NaN. Subtract `m_new.nan_to_num(neginf=0.0)`, or start $m$ at a very small finite number and
set $L$ to $-\infty$ where $l = 0$.
</details>
<details><summary>Hint: positions</summary>

In the tile that begins at row `first` and at column `start`, the query in row $r$ sees column $c$ if
$\text{start} + c \le \text{first} + r + N_K - N_Q$.
</details>
"""

# %% nbgrader={"grade_id": "flash_forward", "solution": true}
def flash_forward(Q, K, V, block_q=16, block_k=16, causal=False):
    """Return Y (..., N_Q, D_V) and L (..., N_Q), tile by tile. Q (..., N_Q, D), K (..., N_K, D), V (..., N_K, D_V)."""
    N_Q, N_K = Q.shape[-2], K.shape[-2]
    Y, L = Q.new_zeros(*Q.shape[:-1], V.shape[-1]), Q.new_full(Q.shape[:-1], -math.inf)
    for first in range(0, N_Q, block_q):
        q = Q[..., first:first + block_q, :] / math.sqrt(Q.shape[-1])          # (..., rows, D)
        last = first + q.shape[-2] - 1
        ### BEGIN SOLUTION Walk over the blocks of keys that the query `last` sees, keep m, l and S, then fill the rows of Y and L.
        m = torch.full_like(q[..., :1], -math.inf)                             # (..., rows, 1)
        l, S = torch.zeros_like(m), torch.zeros_like(Y[..., first:last + 1, :])
        for start in range(0, min(N_K, last + 1 + N_K - N_Q) if causal else N_K, block_k):
            E = q @ K[..., start:start + block_k, :].mT                        # (..., rows, columns)
            if causal:
                hidden = torch.ones(E.shape[-2:], dtype=torch.bool, device=E.device).triu(first + N_K - N_Q - start + 1)
                E = E.masked_fill(hidden, -math.inf)
            m_new = torch.maximum(m, E.amax(dim=-1, keepdim=True))
            finite = m_new.nan_to_num(neginf=0.0)                              # rows without a key so far: subtract 0
            P, factor = torch.exp(E - finite), torch.exp(m - finite)
            l, S, m = factor * l + P.sum(dim=-1, keepdim=True), factor * S + P @ V[..., start:start + block_k, :], m_new
        Y[..., first:last + 1, :] = S / torch.where(l == 0, 1.0, l)
        L[..., first:last + 1] = (m + torch.log(l)).squeeze(-1)
        ### END SOLUTION
    return Y, L

# %% nbgrader={"grade_id": "check-flash_forward", "grade": true}
check("flash_forward")

# %% [markdown]
r"""
How large an error does a forgotten detail make? A GPU works on full tiles, so the last tile is filled up with zeros, and a kernel that
does not mask the *scores* of these phantom keys adds $e^{0 - m}$ for each to the denominator.

**Before you run it:** 127 keys and tiles of 16 leave one phantom key; 129 keys leave 15. How large is the error in each case? Would a test
with 128 keys see it?
"""

# %% tags=["experiment"]
def with_phantoms(Q, K, V, block=16):
    """Return attention over the keys and zeros up to the next multiple of the block."""
    missing = -len(K) % block
    return whole_matrix(Q, F.pad(K, (0, 0, 0, missing)), F.pad(V, (0, 0, 0, missing)))


torch.manual_seed(0)
shrunk = {}
for N_K in (127, 128, 129):
    Q, K = torch.randn(64, 64), torch.randn(N_K, 64)
    V = torch.ones(N_K, 1)                                                      # so that the output should be 1
    shrunk[N_K] = (1 - with_phantoms(Q, K, V)).mean().item()
    right = (1 - flash_forward(Q, K, V)[0]).abs().max().item()
    print(f"{N_K} keys, {-N_K % 16:2} phantoms: the output is too small by {100 * shrunk[N_K]:.1f} %; yours is off by {right:.0e}")

# %% tags=["numbers"]
says("One phantom key costs half a percent (0.5 %)", shrunk[127])
says("fifteen cost 6.6 %", shrunk[129])
claims("With 128 keys nothing is wrong", abs(shrunk[128]) < 1e-6)
given("a tolerance of 1 %")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

One phantom key costs half a percent (0.5 %), and fifteen cost 6.6 %. With 128 keys nothing is wrong. So a test with 128 keys passes this
mistake, and so does one with 127 keys and a tolerance of 1 %. Values of 1 show it best: then the output must be 1.
</details>

## 4 Tiles, backward

Backpropagation through the whole matrix needs $A$: another $N_Q \times N_K$ numbers that are kept from forward to backward. FlashAttention keeps $Q$, $K$,
$V$, $Y$ and $L$ only, and computes each tile of weights *again*: $P = e^{E - L}$ is already divided by its sum. With a loss whose
gradient with respect to $Y$ is $dY$:

$$dV = P^\top dY, \qquad dP = dY\, V^\top, \qquad dE = P \circ (dP - \Delta), \qquad dQ = \frac{dE\, K}{\sqrt D}, \qquad dK = \frac{dE^\top Q}{\sqrt D} .$$

$\Delta_i = \sum_j P_{ij}\, dP_{ij}$ is the term from the denominator of the softmax. It seems to need the whole row of weights, but
$\sum_j P_{ij}\, dY_i \cdot V_j = dY_i \cdot Y_i$: a sum over one row of $dY \circ Y$.

Three identities test a backward pass: $\sum_j dV_j = \sum_i dY_i$ if every row sees a key, since weights sum to 1; $\sum_j dK_j = 0$, since one vector
added to all keys changes no weight; and $\langle Q, dQ \rangle = \langle K, dK \rangle$, since only the products of both count.

**Exercise 4.** ●● Write the body of the loop over tiles. Hidden tiles are not touched, and rows without a key ($L = -\infty$) have zero gradients.
Take $Y$ and $L$ as they are given: where several processors share the keys, each has a part of $K$ and $V$, and $Y$ and $L$ of all keys. Its
$dK$ and $dV$ are then those of its part, and $dQ$ is its share of a sum.

<details><summary>Hint: rows without a key</summary>

For them $E - L$ is $\infty$ or NaN. Take $+\infty$ in place of $-\infty$ as their $L$, and $P$ becomes 0.
</details>
"""

# %% nbgrader={"grade_id": "flash_backward", "solution": true}
def flash_backward(Q, K, V, Y, L, dY, block_q=16, block_k=16, causal=False):
    """Return dQ, dK and dV, of the shapes of Q, K and V, from what flash_forward returned and dY (..., N_Q, D_V)."""
    N_Q, N_K, scale = Q.shape[-2], K.shape[-2], 1 / math.sqrt(Q.shape[-1])
    dQ, dK, dV = torch.zeros_like(Q), torch.zeros_like(K), torch.zeros_like(V)
    ### BEGIN SOLUTION Compute delta; for each visible tile, compute P again, and add its parts to dQ, dK and dV.
    delta = (dY * Y).sum(dim=-1, keepdim=True)                                 # (..., N_Q, 1)
    L = torch.where(L == -math.inf, math.inf, L).unsqueeze(-1)                 # no key: P becomes 0
    for top in range(0, N_Q, block_q):
        i = slice(top, min(top + block_q, N_Q))
        for start in range(0, min(N_K, i.stop + N_K - N_Q) if causal else N_K, block_k):
            j = slice(start, start + block_k)
            P = torch.exp(scale * Q[..., i, :] @ K[..., j, :].mT - L[..., i, :])   # (..., rows, columns)
            if causal:
                P = P.tril(top + N_K - N_Q - start)
            dE = scale * P * (dY[..., i, :] @ V[..., j, :].mT - delta[..., i, :])
            dV[..., j, :] += P.mT @ dY[..., i, :]
            dQ[..., i, :] += dE @ K[..., j, :]
            dK[..., j, :] += dE.mT @ Q[..., i, :]
    ### END SOLUTION
    return dQ, dK, dV

# %% nbgrader={"grade_id": "check-flash_backward", "grade": true}
check("flash_backward")

# %% [markdown]
r"""
An `autograd.Function` joins the two: `forward` saves tensors, and `backward` gets the gradient of the result. `gradcheck` compares its
gradients with finite differences.

**Before you run it:** how many MiB are kept for the backward pass of one head with $N = 2048$ and $D = 64$ in float32, by the whole matrix and
by your function?
"""

# %% tags=["experiment"]
class FlashAttention(torch.autograd.Function):
    """Attention that keeps Q, K, V, Y and L for the backward pass, and no matrix."""

    @staticmethod
    def forward(ctx, Q, K, V, block, causal):
        Y, L = flash_forward(Q, K, V, block, block, causal)
        ctx.save_for_backward(Q, K, V, Y, L)
        ctx.options = block, block, causal
        return Y

    @staticmethod
    def backward(ctx, dY):
        return *flash_backward(*ctx.saved_tensors, dY, *ctx.options), None, None


def kept_for_backward(attend, N):
    """Return the MiB of all different tensors that are kept from the forward pass."""
    sizes = {}
    with torch.autograd.graph.saved_tensors_hooks(
        lambda x: sizes.setdefault(x.untyped_storage().data_ptr(), (x, x.untyped_storage().nbytes())) and x, lambda x: x):
        attend(*(torch.randn(N, 64, requires_grad=True) for _ in range(3)))
    return sum(size for _, size in sizes.values()) / 2**20


torch.manual_seed(0)
small = [torch.randn(N, 3, dtype=torch.float64, requires_grad=True) for N in (7, 9, 9)]
for causal in (False, True):
    print(f"causal={causal}: gradcheck", torch.autograd.gradcheck(lambda *x: FlashAttention.apply(*x, 4, causal), small))
kept = {}
for N in (512, 2048):
    kept["whole matrix", N] = kept_for_backward(whole_matrix, N)
    kept["tiles", N] = kept_for_backward(lambda *x: FlashAttention.apply(*x, 256, False), N)
    print(f"N = {N}: whole matrix {kept['whole matrix', N]:.1f} MiB, tiles {kept['tiles', N]:.1f} MiB")

# %% tags=["numbers"]
says("17.5 MiB", kept["whole matrix", 2048])
says("2.0 MiB", kept["tiles", 2048])
given("$2D = 128$ operations for each weight, where reading it would move 4 bytes", "$128 / 4 = 32$")
claims("Four times\nthe length keeps four times as much",
       abs(kept["tiles", 2048] / kept["tiles", 512] - 4) < 0.05 and kept["whole matrix", 2048] > 10 * kept["whole matrix", 512])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The whole matrix keeps 17.5 MiB at $N = 2048$, mostly $A$, and the tiles keep 2.0 MiB: $Q$, $K$, $V$, $Y$ and a column of numbers. Four times
the length keeps four times as much with tiles, and over ten times as much with the whole matrix. The price is one more product,
$Q K^\top$, in the backward pass: $2D = 128$ operations for each weight, where reading it would move 4 bytes. By section 1 that is cheaper than
reading $A$ if the edge of the roof is to the right of $128 / 4 = 32$ operations per byte, as on GPUs. On one core it may not be: look at yours.
</details>

## 5 Tiles that a mask hides

A mask saves time only if whole tiles can be left out. `flex_attention` of PyTorch (Dong et al. 2024) therefore sorts the tiles of a mask into three
kinds (a **block mask**): in a *hidden* tile no pair is allowed, and it is skipped; in a *full* tile all pairs are, and no mask is read; only in a
*partial* tile is the mask looked at, pair by pair.

**Exercise 5.** ● Write `block_kinds`: an int64 tensor with one number for each tile: 0 hidden, 1 partial, 2 full. Tiles at the lower and right
edge may be smaller; only their real pairs count.
"""

# %% nbgrader={"grade_id": "block_kinds", "solution": true}
def block_kinds(allowed, block_q, block_k):
    """Return the kinds (tiles of rows, tiles of columns) of the mask allowed (N_Q, N_K): 0 hidden, 1 partial, 2 full."""
    ### BEGIN SOLUTION Cut the mask into tiles, and ask of each whether any and whether all of its pairs are allowed.
    rows = [rows.split(block_k, dim=1) for rows in allowed.split(block_q, dim=0)]
    return torch.tensor([[int(tile.any()) + int(tile.all()) for tile in row] for row in rows], device=allowed.device)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-block_kinds", "grade": true}
check("block_kinds")

# %% [markdown]
r"""
**Before you run it:** a causal mask, a window of 128 keys, and eight texts of different lengths in one row, at $N = 1024$. Which share of the
pairs does each allow, and which share of the tiles has to be computed, with tiles of 16 and of 128?
"""

# %% tags=["experiment"]
N = 1024
i, j = torch.arange(N)[:, None], torch.arange(N)[None, :]
torch.manual_seed(0)
text = torch.repeat_interleave(torch.arange(8), torch.tensor([40, 300, 90, 170, 60, 210, 30, 124]))      # which text a token is of
masks = {"causal": j <= i, "window of 128": (j <= i) & (i - j < 128), "eight texts": (text[:, None] == text[None, :]) & (j <= i)}
computed, whole_tiles = {}, {}
for name, allowed in masks.items():
    computed[name, 1] = allowed.float().mean().item()
    for size in (16, 128):
        kinds = block_kinds(allowed, size, size)
        computed[name, size] = (kinds > 0).float().mean().item()
        whole_tiles[name, size] = (kinds == 2).sum().item() / (kinds > 0).sum().item()
        print(f"{name:13} {100 * computed[name, 1]:4.1f} % of the pairs; tiles of {size:3}: {100 * computed[name, size]:4.1f} % computed,"
              f" {100 * whole_tiles[name, size]:3.0f} % of these full")
_, sides = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for side, (name, allowed) in zip(sides, masks.items()):
    side.imshow(block_kinds(allowed, 64, 64), cmap="Blues", vmin=0, vmax=2)
    side.set(title=f"{name}, tiles of 64", xlabel="block of keys", ylabel="block of queries")


# %% tags=["numbers"]
says("50.8 % of the tiles of 16 and 56.2 % of those of 128", computed["causal", 16], 16, computed["causal", 128], 128)
says("11.7 % of the pairs, 13.2 % of the tiles of 16 and 23.4 % of those of 128", computed["window of 128", 1], computed["window of 128", 16], 16,
     computed["window of 128", 128], 128)
says("9.2 %, 11.5 % and 25.0 %", *(computed["eight texts", size] for size in (1, 16, 128)))
claims("No tile of 128 in the window is full", whole_tiles["window of 128", 128] == 0)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the pictures full tiles are dark, partial ones light and hidden ones white. Of the causal mask 50.8 % of the tiles of 16 and 56.2 % of those of 128
have to be computed: half the work is saved. Of the window it is 11.7 % of the pairs, 13.2 % of the tiles of 16 and 23.4 % of those of 128: a large tile
computes more pairs in vain. For the eight texts it is 9.2 %, 11.5 % and 25.0 %. No tile of 128 in the window is full, so all need the mask. Section 1
wants large tiles and sparse masks want small ones.
</details>

### 5.1 Attention under a block mask (optional)

**Exercise 6 (optional).** ●● Write `block_sparse_attention`. Tiles of kind 0 are not touched: their keys and values may hold anything, NaN too. In tiles
of kind 2 `allowed` is not looked at, whatever it holds. A row without a key has zeros.

<details><summary>Hint</summary>

Compute one state for each tile and join states with `merge_states`, or keep $m$, $l$ and $S$ as in exercise 3.
</details>
"""

# %% nbgrader={"grade_id": "block_sparse_attention", "solution": true}
def block_sparse_attention(Q, K, V, allowed, kinds, block_q, block_k):
    """Return Y (N_Q, D_V) for Q (N_Q, D), K (N_K, D), V (N_K, D_V), a mask (N_Q, N_K) and its kinds."""
    ### BEGIN SOLUTION For each block of queries, join the states of its visible tiles, starting from the empty state.
    outputs = [V.new_zeros(0, V.shape[-1])]
    for a, q in enumerate((Q / math.sqrt(Q.shape[-1])).split(block_q)):
        Y, L = V.new_zeros(len(q), V.shape[-1]), V.new_full((len(q),), -math.inf)
        for b in kinds[a].nonzero().flatten().tolist():
            j = slice(b * block_k, (b + 1) * block_k)
            E = q @ K[j].mT                                                    # (rows, columns)
            if kinds[a, b] == 1:
                E = E.masked_fill(~allowed[a * block_q:(a + 1) * block_q, j], -math.inf)
            Y, L = merge_states(Y, L, torch.softmax(E, dim=-1).nan_to_num(0.0) @ V[j], E.logsumexp(dim=-1))
        outputs.append(Y)
    return torch.cat(outputs)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-block_sparse_attention", "grade": true}
check("block_sparse_attention")

# %% [markdown]
r"""
## 6 One query, many keys

While a model writes, there is one query for each head. Divided by blocks of queries, the work of a head is a single block, and a GPU with
a hundred processors would use one of them for it. **Flash-Decoding** (Dao et al. 2023) splits the *keys* instead. Each processor makes the
state of its part, and exercise 2 joins them.

With $N$ keys and $n$ splits, split $s$ takes $c = \lceil N / n \rceil$ keys, from $s\,c$ on. The last splits may be shorter, or empty. As in lesson
15, query head $h$ reads head $\lfloor h / (H / G) \rfloor$ of the keys and values.

**Exercise 7.** ● Write `split_states`. An empty split has the state $(0, -\infty)$.
"""

# %% nbgrader={"grade_id": "split_states", "solution": true}
def split_states(q, K, V, splits):
    """Return Y (splits, H, D_V) and L (splits, H) for q (H, D), K (G, N, D) and V (G, N, D_V)."""
    ### BEGIN SOLUTION Make the state of each split, and stack them.
    H, G, size = len(q), len(K), math.ceil(K.shape[1] / splits)
    q = q.reshape(G, H // G, q.shape[-1]) / math.sqrt(q.shape[-1])             # (G, H / G, D)
    outputs, logs = [], []
    for split in range(splits):
        j = slice(split * size, (split + 1) * size)
        E = q @ K[:, j].mT                                                     # (G, H / G, keys)
        outputs.append((torch.softmax(E, dim=-1) @ V[:, j]).flatten(0, 1))     # (H, D_V)
        logs.append(E.logsumexp(dim=-1).flatten())                             # (H,)
    return torch.stack(outputs), torch.stack(logs)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-split_states", "grade": true}
check("split_states")

# %% [markdown]
r"""
**Before you run it:** with $n$ splits on $n$ processors, the longest chain of work is $\lceil N/n \rceil$ keys and, joined as a tree,
$\lceil \log_2 n \rceil$ merges. Let a merge cost as much as three keys. Which power of two is the best number of splits for 512 keys, and which for
32,768? How much more is moved in all?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
q, K, V = torch.randn(8, 64), torch.randn(2, 1000, 64), torch.randn(2, 1000, 64)
one = split_states(q, K, V, 1)[0][0]
for splits in (2, 7, 64, 1500):
    Y, _ = from_the_left(list(zip(*split_states(q, K, V, splits))))
    print(f"{splits:4} splits: the result differs by {(Y - one).abs().max():.0e}")

best, gain, more = {}, {}, {}
for N in (512, 32768):
    chain = {splits: math.ceil(N / splits) + 3 * math.ceil(math.log2(splits)) for splits in (2**k for k in range(N.bit_length()))}
    best[N] = min(chain, key=chain.get)
    gain[N] = chain[1] / chain[best[N]]
    more[N] = best[N] * 65 * 2 / (2 * N * 64)                                   # states are written and read; K and V are read
    print(f"{N:5} keys: best with {best[N]} splits, {gain[N]:.0f} times shorter, {100 * more[N]:.0f} % more is moved")

# %% tags=["numbers"]
claims("128 splits for 512 keys and 8,192 for 32,768", best == {512: 128, 32768: 8192})
says("a quarter (25 %) more is\nmoved", more[32768])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Any number of splits gives the same result up to rounding, even more splits than keys. By this count the best is 128 splits for 512 keys and 8,192 for 32,768:
four keys for each split, and a quarter (25 %) more is
moved, since every state is written and read. No GPU has 8,192 processors; one with a hundred is busy with as many splits as that, and then
a split has hundreds of keys, and its state costs little.
</details>

## 7 A cache in pages

A server keeps one cache for each text, and does not know how long the text will become. Room for the longest is wasted on most. vLLM (Kwon et al.
2023) cuts the cache into **pages** of a few tokens, as an operating system does with memory: `K_pages (P, size, G, D)` holds pages of all texts,
in any order, and row $b$ of the *block table* lists the pages of text $b$. Its token $t$ lies in page `table[b, t // size]` at place `t % size`.
Entries of the table beyond the text's length hold no valid number, and unused places of a page hold anything: old numbers of other texts, NaN too.

"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (row of text b: 5, 2, 7) | .
    p5 = (page 5: tokens 0 – 3) | p2 = (page 2: tokens 4 – 7) | p7 = (page 7: tokens 8, 9)
    attend = [attention of the query of b]
    row of text b -> p5, p2, p7
    p5, p2, p7 -> attend
""", title="A text of 10 tokens in pages of 4, which lie anywhere");

# %% [markdown]
r"""
**Exercise 8.** ●● Write `paged_attention`: one query for each text and head, against that text's keys. A text of length 0 gets zeros.

<details><summary>Hint: indexing</summary>

With `t = torch.arange(length)`, `K_pages[table[b, t // size], t % size]` has shape `(length, G, D)`.
</details>
"""

# %% nbgrader={"grade_id": "paged_attention", "solution": true}
def paged_attention(q, K_pages, V_pages, table, lengths):
    """Return Y (B, H, D_V) for q (B, H, D).

    K_pages (P, size, G, D), V_pages (P, size, G, D_V): rows of all texts; table (B, most pages): the pages of each text, in order;
    lengths (B,): tokens of each text.
    """
    ### BEGIN SOLUTION For each text, gather its keys and values by the table, and attend with groups of heads.
    (B, H, D), (_, size, G, D_V) = q.shape, V_pages.shape
    Y = q.new_zeros(B, H, D_V)
    for b, length in enumerate(lengths.tolist()):
        t = torch.arange(length, device=q.device)
        pages, places = table[b, t // size].long(), t % size
        K, V = K_pages[pages, places], V_pages[pages, places]                  # (length, G, D), (length, G, D_V)
        E = q[b].reshape(G, H // G, D) @ K.permute(1, 2, 0) / math.sqrt(D)     # (G, H / G, length)
        Y[b] = (torch.softmax(E, dim=-1) @ V.transpose(0, 1)).reshape(H, D_V)
    return Y
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-paged_attention", "grade": true}
check("paged_attention")

# %% [markdown]
r"""
**Before you run it:** 256 texts have 1 to 2,048 tokens, most of them few. Which share of the room is used if each text reserves room for 2,048 tokens,
and which with pages of 16, of 128, of 1,024?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
lengths = (2048 ** torch.rand(256)).long()                                      # the logarithm is uniform
used = {"reserved": lengths.sum().item() / (256 * 2048)}
for size in (16, 128, 1024):
    used[size] = lengths.sum().item() / (size * torch.ceil(lengths / size).sum().item())
for name, share in used.items():
    print(f"{name}: {100 * share:.0f} % of the room is used")

# %% tags=["numbers"]
says("11 % of the reserved room", used["reserved"])
says("96 % of pages of 16", used[16], 16)
says("72 % of pages of 128 and 21 % of pages of 1,024", used[128], 128, used[1024], 1024)
claims("more than eight times as many texts", 8 < used[16] / used["reserved"] < 9)
claims("about half a page for each text", abs((16 * torch.ceil(lengths / 16) - lengths).mean().item() - 8) < 1.6)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

11 % of the reserved room is used, and 96 % of pages of 16. Large pages waste room as reservations do: only 72 % of pages of 128 and 21 % of pages of 1,024 is used.
So with pages of 16 the same device has room for more than eight times as many texts. The waste that is left is
about half a page for each text.
</details>

## 8 Many lengths in one row (optional)

A batch of texts of different lengths is padded to the longest, and a kernel computes padding. Kernels for *variable length* take all texts one after the
other in a single row, without padding, and the places where each begins: `starts = [0, 3, 3, 20]` are three texts of 3, 0 and 17 tokens (`cu_seqlens`).

**Exercise 9 (optional).** ●● Write `packed_attention`. Shapes: `Q (H, total queries, D)`, `K (H, total keys, D)`, `V (H, total keys, D_V)`. Queries
of a text see keys of the same text only. With `causal` they are the last of its keys, as in exercise 3. Rows without a key have zeros. A text's
numbers must not leak into another's result, not even NaN.
"""

# %% nbgrader={"grade_id": "packed_attention", "solution": true}
def packed_attention(Q, K, V, starts_q, starts_k, causal=False):
    """Return Y (H, total queries, D_V). starts_q, starts_k (texts + 1,): where each text begins, and at the end the totals."""
    ### BEGIN SOLUTION Attend text by text, and put the outputs one after the other.
    Y = Q.new_zeros(*Q.shape[:-1], V.shape[-1])
    queries, keys = starts_q.tolist(), starts_k.tolist()
    for a, b, c, d in zip(queries, queries[1:], keys, keys[1:]):
        Y[:, a:b], _ = flash_forward(Q[:, a:b], K[:, c:d], V[:, c:d], causal=causal)
    return Y
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-packed_attention", "grade": true}
check("packed_attention")

# %% [markdown]
r"""
## 9 Address by address (optional)

A GPU does not call a function with tensors. It starts a **kernel** as many *programs*, hundreds at a time and in any order. Each program gets its
number, the addresses at which the tensors begin, and their sizes, and loads and stores the numbers itself. `Memory` is such a device memory, on
any computer:

- `memory.load(addresses, mask, other)` returns the numbers at these addresses, a tensor of any shape. Where `mask` is False nothing is touched, and
  the result is `other`. Without `other` it is NaN there: on a GPU it is undefined.
- A program *returns* what it stores: addresses, values, and a mask. (A GPU would store at once. Here the check stores, and looks at where.)
- A program has room for a few tiles, not for a matrix: from exercise 11 on, a single load reads at most two tiles.
- The row in line $i$ of a matrix at address `X` begins at `X + i * stride`. `stride` may exceed the number of columns: between two rows there may be
  numbers of other tensors.

Blocks have fixed sizes (in Triton, powers of two), so the last block of a row is longer than what is left of it. The mask keeps a program inside
its tensor. In **Triton** (Tillet et al. 2019) the same lines are written with `tl.load`, `tl.arange` and `tl.program_id(0)`.

**Exercise 10 (optional).** ● Write `softmax_kernel`: program `program` computes the softmax of that row. It loads each number once, and what is
beyond the row adds nothing.

<details><summary>Hint: what stands in for numbers beyond the row</summary>

$e^{-\infty} = 0$.
</details>
"""

# %% nbgrader={"grade_id": "softmax_kernel", "solution": true}
def softmax_kernel(memory, program, X, Y, columns, X_stride, Y_stride, block):
    """Return (addresses, values, mask), each (block,): the softmax of one row at X, to be stored at Y. block >= columns."""
    ### BEGIN SOLUTION Load the row with a mask, and return the addresses of the row at Y, its softmax, and the mask.
    j = torch.arange(block)
    inside = j < columns
    row = memory.load(X + program * X_stride + j, inside, -math.inf)          # (block,)
    weights = torch.exp(row - row.max())
    return Y + program * Y_stride + j, weights / weights.sum(), inside
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-softmax_kernel", "grade": true}
check("softmax_kernel")

# %% [markdown]
r"""
### 9.1 A product in tiles (optional)

A program of the matrix product $C = A B$ computes one tile of $C$, `block` by `block`. The tiles are numbered row by row: with three tiles side
by side, program 4 computes row 1, column 1. It walks along $K$ in steps of `block`, loads a tile of $A$ and one of $B$, and adds their product.

**Exercise 11 (optional).** ●● Write `matmul_kernel`. $M$, $N$ and $K$ need not be multiples of the block. After a row of $A$ comes
another row, or NaN.

<details><summary>Hint: a matrix of addresses</summary>

With rows `i` of shape `(block, 1)` and columns `k` of shape `(1, block)`, `A + i * A_stride + k` has shape `(block, block)`.
</details>
"""

# %% nbgrader={"grade_id": "matmul_kernel", "solution": true}
def matmul_kernel(memory, program, A, B, C, M, N, K, A_stride, B_stride, C_stride, block):
    """Return (addresses, values, mask), each (block, block): one tile of the product of A (M, K) and B (K, N)."""
    ### BEGIN SOLUTION Find the rows and columns of the tile; add the products of tiles of A and B; return where the tile goes.
    tiles = math.ceil(N / block)
    i = program // tiles * block + torch.arange(block)[:, None]               # (block, 1)
    j = program % tiles * block + torch.arange(block)[None, :]                # (1, block)
    total = 0.0
    for start in range(0, K, block):
        k = start + torch.arange(block)                                       # (block,)
        a = memory.load(A + i * A_stride + k[None, :], (i < M) & (k[None, :] < K), 0.0)
        b = memory.load(B + k[:, None] * B_stride + j, (k[:, None] < K) & (j < N), 0.0)
        total = total + a @ b                                                 # (block, block)
    return C + i * C_stride + j, total, (i < M) & (j < N)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-matmul_kernel", "grade": true}
check("matmul_kernel")

# %% [markdown]
r"""
**Before you run it:** how often is each number of $A$ loaded, with tiles of 4 and of 16? And what happens if a kernel forgets the mask of its
stores and the programs run in another order?
"""

# %% tags=["experiment"]
def without_store_mask(*args):
    """Return the stores of matmul_kernel with a mask that hides nothing."""
    addresses, values, mask = matmul_kernel(*args)
    return addresses, values, torch.ones_like(mask)


torch.manual_seed(0)
A, B = torch.randn(20, 20), torch.randn(20, 20)
loads, wrong = {}, {}
for block in (4, 16):
    memory, (a, b, c) = Memory.holding(A, B, torch.zeros(400))
    programs = range(math.ceil(20 / block) ** 2)
    launch(matmul_kernel, programs, memory, a, b, c, 20, 20, 20, 20, 20, 20, block)
    loads[block] = ((memory.loaded >= a) & (memory.loaded < a + 400)).sum().item() / 400
    print(f"tiles of {block:2}: each number of A is loaded {loads[block]:.0f} times")
for order, programs in (("in order", [0, 1, 2, 3]), ("backwards", [3, 2, 1, 0])):
    memory, (a, b, c) = Memory.holding(A, B, torch.zeros(400 + 256 + 12 * 20))
    launch(without_store_mask, programs, memory, a, b, c, 20, 20, 20, 20, 20, 20, 16)
    wrong[order] = (memory.numbers[c:c + 400].view(20, 20) - A @ B).abs().gt(1e-4).sum().item()
    print(f"without the mask of the stores, {order}: {wrong[order]} of 400 numbers are wrong")

# %% tags=["numbers"]
claims("five times with tiles of 4, twice with tiles of 16", loads == {4: 5, 16: 2})
claims("216 of 400 numbers are wrong in order, and 12 backwards", wrong == {"in order": 216, "backwards": 12})

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Each number of $A$ is loaded five times with tiles of 4, twice with tiles of 16: once for each tile of $C$ in its rows. Without the mask, a tile at the
right edge writes into the beginning of the next rows: 216 of 400 numbers are wrong in order, and 12 backwards, because the programs that come
later write right numbers over wrong ones. On a GPU no order is promised. Triton's interpreter runs programs in one order only, in which such a
mistake may be hidden; your check runs them in random order.
</details>

### 9.2 Attention in a program (optional)

**Exercise 12 (optional).** ●● Write the loop of `flash_kernel`. Each program has one block of queries; all matrices have the same `stride`, and `L` is a
row of single numbers. It loads its queries once. It loads keys and values once, in blocks of `block_k`, and only those that some query sees.
"""

# %% nbgrader={"grade_id": "flash_kernel", "solution": true}
def flash_kernel(memory, program, Q, K, V, Y, L, N_Q, N_K, D, stride, block_q, block_k, causal):
    """Return two stores (addresses, values, mask): block_q rows of Y, and their numbers of L."""
    i = program * block_q + torch.arange(block_q)[:, None]                    # (block_q, 1): rows of queries
    d = torch.arange(D)[None, :]                                              # (1, D): columns
    q = memory.load(Q + i * stride + d, i < N_Q, 0.0) / math.sqrt(D)          # (block_q, D)
    m = torch.full_like(q[:, :1], -math.inf)                                  # (block_q, 1)
    l, S = torch.zeros_like(m), torch.zeros_like(q)
    end = min(N_K, (program + 1) * block_q + N_K - N_Q) if causal else N_K    # no query of this block sees a key from here on
    ### BEGIN SOLUTION Walk over the blocks of keys up to `end`, load keys and values with a mask, and renew m, l and S.
    for start in range(0, end, block_k):
        j = start + torch.arange(block_k)[:, None]                            # (block_k, 1): rows of keys
        k, v = (memory.load(X + j * stride + d, j < N_K, 0.0) for X in (K, V))
        seen = (j.T <= i + N_K - N_Q) & (j.T < N_K) if causal else j.T < N_K  # (block_q or 1, block_k)
        E = (q @ k.T).masked_fill(~seen, -math.inf)
        m_new = torch.maximum(m, E.amax(dim=1, keepdim=True))
        finite = m_new.nan_to_num(neginf=0.0)
        P, factor = torch.exp(E - finite), torch.exp(m - finite)
        l, S, m = factor * l + P.sum(dim=1, keepdim=True), factor * S + P @ v, m_new
    ### END SOLUTION
    return (Y + i * stride + d, S / torch.where(l == 0, 1.0, l), i < N_Q), (L + i, m + torch.log(l), i < N_Q)

# %% nbgrader={"grade_id": "check-flash_kernel", "grade": true}
check("flash_kernel")

# %% [markdown]
r"""
### 9.3 Heads that share their keys (optional)

A model with **grouped queries** (Ainslie et al. 2023) has fewer heads of keys than heads of queries. While it writes, each of
its heads has one query. With a program for each head of queries, the keys of a group would be loaded once for each of its
heads. With a program for each head of *keys*, the queries of its group are the rows of a tile.

Head $h$ of the queries is row $h$ of $Q$ and $Y$, and has the keys of head $\lfloor h / \mathrm{group} \rfloor$. Those of head
$g$ are the rows $g N_K$ to $(g + 1) N_K - 1$ of $K$ and $V$: below them lie the keys of the next head.

**Exercise 13 (optional).** ● Write `grouped_kernel` for head `program` of the keys. Every key and value is loaded once, in blocks of
`block_k`. You may call your `flash_kernel`: what changes is where things begin.
"""

# %% nbgrader={"grade_id": "grouped_kernel", "solution": true}
def grouped_kernel(memory, program, Q, K, V, Y, N_K, D, group, stride, block_k):
    """Return a store (addresses, values, mask): the rows of Y for the `group` queries of one head of keys."""
    ### BEGIN SOLUTION Take the group as the only block of queries of flash_kernel, with keys and values that begin at the head's.
    queries, keys = program * group * stride, program * N_K * stride
    outputs, _ = flash_kernel(memory, 0, Q + queries, K + keys, V + keys, Y + queries, 0, group, N_K, D, stride, group, block_k, False)
    return outputs
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-grouped_kernel", "grade": true}
check("grouped_kernel")

# %% [markdown]
r"""
**Before you run it:** eight heads of queries share two heads of 100 keys, of width 16. How many times more numbers does a program for each head of
queries load? And why is it not exactly four times as many?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
HEADS, N_K, D = 8, 100, 16
Q, all_loads = torch.randn(HEADS, D), {}
for kv_heads in (8, 2):
    K, V = torch.randn(2, kv_heads * N_K, D)
    memory, (q, k, v, y) = Memory.holding(Q, K, V, torch.zeros(HEADS, D))
    launch(grouped_kernel, range(kv_heads), memory, q, k, v, y, N_K, D, HEADS // kv_heads, D, 32)
    all_loads[kv_heads] = len(memory.loaded)
    print(f"{kv_heads} heads of keys: {all_loads[kv_heads]:,} numbers are loaded")

# %% tags=["numbers"]
says("25,728 numbers", all_loads[8])
says("6,528 are loaded", all_loads[2])
says("3.94 times as many", all_loads[8] / all_loads[2])
says("an intensity of 0.5", intensity["one query"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With as many heads of keys as of queries, 25,728 numbers are loaded. A program for each head of queries loads as many with grouped queries, too: its query,
100 keys and 100 values. With a program for each of two heads of keys 6,528 are loaded. The first is 3.94 times as many, not four, since the
queries are loaded once in both. One query has an intensity of 0.5 (section 1), far below the edge of the roof, where time goes to loads. So a step of writing may become nearly
four times as fast, but only by a kernel that knows of the groups.
</details>

A first kernel in Triton, for the sum of two vectors. Its interpreter runs on Linux without a GPU; the cell does nothing where Triton is
not installed (PyTorch for GPUs brings it, elsewhere `pip install triton`). Write exercise 10 in the same way, and compare it with `torch.softmax`.
"""

# %% tags=["experiment"]
import importlib.util
import os

if importlib.util.find_spec("triton") is None:
    print("Triton is not installed here.")
else:
    os.environ.setdefault("TRITON_INTERPRET", "0" if torch.cuda.is_available() else "1")   # before Triton is imported
    import triton
    import triton.language as tl

    @triton.jit
    def triton_add(X, Y, Z, n, BLOCK: tl.constexpr):
        places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        there = places < n
        total = tl.load(X + places, mask=there, other=0.0) + tl.load(Y + places, mask=there, other=0.0)
        tl.store(Z + places, total, mask=there)

    x, y = torch.randn(2, 1000, device="cuda" if torch.cuda.is_available() else "cpu")
    z = torch.empty_like(x)
    triton_add[(triton.cdiv(1000, 64),)](x, y, z, 1000, BLOCK=64)
    print("largest difference from x + y:", (z - (x + y)).abs().max().item())

# %% [markdown]
r"""
## 10 What to take along

- Count bytes first. Attention in tiles does the same operations and moves less, if the tiles are large enough.
- An output and its log-sum-exp are a state; states of parts of the keys join in any order.
- The backward pass computes the weights again from $L$ instead of keeping them.
- A mask saves what it hides in whole tiles.
- With one query, reading the cache is what costs: split it over processors, and keep it in pages.
- Test odd lengths, $N_Q \neq N_K$, rows without a key, and $L$. Values of 1 must give 1.
"""

# %% [markdown]
r"""
### Sources

S. Williams, A. Waterman, D. Patterson, *Roofline: an insightful visual performance model for multicore architectures*, 2009. M. Milakov, N.
Gimelshein, *Online normalizer calculation for softmax*, 2018. T. Dao et al., *FlashAttention: fast and memory-efficient exact attention with
IO-awareness*, 2022. T. Dao, *FlashAttention-2: faster attention with better parallelism and work partitioning*, 2023. T. Dao, D. Haziza, F.
Massa, G. Sizov, *Flash-Decoding for long-context inference*, 2023. J. Ainslie et al., *GQA: training generalized multi-query transformer models
from multi-head checkpoints*, 2023. W. Kwon et al., *Efficient memory management for large language model serving
with PagedAttention*, 2023. P. Tillet, H. T. Kung, D. Cox, *Triton: an intermediate language and compiler for tiled neural network
computations*, 2019. J. Dong et al., *Flex Attention: a programming model for generating optimized attention kernels*, 2024.
"""
