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
# 15 Modern attention

Llama, Mistral and Gemma have replaced most parts of the Transformer of 2017. You build the new parts and measure what each is
for. Afterwards you can read the code of such a model.

| section | the one change | exercise |
|---|---|---|
| 1 | a norm that only scales | `rms_norm` |
| 2 | a feed-forward layer with a gate | `SwiGLU` |
| 3 | positions that turn queries and keys | `rotary` |
| 4 | fewer keys and values than queries | `GroupedQueryAttention`, `cache_bytes`, `quantise_cache` (optional) |
| 5 | a window in place of the whole past | `sliding_window`, `window_step` (optional) |
| 6 | a state of fixed size in place of a cache | `linear_attention`, `delta_rule` (optional), `delta_chunk` (optional) |
| 7 | a draft that is checked in one pass | `speculative_accept` |
| 8 | fine-tuning with few parameters | `LoRALinear`, `merge_lora` |
| 9 | many layers, of which a token uses few | `mix_experts` (optional), `MixtureOfExperts` (optional), `balance_loss` (optional), `route_with_bias` (optional), `within_capacity` (optional) |
| 10 | one narrow vector in place of keys and values | `LatentAttention` (optional), `absorbed_attention` (optional) |
| 11 | the parts together, and the weights of others | `ModernBlock`, `llama_name`, `ModernDecoder` |
| 12 | it talks (optional) | – |

**Before you begin.** You need lessons 1 to 3; lesson 7 shows why a cache is needed. Plan about five hours; the optional parts take about five more.

## How this notebook works

- Run the cells from top to bottom. In an exercise, replace the line `raise NotImplementedError(...)`: about ten lines at most. The next
  cell is its **check**; run it as often as you like.
- ●: a few lines, once you have read the text. ●●: think about shapes or a formula first, about 25 minutes.
- Answer the question before each experiment, then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype, leaves its arguments unchanged, accepts
  any memory layout, lets gradients through and works for a batch of one.
- This lesson forbids `F.rms_norm`, `torch.rms_norm` and `nn.RMSNorm`, and in `rms_norm` PyTorch's other norms as well.

**Notation.** As in lessons 1 to 3: one row of $X$ is one token.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $D$ | the last axis of `X` | width of a row | $d_\text{model}$, `hidden_size` |
| $\gamma$ | `gamma`, `(D,)` | scale of each column after a norm | $g$, `weight` |
| $\varepsilon$ | `eps` | keeps a root away from 0 | `rms_norm_eps`, `variance_epsilon` |
| – | `hidden_width` | width inside the feed-forward layer | `intermediate_size`, $d_\text{ff}$ |
| $W_\text{gate}$, $W_\text{up}$, $W_\text{down}$ | `W_gate`, `W_up`, `W_down` | maps of the gated layer | `gate_proj`, `up_proj`, `down_proj` |
| $D_H$ | the last axis of `Q` | width of a head | $d_k$, `head_dim` |
| $\theta_i$ | – | angle by which pair $i$ turns from one position to the next | `inv_freq` |
| base | `base` | the slowest pair turns once in about $2\pi$ times as many positions | `rope_theta` |
| $H$, $G$ | `num_heads`, `num_groups` | heads of queries; of keys and values | `num_attention_heads`; `num_key_value_heads` |
| $N_K$ | – | rows in the cache, the new ones included | `kv_seq_len` |
| $W$, $S$ | `window`, `sinks` | keys in a window, the query's own included; first keys that stay visible | `sliding_window`; `sink_size` |
| $\phi$ | `phi_Q`, `phi_K` | features of queries and keys, positive | feature map, kernel |
| $S$, $z$ in section 6 | `S`, `z` | state: sum of key features times values; of key features | memory, recurrent state; normaliser |
| $p$, $q$ | `p`, `q`, `(V,)` | next-token distributions of the target and of the draft | target and draft (assistant) model |
| – | `gamma_1`, `gamma_2` | scales of the two norms of a block | `input_layernorm`, `post_attention_layernorm` |
| $E$, $k$ in section 9 | `num_experts`, `k` | experts; those that a token uses | `num_local_experts`, `n_routed_experts`; `num_experts_per_tok` |
| $c$, $D_C$ | the rows of `C`, `latent_width` | latent vector of a token, and its width | $c^{KV}$, `kv_lora_rank` |
| $D_R$ | `rotated_width` | turned columns of a head | `qk_rope_head_dim` |
| $z$ in section 9 | `logits`, `(N, E)` | what the router gives a token for each expert | `router_logits`, $h(x)$ |
| $b_e$ in section 9.3 | `bias`, `(E,)` | counts only where experts are chosen | `e_score_correction_bias` |
| $C$, $c$ in section 9.4 | `capacity`, `factor` | choices that an expert takes at most; the same over the even load | `expert_capacity`, `capacity_factor` |
| $A$, $B$, $r$, $\alpha$ in section 8 | `A`, `B`, `rank`, `alpha` | low-rank change, its rank, and its factor times the rank | `lora_A`, `lora_B`, `r`, `lora_alpha` |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math
import time

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.modern_attention import check
from course_lib import plots
from course_lib.data import (
    PAD,
    agreement_language,
    agreement_words,
    draw_sentences,
    framed,
    pretrained_or_random,
    python_english,
)
from course_lib.layers import (
    LayerNorm,
    TransformerConfig,
    causal_mask,
    make_model,
    merge_heads,
    scaled_dot_product_attention,
    sinusoidal_positions,
    small_start,
    split_heads,
)
from course_lib.predictions import came_out, predict
from course_lib.training import fit

torch.set_num_threads(1)            # the tensors of this lesson are small: two threads would mostly wait for each other

# %% [markdown]
r"""
## 1 A norm that only scales

LayerNorm subtracts the mean of a row and divides by its standard deviation. Zhang and Sennrich (2019) kept only the division.
**Root mean square normalisation** (RMSNorm) divides a row by the root of the mean of its squares:

$$y_j = \gamma_j\, \frac{x_j}{\sqrt{\frac{1}{D} \sum_{k=1}^{D} x_k^2 + \varepsilon}}$$

Llama, Mistral, Gemma, Qwen and DeepSeek use this norm.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: N × D)
    scale = {×}
    (normalised rows: N × D) | g = (γ: D)
    divide = {÷}
    . | [root of mean square plus ε]
    (X: N × D)
    X -> divide
    X -> root of mean square plus ε
    root of mean square plus ε -> divide
    divide -> normalised rows
    normalised rows -> scale
    g -> scale
    scale -> Y
""", title="RMSNorm");

# %% [markdown]
r"""
**Half precision.** In float16, $300^2$ overflows to infinity (the largest number is 65,504), and $(10^{-4})^2$ becomes 0 (the smallest is
about $6 \cdot 10^{-8}$). So the norm converts the row to float32, does all its work there, and converts the *result* back.

**Exercise 1.** ● Write `rms_norm`. Shapes: `X (..., D)` and `gamma (D,)` in, the shape of `X` out. The result has the dtype of `X`,
but the root and the division are computed in float32, or in the dtype of `X` if that is more exact. (Llama's published code
multiplies by $\gamma$, in the same dtype, after the conversion back; that is right here, too.)

<details><summary>Hint: float32, or more exact</summary>

`torch.promote_types(a, b)` is the smallest dtype that holds both.
</details>
"""

# %% nbgrader={"grade_id": "rms_norm", "solution": true}
def rms_norm(X, gamma, eps=1e-6):
    """Return X (..., D) with every row divided by its root mean square, times gamma (D,).

    eps is added to the mean of the squares. Computed in float32, or in X's dtype if more exact; the result has X's dtype.
    """
    ### BEGIN SOLUTION Convert X to float32, or keep a more exact dtype, divide by the root of the mean square plus eps, scale, convert back.
    exact = X.to(torch.promote_types(X.dtype, torch.float32))              # (..., D)
    mean_square = exact.square().mean(dim=-1, keepdim=True)                # (..., 1): one for each row
    normalised = exact / torch.sqrt(mean_square + eps)                     # (..., D)
    return (gamma * normalised).to(X.dtype)                                # (D,) * (..., D) -> (..., D)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-rms_norm", "grade": true}
check("rms_norm")

# %% [markdown]
r"""
**Before you run it:** multiply a row by a positive number, or add a number to it. Which of the two does LayerNorm ignore, and which RMSNorm?
And which squares survive float16: those of numbers near $10^{-4}$, near 1, or near 300?
"""

# %% tags=["experiment"]
def in_half(X, eps=0.0):
    """Normalise the rows as rms_norm does, but square them in their own dtype."""
    return X / torch.sqrt(X.square().mean(dim=-1, keepdim=True) + eps)


torch.manual_seed(0)
ones = torch.ones(64)
X = torch.randn(100, 64)                                                        # (N, D)
norms = {"LayerNorm": LayerNorm(64), "RMSNorm": lambda X: rms_norm(X, ones)}
moved = {}
for name, normalise in norms.items():
    for change, other in (("times 7", 7 * X), ("plus 7", X + 7)):
        moved[name, change] = (normalise(other) - normalise(X)).abs().max().item()
        print(f"{name:10} rows {change}: the result changes by up to {moved[name, change]:.5f}")

sizes = [1e-4, 1e-2, 1.0, 30.0, 300.0]
roots = {"squared in float16": [], "squared in float32": []}
for size in sizes:
    half = (size * X / X.square().mean(-1, keepdim=True).sqrt()).half()         # (N, D): every row has this root mean square
    for name, result in (("squared in float16", in_half(half)), ("squared in float32", rms_norm(half, ones, eps=0.0))):
        roots[name].append(result.float().square().mean().sqrt().item())
for name, values in roots.items():
    print(f"{name}: root mean square of the result", [round(value, 2) for value in values], "for rows of size", sizes)

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

claims("LayerNorm ignores both", max(moved["LayerNorm", change] for change in ("times 7", "plus 7")) < 1e-3)
claims("RMSNorm ignores only the factor", moved["RMSNorm", "times 7"] < 1e-4 and moved["RMSNorm", "plus 7"] > 1)
claims("Squared in float32 the result has size 1 for all five",
       all(abs(root - 1) < 1e-2 for root in roots["squared in float32"]))
claims("the result is not a\nnumber", not roots["squared in float16"][0] < math.inf)
claims("at 300 the mean of the squares is infinite and the result is 0",
       roots["squared in float16"][-1] == 0
       and all(abs(root - 1) < 1e-2 for root in roots["squared in float16"][1:4]))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

LayerNorm ignores both. RMSNorm ignores only the factor. But the purpose of a norm, one scale for all rows, needs only the division.

Squared in float32 the result has size 1 for all five sizes. Squared in float16 it is right for the middle three, the sizes that a
quick test tries. At $10^{-4}$ the squares lose their digits or vanish, and (with $\varepsilon = 0$) the result is not a number; at 300
the mean of the squares is infinite and the result is 0. Neither raises an error.
</details>
"""

# %% [markdown]
r"""
## 2 A feed-forward layer with a gate

The feed-forward layer of lesson 3 is $f(x W_1)\, W_2$. In a *gated* layer (Shazeer 2020) one map makes proposals, a
second decides how much of each passes, and a third maps back. With the activation $\mathrm{SiLU}(z) = z\, \sigma(z) =
z / (1 + e^{-z})$ on the deciding map this is **SwiGLU**:

$$\mathrm{SwiGLU}(x) = \big(\mathrm{SiLU}(x\, W_\text{gate}) \odot x\, W_\text{up}\big)\, W_\text{down}$$

$\odot$ multiplies number by number. No map has a bias.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (out: N × D)
    down = [W_down]
    product = {×}
    [SiLU] | .
    gate = [W_gate] | up = [W_up]
    (X: N × D)
    X -> gate
    X -> up
    gate -> SiLU
    SiLU -> product
    up -> product: hidden_width
    product -> down
    down -> out
""", title="The gated feed-forward layer");

# %% [markdown]
r"""
**Three matrices instead of two.** With hidden width $4D$ the old layer has $8D^2$ weights, and a gated one would have $12D^2$. For equal
parameters the gated layer gets hidden width $\frac{8}{3} D$, rounded up to a multiple of 8, which suits GPUs.

**Exercise 2.** ● Write the module `SwiGLU`. Shapes: `X (..., D)` to `(..., hidden_width)` and back. If `hidden_width` is None, it is the
smallest multiple of 8 that is at least $\frac{8}{3} D$. Its linear maps have the names `W_gate`, `W_up` and `W_down`.

<details><summary>Hint: the hidden width</summary>

It is 8 times the smallest whole number at or above $D/3$. `math.ceil` rounds up.
</details>
<details><summary>Hint: the activation</summary>

`F.silu`.
</details>
"""

# %% nbgrader={"grade_id": "SwiGLU", "solution": true}
class SwiGLU(nn.Module):
    """(SiLU(x W_gate) * (x W_up)) W_down for every row x; no map has a bias.

    hidden_width: if None, the smallest multiple of 8 that is at least 8/3 of the width.
    """

    def __init__(self, width, hidden_width=None):
        super().__init__()
        ### BEGIN SOLUTION Choose the hidden width if none is given, and make W_gate, W_up and W_down, without bias.
        if hidden_width is None:
            hidden_width = 8 * math.ceil(width / 3)
        self.W_gate = nn.Linear(width, hidden_width, bias=False)
        self.W_up = nn.Linear(width, hidden_width, bias=False)
        self.W_down = nn.Linear(hidden_width, width, bias=False)
        ### END SOLUTION

    def forward(self, X):
        """Return the result for every row of X (..., width), of the same shape."""
        ### BEGIN SOLUTION Return W_down of the product of the activated gate and the proposals.
        hidden = F.silu(self.W_gate(X)) * self.W_up(X)         # (..., D) -> (..., hidden_width)
        return self.W_down(hidden)                             # (..., hidden_width) -> (..., D)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-SwiGLU", "grade": true}
check("SwiGLU")

# %% [markdown]
r"""
Shazeer found lower losses with gates and gave no reason. A gate multiplies two functions of the row, so here are two tasks: from a row of
12 random numbers, predict the product of each with its neighbour, or the absolute value of each. Layers of 1,152 weights learn
both, with five seeds. SwiGLU differs from the old layers in two things, its gate and its activation. So there are two controls: SiLU without a
gate, and a gate without SiLU, $(x\, W_\text{gate} \odot x\, W_\text{up})\, W_\text{down}$.

**Before you run it:** which layer is best at the products, and which at the absolute values?
"""

# %% tags=["experiment", "slow"]
def plain(activation):
    """Return the old layer of width 12 and hidden width 48, without bias."""
    layer = nn.Sequential(nn.Linear(12, 48, bias=False), nn.Identity(), nn.Linear(48, 12, bias=False))
    layer[1].forward = activation
    return layer


def gate_alone():
    """Return SwiGLU without its SiLU."""
    layer = SwiGLU(12)
    layer.forward = lambda X: layer.W_down(layer.W_gate(X) * layer.W_up(X))
    return layer


def error_after_training(make_layer, task, seed, steps=600):
    """Return the mean squared error on new rows, as a share of the variance of what is to be predicted."""
    torch.manual_seed(seed)
    layer = make_layer()
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    for _ in range(steps):
        X = torch.randn(128, 12)                                                # (N, D)
        loss = F.mse_loss(layer(X), task(X))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        decay.step()
    X = torch.randn(4000, 12)
    with torch.no_grad():
        return (F.mse_loss(layer(X), task(X)) / task(X).var()).item()


layers = {"ReLU": lambda: plain(F.relu), "GELU": lambda: plain(F.gelu), "SwiGLU": lambda: SwiGLU(12),
          "SiLU, no gate": lambda: plain(F.silu), "gate, no SiLU": gate_alone}
tasks = {"products": lambda X: X * X.roll(1, dims=-1), "absolute values": torch.abs}
left = {}
for name, make_layer in layers.items():
    weights = sum(parameter.numel() for parameter in make_layer().parameters())
    for task, function in tasks.items():
        errors = [error_after_training(make_layer, function, seed) for seed in range(5)]
        left[name, task] = sum(errors) / 5
        print(f"{name:13} {weights} weights, {task:16} mean error {left[name, task]:.3f}, "
              f"from {min(errors):.3f} to {max(errors):.3f}")

# %% tags=["numbers"]
claims("SwiGLU is better at the products than both old layers", left["SwiGLU", "products"] < 0.5 * min(left["ReLU", "products"], left["GELU", "products"]))
claims("worse at the\nabsolute values",
       left["ReLU", "absolute values"] < 0.1 * left["GELU", "absolute values"] < left["SwiGLU", "absolute values"])
claims("SiLU without a gate is between GELU and SwiGLU at both",
       all(sorted(layer, key=lambda name: left[name, task])[1] == "SiLU, no gate" for task in tasks for layer in [("GELU", "SiLU, no gate", "SwiGLU")]))
claims("products all but exactly, and the absolute values as badly as SwiGLU", left["gate, no SiLU", "products"] < 0.005
       and abs(left["gate, no SiLU", "absolute values"] / left["SwiGLU", "absolute values"] - 1) < 0.15)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

SwiGLU is better at the products than both old layers, since a gate multiplies two functions of the row. It is worse at the
absolute values, which two ReLUs give exactly ($|x| = \mathrm{ReLU}(x) + \mathrm{ReLU}(-x)$). Most of that is the gate and not the activation:
SiLU without a gate is between GELU and SwiGLU at both tasks, and a gate without SiLU learns the
products all but exactly, and the absolute values as badly as SwiGLU. That language models gain from a gate is a measurement, not a theorem.
</details>
"""

# %% [markdown]
r"""
## 3 Positions that turn

Lesson 3 added position vectors to the rows. **Rotary positions** (RoPE; Su et al. 2021) add nothing. They turn queries and keys, just
before the dot product, by an angle that grows with the position. Llama, Mistral, Gemma, Qwen and DeepSeek use them.

### 3.1 Rotating pairs

Split the $D_H$ numbers of a query or key into $D_H/2$ pairs. At position $m$, pair $i$, a point of the plane, turns by the angle
$m\,\theta_i$:

$$\begin{pmatrix} a' \\ b' \end{pmatrix} =
\begin{pmatrix} \cos m\theta_i & -\sin m\theta_i \\ \sin m\theta_i & \cos m\theta_i \end{pmatrix}
\begin{pmatrix} a \\ b \end{pmatrix} \qquad \theta_i = \text{base}^{-2i/D_H} \qquad i = 0, 1, \ldots, D_H/2 - 1$$

With base 10,000 these are the frequencies of lesson 3. Let $R_m$ rotate all pairs for position $m$. Turning two points by the same angle
keeps their dot product, so

$$(R_m q) \cdot (R_n k) = q \cdot (R_{n-m}\, k)$$

The score depends on the positions only through their difference, the **relative position**.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
_, sides = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
for i, side in enumerate(sides):                                               # D_H = 4 and base 100: two pairs
    theta = 100 ** (-2 * i / 4)
    for m in range(6):
        a, b = math.cos(m * theta), math.sin(m * theta)
        side.plot([0, a], [0, b], color="black", alpha=0.3 + 0.14 * m)
        side.text(1.1 * a, 1.1 * b, str(m))
    side.set(title=f"pair {i}: θ = {theta:g}", xlabel="a", ylabel="b", xlim=(-1.3, 1.3), ylim=(-1.3, 1.3), aspect="equal")
plt.suptitle("$D_H = 4$, base 100: the point (1, 0) at the positions 0 to 5");

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | score = {·} | .
    turned_q = (R_m q: N × D_H) | . | turned_k = (R_n k: N × D_H)
    turn_q = [turn by m θ] | . | turn_k = [turn by n θ]
    q = (q: N × D_H) | . | k = (k: N × D_H)
    q -> turn_q
    k -> turn_k
    turn_q -> turned_q
    turn_k -> turned_k
    turned_q -> score
    turned_k -> score
""", title="Where rotary positions act");

