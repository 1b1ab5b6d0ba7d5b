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
# 2 Multi-head attention

You put several attention layers, the *heads*, side by side without adding a single parameter. Then you use the result for
sentences of different lengths, for writing word by word, and between the pixels of a picture.

| section | the one change | exercise |
|---|---|---|
| 1 | none: why one mean is not enough | |
| 2 | the width is cut into heads, and put together again | `split_heads`, `merge_heads` |
| 3 | every head attends separately | `MultiHeadAttention` |
| 4 | none: what heads cost, and why their order means nothing | written question 1 |
| 5 | none: what heads learn | |
| 6 | the sentences of a batch have different lengths | `padding_mask` |
| 7 | the words arrive one at a time | `CachedSelfAttention`, written question 2 |
| 8 | pixels instead of words | `ConvSelfAttention` (optional) |

**Before you begin.** Lesson 1. Plan about three and a half hours; the optional parts take about half an hour more.
Exercise 5 is the hardest; later lessons need sections 2, 3, 6 and 7. Leave out what is marked "(optional)" if you like:
the rest does not need it. Its points count unless your teacher says otherwise. The solution runs in half a minute,
without a GPU.

## How this notebook works

As in lesson 1: write an exercise, run its check, answer each question before you run the experiment below it.

- ●: a few lines. ●●: about 25 minutes. ●●●: about an hour; try your code on the smallest example that
  you can check by hand.
- Unless the text says otherwise, your code keeps the device and the dtype (float64 in, float64 out), leaves its
  arguments unchanged, accepts any memory layout, lets gradients through and works for a batch of one.
- What you wrote in lesson 1 is ready-made here: `attention_weights` returns $A$, and `causal_mask` is the one you know.
- Forbidden in the exercises: `nn.MultiheadAttention` and the layers that contain it, and `split_heads`, `merge_heads`,
  `MultiHeadAttention` and `padding_mask` of `course_lib.layers`, under whatever name.

**Notation.** `allowed` is a mask as in lesson 1: **True means "may attend"**, and a query that may attend to nothing
gets zeros in $A$.

| symbol | meaning | in papers and libraries |
|---|---|---|
| $B$, $H$ | number of sequences in the batch, number of heads | batch size; $h$, `num_heads`, `n_head` |
| $N$; $N_Q$, $N_K$ | length of a sequence; numbers of queries and of keys, where they differ | $n$, $T$, `seq_len`; `tgt_len`, `src_len` |
| $D$ | model width: the width of the layer's input and output | $d_\text{model}$, `embed_dim`, `hidden_size` |
| $D_H = D / H$ | width of one head | $d_k$ and $d_v$, `head_dim` |
| $Q$, $K$, $V$ | $B \times N \times D$ before the split, $B \times H \times N \times D_H$ after it | query, key, value; kept keys and values are the KV cache, `past_key_values` |
| $W_Q$, $W_K$, $W_V$; $W_O$ | the projections of the input; of the merged heads | `q_proj`, `k_proj`, `v_proj`, together `in_proj_weight`; $W^O$, `out_proj`, `c_proj` |
| $E$, $A$ | attention scores and weights, $B \times H \times N_Q \times N_K$ | attention scores or logits; `attn_weights` |
| $Y$ | outputs, $B \times N_Q \times D$ | `attn_output` |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.multi_head_attention import check
from course_lib import devices, plots
from course_lib.layers import attention_weights, causal_mask
from course_lib.predictions import came_out, predict

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 One mean is not enough

In "dog bites man" the word "bites" needs to know two things: who bites, and who is bitten. It may look at both words,
with weight 1/2 each. But what it *gets* is one vector, their mean:

$$y = \tfrac12\, v_{\text{dog}} + \tfrac12\, v_{\text{man}}$$

Now let it look twice. One query asks who comes before, another who comes after, each with a softmax of its own, and the
two answers are concatenated. For a fair comparison the single query asks by position, too: for what comes before *or*
after. The words below are points in the plane, placed by hand.

**Before you run it:** where is the mean of "dog" and "man"? What changes for one look, and what for two, when the
sentence becomes "man bites dog"? Would it help if the one query asked three times as much for what comes before?
"""

# %% tags=["experiment"]
import matplotlib.pyplot as plt

values = {"dog": (-1.0, 0.0), "bites": (0.0, 1.0), "man": (1.0, 0.0), "monkey": (0.0, 0.0), "cat": (-0.8, 0.4)}
places = torch.eye(3)                                                           # (3, 3): keys that say where a word is
before_and_after = 20 * places[[0, 2]]                                          # (2, 3): the queries of "bites", if it has two
before_or_after = before_and_after.sum(dim=0, keepdim=True)                     # (1, 3): its query, if it has one
more_before = before_or_after + math.sqrt(3) * math.log(3) * places[:1]         # (1, 3): three times the weight on the first

_, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
for text, marker in (("dog bites man", "x"), ("man bites dog", "+")):
    V = torch.tensor([values[word] for word in text.split()])                   # (3, 2)
    one = attention_weights(before_or_after, places) @ V                        # (1, 3) @ (3, 2) -> (1, 2)
    uneven = attention_weights(more_before, places) @ V                         # (1, 3) @ (3, 2) -> (1, 2)
    two = attention_weights(before_and_after, places) @ V                       # (2, 3) @ (3, 2) -> (2, 2)
    side_by_side = [round(number, 2) + 0.0 for number in two.flatten().tolist()]
    print(f"{text}: one look {[round(number, 2) + 0.0 for number in one[0].tolist()]}, two looks {side_by_side}")
    axes[0].scatter(*one.T, s=140, marker=marker, color="#d55e00", label=f'"{text}"', zorder=3)
    axes[0].scatter(*uneven.T, s=140, marker=marker, color="#e69f00", zorder=3)
    shift = 0.13 if text.startswith("dog") else 0.26
    axes[0].annotate(f'3/4 from before, "{text}"', uneven[0] - torch.tensor([0, shift]), ha="center", va="center", fontsize=8)
    for place, (first, second) in zip(("before", "after"), two):
        axes[1].scatter(first, second, s=140, marker=marker, color="#d55e00", zorder=3)
        axes[1].annotate(f'{place}, "{text}"', (first, second - shift), ha="center", va="center", fontsize=8)

for ax, title in zip(axes, ("What one look returns", "What two looks return")):
    for word, (first, second) in values.items():
        ax.scatter(first, second, s=25, color="#0072b2")
        ax.annotate(word, (first, second + 0.08), ha="center", color="#0072b2")
    ax.set(title=title, xlabel="first coordinate", ylabel="second coordinate", xlim=(-1.6, 1.6), ylim=(-0.4, 1.25))
axes[0].legend(loc="upper right");

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With one look, both sentences give the same point, exactly where the word "monkey" is, which occurs in neither. Uneven
weights, 3/4 and 1/4, tell the two sentences apart, but the points are still where no word of the sentence is. With two
looks the answer has four numbers: the vector of the one who bites, then the vector of the one who is bitten. Turn the
sentence around, and the two halves change places. Nothing was mixed.
</details>

## 2 Heads

### 2.1 The layer in four lines

Vaswani et al. (2017) give the layer $H$ heads. Each head has its own small projections, from the model width $D$ to the
head width $D_H = D / H$, and does what lesson 1 did. The outputs of all heads are concatenated, which makes the width
$D$ again, and a last matrix $W_O$ mixes them:

$$\begin{aligned}
Q_h &= X W_Q^{(h)} \qquad K_h = X W_K^{(h)} \qquad V_h = X W_V^{(h)} && (N \times D)\,(D \times D_H) \text{ each} \\
A_h &= \mathrm{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{D_H}}\right) && N \times N \\
Y_h &= A_h V_h && N \times D_H \\
Y &= \left[\, Y_0 \,|\, Y_1 \,|\, \dots \,|\, Y_{H-1} \,\right] W_O && (N \times D)\,(D \times D)
\end{aligned}$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: N × D)
    [W_O]
    (heads side by side: N × D)
    h0 = [attention: head 0] | h1 = [attention: head 1] | h2 = [attention: head 2]
    q0 = (Q, K, V: N × D_H each) | q1 = (Q, K, V: N × D_H each) | q2 = (Q, K, V: N × D_H each)
    (X: N × D)
    X -> q0, q1, q2
    q0 -> h0
    q1 -> h1
    q2 -> h2
    h0, h1, h2 -> heads side by side
    heads side by side -> W_O
    W_O -> Y
""", title="Multi-head attention, H = 3");

