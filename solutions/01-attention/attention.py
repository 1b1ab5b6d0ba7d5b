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
# 1 Attention

You build attention from its smallest piece, one query, up to the layer inside every Transformer: in little memory,
and in at most 2.5 times the time of PyTorch's own.

| section | the one change | exercise |
|---|---|---|
| 1 | one query looks at a set of vectors | `softmax`, `attend` |
| 2 | attention scores are divided by $\sqrt{D_Q}$ | written question 1 |
| 3, 4 | many queries; separate keys and values | |
| 5 | some keys may be hidden | `scaled_dot_product_attention` |
| 6 | the queries come from the same vectors as the keys | `SelfAttention` |
| 7 | none: what the layer does not know | |
| 8 | nobody looks ahead | `causal_mask`, `CausalSelfAttention`, written question 2 |
| 9 | none: what it costs | |
| 10 | the same numbers, block by block | `blockwise_attention` |

**Before you begin.** You need PyTorch tensors, broadcasting and gradients. Plan about four and a half hours. Exercise 7
is the hardest; later lessons need only sections 1 to 8; lesson 16 alone also needs section 10. The solution runs in half a minute,
without a GPU.

## How this notebook works

- In an exercise, replace the line `raise NotImplementedError(...)`; its text says what to write.
- The next cell is the exercise's **check**. Run it as often as you like. For a property that fails it shows the
  first failing example (small ones come first) and, if it can, the likely cause.
- ●: a few lines. ●●: about 25 minutes. ●●●: about an hour; begin with an example that you can check by
  hand.
- Answer the question before each experiment (clicks are never graded), then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype (float64 in, float64 out), leaves its
  arguments unchanged, accepts any memory layout, lets gradients through and works for a batch of one.
- From exercise 2 on, `torch.softmax` is allowed.
- Forbidden: `torch.nn.functional.scaled_dot_product_attention`, `nn.MultiheadAttention` (and layers that contain it),
  `flex_attention`, and everything in `course_lib.layers`.

**Notation.** A lower-case letter is one vector, the capital a matrix with such vectors as rows. In code, batch axes
come first: `(B, N_Q, D_Q)`.

| symbol | shape | meaning | in papers and libraries |
|---|---|---|---|
| $q$, $Q$ | $D_Q$, $N_Q \times D_Q$ | one query; all queries | query; $D_Q$ is $d_k$ in Vaswani et al., $E$ in PyTorch |
| $X$ | $N_X \times D_X$ | input vectors | hidden states (`hidden_states`), embeddings |
| $K$, $V$ | $N_K \times D_Q$, $N_K \times D_V$ | keys and values | key, value; the last axes are $d_k$ and $d_v$ |
| $e$, $E$ | $N_K$, $N_Q \times N_K$ | attention scores, or similarities | attention scores, attention logits, energies |
| $a$, $A$ | the same as $e$, $E$ | attention weights | attention weights (`attn_weights`, `attentions`), attention map, $\alpha$ |
| $y$, $Y$ | $D_V$, $N_Q \times D_V$ | outputs | attention output (`attn_output`), context vector |
| `allowed` | broadcasts to $N_Q \times N_K$ | mask; **True means "may attend"** | attention mask (`attn_mask`, `attention_mask`) |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.attention import check
from course_lib import devices, plots
from course_lib.predictions import came_out, predict

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 One query

A translator is about to write the next French word. It has one vector for each English word and needs one vector that
holds *what matters now*. Bahdanau et al. (2015) let it ask. A **query** vector $q$ is compared with every input vector
$x_i$. Each comparison gives an **attention score** $e_i$, their **similarity**, and the scores become **weights** $a_i$.

### 1.1 From scores to weights

The weights should be positive and sum to 1, and grow with the score. The softmax does this:

$$a_i = \frac{\exp(e_i)}{\sum_j \exp(e_j)} = \frac{\exp(e_i - m)}{\sum_j \exp(e_j - m)} \qquad\text{for every number } m$$

The second form is for the computer: `exp(100)` is already infinite in float32. Choose $m$ such that no exponential
overflows and at least one of them is not 0.

**Exercise 1.** ● Write `softmax` for a tensor with any number of axes. `dim` names the axis along which the weights sum
to 1. The result has the shape of `E`. Use exponentials and sums: `torch.softmax` and `log_softmax` are not allowed
here; `logsumexp` and autograd are.

<details><summary>Hint: which m?</summary>

Above which exponent does `exp` overflow? For which exponent is it surely not 0? $m$ has to bring the largest exponent
of every slice between these two.
</details>
<details><summary>Hint: the shapes do not fit together</summary>

`E.amax(dim=dim)` has lost the axis `dim`. With `keepdim=True` that axis has length 1 and broadcasts against `E`.
</details>
"""

# %% nbgrader={"grade_id": "softmax", "solution": true}
def softmax(E, dim=-1):
    """Return the attention weights for the similarities E.

    E: similarities, any shape; an entry of -inf gets weight 0.
    dim: the axis along which the weights sum to 1.
    Returns a new tensor of the shape and dtype of E; E itself is not changed.
    """
    ### BEGIN SOLUTION Return the weights: exponentials divided by their sum, stable for any magnitude.
    largest = E.amax(dim=dim, keepdim=True)                    # like E, but length 1 along dim
    weights = torch.exp(E - largest)                           # like E, between 0 and 1
    return weights / weights.sum(dim=dim, keepdim=True)        # like E
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-softmax", "grade": true}
check("softmax")

# %% [markdown]
r"""
**Before you run it:** multiply the scores 1, 2 and 3 by the same number $c$. What are the three weights when $c$ is
nearly 0? When $c$ is large? And does it matter if you *add* 1000 to all three?
"""

# %% tags=["experiment"]
e = torch.tensor([1.0, 2.0, 3.0])                                  # (3,)
factors = torch.logspace(-2, 2, 25)                                # (25,)
A = softmax(factors[:, None] * e, dim=-1)                          # (25, 1) * (3,) -> (25, 3)

print("weights of  1, 2, 3         :", softmax(e))
print("weights of  1001, 1002, 1003:", softmax(e + 1000))
plots.show_curves(factors, {f"score c · {i + 1}": A[:, i] for i in range(3)}, "factor c (logarithmic)",
                  "weight", "Three scores, multiplied by c", logx=True);

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Near $c = 0$ each weight is 1/3. For large $c$ the largest score takes everything, and a small change of the scores
changes nothing. (At the left the curves are flat only because $c$ itself hardly changes there.) Adding 1000 changes
nothing, since only differences count.
</details>

### 1.2 A weighted mean

To compare two vectors, take their dot product $q \cdot x_i$: large when they point the same way, 0 at right angles,
negative when they oppose each other. The output is the mean of the input vectors under the weights:

$$e_i = q \cdot x_i \qquad a = \mathrm{softmax}(e) \qquad y = \sum_i a_i\, x_i$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (y: D_Q)
    [weighted mean]
    (a: N_X) | .
    [softmax] | .
    (e: N_X) | .
    [dot products] | .
    (q: D_Q) | (X: N_X × D_Q)
    q, X -> dot products
    dot products -> e
    e -> softmax
    softmax -> a
    a, X -> weighted mean
    weighted mean -> y
""", title="One query");