# %% [markdown]
r"""
**Which numbers are a pair?** Real models use two layouts:

- `"half"`: pair $i$ is columns $i$ and $i + D_H/2$ (Hugging Face's Llama);
- `"interleaved"`: pair $i$ is columns $2i$ and $2i + 1$ (the paper, Meta's own Llama files).

They are equal up to the order of the columns, but weights trained with one and run with the other give wrong scores, and no error.

**Far positions.** Compute the angles in float64, and convert only their cosines and sines to the dtype of `X`.

**Partial rotation.** Some models turn only the first columns and leave the rest unchanged; `rotated` says how many.

**Exercise 3.** ●● Write `rotary`. Shapes: `X (..., N, D_H)`, `positions (N,)` whole numbers, and the result is as `X`. The number of rotated
columns is even. A layout of another name raises `ValueError`.

<details><summary>Hint: the angles</summary>

`positions[:, None] * theta` is `(N, 1)` times `(D_H / 2,)`, so `(N, D_H / 2)`. `torch.arange(0, D, 2)` holds the numbers $2i$.
</details>
<details><summary>Hint: taking apart and putting together</summary>

Half: `X.chunk(2, dim=-1)` and `torch.cat`. Interleaved: `X[..., 0::2]` and `X[..., 1::2]`, and `torch.stack((a, b), dim=-1)` has shape
`(..., D_H / 2, 2)`, whose last two axes `flatten(-2)` joins.
</details>
"""

# %% nbgrader={"grade_id": "rotary", "solution": true}
def rotary(X, positions, base=10000.0, layout="half", rotated=None):
    """Return X (..., N, D_H) with each pair of columns turned by position * base^(-2i/D).

    positions (N,): whole numbers. rotated: how many columns turn, the first ones (all if None); D in the equation.
    layout: "half" pairs columns i and i + D/2, "interleaved" 2i and 2i + 1; any other raises ValueError.
    """
    if layout not in ("half", "interleaved"):
        raise ValueError(f'Expected layout "half" or "interleaved", got {layout!r}.')
    D = X.shape[-1] if rotated is None else rotated
    ### BEGIN SOLUTION Compute the angles in float64, turn every pair of the first D columns, and put the rest behind them.
    two_i = torch.arange(0, D, 2, dtype=torch.float64, device=X.device)                # (D / 2,)
    angles = positions.double()[:, None] * base ** (-two_i / D)                        # (N, 1) * (D / 2,) -> (N, D / 2)
    cos, sin = angles.cos().to(X.dtype), angles.sin().to(X.dtype)
    turning, rest = X[..., :D], X[..., D:]
    a, b = turning.chunk(2, dim=-1) if layout == "half" else (turning[..., 0::2], turning[..., 1::2])
    pairs = a * cos - b * sin, a * sin + b * cos                                       # (..., N, D / 2) both
    turned = torch.cat(pairs, dim=-1) if layout == "half" else torch.stack(pairs, dim=-1).flatten(-2)
    return torch.cat([turned, rest], dim=-1)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-rotary", "grade": true}
check("rotary")

# %% [markdown]
r"""
**Before you run it:** a query and a key move together from the beginning to position 100,000, always at distance 3. How much does their
score change: with rotary positions, with the sinusoidal positions of lesson 3 added, and with rotary angles in float32?
"""

# %% tags=["experiment"]
def in_single(X, positions):
    """Turn as rotary does, layout "half", but with angles in float32."""
    angles = positions.float()[:, None] * 10000.0 ** (-torch.arange(0, X.shape[-1], 2).float() / X.shape[-1])
    a, b = X.chunk(2, dim=-1)
    return torch.cat([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], dim=-1)


torch.manual_seed(0)
starts = torch.tensor([0, 10, 100, 1000, 10_000, 100_000])
q, k = torch.randn(64), torch.randn(64)                                         # (D_H,)
queries, keys = q.expand(6, 64), k.expand(6, 64)                                # (6, D_H): one pair, six places
table = sinusoidal_positions(100_004, 64)                                       # (N, D_H)
scores = {"rotary": (rotary(queries, starts) * rotary(keys, starts + 3)).sum(-1),
          "rotary, angles in float32": (in_single(queries, starts) * in_single(keys, starts + 3)).sum(-1),
          "added": ((queries + table[starts]) * (keys + table[starts + 3])).sum(-1)}
drift = {name: (score - score[0]).abs().max().item() for name, score in scores.items()}
for name, score in scores.items():
    print(f"{name:26}", " ".join(f"{value:9.4f}" for value in score), f"  largest change {drift[name]:.5f}")

# %% tags=["numbers"]
claims("With rotary positions the score stays the same", drift["rotary"] < 1e-4)
claims("changes with every shift", drift["added"] > 1)
claims("wrong in the second or third digit after the point", 1e-3 < drift["rotary, angles in float32"] < 0.2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With rotary positions the score stays the same, up to rounding. With added positions it changes with every shift, because the terms in
which a word meets a position do not depend on the distance alone. With angles in float32 it is right in a short text, and at position
100,000 wrong in the second or third digit after the point.
</details>

### 3.2 Longer than in training

A small attention layer learns to find the token *three places before* the last one, among 16 tokens. The same rule is right at every
length. The layer has rotary positions, or **ALiBi** (Press et al. 2022), which subtracts from each score a slope times the distance (here
two heads with slopes $1/4$ and $1/16$), or, as the control, no positions. A second control is a program that names the most frequent token of
the text.

**Before you run it:** at length 16 and at length 64, which of the three finds its token? One in 8 is luck.
"""

# %% tags=["experiment"]
predict("longer texts", "Trained on texts of 16 tokens: what becomes of the share of tokens that are found when the texts have 64?",
        ["rotary finds as many, ALiBi fewer", "ALiBi finds as many, rotary fewer", "both find as many", "both find fewer"])

# %% tags=["experiment", "slow"]
class Finder(nn.Module):
    """Names the token three places before the last one, by two heads of attention from the last position."""

    def __init__(self, positions, width=32):
        super().__init__()
        self.positions, self.width = positions, width
        self.embed, self.classify = nn.Embedding(8, width), nn.Linear(2 * width, 8)
        self.W_Q, self.W_K = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width)

    def attend(self, ids):
        """Return the weights (B, 2, 1, N) of the last position, and the embedded tokens (B, N, D)."""
        X = self.embed(ids)                                                     # (B, N, D)
        N = X.shape[1]
        Q, K = (split_heads(W(X), 2) for W in (self.W_Q, self.W_K))             # (B, 2, N, D)
        if self.positions == "rotary":
            Q, K = rotary(Q, torch.arange(N)), rotary(K, torch.arange(N))
        E = Q[:, :, -1:] @ K.mT / math.sqrt(self.width)                         # (B, 2, 1, N): of the last query
        if self.positions == "ALiBi":
            E = E - torch.tensor([1 / 4, 1 / 16])[:, None, None] * torch.arange(N - 1, -1, -1)
        return torch.softmax(E, dim=-1), X

    def forward(self, ids):
        A, X = self.attend(ids)
        return self.classify((A @ X[:, None]).flatten(1))                       # (B, 2, 1, D) -> (B, 8)


def found(model, N):
    """Return the share of 1000 new texts of length N in which the model names the token."""
    ids = torch.randint(8, (1000, N))
    with torch.no_grad():
        return (model(ids).argmax(-1) == ids[:, -4]).float().mean().item()


lengths = [16, 24, 32, 64]
kinds = ("rotary", "ALiBi", "none")
shares = {kind: torch.zeros(5, len(lengths)) for kind in kinds}
weight = {"distance 3": [], "from 16 on": []}                                   # of rotary heads at length 64
near_alone = []                                                                 # what rotary finds there if the keys from distance 16 on are hidden
for kind in kinds:
    for seed in range(5):
        torch.manual_seed(seed)
        model = Finder(kind)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
        for _ in range(400):
            ids = torch.randint(8, (64, 16))
            loss = F.cross_entropy(model(ids), ids[:, -4])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        shares[kind][seed] = torch.tensor([found(model, N) for N in lengths])
        if kind == "rotary":
            ids = torch.randint(8, (500, 64))
            with torch.no_grad():
                A, X = model.attend(ids)                                        # (B, 2, 1, N), (B, N, D)
                near = F.normalize(A[..., -16:], p=1, dim=-1)                   # what a softmax without the other keys gives
                near_alone.append((model.classify((near @ X[:, None, -16:]).flatten(1)).argmax(-1) == ids[:, -4]).float().mean().item())
            A = A.mean((0, 1, 2))                                               # (N,)
            weight["distance 3"].append(A[-4].item())
            weight["from 16 on"].append(A[:-16].sum().item())
    print(f"{kind:7}", ", ".join(f"length {N}: {share:.2f}" for N, share in zip(lengths, shares[kind].mean(0))),
          f"(worst seed at 16: {shares[kind][:, 0].min():.2f}, at 64: {shares[kind][:, -1].min():.2f})")
often = []
for N in lengths:
    ids = torch.randint(8, (20_000, N), generator=torch.Generator().manual_seed(N))
    often.append((F.one_hot(ids, 8).sum(1).argmax(-1) == ids[:, -4]).float().mean().item())
print("naming the most frequent token:", ", ".join(f"length {N}: {share:.2f}" for N, share in zip(lengths, often)))
weight = {where: sum(of_seeds) / 5 for where, of_seeds in weight.items()}
print("rotary, weight at length 64:", ", ".join(f"{where} {share:.0%}" for where, share in weight.items()),
      f"; found with the keys from distance 16 on hidden: {sum(near_alone) / 5:.2f}")
plots.show_curves(lengths, {kind: shares[kind].mean(0) for kind in kinds}, "length of the text", "share found",
                  "Three places before the end, trained at length 16",
                  bands={kind: (shares[kind].amin(0), shares[kind].amax(0)) for kind in kinds})
change = {kind: (shares[kind][:, -1] - shares[kind][:, 0]).mean().item() for kind in kinds}
fewer = [change[kind] < -0.05 for kind in ("rotary", "ALiBi")]
came_out("longer texts", "both find fewer" if all(fewer) else "ALiBi finds as many, rotary fewer" if fewer[0]
         else "rotary finds as many, ALiBi fewer" if fewer[1] else "both find as many")

# %% tags=["numbers"]
claims("finds every token at length 16, with every seed", shares["rotary"][:, 0].min() > 0.99)
claims("beyond it loses some, and at length 64 many", 0.3 < shares["rotary"][:, -1].mean() < 0.9 < shares["rotary"][:, 1].mean())
claims("finds about a third at every length", ((shares["ALiBi"].mean(0) - 0.31).abs() < 0.05).all())
claims("Without\npositions it is less at every length", (shares["none"].mean(0) < shares["ALiBi"].mean(0) - 0.02).all())
claims("just what the most frequent token of the text gives", (shares["none"].mean(0) - torch.tensor(often)).abs().max() < 0.03)
says("gives distance 3 only 45 % of its weight and the distances from 16 on 53 %", 3, weight["distance 3"], 16, weight["from 16 on"], within=6, whole=True)
claims("it finds every token again, with every seed", min(near_alone) > 0.99)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The bands span five seeds. With rotary positions the layer finds every token at length 16, with every seed; beyond it loses some, and at
length 64 many. There, on average, a head gives distance 3 only 45 % of its weight and the distances from 16 on 53 %: training never met these
distances, so nothing pushed their scores down, and each further token adds one. The control: with the keys from distance 16 on hidden
it finds every token again, with every seed. A rule that *exists* for every position need not be learned for every position.

A head of ALiBi can only point at "near", not at one place: it finds about a third at every length, because what is far has no weight. Without
positions it is less at every length, and just what the most frequent token of the text gives.
</details>
"""

# %% [markdown]
r"""
## 4 Fewer keys than queries

Each new token reads the cached keys and values of all earlier ones (lesson 2). For long texts this cache can outgrow the weights, and
reading it takes longer than everything else. Shazeer (2019) let all heads share *one* head of keys and values
(**multi-query attention**). **Grouped-query attention** (GQA; Ainslie et al. 2023) is the middle way: each group of query heads shares one.

### 4.1 Groups of heads

With $H$ query heads and $G$ heads of keys and values, $H/G$ neighbouring query heads read the same keys and values:

$$\text{query head } h \text{ reads key and value head } \left\lfloor \frac{h}{H/G} \right\rfloor$$

With $G = H$ this is multi-head attention, with $G = 1$ multi-query attention. Only $W_K$ and $W_V$ become smaller, from $D \times D$ to
$D \times G D_H$. The cache holds the $G$ heads, without copies for the query heads.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    a = [query head 0] | b = [query head 1] | c = [query head 2] | d = [query head 3] | e = [query head 4] | f = [query head 5]
    . | k = (K, V: head 0) | . | . | l = (K, V: head 1) | .
    k -> a
    k -> b
    k -> c
    l -> d
    l -> e
    l -> f
""", title="Six query heads in two groups");

# %% [markdown]
r"""
**Exercise 4.** ●● Write `GroupedQueryAttention`. `forward` takes new rows `X (B, N, D)` and the cache of the earlier ones, and returns `Y`
and the new cache: the pair of `K` and `V`, each `(B, G, N_K, D_H)`, old ones first. Row $i$ of the new rows attends to everything in the
cache and to the new rows up to itself. No map has a bias. This layer has no positions.

<details><summary>Hint: who reads what</summary>

Each key and value head is needed $H/G$ times in a row: 0, 0, 0, 1, 1, 1. `repeat_interleave` repeats so; `repeat` gives 0, 1, 0, 1, 0, 1.
</details>
<details><summary>Hint: what is ready-made</summary>

`split_heads(X, H)` gives `(B, H, N, D_H)`, `merge_heads` takes it back. `scaled_dot_product_attention(Q, K, V, allowed=...)` returns a
pair, the outputs and the weights, and `causal_mask(N_Q, N_K)` is for queries that are the last of the keys.
</details>
"""

