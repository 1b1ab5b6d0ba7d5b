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
# 3 Transformer blocks

You make the three small parts around attention, assemble the blocks of Vaswani et al. (2017), and see what each part is
for.

| section | the one change | exercise |
|---|---|---|
| 1 | the numbers in every row are brought to one scale | `LayerNorm` |
| 2 | every row is processed on its own | `FeedForward` |
| 3 | a row says where it is | `sinusoidal_positions`, `LearnedPositions` |
| 4 | attention and feed-forward become a block | `EncoderBlock` |
| 5 | a block that also looks at a second sequence | `DecoderBlock` |

**Before you begin.** Lessons 1 and 2. Plan about two and a half hours. Exercises 5 and 6 are the hardest. The solution runs in less than
a minute, without a GPU.

## How this notebook works

As in lesson 1: write an exercise, run its check, answer each question before you run the experiment below it.

- ●: a few lines. ●●: about 25 minutes. ●●●: about an hour; try your code on the smallest example that
  you can check by hand.
- Unless the text says otherwise, your code keeps the device and the dtype (float64 in, float64 out), leaves its
  arguments unchanged, accepts any memory layout, lets gradients through and works for a batch of one.
- Multi-head attention and the masks are ready-made in `course_lib.layers`: what you built in lessons 1 and 2.
- Forbidden: `nn.LayerNorm` and its functions, PyTorch's other norms (`group_norm` with one group is a LayerNorm),
  `nn.Transformer` and its encoder, decoder and layers, `nn.MultiheadAttention`, and the blocks of `course_lib.layers`.

**Notation.** As in lessons 1 and 2: one row of $X$ is one word, $B$ and $H$ count sequences and heads, $A$ `(B, H, N_Q, N_K)`
are weights, and in a mask `allowed` **True means "may attend"**.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $N$, $N_S$, $N_T$ | the same | length of a sequence; of the source, of the target | sequence length; in Vaswani et al. $N$ is the number of blocks |
| $D$ | `model_width` | width of every row between blocks | $d_\text{model}$, `hidden_size` |
| – | `hidden_width` | width inside the feed-forward part, usually $4D$ | $d_\text{ff}$, `dim_feedforward`, `intermediate_size` |
| $\gamma$, $\beta$ | `gamma`, `beta` | scale and shift of a LayerNorm | `weight`, `bias` |
| $X$, $Y$ | `X`, `Y`, `(B, N, D)` | rows before and after a block | hidden states |
| $p$ | `P`, `table` | position vectors | positional encodings; learned ones: positional embeddings |
| – | `memory`, `(B, N_S, D)` | the encoder's output, which the decoder looks at | `memory`, `encoder_hidden_states` |
| – | block | attention, feed-forward, norms and residual connections | layer (`TransformerEncoderLayer`) |
| – | `norm="post"`, `"pre"` | where the norms are | Post-LN, Pre-LN; `norm_first=True` |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.transformer_blocks import check
from course_lib import devices, plots
from course_lib.layers import MultiHeadAttention, causal_mask, padding_mask
from course_lib.predictions import came_out, predict

torch.set_num_threads(1)            # the tensors of this lesson are small: two threads would mostly wait for each other
devices.describe()

# %% [markdown]
r"""
## 1 One scale for every row

In a deep stack, the numbers may grow or shrink a little in each layer. After twenty layers a little has become a lot.
*Layer normalisation* (Ba et al. 2016) shifts every row to mean 0 and scales it to variance 1.

### 1.1 LayerNorm

For row $i$ of a matrix with rows $h_i$ of width $D$:

$$\mu_i = \frac{1}{D} \sum_{j=1}^{D} h_{ij} \qquad
\sigma_i^2 = \frac{1}{D} \sum_{j=1}^{D} (h_{ij} - \mu_i)^2 \qquad
y_{ij} = \gamma_j\, \frac{h_{ij} - \mu_i}{\sqrt{\sigma_i^2 + \varepsilon}} + \beta_j$$

Mean and variance belong to one row alone. $\gamma$ and $\beta$ have one number for each *column*, are shared by all
rows, and are learned. They start at 1 and 0. The small $\varepsilon$ is *inside* the root and keeps a row of equal
numbers from becoming $0/0$. Without the $1/D$ in the variance every row would have *length* 1, and its numbers would
shrink like $1/\sqrt{D}$.

**Exercise 1.** ●● Write the module `LayerNorm`. Shapes: `X (..., D)` in, the same shape out; `gamma` and `beta` are
parameters of shape `(D,)`. The variance divides by $D$, not by $D - 1$. It has to be right in float32, too, when the
mean of a row is much larger than its spread.

<details><summary>Hint: a parameter</summary>

`nn.Parameter(torch.ones(3))`, assigned to `self.something` in `__init__`, is seen by the optimiser, saved with the model
and moved to the GPU with it. A plain tensor is not.
</details>
<details><summary>Hint: the variance</summary>

It is the mean of the squared deviations. (`X.var(dim=-1)` divides by $D - 1$, unless you pass
`correction=0`.) With `keepdim=True` the reduced axis has length 1 and broadcasts against `X`.
</details>
"""