# %% [markdown]
r"""
The scores are divided by $\sqrt{D_H}$, not by $\sqrt{D}$, because the dot products of a head have $D_H$ terms. The base
model of the paper has $D = 512$ and $H = 8$, so $D_H = 64$.

### 2.2 All heads at once

Write the $H$ matrices $W_Q^{(h)}$ side by side: that is one $D \times D$ matrix $W_Q$, and one product $Q = X W_Q$
gives the queries of all heads, side by side as well. Head $h$ owns the columns $h D_H, \dots, (h + 1) D_H - 1$:

$$Q = \left[\, Q_0 \,|\, Q_1 \,|\, \dots \,|\, Q_{H-1} \,\right] \qquad Q\;(\dots, N, D) \;\to\; (\dots, H, N, D_H)$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (X: … × N × D) | (cut: … × N × H × D_H) | ((heads: … × H × N × D_H))
    X -> cut: cut D into H · D_H
    cut -> heads: swap N and H
""", title="split_heads in two steps, and merge_heads back");

# %% [markdown]
r"""
With an axis of their own, in front of $N$, the heads *are* a batch: matrix products and softmax treat all leading axes
alike.

**Exercise 1.** ● Write `split_heads`. Shapes: `X (..., N, D)` in, `(..., H, N, D_H)` out. Take it in two steps, and
write the shape after each. If `num_heads` does not divide $D$, raise a `ValueError` that says what was expected and
what came; slices would otherwise lose columns silently.

<details><summary>Hint: the first step</summary>

Cut the last axis into two: `(..., N, D)` to `(..., N, H, D_H)`. A row of `X` is already in memory as head 0, head 1, and
so on, so `reshape` (or `unflatten`) does the right thing here.
</details>
<details><summary>Hint: the second step</summary>

`transpose` swaps two axes; count them from the end, and you need not know how many leading ones there are.
</details>
"""