# %% nbgrader={"grade_id": "GroupedQueryAttention", "solution": true}
class GroupedQueryAttention(nn.Module):
    """Causal self-attention in which num_heads query heads share num_groups heads of keys and values, with a cache.

    num_heads must divide model_width, and num_groups must divide num_heads; otherwise ValueError.
    """

    def __init__(self, model_width, num_heads, num_groups):
        super().__init__()
        if model_width % num_heads or num_heads % num_groups:
            raise ValueError(f"Expected divisors, got width {model_width}, {num_heads} heads, {num_groups} groups.")
        self.num_heads, self.num_groups = num_heads, num_groups
        ### BEGIN SOLUTION Make W_Q, W_K, W_V and W_O, without bias; W_K and W_V map to num_groups heads.
        group_width = num_groups * (model_width // num_heads)                  # G D_H
        self.W_Q = nn.Linear(model_width, model_width, bias=False)
        self.W_K = nn.Linear(model_width, group_width, bias=False)
        self.W_V = nn.Linear(model_width, group_width, bias=False)
        self.W_O = nn.Linear(model_width, model_width, bias=False)
        ### END SOLUTION

    def forward(self, X, cache=None):
        """Return (Y, (K, V)): rows Y (B, N, D), and the keys and values (B, G, N_K, D_H) of old and new rows.

        cache: the pair that the call before returned, or None. It is not changed.
        """
        ### BEGIN SOLUTION Join old and new keys and values, repeat them for the query heads, attend, and return the unrepeated ones.
        Q = split_heads(self.W_Q(X), self.num_heads)                           # (B, H, N, D_H)
        K, V = (split_heads(W(X), self.num_groups) for W in (self.W_K, self.W_V))              # (B, G, N, D_H)
        if cache is not None:
            K, V = (torch.cat([old, new], dim=-2) for old, new in zip(cache, (K, V)))          # (B, G, N_K, D_H)
        times = self.num_heads // self.num_groups
        keys, values = (Z.repeat_interleave(times, dim=-3) for Z in (K, V))    # (B, H, N_K, D_H)
        allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        Y, _ = scaled_dot_product_attention(Q, keys, values, allowed=allowed)  # (B, H, N, D_H)
        return self.W_O(merge_heads(Y)), (K, V)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-GroupedQueryAttention", "grade": true}
check("GroupedQueryAttention")

# %% [markdown]
r"""
### 4.2 How large is a cache?

The cache holds a key and a value of $D_H$ numbers for each layer, token and head of keys. In some models, part of the layers look back no
further than a *window* of $W$ tokens, and keep at most $W$:

$$\text{bytes} = 2 \cdot G \cdot D_H \cdot \text{bytes per number} \cdot \sum_{\text{layers}} \text{tokens kept in the layer}$$

**Exercise 5.** ● Write `cache_bytes`, for one text. The result is a whole number.
"""

# %% nbgrader={"grade_id": "cache_bytes", "solution": true}
def cache_bytes(tokens, num_layers, num_groups, head_width, bytes_per_number=2, window=None, window_layers=0):
    """Return the bytes of the key/value cache of one text of so many tokens, an int.

    window_layers of the num_layers layers keep at most window tokens, the others all. window may be None if there are none.
    """
    ### BEGIN SOLUTION Add up the tokens kept over all layers, and multiply by the bytes of a token's keys and values in one layer.
    kept = (num_layers - window_layers) * tokens
    if window_layers:
        kept += window_layers * min(tokens, window)
    return 2 * kept * num_groups * head_width * bytes_per_number
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-cache_bytes", "grade": true}
check("cache_bytes")

# %% [markdown]
r"""
The table uses published configurations, and two bytes for a number. Its last column is the control: a head of keys and values for every
query head, and no windows.

**Before you run it:** a cache of 32,768 tokens of Llama 3.1 8B: is it nearer to 40 MB, 400 MB or 4 GB? (Its weights take 16 GB.)
"""

# %% tags=["experiment"]
published = {  # name: layers, query heads, groups, head width, window, layers with a window
    "Llama 3.1 8B": (32, 32, 8, 128, None, 0),
    "Mistral 7B v0.1": (32, 32, 8, 128, 4096, 32),
    "Gemma 2 9B": (42, 16, 8, 256, 4096, 21),
    "Qwen 2.5 7B": (28, 28, 4, 128, None, 0),
    "Qwen 2.5 72B": (80, 64, 8, 128, None, 0),
}
tokens, gigabytes = 32_768, {}
print(f"{'':16} bytes a token   GB for {tokens} tokens   GB without groups and windows")
for name, (layers, heads, groups, width, window, short) in published.items():
    one = cache_bytes(1, layers, groups, width, window=window, window_layers=short)
    long = cache_bytes(tokens, layers, groups, width, window=window, window_layers=short) / 1e9
    control = cache_bytes(tokens, layers, heads, width) / 1e9
    gigabytes[name] = one, long, control
    print(f"{name:16} {one:13,} {long:21.2f} {control:31.2f}")

# %% tags=["numbers"]
says("131,072 bytes for each token", gigabytes["Llama 3.1 8B"][0])
says("4.29 GB, a quarter of the 17.18", *gigabytes["Llama 3.1 8B"][1:])
says("0.54 GB", gigabytes["Mistral 7B v0.1"][1])
given("It was trained with 8,192 tokens at most", "Llama 3.1 8B keeps")
claims("most of all for each token", gigabytes["Gemma 2 9B"][0] == max(one for one, _, _ in gigabytes.values()))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Llama 3.1 8B keeps 131,072 bytes for each token, and 4.29 GB, a quarter of the 17.18 without groups, for the long text. Mistral 7B has the
same heads and a window in all layers, and stays at 0.54 GB however long the text is. Gemma 2 9B keeps most of all for each token, since its
heads are wide; half of its layers have a window. (It was trained with 8,192 tokens at most. The table only counts.)
</details>
"""

# %% [markdown]
r"""
### 4.3 A cache of small integers (optional)

A number in the cache does not need 16 bits. Take a *group* of numbers, cut its range into $2^b - 1$ equal steps, and keep for each number $x$ how
many steps it lies above the smallest of its group. This **code** $c$ is a whole number of $b$ bits:

$$\text{low} = \min x \qquad \text{step} = \frac{\max x - \min x}{2^b - 1} \qquad c = \mathrm{round}\Big(\frac{x - \text{low}}{\text{step}}\Big)
\qquad \hat x = \text{low} + \text{step} \cdot c$$

Rounding moves $c$ by at most ½, so $\hat x$ is at most **half a step** from $x$. This form is called *asymmetric*: the range need not lie around 0. (In the
symmetric form low is $-\max |x|$. The whole number that stands for $x = 0$ is the *zero point*.)

Which numbers should share a step? Those of similar size, because the largest and the smallest of a group set its step. In the keys of language models
a few columns, the **outlier channels**, are large in every token; values have no such columns. So KIVI (Liu et al. 2024) quantises keys *per
channel* (a group is a column, over all tokens) and values *per token* (a group is a row, over all columns). It does so in groups of 32
numbers, and keeps the newest tokens, up to 128, exact. Here a group is a whole column or row.

Four bits are half a byte, so two codes share one: that of column $2j$ is the lower half of byte $j$, that of column $2j + 1$ the upper half. The codes 1
and 2 make the byte `0x21`.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    kept_K = (codes of K: low and step of each column) | kept_V = (codes of V: low and step of each row)
    pack_K = [4 bits: two codes in a byte] | pack_V = [4 bits: two codes in a byte ]
    round_K = [round to whole steps] | round_V = [round to whole steps ]
    column = [smallest and largest of each column] | row = [smallest and largest of each row]
    (K: N × D) | (V: N × D)
    K -> column
    column -> round_K
    round_K -> pack_K
    pack_K -> kept_K
    V -> row
    row -> round_V
    round_V -> pack_V
    pack_V -> kept_V
""", title="Keys per channel, values per token");

# %% [markdown]
r"""
`restored` reads such a cache back, and so defines exactly what it holds.
"""

# %%
def restored(kept, bits):
    """Return the numbers (..., N, D) that (codes, low, step) stand for."""
    codes, low, step = kept
    if bits == 4:
        codes = torch.stack([codes & 15, codes >> 4], dim=-1).flatten(-2)      # (..., N, D/2) -> (..., N, D)
    return low + step * codes

# %% [markdown]
r"""
**Exercise 6 (optional).** ●● Write `quantise_cache`. Shapes: `K (..., N, D_Q)`, `V (..., N, D_V)`, with even widths, and `bits` is 8 or 4. For the keys and
for the values it returns a triple: the codes, `torch.uint8`, `(..., N, D)` or, with 4 bits, `(..., N, D/2)`; low; and step. Low and step keep the axis of
their group with length 1, and the dtype of their numbers: `(..., 1, D_Q)` for the keys, `(..., N, 1)` for the values. A group whose numbers are all equal must
come back as it was.

<details><summary>Hint: all numbers equal</summary>

Then step is 0, and 0/0 is not a number. `torch.where` puts another number there.
</details>
<details><summary>Hint: two codes in a byte</summary>

`codes[..., 0::2]` are those of the even columns. `<< 4` moves a number into the upper half of its byte, and `|` joins the halves. Both need whole numbers.
</details>
"""

# %% nbgrader={"grade_id": "quantise_cache", "solution": true}
def quantise_cache(K, V, bits):
    """Return two triples (codes, low, step), of K (..., N, D_Q) with a group for each column and of V (..., N, D_V) with one for each row.

    bits: 8 or 4. Codes are uint8, whole steps above low; with 4 bits, byte j holds column 2j (lower half) and column 2j + 1.
    """
    ### BEGIN SOLUTION Find low and step of each group, round to whole steps, put two codes into a byte for 4 bits.
    kept = []
    for X, dim in ((K, -2), (V, -1)):                                          # a column: over the tokens; a row: over the columns
        low = X.amin(dim, keepdim=True)
        step = (X.amax(dim, keepdim=True) - low) / (2**bits - 1)
        codes = torch.where(step > 0, (X - low) / step, 0.0).round().to(torch.uint8)           # (..., N, D)
        if bits == 4:
            codes = codes[..., 0::2] | codes[..., 1::2] << 4                   # (..., N, D/2)
        kept.append((codes, low, step))
    return tuple(kept)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-quantise_cache", "grade": true}
check("quantise_cache")

# %% [markdown]
r"""
Random queries, keys and values of 256 tokens; one column of the keys is 30 larger in every token. That adds the same to all scores of a query, so
softmax attention stays exactly as it was: only the rounding can notice. The error is that of the attention's outputs, as a share of their distance
from the mean of the values. Section 12.4 measures the same on a language model.

**Before you run it:** with 4 bits, what does the outlier channel do to keys per channel, and to keys per token? And is per channel better without it?
"""

# %% tags=["experiment"]
def cache_error(bits, per, outlier, seed):
    """Return (the error of the outputs, the bytes of the cache) with keys per channel or per token."""
    torch.manual_seed(seed)
    Q, K, V = 2 * torch.randn(256, 64), torch.randn(256, 64), torch.randn(256, 64)             # (N, D)
    K[:, 7] += outlier
    keys, values = quantise_cache(K, V, bits)
    if per == "token":
        _, keys = quantise_cache(V, K, bits)                                   # what comes second is quantised per token
    exact, _ = scaled_dot_product_attention(Q, K, V)
    Y, _ = scaled_dot_product_attention(Q, restored(keys, bits), restored(values, bits))
    error = (Y - exact).square().sum() / (exact - V.mean(0)).square().sum()
    return error.item(), sum(part.nbytes for part in (*keys, *values))


lost, held = {}, {}
for bits in (8, 4):
    for outlier in (0, 30):
        for per in ("channel", "token"):
            results = [cache_error(bits, per, outlier, seed) for seed in range(5)]
            errors = [error for error, _ in results]
            lost[bits, outlier, per] = sum(errors) / 5
            held.setdefault(bits, results[0][1])                                   # of keys per channel, which come first
            print(f"{bits} bits, outlier channel +{outlier:2}, keys per {per:7}: error {lost[bits, outlier, per]:.4f} "
                  f"(from {min(errors):.4f} to {max(errors):.4f})")
exact_bytes = 2 * 256 * 64 * 4
print("bytes with keys per channel:", exact_bytes, "in float32;", {f"{bits} bits": number for bits, number in held.items()}, "with low and step")

# %% tags=["numbers"]
says("with 4 bits the error is 4 % for keys per channel and 3 % for keys per token", 4, lost[4, 0, "channel"], lost[4, 0, "token"])
says("The outlier channel leaves the 4 % as they are", lost[4, 30, "channel"])
says("an error of 93 %", lost[4, 30, "token"], within=2)
claims("With 8 bits all errors are below 1 %", max(lost[8, outlier, per] for outlier in (0, 30) for per in ("channel", "token")) < 0.01)
claims("keys per token with the outlier channel are the worst by far", lost[8, 30, "token"] > 10 * max(lost[8, 0, "token"], lost[8, 30, "channel"]))
says("131,072 bytes become 35,328 with 8 bits and 18,944 with 4", exact_bytes, held[8], 8, held[4], 4)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without an outlier channel, with 4 bits the error is 4 % for keys per channel and 3 % for keys per token: per channel is no better by itself. The outlier
channel leaves the 4 % as they are, and makes it an error of 93 % per token. The range of each row then begins at about 0 and ends at about 30, its step
is 2, and little of the other 63 numbers is left; per channel it widens no step but its own. With 8 bits all errors are below 1 %, and
keys per token with the outlier channel are the worst by far.

With keys per channel, 131,072 bytes become 35,328 with 8 bits and 18,944 with 4, low and step included: these take the same room with 8 bits as with 4.
</details>
"""

# %% [markdown]
r"""
## 5 A window and sinks

Most of what matters for the next word is usually near. In **sliding-window attention** (Beltagy et al. 2020; Mistral 7B) a query sees
the $W$ last keys only, itself included. Cache and work for a token then stop growing. Xiao et al. (2024) found that models trained without a
window break down when the very first tokens leave it: many heads put weight there when they have nothing to look for. They keep the first
$S$ of these **attention sinks** for good.

The query at position $p$ may attend to the key at position $j \le p$ if

$$j > p - W \quad \text{(in the window)} \qquad \text{or} \qquad j < S \quad \text{(a sink)}$$

As in lesson 1, the queries are the *last* $N_Q$ of the $N_K$ positions: query $i$ is at $p = i + N_K - N_Q$. A window of $W$ has $W$ keys,
the query's own included.

**Exercise 7.** ● Write `sliding_window`. Shape: `(N_Q, N_K)`, True where the query may attend.

<details><summary>Hint</summary>

With the positions of the queries as a column and those of the keys as a row, each condition is one comparison. `|` is "or", `&` is "and";
put brackets around each comparison.
</details>
"""

# %% nbgrader={"grade_id": "sliding_window", "solution": true}
def sliding_window(N_Q, N_K, window, sinks=0, device=None):
    """Return the mask (N_Q, N_K), bool, True where a query may attend: in its causal window, or to one of the first keys.

    The queries are the last N_Q of the N_K positions. A window counts the query's own position.
    """
    ### BEGIN SOLUTION Compare the positions of queries and keys: no later key, and either in the window or a sink.
    p = torch.arange(N_K - N_Q, N_K, device=device)[:, None]                   # (N_Q, 1)
    j = torch.arange(N_K, device=device)                                       # (N_K,)
    return (j <= p) & ((j > p - window) | (j < sinks))                         # (N_Q, N_K)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-sliding_window", "grade": true}
check("sliding_window")

# %% [markdown]
r"""
**Before you run it:** with a window of 4, how far back can the last of 24 tokens be influenced through one, two and four layers? What do two
sinks change?
"""

# %% tags=["experiment"]
_, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
reach = {}
for ax, sinks in zip(axes, (0, 2)):
    allowed = sliding_window(24, 24, 4, sinks).double()                        # (N, N)
    through = torch.eye(24, dtype=torch.float64)
    rows = []
    for layers in range(1, 7):
        through = ((allowed @ through) > 0).double()                           # which inputs a row depends on
        rows.append(through[-1])
        reach[sinks, layers] = int(through[-1].sum())
    plots.show_attention(torch.stack(rows), queries=range(1, 7), keys=range(24), values=False, ax=ax,
                         title=f"Window 4, {sinks} sinks", label="1 if the last token depends on it")
    ax.set(xlabel="position of the input", ylabel="layers")
print({f"{sinks} sinks, {layers} layers": reach[sinks, layers] for sinks in (0, 2) for layers in (1, 2, 4)})

# %% tags=["numbers"]
says("4 tokens with one layer, 7 with two and 13 with four", reach[0, 1], reach[0, 2], reach[0, 4])
claims("The sinks add themselves and nothing else", all(reach[2, layers] == min(reach[0, layers] + 2, 24) for layers in (1, 2, 4)))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The last token depends on 4 tokens with one layer, 7 with two and 13 with four: each layer adds $W - 1$. So a deep model *can* know more than
its window holds. The sinks add themselves and nothing else, because they see only each other.
</details>
"""

# %% [markdown]
r"""
### 5.1 A ring of keys (optional)

With a window, $S + W$ keys and values are enough, however long the text is. Moving all rows up by one for each token would be wasted work: in a
**ring cache** (the *rolling buffer* of Mistral 7B, Jiang et al. 2023) the new row takes the place of the oldest. The first $S$ *slots* are the
sinks' own, and the row of position $p$ is written to

$$\text{slot}(p) = \begin{cases} p & \text{if } p < S \\ S + \big((p - S) \bmod W\big) & \text{otherwise} \end{cases}$$

Positions $S$, $S + W$, $S + 2W$, … share a slot. The first $S + W$ positions fill the slots in order: until then the slots 0 to $p$ are in use
after position $p$, and later all of them. Once the row of $p$ is written, the ring holds exactly the keys that the mask of `sliding_window` shows
to the query at $p$: its window and the sinks. They lie there in another order, but attention sums over keys, and no sum depends on its order. What
a model knows of positions is in the keys themselves: section 3 turns them before they are stored.

Several rows may come at once, such as those of a prompt. Each query must attend *after* its own row is written and *before* the next one is, or it would
see a later key, and miss the key that was overwritten.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (row of position 5) | .
    . | place = [1 + (5 − 1) mod 2 = 1] | .
    first = (slot 0: position 0, a sink) | second = (slot 1: position 3 → 5) | third = (slot 2: position 4)
    row of position 5 -> place
    place -> second
""", title="A ring with S = 1 and W = 2");

# %% [markdown]
r"""
**Exercise 8 (optional).** ●● Write `window_step`. `Q`, `K (..., N, D_Q)` and `V (..., N, D_V)` are the next $N$ rows of a text of which `seen`
rows came before. `ring` is the pair `K_ring (..., S + W, D_Q)`, `V_ring (..., S + W, D_V)`, and your function *changes it in place*. It returns the
outputs `(..., N, D_V)`. Slots that are not in use may hold anything, NaN too.

<details><summary>Hint: one row after the other</summary>

A loop over the $N$ rows needs no mask: for each, find $p$ and its slot, write its key and value, and attend with the one query `Q[..., i:i + 1, :]` to the
slots in use. `scaled_dot_product_attention(Q, K, V)` returns the outputs and the weights.
</details>
<details><summary>Hint: the slots in use</summary>

They are the first $\min(p + 1,\, S + W)$. The window is not an argument: `K_ring` has $S + W$ slots.
</details>
"""

# %% nbgrader={"grade_id": "window_step", "solution": true}
def window_step(Q, K, V, ring, seen, sinks=0):
    """Write the rows K, V (..., N, D) at positions seen, seen + 1, … to the ring, in place, and return the outputs Y (..., N, D_V).

    ring: the pair K_ring (..., slots, D_Q), V_ring (..., slots, D_V), with slots = sinks + window. Each query sees its window and the sinks.
    """
    ### BEGIN SOLUTION For each row in turn: write key and value to the slot of its position, and attend to the slots in use.
    K_ring, V_ring = ring
    slots, rows = K_ring.shape[-2], []
    for i in range(Q.shape[-2]):
        p = seen + i
        slot = p if p < sinks else sinks + (p - sinks) % (slots - sinks)
        K_ring[..., slot, :], V_ring[..., slot, :] = K[..., i, :], V[..., i, :]
        used = min(p + 1, slots)
        Y, _ = scaled_dot_product_attention(Q[..., i:i + 1, :], K_ring[..., :used, :], V_ring[..., :used, :])
        rows.append(Y)                                                         # (..., 1, D_V)
    return torch.cat(rows, dim=-2)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-window_step", "grade": true}
check("window_step")

# %% [markdown]
r"""
`WindowCache` keeps a ring and the number of rows seen. A text of ten times its slots goes through it in pieces of different length and is compared
with one call under the mask. The control has a mistake that is often made with prompts: it writes all rows of a piece first, and attends then.

**Before you run it:** for which pieces does the control give the right numbers? Would a test with a text no longer than the ring find the mistake?
"""

# %% tags=["experiment"]
class WindowCache:
    """Keys and values of a window and its sinks, in memory of a fixed size."""

    def __init__(self, window, sinks, width):
        self.ring = torch.zeros(sinks + window, width), torch.zeros(sinks + window, width)
        self.sinks, self.seen = sinks, 0

    def attend(self, Q, K, V, step):
        """Return the outputs for the next rows."""
        Y = step(Q, K, V, self.ring, self.seen, self.sinks)
        self.seen += Q.shape[-2]
        return Y

    def nbytes(self):
        """Return the bytes of the ring."""
        return sum(part.nbytes for part in self.ring)


def write_first(Q, K, V, ring, seen, sinks=0):
    """Write all rows of the piece, then attend, under a causal mask: the mistake."""
    window_step(Q, K, V, ring, seen, sinks)                                    # writes all of them
    N, used = len(Q), min(seen + len(Q), len(ring[0]))
    allowed = causal_mask(N, used) if N <= used else None
    return scaled_dot_product_attention(Q, ring[0][:used], ring[1][:used], allowed=allowed)[0]


def farthest(step, N, piece):
    """Return (the largest difference from one call under the mask, the bytes of the ring) for a text of N rows in pieces."""
    torch.manual_seed(0)
    Q, K, V = torch.randn(N, 32), torch.randn(N, 32), torch.randn(N, 32)
    Q, K = (rotary(X, torch.arange(N)) for X in (Q, K))                        # positions are in the rows themselves
    want, _ = scaled_dot_product_attention(Q, K, V, allowed=sliding_window(N, N, 28, sinks=4))
    cache = WindowCache(28, 4, 32)
    Y = torch.cat([cache.attend(*rows, step) for rows in zip(*(X.split(piece) for X in (Q, K, V)))])
    return (Y - want).abs().max().item(), cache.nbytes()


off = {}
for N in (24, 320):
    for name, step in (("window_step", window_step), ("written first", write_first)):
        off[N, name] = {piece: farthest(step, N, piece)[0] for piece in (1, 8, 28, 32, 33, 320)}
        print(f"{N} rows, {name:13}: off by up to", {piece: round(value, 6) for piece, value in off[N, name].items()}, "in pieces of so many rows")
ring_bytes = {N: farthest(window_step, N, 8)[1] for N in (24, 320, 3200)}
print("bytes of the ring:", ring_bytes, "and of a cache that keeps all:", {N: 2 * 4 * 32 * N for N in ring_bytes})

# %% tags=["numbers"]
claims("`window_step` gives the numbers of the mask for all pieces", max(max(off[N, "window_step"].values()) for N in (24, 320)) < 1e-5)
claims("For 24 rows both are right", max(off[24, "written first"].values()) < 1e-5)
claims("the control is right only row by row", off[320, "written first"][1] < 1e-5 and
       all(off[320, "written first"][piece] > 0.1 for piece in (8, 28, 32, 33, 320)))
says("8,192 bytes for 24, 320 and 3,200 rows, while a cache that keeps all grows to 819,200", ring_bytes[24], 24, 320, 3200, 2 * 4 * 32 * 3200)
claims("8,192 bytes for 24", len(set(ring_bytes.values())) == 1)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

`window_step` gives the numbers of the mask for all pieces, up to rounding. For 24 rows both are right, since nothing is overwritten in a ring of 32
slots that are not yet full. For 320 rows the control is right only row by row: with any longer piece the first queries miss keys that later rows
have overwritten, and see later ones in their place. So test a cache with a text several times as long as it is, and in pieces of several lengths.

The ring takes 8,192 bytes for 24, 320 and 3,200 rows, while a cache that keeps all grows to 819,200.
</details>
"""

# %% [markdown]
r"""
## 6 A state in place of a cache

Softmax attention has to keep all keys, since $e^{q \cdot k}$ is no product $\phi(q) \cdot \phi(k)$ of vectors of finite length. Katharopoulos et al.
(2020) replace it by such a product of *features*, $\phi(q) \cdot \phi(k)$, with positive $\phi(x) = \mathrm{elu}(x) + 1$ in each column. Then the
sums over the past are taken before the query is known:

$$y_i = \frac{\sum_{j \le i} \big(\phi(q_i) \cdot \phi(k_j)\big)\, v_j}{\sum_{j \le i} \phi(q_i) \cdot \phi(k_j)}
= \frac{\phi(q_i)^\top S_i}{\phi(q_i) \cdot z_i} \qquad S_i = \sum_{j \le i} \phi(k_j)\, v_j^\top \qquad z_i = \sum_{j \le i} \phi(k_j)$$

This is **linear attention**. The state $(S, z)$ has $D_Q \times D_V + D_Q$ numbers however long the text is. The same output has three forms:

- *parallel*: all weights $\phi(q_i) \cdot \phi(k_j)$ as a matrix, for training;
- *recurrent*: one token at a time, adding to the state, for writing;
- *chunked*: parallel within a chunk, with a state between chunks.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    y1 = (Y of chunk 1) | . | y2 = (Y of chunk 2) | .
    c1 = [attention within chunk 1] | . | c2 = [attention within chunk 2] | .
    . | s = (S and z) | . | t = (S and z after both)
    x1 = (chunk 1) | . | x2 = (chunk 2) | .
    x1 -> c1
    c1 -> y1
    x1 -> s
    s -> c2
    s -> t
    x2 -> c2
    c2 -> y2
    x2 -> t
""", title="Linear attention in two chunks");

# %% [markdown]
r"""
**Exercise 9.** ●● Write `linear_attention` for one chunk, given the state before it. Shapes: `Q`, `K (..., N, D_Q)`, `V (..., N, D_V)`; the
state is a pair `S (..., D_Q, D_V)` and `z (..., D_Q)`, or None at the beginning. Nothing is divided by $\sqrt{D_Q}$.

<details><summary>Hint: within the chunk</summary>

`phi_Q @ phi_K.mT` is `(..., N, N)`. Row $i$ may use the columns up to $i$: `.tril()` sets the others to 0.
</details>
<details><summary>Hint: what the state adds</summary>

To the numerator `phi_Q @ S`, to the denominator `phi_Q @ z[..., None]`. Use the state *before* the chunk: its own keys are in the matrix
already.
</details>
"""