# %% nbgrader={"grade_id": "LayerNorm", "solution": true}
class LayerNorm(nn.Module):
    """Layer normalisation: every row gets mean 0 and variance 1, then a learned scale and shift for each column.

    Parameters: gamma (width,), at first ones, and beta (width,), at first zeros.
    """

    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.eps = eps
        ### BEGIN SOLUTION Make the two parameters gamma and beta.
        self.gamma = nn.Parameter(torch.ones(width))           # (D,)
        self.beta = nn.Parameter(torch.zeros(width))           # (D,)
        ### END SOLUTION

    def forward(self, X):
        """Return the normalised X (..., width), of the same shape."""
        ### BEGIN SOLUTION Return gamma times the normalised rows plus beta; eps stands inside the root.
        centred = X - X.mean(dim=-1, keepdim=True)                     # (..., D) - (..., 1) -> (..., D)
        variance = centred.square().mean(dim=-1, keepdim=True)         # (..., 1): one for each row
        normalised = centred / torch.sqrt(variance + self.eps)         # (..., D)
        return self.gamma * normalised + self.beta                     # (D,) * (..., D) + (D,) -> (..., D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-LayerNorm", "grade": true}
check("LayerNorm")

# %% [markdown]
r"""
### 1.2 Over what?

Batch normalisation, common in convolutional networks, normalises one column at a time, over all words of all sentences
in the batch. Take two sentences of four words with six numbers each, and pick one number of the output: sentence 0, word
2, column 3. Which inputs can change it? Those for which its derivative is not 0.

**Before you run it:** draw the two pictures, one for each normalisation. Then the second sentence is replaced by
another. Does the output of the *first* sentence change?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
batch_norm = nn.BatchNorm1d(6)                                                  # in training mode
normalisations = {"LayerNorm": LayerNorm(6), "batch normalisation": lambda X: batch_norm(X.flatten(0, 1)).view_as(X)}
X = torch.randn(2, 4, 6, requires_grad=True)                                    # (B, N, D)
other = torch.cat([X[:1], torch.randn(1, 4, 6)]).detach()                       # another second sentence
rows = [f"sentence {b}, word {n}" for b in range(2) for n in range(4)]
_, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")

for ax, (name, normalise) in zip(axes, normalisations.items()):
    derivative = torch.autograd.grad(normalise(X)[0, 2, 3], X)[0].abs()         # (2, 4, 6)
    plots.show_attention(derivative.flatten(0, 1), queries=rows, keys=range(6), highlight=[(2, 3)],
                         title=name, label="size of the derivative", ax=ax)
    ax.set(xlabel="column of X", ylabel="row of X")
    moved = (normalise(other) - normalise(X))[0].abs().max().item()
    print(f"{name}: another second sentence changes the first sentence's output by at most {moved:.2f}")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With LayerNorm the number (framed) depends on its own row, with batch normalisation on its own column, across words and
sentences. So with batch normalisation, in training, the output for one sentence depends on which other sentences are in
the batch, and on how much of it is padding. LayerNorm is the same in training and in use, for any batch and any length.
</details>

## 2 Every row on its own

Attention moves information between rows. Within a row, a small network with one hidden layer does the work: the
**feed-forward** part (a position-wise MLP). It is applied to each row on its own, with the same weights for all:

$$\mathrm{FFN}(x) = f(x W_1 + b_1)\, W_2 + b_2 \qquad f = \mathrm{ReLU} \text{ or GELU}$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (out: N × D)
    two = [W_2]
    (hidden: N × 4D)
    [ReLU or GELU]
    one = [W_1]
    (X: N × D)
    X -> one
    one -> ReLU or GELU
    ReLU or GELU -> hidden
    hidden -> two
    two -> out
""", title="The feed-forward part of a block");

# %% [markdown]
r"""
$W_1$ maps from $D$ to the hidden width, usually $4D$, and $W_2$ back to $D$. The Transformer of 2017 has the ReLU,
$\max(0, z)$. BERT, GPT-2 and ViT have the GELU, $z\,\Phi(z)$, where $\Phi$ is the distribution function of the standard
normal distribution: a ReLU with a soft corner. Here the exact GELU is meant, not its approximation with $\tanh$.

**Exercise 2.** ● Write the module `FeedForward`. Shapes: `X (..., D)` to `(..., hidden_width)` and back. Dropout acts on
the hidden layer, after the activation.

<details><summary>Hint</summary>

`nn.Linear` acts on the last axis, so rows and batches need no code. The functions are in `ACTIVATIONS`; `__init__` has
looked yours up, and `forward` calls it.
</details>
"""

# %% nbgrader={"grade_id": "FeedForward", "solution": true}
ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}                 # F.gelu is the exact one unless told otherwise


class FeedForward(nn.Module):
    """Two linear maps with an activation between them, applied to every row alike.

    W_1: from width to hidden_width. W_2: back. Dropout acts between the activation and W_2.
    activation: "relu" or "gelu"; any other raises ValueError.
    """

    def __init__(self, width, hidden_width, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f'Expected activation "relu" or "gelu", got {activation!r}.')
        self.activation = ACTIVATIONS[activation]
        self.dropout = nn.Dropout(dropout)
        ### BEGIN SOLUTION Make the two linear maps W_1 and W_2.
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        ### END SOLUTION

    def forward(self, X):
        """Return the result for every row of X (..., width), of the same shape."""
        ### BEGIN SOLUTION Return W_2 of the dropped-out, activated W_1 of X.
        hidden = self.dropout(self.activation(self.W_1(X)))    # (..., D) -> (..., hidden_width)
        return self.W_2(hidden)                                # (..., hidden_width) -> (..., D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-FeedForward", "grade": true}
check("FeedForward")