# %% [markdown]
r"""
Every weight is positive, so the query looks everywhere at once: **soft attention**. *Hard attention* would draw one
vector by its weight, and a draw has no gradient. Soft attention is differentiable, so the task alone teaches the
translator which English word belongs to which French word.

**Exercise 2.** ● Write `attend` for one query. Write the shapes first: `q (D_Q,)`, `X (N_X, D_Q)`, so `e (N_X,)`,
`a (N_X,)`, `y (D_Q,)`. Do not divide by $\sqrt{D_Q}$ yet. You need no loop.

<details><summary>Hint</summary>

Matrix times vector gives the dot products with the *rows* of the matrix. Vector times matrix gives a weighted sum of the
rows. Which do you need first?
</details>
"""

# %% nbgrader={"grade_id": "attend", "solution": true}
def attend(q, X):
    """Attend with one query over the input vectors.

    q (D_Q,): the query.
    X (N_X, D_Q): one input vector per row.
    Returns (y, a): the output y (D_Q,) and the weights a (N_X,).
    """
    ### BEGIN SOLUTION Return y and a: similarities by dot product, weights by softmax, output as the weighted sum.
    e = X @ q                                                  # (N_X, D_Q) @ (D_Q,) -> (N_X,)
    a = torch.softmax(e, dim=0)                                # (N_X,)
    y = a @ X                                                  # (N_X,) @ (N_X, D_Q) -> (D_Q,)
    return y, a
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-attend", "grade": true}
check("attend")

# %% [markdown]
r"""
These word vectors are made by hand, so that you can read their five numbers. The query asks for an animal.

**Before you run it:** which words get the weight? Roughly what are the five numbers of $y$? And what happens to the two
words "the"?
"""

# %% tags=["experiment"]
meanings = ["animal", "action", "size", "hunger", "grammar"]
vectors = {
    "the":    [0.0, 0.0, 0.0, 0.0, 1.0],
    "hungry": [0.2, 0.0, 0.0, 1.0, 0.0],
    "cat":    [1.0, 0.0, 0.3, 0.0, 0.0],
    "chased": [0.1, 1.0, 0.0, 0.0, 0.0],
    "small":  [0.0, 0.0, 0.8, 0.0, 0.0],
    "mouse":  [0.9, 0.0, 0.1, 0.0, 0.0],
}
sentence = "the hungry cat chased the small mouse".split()
X = torch.tensor([vectors[word] for word in sentence])             # (7, 5)
q = torch.tensor([4.0, 0.0, 0.0, 0.0, 0.0])                        # (5,): four times "animal"

y, a = attend(q, X)                                                # (5,), (7,)
print("y = " + ", ".join(f"{meaning} {value:.2f}" for meaning, value in zip(meanings, y.tolist())))
plots.show_bars(sentence, a, ylabel="attention weight", title='Which words answer the query "animal"?');

# %% [markdown]
r"""
<details><summary>What you should see</summary>

"cat" and "mouse" share nearly all of the weight, so $y$ is nearly the mean of their vectors. The two "the" get exactly
the same weight: the input is a *set* of vectors, and a word's place plays no part.
</details>

## 2 Why divide by the square root of $D_Q$

How large is a dot product? Let the components of $q$ and $x$ be independent, with mean 0 and variance 1. Each of the
$D_Q$ products $q_d\,x_d$ then has mean 0 and variance 1 as well, and the variances of independent terms add up:

$$\mathrm{Var}(q \cdot x) = \sum_{d=1}^{D_Q} \mathrm{Var}(q_d\, x_d) = D_Q$$

The standard deviation is $\sqrt{D_Q}$. Scores that are far apart hurt learning, because the gradient passes through
the softmax's matrix of derivatives (its *Jacobian*):

$$\frac{\partial a_i}{\partial e_j} = a_i\,(\delta_{ij} - a_j) \qquad \delta_{ij} = 1 \text{ if } i = j, \text{ otherwise } 0$$

Vaswani et al. (2017) therefore divide: $e_i = q \cdot x_i / \sqrt{D_Q}$, **scaled dot-product attention**.

**Before you run it:** 16 random input vectors, 200 draws for each width $D_Q$ from 1 to 4096. Sketch three curves over
$D_Q$, without and with the division: the standard deviation of the scores, the largest of the 16 weights, and the norm
of the Jacobian.
"""

# %% tags=["experiment"]
generator = torch.Generator().manual_seed(0)
widths = [4**power for power in range(7)]                          # 1, 4, ..., 4096
plain, scaled = "q · x", "q · x / √D_Q"
spread, largest, jacobian_norm = ({plain: [], scaled: []} for _ in range(3))

for D_Q in widths:
    q = torch.randn(200, D_Q, 1, generator=generator)              # 200 draws of one query, as a column
    X = torch.randn(200, 16, D_Q, generator=generator)             # 200 draws of 16 input vectors
    e = (X @ q).squeeze(-1)                                        # (200, 16)
    for name, divisor in ((plain, 1.0), (scaled, math.sqrt(D_Q))):
        a = torch.softmax((e / divisor).double(), dim=-1)          # (200, 16), float64 for the tiny numbers
        jacobian = torch.diag_embed(a) - a[:, :, None] * a[:, None, :]    # (200, 16, 16)
        spread[name].append((e / divisor).std().item())
        largest[name].append(a.amax(dim=-1))                       # (200,)
        jacobian_norm[name].append(torch.linalg.matrix_norm(jacobian))    # (200,)


def show_draws(readings, ylabel, title, **options):
    """Draw the median over the draws as a curve, and the middle half of the draws as a band."""
    low, middle, high = ({name: [draws.quantile(level).item() for draws in rows] for name, rows in readings.items()}
                         for level in (0.25, 0.5, 0.75))
    bands = {name: (low[name], high[name]) for name in readings}
    plots.show_curves(widths, middle, "width D_Q", ylabel, title, logx=True, bands=bands, **options)


plots.show_curves(widths, spread, "width D_Q", "standard deviation", "How large are the scores?",
                  logx=True, logy=True)
show_draws(largest, "largest of 16 weights", "How hard is the choice?")
show_draws(jacobian_norm, "norm of the Jacobian", "How much gradient passes the softmax?", logy=True)

# %% tags=["experiment"]
predict("slider", "One query and ten keys of width 256. What happens to the weights if you divide by D_Q instead of √D_Q?",
        ["one key takes nearly everything", "a few keys are clearly ahead", "all keys get nearly the same"])

# %% tags=["experiment"]
# Now move the slider.
generator = torch.Generator().manual_seed(1)
q, X = torch.randn(256, generator=generator), torch.randn(10, 256, generator=generator)
divisors = {"1": 1, "4": 4, "√D_Q = 16": 16, "64": 64, "D_Q = 256": 256}
rows = torch.stack([torch.softmax(X @ q / divisor, dim=0) for divisor in divisors.values()])     # (5, 10)
plots.explore_attention(rows[:, None], queries=["q"], axes={"scores divided by": list(divisors)},
                        title="One query, ten keys")