# %% nbgrader={"grade_id": "linear_attention", "solution": true}
def linear_attention(Q, K, V, state=None):
    """Return (Y, (S, z)): causal linear attention Y (..., N, D_V) of a chunk, and the state after it.

    state: the pair S (..., D_Q, D_V), z (..., D_Q) that the chunk before returned, or None. It is not changed.
    """
    phi_Q, phi_K = F.elu(Q) + 1, F.elu(K) + 1                                  # (..., N, D_Q)
    ### BEGIN SOLUTION Add what the chunk's own keys and what the state contribute, above and below the fraction; update the state.
    A = (phi_Q @ phi_K.mT).tril()                                              # (..., N, N): no later key
    numerator, denominator = A @ V, A.sum(dim=-1, keepdim=True)                # (..., N, D_V), (..., N, 1)
    S, z = phi_K.mT @ V, phi_K.sum(dim=-2)                                     # (..., D_Q, D_V), (..., D_Q)
    if state is not None:
        numerator = numerator + phi_Q @ state[0]
        denominator = denominator + phi_Q @ state[1][..., None]
        S, z = state[0] + S, state[1] + z
    return numerator / denominator, (S, z)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-linear_attention", "grade": true}
check("linear_attention")

# %% [markdown]
r"""
Store $P$ random pairs of a key and a value (width 32), then ask with each key. An answer is right if the output, seen from the mean of all values, points
most nearly towards its own value. One control is softmax attention. Another has a state as large as $S$, without features: $\phi(x) =
x$, and no division, so that weights may be negative. The last two have the state of this size with the least squared error, and one that is trained for
these questions, by cross-entropy.

**Before you run it:** up to how many pairs does linear attention answer nearly all? How many numbers does each keep? Is it the size of
the state that sets the limit?
"""

# %% tags=["experiment"]
def recalled(P, kind, seed):
    """Return the share of P keys whose output points to the right value."""
    torch.manual_seed(seed)
    K, V = torch.randn(P, 32), torch.randn(P, 32)                              # (P, D_Q), (P, D_V)
    K = 8 * F.normalize(K, dim=-1)
    if kind == "softmax":
        Y = torch.softmax(K @ K.mT, dim=-1) @ V                                # (P, D_V)
    elif kind == "least squares":
        Y = K @ torch.linalg.lstsq(K, V - V.mean(0), driver="gelsd").solution + V.mean(0)
    elif kind == "trained state":
        S = torch.zeros(32, 32, requires_grad=True)
        optimizer = torch.optim.Adam([S], lr=0.1)
        for _ in range(50):
            loss = F.cross_entropy(K @ S @ F.normalize(V - V.mean(0), dim=-1).mT, torch.arange(P))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        Y = K @ S.detach() + V.mean(0)
    elif kind == "no features":
        Y = K @ (K.mT @ (V - V.mean(0))) + V.mean(0)                           # every key asks a state of 32 x 32 numbers
    else:
        _, (S, z) = linear_attention(K, K, V)                                  # all pairs are in the state
        phi = F.elu(K) + 1
        Y = phi @ S / (phi @ z)[:, None]                                       # every key asks the state
    towards = F.normalize(V - V.mean(0), dim=-1)                               # (P, D_V)
    return (((Y - V.mean(0)) @ towards.mT).argmax(dim=-1) == torch.arange(P)).float().mean().item()


counts = [2, 4, 8, 16, 32, 64, 128]
recall = {kind: torch.tensor([[recalled(P, kind, seed) for P in counts] for seed in range(5)]) for kind in ("softmax", "linear", "no features", "least squares", "trained state")}
plots.show_curves(counts, {kind: shares.mean(0) for kind, shares in recall.items()}, "pairs", "share recalled",
                  "Recall of random pairs, width 32", logx=True,
                  bands={kind: (shares.amin(0), shares.amax(0)) for kind, shares in recall.items()})
for kind, shares in recall.items():
    print(f"{kind:13}", ", ".join(f"{P} pairs: {share:.2f}" for P, share in zip(counts, shares.mean(0))))
print("softmax keeps 64 numbers for each pair; the state has", 32 * 32 + 32)

# %% tags=["numbers"]
claims("Softmax attention finds every value", recall["softmax"].min() == 1)
claims("nearly all up to 8 pairs", recall["linear"][:, :3].mean(0).min() > 0.9)
says("at 16 pairs it is 88 %", counts[3], recall["linear"].mean(0)[3])
claims("with 128 it is mostly wrong", recall["linear"].mean(0)[-1] < 0.3)
claims("Without features a state of the same size finds nearly all up to 32", recall["no features"].mean(0)[:5].min() > 0.94)
features = F.normalize(F.elu(8 * F.normalize(torch.randn(1000, 32, generator=torch.Generator().manual_seed(0)), dim=-1)) + 1, dim=-1)
says("a cosine of 0.59 on average", ((features @ features.T).sum().item() - 1000) / (1000 * 999))
says("Of 128 pairs the state with the least squared error finds 59 %", counts[-1], recall["least squares"].mean(0)[-1], within=3)
claims("one of the same size that is trained for these questions finds all", recall["trained state"].min() == 1)
claims("misses most with 128", recall["no features"].mean(0)[-1] < 0.5)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Softmax attention finds every value, with 64 numbers kept for each pair. Linear attention has 1,056 numbers in its state, and finds nearly all up to 8
pairs; at 16 pairs it is 88 %, with about as many numbers as softmax then keeps, and with 128 it is mostly wrong: each answer is a mixture of many pairs.
But the size of the state is not the whole reason. Without features a state of the same size finds nearly all up to 32 pairs, and misses most with 128: the
features are all positive, two of them have a cosine of 0.59 on average, and so every pair disturbs every other. The bands span five seeds. Training can
choose better keys, and newer forms, such as the delta rule, erase an old value before they write a new one. Of 128 pairs the state with the least squared
error finds 59 %, and one of the same size that is trained for these questions finds all: what is written counts, not only how much room there is.
</details>
"""

# %% [markdown]
r"""
### 6.1 Writing the difference: the delta rule (optional)

Linear attention only adds. When a key comes again with a new value, the state holds the sum of both, and keys that are similar disturb each other for good. The
**delta rule** (Widrow and Hoff 1960; in attention, Schlag et al. 2021) first asks the state what it returns for the key, and writes only what is missing:

$$S_i = S_{i-1} + \beta_i\, k_i \big(v_i - S_{i-1}^\top k_i\big)^\top \qquad y_i = S_i^\top q_i$$

With $\beta_i = 1$ and a key of length 1 the new state returns exactly $v_i$ for $k_i$: the old value is erased. $\beta_i = 0$ writes nothing. A
model computes $\beta_i$ from the token, with a sigmoid. There are no features and no sum below a fraction, so queries and keys may have any sign.

In other words, each token is one step of gradient descent on $\frac{1}{2} |S^\top k_i - v_i|^2$, with step size $\beta_i$: the state is a small
linear model that is trained while it reads. DeltaNet (Yang et al. 2024) trains large models so; with a gate that also lets the state decay, it is
the Gated DeltaNet (Yang et al. 2025) of Qwen3-Next.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | . | (y)
    after = (S after: D_Q × D_V) | . | read = [read with q]
    add = {+} | outer = [k times β times the difference] | (q)
    . | minus = {−} | (v)
    . | ask = [read with k] | .
    before = (S before: D_Q × D_V) | . | (k)
    before -> ask
    k -> ask
    ask -> minus
    v -> minus
    minus -> outer
    outer -> add
    before -> add
    add -> after
    after -> read
    q -> read
    read -> y
""", title="One token of the delta rule");

# %% [markdown]
r"""
**Exercise 10 (optional).** ●● Write `delta_rule`, token by token. Shapes: `Q`, `K (..., N, D_Q)`, `V (..., N, D_V)`, `beta (..., N)`; the state
`S (..., D_Q, D_V)` is None at the beginning, which means zeros. Keys and queries are used as they are: nothing is normalised, and nothing divided
by $\sqrt{D_Q}$.

<details><summary>Hint: rows and columns</summary>

With `k` as a column `(..., D_Q, 1)` and `v` as a row `(..., 1, D_V)`, reading is `k.mT @ S`, a row, and an outer product is `k @ row`. `K[..., i, :, None]`
is such a column. `beta[..., i, None, None]` is a number for each text and head.
</details>
<details><summary>Hint: the order</summary>

The difference is taken from the state *before* the token, the output is read from the state *after* it.
</details>
"""

# %% nbgrader={"grade_id": "delta_rule", "solution": true}
def delta_rule(Q, K, V, beta, S=None):
    """Return (Y, S): the outputs Y (..., N, D_V) of the delta rule, and the state after the last token.

    beta: (..., N). S: the state (..., D_Q, D_V) that an earlier call returned, or None. It is not changed.
    """
    ### BEGIN SOLUTION For each token, add to the state beta times the key times what is missing from the value; then read with the query.
    if S is None:
        S = K.new_zeros(*K.shape[:-2], K.shape[-1], V.shape[-1])               # (..., D_Q, D_V)
    rows = []
    for i in range(K.shape[-2]):
        k, v, b = K[..., i, :, None], V[..., i, None, :], beta[..., i, None, None]             # a column, a row, a number
        S = S + b * k @ (v - k.mT @ S)                                         # (..., D_Q, 1) @ (..., 1, D_V)
        rows.append(Q[..., i, None, :] @ S)                                    # (..., 1, D_V)
    return torch.cat(rows, dim=-2), S
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-delta_rule", "grade": true}
check("delta_rule")

# %% [markdown]
r"""
The task of section 6, with keys of length 1 and width 32, once as it was, and once with each key written a second time, with a new value, which
alone counts. *Sum* is the delta rule without its difference, $S = \sum_j k_j v_j^\top$, and is the control. The *optimum* is the matrix whose
answers have the smallest squared error of all, found by least squares: no state of this shape can do better. The error is a share of the values'
own squares, so that answering always 0 has error 1.

**Before you run it:** up to how many pairs can a state of 32 × 32 be exact? Does the delta rule get there? And which of the memories notice that
values are new?
"""

# %% tags=["experiment"]
def delta_recall(P, times, seed):
    """Return {memory: (share of keys recalled, squared error)}, after P keys have been written so many times, with new values each time."""
    torch.manual_seed(seed)
    K = F.normalize(torch.randn(P, 32), dim=-1)                                # (P, D_Q)
    written = torch.randn(times, P, 32)                                        # the values of each time
    keys, values, V = K.repeat(times, 1), written.flatten(0, 1), written[-1]
    _, (S, z) = linear_attention(8 * keys, 8 * keys, values)
    phi = F.elu(8 * K) + 1
    _, once = delta_rule(keys, keys, values, torch.ones(len(keys)))
    _, often = delta_rule(K.repeat(7, 1), K.repeat(7, 1), V.repeat(7, 1), torch.ones(7 * P), once)
    answers = {"linear attention": phi @ S / (phi @ z)[:, None], "sum": K @ (keys.mT @ values), "delta rule": K @ once,
               "and 7 more times": K @ often, "optimum": K @ torch.linalg.lstsq(K, V, driver="gelsd").solution}
    centre = values.mean(0)
    towards = F.normalize(values - centre, dim=-1)                             # old values may be answered, too
    newest = torch.arange(len(keys) - P, len(keys))
    return {name: (((Y - centre) @ towards.mT).argmax(dim=-1).eq(newest).float().mean().item(),
                   ((Y - V).square().sum() / V.square().sum()).item()) for name, Y in answers.items()}


pairs, memories, quality = [4, 8, 16, 32, 64], ["linear attention", "sum", "delta rule", "and 7 more times", "optimum"], {}
for times, title in ((1, "each key written once"), (2, "each key written again, with a new value")):
    print(f"{title}: share recalled, squared error")
    runs = [[delta_recall(P, times, seed) for P in pairs] for seed in range(5)]
    for name in memories:
        quality[times, name] = torch.tensor([[recall_of[name] for recall_of in run] for run in runs]).mean(0)  # (counts, 2)
        print(f"  {name:16}", ";  ".join(f"{P} pairs: {share:.2f}, {error:.2f}" for P, (share, error) in zip(pairs, quality[times, name].tolist())))

# %% tags=["numbers"]
shares, errors = ({key: values[:, column].tolist() for key, values in quality.items()} for column in (0, 1))
claims("The optimum is exact up to 32 pairs", max(errors[1, "optimum"][:4] + errors[2, "optimum"][:4]) < 1e-3)
says("With 64 pairs its error is 0.51", 64, errors[1, "optimum"][4])
says("at most 57 % of the new values", max(shares[2, "linear attention"] + shares[2, "sum"]), within=2)
says("The delta rule finds all for 8 pairs, 93 % for 16 and 74 % for 32", 8, shares[2, "delta rule"][2], 16, shares[2, "delta rule"][3], 32, within=2)
claims("The delta rule finds all for 8 pairs", min(shares[2, "delta rule"][:2]) == 1)
says("97 % of 32 pairs, and the delta rule 82 %, although the sum's error is larger, 1.01 against 0.58",
     shares[1, "sum"][3], 32, shares[1, "delta rule"][3], errors[1, "sum"][3], errors[1, "delta rule"][3], within=2)
says("the error falls to 0.00 for up to 16 pairs and to 0.19 for 32", errors[1, "and 7 more times"][2], 16, errors[1, "and 7 more times"][3], 32, within=2)
says("With 64 it stays at 1.02", 64, errors[1, "and 7 more times"][4], within=2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The optimum is exact up to 32 pairs, since a matrix can send 32 independent keys of width 32 anywhere. With 64 pairs its error is 0.51.

*Written again.* Linear attention and the sum find at most 57 % of the new values, even of four pairs: old and new value are in the state in equal parts.
The delta rule finds all for 8 pairs, 93 % for 16 and 74 % for 32: it has erased the old ones.

*Written once* there is nothing to erase, and correcting is not better in all respects. The sum finds 97 % of 32 pairs, and the delta rule 82 %,
although the sum's error is larger, 1.01 against 0.58: the delta rule returns the last pair exactly, and each pair has moved the earlier ones.

*Written seven more times*, the error falls to 0.00 for up to 16 pairs and to 0.19 for 32: gradient descent on its way to the optimum. With 64 it stays at 1.02,
twice the optimum's: each step makes its own key exact and disturbs the others, for which 32 dimensions have no room.
</details>
"""

# %% [markdown]
r"""
### 6.2 A chunk at a time (optional)

A loop over tokens leaves a GPU idle. Linear attention became parallel because its sums do not depend on each other; here each token's difference depends on
the state that the token before has left. But the dependence is simple. Call $u_i$ what token $i$ writes, so that $S_i = S_{i-1} + k_i u_i^\top$. For the tokens
of a chunk that begins with the state $S$:

$$u_i = \beta_i \Big( v_i - S^\top k_i - \sum_{j < i} (k_i \cdot k_j)\, u_j \Big)$$

With the $u_i$ as the rows of a matrix $U$, the $\beta_i$ on a diagonal matrix $B$, and $\text{tril}_{-1}$ for the part below the diagonal, this is
one system of linear equations for the chunk (Yang et al. 2024):

$$\big(I + \text{tril}_{-1}(B K K^\top)\big)\, U = B\,(V - K S)$$

Its matrix is lower triangular with ones on the diagonal, so it is solved from the first row to the last. What follows is attention without a
softmax, as in section 6:

$$Y = Q S + \text{tril}(Q K^\top)\, U \qquad S_\text{after} = S + K^\top U$$

**Exercise 11 (optional).** ●● Write `delta_chunk`, which returns what `delta_rule` returns, without a loop over tokens. The shapes are the same.

<details><summary>Hint: the system</summary>

`torch.linalg.solve_triangular(T, R, upper=False, unitriangular=True)` returns the `U` with `T @ U = R`, for each text and head. With
`unitriangular` it takes the diagonal as ones.
</details>
<details><summary>Hint: the diagonal matrix</summary>

$B$ times a matrix multiplies row $i$ by $\beta_i$: `beta[..., None] *`.
</details>
"""

# %% nbgrader={"grade_id": "delta_chunk", "solution": true}
def delta_chunk(Q, K, V, beta, S=None):
    """Return (Y, S) as delta_rule does, for the N tokens of a chunk at once.

    beta: (..., N). S: the state (..., D_Q, D_V) before the chunk, or None. It is not changed.
    """
    ### BEGIN SOLUTION Solve the triangular system for what the tokens write, then read within the chunk and from the state.
    if S is None:
        S = K.new_zeros(*K.shape[:-2], K.shape[-1], V.shape[-1])               # (..., D_Q, D_V)
    B = beta[..., None]                                                        # (..., N, 1)
    below = (B * K @ K.mT).tril(-1)                                            # (..., N, N)
    U = torch.linalg.solve_triangular(below, B * (V - K @ S), upper=False, unitriangular=True)  # (..., N, D_V)
    Y = Q @ S + (Q @ K.mT).tril() @ U                                          # (..., N, D_V)
    return Y, S + K.mT @ U
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-delta_chunk", "grade": true}
check("delta_chunk")

# %% [markdown]
r"""
Both forms for 512 tokens, in float64 and in float32, with keys of length 1, in chunks of different length. As a control, all differences are taken
from the state at the beginning of the chunk, which needs no system: $U = B (V - K S)$.

**Before you run it:** for which chunks is the control right? And which length is the fastest here, on one thread of a processor?
"""

# %% tags=["experiment"]
def from_the_beginning(Q, K, V, beta, S):
    """Take all differences of a chunk from the state before it."""
    U = beta[..., None] * (V - K @ S)
    return Q @ S + (Q @ K.mT).tril() @ U, S + K.mT @ U


def in_chunks(step, length, *rows):
    """Return the outputs of a text in chunks."""
    S, outputs = torch.zeros(32, 32, dtype=rows[0].dtype), []
    for chunk in zip(*(X.split(length) for X in rows)):
        Y, S = step(*chunk, S)
        outputs.append(Y)
    return torch.cat(outputs)


torch.manual_seed(0)
rows = [torch.randn(512, 32, dtype=torch.float64) for _ in range(3)]           # Q, K, V
rows = [rows[0], F.normalize(rows[1], dim=-1), rows[2], torch.rand(512, dtype=torch.float64)]
exact, _ = delta_rule(*rows)
apart, took = {}, {}
for length in (1, 8, 64, 512):
    for name, step, inputs in (("float64", delta_chunk, rows), ("float32", delta_chunk, [X.float() for X in rows]),
                               ("control", from_the_beginning, rows)):
        begin = time.process_time()
        Y = in_chunks(step, length, *inputs)
        took[name, length] = time.process_time() - begin
        apart[name, length] = ((Y - exact).abs().max() / exact.abs().max()).item()
    print(f"chunks of {length:3}: {1000 * took['float64', length]:5.1f} ms; largest difference, as a share of the largest output:",
          {name: f"{apart[name, length]:.0e}" for name in ("float64", "float32", "control")})

# %% tags=["numbers"]
claims("in float64 all chunks agree with the loop to rounding", max(apart["float64", length] for length in (1, 8, 64, 512)) < 1e-12)
claims("in float32 to six digits", max(apart["float32", length] for length in (1, 8, 64, 512)) < 1e-5)
claims("The control is right for chunks of one token only", apart["control", 1] < 1e-12 and all(apart["control", length] > 0.1 for length in (8, 64, 512)))
claims("Chunks of 64 are faster than single tokens", took["float64", 64] < 0.5 * took["float64", 1])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The two forms are equal: in float64 all chunks agree with the loop to rounding, and in float32 to six digits. The control is right for chunks of one
token only, and off by as much as the outputs themselves for long ones: within a chunk it writes over nothing, so keys that come close to each other
add up.

Chunks of 64 are faster than single tokens, since they are a few products of matrices in place of 64 small steps. One chunk of everything is not the
fastest: the system and the scores grow with the square of its length.
</details>
"""

# %% [markdown]
r"""
## 7 Writing ahead and checking

A large model writes one token in each pass, but it *checks* many in one pass, as in training. In **speculative
decoding** (Leviathan et al. 2023, Chen et al. 2023) a small *draft* model writes a few tokens, and the large *target* model checks them all
at once. What comes out has exactly the distribution of the target; a bad draft costs only time.

At one place, let $p$ be the target's distribution and $q$ the draft's, and let $x$ be drawn from $q$:

1. accept $x$ with probability $\min(1,\, p_x / q_x)$;
2. otherwise draw from the **residual distribution**, $\max(0,\, p - q)$ divided by its sum.

Token $t$ is drafted and accepted with probability $q_t \min(1, p_t/q_t) = \min(p_t, q_t)$. The probability of a rejection is
$1 - \sum_s \min(p_s, q_s)$, the sum of $\max(0, p - q)$, so $t$ is drawn after a rejection with probability $\max(0, p_t - q_t)$.
Together: $p_t$.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (token)
    keep = [keep x] | fix = [draw from max(0, p − q)]
    . | test = [u q_x < p_x ?]
    draft = (x drawn from q) | pq = (p and q at this place)
    draft -> test
    pq -> test
    test -> keep: yes
    test -> fix: no
    keep -> token
    fix -> token