# %% [markdown]
r"""
The norm of the derivative of output row $i$ with respect to input row $j$ shows which row influences which.

**Before you run it:** five rows go through multi-head attention, and five through the feed-forward part. Where are exact
zeros? And which of the two has more parameters, at $D = 64$ and hidden width 256?
"""

# %% tags=["experiment"]
def influence(function, X):
    """Return the norms (N_out, N_in) of the derivatives of the output rows with respect to the rows of X (N_in, D)."""
    derivative = torch.autograd.functional.jacobian(function, X)                # (N_out, D, N_in, D)
    return derivative.square().sum(dim=(1, 3)).sqrt()                           # (N_out, N_in)


torch.manual_seed(0)
attention, feed_forward = MultiHeadAttention(64, 4), FeedForward(64, 256)
X = 2 * torch.randn(5, 64)                                                      # (N, D)
parts = {"attention": (attention, lambda rows: attention(rows[None])[0][0]),
         "feed-forward": (feed_forward, feed_forward)}
_, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")

for ax, (name, (module, function)) in zip(axes, parts.items()):
    count = sum(parameter.numel() for parameter in module.parameters())
    plots.show_attention(influence(function, X), title=f"{name}: {count} parameters", label="norm of derivative", ax=ax)
    ax.set(xlabel="input row", ylabel="output row")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Attention: every row depends on every row. Feed-forward: a diagonal, and exact zeros elsewhere. In a whole Transformer
attention is the *only* place where rows meet. The feed-forward part has about twice as many parameters, $8D^2$ against
the $4D^2$ of $W_Q$, $W_K$, $W_V$ and $W_O$.
</details>

## 3 Where a row is

Self-attention treats "dog bites man" and "man bites dog" alike (lesson 1). The feed-forward part and LayerNorm act on
single rows, so they do not help. Each row must say where it is. So a **positional encoding**, a vector that depends only
on the position, is **added** to the word's vector:

$$x_\text{pos} = \text{word vector} + p_\text{pos} \qquad (D \text{ numbers each})$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (X: N × D)
    sum = {+}
    (word vectors: N × D) | (position vectors: N × D)
    [table of words] | places = [sines and cosines, or a table]
    (ids: N) | count = (0, 1, …, N − 1)
    ids -> table of words
    count -> places
    table of words -> word vectors
    places -> position vectors
    word vectors, position vectors -> sum
    sum -> X
""", title="Words and positions are added");

# %% [markdown]
r"""
Concatenating would differ little: a linear map of $[x, p]$ is $x W_x + p W_p$, and of $x + p$ it is $x W + p W$. Adding
keeps the width $D$.

### 3.1 Sines and cosines

The *sinusoidal* encodings of Vaswani et al. are sines and cosines of different wavelengths, two columns for each:

$$p_{\text{pos},\,2i} = \sin\!\left(\frac{\text{pos}}{10000^{2i/D}}\right) \qquad
p_{\text{pos},\,2i+1} = \cos\!\left(\frac{\text{pos}}{10000^{2i/D}}\right)$$

It is a clock with $D/2$ hands. The first turns once in $2\pi \approx 6$ positions, the last, at $D = 512$, once in about
60,000. High frequencies tell neighbours apart, low ones the beginning from the end.

**Exercise 3.** ● Write `sinusoidal_positions`. Shapes: positions `(N, 1)` divided by the powers of 10000, `(F,)`, give
the angles `(N, F)`, one column for each frequency; result `(N, D)`, float32, sines and cosines interleaved: column 0
sine, column 1 cosine, and so on. Compute the angles in float64 (`dtype=torch.float64`). $D$ may be odd; then the last
frequency has a sine and no cosine.

<details><summary>Hint: the exponents</summary>

`torch.arange(0, D, 2)` counts 0, 2, 4, ...: these are the numbers $2i$ of the equation. For $D = 5$ there are three.
</details>
<details><summary>Hint: interleaving</summary>

`P[:, 0::2]` is every second column from 0 on, `P[:, 1::2]` every second from 1 on, and you can assign to both. For odd
$D$ there is one fewer of the second kind than there are angles: `D // 2`.
</details>
"""

# %% nbgrader={"grade_id": "sinusoidal_positions", "solution": true}
def sinusoidal_positions(N, D):
    """Return the position vectors (N, D), float32: sines in the even columns, cosines in the odd ones.

    Columns 2i and 2i + 1 of row pos hold the sine and the cosine of pos / 10000^(2i/D). D may be odd.
    """
    P = torch.empty(N, D)
    ### BEGIN SOLUTION Fill the even columns of P with the sines and the odd columns with the cosines of the angles.
    pos = torch.arange(N, dtype=torch.float64)[:, None]        # (N, 1)
    two_i = torch.arange(0, D, 2, dtype=torch.float64)         # (ceil(D / 2),): 0, 2, 4, ...
    angles = pos / 10000 ** (two_i / D)                        # (N, 1) / (ceil(D / 2),) -> (N, ceil(D / 2))
    P[:, 0::2] = torch.sin(angles)
    P[:, 1::2] = torch.cos(angles[:, :D // 2])                 # for odd D one cosine less
    ### END SOLUTION
    return P

# %% nbgrader={"grade_id": "check-sinusoidal_positions", "grade": true}
check("sinusoidal_positions")

# %% [markdown]
r"""
**Before you run it:** 20 words, 128 columns. What is in row 0? Which columns change fast from row to row, and how do the
last thirty columns differ between row 0 and row 19?
"""

# %% tags=["experiment"]
P = sinusoidal_positions(20, 128)                                               # (20, 128)
halves = torch.cat([P[:, 0::2], P[:, 1::2]], dim=1)                             # all sines first, then all cosines
titles = ("Position vectors of 20 words, sines and cosines interleaved", "The same columns, all sines first")
_, axes = plt.subplots(2, 1, figsize=(9, 5), layout="constrained")
for ax, matrix, title in zip(axes, (P, halves), titles):
    plots.show_attention(matrix, values=False, title=title, label="value", ax=ax)
    ax.set(xlabel="column", ylabel="position")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Row 0 is 0, 1, 0, 1, ...: $\sin 0$ and $\cos 0$. The first columns turn quickly. From about column 80 on hardly
anything changes within 20 positions: these frequencies are for long texts. Some programs put all sines first (second
picture). Weights trained with one order do not work with the other.
</details>

What can attention do with them? Without $W_Q$ and $W_K$, an attention score would contain the dot product of two
position vectors, and with $\sin a \sin b + \cos a \cos b = \cos(a - b)$ it is

$$p_k \cdot p_l = \sum_i \cos\!\left(\frac{k - l}{10000^{2i/D}}\right)$$

**Before you run it:** on what does it depend, and on what not? Is it larger for neighbours or for distant positions? Can
it tell "three to the left" from "three to the right"?
"""