# %% nbgrader={"grade_id": "split_heads", "solution": true}
def split_heads(X, num_heads):
    """Return the heads of X as an axis of their own.

    X (..., N, D), with any number of leading axes, also none.
    num_heads: the number H of heads; each gets D_H = D / H neighbouring columns, head 0 the first ones.
    Returns (..., H, N, D_H). Raises ValueError if num_heads does not divide D.
    """
    ### BEGIN SOLUTION Return X with its columns cut into heads and the axis of the heads in front of N.
    *lead, N, D = X.shape
    if D % num_heads != 0:
        raise ValueError(f"Expected a width that {num_heads} heads can share equally, got {D}.")
    X = X.reshape(*lead, N, num_heads, D // num_heads)         # (..., N, H, D_H)
    return X.transpose(-3, -2)                                 # (..., H, N, D_H)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-split_heads", "grade": true}
check("split_heads")

# %% [markdown]
r"""
### 2.3 What a bare `view` does

The shapes would also fit without the second step: `X.view(B, H, N, D_H)` runs, returns a tensor of the right shape, and
is wrong. It is a frequent mistake, and no error message will tell you.

Below, every number of `X` says where it is from: "2·4" is word 2, column 4. The colour is the word.

**Before you run it:** 4 words of width 6, 2 heads. Fill in by hand what head 0 should hold, and what it holds after a
bare `view`. Which words does head 0 then see?
"""

# %% tags=["experiment"]
def show_origin(tensors):
    """Draw (N, D_H) matrices side by side, for tensors that hold 100 · word + column."""
    _, axes = plt.subplots(1, len(tensors), figsize=(9, 2.6), layout="constrained")
    for ax, (title, origin) in zip(axes, tensors.items()):
        ax.imshow(origin // 100, cmap="Pastel1", vmin=0, vmax=8, aspect="auto")
        for row, column in torch.cartesian_prod(*(torch.arange(size) for size in origin.shape)).tolist():
            word, place = divmod(int(origin[row, column]), 100)
            ax.text(column, row, f"{word}·{place}", ha="center", va="center")
        ax.set(title=title, xlabel="column", ylabel="row", xticks=range(origin.shape[1]), yticks=range(origin.shape[0]))


X = 100 * torch.arange(4)[:, None] + torch.arange(6)                            # (4, 1) + (6,) -> (4, 6)
yours, bare = split_heads(X, 2), X.view(2, 4, 3)                                # (2, 4, 3) both
show_origin({"X: word · column": X, "split_heads: head 0": yours[0], "split_heads: head 1": yours[1]})
show_origin({"X: word · column": X, "bare view: head 0": bare[0], "bare view: head 1": bare[1]})

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Done right, every head holds all four words in their order, three columns of each. After the bare `view` head 0 holds
words 0 and 1 only, each in two rows, and head 1 words 2 and 3. The heads are different *pieces* of the sentence instead
of different *looks* at it, and no word of one half attends to a word of the other. No error tells you, and the loss may
fall all the same.
</details>

### 2.4 And back

After attention the heads must be side by side again: $(\dots, H, N, D_H) \to (\dots, N, D)$.

**Exercise 2.** ● Write `merge_heads`, the inverse of `split_heads`: the same two steps, backwards. After a transposition
the numbers are no longer in memory in the order of the axes, and `view` refuses to join such axes.

(Splitting and merging again does not test the two functions: with a bare `view` in both directions the mistake cancels,
and `X` comes back.)

<details><summary>Hint: "view size is not compatible with input tensor's size and stride"</summary>

`reshape` and `flatten` copy the numbers into the new order where they must; `view` never copies.
</details>
"""

# %% nbgrader={"grade_id": "merge_heads", "solution": true}
def merge_heads(Y):
    """Return the heads side by side: Y (..., H, N, D_H) gives (..., N, D) with D = H · D_H. Undoes split_heads."""
    ### BEGIN SOLUTION Return Y with the heads side by side again, head 0 in the first columns.
    Y = Y.transpose(-3, -2)                                    # (..., H, N, D_H) -> (..., N, H, D_H)
    return Y.flatten(-2)                                       # (..., N, D)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-merge_heads", "grade": true}
check("merge_heads")

# %% [markdown]
r"""
## 3 The layer

The queries may come from one sequence and the keys and values from another. In the decoder of a translator the French
words ask (`queries`), and the English words answer (`keys` and `values`). This is **cross-attention**. If only `queries`
are given, they serve as keys and values too: **self-attention**, the common case.

$$Y,\, A = f(\text{queries}, \text{keys}, \text{values})$$

$$(B, N_Q, D),\; (B, N_K, D),\; (B, N_K, D) \;\to\; (B, N_Q, D),\; (B, H, N_Q, N_K)$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: B × N_Q × D)
    [W_O]
    [merge_heads]
    [attention in every head]
    ((Q: B × H × N_Q × D_H)) | ((K: B × H × N_K × D_H)) | ((V: B × H × N_K × D_H))
    s1 = [W_Q, split] | s2 = [W_K, split] | s3 = [W_V, split]
    (queries: B × N_Q × D) | (keys: B × N_K × D) | (values: B × N_K × D)
    queries -> s1
    keys -> s2
    values -> s3
    s1 -> Q
    s2 -> K
    s3 -> V
    Q, K, V -> attention in every head
    attention in every head -> merge_heads
    merge_heads -> W_O
    W_O -> Y
""", title="The layer: queries from one sequence, keys and values from another");

# %% [markdown]
r"""
**Dropout** (Srivastava et al. 2014) acts on the *weights*: in training, each entry of $A$ is set to 0 with probability
$p$, and the rest is divided by $1 - p$, so that the mean stays the same. A query then cannot rely on a single key.
`nn.Dropout` does this, and does nothing after `eval()`. The $A$ that is returned is the one *before* dropout.

**Exercise 3.** ●● Write the module `MultiHeadAttention`, with your own `split_heads` and `merge_heads`. Use
`attention_weights(Q, K, allowed)`, which divides by the root of the width it is given and works with any leading axes.
Write the shapes beside each line before you write the line. `allowed` broadcasts to `(B, H, N_Q, N_K)`, so a causal mask
`(N, N)` can be passed as it is.

<details><summary>Hint: what belongs in __init__</summary>

The test of `num_heads` (the same as in exercise 1), four linear maps of the whole model width, named `W_Q`, `W_K`, `W_V`
and `W_O`, which pass on `bias`, and one `nn.Dropout`. No layers for single heads: each large matrix holds all of them.
</details>
<details><summary>Hint: the order in forward</summary>

Fill in what was left out; project; split; weights; dropout; times the values; merge; `W_O`. Fill in the keys before the
values: `values` may mean `keys`, and `keys` may mean `queries`.
</details>
"""

# %% nbgrader={"grade_id": "MultiHeadAttention", "solution": true}
class MultiHeadAttention(nn.Module):
    """Multi-head attention (Vaswani et al. 2017, section 3.2.2): H heads of width D / H side by side, mixed by W_O.

    W_Q, W_K, W_V and W_O are linear maps from model_width to model_width, with bias unless bias=False.
    dropout: the probability with which a weight is dropped, in training only.
    Raises ValueError if num_heads does not divide model_width.
    """

    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        ### BEGIN SOLUTION Check the number of heads; make the linear maps W_Q, W_K, W_V and W_O, and the dropout.
        if model_width % num_heads != 0:
            raise ValueError(f"Expected a model width that {num_heads} heads can share equally, got {model_width}.")
        self.W_Q = nn.Linear(model_width, model_width, bias=bias)
        self.W_K = nn.Linear(model_width, model_width, bias=bias)
        self.W_V = nn.Linear(model_width, model_width, bias=bias)
        self.W_O = nn.Linear(model_width, model_width, bias=bias)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(self, queries, keys=None, values=None, allowed=None):
        """Return (Y, A): outputs Y (B, N_Q, D) and weights A (B, H, N_Q, N_K), as they are before dropout.

        queries (B, N_Q, D). keys (B, N_K, D): None means queries. values (B, N_K, D): None means keys.
        allowed: None or a bool tensor that broadcasts to (B, H, N_Q, N_K); True means "may attend". A query that may
        attend to nothing gets zeros in A, and so W_O's bias in Y.
        """
        ### BEGIN SOLUTION Return Y and A: project and split, attend in every head, merge, and mix the heads with W_O.
        keys = queries if keys is None else keys
        values = keys if values is None else values
        Q = split_heads(self.W_Q(queries), self.num_heads)     # (B, N_Q, D) -> (B, H, N_Q, D_H)
        K = split_heads(self.W_K(keys), self.num_heads)        # (B, N_K, D) -> (B, H, N_K, D_H)
        V = split_heads(self.W_V(values), self.num_heads)      # (B, N_K, D) -> (B, H, N_K, D_H)
        A = attention_weights(Q, K, allowed)                   # (B, H, N_Q, N_K)
        Y = self.dropout(A) @ V                                # (B, H, N_Q, D_H)
        return self.W_O(merge_heads(Y)), A                     # (B, N_Q, D), (B, H, N_Q, N_K)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-MultiHeadAttention", "grade": true}
check("MultiHeadAttention")

# %% [markdown]
r"""
### 3.1 Side by side with PyTorch's

PyTorch has the same layer, `nn.MultiheadAttention`. It keeps $W_Q$, $W_K$ and $W_V$ in one matrix, one below the other,
and **its mask means the opposite**: True *hides*. Copy the weights from your layer to it, and both must return the same
numbers.

**Before you run it:** what happens if your causal mask, in which True means "may attend", is passed to PyTorch's layer
as it is? Think of the last query.
"""

# %% tags=["experiment"]
torch.manual_seed(0)
mine = MultiHeadAttention(model_width=12, num_heads=3)
theirs = nn.MultiheadAttention(12, 3, batch_first=True)
with torch.no_grad():
    theirs.in_proj_weight.copy_(torch.cat([W.weight for W in (mine.W_Q, mine.W_K, mine.W_V)]))   # (36, 12)
    theirs.in_proj_bias.copy_(torch.cat([W.bias for W in (mine.W_Q, mine.W_K, mine.W_V)]))       # (36,)
    theirs.out_proj.load_state_dict(mine.W_O.state_dict())

french, english = torch.randn(2, 5, 12), torch.randn(2, 7, 12)                  # (B, N_Q, D), (B, N_K, D)
allowed = causal_mask(5)                                                        # (5, 5)
for name, ours, other in (
    ("self-attention", mine(french), theirs(french, french, french, average_attn_weights=False)),
    ("cross-attention", mine(french, english), theirs(french, english, english, average_attn_weights=False)),
    ("causal, mask turned round", mine(french, allowed=allowed), theirs(french, french, french, attn_mask=~allowed)),
    ("causal, mask as it is", mine(french, allowed=allowed), theirs(french, french, french, attn_mask=allowed)),
):
    Y, A = ours
    print(f"{name:26} Y {tuple(Y.shape)}, A {tuple(A.shape)}, largest difference in Y {(Y - other[0]).abs().max():.1e}")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Equal up to rounding, with self-attention, cross-attention and the inverted mask. With the mask as it is, the first
query may see exactly the future, and the last query nothing, so the largest difference is NaN. You are lucky if it is
NaN: where a sentence has padding, an inverted padding mask leaves numbers that look harmless.
</details>
"""

# %% [markdown]
r"""
## 4 What heads cost, and why their order means nothing

### 4.1 The same parameters and multiplications for every $H$

With $H$ heads there are $H$ times as many projections, each $1/H$ as wide. $W_Q$ remains one $D \times D$ matrix,
whatever $H$ is, and so do the other three:

$$\text{parameters} = 4 D^2 + 4 D \qquad \text{multiplications} = \underbrace{4 N D^2}_{\text{projections}} + \underbrace{2 N^2 D}_{Q K^\top \text{ and } A V}$$

Neither formula contains $H$. But there are $H$ matrices $A$: $H N^2$ exponentials to compute, and as many weights to
keep in between.

### 4.2 A head's number is not a name

The product with $W_O$ can be written as a sum. Let $W_O^{(h)}$ be the $D_H$ rows of $W_O$ that meet head $h$:

$$\left[\, Y_0 \,|\, \dots \,|\, Y_{H-1} \,\right] W_O = \sum_{h} Y_h\, W_O^{(h)}$$

A sum does not depend on the order. So the heads may be renumbered, if everything that belongs to a head moves with it:
its columns of $W_Q$, $W_K$ and $W_V$, and its rows of $W_O$. (`nn.Linear` keeps its matrix transposed: in `W_O.weight`
they are columns, in the other three rows.)

**Before you run it:** the heads of a layer are put into the order 2, 0, 3, 1. What happens to $Y$, and what to $A$? And
if only $W_Q$, $W_K$ and $W_V$ are rearranged, but not $W_O$?
"""

# %% tags=["experiment"]
import copy

torch.manual_seed(0)
D, H = 16, 4
layer, X = MultiHeadAttention(D, H), torch.randn(1, 6, D)                       # X (1, 6, 16)
order = torch.tensor([2, 0, 3, 1])                                              # (4,)
columns = torch.arange(D).view(H, D // H)[order].flatten()                      # (16,): the columns in their new order

half, renumbered = copy.deepcopy(layer), copy.deepcopy(layer)
with torch.no_grad():
    for changed in (half, renumbered):
        for W in (changed.W_Q, changed.W_K, changed.W_V):
            W.weight.copy_(W.weight[columns])
            W.bias.copy_(W.bias[columns])
    renumbered.W_O.weight.copy_(renumbered.W_O.weight[:, columns])
    (Y, A), (Y_new, A_new), (Y_half, _) = (each(X) for each in (layer, renumbered, half))

print(f"everything rearranged:  largest difference in Y {(Y_new - Y).abs().max():.1e},"
      f" between A_new and A[:, order] {(A_new - A[:, order]).abs().max():.1e}")
print(f"all but W_O rearranged: largest difference in Y {(Y_half - Y).abs().max():.1e}")
plots.show_heads(A[0], titles=[f"before: head {h}" for h in range(H)])
plots.show_heads(A_new[0], titles=[f"after: head {h}" for h in range(H)]);

# %% [markdown]
r"""
<details><summary>What you should see</summary>

$Y$ is the same up to rounding, and the four pictures have changed places. If $W_O$ keeps its old order, the output is
different. "Head 3 looks at the verb" therefore says something about *one* trained model only.
</details>

### Written question 1 (2 points, graded by hand)

- (a) A colleague leaves out $W_O$: "it is only a linear map, and the next layer has one anyway". What can a layer with
  $W_O$ do with the outputs of two different heads that the layer without it cannot? Use $\sum_h Y_h W_O^{(h)}$.
- (b) Another colleague takes $D = 512$ and $H = 512$: "the number of parameters does not change, and more heads see
  more". What is a head's $Q_h K_h^\top$ then, and what can such a head no longer find?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-heads", "grade": true, "solution": true, "points": 2}
r"""
(a) Without $W_O$, each column of the output belongs to one head for good: columns $h D_H$ to $(h+1) D_H - 1$ hold $Y_h$
and nothing else, so the layer only concatenates the heads. With $W_O$ every column of the output is $\sum_h Y_h
W_O^{(h)}$, a mixture of all heads: it can add what two heads found, take their difference, ignore a head, and decide
into which directions of the model width each head writes, also when several write into the same one. This matters most
because a Transformer block adds the output to the input (the residual connection): a head must be able to write anywhere
in the width $D$, not only into its own $D_H$ columns. A later linear map could do the mixing only if nothing came
between, but the residual connection (and a normalisation) does.

(b) $D_H = 1$, so $Q_h$ and $K_h$ are single columns and $Q_h K_h^\top$ is an $N \times N$ matrix of rank 1: each
attention score is a product of two numbers, $q_i k_j$. Such a head can only order the keys by one number, and prefers
for every query either the largest or the smallest one, depending on the sign of $q_i$. It cannot find the key that is
*most similar* to the query, for which several components must agree. More heads mean poorer heads.

=== BEGIN MARK SCHEME ===

- 1 point: (a) says that without $W_O$ each head owns its columns of the output, and that $W_O$ mixes (adds, weighs) the
  heads or lets each head write into the whole width (half a point for "it mixes the heads" with nothing about what the
  output is without it).
- 1 point: (b) finds $D_H = 1$ and rank 1 (or: the score is a product of two numbers), and says what is lost (half a
  point for "the heads become too small" without a reason).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 5 What heads learn

Do heads divide the work among themselves, when nobody tells them to? Twelve words form a ring, each drawn at random from
a vocabulary of 8. At every place three words are asked for: the word **one to the left**, the word **one to the right**
and the word **three to the left**.

Queries and keys are made from a learned vector for each place, since where to look depends on the place alone. The
values are made from the words' vectors. A linear map turns each output $y$ into the logits of the three answers. Nothing
else connects the places. All models have the width $D = 48$ and equally many parameters in their attention; only $H$
differs. In the last five models ("deep") a small network with one hidden layer (lesson 3: feed-forward) reads the output of the
single head instead of the linear map.

**Before you run it:** guess the accuracy of each of the three answers with one, two and four heads. Chance is 1/8. Could
one head look at all three places, with weight 1/3 each, and sort it out afterwards? Does the hidden layer help it?
(Training takes most of the half minute that all cells take.)
"""

# %% tags=["experiment"]
predict("one head", "How many of the three questions does a layer with a single head answer (more than half of the time)?",
        ["none", "one", "two", "all three"])

# %% tags=["experiment", "slow"]
QUESTIONS = {"1 to the left": 1, "1 to the right": -1, "3 to the left": 3}      # how far the words have to be moved
VOCABULARY, PLACES, WIDTH = 8, 12, 48
device = devices.pick_device()


class RingReader(nn.Module):
    """One attention layer that looks from place to place, and a map to the logits of three answers.

    The map is linear or, with hidden > 0, has a hidden layer of that width.
    """

    def __init__(self, num_heads, hidden=0):
        super().__init__()
        self.words = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Parameter(torch.randn(PLACES, WIDTH))
        self.attention = MultiHeadAttention(WIDTH, num_heads)
        answers = len(QUESTIONS) * VOCABULARY
        deep = nn.Sequential(nn.Linear(WIDTH, hidden), nn.ReLU(), nn.Linear(hidden, answers)) if hidden else None
        self.logits = deep or nn.Linear(WIDTH, answers)

    def forward(self, words):
        places = self.places.expand(len(words), -1, -1)                         # (B, N, D)
        Y, A = self.attention(places, places, self.words(words))                # (B, N, D), (B, H, N, N)
        return self.logits(Y).unflatten(-1, (len(QUESTIONS), VOCABULARY)), A    # (B, N, 3, vocabulary)


def draw_rings(count):
    """Return words (B, N) and the three right answers (B, N, 3)."""
    words = torch.randint(VOCABULARY, (count, PLACES), device=device)
    return words, torch.stack([words.roll(shift, dims=1) for shift in QUESTIONS.values()], dim=-1)


def train_ring(num_heads, seed, hidden=0, steps=300):
    """Return a trained RingReader."""
    torch.manual_seed(seed)
    model = RingReader(num_heads, hidden).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        words, answers = draw_rings(64)
        logits, _ = model(words)
        loss = F.cross_entropy(logits.flatten(0, 2), answers.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@torch.no_grad()
def accuracies(model):
    """Return the share of right answers to each of the three questions."""
    words, answers = draw_rings(500)
    return (model(words)[0].argmax(dim=-1) == answers).float().mean(dim=(0, 1))   # (3,)


torch.set_num_threads(1)                                                        # too small to be shared among cores
readers = {(H, seed): train_ring(H, seed) for H in (1, 2, 4) for seed in range(5)}
deep = {f"deep, seed {seed}": train_ring(1, seed, hidden=128) for seed in range(5)}
devices.set_threads()
table = torch.stack([accuracies(model) for model in (*readers.values(), *deep.values())])     # (20, 3)
ax = plots.show_attention(table, queries=[*(f"H = {H}, seed {seed}" for H, seed in readers), *deep],
                          keys=list(QUESTIONS), title="Share of right answers", label="share of right answers", values=True)
ax.set(xlabel="question", ylabel="model")
with torch.no_grad():
    any_words = torch.zeros(1, PLACES, dtype=torch.int64, device=device)        # the weights depend on the places alone
    spread = torch.stack([model(any_words)[1][0, 0].sort(dim=-1, descending=True).values for model in deep.values()]).mean(dim=(0, 1))   # (12,)
print("deep: a query's largest weights, on average", ", ".join(f"{weight:.2f}" for weight in spread[:4].tolist()))
answered = int((table[:5] > 0.5).sum(dim=1).median())                           # of the three, by one head; the five seeds' median
came_out("one head", ("none", "one", "two", "all three")[answered])

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

one, two, four = (table[5 * number:5 * number + 5].sort(dim=1).values for number in range(3))   # (5, 3) each, the worst question first
claims("at the other two it stays below 30 %", one[:, 2].min() > 0.8 and one[:, 1].max() < 0.3)
claims("in three seeds two", two[:3, 1].min() > 0.9 and two[:3, 0].max() < 0.4)
says("in the other two all three, at 93 % to 98 %", two[3:].min(), two[3:].max(), within=2)
claims("Four heads answer all three in every seed.", four.min() > 0.95)
claims("one head with a hidden layer answers all three", int((table[15:] > 0.9).all(dim=1).sum()) >= 1)
says("about 0.57, 0.29 and 0.12", *spread[:3], within=4)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

One head answers one question; at the other two it stays below 30 % (chance is 12.5 %). Looking at three places at once
would give it the sum of three word vectors, which says which words there were, but not where. Two heads answer in three
seeds two questions (*which* two depends on the seed), and in the other two all three, at 93 % to 98 %: two heads can
look at two places each, and a linear map can add or subtract what they return. Four heads answer all three in every
seed. (On another machine other seeds may be the exceptions.)

In some seeds (four of our five; two of five on another machine) one head with a hidden layer answers all three, each
more than nine times in ten. The head mixes the words with *unequal* weights, about 0.57, 0.29 and 0.12, and the hidden
layer works out which word had which. So one softmax is no hard limit. With several heads the answers arrive *unmixed*,
so that a linear map can use them, and the next layer's queries, keys and values are linear maps.
</details>
"""

# %% [markdown]
r"""
### 5.1 Who does what?

First a picture: the weights of the four heads of one model (seed 2). They depend only on the places, so they are the
same for all sentences. Then an **ablation**, for three seeds: remove one head (set its rows $W_O^{(h)}$ to 0) and see
which answers suffer.

**Before you run it:** what does the matrix of a head look like that always looks one place to the left? Three to the
left? There are four heads and three questions: what might the fourth do?
"""

# %% tags=["experiment"]
with torch.no_grad():
    _, A = readers[4, 2](draw_rings(1)[0])                                      # (1, 4, 12, 12)
plots.show_heads(A[0])

rows, D_H = {}, WIDTH // 4
for seed in range(3):
    for head in range(4):
        without = copy.deepcopy(readers[4, seed])
        with torch.no_grad():
            without.attention.W_O.weight[:, head * D_H:(head + 1) * D_H] = 0    # nn.Linear keeps W_O transposed
        rows[f"seed {seed}, no head {head}"] = accuracies(without)            # (3,)
ax = plots.show_attention(torch.stack(list(rows.values())), queries=list(rows), keys=list(QUESTIONS), values=True,
                          title="One of four heads removed", label="share of right answers")
ax.set(xlabel="question", ylabel="model");

# %% tags=["numbers"]
falls = [rows[f"seed 2, no head {head}"].min().item() for head in (0, 1, 3)]
says("to between 13 and 27 %", 100 * min(falls), max(falls), within=4)
given("chance is 12.5 %")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In our picture (yours may differ) three heads have a clear diagonal each: one place to the right, one to the left, three
to the left, with the rest of the diagonal in the far corner, since the places form a ring. Remove one of these three,
and just one column falls, to between 13 and 27 % (chance is 12.5 %). The loss divided the work: as long as one question
has no answer, a head that finds it gains more than one that finds again what another has found.

The remaining head looks where other heads look already, and nothing is lost without it. Another seed may be less tidy:
several heads share one question, or one head contributes to two. Heads that can be spared are not rare. Michel et al.
(2019) found that in most layers of a trained translation model, taken one at a time, a single head does almost as
well as all of them.

The ablation shows that a head *matters*. A picture of its weights shows only where it looked.
</details>
"""

# %% [markdown]
r"""
## 6 Sentences of different lengths

The sentences of a batch are filled up with padding to the same length. Two questions follow:

- *May anybody look at the padding?* No. That takes a mask over the **keys**, the same for every query and every head.
  With $n_b$ the number of real words in sentence $b$:

$$\text{allowed}_{b,h,i,j} \iff j < n_b$$

- *Does the padding itself ask?* Padding positions still act as queries. Their outputs are meaningless, and harmless as
  long as nothing reads them: the next layer's mask hides them as keys, and the loss must leave them out.

The mask does not depend on $h$ and $i$, so these two axes have length 1 and broadcast: `(B, 1, 1, N_K)`. With shape
`(B, 1, N_K, 1)` the mask would hide the padding's *queries*, while everybody may still look at it.

**Exercise 4.** ● Write `padding_mask`. Shapes: `lengths (B,)`, whole numbers; the result `(B, 1, 1, N_K)`, bool, on the
device of `lengths`. It takes one comparison, as in `causal_mask`.

<details><summary>Hint</summary>

`torch.arange(N_K, device=lengths.device)` is a row of positions. What shape must `lengths` have, so that comparing the
two broadcasts to four axes? Indexing with `None` adds an axis of length 1.
</details>
"""

# %% nbgrader={"grade_id": "padding_mask", "solution": true}
def padding_mask(lengths, N_K):
    """Return the mask (B, 1, 1, N_K), bool, that hides padding: True where the key is a real word.

    lengths (B,): the number of real words in each sentence, which come first; whole numbers, also 0.
    N_K: the number of keys, padding included. The mask is made on the device of lengths.
    """
    ### BEGIN SOLUTION Return the bool mask that is True for the keys before each sentence's length.
    positions = torch.arange(N_K, device=lengths.device)       # (N_K,)
    return positions < lengths[:, None, None, None]            # (B, 1, 1, 1) -> (B, 1, 1, N_K)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-padding_mask", "grade": true}
check("padding_mask")

# %% [markdown]
r"""
### 6.1 Combined with the causal mask

Two masks are combined with `&`: a key may be attended to if *both* allow it.

**Before you run it:** three sentences of 6, 4 and 0 words, each padded to 6, under the causal mask. What are the shapes
of the two masks, and of both together? Sketch the second sentence's mask. What is $Y$ for the sentence without words?
"""

# %% tags=["experiment"]
lengths = torch.tensor([6, 4, 0])                                               # (3,)
words, nobody_ahead = padding_mask(lengths, 6), causal_mask(6)                  # (3, 1, 1, 6), (6, 6)
both = words & nobody_ahead                                                     # (3, 1, 6, 6)
print("padding", tuple(words.shape), "& causal", tuple(nobody_ahead.shape), "->", tuple(both.shape))
tokens = ["the", "cat", "sleeps", ".", "<pad>", "<pad>"]
plots.show_mask(both[1, 0], queries=tokens, keys=tokens, title="Causal, and no padding: the second sentence")

torch.manual_seed(0)
layer = MultiHeadAttention(8, 2)
with torch.no_grad():
    Y, A = layer(torch.randn(3, 6, 8), allowed=both)                            # (3, 6, 8), (3, 2, 6, 6)
plots.show_heads(A[1:].flatten(0, 1), titles=[f"{n} words, head {h}" for n in (4, 0) for h in range(2)])
print("third sentence: every row of Y is W_O's bias:", torch.allclose(Y[2], layer.W_O.bias.expand(6, 8)))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

`(3, 1, 1, 6) & (6, 6)` broadcasts to `(3, 1, 6, 6)`. The mask of the second sentence is the triangle without its last
two columns; its last two *rows* are there, since the padding may ask. The sentence without words has zeros everywhere in
$A$, so all that is left of $Y$ is the bias of $W_O$. No NaN.
</details>

### 6.2 Padding must not matter

Every batched model should pass this test. The same four-word sentence goes through the layer alone, and then padded to
5, 8, ... words with anything. The outputs of the four real words must be the same.

**Before you run it:** how far do the outputs move without the mask? Does it help if the padding is all zeros?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
layer = MultiHeadAttention(16, 4).eval()
X = torch.randn(1, 4, 16)                                                       # (1, 4, 16): four words
padded_lengths = [4, 5, 6, 8, 12, 16, 24, 32]
moved = {"random padding, no mask": [], "zeros as padding, no mask": [], "random padding, mask": []}
with torch.no_grad():
    alone, _ = layer(X)                                                         # (1, 4, 16)
    for N in padded_lengths:
        for name, readings in moved.items():
            padding = torch.randn(1, N - 4, 16) * (0.0 if "zeros" in name else 1.0)
            allowed = None if "no mask" in name else padding_mask(torch.tensor([4]), N)
            Y, _ = layer(torch.cat((X, padding), dim=1), allowed=allowed)       # (1, N, 16)
            readings.append((Y[:, :4] - alone).abs().max().item())

print(f"with the mask, largest change of all: {max(moved['random padding, mask']):.1e}")
plots.show_curves(padded_lengths, moved, "padded length", "largest change of a real word's output",
                  "Does padding change the answer?");

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With the mask the curve is 0, up to rounding. Without it the answer depends on how long the *other* sentences of the
batch are. All-zero padding does not help: its attention score is not $-\infty$ but about 0 ($q \cdot b_K$ with the bias
$b_K$ of $W_K$), so it takes its share of the weight.
</details>
"""

# %% [markdown]
r"""
## 7 Word by word

A language model writes a text one word at a time. To find word $N + 1$ it needs the output of the layer at place $N$
only. But done naively, all $N$ words go through the layer at every step, and all rows but the last are thrown away.

Under the causal mask, nothing computed for an earlier word depends on a later one. The keys and values of the earlier
words are the same as in the step before. So keep them:

$$K \leftarrow \begin{bmatrix} K_{\text{past}} \\ X_{\text{new}} W_K \end{bmatrix}
\qquad V \leftarrow \begin{bmatrix} V_{\text{past}} \\ X_{\text{new}} W_V \end{bmatrix} \qquad Q = X_{\text{new}} W_Q$$

**Which boxes get one more row with every word, and which always hold one?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: 1 × D) | (new cache: N + 1 rows)
    [attention] | kv = (K, V: N + 1 rows)
    . | [append]
    (Q: 1 row) | new = (K, V of the new word: 1 row) | (cache: K, V: N rows)
    (X_new: 1 × D)
    X_new -> Q, new
    new, cache -> append
    append -> kv
    Q, kv -> attention
    attention -> Y
    kv -> new cache
""", title="One step with the cache");

# %% [markdown]
r"""
This is the **key/value cache** (KV cache). One new word then costs one query against $N$ keys. Old queries are never
needed again, so they are not kept.

**Exercise 5.** ●●● Write the forward of `CachedSelfAttention`. It is causal self-attention, derived from your
`MultiHeadAttention`, so `W_Q`, `W_K`, `W_V`, `W_O` and `num_heads` are already there. `X (B, N, D)` holds only the *new*
words, one or several. `cache` is `None` at the start, later the pair `(K, V)` of all earlier words, each
`(B, H, N_past, D_H)`. Return `Y (B, N, D)` and the new pair, each `(B, H, N_past + N, D_H)`. The pair passed in stays as
it is: somebody may want to go on from it in two different ways (beam search does).

How many queries and how many keys does the causal mask have now?

<details><summary>Hint: joining old and new</summary>

`torch.cat((old, new), dim=...)` makes a new tensor and leaves the old ones alone. Which axis counts the words after the
split?
</details>
<details><summary>Hint: the mask</summary>

`causal_mask(N_Q, N_K)` aligns the last query with the last key. Which tensor has the length $N_Q$ now, and which one
$N_K$? And is that so before or after the cache was joined?
</details>
"""

# %% nbgrader={"grade_id": "CachedSelfAttention", "solution": true}
class CachedSelfAttention(MultiHeadAttention):
    """Causal multi-head self-attention that keeps the keys and values of earlier words.

    CachedSelfAttention(model_width, num_heads) has the maps W_Q, W_K, W_V and W_O of MultiHeadAttention.
    """

    def forward(self, X, cache=None):
        """Return (Y, cache): the outputs Y (B, N, D) of the new words, and the cache with the new words added.

        X (B, N, D): only the new words. cache: None, or the pair (K, V) of all earlier words, each
        (B, H, N_past, D_H); it is not changed. The pair returned has N_past + N words.
        """
        ### BEGIN SOLUTION Return Y and the pair (K, V): project the new words, append to the cache, attend causally.
        Q, K, V = (split_heads(W(X), self.num_heads) for W in (self.W_Q, self.W_K, self.W_V))   # (B, H, N, D_H)
        if cache is not None:
            K = torch.cat((cache[0], K), dim=-2)                                # (B, H, N_past + N, D_H)
            V = torch.cat((cache[1], V), dim=-2)                                # (B, H, N_past + N, D_H)
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)        # (N, N_past + N)
        A = attention_weights(Q, K, allowed)                                    # (B, H, N, N_past + N)
        return self.W_O(merge_heads(A @ V)), (K, V)                             # (B, N, D), the new cache
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-CachedSelfAttention", "grade": true}
check("CachedSelfAttention")