""", title="One place of speculative decoding");

# %% [markdown]
r"""
**Exercise 12.** ●● Write `speculative_accept`. Chance is passed in: `u_accept` and `u_fix` are numbers drawn uniformly from 0 to 1. Accept the
drafted token if `u_accept * q[drafted] < p[drafted]`. To draw from the residual distribution, take the first token at which its cumulative
sum is above `u_fix`; you may assume that there is one. `p` and `q` are `(V,)` and stay as they are.

<details><summary>Hint: drawing with a given number</summary>

`torch.cumsum` makes the cumulative sums, and the token is the number of them that are at or below `u_fix`.
</details>
"""

# %% nbgrader={"grade_id": "speculative_accept", "solution": true}
def speculative_accept(p, q, drafted, u_accept, u_fix):
    """Return (token, accepted) for one place: the token that comes out, an int, and whether it is the drafted one, a bool.

    p, q: the distributions (V,) of target and draft. drafted: an int, drawn from q. u_accept, u_fix: floats in [0, 1).
    """
    ### BEGIN SOLUTION Keep the drafted token if u_accept says so; otherwise draw a token from the residual distribution with u_fix.
    if u_accept * q[drafted] < p[drafted]:
        return drafted, True
    residual = (p - q).clamp(min=0)                                            # (V,)
    cumulative = torch.cumsum(residual / residual.sum(), dim=0)                # (V,)
    return int((cumulative <= u_fix).sum()), False
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-speculative_accept", "grade": true}
check("speculative_accept")

# %% [markdown]
r"""
How much faster is it? The target is a table of 8 words with a random next-word distribution for each; the draft is the same table, mixed
with noise. The draft writes 4 words, and the target checks them in one pass, which also gives a replacement after a rejection, or a fifth
word. If each word is accepted with the same probability $\alpha$, independently, a pass yields on average

$$1 + \alpha + \alpha^2 + \alpha^3 + \alpha^4 = \frac{1 - \alpha^5}{1 - \alpha}$$

**Before you run it:** with a draft that is accepted in 80 % of the cases, how many words come out of a pass of the target? And do the words
of a bad draft show that it is bad? Two controls say what a distance means: words of the target alone, and a wrong rule, which after a
rejection draws from $p$ instead of the residual distribution.
"""

# %% tags=["experiment", "slow"]
def drawn_from_p(p, q, drafted, u_accept, u_fix):
    """Do as speculative_accept does, but draw from p after a rejection."""
    token, accepted = speculative_accept(p, q, drafted, u_accept, u_fix)
    return (token, True) if accepted else (min(int(torch.searchsorted(torch.cumsum(p, dim=0), u_fix)), len(p) - 1), False)


def one_pass(target, draft, last, generator, accept=speculative_accept):
    """Return the words that one pass of the target yields, after the word `last`."""
    words = []
    for _ in range(4):
        x = int(torch.multinomial(draft[last], 1, generator=generator))
        u = torch.rand(2, generator=generator).tolist()
        last, accepted = accept(target[last], draft[last], x, *u)
        words.append(last)
        if not accepted:
            return words
    return [*words, int(torch.multinomial(target[last], 1, generator=generator))]


measured = []
print("noise   accepted   words a pass   formula   distance from the target; of the target's own words; with the wrong rule")
for noise in (0.0, 0.2, 0.5, 1.0):
    rows = []
    for seed in range(5):
        generator = torch.Generator().manual_seed(seed)
        target = torch.softmax(2 * torch.randn(8, 8, generator=generator), dim=-1)
        draft = (1 - noise) * target + noise * torch.softmax(2 * torch.randn(8, 8, generator=generator), dim=-1)
        text, passes = [0], 0
        while len(text) < 2000:
            text += one_pass(target, draft, text[-1], generator)
            passes += 1
        own, wrongly = [0], [0]
        while len(own) < len(text):
            own.append(int(torch.multinomial(target[own[-1]], 1, generator=generator)))
        while len(wrongly) < len(text):
            wrongly += one_pass(target, draft, wrongly[-1], generator, drawn_from_p)
        # How often each word follows each other, against the target's table weighted by how often each word occurs.
        distances = []
        for words in (text, own, wrongly):
            pairs = torch.zeros(8, 8)
            for before, after in zip(words, words[1:]):
                pairs[before, after] += 1
            distances.append((pairs - pairs.sum(-1, keepdim=True) * target).abs().sum().item() / (2 * len(words)))
        share = torch.bincount(torch.tensor(text[:-1]), minlength=8) / (len(text) - 1)
        alpha = (share @ torch.minimum(target, draft).sum(-1)).item()
        formula = 5.0 if alpha > 0.9999 else (1 - alpha**5) / (1 - alpha)
        rows.append((alpha, (len(text) - 1) / passes, formula, *distances))
    measured.append(torch.tensor(rows).mean(0).tolist())
    print(f"{noise:5.1f} {measured[-1][0]:10.2f} {measured[-1][1]:14.2f} {measured[-1][2]:9.2f} "
          f"{measured[-1][3]:21.3f} {measured[-1][4]:10.3f} {measured[-1][5]:10.3f}")

# %% tags=["numbers"]
says("accepted in 80 % of the cases gives 3.4 words", 0.8, (1 - 0.8**5) / (1 - 0.8))
claims("A perfect draft yields 5 words a pass", abs(measured[0][1] - 5) < 0.01)
claims("more noise fewer", all(a[1] > b[1] for a, b in zip(measured, measured[1:])))
claims("within a tenth of the formula", all(abs(row[1] / row[2] - 1) < 0.1 for row in measured))
claims("no farther from the target's table than the target's own words", all(abs(row[3] - row[4]) < 0.01 for row in measured))
claims("The wrong\nrule is seen", measured[-1][5] > 2 * measured[-1][4] and measured[2][5] > measured[2][4] + 0.01)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

A perfect draft yields 5 words a pass, and more noise fewer, within a tenth of the formula (acceptances are not quite independent). A draft that is
accepted in 80 % of the cases gives 3.4 words. With every draft the words are no farther from the target's table than the target's own words: a bad draft
cannot be seen in the text. The wrong rule is seen, the more clearly the worse the draft.
</details>
"""

# %% [markdown]
r"""
## 8 Fine-tuning with few parameters

Fine-tuning a large model takes a gradient and the optimiser's two numbers for every weight. **LoRA** (low-rank adaptation; Hu et al. 2022)
freezes all weights and learns, beside each matrix, only a *change* of low rank: the product of a tall and a flat matrix.

$$y = W x + \frac{\alpha}{r}\, B A\, x \qquad A: r \times D_\text{in} \qquad B: D_\text{out} \times r$$

With rank $r = 8$ and $D_\text{in} = D_\text{out} = 4096$ that is 65,536 learned numbers beside 16.8 million frozen ones. $A$ starts random and
$B$ at 0, so at first nothing changes; if both were 0, neither would get a gradient. The factor $\alpha / r$ is meant to keep the learning
rate right when the rank is changed. After training the change is added to $W$ (*merged*), and the layer costs what it did before.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (y)
    . | sum = {+}
    W = [W, frozen] | . | B = [B, times α/r]
    . | . | (r numbers)
    . | . | A = [A]
    . | (x)
    x -> W
    x -> A
    A -> r numbers
    r numbers -> B
    W -> sum
    B -> sum
    sum -> y
""", title="A frozen matrix and its low-rank change");

# %% [markdown]
r"""
**Exercise 13.** ● Write `LoRALinear`. Shapes: `X (..., D_in)` to `(..., D_out)`. `W` is an `nn.Linear` without bias whose weight gets no
gradient. `A (r, D_in)` and `B (D_out, r)` are parameters: `A` starts with small random numbers around 0 (any small size), `B` with zeros.

<details><summary>Hint: frozen</summary>

`requires_grad_(False)` takes a parameter out of training.
</details>
<details><summary>Hint: rows</summary>

The equation is for a column vector. For rows it reads $X A^\top B^\top$.
</details>
"""

# %% nbgrader={"grade_id": "LoRALinear", "solution": true}
class LoRALinear(nn.Module):
    """A frozen linear map W without bias, plus alpha / rank times the learned low-rank map B A.

    Parameters: W.weight (D_out, D_in), frozen; A (rank, D_in), random at first; B (D_out, rank), zeros at first.
    """

    def __init__(self, D_in, D_out, rank, alpha):
        super().__init__()
        ### BEGIN SOLUTION Make W and freeze its weight, make A and B, and keep the factor.
        self.W = nn.Linear(D_in, D_out, bias=False)
        self.W.weight.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, D_in) / math.sqrt(D_in))
        self.B = nn.Parameter(torch.zeros(D_out, rank))
        self.factor = alpha / rank
        ### END SOLUTION

    def forward(self, X):
        """Return W x + alpha / rank B A x for every row x of X (..., D_in)."""
        ### BEGIN SOLUTION Return the sum of the frozen map and the learned change.
        return self.W(X) + self.factor * (X @ self.A.mT @ self.B.mT)           # (..., D_out)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-LoRALinear", "grade": true}
check("LoRALinear")

# %% [markdown]
r"""
**Exercise 14.** ● Write `merge_lora`: the matrix $W'$ with $W' x = W x + \frac{\alpha}{r} B A x$. The rank is in the shapes.
"""

# %% nbgrader={"grade_id": "merge_lora", "solution": true}
def merge_lora(W, A, B, alpha):
    """Return the merged matrix (D_out, D_in) of W (D_out, D_in), A (rank, D_in) and B (D_out, rank).

    W is not changed. Nothing is trained through it, so gradients may stop here.
    """
    ### BEGIN SOLUTION Add the low-rank change, with its factor, to W.
    return W + alpha / A.shape[0] * B @ A                                      # (D_out, rank) @ (rank, D_in)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-merge_lora", "grade": true}
check("merge_lora")

# %% [markdown]
r"""
How large must the rank be? The task is a map $W + \Delta$ of width 32. The layer starts from $W$, and the change $\Delta$ that it has to learn
has rank 4. The control needs no training: the best change of rank $r$ is known, the $r$ largest parts of the singular value decomposition of $\Delta$.

**Before you run it:** which ranks learn the task completely? And does full fine-tuning of all 1,024 weights do better than rank 4 with its
256?
"""

# %% tags=["experiment"]
def left_after_tuning(rank, seed, steps=300):
    """Return the error after tuning, as a share of that before; the learned numbers; and the least error of this rank. None tunes all of W."""
    torch.manual_seed(seed)
    change = torch.randn(32, 4) @ torch.randn(4, 32) / 32                      # rank 4
    layer = LoRALinear(32, 32, rank or 1, alpha=rank or 1)
    task = layer.W.weight.clone() + change
    learned = [layer.A, layer.B]
    if rank is None:
        learned = [layer.W.weight.requires_grad_(True)]
    optimizer = torch.optim.Adam(learned, lr=2e-2)
    decay = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, total_iters=steps)
    for _ in range(steps):
        X = torch.randn(64, 32)
        loss = F.mse_loss(layer(X), X @ task.mT)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        decay.step()
    with torch.no_grad():
        tuned = layer.W.weight if rank is None else merge_lora(layer.W.weight, layer.A, layer.B, rank)
        parts = torch.linalg.svdvals(change).square()
        best = (parts[rank:].sum() / parts.sum()).item() if rank else 0.0
        return ((tuned - task).square().sum() / change.square().sum()).item(), sum(p.numel() for p in learned), best


tuned = {}
for rank in (1, 2, 3, 4, 8, None):
    results = [left_after_tuning(rank, seed) for seed in range(5)]
    errors = [error for error, _, _ in results]
    tuned[rank] = sum(errors) / 5, max(errors), results[0][1], sum(best for _, _, best in results) / 5
    print(f"{'all of W' if rank is None else f'rank {rank}':9} {tuned[rank][2]:5} learned numbers, "
          f"error left {tuned[rank][0]:.4f} (from {min(errors):.4f} to {max(errors):.4f}), at least {tuned[rank][3]:.4f}")

# %% tags=["numbers"]
claims("below rank 4 a part of the error stays", tuned[1][0] > tuned[2][0] > tuned[3][0] > 0.02)
claims("Rank 4 and above learn the task completely", max(tuned[4][1], tuned[8][1]) < 0.01)
says("256 numbers against 1,024", tuned[4][2], tuned[None][2])
claims("as full fine-tuning does", tuned[None][1] < 0.01)
claims("no more than the singular values say", all(abs(tuned[rank][0] - tuned[rank][3]) < 0.02 for rank in (1, 2, 3)))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Rank 4 and above learn the task completely, as full fine-tuning does, with 256 numbers against 1,024; below rank 4 a part of the error
stays, no more than the singular values say: a product of rank 3 cannot be a matrix of rank 4. For a language model the rank of the change is not
known; Hu et al. measured that small ranks are often enough.
</details>
"""

# %% [markdown]
r"""
## 9 Mixture of experts (optional)

Section 2's layer computes all its numbers for each token. A **mixture of experts** has $E$ such layers, the experts, and sends each token through
only $k$ of them: the parameters grow with $E$, the work for a token with $k$. Mixtral 8x7B has 8 experts in each block, of which a token uses 2;
DeepSeek-V3 has 256, of which it uses 8, and one more that every token uses. This section needs section 2 only.

### 9.1 Rows to experts

A linear map, the **router**, gives a row $x$ one logit $z_e$ for each expert. $T(x)$ holds the $k$ experts with the largest logits, and the softmax
runs over these only (Shazeer et al. 2017; in this form Jiang et al. 2024):

$$z = W_\text{router}\, x \qquad y = \sum_{e \in T(x)} p_e\, f_e(x) \qquad p_e = \frac{e^{z_e}}{\sum_{j \in T(x)} e^{z_j}}$$

Each expert $f_e$ is a SwiGLU layer. With $k = E$ it is the dense sum of all experts.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (Y: N × D)
    . | sum = {+}
    . | times = {×}
    weights = [softmax over the k chosen] | experts = [its k experts of E]
    choose = [top k] | .
    router = [W_router] | .
    . | (X: N × D)
    X -> router
    X -> experts
    router -> choose: N × E
    choose -> weights
    choose -> experts
    weights -> times: N × k
    experts -> times: k results for each row
    times -> sum
    sum -> Y
""", title="A mixture of experts");

# %% [markdown]
r"""
**Where the gradient goes.** Choosing the largest has no gradient. The router learns only because its weights $p_e$ multiply the results. With
$k = 1$ this softmax has one number and $p_e$ is always 1, so the router would learn nothing; Switch (Fedus et al. 2022), with $k = 1$, takes
$p_e$ from the softmax over all $E$.

**Exercise 15 (optional).** ●● Write `mix_experts`. Shapes: `X (N, D)` and `logits (N, E)` in, `Y (N, D)` out. `expert(e, rows)` returns what expert
$e$ makes of `rows (n, D)`, with the same shape. Give each expert the rows that have chosen it, and no others: the check counts them. An expert that
no row has chosen need not be called.

<details><summary>Hint: the loop</summary>

Loop over the experts, not over the rows: all rows of one expert are one call.
</details>
<details><summary>Hint: who has chosen expert e</summary>

`top, chosen = logits.topk(k, dim=-1)` are both `(N, k)`. `rows, places = torch.where(chosen == e)` are the numbers of the rows that have chosen $e$, and
as which of their $k$ choices.
</details>
<details><summary>Hint: back to their rows</summary>

`Y.index_add(0, rows, results)` returns `Y` with the results added to these rows.
</details>
"""

# %% nbgrader={"grade_id": "mix_experts", "solution": true}
def mix_experts(X, logits, expert, k):
    """Return Y (N, D): for every row of X (N, D) the sum of its k experts, weighted with the softmax over their logits.

    logits: (N, E). expert(e, rows): what expert e makes of rows (n, D). An expert computes only the rows that have chosen it.
    """
    ### BEGIN SOLUTION Take the k largest logits of each row and their softmax; let each expert compute its rows, and add them up with their weights.
    top, chosen = logits.topk(k, dim=-1)                                   # (N, k), (N, k)
    weights = torch.softmax(top, dim=-1)                                   # (N, k)
    Y = torch.zeros_like(X)
    for e in range(logits.shape[-1]):
        rows, places = torch.where(chosen == e)                            # (n,), (n,)
        if len(rows):
            Y = Y.index_add(0, rows, weights[rows, places, None] * expert(e, X[rows]))
    return Y
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-mix_experts", "grade": true}
check("mix_experts")

# %% [markdown]
r"""
**Exercise 16 (optional).** ● Write the module `MixtureOfExperts` with your `SwiGLU` and `mix_experts`. Its parts have the names `router`, a linear map
without bias, and `experts`, an `nn.ModuleList`. Shapes: `X (..., D)` in; `Y (..., D)` and the logits `(..., E)`, which section 9.2 needs, out.

<details><summary>Hint: more axes than two</summary>

`X.reshape(-1, D)` joins all axes but the last, and `Y.reshape(X.shape)` separates them again.
</details>
"""

# %% nbgrader={"grade_id": "MixtureOfExperts", "solution": true}
class MixtureOfExperts(nn.Module):
    """num_experts SwiGLU layers of hidden_width; every row passes through the k that its router has chosen."""

    def __init__(self, width, num_experts, k, hidden_width=None):
        super().__init__()
        ### BEGIN SOLUTION Keep k, and make the router, without bias, and the list of experts.
        self.k = k
        self.router = nn.Linear(width, num_experts, bias=False)
        self.experts = nn.ModuleList([SwiGLU(width, hidden_width) for _ in range(num_experts)])
        ### END SOLUTION

    def forward(self, X):
        """Return (Y, logits): Y as X (..., width), and the logits (..., num_experts) of the router."""
        ### BEGIN SOLUTION Compute the logits, and mix the experts for the rows of all leading axes.
        logits = self.router(X)                                            # (..., D) -> (..., E)
        rows = X.reshape(-1, X.shape[-1])
        Y = mix_experts(rows, logits.reshape(len(rows), -1), lambda e, chosen: self.experts[e](chosen), self.k)
        return Y.reshape(X.shape), logits
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-MixtureOfExperts", "grade": true}
check("MixtureOfExperts")

# %% [markdown]
r"""
### 9.2 The same load for every expert

Nothing in the task asks a router to use all its experts. To keep the load even, Switch adds a loss (Fedus et al. 2022, equations 4 to 6).
$f_e$ is the share of all choices that fell on expert $e$, and $P_e$ the mean of its probability under the softmax over *all* $E$ logits:

$$\text{loss} = E \sum_{e=1}^{E} f_e\, P_e \qquad
f_e = \frac{1}{N k} \sum_{x} \mathbb{1}[e \in T(x)] \qquad
P_e = \frac{1}{N} \sum_{x} \frac{e^{z_e}}{\sum_{j=1}^{E} e^{z_j}}$$

The $f_e$ sum to 1, and so do the $P_e$: an even load gives 1, and one expert with everything gives $E$. $f$ counts, so it has no gradient; it is the
factor by which $P$ is pushed down. Switch has $k = 1$ and adds 0.01 times this loss to the loss of the task. Some libraries do not divide $f$ by $k$, so that
an even load gives $k$ there.

**Exercise 17 (optional).** ● Write `balance_loss`. Shapes: `logits (..., E)` in, one number out; the rows of all leading axes count together.

<details><summary>Hint: counting choices</summary>

`F.one_hot` makes of numbers `(N, k)` ones and zeros `(N, k, E)`, whole numbers.
</details>
"""

# %% nbgrader={"grade_id": "balance_loss", "solution": true}
def balance_loss(logits, k=1):
    """Return E times the sum of f_e P_e over the experts; 1 for an even load. logits: (..., E), all rows together."""
    ### BEGIN SOLUTION Return E times the sum over the experts of their share of the choices times their mean probability.
    E = logits.shape[-1]
    rows = logits.reshape(-1, E)                                           # (N, E)
    chosen = rows.topk(k, dim=-1).indices                                  # (N, k)
    f = F.one_hot(chosen, E).to(rows.dtype).mean(dim=(0, 1))               # (E,)
    P = torch.softmax(rows, dim=-1).mean(dim=0)                            # (E,)
    return E * (f * P).sum()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-balance_loss", "grade": true}
check("balance_loss")

# %% [markdown]
r"""
Is the load uneven without this loss? Eight kinds of rows, each with another function to learn, go to eight small experts, two for each row. The
rows of a kind lie around a centre of their own. In a second task all rows have a large common part besides, as the states of a Transformer do, so that
at the start most of them have the same favourites. Each of the two is trained with and without the balance loss, times 0.01, with five seeds; and once not
trained at all.