# %% tags=["experiment"]
P = sinusoidal_positions(100, 128).double()                                     # (100, 128)
_, ax = plt.subplots(figsize=(6, 4.6), layout="constrained")
plots.show_attention(P @ P.mT, values=False, title="Dot products of position vectors, D = 128",
                     label="dot product", ax=ax)
ax.set(xlabel="position", ylabel="position")

distances = torch.arange(-40, 41)                                               # (81,)
curves = {}
for D in (16, 128, 1024):
    wide = sinusoidal_positions(100, D)                                         # (100, D)
    curves[f"D = {D}"] = wide[50 + distances] @ wide[50] / (D / 2)              # (81, D) @ (D,) -> (81,)
plots.show_curves(distances, curves, "distance", "dot product / (D / 2)", "Dot products over the distance")

torch.manual_seed(0)
for name, table in {"sinusoidal": sinusoidal_positions(1000, 128), "random vectors": torch.randn(1000, 128)}.items():
    here, three_on = table[:-3].double(), table[3:].double()                    # (997, 128) both: more rows than columns
    M = torch.linalg.lstsq(here, three_on, driver="gelsd").solution             # (128, 128): least squares
    error = (here @ M - three_on).abs().max().item()
    print(f"{name}: the best matrix M for all k leaves p(k) M and p(k + 3) different by up to {error:.0e}")

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

given("Lesson 4, section 3.4, tries it")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The first picture has the same numbers along every diagonal: only the **relative position** counts. The product is
largest at distance 0 and falls off on both sides; with few columns it comes in waves, since few frequencies add up.
Left and right are the same, since $\cos(-a) = \cos a$.

But attention compares $p_k W_Q$ with $p_l W_K$. Moving three steps on rotates every pair of columns by a fixed angle, a
linear map, the same for all $k$: for the sinusoidal vectors the printed difference is 0 up to rounding, and for random
vectors no matrix comes near. With such a rotation in $W_Q$ a head can look three to the left, say. Vaswani et al. had a
second reason to choose sinusoids: they exist for every position, so a model might manage longer texts than it was
trained on. Lesson 4, section 3.4, tries it.
</details>

### 3.2 A table

The other way is to learn the vectors: a table with one row for each position up to a longest length. Vaswani et al.
found nearly the same quality; BERT, GPT-2 and ViT all have tables. But positions beyond the last row do not exist.

**Exercise 4.** ● Write `LearnedPositions`. Shapes: `table (max_length, width)`, `X (B, N, width)`, and the result is `X`
with the first $N$ rows of the table added. A sequence that is too long must raise `ValueError`, with a sentence that
says what was expected and what came.

<details><summary>Hint</summary>

`self.table[:N]` is `(N, width)` and broadcasts over the batch. Slicing past the end raises nothing: it returns fewer
rows. So test first.
</details>
"""

# %% nbgrader={"grade_id": "LearnedPositions", "solution": true}
class LearnedPositions(nn.Module):
    """Adds a learned vector to every row, one for each position. Parameter: table (max_length, width)."""

    def __init__(self, max_length, width):
        super().__init__()
        self.table = nn.Parameter(0.02 * torch.randn(max_length, width))       # small at first, as in BERT and GPT-2

    def forward(self, X):
        """Return X (B, N, width) plus the first N rows of the table. Raises ValueError if N is above max_length."""
        ### BEGIN SOLUTION Raise ValueError if X is too long; otherwise return X plus the first N rows of the table.
        N, max_length = X.shape[-2], self.table.shape[0]
        if N > max_length:
            raise ValueError(f"Expected at most {max_length} positions, got {N}.")
        return X + self.table[:N]                              # (B, N, D) + (N, D) -> (B, N, D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-LearnedPositions", "grade": true}
check("LearnedPositions")

# %% [markdown]
r"""
## 4 The encoder block

A block is two steps: attention, then feed-forward. Neither *replaces* the rows. Its result is **added** to them:

$$X + \text{step}(X)$$

This is a residual connection (He et al. 2016), and the rows that all blocks add to are called the **residual stream**.
In the backward pass the gradient passes the plus sign unchanged: $\partial(x + f(x))/\partial x = I + f'(x)$. Where
does the LayerNorm go? There are two answers, **post-norm** and **pre-norm**:

| post-norm (Vaswani et al. 2017, BERT) | pre-norm (GPT-2, ViT) |
|---|---|
| $X' = \mathrm{norm}_1(X + \mathrm{attention}(X))$ | $X' = X + \mathrm{attention}(\mathrm{norm}_1(X))$ |
| $Y = \mathrm{norm}_2(X' + \mathrm{FFN}(X'))$ | $Y = X' + \mathrm{FFN}(\mathrm{norm}_2(X'))$ |

**Follow the line from X to Y.** In which of the two blocks is there a path through no LayerNorm?
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    y1 = (Y: post-norm) | y2 = (Y: pre-norm)
    n12 = [LayerNorm] | a22 = {+}
    a12 = {+} | f2 = [feed-forward]
    f1 = [feed-forward] | n22 = [LayerNorm]
    n11 = [LayerNorm] | a21 = {+}
    a11 = {+} | s2 = [self-attention]
    s1 = [self-attention] | n21 = [LayerNorm]
    x1 = (X: N × D) | x2 = (X: N × D)
    x1 -> s1
    s1 -> a11
    a11 -> n11
    n11 -> f1
    f1 -> a12
    a12 -> n12
    n12 -> y1
    x2 -> n21
    n21 -> s2
    s2 -> a21
    a21 -> n22
    n22 -> f2
    f2 -> a22
    a22 -> y2
    x1 ~> a11
    n11 ~> a12
    x2 ~> a21
    a21 ~> a22
""", title="The same parts in another order");

# %% [markdown]
r"""
Dropout acts on what a step adds: `X + dropout(step)`.

**Exercise 5.** ●● Write the forward of `EncoderBlock`. The parts are made for you. All rows are `(B, N, D)` from
beginning to end, so that blocks can be stacked. `self.attention(X, allowed=allowed)` returns a pair, the rows and
the weights `A (B, H, N, N)`; return the weights, too.

<details><summary>Hint: pre-norm</summary>

In pre-norm queries, keys and values are all made from the normalised rows. The step's result is added to the row
*before* the norm.
</details>
"""

# %% nbgrader={"grade_id": "EncoderBlock", "solution": true}
class EncoderBlock(nn.Module):
    """Self-attention and feed-forward, each with a residual connection and a LayerNorm.

    norm: "post" normalises after adding, "pre" before each of the two steps; any other raises ValueError.
    """

    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm not in ("post", "pre"):
            raise ValueError(f'Expected norm "post" or "pre", got {norm!r}.')
        self.norm = norm
        self.attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout, activation)
        self.norm_1 = LayerNorm(model_width)
        self.norm_2 = LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)                     # on what each of the two steps adds

    def forward(self, X, allowed=None):
        """Return (Y, A) for X (B, N, D): rows Y (B, N, D) and weights A (B, H, N, N).

        allowed: None or a bool tensor that broadcasts to (B, H, N, N); True means "may attend".
        """
        if self.norm == "post":
            ### BEGIN SOLUTION Return Y and A for post-norm: attend, add, normalise; feed forward, add, normalise.
            attended, A = self.attention(X, allowed=allowed)           # (B, N, D), (B, H, N, N)
            X = self.norm_1(X + self.dropout(attended))                # (B, N, D)
            Y = self.norm_2(X + self.dropout(self.feed_forward(X)))    # (B, N, D)
            return Y, A
            ### END SOLUTION
        ### BEGIN SOLUTION Return Y and A for pre-norm: normalise, attend, add; normalise, feed forward, add.
        attended, A = self.attention(self.norm_1(X), allowed=allowed)  # (B, N, D), (B, H, N, N)
        X = X + self.dropout(attended)                                 # (B, N, D)
        Y = X + self.dropout(self.feed_forward(self.norm_2(X)))        # (B, N, D)
        return Y, A
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-EncoderBlock", "grade": true}
check("EncoderBlock")

# %% [markdown]
r"""
### 4.1 Positions break the equivariance

Now for a whole block and the two kinds of positions of section 3. $s$ is a random order of 9 words; equivariance means
$f(s(X)) = s(f(X))$.