# %% [markdown]
r"""
### 7.1 What the cache saves, and what it costs

| for one new word | projections | $Q K^\top$ and $A V$ | kept from step to step |
|---|---|---|---|
| everything again | $4 N D^2$ | $2 N^2 D$ | nothing |
| with the cache | $4 D^2$ | $2 N D$ | $2 N D$ numbers in every layer |

The number of heads does not enter: $H$ heads have width $D / H$.

**Before you run it:** sketch the time for one word over the length $N$, both ways, on logarithmic axes. Then guess: how
much memory does the cache of GPT-3 take (96 layers, $D = 12288$, 2048 words, two bytes for a number) for *one* text?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
layer = CachedSelfAttention(128, 4).to(device).eval()
lengths = [64, 128, 256, 512, 1024, 2048]
times = {"everything again": [], "with the cache": []}
with torch.no_grad():
    for N in lengths:
        X = torch.randn(1, N, 128, device=device)                               # (1, N, 128)
        _, cache = layer(X[:, :-1])                                             # all words but the last
        times["everything again"].append(1e3 * devices.least_time(layer, X))
        times["with the cache"].append(1e3 * devices.least_time(layer, X[:, -1:], cache, repeats=9))
plots.show_curves(lengths, times, "length N", "time for one more word (ms)", "The last word of a text",
                  logx=True, logy=True)
print(f"at N = {N}: " + ", ".join(f"{name} {readings[-1]:.2f} ms" for name, readings in times.items()))

models = {"GPT-2, 12 layers, D = 768": (12, 768, 1024), "GPT-2, 48 layers, D = 1600": (48, 1600, 1024),
          "GPT-3, 96 layers, D = 12288": (96, 12288, 2048)}                     # layers, width, longest text
sizes = {name: [2 * N * D * layers * 2 / 2**20 if N <= longest else math.nan for N in lengths]
         for name, (layers, D, longest) in models.items()}
plots.show_curves(lengths, sizes, "length N", "cache of one text (MiB)", "Memory: 2 · N · D · layers numbers of two bytes",
                  logx=True, logy=True)
print("GPT-3 at N = 2048:", f"{sizes['GPT-3, 96 layers, D = 12288'][-1] / 1024:.1f} GiB")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

On a CPU: without the cache the curve approaches slope 2. With it the curve is nearly flat for a long time, because
starting the operations takes longest; then it turns towards slope 1. At $N = 2048$ the difference was a factor of
several hundred, with one thread of a CPU; on a GPU much less. (`torch.cat` also copies the whole cache at every step.
Fast implementations reserve the room beforehand.)

For GPT-3 the cache is 9 GiB for one text. 32 texts together would need 288 GiB, almost as much as all of its 175 billion
parameters (326 GiB). The cache, not the arithmetic, then limits how many people can be served at once. One answer is
**multi-query attention**: all heads share one set of keys and values, which makes the cache $H$ times smaller (Shazeer
2019). In *grouped-query attention* the heads of a group share one (Ainslie et al. 2023; lesson 15).
</details>

### Written question 2 (2 points, graded by hand)

- (a) Why may the keys and values of earlier words be kept, although further words have been added since? Say where the
  causal mask is needed, thinking of a model with *several* layers on top of each other.
- (b) BERT reads a whole sentence without a causal mask. A word is added at the end of the sentence. Which of the keys
  and values in the first layer can be reused, and which in the second?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-cache", "grade": true, "solution": true, "points": 2}
r"""
(a) The key and the value of a word are linear maps of that word's own input vector, so within one layer they do not
depend on any other word, mask or no mask. The input of the second layer, however, is the output of the first, which is a
mean over all words that may be seen. Under the causal mask output $i$ depends on the words up to $i$ only; words added
later change nothing in it. So the inputs of every layer at the earlier places stay the same, and with them their keys
and values.