**Before you run it:** in which of the four cases are there experts that nearly no row has chosen? And does the balance loss make the error smaller?
"""

# %% tags=["experiment", "slow"]
def trained_mixture(seed, common, coefficient, steps=200, E=8, k=2, D=8, make=MixtureOfExperts):
    """Train a mixture. Return the error on new rows, as a share of the variance of what is to be predicted, and what it was measured with."""
    torch.manual_seed(seed)
    centres, maps = torch.randn(8, D), torch.randn(8, D, D) / D**0.5           # of the eight kinds of rows
    shift = common * torch.randn(D) / D**0.5                                   # of length about `common`

    def draw_rows(N):
        kinds = torch.randint(8, (N,))
        X = centres[kinds] + 0.5 * torch.randn(N, D)
        return X + shift, torch.tanh(torch.einsum("nd,nde->ne", X, maps[kinds]))

    layer = make(D, E, k, hidden_width=8)
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
    for _ in range(steps):
        X, wanted = draw_rows(256)
        Y, logits = layer(X)
        loss = F.mse_loss(Y, wanted) + coefficient * balance_loss(logits, k)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    X, wanted = draw_rows(4000)
    with torch.no_grad():
        Y, logits = layer(X)
    return (F.mse_loss(Y, wanted) / wanted.var()).item(), (layer, X, wanted)


def routed(layer, X, k=2):
    """Return the weights (N, k) and the numbers (N, k) of the experts of each row."""
    with torch.no_grad():
        if hasattr(layer, "route"):
            return layer.route(X)                                              # section 9.3
        top, chosen = layer.router(X).topk(k, dim=-1)
        return torch.softmax(top, dim=-1), chosen


def shares_of(layer, X):
    """Return the share of all choices that fell on each expert, (E,)."""
    return F.one_hot(routed(layer, X)[1], len(layer.experts)).float().mean(dim=(0, 1))


def summary(name, runs):
    """Print and return the mean error, the mean of the largest shares, the numbers of experts with less than 1 % of the choices, and the runs."""
    errors, all_shares = [error for error, _ in runs], [shares_of(layer, X) for _, (layer, X, _) in runs]
    largest, idle = [shares.max().item() for shares in all_shares], [int((shares < 0.01).sum()) for shares in all_shares]
    print(f"{name}: error {sum(errors) / len(runs):.3f} (from {min(errors):.3f} to {max(errors):.3f}), "
          f"largest share {sum(largest) / len(runs):.0%}, idle experts {idle}")
    return sum(errors) / len(runs), sum(largest) / len(runs), idle, runs


mixtures = {}
for common in (0.0, 6.0):
    for coefficient in (0.0, 0.01):
        runs = [trained_mixture(seed, common, coefficient) for seed in range(5)]
        mixtures[common, coefficient] = summary(f"common part {common:.0f}, balance loss times {coefficient:4}", runs)

untrained = [shares_of(layer, X).max().item() for _, (layer, X, _) in (trained_mixture(seed, 6.0, 0.0, steps=0) for seed in range(5))]
print(f"common part 6, before training: largest share {sum(untrained) / 5:.0%}")

# %% tags=["numbers"]
without, balanced = mixtures[6.0, 0.0], mixtures[6.0, 0.01]
claims("2 to 4 of the 8 experts are idle", min(without[2]) >= 1 and max(without[2]) <= 5)
says("36 % of all choices", without[1], within=6)
says("it has 42 %", sum(untrained) / 5, within=6)
given("an even load is 12.5 %")
says("20 % with the balance loss", balanced[1], within=4)
claims("at most one is idle", max(balanced[2]) <= 1)
claims("on average over the five seeds", balanced[0] < without[0])
says("falls from 0.149 to 0.119", without[0], balanced[0], within=25)
claims("no expert is idle in any run", not any(mixtures[0.0, 0.0][2] + mixtures[0.0, 0.01][2]))
says("0.092 without the loss and 0.091 with it", mixtures[0.0, 0.0][0], mixtures[0.0, 0.01][0], within=15)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With a common part, 2 to 4 of the 8 experts are idle after training, and the favourite has 36 % of all choices (an even load is 12.5 %). Before training it
has 42 %: the uneven load was there from the start, and the task alone does little about it. The favourite has 20 % with the balance loss, and at most
one is idle in a run. The error falls from 0.149 to 0.119 on average over the five seeds.
The control shows that a load is not always uneven: without the common part no expert is idle in any run, and the loss changes
nothing that five seeds could show, an error of 0.092 without the loss and 0.091 with it. So an even load is a means. What counts is the error.
</details>
"""

# %% [markdown]
r"""
### 9.3 The same load without a loss

The balance loss pulls at the router's weights, whether that helps the task or not. DeepSeek-V3 balances in another way (DeepSeek-AI 2024, equations 13
to 16; Wang et al. 2024). Each expert has a number $b_e$, its **bias**, which counts only where the experts are chosen:

$$s_e = \sigma(z_e) \qquad T(x) = \text{the } k \text{ experts with the largest } s_e + b_e \qquad p_e = \frac{s_e}{\sum_{j \in T(x)} s_j}$$

The biases are not learned by a gradient. After each step, $b_e$ falls by a fixed amount if expert $e$ was chosen more often than the mean, and rises by it
if less often. The weights $p_e$ do not contain it: it says how busy an expert is, and not how well it suits the row.

**Exercise 18 (optional).** ● Write `route_with_bias`. Shapes: `logits (..., E)` and `bias (E,)` in; the weights and the numbers of the chosen experts
out, both `(..., k)` and both in the same order, which is yours to choose.

<details><summary>Hint: scores at the chosen places</summary>

`scores.gather(-1, chosen)` has the shape of `chosen`: for each row the scores of the experts that it names.
</details>
"""

# %% nbgrader={"grade_id": "route_with_bias", "solution": true}
def route_with_bias(logits, bias, k):
    """Return the weights (..., k) and the numbers (..., k) of the k chosen experts of each row. logits: (..., E); bias: (E,)."""
    ### BEGIN SOLUTION Choose by sigmoid and bias together; return the sigmoids of the chosen, divided by their sum.
    scores = torch.sigmoid(logits)                                             # (..., E)
    chosen = (scores + bias).topk(k, dim=-1).indices                           # (..., k)
    weights = scores.gather(-1, chosen)
    return weights / weights.sum(dim=-1, keepdim=True), chosen
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-route_with_bias", "grade": true}
check("route_with_bias")

# %% [markdown]
r"""
The second task of 9.2 again, whose rows have a common part, with such a router, at three rates. The control is the same router with biases that stay 0.

**Before you run it:** will the load be more even than with the balance loss? And the error smaller? What can go wrong with a rate that is too large?
"""

# %% tags=["experiment", "slow"]
class BiasedMixture(nn.Module):
    """A mixture of SwiGLU experts that your route_with_bias chooses. rate: by how much a bias changes after a step."""

    def __init__(self, width, num_experts, k, hidden_width, rate):
        super().__init__()
        self.router, self.k, self.rate = nn.Linear(width, num_experts, bias=False), k, rate
        self.experts = nn.ModuleList(SwiGLU(width, hidden_width) for _ in range(num_experts))
        self.register_buffer("bias", torch.zeros(num_experts))

    def route(self, X):
        return route_with_bias(self.router(X), self.bias, self.k)

    def forward(self, X):
        weights, chosen = self.route(X)
        if self.training:
            load = F.one_hot(chosen, len(self.bias)).float().sum(dim=(0, 1))
            self.bias += self.rate * torch.sign(load.mean() - load)                # it counts from the next step on
        return mixed(self, X, weights, chosen), self.router(X)


def mixed(layer, X, weights, chosen):
    """Return the weighted sum of the chosen experts, (N, D). weights, chosen: (N, k). Here every expert computes every row, which is simpler."""
    shares = torch.zeros(len(X), len(layer.experts)).scatter(1, chosen, weights)
    return torch.einsum("ne,ned->nd", shares, torch.stack([expert(X) for expert in layer.experts], dim=1))


biased = {}
for rate in (0.0, 0.001, 0.01, 0.1):
    make = lambda *sizes, hidden_width: BiasedMixture(*sizes, hidden_width, rate)
    runs = [trained_mixture(seed, 6.0, 0.0, make=make) for seed in range(5)]
    biased[rate] = summary(f"biases that change by {rate:5}", runs)

# %% tags=["numbers"]
still, moving, loss = biased[0.0], biased[0.01], mixtures[6.0, 0.01]
claims("no expert is idle in any run", not any(moving[2]))
says("15 % of the choices", moving[1], within=2)
says("20 % with the balance loss", loss[1], within=4)
says("from 0.144 to 0.125", still[0], moving[0], within=25)
says("0.119 with the balance loss", loss[0], within=25)
given("At a rate of 0.01")
says("22 % and 0.159 at 0.001", biased[0.001][1], biased[0.001][0], 0.001, within=30)
says("24 % and 0.167 at 0.1", biased[0.1][1], biased[0.1][0], 0.1, within=30)
claims("no better than without biases", min(biased[0.001][0], biased[0.1][0]) > still[0] - 0.02)
ahead = [one > other for (one, _), (other, _) in zip(moving[3], loss[3])]
claims("the loss is ahead with some of them and the bias with others", 0 < sum(ahead) < 5)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

At a rate of 0.01 the load is more even than with the loss: the favourite has 15 % of the choices (20 % with the balance loss), and no expert is idle in
any run. The error falls from 0.144 to 0.125 on average (0.119 with the balance loss). With the same five seeds the loss is ahead with some of them and the bias
with others, so this does not decide which trains the better model; more seeds would. It shows that the load can be kept even without a second loss.
It takes a rate instead of a coefficient, and the rate matters as much: the favourite's share and the error are 22 % and 0.159 at 0.001, where the biases come
too late for 200 steps, and 24 % and 0.167 at 0.1, where they jump back and forth between the scores. Both errors are no better than without biases.
</details>
"""

# %% [markdown]
r"""
### 9.4 A place for each choice

Large mixtures keep their experts on different devices, and the memory for an expert's rows is reserved before anybody knows how many will choose it.
So expert $e$ takes at most $C$ choices, and those beyond are **dropped**: they add nothing to $Y$, and in a Transformer the residual connection carries
such a row on. $C$ is the even load times a **capacity factor** $c$, rounded up (Lepikhin et al. 2021; Fedus et al. 2022):

$$C = \left\lceil c\, \frac{N k}{E} \right\rceil$$

Who gets the places? The first choices of all rows come before all second choices, and so on; among equals the row that comes first.

**Exercise 19 (optional).** ● Write `within_capacity`. Shapes: `chosen (N, k)` in, whole numbers, column 0 the first choice of each row; a mask `(N, k)`
out, `True` where the choice gets a place and `False` where it is dropped.

<details><summary>Hint: the order</summary>

`chosen.T` is `(k, N)`: flattened, it has the first choices of all rows, then the second ones.
</details>
<details><summary>Hint: numbering the places</summary>

For ones and zeros `(n, E)`, one row for each choice in the order in which places are given, `cumsum(dim=0)` counts how many have chosen each expert so far.
</details>
"""

# %% nbgrader={"grade_id": "within_capacity", "solution": true}
def within_capacity(chosen, num_experts, capacity):
    """Return (N, k), True for the choices that get a place if each expert takes at most `capacity`. chosen: (N, k), numbers of experts."""
    ### BEGIN SOLUTION Put the first choices of all rows before the second, number the choices of each expert, and compare with the capacity.
    order = chosen.T.reshape(-1)                                               # (k N,)
    asked = F.one_hot(order, num_experts)                                      # (k N, E)
    place = (asked.cumsum(dim=0) * asked).sum(dim=-1)                          # (k N,): 1, 2, … for each expert
    return (place <= capacity).reshape(chosen.T.shape).T
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-within_capacity", "grade": true}
check("within_capacity")

# %% [markdown]
r"""
The trained mixtures of 9.2 and 9.3, on batches of 256 rows as in training, with capacities. The control draws two different experts for each row
at random: as even as chance makes it.

**Before you run it:** with $c = 1$ there are exactly as many places as choices. How many are dropped where the load is even? And without balance?
"""

# %% tags=["experiment"]
def dropped_at(layer, X, factor, k=2):
    """Return the share of dropped choices, and Y (N, D) without them, in batches of 256 rows."""
    dropped, results = [], []
    for rows in X[:3840].split(256):
        weights, chosen = routed(layer, rows)
        kept = within_capacity(chosen, len(layer.experts), math.ceil(factor * len(rows) * k / len(layer.experts)))
        dropped.append(1 - kept.float().mean().item())
        with torch.no_grad():
            results.append(mixed(layer, rows, weights * kept, chosen))
    return sum(dropped) / len(dropped), torch.cat(results)


FACTORS = (1.0, 1.25, 2.0, 4.0)
capacities = {}
ways = {"no balance": mixtures[6.0, 0.0], "balance loss": mixtures[6.0, 0.01], "bias": biased[0.01]}
print("dropped, error at c = " + "".join(f"{factor:<15}" for factor in FACTORS))
for name, (*_, runs) in ways.items():
    for factor in FACTORS:
        shares, errors = [], []
        for _, (layer, X, wanted) in runs:
            share, Y = dropped_at(layer, X, factor)
            shares.append(share)
            errors.append((F.mse_loss(Y, wanted[:3840]) / wanted.var()).item())
        capacities[name, factor] = sum(shares) / 5, sum(errors) / 5
    print(f"{name:17}" + "".join("{:8.1%}, {:.3f}".format(*capacities[name, factor]) for factor in FACTORS))
torch.manual_seed(0)
for factor in FACTORS:
    masks = [within_capacity(torch.rand(256, 8).topk(2).indices, 8, math.ceil(64 * factor)) for _ in range(100)]
    capacities["chance", factor] = 1 - torch.stack(masks).float().mean().item()
print(f"{'by chance':17}" + "".join(f"{capacities['chance', factor]:8.1%}       " for factor in FACTORS))

# %% tags=["numbers"]
full, even, chance = capacities["no balance", 1.0], capacities["bias", 1.0], capacities["chance", 1.0]
says("42 % of all choices", full[0], within=6)
says("from 0.149 to 0.31", capacities["no balance", 4.0][1], full[1], within=25)
says("15 % with the balance loss", capacities["balance loss", 1.0][0], within=4)
says("5.5 % with the\nbias", even[0], within=15)
says("4.5 % of the choices", chance, within=0.5)
says("0.6 % with the bias and $c = 1.25$", capacities["bias", 1.25][0], 1.25, within=6)
claims("the error is that without dropping", abs(capacities["bias", 1.25][1] - capacities["bias", 4.0][1]) < 0.005)
says("$c = 1.25$ are 0.255 without it, 0.134 with the loss and 0.125 with the bias", 1.25,
     *(capacities[name, 1.25][1] for name in ("no balance", "balance loss", "bias")), within=25)
says("12 % are still dropped at $c = 2$", capacities["no balance", 2.0][0], 2.0, within=4)
given("an expert that is asked for\n70 choices with 64 places drops 6")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without balance, $c = 1$ drops 42 % of all choices, and the error rises from 0.149 to 0.31. It is 15 % with the balance loss and 5.5 % with the
bias. A random choice, as even as chance makes it, still drops 4.5 % of the choices: the load varies from batch to batch, and an expert that is asked for
70 choices with 64 places drops 6, whatever the others have free. A little room is enough: 0.6 % with the bias and $c = 1.25$, where the error is that without
dropping. Without balance 12 % are still dropped at $c = 2$, at twice the memory. So balance is worth more where there are capacities: the errors at
$c = 1.25$ are 0.255 without it, 0.134 with the loss and 0.125 with the bias.
</details>
"""

# %% [markdown]
r"""
## 10 Latent attention (optional)

Grouped queries make the cache small by having fewer keys and values. **Multi-head latent attention** (MLA; DeepSeek-AI 2024) keeps a key and a value
for every head, and stores neither: for each token the cache holds one narrow **latent vector** $c$, from which the keys and values of all heads
are linear maps. This section needs sections 3 and 4.

### 10.1 Keys and values from one vector

For a row $x$ at position $m$, and head $h$ with the rows $W_{UK}^h$ and $W_{UV}^h$ of the maps up:

$$c = W_C\, x \qquad k^h = W_{UK}^h\, c \qquad v^h = W_{UV}^h\, c$$

A key that is made from $c$ is not turned by its position; section 10.2 shows what that would cost. The position gets columns of its own: each
head has $D_R$ more columns of queries, and *one* turned key of $D_R$ columns serves all heads:

$$r = R_m W_R\, x \qquad \begin{pmatrix} q^h \\ \tilde q^h \end{pmatrix} = W_Q^h\, x \qquad q_R^h = R_m\, \tilde q^h$$

$$\text{score of query } i \text{ and key } j \text{ in head } h = \frac{q_i^h \cdot k_j^h + q_{R,i}^h \cdot r_j}{\sqrt{D_H + D_R}}$$

The cache holds $c$ and the turned $r$. DeepSeek-V2 also makes its queries from a narrow vector and normalises both narrow vectors; we leave that out.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (Y: N × D) | . | .
    . | out = [W_O] | . | .
    . | attend = [H heads] | . | .
    turn_q = [turn last D_R] | r = (r: N_K × D_R) | keys = [W_UK] | values = [W_UV]
    . | turn_k = [turn] | c = (c: N_K × D_C) | .
    query = [W_Q] | rotated = [W_R] | down = [W_C] | .
    . | (X: N × D) | . | .
    X -> query
    X -> rotated
    X -> down
    query -> turn_q
    rotated -> turn_k
    turn_k -> r
    down -> c
    c -> keys
    c -> values
    turn_q -> attend: q, q_R
    keys -> attend: k
    r -> attend: r
    values -> attend: v
    attend -> out
    out -> Y
""", title="Multi-head latent attention");

# %% [markdown]
r"""
**Exercise 20 (optional).** ●● Write `forward` of `LatentAttention`; its maps are made for you. The rows of `W_Q` belong to head 0, then head 1, …, and in
each head first to the $D_H$ columns that are not turned, then to the $D_R$ that are, in layout `"half"`. With a cache of $m$ rows the new rows are at
positions $m$, $m + 1$, … It returns `Y (B, N, D)` and the cache `(C, R)` of shapes `(B, N_K, D_C)` and `(B, N_K, D_R)`, with the old rows first.

<details><summary>Hint: two parts, one attention</summary>

The sum of two dot products is the dot product of the joined vectors: join $q^h$ and $q_R^h$, and $k^h$ and $r$, with `torch.cat`. Then
`scaled_dot_product_attention` also divides by the right root.
</details>
<details><summary>Hint: one turned key for all heads</summary>

`R[:, None].expand(-1, H, -1, -1)` is `(B, H, N_K, D_R)`, without copies.
</details>
"""