**Before you run it:** which is farthest from equivariance: no positions, sinusoidal positions, or a fresh table whose
entries have standard deviation 0.02?
"""

# %% tags=["experiment"]
predict("fresh table", "How far does the fresh table take the block from equivariance, compared with sinusoidal positions?",
        ["farther", "about as far", "less far"])

# %% tags=["experiment"]
torch.manual_seed(0)
block = EncoderBlock(model_width=64, num_heads=4, hidden_width=256)
table = LearnedPositions(9, 64)
X = torch.randn(1, 9, 64)                                                       # (1, N, D): nine word vectors
order = torch.randperm(9)                                                       # s
positions = {"none": lambda X: X, "sinusoidal": lambda X: X + sinusoidal_positions(9, 64), "fresh table": table}

distance = {}
with torch.no_grad():
    for name, add_positions in positions.items():
        f_s = block(add_positions(X[:, order]))[0]                              # f(s(X)): words shuffled, positions not
        s_f = block(add_positions(X))[0][:, order]                              # s(f(X))
        distance[name] = (f_s - s_f).square().mean().sqrt()
        print(f"{name:12} f(s(X)) and s(f(X)) differ by {distance[name]:.1e} (root mean square)")
plots.show_bars(list(distance), torch.stack(list(distance.values())), ylabel="root mean square difference",
                xlabel="positions added to the rows", title="Distance from equivariance")
ratio = distance["fresh table"] / distance["sinusoidal"]
came_out("fresh table", "farther" if ratio > 1.5 else "less far" if ratio < 1 / 1.5 else "about as far")

# %% tags=["numbers"]
says(r"\approx 0.7$, nearly as large as those of the words", sinusoidal_positions(9, 64).square().mean().sqrt())

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without positions the difference is rounding: the whole block is equivariant. Sinusoidal positions break it most here:
their entries have root mean square $1/\sqrt{2} \approx 0.7$, nearly as large as those of the words. The fresh table
breaks it only a little, but its entries are parameters, so training can make them larger.
</details>

### 4.2 Post-norm or pre-norm, at depth

The original Transformer is post-norm and needs a careful start: the learning rate rises from near 0 for thousands of
steps (*warm-up*). Pre-norm models need little of that. Like Xiong et al. (2020), look at the gradients *before* the
first step: 6 or 24 encoder blocks, Xavier initialisation, a linear classifier, random labels, and the norm of the
gradient with respect to the parameters of each block. Pre-norm gets a LayerNorm before the classifier (lesson 4 says
why); two curves are without it.

A first guess: in pre-norm, every plus sign passes the gradient on unchanged. In post-norm it passes two LayerNorms per
block. If $X$ has variance 1 and a step adds something independent, of variance $v$, each divides by $\sqrt{1 + v}$. So
the gradients should die out in post-norm, and be level in pre-norm.

**Before you run it:** sketch the curves, one point for each block. Is the first guess right?
"""

# %% tags=["experiment"]
device = devices.pick_device()


def draw_weights(module):
    """Draw all matrices of the module as Vaswani et al. did: uniformly, in Xavier's bounds."""
    for parameter in module.parameters():
        if parameter.dim() == 2:
            nn.init.xavier_uniform_(parameter)


def gradient_norms(norm, depth, seed, last_norm=True):
    """Return the norm of the gradient for each of `depth` blocks, before any training, as a tensor (depth,).

    In pre-norm a LayerNorm precedes the classifier, unless last_norm is False.
    """
    torch.manual_seed(seed)
    blocks = nn.ModuleList(EncoderBlock(64, 4, 256, norm=norm) for _ in range(depth))
    last = nn.ModuleList([LayerNorm(64) if norm == "pre" and last_norm else nn.Identity(), nn.Linear(64, 10)])
    draw_weights(blocks)
    X, labels = torch.randn(8, 16, 64), torch.randint(10, (8 * 16,))            # (B, N, D), (B N,)
    blocks, last, X, labels = (part.to(device) for part in (blocks, last, X, labels))
    for block in blocks:
        X, _ = block(X)                                                         # (B, N, D)
    F.cross_entropy(last[1](last[0](X)).flatten(0, 1), labels).backward()
    return torch.tensor([math.hypot(*(p.grad.norm().item() for p in block.parameters())) for block in blocks])


curves, bands = {}, {}
for norm, depth, last_norm in (("post", 6, True), ("post", 24, True), ("pre", 6, True), ("pre", 24, True), ("pre", 6, False), ("pre", 24, False)):
    draws = torch.stack([gradient_norms(norm, depth, seed, last_norm) for seed in range(5)])    # (5, depth)
    rows = torch.cat([draws, torch.full((5, 24 - depth), math.nan)], dim=1)                     # (5, 24)
    name = f"{norm}-norm, {depth} blocks" + ("" if last_norm else ", no last norm")
    curves[name], bands[name] = rows.median(dim=0).values, (rows.amin(dim=0), rows.amax(dim=0))
    print(f"{name:34} first block {curves[name][0]:.2f}, last block {curves[name][depth - 1]:.2f}")
plots.show_curves(range(1, 25), curves, "block, counted from the input", "norm of the gradient",
                  "Gradients before the first step", logy=True, bands=bands);

# %% tags=["numbers"]
says("0.34 with 6 blocks, 0.21 with 24", curves["pre-norm, 6 blocks"][5], 6, curves["pre-norm, 24 blocks"][23], 24)
deep, bare = curves["post-norm, 24 blocks"], curves["pre-norm, 24 blocks, no last norm"]
claims("without it the gradient of the last block grows with the depth", curves["pre-norm, 6 blocks, no last norm"][5] < 0.8 * bare[23])
says("with 24 blocks it is 0.79 at the first block and 1.10 at the last", 24, deep[0], deep[23])
says("from 8.0 to 2.8", bare[0], bare[23])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The first guess is wrong twice. Post-norm does not die out: with 24 blocks it is 0.79 at the first block and 1.10 at the
last. Each norm divides by $\sqrt{1 + v}$, but gradient also comes back through the step itself, and makes up for it.
For the same reason pre-norm is not level: what comes back through the steps is *added* to what the plus signs pass on,
so the gradient grows on its way to the first block. Without the last norm the curve falls all the same, from 8.0 to
2.8. The last norm makes all gradients smaller, the more so the deeper the model: without it the gradient of
the last block grows with the depth, and with it that block gets 0.34 with 6 blocks, 0.21 with 24.

With other data and widths, Xiong et al. find other curves. Common to both is that next to the output post-norm's
gradients are large whatever the depth, and those of pre-norm with its last norm shrink as the depth grows.
</details>

Adam makes the size of the gradients nearly irrelevant: its first step moves *every* parameter by the learning rate, up
or down. How far does that move the output (Liu et al. 2020)?