# %% tags=["experiment"]
most = rows[-1].max()                                              # when D_Q = 256 divides
came_out("slider", "one key takes nearly everything" if most > 0.9 else "a few keys are clearly ahead" if most > 0.2
         else "all keys get nearly the same")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without the division the standard deviation grows like $\sqrt{D_Q}$ and the largest weight goes to 1. The Jacobian falls
by many orders of magnitude, because every entry $a_i(\delta_{ij} - a_j)$ has a factor that is nearly 0: $1 - a_i$ where
the winning key meets itself, a losing key's weight everywhere else. With the division the first curve is level, and so
are the other two from a width of about 4 on.
</details>

### Written question 1 (2 points, graded by hand)

A colleague builds a model with $D_Q = 1024$ and leaves out the division. For hundreds of steps the loss hardly moves,
and the attention weights stay as they were at the start.

- (a) Take two keys and write the four entries of the Jacobian in terms of $a = a_1$. The two similarities differ by 32,
  as is usual at this width. How large are the entries, and how large if both similarities are divided by 32? What does
  that mean for the gradient that reaches $q$?
- (b) The colleague then divides by $D_Q$ instead of $\sqrt{D_Q}$. What do the weights look like now, and what is lost?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-scaling", "grade": true, "solution": true, "points": 2}
r"""
(a) With two keys $a_2 = 1 - a$, so the entries are $\pm a (1 - a)$. A difference of 32 gives
$1 - a = 1 / (1 + e^{32}) \approx 10^{-14}$, so all entries are about $10^{-14}$. A difference of 1 gives $a = 0.73$ and
entries of 0.20. The gradient with respect to $q$ is the one with respect to the weights, times the Jacobian, times the
keys (divided by 32 in the second case). So without the division about $10^{-12}$ of what should reach $q$ arrives
there, and the same holds for the keys: the choice made by the random start cannot be unlearned.

(b) Dividing by 1024 leaves a standard deviation of $32/1024 = 1/32$. All similarities are nearly equal, so the
weights are nearly uniform and the output is nearly the plain mean of the inputs, whatever the query is. The Jacobian
is not zero, but now the query hardly matters at the start; $q$ and $x$ would first have to grow by a large factor.
$\sqrt{D_Q}$ is the one divisor that keeps the spread at 1 for every width.

=== BEGIN MARK SCHEME ===

- 1 point: (a) the entries $\pm a(1 - a)$, both sizes (about $10^{-14}$ and 0.2; the right power of ten is enough), and
  that the gradient of $q$ contains them as a factor (half a point for the entries alone, or for saturation in words
  without a number).
- 1 point: (b) concludes that the similarities are too close together (spread $1/\sqrt{D_Q}$), hence nearly uniform
  weights, and that the query has hardly any influence (half a point if only "too small" is said).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 3 Many queries at once

In training a translator can ask for all its words together. Stack the queries as the rows of $Q$ and the input vectors
as the rows of $X$ (for now $D_X = D_Q$). Row $i$ of $E$ holds the scores of query $i$ for all inputs:

$$E = \frac{Q X^\top}{\sqrt{D_Q}} \qquad A = \mathrm{softmax}(E) \text{ over the inputs} \qquad Y = A X$$

The shapes: $(N_Q \times D_Q)\,(D_Q \times N_X) \to N_Q \times N_X$ for $E$ and $A$, then
$(N_Q \times N_X)\,(N_X \times D_Q) \to N_Q \times D_Q$ for $Y$. Each query gets one output row.

Every *query* spreads a weight of 1 over the inputs, so every row of $A$ sums to 1. Without a batch that is
`softmax(E, dim=1)`. With a batch, `E` is `(B, N_Q, N_K)`, and `dim=1` is wrong without any error message. `dim=-1` is
right in both cases.

## 4 Separate keys and values

So far $X$ does two jobs: it is *compared* with the query, and it is *returned*. But a library finds a book by its title
and hands out its text. So each input vector gets a **key** $k_i$ to compare and a **value** $v_i$ to return, both by a
learned matrix:

$$K = X W_K \qquad V = X W_V$$

$W_K$ is $D_X \times D_Q$, so that keys fit the queries, and $W_V$ is $D_X \times D_V$, for any width $D_V$. Then
$E = Q K^\top / \sqrt{D_Q}$ and $Y = A V$.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: N_Q × D_V)
    product = [A · V]
    (A: N_Q × N_K) | .
    [softmax over the keys] | .
    (E: N_Q × N_K) | .
    scores = [Q · Kᵀ / √D_Q] | .
    (Q: N_Q × D_Q) | (K: N_K × D_Q) | (V: N_K × D_V)
    . | [W_K] | [W_V]
    outside = another sentence, or the same | (X: N_X × D_X)
    outside -> Q
    X -> W_K
    X -> W_V
    W_K -> K
    W_V -> V
    Q, K -> scores
    scores -> E
    E -> softmax over the keys
    softmax over the keys -> A
    A, V -> product
    product -> Y
""", title="Attention with keys and values");

# %% [markdown]
r"""
$N_Q$ and $N_K$ may differ (a French sentence asks an English one), and so may $D_Q$ and $D_V$. Code that mixes them up
works while they are equal, so the checks also make them differ.
"""

# %% [markdown]
r"""
## 5 Hiding keys

Nobody should look at padding, or (section 8) at words that have not been written yet. A **mask** says which query may
attend to which key. A hidden key must get weight *exactly* 0, and the other weights of its row must still sum to 1. So
replace its score by $-\infty$ before the softmax, because $\exp(-\infty) = 0$:

$$E'_{ij} = \begin{cases} \dfrac{q_i \cdot k_j}{\sqrt{D_Q}} & \text{if query } i \text{ may attend to key } j \\[1ex]
-\infty & \text{otherwise} \end{cases} \qquad A = \mathrm{softmax}(E') \text{ over the keys} \qquad Y = A V$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (A: N_Q × N_K, exactly 0 where hidden)
    [softmax over the keys]
    [−∞ where not allowed]
    (E: N_Q × N_K) | (allowed: N_Q × N_K, True or False)
    E, allowed -> −∞ where not allowed
    −∞ where not allowed -> softmax over the keys
    softmax over the keys -> A: each row sums to 1
""", title="The mask acts before the softmax");