# %% nbgrader={"grade_id": "LatentAttention", "solution": true}
class LatentAttention(nn.Module):
    """Causal attention whose cache holds a latent vector and a turned key for each token."""

    def __init__(self, model_width, num_heads, head_width, rotated_width, latent_width, base=10000.0):
        super().__init__()
        self.num_heads, self.head_width, self.rotated_width, self.base = num_heads, head_width, rotated_width, base
        self.W_Q = nn.Linear(model_width, num_heads * (head_width + rotated_width), bias=False)
        self.W_C = nn.Linear(model_width, latent_width, bias=False)
        self.W_R = nn.Linear(model_width, rotated_width, bias=False)
        self.W_UK = nn.Linear(latent_width, num_heads * head_width, bias=False)
        self.W_UV = nn.Linear(latent_width, num_heads * head_width, bias=False)
        self.W_O = nn.Linear(num_heads * head_width, model_width, bias=False)

    def forward(self, X, cache=None):
        """Return (Y, (C, R)): rows Y (B, N, D), latent vectors C (B, N_K, D_C) and turned keys R (B, N_K, D_R), old rows first.

        cache: the pair that the call before returned, or None.
        """
        ### BEGIN SOLUTION Latent vectors and turned keys behind those of the cache; keys and values of the heads; queries, turned in part; attention.
        past = 0 if cache is None else cache[0].shape[-2]
        positions = torch.arange(past, past + X.shape[-2], device=X.device)
        C, R = self.W_C(X), rotary(self.W_R(X), positions, self.base)                  # (B, N, D_C), (B, N, D_R)
        if cache is not None:
            C, R = (torch.cat([old, new], dim=-2) for old, new in zip(cache, (C, R)))  # (B, N_K, ...)
        Q, Q_R = split_heads(self.W_Q(X), self.num_heads).split([self.head_width, self.rotated_width], dim=-1)
        queries = torch.cat([Q, rotary(Q_R, positions, self.base)], dim=-1)            # (B, H, N, D_H + D_R)
        shared = R[:, None].expand(-1, self.num_heads, -1, -1)                         # (B, H, N_K, D_R)
        keys = torch.cat([split_heads(self.W_UK(C), self.num_heads), shared], dim=-1)  # (B, H, N_K, D_H + D_R)
        values = split_heads(self.W_UV(C), self.num_heads)                             # (B, H, N_K, D_H)
        allowed = causal_mask(X.shape[-2], C.shape[-2], device=X.device)
        Y, _ = scaled_dot_product_attention(queries, keys, values, allowed=allowed)
        return self.W_O(merge_heads(Y)), (C, R)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-LatentAttention", "grade": true}
check("LatentAttention")

# %% [markdown]
r"""
### 10.2 Without keys and values

This form makes the keys and values of all earlier tokens again for every new one. But the map up can change sides, because a dot product is linear:

$$q^h \cdot (W_{UK}^h\, c) = \big((W_{UK}^h)^\top q^h\big) \cdot c \qquad\qquad \sum_j a_j\, W_{UV}^h\, c_j = W_{UV}^h \sum_j a_j\, c_j$$

$a_j$ are the attention weights. In this **absorbed** form the cached vectors are keys and values of all heads at once, as with one group in
section 4, and the maps up are applied to the new rows only. If $k^h$ were turned, $R_j W_{UK}^h$ would stand in place of $W_{UK}^h$, another matrix for every $j$: nothing could be absorbed.

**Exercise 21 (optional).** ●● Write `absorbed_attention`. Shapes: `Q (B, H, N, D_H)`, `Q_R (B, H, N, D_R)` already turned, `C (B, N_K, D_C)`, `R (B, N_K,
D_R)`, `W_UK` and `W_UV` `(H D_H, D_C)`, as `nn.Linear` keeps them, and `Y (B, H, N, D_H)` out. The last new row is the last of the $N_K$. Beside the inputs,
never hold more than $B H N_K D_H / 4$ numbers at once, a quarter of the keys of all heads: let $C$ and $R$ serve all heads without copies. The check
measures the memory.

<details><summary>Hint: the rows of a head</summary>

`W_UK.view(H, D_H, D_C)`: the rows of head 0 come first.
</details>
<details><summary>Hint: all heads at once</summary>

`Q @ W_UK.view(H, D_H, D_C)` is `(B, H, N, D_C)`, and `C[:, None]` is `(B, 1, N_K, D_C)`, which serves all heads.
</details>
<details><summary>Hint: the root</summary>

$\sqrt{D_H + D_R}$, as before. The absorbed queries are $D_C + D_R$ numbers long, so a ready-made attention divides by another root.
</details>
"""

# %% nbgrader={"grade_id": "absorbed_attention", "solution": true}
def absorbed_attention(Q, Q_R, C, R, W_UK, W_UV):
    """Return Y (B, H, N, D_H), what the heads of latent attention return, without a key or a value of any head.

    Q (B, H, N, D_H), Q_R (B, H, N, D_R): both parts of the queries, the second one turned. C (B, N_K, D_C), R (B, N_K, D_R): the cache, with
    the new rows last. W_UK, W_UV: (H D_H, D_C).
    """
    ### BEGIN SOLUTION Apply W_UK to the queries, add both parts of the scores, attend to the latent vectors, and apply W_UV to the result.
    H, D_H = Q.shape[-3], Q.shape[-1]
    up_keys, up_values = W_UK.view(H, D_H, -1), W_UV.view(H, D_H, -1)                  # (H, D_H, D_C)
    C, R = C[:, None], R[:, None]                                                      # (B, 1, N_K, ...)
    scores = (Q @ up_keys @ C.mT + Q_R @ R.mT) / math.sqrt(D_H + Q_R.shape[-1])        # (B, H, N, N_K)
    allowed = causal_mask(Q.shape[-2], C.shape[-2], device=Q.device)
    weights = torch.softmax(scores.masked_fill(~allowed, -math.inf), dim=-1)
    return weights @ C @ up_values.mT                                                  # (B, H, N, D_C) -> (B, H, N, D_H)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-absorbed_attention", "grade": true}
check("absorbed_attention")

# %% [markdown]
r"""
A layer of DeepSeek-V2 has $H = 128$, $D_H = 128$, $D_R = 64$ and $D_C = 512$. How many numbers does it keep for a token, and how
many would the same heads keep with keys and values of their own, or in 8 groups as Llama 3 has? The cell counts them. Then it takes a smaller layer
with 2,048 tokens in its cache and computes one more token in both forms.

**Before you run it:** how many groups of section 4 would need as many numbers as latent attention? And how large is the difference of the two forms in float32?
"""

# %% tags=["experiment"]
kept = {"all 128 heads": 2 * 128 * 128, "8 groups": 2 * 8 * 128, "latent": 512 + 64, "one group": 2 * 128}
for name, numbers in kept.items():
    print(f"{name:14} {numbers:6} numbers a token in each layer, {numbers / kept['latent']:5.2f} times those of latent attention")

torch.manual_seed(0)
layer = LatentAttention(512, 8, 64, 32, 128)
with torch.no_grad():
    _, cache = layer(torch.randn(1, 2048, 512))
    new = torch.randn(1, 1, 512)                                                # (B, N, D)


def one_more_absorbed(layer, x, cache):
    """Return what layer(x, cache) returns, with absorbed_attention."""
    positions = torch.arange(cache[0].shape[-2], cache[0].shape[-2] + x.shape[-2])
    C = torch.cat([cache[0], layer.W_C(x)], dim=-2)
    R = torch.cat([cache[1], rotary(layer.W_R(x), positions, layer.base)], dim=-2)
    Q, Q_R = split_heads(layer.W_Q(x), layer.num_heads).split([layer.head_width, layer.rotated_width], dim=-1)
    Y = absorbed_attention(Q, rotary(Q_R, positions, layer.base), C, R, layer.W_UK.weight, layer.W_UV.weight)
    return layer.W_O(merge_heads(Y)), (C, R)


seconds, results = {}, {}
with torch.no_grad():
    for name, form in {"naive": layer, "absorbed": lambda x, cache: one_more_absorbed(layer, x, cache)}.items():
        times = []
        for _ in range(5):
            begin = time.process_time()
            results[name], _ = form(new, cache)
            times.append(time.process_time() - begin)
        seconds[name] = min(times)
        print(f"{name:8} {1000 * seconds[name]:6.2f} ms for one more token")
    exact, exact_cache = layer.double(), tuple(part.double() for part in cache)
    in_double = [exact(new.double(), exact_cache)[0], one_more_absorbed(exact, new.double(), exact_cache)[0]]
apart = {"float32": (results["naive"] - results["absorbed"]).abs().max().item(),
         "float64": (in_double[0] - in_double[1]).abs().max().item()}
print("largest difference of the two forms:", {name: f"{value:.0e}" for name, value in apart.items()},
      f"where the results are up to {results['naive'].abs().max():.2f}")

# %% tags=["numbers"]
says("576 numbers, against 32,768", kept["latent"], kept["all 128 heads"])
says("as many as 2.25 groups", kept["latent"] / kept["one group"])
says("3.6 times as many", kept["8 groups"] / kept["latent"])
claims("differ by rounding only", apart["float32"] < 1e-5 and apart["float64"] < 1e-13)
claims("several times as fast", seconds["absorbed"] < 0.5 * seconds["naive"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Latent attention keeps 576 numbers, against 32,768 for the keys and values of all heads. That is as many as 2.25 groups; the 8 groups need
3.6 times as many. The two forms differ by rounding only: by less than $10^{-5}$ in float32 and less than $10^{-13}$ in float64. For one more token the
absorbed form is several times as fast, because it makes no keys and values of the 2,048 tokens in the cache.

What it costs: in the absorbed form a score is a dot product of $D_C + D_R$ numbers instead of $D_H + D_R$. Over all tokens at once, as in training, the naive
form makes each key once and then has the shorter dot products. So models use the naive form for prompts and the absorbed one for writing.
</details>
"""

# %% [markdown]
r"""
## 11 A modern model

### 11.1 The block

The block of lesson 3 with new parts. Each half begins with its norm (pre-norm), and is added to its input:

$$Z = X + \mathrm{attention}(\mathrm{RMSNorm}(X)) \qquad Y = Z + \mathrm{SwiGLU}(\mathrm{RMSNorm}(Z))$$

Llama (Touvron et al. 2023), Mistral and SmolLM2 are stacks of such blocks; Qwen 2 adds a bias to $W_Q$, $W_K$ and $W_V$.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (Y: N × D)
    sum2 = {+}
    [SwiGLU] | .
    norm2 = [RMSNorm, γ₂] | .
    sum1 = {+}
    attend = [grouped-query attention] | .
    turn = [turn Q and K by m θ] | (cache)
    norm1 = [RMSNorm, γ₁] | .
    (X: N × D)
    X -> norm1
    X -> sum1
    norm1 -> turn: Q, K, V
    turn -> cache
    cache -> attend
    turn -> attend
    attend -> sum1
    sum1 -> norm2
    sum1 -> sum2
    norm2 -> SwiGLU
    SwiGLU -> sum2
    sum2 -> Y
""", title="A block of Llama");

# %% [markdown]
r"""
**Exercise 22.** ●● Write `forward` of `ModernBlock`. Its parts are made for you: `self.attention` is your `GroupedQueryAttention`, of which you
use the four maps and the numbers `num_heads` and `num_groups`; its own `forward` knows no positions. The norms take `self.eps`, and the angles
`self.base`, in layout `"half"`. With a cache of $m$ rows the new rows are at positions $m$, $m + 1$, …; the cache holds the keys *turned*, so that old
ones need no second turn. `allowed (N, N_K)` takes the place of the causal mask if it is not None.

<details><summary>Hint: what is turned</summary>

Queries and keys, after they are split into heads; $\theta_i$ depends on the width of a head. Values are not turned.
</details>
<details><summary>Hint: the order</summary>

Norm, three maps, split, turn, join the cache, repeat for the query heads, attend, merge, $W_O$, add. Then the second half.
</details>
"""

# %% nbgrader={"grade_id": "ModernBlock", "solution": true}
class ModernBlock(nn.Module):
    """RMSNorm and causal grouped-query attention with rotary positions, RMSNorm and SwiGLU, each half added to its input."""

    def __init__(self, width, num_heads, num_groups, hidden_width, base=10000.0, eps=1e-6):
        super().__init__()
        self.base, self.eps = base, eps
        self.attention = GroupedQueryAttention(width, num_heads, num_groups)
        self.feed_forward = SwiGLU(width, hidden_width)
        self.gamma_1, self.gamma_2 = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))

    def forward(self, X, cache=None, allowed=None):
        """Return (Y, (K, V)): rows Y (B, N, D), and the keys, turned, and values (B, G, N_K, D_H) of old and new rows.

        cache: the pair that the call before returned, or None. allowed (N, N_K): True where a new row may attend to a key; None means causal.
        """
        ### BEGIN SOLUTION Norm, maps, turned queries and keys behind those of the cache, attention and sum; then norm, gated layer and sum.
        maps = self.attention
        past = 0 if cache is None else cache[0].shape[-2]
        positions = torch.arange(past, past + X.shape[-2], device=X.device)
        normed = rms_norm(X, self.gamma_1, self.eps)                           # (B, N, D)
        Q = rotary(split_heads(maps.W_Q(normed), maps.num_heads), positions, self.base)        # (B, H, N, D_H)
        K = rotary(split_heads(maps.W_K(normed), maps.num_groups), positions, self.base)       # (B, G, N, D_H)
        V = split_heads(maps.W_V(normed), maps.num_groups)
        if cache is not None:
            K, V = (torch.cat([old, new], dim=-2) for old, new in zip(cache, (K, V)))          # (B, G, N_K, D_H)
        keys, values = (A.repeat_interleave(maps.num_heads // maps.num_groups, dim=-3) for A in (K, V))
        if allowed is None:
            allowed = causal_mask(Q.shape[-2], K.shape[-2], device=X.device)
        attended, _ = scaled_dot_product_attention(Q, keys, values, allowed=allowed)           # (B, H, N, D_H)
        X = X + maps.W_O(merge_heads(attended))
        return X + self.feed_forward(rms_norm(X, self.gamma_2, self.eps)), (K, V)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-ModernBlock", "grade": true}
check("ModernBlock")

# %% [markdown]
r"""
### 11.2 The weights of others

A checkpoint is a dictionary of names and tensors, beside a configuration. The cell loads SmolLM2-135M-Instruct (Ben Allal et al. 2025), a model with
30 such blocks, if it is on your computer (`autograder models get smollm2` in a terminal, 98 MB), or else a small *random* checkpoint of the same form.
The exercises need no download.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
smollm = pretrained_or_random("smollm2")
state, config = smollm.state_dict, smollm.config
print({name: value for name, value in config.items() if isinstance(value, (int, float))})
for theirs in state:
    if not theirs.startswith("model.layers.") or theirs.startswith("model.layers.0."):
        print(f"    {theirs:50} {tuple(state[theirs].shape)}")
block = ModernBlock(config["hidden_size"], config["num_attention_heads"], config["num_key_value_heads"], config["intermediate_size"])
print("\nIn your block:")
for name, parameter in block.named_parameters():
    print(f"    {name:50} {tuple(parameter.shape)}")

# %% [markdown]
r"""
The decoder of exercise 24 calls its parts `embedding.weight`, `blocks.0`, `blocks.1`, … and `gamma` (of the last norm). Its output reuses the embedding
(it is *tied*), so there is no `lm_head`.

**Exercise 23.** ● Write `llama_name`: the name that a tensor of the checkpoint has in the decoder. `lm_head.weight`, and names that end in
`rotary_emb.inv_freq` (angles that old files store), give None. A bias of $W_Q$, $W_K$, $W_V$ or $W_O$ gets a name that ends in `bias`: the decoder has
no such parameter, so that the loader notices it.

<details><summary>Hint: the norms</summary>

`post_attention_layernorm` comes after the attention, but which half of the block does it belong to?
</details>
"""

# %% nbgrader={"grade_id": "llama_name", "solution": true}
def llama_name(name):
    """Return the name in ModernDecoder of the tensor that Hugging Face's Llama calls `name`, or None if it has no place there.

    "model.layers.2.self_attn.q_proj.weight" → "blocks.2.attention.W_Q.weight"
    """
    ### BEGIN SOLUTION Look the part up in a table, and put the number of the block back in.
    if name == "lm_head.weight" or name.endswith("rotary_emb.inv_freq"):
        return None
    around = {"model.embed_tokens.weight": "embedding.weight", "model.norm.weight": "gamma"}
    if name in around:
        return around[name]
    _, _, number, part, *rest = name.split(".")
    if part.endswith("layernorm"):
        return f"blocks.{number}." + {"input_layernorm": "gamma_1", "post_attention_layernorm": "gamma_2"}[part]
    which = rest[0].removesuffix("_proj")                                      # q, k, v, o, gate, up or down
    own = f"attention.W_{which.upper()}" if part == "self_attn" else f"feed_forward.W_{which}"
    return f"blocks.{number}.{own}.{rest[1]}"
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-llama_name", "grade": true}
check("llama_name")

# %% [markdown]
r"""
**One thing is in no tensor: the rotary layout.** Your block turns columns $i$ and $i + D_H/2$ of a head together, as Hugging Face does. In Meta's own
files, and in the GGUF files of Llama models, which llama.cpp reads, the pairs are columns $2i$ and $2i + 1$. Column $j$ of a head is made by row $j$
of $W_Q$, so the *rows of $W_Q$ and $W_K$* can be put in the other order, within each head: from $0, 1, 2, 3, \ldots$ to
$0, 2, 4, \ldots, 1, 3, 5, \ldots$. Queries and keys then have their columns in the same new order, and all dot products stay.

**Exercise 24.** ●● Write `load` of `ModernDecoder`. Every tensor goes to its place, `W_Q` and `W_K` with their rows in the order of layout `"half"`. Raise
an error if the checkpoint does not fit: a tensor is missing, one has no place (and `llama_name` does not give None), or a shape differs. The
parameters stay float32, also if the checkpoint has float16.

<details><summary>Hint: the weights</summary>

`self.load_state_dict` copies from a dictionary whose keys are the names of *this* module, and refuses one whose names or shapes do not
fit.
</details>
<details><summary>Hint: the rows</summary>

`W.unflatten(0, (heads, -1, 2))` is `(heads, D_H / 2, 2, D)`: head, pair, which of the two. Which axes change places before they are flattened again? How
many heads has $W_K$?
</details>
"""

# %% nbgrader={"grade_id": "ModernDecoder", "solution": true}
class ModernDecoder(nn.Module):
    """A language model of ModernBlocks with the weights of a checkpoint of Llama's form; the output reuses the embedding."""

    def __init__(self, state, config, layout="half"):
        super().__init__()
        width, self.eps = config["hidden_size"], config["rms_norm_eps"]
        sizes = (width, config["num_attention_heads"], config["num_key_value_heads"], config["intermediate_size"])
        self.embedding = nn.Embedding(config["vocab_size"], width)
        self.blocks = nn.ModuleList(ModernBlock(*sizes, config["rope_theta"], self.eps) for _ in range(config["num_hidden_layers"]))
        self.gamma = nn.Parameter(torch.ones(width))
        if layout not in ("half", "interleaved"):
            raise ValueError(f'Expected layout "half" or "interleaved", got {layout!r}.')
        self.load(state, config, layout)

    def load(self, state, config, layout):
        """Copy the tensors of `state`, named as Hugging Face names them, into this decoder.

        layout: that of the rows of W_Q and W_K in `state`, "half" or "interleaved"; `state` is not changed. Raises an error if `state` does not fit.
        """
        ### BEGIN SOLUTION Rename the tensors, reorder the rows of W_Q and W_K if they are interleaved, and load them.
        own = {}
        for name, tensor in state.items():
            place = llama_name(name)
            if place is None:
                continue
            for part, heads in (("W_Q", config["num_attention_heads"]), ("W_K", config["num_key_value_heads"])):
                if layout == "interleaved" and f".{part}." in place:
                    tensor = tensor.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)         # (heads, 2, D_H / 2, D) -> (rows, D)
            own[place] = tensor
        self.load_state_dict(own)
        ### END SOLUTION

    def forward(self, ids, caches=None, allowed=None):
        """Return (logits (B, N, V), the cache of each block). caches: what the call before returned, or None; allowed: as in ModernBlock."""
        X, kept = self.embedding(ids), []
        for number, block in enumerate(self.blocks):
            X, cache = block(X, caches[number] if caches else None, allowed)
            kept.append(cache)
        return rms_norm(X, self.gamma, self.eps) @ self.embedding.weight.mT, kept

# %% nbgrader={"grade_id": "check-ModernDecoder", "grade": true}
check("ModernDecoder")

# %% [markdown]
r"""
### 11.3 Newer, and better? (optional)

A small decoder of your blocks against lesson 7's GPT, on the language of 70 words of lesson 8, whose entropy is known: no model can get below it. Both
have two blocks of width 48 and about 60,000 weights. The GPT also trains for 300 steps, in about the time in which the new one makes 200. And
each starts once as GPT-2 does, with maps drawn from $N(0, 0.02^2)$, and once with PyTorch's larger numbers. Each runs with five seeds.

**Before you run it:** which is nearer to the entropy? How much does the start matter, compared with the architecture?
"""

# %% tags=["experiment", "slow"]
class SmallDecoder(nn.Module):
    """Two of your blocks between an embedding and a norm, for the agreement language; as small as lesson 7's GPT."""

    def __init__(self, vocab_size):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, 48)
        self.blocks = nn.ModuleList(ModernBlock(48, 4, 2, 144) for _ in range(2))
        self.gamma = nn.Parameter(torch.ones(48))
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, ids):
        X = self.embedding(ids)
        for block in self.blocks:
            X, _ = block(X)
        return rms_norm(X, self.gamma) @ self.embedding.weight.mT