**Before you run it:** learning rate $10^{-4}$, one step, 1 to 32 blocks. By which fraction of its size does the output
change, in post-norm and in pre-norm?
"""

# %% tags=["experiment", "slow"]
def first_step(norm, depth, seed, rate=1e-4, random_signs=False):
    """Return by which fraction of its size the output of `depth` blocks changes in Adam's first step.

    random_signs: whether each parameter goes up or down by chance, and not by its gradient.
    """
    torch.manual_seed(seed)
    blocks = nn.ModuleList(EncoderBlock(64, 4, 256, norm=norm) for _ in range(depth))
    draw_weights(blocks)
    last, classify = LayerNorm(64) if norm == "pre" else nn.Identity(), nn.Linear(64, 10)
    X, labels = torch.randn(8, 16, 64), torch.randint(10, (8 * 16,))            # (B, N, D), (B N,)
    blocks, last, classify, X, labels = (part.to(device) for part in (blocks, last, classify, X, labels))

    def output():
        rows = X
        for block in blocks:
            rows, _ = block(rows)                                               # (B, N, D)
        return last(rows)

    before = output()
    F.cross_entropy(classify(before).flatten(0, 1), labels).backward()
    for parameter in blocks.parameters() if random_signs else ():
        parameter.grad = torch.randn_like(parameter)
    torch.optim.Adam(blocks.parameters(), lr=rate).step()
    with torch.no_grad():
        return ((output() - before).norm() / before.norm()).item()


depths = [1, 2, 4, 8, 16, 32]
moves = {f"{norm}-norm": [sum(first_step(norm, depth, seed) for seed in range(2)) / 2 for depth in depths]
         for norm in ("post", "pre")}
moves["post-norm, random signs"] = [sum(first_step("post", depth, seed, random_signs=True) for seed in range(2)) / 2 for depth in depths]
plots.show_curves(depths, moves, "number of blocks", "change / size of the output", "Adam's first step",
                  logx=True, logy=True);

# %% tags=["numbers"]
given("after a step of 0.0001")
claims("and pre-norm by a quarter", abs(moves["pre-norm"][-1] - 0.25) < 0.05 and 0.6 < moves["post-norm"][-1] < 0.75)
claims("with random signs the 32 post-norm blocks move by half a percent", 0.003 < moves["post-norm, random signs"][-1] < 0.008)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With one block both move by half a percent. With 32, post-norm has moved by two thirds of its size, after a step of
0.0001, and pre-norm by a quarter. In post-norm every block changes its rows by most of their size, as lesson 4
shows; in pre-norm the late ones pass most of them on unchanged. That alone is not enough: with random signs the 32
post-norm blocks move by half a percent, since only steps that follow one gradient all push the same way. So the first steps throw a deep post-norm model far away, in a direction
chosen by a single batch. Warm-up makes these steps tiny until Adam has seen more batches.
</details>

## 5 The decoder block

A decoder writes one word after the other. For each word it looks at what it has written so far and at what the encoder
has read. So its block has three steps:

1. **masked self-attention**: each row looks at itself and at the rows before it (lesson 1, section 8);
2. **cross-attention** (encoder–decoder attention): the queries are the decoder's rows, keys and values are made from the
   *memory*, the encoder's output (lesson 2);
3. feed-forward.

Each has its residual connection and its LayerNorm, post or pre as before. In post-norm:

$$\begin{aligned}
X' &= \mathrm{norm}_1(X + \mathrm{self\text{-}attention}(X)) \\
X'' &= \mathrm{norm}_2(X' + \mathrm{cross\text{-}attention}(X', \text{memory})) \\
Y &= \mathrm{norm}_3(X'' + \mathrm{FFN}(X''))
\end{aligned}$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (Y: N_T × D)
    . | a3 = {+}
    . | [feed-forward]
    . | a2 = {+}
    (memory: N_S × D) | [cross-attention]
    . | a1 = {+}
    . | [masked self-attention]
    . | (X: N_T × D)
    X -> masked self-attention
    masked self-attention -> a1
    a1 -> cross-attention: queries
    memory -> cross-attention: keys, values
    cross-attention -> a2
    a2 -> feed-forward
    feed-forward -> a3
    a3 -> Y
    X ~> a1
    a1 ~> a2
    a2 ~> a3
""", title="The decoder block (its norms are left out)");

# %% [markdown]
r"""
In pre-norm, only the decoder's own rows pass the norms. The memory is used as it is.

Two small functions are given: `before` normalises only in pre-norm, `after` only in post-norm. Every step then reads

$$X \leftarrow \mathrm{after}(X + \mathrm{dropout}(\mathrm{step}(\mathrm{before}(X))))$$

**Exercise 6.** ●● Write `DecoderBlock`: its parts, and the forward. Shapes: `X (B, N_T, D)`, `memory (B, N_S, D)`,
`A_self (B, H, N_T, N_T)`, `A_cross (B, H, N_T, N_S)`. The causal mask is made inside, on the device of `X`. If `allowed`
is given (padding in the target, say), a key must be allowed by *both*. `memory_allowed` hides keys of the memory and has
nothing to do with the causal mask.

<details><summary>Hint: the parts</summary>

As in `EncoderBlock`, with two attentions named `self_attention` and `cross_attention`, and three norms. Each is an
object of its own: the same object twice would share its weights.
</details>
<details><summary>Hint: two masks</summary>

`a & b` is True where both are. `(N_T, N_T)` and `(B, 1, 1, N_T)` broadcast to `(B, 1, N_T, N_T)`.
</details>
<details><summary>Hint: cross-attention</summary>

`self.cross_attention(queries, memory, allowed=memory_allowed)`: with the values left out, they are the keys.
</details>
"""