# %% [markdown]
r"""
In this course the mask is called `allowed`, and **True means "may attend"**. PyTorch's `scaled_dot_product_attention`
means the same. Its `nn.MultiheadAttention` means the opposite: True hides. If a model learns nothing, or too well, look
at this first.

For sentences of 5, 3 and 0 words, padded to 5 keys, `allowed` has shape `(3, 1, 5)`: the 1 broadcasts over the queries.
A query of the empty sentence may attend to *nothing* and would compute $0/0$. Here it gets zeros, in $A$ and in $Y$.
One NaN would spread through the loss to every weight of the model.

**Exercise 3.** ●● Write `scaled_dot_product_attention`. Write the shapes beside each line before you write the line:
`Q (..., N_Q, D_Q)`, `K (..., N_K, D_Q)`, `V (..., N_K, D_V)`, `E` and `A (..., N_Q, N_K)`, `Y (..., N_Q, D_V)`. The
dots are any number of leading axes, also none. Count axes from the end, and you need not know how many.

<details><summary>Hint: transposing with leading axes</summary>

`K.T` turns *all* axes around. `K.transpose(-2, -1)`, or `K.mT` for short, swaps only the last two.
</details>
<details><summary>Hint: the mask</summary>

`E.masked_fill(condition, value)` returns a copy of `E` with `value` where `condition` is True. It broadcasts. Should
the condition be "hidden" or "allowed"?
</details>
<details><summary>Hint: the row that may attend to nothing</summary>

A softmax over nothing but $-\infty$ gives NaN in the whole row. All these weights belong to hidden keys, and you know
what the weight of a hidden key should be.
</details>
"""

# %% nbgrader={"grade_id": "scaled_dot_product_attention", "solution": true}
def scaled_dot_product_attention(Q, K, V, allowed=None):
    """Return the outputs and the attention weights.

    Q (..., N_Q, D_Q), K (..., N_K, D_Q), V (..., N_K, D_V), with the same leading axes (any number, also none).
    allowed: None (every query may attend to every key) or a bool tensor that broadcasts to (..., N_Q, N_K);
        True means that the query may attend to the key. A query that may attend to nothing gets zeros.
    Returns (Y, A): outputs Y (..., N_Q, D_V) and weights A (..., N_Q, N_K), in the dtype of the inputs.
    """
    ### BEGIN SOLUTION Return Y and A: scaled similarities, softmax over the allowed keys, weighted sums of the values.
    E = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])       # (..., N_Q, N_K)
    if allowed is None:
        A = torch.softmax(E, dim=-1)                           # (..., N_Q, N_K), each row sums to 1
    else:
        A = torch.softmax(E.masked_fill(~allowed, -math.inf), dim=-1)
        A = A.masked_fill(~allowed, 0.0)                       # a row without any allowed key was NaN until here
    Y = A @ V                                                  # (..., N_Q, N_K) @ (..., N_K, D_V) -> (..., N_Q, D_V)
    return Y, A
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-scaled_dot_product_attention", "grade": true}
check("scaled_dot_product_attention")

# %% [markdown]
r"""
### 5.1 Queries in one language, keys in another

Bahdanau et al. (2015) drew the weights of a translation model as a matrix: French words, the queries, in rows, English
words, the keys, in columns. The sentence below is theirs. The vectors are **made by hand** (lesson 5 learns them): every
*meaning* has one random vector, shared by its English and its French word.

**Before you run it:** "European Economic Area" is "zone économique européenne". Where will the picture leave the
diagonal? There are two English words "the", and the French words "l'" and "la" both mean it: what will their rows look
like?
"""

# %% tags=["experiment"]
english = "the agreement on the European Economic Area was signed in August 1992 .".split()
french = "l' accord sur la zone économique européenne a été signé en août 1992 .".split()
meaning_of = {"l'": "the", "accord": "agreement", "sur": "on", "la": "the", "zone": "Area", "économique": "Economic",
              "européenne": "European", "a": "was", "été": "was", "signé": "signed", "en": "in", "août": "August"}
generator = torch.Generator().manual_seed(0)
meaning_vectors = {word: 6 * F.normalize(torch.randn(32, generator=generator), dim=0)
                   for word in dict.fromkeys(english)}                                  # each (32,)

Q = torch.stack([meaning_vectors[meaning_of.get(word, word)] for word in french])       # (14, 32)
K = torch.stack([meaning_vectors[word] for word in english])                            # (13, 32)
V = torch.randn(len(english), 7, generator=generator)                                   # (13, 7)
Y, A = scaled_dot_product_attention(Q, K, V)                                            # (14, 7), (14, 13)
print("Q", tuple(Q.shape), " K", tuple(K.shape), " V", tuple(V.shape), " ->  A", tuple(A.shape), " Y", tuple(Y.shape))
ax = plots.show_attention(A, queries=french, keys=english, values=False, title="French words look at English words")
ax.set(xlabel="English words (keys)", ylabel="French words (queries)");

# %% [markdown]
r"""
<details><summary>What you should see</summary>

A diagonal where the words are in the same order, and a line the other way at "zone économique européenne". The rows
"l'" and "la" are the same, and split their weight between the two "the". The rows "a" and "été" both look at "was", so
that column sums to nearly 2.
</details>
"""

# %% [markdown]
r"""
## 6 Self-attention

Until now the queries came from outside. In **self-attention** they come from the same vectors as the keys and values:
every input vector asks all of them, itself included. It takes one more learned matrix:

$$Q = X W_Q \qquad K = X W_K \qquad V = X W_V$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: N_X × D_V)
    attention = [scaled dot-product attention]
    (Q: N_X × D_Q) | (K: N_X × D_Q) | (V: N_X × D_V)
    [W_Q] | [W_K] | [W_V]
    (X: N_X × D_X)
    X -> W_Q, W_K, W_V
    W_Q -> Q: ask
    W_K -> K: are compared
    W_V -> V: are returned
    Q, K, V -> attention
    attention -> Y
""", title="Self-attention: one X plays three parts");

# %% [markdown]
r"""
$W_Q$ is $D_X \times D_Q$, both $N_Q$ and $N_K$ are now $N_X$, and $A$ is square. The rest is exercise 3. The number of
weights to learn does not depend on the length of the sentence. With queries from one sentence and keys and values from
another, as in 5.1, the layer is called **cross-attention**.

**Exercise 4.** ●● Write the module `SelfAttention`. `X (B, N_X, D_X)` gives `Q` and `K (B, N_X, D_Q)` and
`V (B, N_X, D_V)`; return `Y (B, N_X, D_V)` and `A (B, N_X, N_X)`. The three maps are `nn.Linear` layers without bias.
Call your own `scaled_dot_product_attention`. There is no output projection, no residual connection and no position.

<details><summary>Hint: the orientation of the matrices</summary>

`nn.Linear(D_X, D_Q, bias=False)` maps the last axis from `D_X` to `D_Q`. It stores the transpose of $W_Q$ above;
calling the layer takes care of that.
</details>
"""

# %% nbgrader={"grade_id": "SelfAttention", "solution": true}
class SelfAttention(nn.Module):
    """Self-attention: every input vector asks one query of all input vectors.

    W_Q and W_K (from D_X to D_Q) and W_V (from D_X to D_V) are linear maps without bias.
    """

    def __init__(self, D_X, D_Q, D_V):
        super().__init__()
        ### BEGIN SOLUTION Make the three linear maps W_Q, W_K and W_V, without bias.
        self.W_Q = nn.Linear(D_X, D_Q, bias=False)
        self.W_K = nn.Linear(D_X, D_Q, bias=False)
        self.W_V = nn.Linear(D_X, D_V, bias=False)
        ### END SOLUTION

    def forward(self, X, allowed=None):
        """Return (Y, A) for X (B, N_X, D_X): outputs Y (B, N_X, D_V) and weights A (B, N_X, N_X).

        allowed: None or a bool tensor that broadcasts to (B, N_X, N_X); True means "may attend".
        """
        ### BEGIN SOLUTION Make queries, keys and values from X, and return what attention returns for them.
        Q = self.W_Q(X)                                        # (B, N_X, D_X) -> (B, N_X, D_Q)
        K = self.W_K(X)                                        # (B, N_X, D_X) -> (B, N_X, D_Q)
        V = self.W_V(X)                                        # (B, N_X, D_X) -> (B, N_X, D_V)
        return scaled_dot_product_attention(Q, K, V, allowed)  # (B, N_X, D_V), (B, N_X, N_X)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-SelfAttention", "grade": true}