class SmallGPT(nn.Module):
    """Lesson 7's GPT, which starts as GPT-2 does."""

    def __init__(self, vocab_size):
        super().__init__()
        self.gpt = make_model(TransformerConfig(kind="decoder", vocab_size=vocab_size, model_width=48, num_heads=4, hidden_width=192,
                                                decoder_blocks=2, max_length=19, dropout=0.0, activation="gelu"))

    def forward(self, ids):
        return self.gpt(ids, need_weights=False)[0]


def nats_per_word(model, ids):
    """Return the mean loss of the words of framed sentences (B, N), padding left out."""
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), ignore_index=PAD)


known, unknown = framed(draw_sentences(20_000, seed=2)), draw_sentences(2000, seed=5)
V = len(agreement_words())
chances = agreement_language().log_probability(F.one_hot(unknown, V).double())   # of each sentence
unknown = framed(unknown)
entropy = -(chances.sum() / (unknown[:, 1:] != PAD).sum()).item()
print(f"the lowest possible loss is {entropy:.3f} nats per word")
runs = {"GPT": (SmallGPT, 200, "small"), "GPT, longer": (SmallGPT, 300, "small"), "GPT, larger start": (SmallGPT, 200, "larger"),
        "new blocks": (SmallDecoder, 200, "small"), "new blocks, larger start": (SmallDecoder, 200, "larger")}
above = {}
for name, (make, steps, start) in runs.items():
    gaps, begin = [], time.process_time()
    for seed in range(5):
        torch.manual_seed(seed)
        model = make(V)
        if start == "small":
            small_start(model, 2)
        else:
            for part in model.modules():
                if isinstance(part, nn.Linear):
                    part.reset_parameters()
        fit(model, nats_per_word, lambda generator: known[torch.randint(len(known), (64,), generator=generator)], steps=steps,
            learning_rate=1.6e-2, warmup=20, seed=seed, device="cpu", show=False)
        with torch.no_grad():
            gaps.append(nats_per_word(model, unknown).item() - entropy)
    above[name] = torch.tensor(gaps)
    weights = sum(parameter.numel() for parameter in model.parameters())
    print(f"{name:25} {weights} weights, {steps} steps, {(time.process_time() - begin) / 5:4.1f} seconds: above the entropy by "
          f"{above[name].mean():.3f} (from {min(gaps):.3f} to {max(gaps):.3f})")

# %% tags=["numbers"]
means = {name: gaps.mean().item() for name, gaps in above.items()}
says("0.012 nats above the entropy, and 0.007", means["GPT"], means["GPT, longer"], within=6, whole=True)
says("stay at 0.044", means["new blocks"], within=25, whole=True)
says("and at 0.029 with the larger numbers", means["new blocks, larger start"], within=25, whole=True)
given("after twice as many steps the GPT is at 0.004, and the new blocks are at 0.016 and 0.011, single seeds at 0.005 to 0.034")
given("twice the rate brings the new blocks with the start of GPT-2 to 0.032 (two seeds)")
says("with the larger start 0.031", means["GPT, larger start"], within=25, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

At this size newer is not better. The GPT is 0.012 nats above the entropy, and 0.007 after 300 steps. The new blocks
stay at 0.044 as GPT-2 starts, and at 0.029 with the larger numbers. The GPT is also better with the start that was made for it:
with the larger start 0.031. With that start, the two architectures cannot be told apart by five seeds. The learning rate counts, too: twice
the rate brings the new blocks with the start of GPT-2 to 0.032 (two seeds), which is still above the GPT. Longer training shrinks the distance and does
not turn it round: after twice as many steps the GPT is at 0.004, and the new blocks are at 0.016 and 0.011, single seeds at 0.005 to 0.034. So a
comparison of two architectures with the start of one of them says little, and what helps models of billions of weights need not help
one of 60,000: sentences of at most 17 words need neither long contexts nor a small cache.
</details>
"""

# %% [markdown]
r"""
## 12 It talks (optional)

With SmolLM2 on your computer, your decoder is now a model that answers. Without it the cells run on the small random checkpoint, and what they print
means nothing.

The model was trained on conversations in one form, its **chat template**: each turn is enclosed in the tokens `<|im_start|>` and `<|im_end|>`, and
the first word names the speaker. `write` draws tokens as in lesson 7, with a temperature and top-p, and keeps the caches of all blocks.
"""

# %% tags=["experiment"]
decoder, tokenizer = ModernDecoder(state, config).eval(), smollm.tokenizer


def ids_of(text):
    """Return the ids (1, N) of a text; <|im_start|> and <|im_end|> in it become one token each."""
    return torch.tensor([tokenizer.encode(text).ids])


def in_template(question):
    """Return the ids of a conversation in which it is the model's turn to answer."""
    return ids_of("<|im_start|>system\nYou are a helpful AI assistant.<|im_end|>\n"
                  f"<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n")


@torch.inference_mode()
def write(prompt, longest=50, temperature=0.0, top_p=1.0, seed=0, model=None):
    """Return the ids that the model (None: decoder) writes behind the prompt (1, N), until it ends its turn."""
    model = decoder if model is None else model
    generator, caches, new, written = torch.Generator().manual_seed(seed), None, prompt, []
    while len(written) < longest:
        logits, caches = model(new, caches)
        chances, tokens = torch.softmax(logits[0, -1] / max(temperature, 1e-6), dim=-1).sort(descending=True)
        chances[chances.cumsum(0) - chances >= top_p] = 0                      # the more probable ones suffice
        written.append(int(tokens[torch.multinomial(chances, 1, generator=generator)]))
        if written[-1] == config["eos_token_id"]:
            return written[:-1]
        new = torch.tensor([written[-1:]])
    return written


def chat(question, **options):
    """Ask the model."""
    return tokenizer.decode(write(in_template(question), **options))


for question in ("What is the capital of France?", "Why is the sky blue? Answer in one sentence."):
    print(question, "→", chat(question))
for seed in range(3):
    print("A name for a cat?", "→", chat("Invent a name for a cat.", temperature=1.0, top_p=0.9, seed=seed, longest=20))

# %% [markdown]
r"""
Ask it something yourself: `chat("…")`. It has 135 million weights, so expect errors of fact.

### 12.1 The layout, measured

The same weights are loaded once with the right layout and once with the wrong one. The control has each tensor's numbers in random order. The text is
from the Python reference, and the measure is lesson 7's bits per byte.

**Before you run it:** how much does the wrong layout cost, compared with shuffled weights? And for the *first* token of the text?
"""

# %% tags=["experiment"]
document = next(document for document in python_english("held_out") if document.name == "reference: assignment")
ids = ids_of(" ".join(document.paragraphs))[:, :512]                           # (1, N)


def bits_per_byte(logits, ids):
    """Return the bits for each byte of the ids (1, N) behind the first, from the logits (1, N, V)."""
    bits = F.cross_entropy(logits[0, :-1], ids[0, 1:], reduction="sum").item() / math.log(2)
    return bits / len(tokenizer.decode(ids[0, 1:].tolist()).encode())


torch.manual_seed(0)
shuffled = {name: W.flatten()[torch.randperm(W.numel())].view(W.shape) for name, W in state.items()}
cost, first, answers = {}, {}, {}
with torch.inference_mode():
    right_logits, _ = decoder(ids)
    for name, weights, layout in (("right layout", state, "half"), ("wrong layout", state, "interleaved"),
                                  ("shuffled weights", shuffled, "half")):
        model = ModernDecoder(weights, config, layout)
        logits, _ = model(ids)
        cost[name], answers[name] = bits_per_byte(logits, ids), chat("What is the capital of France?", longest=12, model=model)
        first[name] = (logits - right_logits)[0, 0].abs().max().item()
        print(f"{name:17} {cost[name]:.2f} bits per byte; logits of the first token are off by up to {first[name]:.4f}")
        print("    the capital of France:", repr(answers[name]))
del shuffled, weights, model, logits, right_logits

# %% tags=["numbers"]
if smollm.random:  # without the model there is nothing to compare
    given("1.50 bits per byte instead of 0.78", "shuffled weights 7.66")
else:
    says("1.50 bits per byte instead of 0.78", cost["wrong layout"], cost["right layout"], within=2)
    says("shuffled weights 7.66", cost["shuffled weights"], within=5)
    claims("repeats the question", "Paris" in answers["right layout"] and "Paris" not in answers["wrong layout"])
    claims("The first token comes out exactly right", first["wrong layout"] < 1e-3 < first["shuffled weights"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The wrong layout costs 1.50 bits per byte instead of 0.78, and shuffled weights 7.66: values, norms and feed-forward layers do not depend on the
layout. Asked for the capital of France, the model with the wrong layout repeats the question. The first token comes out exactly right, since
position 0 turns nothing. So a test with one token does not find this mistake.
</details>

### 12.2 Sinks

Every block gets the mask `sliding_window`: 64 keys, with and without the first four. The control also has 68 keys, but the four more are
those before the window, or the second four of the text. And to see if it is the *content* of the first token that matters, another token takes
its place. Bits are counted from position 256 on, where all windows have left the beginning.

**Before you run it:** do four more keys matter? Does it matter which?
"""

# %% tags=["experiment"]
N = ids.shape[1]
window = sliding_window(N, N, 64)
second_four = torch.zeros(N, dtype=torch.bool)
second_four[4:8] = True
masks = {"all keys": causal_mask(N), "window of 64": window, "and the first 4 keys": sliding_window(N, N, 64, sinks=4),
         "and only the first": sliding_window(N, N, 64, sinks=1), "and the second 4 keys": window | (second_four & causal_mask(N)),
         "window of 68": sliding_window(N, N, 68)}
sinks = {}
with torch.inference_mode():
    for name, mask in masks.items():
        sinks[name] = bits_per_byte(decoder(ids, allowed=mask)[0][:, 256:], ids[:, 256:])
        print(f"{name:22} {sinks[name]:.2f} bits per byte")
    changed = ids.clone()
    changed[0, 0] = ids[0, 300]
    for name in ("and only the first", "window of 64"):
        sinks[f"{name}, another token"] = bits_per_byte(decoder(changed, allowed=masks[name])[0][:, 256:], ids[:, 256:])
        print(f"{name}, another token in its place: {sinks[f'{name}, another token']:.2f} bits per byte")

# %% tags=["numbers"]
if smollm.random:
    given("all keys the text costs 0.67 bits per byte, with the window 0.99", "first four keys 0.79, and with only the first 0.79", "it is 0.79, too")
else:
    says("all keys the text costs 0.67 bits per byte, with the window 0.99", sinks["all keys"], sinks["window of 64"], within=2)
    says("first four keys 0.79, and with only the first 0.79", sinks["and the first 4 keys"], sinks["and only the first"], within=2)
    says("it is 0.79, too", sinks["and only the first, another token"], within=2)
    claims("Four\nother keys change little", max(abs(sinks[name] - sinks["window of 64"]) for name in ("and the second 4 keys", "window of 68")) < 0.05)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With all keys the text costs 0.67 bits per byte, with the window 0.99, with the first four keys 0.79, and with only the first 0.79. Four
other keys change little. It is not the content of the first token that was missing: with another token in its place it is 0.79, too. Heads that
look for nothing put their weight there, and without it they have to put it somewhere in the window. What sinks do not bring back is what the text
said before the window.
</details>

### 12.3 Drafts from the text itself

Section 7 needs a draft. One without a model: look up the last two tokens earlier in the text, and draft what followed them there (*prompt lookup*, Saxena
2023). At temperature 0 a drafted token is accepted if it is the one that the model would write, so the text stays the same.

**Before you run it:** for which of the two questions does it save passes?
"""

# %% tags=["experiment"]
def looked_up(ids, length=6):
    """Return what followed the last two of these ids where they stood before; an empty list if they never did."""
    before = [at for at in range(len(ids) - 2) if ids[at:at + 2] == ids[-2:]]
    return ids[before[-1] + 2:before[-1] + 2 + length] if before else []


@torch.inference_mode()
def write_ahead(prompt, draft, longest=50):
    """Return (ids, passes): what `write` gives at temperature 0, and the passes of the model that it took."""
    ids, caches, passes, start, end = prompt[0].tolist(), None, 0, prompt.shape[1], config["eos_token_id"]
    while len(ids) < start + longest and end not in ids[start:]:
        known, drafted = (caches[0][0].shape[-2] if caches else 0), draft(ids)
        logits, caches = decoder(torch.tensor([ids[known:] + drafted]), caches)
        own = logits[0, -len(drafted) - 1:].argmax(dim=-1).tolist()            # what the model itself writes behind each of them
        agreed = next((place for place, token in enumerate(drafted) if token != own[place]), len(drafted))
        caches = [(K[..., :len(ids) + agreed, :], V[..., :len(ids) + agreed, :]) for K, V in caches]   # forget rejected tokens
        ids, passes = ids + own[:agreed + 1], passes + 1
    written = ids[start:start + longest]
    return written[:written.index(end)] if end in written else written, passes


function = "def area(width, height):\n    if width < 0 or height < 0:\n        raise ValueError('negative')\n    return width * height"
questions = {"repeat": "Repeat this code word by word:\n" + function, "invent": "Write three sentences about the sea."}
ahead, same = {}, {}
for kind, question in questions.items():
    prompt, results = in_template(question), []
    for name, draft in (("no draft", lambda ids: []), ("looked up", looked_up)):
        begin = time.process_time()
        text, passes = write_ahead(prompt, draft)
        seconds = time.process_time() - begin
        results.append(text)
        ahead[kind, name] = len(text) / passes, seconds
        print(f"{kind}, {name:9}: {len(text)} tokens in {passes} passes, {seconds:.1f} seconds of processor time")
    same[kind] = results[0] == results[1]
    print("    the same text:", same[kind])

# %% tags=["numbers"]
if smollm.random:
    given("5.2 tokens a pass")
else:
    says("5.2 tokens a pass", ahead["repeat", "looked up"][0], within=10)
    claims("in less time", ahead["repeat", "looked up"][1] < ahead["repeat", "no draft"][1])
    claims("hardly any draft is accepted", ahead["invent", "looked up"][0] < 1.2)
    claims("The text is the same with and without drafts", all(same.values()))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Code that is repeated comes at 5.2 tokens a pass, in less time. For the sea hardly any draft is accepted, and the passes that check drafts for
nothing cost a little. The text is the same with and without drafts.
</details>

### 12.4 A cache of few bits

The first 256 tokens go into the cache, its numbers are rounded, and the next 256 are predicted from it. As in section 4.3, a group of numbers keeps its
smallest and its largest, with $2^b - 1$ equal steps between them. Values are rounded token by token. Keys are rounded token by token (a group is one key),
or channel by channel (a group is one column of the keys, over all tokens). The control has no cache at all.

**Before you run it:** which is better for the keys? (A few of their columns are large in every token.)
"""

# %% tags=["experiment"]
def rounded(X, bits, dim):
    """Return X with 2^bits different numbers in each row along dim, evenly spaced from the smallest to the largest."""
    low, high = X.amin(dim, keepdim=True), X.amax(dim, keepdim=True)
    step = (high - low).clamp(min=1e-8) / (2**bits - 1)
    return low + step * ((X - low) / step).round()


few = {}
with torch.inference_mode():
    _, full = decoder(ids[:, :256])
    few["exact"] = bits_per_byte(decoder(ids[:, 256:], full)[0], ids[:, 256:])
    few["no cache"] = bits_per_byte(decoder(ids[:, 256:])[0], ids[:, 256:])
    for bits in (8, 4, 3, 2):
        for name, dim in (("by channel", -2), ("by token", -1)):
            cut = [(rounded(K, bits, dim), rounded(V, bits, -1)) for K, V in full]
            few[bits, name] = bits_per_byte(decoder(ids[:, 256:], cut)[0], ids[:, 256:])
        print(f"{bits} bits: keys by channel {few[bits, 'by channel']:.3f}, by token {few[bits, 'by token']:.3f} bits per byte")
print(f"exact {few['exact']:.3f}, no cache {few['no cache']:.3f}")

# %% tags=["numbers"]
if smollm.random:
    given("An exact cache gives 0.670 bits per byte, none 0.849", "keys by channel give 0.667", "0.811 by channel and 0.970 by token")
else:
    claims("Only with 2 bits does\nit matter", all(abs(few[bits, "by channel"] - few[bits, "by token"]) < 0.02 for bits in (4, 3)))
    claims("With 8 bits nothing changes", max(abs(few[8, name] - few["exact"]) for name in ("by channel", "by token")) < 0.005)
    says("An exact cache gives 0.670 bits per byte, none 0.849", few["exact"], few["no cache"], within=5)
    says("keys by channel give 0.667", few[4, "by channel"], within=5)
    says("0.811 by channel and 0.970 by token", few[2, "by channel"], few[2, "by token"], within=30)
    claims("worse than no cache", few[2, "by token"] > few["no cache"] > few[2, "by channel"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

An exact cache gives 0.670 bits per byte, none 0.849. With 8 bits nothing changes, and with 4, keys by channel give 0.667. Only with 2 bits does
it matter how keys are rounded: 0.811 by channel and 0.970 by token, which is worse than no cache. By token, one large column of a key makes
the steps of all its others wide; by channel it spoils only itself.
</details>
"""

# %% [markdown]
r"""
## 13 What to take along

- RMSNorm, a gated feed-forward layer and rotary positions have replaced the parts of lesson 3's block.
- With rotary positions, a score depends on the positions only through their distance.
- Fewer heads of keys, a window, or a state of fixed size make the cache smaller, each at a price.
- Speculative decoding changes the time and never the distribution.
- Parallel and step by step must give the same numbers. Test that first.
- The names of a checkpoint say where a tensor belongs. They do not say eps, base and rotary layout, and a wrong one raises no error.
"""

# %% [markdown]
r"""
### Sources

B. Zhang, R. Sennrich, *Root mean square layer normalization*, 2019. N. Shazeer, *GLU variants improve Transformer*, 2020. J. Su et al.,
*RoFormer: enhanced Transformer with rotary position embedding*, 2021. O. Press et al., *Train short, test long: attention with
linear biases enables input length extrapolation*, 2022. N. Shazeer, *Fast Transformer decoding: one write-head is all you need*, 2019. J.
Ainslie et al., *GQA: training generalized multi-query Transformer models from multi-head checkpoints*, 2023. I. Beltagy et al.,
*Longformer: the long-document Transformer*, 2020. G. Xiao et al., *Efficient streaming language models with attention sinks*, 2024. A.
Katharopoulos et al., *Transformers are RNNs: fast autoregressive Transformers with linear attention*, 2020. Y. Leviathan et al.,
*Fast inference from Transformers via speculative decoding*, 2023. C. Chen et al., *Accelerating large language model decoding with speculative
sampling*, 2023. E. J. Hu et al., *LoRA: low-rank adaptation of large language models*, 2022. N.
Shazeer et al., *Outrageously large neural networks: the sparsely-gated mixture-of-experts layer*, 2017. W. Fedus et al., *Switch
Transformers: scaling to trillion parameter models with simple and efficient sparsity*, 2022. D. Lepikhin et al., *GShard: scaling giant models
with conditional computation and automatic sharding*, 2021. L. Wang et al., *Auxiliary-loss-free load balancing strategy for
mixture-of-experts*, 2024. A. Q. Jiang et al., *Mixtral of experts*,
2024. DeepSeek-AI, *DeepSeek-V2: a strong, economical, and efficient mixture-of-experts language model*, 2024. DeepSeek-AI,
*DeepSeek-V3 technical report*, 2024. H. Touvron et al., *LLaMA: open and efficient foundation language models*, 2023. L. Ben Allal et al., *SmolLM2: when
Smol goes big*, 2025. A. Saxena, *Prompt lookup decoding*, 2023. Z. Liu et al., *KIVI: a tuning-free asymmetric 2bit quantization for KV cache*, 2024. A.
Q. Jiang et al., *Mistral 7B*, 2023. I. Schlag et al., *Linear Transformers are secretly fast weight programmers*, 2021. S. Yang et al., *Parallelizing
linear Transformers with the delta rule over sequence length*, 2024. S. Yang et al., *Gated delta networks: improving Mamba2 with delta rule*, 2025. B.
Widrow, M. Hoff, *Adaptive switching circuits*, 1960.
"""