# %% nbgrader={"grade_id": "DecoderBlock", "solution": true}
class DecoderBlock(nn.Module):
    """Masked self-attention, cross-attention to the memory, and feed-forward, each with residual and LayerNorm.

    norm: "post" normalises after adding, "pre" before each of the three steps; any other raises ValueError.
    """

    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        if norm not in ("post", "pre"):
            raise ValueError(f'Expected norm "post" or "pre", got {norm!r}.')
        self.norm = norm
        self.dropout = nn.Dropout(dropout)                     # on what each of the three steps adds
        ### BEGIN SOLUTION Make self_attention, cross_attention, feed_forward, norm_1, norm_2 and norm_3.
        self.self_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(model_width, num_heads, dropout)
        self.feed_forward = FeedForward(model_width, hidden_width, dropout=dropout, activation=activation)
        self.norm_1, self.norm_2, self.norm_3 = (LayerNorm(model_width) for _ in range(3))
        ### END SOLUTION

    def before(self, norm, X):
        """Return what a step gets to see: X, normalised in pre-norm."""
        return norm(X) if self.norm == "pre" else X

    def after(self, norm, X):
        """Return what is handed on after adding: X, normalised in post-norm."""
        return norm(X) if self.norm == "post" else X

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        """Return (Y, (A_self, A_cross)) for X (B, N_T, D) and memory (B, N_S, D).

        allowed: None or a bool tensor that broadcasts to (B, H, N_T, N_T); it is joined with the causal mask.
        memory_allowed: None or a bool tensor that broadcasts to (B, H, N_T, N_S). True means "may attend".
        Returns rows Y (B, N_T, D), weights A_self (B, H, N_T, N_T) and A_cross (B, H, N_T, N_S).
        """
        ### BEGIN SOLUTION Join the masks, take the three steps in turn, and return Y with both weights.
        causal = causal_mask(X.shape[-2], device=X.device)                                          # (N_T, N_T)
        allowed = causal if allowed is None else causal & allowed
        step, A_self = self.self_attention(self.before(self.norm_1, X), allowed=allowed)            # (B, N_T, D)
        X = self.after(self.norm_1, X + self.dropout(step))
        step, A_cross = self.cross_attention(self.before(self.norm_2, X), memory, allowed=memory_allowed)
        X = self.after(self.norm_2, X + self.dropout(step))
        step = self.feed_forward(self.before(self.norm_3, X))
        return self.after(self.norm_3, X + self.dropout(step)), (A_self, A_cross)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-DecoderBlock", "grade": true}
check("DecoderBlock")

# %% [markdown]
r"""
Which row influences which, in one decoder block? One picture is for the decoder's own input rows, one for the rows of
the memory.

**Before you run it:** 6 rows in the decoder, 8 in the memory, the last two of which are padding. Where are exact zeros
in each picture? May row 0 of the decoder look at row 5 of the memory?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
block = DecoderBlock(model_width=32, num_heads=4, hidden_width=128)
X, memory = torch.randn(6, 32), torch.randn(8, 32)                              # (N_T, D), (N_S, D)
memory_allowed = padding_mask(torch.tensor([6]), 8)                             # (1, 1, 1, 8)


def run_block(X, memory):
    """Return the output rows (N_T, D) of the block."""
    return block(X[None], memory[None], memory_allowed=memory_allowed)[0][0]


_, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
pictures = {"decoder": influence(lambda rows: run_block(rows, memory), X),
            "memory": influence(lambda rows: run_block(X, rows), memory)}
for ax, (name, norms) in zip(axes, pictures.items()):
    plots.show_attention(norms, title=f"Influence of the {name}'s rows", label="norm of derivative", ax=ax)
    ax.set(xlabel=f"input row of the {name}", ylabel="output row of the decoder")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The decoder's rows: nothing above the diagonal, though three steps separate input and output. The large numbers on the
diagonal are the residual connection. The memory: all rows may look at all of it, row 0 too, but not at the padding. The
source has been read to its end before the first word is written, so there is nothing to hide.
</details>
"""

# %% [markdown]
r"""
## 6 What to take along

- A block is attention, where rows meet, and a feed-forward part, where two thirds of an encoder block's parameters are.
  Both *add* to the residual stream.
- LayerNorm brings each row to mean 0 and variance 1, over its width. It knows neither batch nor position.
- Without positions a block is equivariant. Positions are added: sinusoidal ones, which exist for any length, or a
  learned table.
- Post-norm normalises the sum, pre-norm the input of a step. Deep post-norm models move far with the first steps and
  need a warm-up.
- A decoder block looks at its own past and at the whole source.

Next, lesson 4: the whole Transformer.

### Sources

J. Johnson, *Attention*, lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and
Transformers*, CS 4644/7643, Georgia Tech. A. Vaswani et al., *Attention is all you need*, 2017. J. L. Ba, J. R. Kiros,
G. E. Hinton, *Layer normalization*, 2016. K. He et al., *Deep residual learning*, 2016. R. Xiong et al., *On layer
normalization in the Transformer architecture*, 2020. L. Liu et al., *Understanding the difficulty of training
Transformers*, 2020. D. Hendrycks, K. Gimpel, *Gaussian error linear units*, 2016.
"""