check("SelfAttention")

# %% [markdown]
r"""
## 7 What the layer does not know

Let $s$ shuffle the rows of a matrix. Shuffled inputs give queries, keys and values shuffled in the same way. So the
scores and the weights are shuffled, in rows and columns, and the sum over the keys does not depend on their order. The
output is the old output, shuffled. For the whole layer $f$:

$$f(s(X)) = s(f(X))$$

This is called **permutation equivariance**.

**Before you run it:** an untrained layer reads "dog bites man" and then "man bites dog". Is $A$ symmetric? How do the
two weight matrices differ? Does the output of "dog" change when it is the dog that is bitten? What changes if every
position adds a vector of its own to the word there (a **positional encoding**)?
"""

# %% tags=["experiment"]
import matplotlib.pyplot as plt

torch.manual_seed(1)
words = ["dog", "bites", "man"]
shuffle = torch.tensor([2, 1, 0])                                               # s: the last becomes the first
layer = SelfAttention(D_X=8, D_Q=8, D_V=3)
X = 2 * torch.randn(1, 3, 8)                                                    # (1, 3, 8): three word vectors
positions = 2 * torch.randn(3, 8)                                               # (3, 8): a vector for each position


def compare_orders(title, positions=0.0):
    """Send the sentence and its reversal through the layer; print and draw both."""
    Y, A = layer(X + positions)                                                 # (1, 3, 3), (1, 3, 3)
    Y_s, A_s = layer(X[:, shuffle] + positions)                                 # the words shuffled, not the positions
    print(title)
    print('  output of "dog" in "dog bites man":', [round(value, 3) for value in Y[0, 0].tolist()])
    print('  output of "dog" in "man bites dog":', [round(value, 3) for value in Y_s[0, 2].tolist()])
    print(f"  largest difference between f(s(X)) and s(f(X)): {(Y_s - Y[:, shuffle]).abs().max().item():.1e}")
    _, axes = plt.subplots(1, 2, figsize=(9, 2.5), layout="constrained")
    for ax, weights, tokens in zip(axes, (A, A_s), (words, words[::-1])):
        plots.show_attention(weights[0], queries=tokens, keys=tokens, title=f'"{" ".join(tokens)}", {title}', ax=ax, largest=1.0)


with torch.no_grad():
    compare_orders("without positions")
    compare_orders("with positions", positions)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

$A$ is not symmetric: $W_Q$ and $W_K$ differ, so $q_{\text{dog}} \cdot k_{\text{man}}$ is not $q_{\text{man}} \cdot
k_{\text{dog}}$, and each row is divided by its own sum. Without positions the second matrix holds the same numbers
as the first, rows and columns in the new order, and the vector of "dog" is the same in both sentences up to
rounding. The layer cannot tell who bites. With positions the numbers differ: equivariance is broken, on purpose.
Lesson 3 chooses the position vectors.
</details>

## 8 Nobody looks ahead

A language model predicts each word from the words before it (it is *autoregressive*). A row that could look at the next
row would copy the answer. So self-attention gets a **causal mask**.

### 8.1 The mask

With as many queries as keys, query $i$ may attend to the keys $0, \dots, i$. When a model writes word by word, there are
$N_K$ keys, but only the last $N_Q$ words ask. The last query belongs to the last key, and each earlier query to the key
before it:

$$\text{allowed}_{ij} \iff j \le i + (N_K - N_Q)$$

**Which arrows does the mask cut?** Answer before you look.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    y0 = (row 0) | y1 = (row 1) | y2 = (row 2)
    .
    x0 = (the) | x1 = (cat) | x2 = (sleeps)
    x0 -> y0, y1, y2
    x1 -x> y0
    x1 -> y1, y2
    x2 -x> y0
    x2 -x> y1
    x2 -> y2
""", title="Who may look at whom under the causal mask");

# %% [markdown]
r"""
**Exercise 5.** ● Write `causal_mask`: bool, of shape `(N_Q, N_K)`, on the given device. First work out $N_Q = 2$,
$N_K = 5$ by hand: how many True are there in each row? (They are the last two rows of the mask for $N_Q = N_K = 5$.)

<details><summary>Hint: without a loop</summary>

`torch.arange(N_Q)[:, None]` is a column of row numbers, `torch.arange(N_K)[None, :]` a row of column numbers. A
comparison of the two broadcasts to `(N_Q, N_K)`.
</details>
"""

# %% nbgrader={"grade_id": "causal_mask", "solution": true}
def causal_mask(N_Q, N_K=None, device=None):
    """Return the causal mask (N_Q, N_K), bool, True where the query may attend to the key.

    N_K: the number of keys; None means N_Q. With more keys than queries, the last query belongs to the last key.
    device: where the mask is made.
    """
    ### BEGIN SOLUTION Return the bool mask that lets every query see its own key and all keys before it.
    if N_K is None:
        N_K = N_Q
    i = torch.arange(N_Q, device=device)[:, None]              # (N_Q, 1)
    j = torch.arange(N_K, device=device)[None, :]              # (1, N_K)
    return j <= i + (N_K - N_Q)                                # (N_Q, N_K)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-causal_mask", "grade": true}
check("causal_mask")

# %% [markdown]
r"""
### 8.2 The layer

$$y_i = \sum_{j \le i} a_{ij}\, v_j \qquad a_{ij} = 0 \text{ for } j > i$$

**Exercise 6.** ● Write `CausalSelfAttention` with the same three maps `W_Q`, `W_K`, `W_V`. Shapes: `X (B, N_X, D_X)`,
`Y (B, N_X, D_V)`, `A (B, N_X, N_X)`. The class is derived from `SelfAttention`, so only the mask is missing. It must be
on the device of `X`.

<details><summary>Hint</summary>

`super().forward(X, allowed)` calls the forward of `SelfAttention`. Which axis of `X` is $N_X$?
</details>
"""

# %% nbgrader={"grade_id": "CausalSelfAttention", "solution": true}
class CausalSelfAttention(SelfAttention):
    """Self-attention in which row i looks at rows 0 to i only. W_Q, W_K and W_V are those of SelfAttention."""

    def forward(self, X):
        """Return (Y, A) for X (B, N_X, D_X): outputs Y (B, N_X, D_V) and weights A (B, N_X, N_X)."""
        ### BEGIN SOLUTION Return the outputs and the weights of self-attention under the causal mask.
        allowed = causal_mask(X.shape[-2], device=X.device)    # (N_X, N_X), broadcasts over the batch
        return super().forward(X, allowed)                     # (B, N_X, D_V), (B, N_X, N_X)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-CausalSelfAttention", "grade": true}
check("CausalSelfAttention")

# %% [markdown]
r"""
Is the future really hidden? Change one input and see which outputs move. Or take the derivative of every output $y_i$ with
respect to every input $x_j$ and draw its norm.