(b) In the first layer all keys and values of the old words can be reused: they depend on the word (and its place) alone.
In the second layer none: without the mask every output of the first layer has the new word in its mean, so all inputs of
the second layer have changed, and its keys and values must be computed again.

=== BEGIN MARK SCHEME ===

- 1 point: (a) says that the inputs of the higher layers at earlier places do not depend on later words *because of the
  mask* (half a point if only "keys and values depend on their own word" is said, which is true of the first layer
  alone).
- 1 point: (b) first layer all of the old words', second layer none, with the reason that the outputs of the first layer
  have changed (half a point for the right answer without a reason, or for one of the two layers).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 8 Pixels instead of words (optional)

A convolution sees only its *receptive field*. Attention does not care how far away a key is. Zhang et al. (2019,
"SAGAN") put a self-attention layer between the convolutions of a network that generates pictures:

$$X \;(C \times h \times w) \;\to\; Q,\, K,\, V \;(C' \times h \times w) \;\to\; A \;(N \times N) \;\to\; Y = X + W_O(\text{attended values}) \qquad N = h\, w$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: C × h × w)
    sum = {+}
    [W_O: 1×1 convolution]
    [attention between N pixels]
    (Q: C′ × h × w) | (K: C′ × h × w) | (V: C′ × h × w)
    maps = [1×1 convolutions W_Q, W_K, W_V]
    (X: C × h × w)
    X -> maps
    maps -> Q, K, V
    Q, K, V -> attention between N pixels
    attention between N pixels -> W_O
    W_O -> sum
    sum -> Y
    X ~> sum: residual
""", title="Self-attention as a module between convolutions");

# %% [markdown]
r"""
Each pixel is a "word", its $C$ channels are its vector. The maps are **1×1 convolutions**: a kernel that covers one
pixel is a linear map of its channels, the same everywhere. The input is added at the end (a *residual connection*), so
the module only has to find what is to be *added*. (SAGAN itself does not divide by the root, and it multiplies the added
part by a learned number that starts at 0.)

**Before you run it:** a 1×1 convolution from 3 to 5 channels: how many parameters? A picture of 224×224 pixels: how many
numbers are in $A$?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
convolution = nn.Conv2d(3, 5, kernel_size=1)
X = torch.randn(2, 3, 4, 6)                                                     # (B, C, h, w)
matrix = convolution.weight[:, :, 0, 0]                                         # (5, 3): all there is of the kernel
by_hand = torch.einsum("oc,bchw->bohw", matrix, X) + convolution.bias[:, None, None]    # (2, 5, 4, 6)
print("parameters:", sum(weights.numel() for weights in convolution.parameters()))
print(f"largest difference to a linear map of each pixel: {(convolution(X) - by_hand).abs().max():.1e}")
print(" picture    N = h·w            N²     A in float32")
for side in (8, 16, 32, 64, 224):
    print(f"{side:4}×{side:<4} {side**2:9,} {side**4:15,} {side**4 * 4 / 2**20:11,.2f} MiB")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

$5 \cdot 3$ weights and 5 biases, 20 numbers, and no difference. $A$ grows with the *fourth* power of the side: 64×64 is
fine, and 224×224 would take more than 9 GiB for one matrix of one picture. So this module is put where the grid of
features is still small. In the Vision Transformer (lesson 11) the words are patches, not pixels.
</details>

**Exercise 6 (optional).** ●● Write `ConvSelfAttention`. `X (B, C, height, width)` gives `Q`, `K`, `V` of
`(B, C', height, width)`. As rows, one for each pixel, they are `(B, N, C')` with $N$ = height · width, row by row. The
weights are `A (B, N, N)`. The attended values `(B, N, C')` become `(B, C', height, width)` again; then come `W_O` and the
sum with `X`. One head, no mask. As with heads, a bare `view` from `(B, C', height, width)` to `(B, N, C')` would run,
and mix pixels with channels.

<details><summary>Hint: from a picture to rows</summary>

`flatten(2)` joins height and width to `(B, C', N)`, row by row. Then the channels are where the pixels should be.
</details>
<details><summary>Hint: and back</summary>

The same two steps backwards: swap the last two axes, then cut the last one into height and width with `unflatten` or
`reshape`.
</details>
"""

# %% nbgrader={"grade_id": "ConvSelfAttention", "solution": true}
class ConvSelfAttention(nn.Module):
    """Self-attention between the pixels of a grid of features (after Zhang et al. 2019, as in Johnson's lecture).

    W_Q, W_K and W_V are 1×1 convolutions (nn.Conv2d) from channels to inner_channels, W_O is one back, all with bias.
    """

    def __init__(self, channels, inner_channels):
        super().__init__()
        ### BEGIN SOLUTION Make the four 1×1 convolutions W_Q, W_K, W_V and W_O.
        self.W_Q = nn.Conv2d(channels, inner_channels, kernel_size=1)
        self.W_K = nn.Conv2d(channels, inner_channels, kernel_size=1)
        self.W_V = nn.Conv2d(channels, inner_channels, kernel_size=1)
        self.W_O = nn.Conv2d(inner_channels, channels, kernel_size=1)
        ### END SOLUTION

    def forward(self, X):
        """Return (Y, A) for X (B, C, height, width): Y has the shape of X, A (B, N, N) with N = height · width.

        The rows and columns of A are the pixels, row by row. Similarities are divided by the root of inner_channels.
        """
        ### BEGIN SOLUTION Return Y and A: pixels as rows, attention, back to a picture, W_O, plus X.
        Q, K, V = (W(X).flatten(2).mT for W in (self.W_Q, self.W_K, self.W_V))  # (B, C', h, w) -> (B, N, C')
        A = attention_weights(Q, K)                                             # (B, N, N)
        attended = (A @ V).mT.unflatten(-1, X.shape[-2:])                       # (B, N, C') -> (B, C', h, w)
        return X + self.W_O(attended), A                                        # (B, C, h, w), (B, N, N)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-ConvSelfAttention", "grade": true}
check("ConvSelfAttention")

# %% [markdown]
r"""
### 8.1 Where does a pixel look?

A picture of 16×16 pixels on a white ground: two red discs in opposite corners and a blue square. The maps $W_Q$ and
$W_K$ are **made by hand**: both just take the colour, so that pixels of like colours have large attention scores.

**Before you run it:** where does the marked pixel in the upper red disc look? Where does a blue one look? How many 3×3
convolutions, one after the other, does it take until one red disc has any influence on the other's centre?
"""

# %% tags=["experiment"]
generator = torch.Generator().manual_seed(0)
side = 16
row, column = torch.meshgrid(torch.arange(side), torch.arange(side), indexing="ij")       # (16, 16) both
picture = torch.ones(3, side, side)                                             # (C, h, w), white
for centre in (3, 12):
    picture[:, (row - centre) ** 2 + (column - centre) ** 2 <= 6] = torch.tensor([[0.9], [0.1], [0.1]])
picture[:, 2:6, 10:14] = torch.tensor([0.1, 0.2, 0.9])[:, None, None]
picture = (picture + 0.03 * torch.randn(picture.shape, generator=generator)).clamp(0, 1)  # a little noise

layer = ConvSelfAttention(3, 3)
with torch.no_grad():
    for W in (layer.W_Q, layer.W_K):
        W.weight.copy_(4 * torch.eye(3)[:, :, None, None])                      # (3, 3, 1, 1)
        W.bias.fill_(-2.0)                                                      # so 0 ... 1 becomes -2 ... 2
    _, A = layer(picture[None])                                                 # (1, 256, 256)

pixels = {"a red pixel": (3, 3), "a blue pixel": (4, 11)}
_, axes = plt.subplots(1, 3, figsize=(9, 3.1), layout="constrained")
axes[0].imshow(picture.permute(1, 2, 0))
axes[0].set(title="The picture", xlabel="column", ylabel="row", xticks=range(0, 16, 5), yticks=range(0, 16, 5))
for ax, (name, (i, j)) in zip(axes[1:], pixels.items()):
    plots.show_attention(A[0, i * side + j].view(side, side), ax=ax, title=f"Where {name} looks",
                         highlight=[(i, j)], values=False)
    ax.set(xlabel="column", ylabel="row")
    axes[0].plot(j, i, "x", color="white", markersize=9)
red = (picture[0] > 0.6) & (picture[1] < 0.4)                                   # (16, 16)
lower = (red & (row > 7)).flatten()                                             # (256,): the other disc
upper = (red & (row < 8)).nonzero()                                             # (pixels, 2): rows and columns of the first
print(f"weight of the red pixel on the other red disc: {A[0, 3 * side + 3, lower].sum():.2f}")
print("3×3 convolutions from one disc to the other's centre:", (upper - 12).abs().amax(dim=-1).min().item())

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The red pixel looks at both red discs and at nothing between them; about half of its weight goes to the far corner. The
blue one looks at the square. One layer is enough for any distance. A 3×3 convolution carries information by one pixel,
so it takes 8 of them to reach the other disc's centre. But this layer alone does not know which pixels are neighbours:
shuffle the pixels, and the weights are shuffled with them.
</details>

## 9 What to take along

- One softmax gives one mean. Several heads give several means, side by side, with the same $4 D^2 + 4 D$ parameters for
  every $H$, but with $H$ matrices $A$.
- Splitting is cutting the columns *and* swapping two axes. A bare `view` has the right shape and the wrong numbers.
- The output is a sum over heads, so their order means nothing; the seed decides which head does what.
- Padding is hidden as a key. Its own rows of $Y$ mean nothing, and the loss has to leave them out. In this course True
  means "may attend"; in `nn.MultiheadAttention` it hides.
- Under a causal mask old keys and values never change. Keeping them makes a new word cost $N$ instead of $N^2$, for
  $2 N D$ numbers in every layer.

Next, lesson 3: what surrounds this layer in a Transformer.

### Sources

J. Johnson, *Attention*, lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and
Transformers*, CS 4644/7643, Georgia Tech. A. Vaswani et al., *Attention is all you need*, 2017. N. Srivastava et al.,
*Dropout: a simple way to prevent neural networks from overfitting*, JMLR 2014. P. Michel, O. Levy, G. Neubig, *Are
sixteen heads really better than one?*, NeurIPS 2019. N. Shazeer, *Fast Transformer decoding: one write-head is all you
need*, 2019. H. Zhang, I. Goodfellow, D. Metaxas, A. Odena, *Self-attention generative adversarial networks*, ICML 2019.
J. Ainslie et al., *GQA: training generalized multi-query Transformer models from multi-head checkpoints*, EMNLP 2023. T.
Brown et al., *Language models are few-shot learners*, 2020 (GPT-3).
"""