**Before you run it:** word 4 of 8 (counting from 0) is replaced by another. Which output rows change, without and with
the mask? Sketch the two pictures of $\lVert \partial y_i / \partial x_j \rVert$.
"""

# %% tags=["experiment"]
import matplotlib.pyplot as plt

torch.manual_seed(3)
X = torch.randn(1, 8, 6)                                                        # (1, 8, 6)
changed = X.clone()
changed[0, 4] = torch.randn(6)                                                  # another word at position 4
influences = {}

for title, make in (("without mask", SelfAttention), ("with causal mask", CausalSelfAttention)):
    torch.manual_seed(0)                                                        # the same weights for both
    layer = make(6, 6, 6)
    moved = (layer(changed)[0] - layer(X)[0]).abs().amax(dim=-1)[0]             # (8,): the largest change in each row
    derivative = torch.autograd.functional.jacobian(lambda rows: layer(rows[None])[0][0], X[0])   # (8, 6, 8, 6)
    influences[title] = influence = derivative.pow(2).sum(dim=(1, 3)).sqrt()    # (8, 8)
    print(f"{title}: rows that changed {moved.nonzero().flatten().tolist()},"
          f" largest influence of a later word {influence.triu(1).max():.3f}")

_, axes = plt.subplots(1, 2, figsize=(9, 3.7), layout="constrained")
most = max(influence.max().item() for influence in influences.values())         # one scale for both
for ax, (title, influence) in zip(axes, influences.items()):
    plots.show_attention(influence, title=f"Influence, {title}", label="norm of the derivative", values=False,
                         queries=range(8), keys=range(8), ax=ax, largest=most)
    ax.set(xlabel="input j", ylabel="output i")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without the mask all eight rows change, and every entry of the picture is positive. With it rows 4 to 7 change, and
everything above the diagonal is exactly 0. The last row is the same in both: the last word may look at all words anyway.

This is what makes training fast. Output $i$ is an honest prediction of word $i + 1$, so one pass over $N$ words gives
$N$ predictions at once. The inputs are always the true words, not the model's own (*teacher forcing*). An RNN must take
its $N$ steps one after the other even in training.
</details>

### Written question 2 (2 points, graded by hand)

A sentence classifier is one self-attention layer without positions, the mean of its $N$ output rows, and a linear map
to the classes.

- (a) Show with $f(s(X)) = s(f(X))$ that it cannot tell "dog bites man" from "man bites dog", whatever its weights.
- (b) Add a causal mask, still without positions. Can it tell them apart now? Give the reason, for instance with the
  first row of $Y$.

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-order", "grade": true, "solution": true, "points": 2}
r"""
(a) The second sentence is $s(X)$ with $s$ the reversal. The layer returns $f(s(X)) = s(f(X))$: the same rows in
another order. The mean of rows does not depend on their order (it is permutation *invariant*), so the linear map
receives the same vector and returns the same scores. This holds for all weights, so no training can change it.

(b) Yes, in general. The mask says which *row numbers* may be seen, so it does not move along with the words, and the
step "the similarities are shuffled in rows and columns" fails: $f(s(X)) \ne s(f(X))$. The first row may look only at
itself, so it is the value of the first word, $y_0 = v_0$: that of "dog" in one sentence and that of "man" in the
other. The other rows are means over the words up to theirs, and differ as well, so the mean of all rows differs in
general. A causal mask thus carries some knowledge of the order even without positions.

=== BEGIN MARK SCHEME ===

- 1 point: (a) applies equivariance to the reversed sentence *and* says that the mean is independent of the order of
  the rows (half a point if the mean is not mentioned).
- 1 point: (b) answers yes and gives a reason that would hold for others: the mask is tied to row numbers, or the
  first row equals the value of the first word (half a point for a yes with a vague reason such as "because of the
  triangle").

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 9 What it costs

Three kinds of layer turn a sequence of $N$ vectors into another one. With width $D$ throughout, a convolution over $k$
neighbours, and without constant factors (compare Vaswani et al. 2017, Table 1):

| | multiplications | memory for intermediate results | sequential steps | longest path from an input to an output |
|---|---|---|---|---|
| RNN | $N D^2$ | $N D$ | $N$ | $N$ steps |
| 1-D convolution | $k N D^2$ | $N D$ | 1 | about $2N / (k - 1)$ layers |
| self-attention | $N D^2 + N^2 D$ | $N D + N^2$ | 1 | 1 layer |

The longer the path in the last column, the harder it is to learn that two distant words belong together. A convolution's
**receptive field**, the part of the input that an output can see, grows by only $k - 1$ with each layer. Self-attention
sees everything after one layer. It pays with the matrix $A$ of $N^2$ numbers.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    r0 = (y_0) | r1 = (y_1) | r2 = (y_2) | r3 = (y_3) | c0 = (y_0) | c1 = (y_1) | c2 = (y_2) | c3 = (y_3) | a0 = (y_0) | a1 = (y_1) | a2 = (y_2) | a3 = (y_3)
    .
    x0 = (x_0) | x1 = (x_1) | x2 = (x_2) | x3 = (x_3) | u0 = (x_0) | u1 = (x_1) | u2 = (x_2) | u3 = (x_3) | z0 = (x_0) | z1 = (x_1) | z2 = (x_2) | z3 = (x_3)
    x0 -> r0
    x1 -> r1
    x2 -> r2
    x3 -> r3
    r0 -> r1
    r1 -> r2
    r2 -> r3
    u0 -> c0, c1
    u1 -> c0, c1, c2
    u2 -> c1, c2, c3
    u3 -> c2, c3
    z0, z1, z2, z3 -> a0, a1, a2, a3
""", title="RNN: step by step   ·   convolution, k = 3: neighbours   ·   self-attention: all at once");

# %% [markdown]
r"""
## 10 The same numbers, block by block

Only $E$ and $A$ hold $N^2$ numbers. Must they exist? No: the output can be computed exactly while only a small block of
$E$ exists at a time. Take one query, its scores $e_i$ and values $v_i$.

### 10.1 Both sums can be built up piece by piece

$$y = \frac{\sum_i \exp(e_i)\, v_i}{\sum_i \exp(e_i)}$$

Take the keys in blocks, add each block's part to both sums, divide once at the end (Rabe & Staats 2021). But
$\exp(e_i)$ can overflow, and the largest score, which exercise 1 subtracted, is known only after the last key.

### 10.2 Subtract the largest so far

Keep three things for the query: $m$, the largest score so far, and the two sums so far, both relative to this $m$:

$$l = \sum_{i \text{ so far}} \exp(e_i - m) \qquad s = \sum_{i \text{ so far}} \exp(e_i - m)\, v_i$$

### 10.3 When a new block brings a larger one

The new maximum is $m' = \max(m, \max_{i \text{ in block}} e_i)$. The old terms were relative to $m$; since
$\exp(e_i - m') = \exp(e_i - m)\,\exp(m - m')$, one factor corrects them all:

$$\begin{aligned}
l' &= l\, \exp(m - m') + \sum_{i \text{ in block}} \exp(e_i - m') \\
s' &= s\, \exp(m - m') + \sum_{i \text{ in block}} \exp(e_i - m')\, v_i
\end{aligned}$$

At the start $m = -\infty$, $l = 0$, $s = 0$. At the end $y = s / l$. No exponent is ever above 0. This is the **online
softmax** (Milakov & Gimelshein 2018). With it FlashAttention (Dao et al. 2022) avoids writing $E$ and $A$ to memory.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | . | . | (y: s / l)
    start = (m, l, s: −∞, 0, 0) | b1 = [block 1] | b2 = [block 2] | last = (m, l, s)
    . | k1 = (e, v: first keys) | k2 = (e, v: next keys) | .
    k1 -> b1
    k2 -> b2
    start -> b1
    b1 -> b2: m′, l′, s′
    b2 -> last
    last -> y
""", title="The online softmax: m, l and s go from block to block");

# %% [markdown]
r"""
An example: $e = (1, 3, 2, 5)$ and $v = (10, 20, 30, 40)$, in two blocks. Work out the second row before you read it.

| after | maximum $m$ | old sums times | sum $l$ | sum $s$ | output $s / l$ |
|---|---|---|---|---|---|
| block 1 | 3 | $\exp(-\infty) = 0$ | 1.135 | 21.35 | 18.81 |
| block 2 | 5 | $\exp(3 - 5) = 0.135$ | 1.203 | 44.38 | 36.88 |

After each block $s / l$ is exact for the keys seen so far.

### 10.4 Blocks of queries, blocks of keys

One query at a time would be slow, so take `block_size` queries together. Each has its own $m$, $l$ and row of $S$. Under
the causal mask there are three kinds of pairs of a block of queries and a block of keys:

- all keys lie before all queries: nothing to hide;
- all keys lie after all queries: **skip** it, do not even compute $E$ (nearly half of all pairs);
- the diagonal passes through it: hide the later keys, in this one block.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
ax = plots.show_mask(causal_mask(12), title="The three kinds of blocks, block_size = 4")
for edge in (3.5, 7.5):
    ax.axhline(edge, color="black", linewidth=2)
    ax.axvline(edge, color="black", linewidth=2)
for i in range(3):
    for j in range(3):
        kind = "skip" if j > i else "diagonal" if j == i else "nothing to hide"
        ax.text(4 * j + 1.5, 4 * i + 1.5, kind, ha="center", va="center", fontweight="bold", bbox={"color": "white", "alpha": 0.8})

# %% [markdown]
r"""
**Exercise 7.** ●●● Write `blockwise_attention`. The equations for a block of $n$ queries and a block of keys with
values $V$:

$$\begin{aligned}
m' &= \max(m, \text{row maxima of } E) & P &= \exp(E - m') \\
l' &= l\,e^{m - m'} + \text{row sums of } P & S' &= S\,e^{m - m'} + P V
\end{aligned}$$

`add_key_block` does this step, `attend_query_block` runs over the keys for one block of queries, and
`blockwise_attention` runs over the queries. Only the last one is checked; change the two helpers as you like. All
leading axes are folded into one, `B`, for you. Shapes: `E (B, n, k)`, `m` and `l (B, n, 1)`, `S (B, n, D_V)`.

The function must return the numbers of exercise 3 for any length (also one that is no multiple of the block) and any
`block_size`, in memory that grows like $N$, and fast: full points for at most 2.5 times the time of PyTorch's own
causal attention, some points up to 5 times. The check measures this and takes up to half a minute. No gradients are
needed.

<details><summary>Hint: where the diagonal is</summary>

Query $r$ of the block has position `first + r`, key $c$ of the block `start + c`. Later keys are hidden:
`start + c > first + r`. Slicing past the end of a tensor is allowed and gives a shorter block, so the shape of `E`
tells you how many rows and columns there are.
</details>
<details><summary>Hint: NaN</summary>

`exp(m - m_new)` is NaN if both are $-\infty$, that is if a query has met only hidden keys so far. Take the keys from
the left: the first block then contains key 0, which every query may see.
</details>
<details><summary>Hint: right, but too slow</summary>

- Are blocks above the diagonal really skipped? That is almost half of the time.
- Is there a Python loop over single queries, single keys or the batch? Try blocks of 64, 128, 256 and 512. The blocks
  of keys may be longer than those of queries.
- Scale `Q` once, before the loops, rather than every `E`.
- Every new tensor of the size of `E` costs memory traffic. `E.sub_(m_new)` and `E.exp_()` work in place;
  `torch.bmm(..., out=...)` writes into room made once; `S.mul_(factor).baddbmm_(P, V)` adds a product in place.
- $e^x = 2^{x \log_2 e}$, and on many processors `exp2` is faster than `exp`, above all where $-\infty$ occurs. The
  factor $\log_2 e$ can go into the scaling of `Q`.
</details>
"""

# %% tags=["numbers"]
from autograder.authoring.numbers import says

e, v = torch.tensor([1.0, 3.0, 2.0, 5.0]), torch.tensor([10.0, 20.0, 30.0, 40.0])
l_1, s_1 = (torch.exp(e[:2] - 3) * torch.stack((torch.ones(2), v[:2]))).sum(dim=1)
l_2, s_2 = (torch.exp(e - 5) * torch.stack((torch.ones(4), v))).sum(dim=1)
says("1.135 | 21.35 | 18.81", l_1, s_1, s_1 / l_1)
says(r"$\exp(3 - 5) = 0.135$ | 1.203 | 44.38 | 36.88", 3, 5, math.exp(3 - 5), l_2, s_2, s_2 / l_2)

# %% nbgrader={"grade_id": "blockwise_attention", "solution": true}
def add_key_block(E, V, m, l, S):
    """Take one more block of keys into the running quantities of a block of queries, and return the new (m, l, S).

    E (B, n, k): scaled similarities of n queries to k further keys, -inf where hidden; may be overwritten.
    V (B, k, D_V): the values of these keys.
    m (B, n, 1), l (B, n, 1), S (B, n, D_V): largest similarity, sum of the exponentials and their sum with the values.
    """
    ### BEGIN SOLUTION Return m, l and S after this block: the new maximum, and both sums corrected and continued.
    m_new = torch.maximum(m, E.amax(dim=-1, keepdim=True))             # (B, n, 1)
    P = E.sub_(m_new).exp2_()                                          # (B, n, k), in the room of E; base 2, see Q below
    factor = torch.exp2(m - m_new)                                     # (B, n, 1), at most 1
    l = l * factor + P.sum(dim=-1, keepdim=True)                       # (B, n, 1)
    S = S.mul_(factor).baddbmm_(P, V)                                  # (B, n, k) @ (B, k, D_V) -> (B, n, D_V)
    return m_new, l, S
    ### END SOLUTION


def attend_query_block(Q, K, V, first, block_size):
    """Return the outputs Y (B, n, D_V) of one block of queries over all keys that are given.

    Q (B, n, D_Q): queries, already divided by the square root of D_Q. K (B, N_K, D_Q), V (B, N_K, D_V).
    first: None, or the position of the first query; then query r may attend to the keys 0 to first + r.
    block_size: how many keys are taken at a time.
    """
    m = Q.new_full((*Q.shape[:2], 1), -math.inf)                       # (B, n, 1)
    l = torch.zeros_like(m)                                            # (B, n, 1)
    S = V.new_zeros(*Q.shape[:2], V.shape[-1])                         # (B, n, D_V)
    ### BEGIN SOLUTION Run over the blocks of keys, hide what lies after each query, and return the outputs.
    room = Q.new_empty(*Q.shape[:2], min(block_size, K.shape[1]))      # (B, n, k): made once for all blocks of keys
    for start in range(0, K.shape[1], block_size):
        K_block, V_block = (tensor[:, start:start + block_size] for tensor in (K, V))
        E = torch.bmm(Q, K_block.mT, out=room[..., :K_block.shape[1]])  # (B, n, D_Q) @ (B, D_Q, k) -> (B, n, k)
        if first is not None and start + K_block.shape[1] > first + 1:  # the diagonal passes through this block
            E += torch.full_like(E[0], -math.inf).triu(first - start + 1)
        m, l, S = add_key_block(E, V_block, m, l, S)
    return S / l                                                       # (B, n, D_V)
    ### END SOLUTION


@torch.no_grad()
def blockwise_attention(Q, K, V, causal=False, block_size=256):
    """Return the outputs Y (..., N_Q, D_V) of scaled dot-product attention in memory that is linear in N_Q and N_K.

    Q (..., N_Q, D_Q), K (..., N_K, D_Q), V (..., N_K, D_V), with the same leading axes (any number, also none).
    causal: query i attends to the keys 0 to i only; N_Q and N_K are then equal.
    """
    *lead, N_Q, D_Q = Q.shape
    N_K, D_V = V.shape[-2:]
    Q, K, V = Q.reshape(-1, N_Q, D_Q), K.reshape(-1, N_K, D_Q), V.reshape(-1, N_K, D_V)
    Y = V.new_zeros(V.shape[0], N_Q, D_V)                              # (B, N_Q, D_V)
    ### BEGIN SOLUTION Fill Y block of queries by block of queries; give each only the keys that it can see.
    Q = Q * (math.log2(math.e) / math.sqrt(D_Q))                       # exp(e) = 2^(e log2 e), and exp2 is faster than exp
    for i in range(0, N_Q, block_size):
        end = i + block_size if causal else N_K                        # no query of this block sees a key from end on
        Y[:, i:i + block_size] = attend_query_block(
            Q[:, i:i + block_size], K[:, :end], V[:, :end], i if causal else None, 2 * block_size)
    ### END SOLUTION
    return Y.reshape(*lead, N_Q, D_V)

# %% nbgrader={"grade_id": "check-blockwise_attention", "grade": true}
check("blockwise_attention")

# %% [markdown]
r"""
Now measure an RNN, a convolution, exercise 3 with a causal mask (the whole matrix), and exercise 7.

**Before you run it:** on two logarithmic axes, time $\propto N^p$ is a straight line of slope $p$. Which slopes do you
expect for large $N$, in time and in memory? Why might one kind of attention be faster than the other?
"""

# %% tags=["experiment", "slow"]
def slope(N, readings):
    """Return the power p in readings ~ N^p: the slope of a straight line through all of them on logarithmic axes."""
    return np.polyfit(np.log(N), np.log(readings), 1)[0]


torch.manual_seed(0)
device = devices.pick_device()
if device.type == "mps":                                                        # it keeps no record of peak memory
    device = devices.pick_device("cpu")
D, lengths = 64, [256, 512, 1024, 2048, 4096]
recurrent = nn.GRU(D, D, batch_first=True).to(device)
convolution = nn.Conv1d(D, D, kernel_size=3, padding=1).to(device)
layers = {
    "RNN (GRU)": recurrent,
    "1-D convolution": lambda X: convolution(X.mT),
    "whole matrix": lambda X: scaled_dot_product_attention(X, X, X, causal_mask(X.shape[-2], device=X.device)),
    "blockwise": lambda X: blockwise_attention(X, X, X, causal=True),
}
times, memory = ({name: [] for name in layers} for _ in range(2))

with torch.no_grad():
    for N in lengths:
        X = torch.randn(1, N, D, device=device)                                 # (1, N, D)
        for name, layer in layers.items():
            times[name].append(1e3 * devices.least_time(layer, X))
            memory[name].append(devices.peak_memory(lambda: layer(X), device) / 2**20)

plots.show_curves(lengths, times, "length N", "time (ms)", "Time of one layer", logx=True, logy=True)
plots.show_curves(lengths, memory, "length N", "extra memory (MiB)", "Memory of one layer", logx=True, logy=True)
for name in layers:
    print(f"{name:15} at N = {N}: {times[name][-1]:4.0f} ms, {memory[name][-1]:4.0f} MiB;"
          f" slope in time {slope(lengths, times[name]):.1f}, in memory {slope(lengths, memory[name]):.1f}")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In memory: slope about 1 for RNN and convolution, 2 for the whole matrix, about 200 MiB at $N = 4096$. The blockwise
version needs a few MiB: fixed room for one block, plus sums and output, which grow with slope 1.

In time, on a CPU: slope about 1 for RNN and convolution. The RNN, which must take its steps one by one, starts above
attention. Both kinds of attention approach slope 2: the blocks save a factor, not a power. Blocks above the diagonal
are skipped, and a block of $E$ stays in the processor's cache, while the whole matrix is written to memory and read
back at every step.
</details>

## 11 What to take along

- Attention is a weighted mean of values, with weights from a softmax over a query's scores, along the last axis.
- At the start, dividing by $\sqrt{D_Q}$ makes the spread of the scores independent of the width, and so keeps the
  gradient alive.
- A mask acts before the softmax. True means "may attend".
- Self-attention is equivariant to permutations: it knows *what* is there, not *where*. A causal mask or positional
  encodings break this.
- It sees everything in one parallel step. Its $N^2$ scores have to be computed, but not stored.

Next, lesson 2: several of these layers in parallel.

### Sources

J. Johnson, *Attention*, lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and
Transformers*, CS 4644/7643, Georgia Tech. S. Jayasumana, *Attention-based models*, lecture. D. Bahdanau,
K. Cho, Y. Bengio, *Neural machine translation by jointly learning to align and translate*, 2015. A. Vaswani et
al., *Attention is all you need*, 2017. M. Milakov, N. Gimelshein, *Online normalizer calculation for softmax*, 2018.
M. N. Rabe, C. Staats, *Self-attention does not need O(n²) memory*, 2021. T. Dao et al., *FlashAttention*, 2022.
"""
