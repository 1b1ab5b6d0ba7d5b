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
# 12 Pictures and words

You train models on what belongs together, without labels (**self-supervised learning**): two views of one picture, a
picture and its caption, and finally a question and its answer. Nearly every part has an optimum or a bound that can be
computed.

| section | the one change | exercise |
|---|---|---|
| 1 | two views of one picture find each other among all others (SimCLR) | `augment`, `nt_xent`, `linear_probe` |
| 2 | a picture and its caption find each other (CLIP) | `clip_loss`, `DualEncoder`, `my_clip`, `retrieval_at_k`, written question 1 |
| 3 | a classifier without training: the classes are sentences | `zero_shot` |
| 4 | two streams look at each other, and answer questions (ViLBERT) | `CoAttentionBlock` (optional), `my_answers` (optional), written question 2 (optional) |
| 5 | a loss that is learned, too (GAN) | `gan_losses` (optional) |

**Before you begin.** You need lessons 3 and 4 (layers) and lesson 11 (patches); section 4 uses the scenes of lesson 6.
Exercises 5 and 9 are the hardest. Plan about four and a half hours; the optional parts take about two and a half more.
Leave out what is marked "(optional)" if you like: the rest does not need it. Its points count unless your teacher says
otherwise.

## How this notebook works

- Run the cells from top to bottom, replace each `raise NotImplementedError(...)`, and run the **check** below the
  exercise as often as you like.
- ●: a few lines. ●●: think about shapes or a formula first, a quarter of an hour. ●●●: about an hour.
- Answer the question before each experiment (clicks are never graded); then open "What you should see".
- Unless the text says otherwise, a function keeps the device and the dtype, leaves its arguments unchanged, accepts
  any memory layout, and lets gradients through.
- **You hand in three files**: this notebook, `clip.safetensors`, which section 2 writes beside it, and
  `answers.safetensors`, which the optional section 4 writes.

**Notation.** Code uses the same letters.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $N$ | `B`, `N` | pictures in a batch; pairs in a batch of views, which has $2N$ rows | batch size |
| $D$ | `D` | width of a vector | embedding or projection dimension (`projection_dim`) |
| $z_i$ | `z`, `(2N, D)` | the vector of one view; rows $i$ and $i + N$ are two views of one picture | output of the projection head; rows $i$, $i + N$ are a positive pair, all others negatives |
| $\tau$, $s$ | `temperature`, `log_scale.exp()` | temperature, and its inverse, which CLIP learns | temperature $\tau$; `logit_scale` |
| $E$ | –, `(B, B)` | similarities: of picture $i$ (row) and text $j$ (column) | logits, `logits_per_image` |
| – | `allowed`, `real` | masks; **True means "may attend"**, and "is no padding" | attention mask (`attention_mask`) |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import copy
import math
from dataclasses import dataclass
from itertools import permutations

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.vision_language import check
from course_lib import devices, layers, plots
from course_lib.data import (
    ANSWERS,
    KINDS,
    ask_questions,
    caption_of,
    captioned_vocabulary,
    draw_captioned_digits,
    draw_scenes,
    question_vocabulary,
    scene_regions,
)
from course_lib.predictions import came_out, predict
from course_lib.training import fit, own_train

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 Two views of one picture

### 1.1 The pictures

One handwritten digit, in one of six inks, on black, grey or white paper; digit, ink and paper are independent and
uniform, and the exact colours of ink and paper vary a little from picture to picture. A caption names all three, but
black paper is not mentioned.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
first = draw_captioned_digits(8, seed=1)
_, axes = plt.subplots(1, 8, figsize=(10, 1.9), layout="constrained")
for ax, picture, caption in zip(axes, first.images, first.captions):
    ax.imshow(picture.movedim(0, -1))
    ax.set(xticks=[], yticks=[], xlabel=" ".join(caption[:3]) + "\n" + " ".join(caption[3:]))
axes[0].set_ylabel("picture");

# %% [markdown]
r"""
### 1.2 What stays the same

SimCLR (Chen et al. 2020) changes each picture twice, at random, and asks for vectors by which the two views find each
other. The changes alone decide what the loss rewards: **what an augmentation changes, the vectors are asked to ignore.**
Here that is place and colour.

**Exercise 1.** ●● Write `augment`. It treats the pictures of the batch independently. Each picture

- is shifted by two integers, one down and one to the right, each drawn uniformly from `-most`, …, `most` (both
  included). New pixels at an edge repeat the pixels of that edge (`F.pad(..., mode="replicate")`);
- gets its channels in a random order, all orders equally likely. (Red ink may become blue; grey paper stays grey.)

All randomness comes from `generator`: pass `generator=generator` to every function that draws.

<details><summary>Hint: moving</summary>

Pad all pictures by `most` on every side. A moved picture is a window of $H \times W$ pixels in the padded one. Where
does each window begin?
</details>
<details><summary>Hint: all pictures at once</summary>

Index tensors that broadcast: one of shape `(B, 1, 1, 1)` for the picture, `(B, C, 1, 1)` for the channel,
`(B, 1, H, 1)` for the row and `(B, 1, 1, W)` for the column. `argsort` of random numbers is a random order.
</details>
"""

# %% nbgrader={"grade_id": "augment", "solution": true}
def augment(images, generator, most=1):
    """Return pictures like images (B, C, H, W), each moved by up to `most` pixels and with its channels in an order of its own.

    What comes in at an edge repeats the edge. All randomness comes from `generator`.
    """
    ### BEGIN SOLUTION Move each picture by whole pixels, repeating its edge, and put its channels in a random order.
    B, C, H, W = images.shape
    wide = F.pad(images, (most, most, most, most), mode="replicate")
    down, right = torch.randint(2 * most + 1, (2, B, 1), generator=generator)    # where each window begins
    order = torch.rand(B, C, generator=generator).argsort(dim=1)                 # (B, C)
    rows, columns = down + torch.arange(H), right + torch.arange(W)              # (B, H), (B, W)
    picture = torch.arange(B)[:, None, None, None]
    return wide[picture, order[:, :, None, None], rows[:, None, :, None], columns[:, None, None, :]]
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-augment", "grade": true}
check("augment")

# %% tags=["experiment"] jupyter={"source_hidden": true}
generator = torch.Generator().manual_seed(0)
_, axes = plt.subplots(3, 8, figsize=(9, 3.6), layout="constrained")
for row, (name, pictures) in enumerate((("picture", first.images), ("one view", augment(first.images, generator)), ("another", augment(first.images, generator)))):
    for ax, picture in zip(axes[row], pictures):
        ax.imshow(picture.movedim(0, -1))
        ax.set(xticks=[], yticks=[])
    axes[row, 0].set_ylabel(name)

# %% [markdown]
r"""
### 1.3 The loss: find your partner

Take $N$ pictures, two views of each: $2N$ vectors. Rows $i$ and $i + N$ are a **positive pair**; all other rows are
**negatives**. The **contrastive loss** is the cross-entropy of choosing the partner among all others:

$$\ell_{i,j} = -\log \frac{\exp(\mathrm{sim}(z_i, z_j) / \tau)}{\sum_{k \ne i} \exp(\mathrm{sim}(z_i, z_k) / \tau)}
\qquad \mathrm{sim}(u, v) = \frac{u^\top v}{\lVert u \rVert\, \lVert v \rVert}$$

SimCLR calls it NT-Xent, normalised temperature-scaled cross-entropy; the general name is **InfoNCE** (van den Oord et
al. 2018). The **temperature** $\tau$ sets how much the hardest negatives count. The sum leaves out $i$ itself, but not
the partner $j$; the mean is over all $2N$ rows.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    [loss: the partner among 2N − 1]
    z1 = (z: N × D) | z2 = (z′: N × D)
    p1 = [project] | p2 = [the same project]
    e1 = [encoder] | e2 = [the same encoder]
    v1 = (view 1) | v2 = (view 2)
    (picture)
    picture -> v1: augment
    picture -> v2: augment
    v1 -> e1
    v2 -> e2
    e1 -> p1
    e2 -> p2
    p1 -> z1
    p2 -> z2
    z1, z2 -> loss
""", title="SimCLR: two views of a picture find each other");

# %% [markdown]
r"""
**Exercise 2.** ●● Write `nt_xent`. An odd number of rows is a `ValueError`. A small temperature makes large exponents,
and the loss has to stay finite (as with `logsumexp` and `F.cross_entropy`).

<details><summary>Hint: leaving out i</summary>

`masked_fill` with $-\infty$ on the diagonal: $\exp(-\infty) = 0$. `torch.eye(n, dtype=torch.bool)` is the diagonal.
</details>
<details><summary>Hint: the partner</summary>

`F.cross_entropy(E, targets)` takes the number of the right column for each row. Row 0's partner is row $N$, row $N$'s
is row 0. `roll` does both.
</details>
"""

# %% nbgrader={"grade_id": "nt_xent", "solution": true}
def nt_xent(z, temperature=0.5):
    """Return the mean of the losses of all rows of z (2N, D), one number (Chen et al. 2020, equation 1).

    Rows i and i + N are two views of one picture. Raises ValueError if the number of rows is odd.
    """
    ### BEGIN SOLUTION Compare all rows by cosine, leave each row itself out, and take the cross-entropy of choosing the partner.
    if len(z) % 2:
        raise ValueError(f"Expected pairs of rows, i and i + N, got {len(z)} rows.")
    z = F.normalize(z, dim=1)
    E = z @ z.T / temperature                                                    # (2N, 2N)
    E = E.masked_fill(torch.eye(len(z), dtype=torch.bool, device=z.device), -math.inf)
    partners = torch.arange(len(z), device=z.device).roll(len(z) // 2)
    return F.cross_entropy(E, partners)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-nt_xent", "grade": true}
check("nt_xent")

# %% [markdown]
r"""
**Before you run it:** take $N = 4$ and $\tau = 0.5$. What is the loss when all vectors are equal, and what is its
gradient? What is the loss when partners are equal, and different pictures at right angles to each other? Can it be
lower?
"""

# %% tags=["experiment"]
alike = torch.ones(8, 8, requires_grad=True)
apart = torch.eye(4, 8).repeat(2, 1)
loss_alike, loss_apart = nt_xent(alike), nt_xent(apart)
[gradient] = torch.autograd.grad(loss_alike, alike)
print(f"all alike: {loss_alike.item():.4f}   log(2N - 1) = {math.log(7):.4f}   largest gradient {gradient.abs().max():.1e}")
print(f"at right angles: {loss_apart.item():.4f}   log(1 + 6 exp(-2)) = {math.log(1 + 6 * math.exp(-2)):.4f}")
loss_simplex = nt_xent(apart - apart.mean(dim=0))                                # the four directions as far from each other as they can be
print(f"regular simplex: {loss_simplex.item():.4f}   log(1 + 6 exp(-2 (1 + 1/3))) = {math.log(1 + 6 * math.exp(-2 * (1 + 1 / 3))):.4f}")

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("The loss is log 7 = 1.95 when all are alike", 7, loss_alike.item())
says("different pictures at right angles, it is 0.59", loss_apart.item())
says("cosines of $-1/3$, and a loss of 0.35", -1, 3, loss_simplex.item())
claims("And at\nthe collapse the gradient is 0", gradient.abs().max() < 1e-6)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The loss is log 7 = 1.95 when all are alike: each of seven candidates is as good as the others. And at the collapse the
gradient is 0: training that begins there stays. With equal partners, and different pictures at right angles, it is
0.59. The minimum is lower: four directions can be farther apart, as the corners of a regular simplex, with cosines of
$-1/3$, and a loss of 0.35.
</details>

### 1.4 What do the vectors know?

A representation is judged by what a **linear** classifier reads off it, while the representation itself stays frozen: a
**linear probe**. It is logistic regression:

$$\min_{W, b}\ \frac1n \sum_i -\log \mathrm{softmax}(W^\top x_i + b)_{y_i} + \lambda \sum_{d,c} W_{dc}^2$$

With $\lambda > 0$ there is exactly one best $W$, so two probes differ only in their features. (The bias is not
penalised.)

**Exercise 3.** ●● Write `linear_probe`. `torch.optim.LBFGS` finds the optimum in few steps: its `step` calls a
function, the *closure*, that computes the loss and its gradient. Start at zero.

<details><summary>Hint: LBFGS</summary>

`LBFGS([W, b], max_iter=500, tolerance_grad=1e-6, tolerance_change=0, line_search_fn="strong_wolfe")`, then one
`step(closure)`. The closure sets the gradients to zero, computes the loss, calls `backward()` and returns the loss.
</details>
"""

# %% nbgrader={"grade_id": "linear_probe", "solution": true}
def linear_probe(features, labels, classes, penalty=1e-3):
    """Return (W (D, classes), b (classes,)) that minimise the mean cross-entropy of features @ W + b plus penalty · ΣW².

    features: (n, D), which stay as they are: no gradient flows into them. labels: (n,), from 0 to classes - 1, each at least once.
    """
    ### BEGIN SOLUTION Start W and b at zero, and minimise the loss with LBFGS until its gradient is zero.
    features = features.detach()
    W = features.new_zeros(features.shape[1], classes).requires_grad_()
    b = features.new_zeros(classes).requires_grad_()
    optimizer = torch.optim.LBFGS([W, b], max_iter=500, tolerance_grad=1e-6, tolerance_change=0, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(features @ W + b, labels) + penalty * W.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return W.detach(), b.detach()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-linear_probe", "grade": true}
check("linear_probe")

# %% [markdown]
r"""
Now train an encoder with `nt_xent`, and probe it for digit and ink, before and after `project`, the **projection head**,
whose output the loss sees. The controls have learned nothing: a random network; the same averaged over all six orders of
the channels; the pixels as they are; and the pixels with their three channels sorted. The second and the last ignore the
order exactly.

**Before you run it:** what will the shuffled channels do to the two probes, before and after the head? What if the
augmentation only moves the picture? And what share of the six inks can a vector name at most that ignores the order of
the channels?
"""

# %% tags=["experiment"]
class Eyes(nn.Module):
    """A small convolutional network: pictures (B, 3, 8, 8) to vectors (B, 128), and a projection that only the loss sees."""

    def __init__(self):
        super().__init__()
        self.see = nn.Sequential(
            nn.Conv2d(3, 32, 3, padding=1), nn.GELU(), nn.Conv2d(32, 64, 3, stride=2, padding=1), nn.GELU(), nn.Flatten(), nn.Linear(1024, 128), nn.GELU()
        )
        self.project = nn.Sequential(nn.Linear(128, 128), nn.GELU(), nn.Linear(128, 32))

    def forward(self, images):
        """Return the projected vectors (B, 32)."""
        return self.project(self.see(images))


unlabelled = draw_captioned_digits(8000, seed=0, variation=0.8)
probed, tested = draw_captioned_digits(1000, seed=11), draw_captioned_digits(1000, seed=12, part="one_fifth")


def only_moved(images, generator):
    """Return pictures moved as augment moves them, with their colours as they were."""
    gray = torch.arange(len(images) * 64.0).view(-1, 1, 8, 8).expand(-1, 3, -1, -1)   # numbered pixels, equal in all channels
    places = augment(gray, generator).long() % 64
    return images.flatten(2).gather(2, places.flatten(2)).view_as(images)


def two_views(change):
    """Return a function that draws two views of each of 128 pictures, one below the other, for `fit`."""
    def draw(generator):
        images = unlabelled.images[torch.randint(len(unlabelled), (128,), generator=generator)]
        return torch.cat((change(images, generator), change(images, generator)))

    return draw


@torch.no_grad()
def probe(encode):
    """Return the shares of digits and of inks that a linear probe reads off frozen features."""
    x, y = encode(probed.images), encode(tested.images)
    mean, spread = x.mean(dim=0), x.std(dim=0) + 1e-6
    shares = {}
    for name, column, classes in (("digit", 0, 10), ("ink", 1, 6)):
        with torch.enable_grad():
            W, b = linear_probe((x - mean) / spread, probed.said[:, column], classes, 3e-3)
        said = ((y - mean) / spread @ W + b).argmax(dim=1)
        shares[name] = (said == tested.said[:, column]).double().mean().item()
    return shares


PRETRAIN, read = 400, {}
for name, change in (("random weights", None), ("moved", only_moved), ("moved, colours shuffled", augment)):
    torch.manual_seed(0)
    eyes = Eyes()
    if change is not None:
        fit(eyes, lambda model, views: nt_xent(model(views), 0.2), two_views(change), steps=PRETRAIN, learning_rate=2e-3, warmup=20, device="cpu", show=False)
    eyes.eval()
    read[name], read[name + ", after the head"] = probe(eyes.see), probe(eyes)
    if change is None:
        read["random weights, all orders averaged"] = probe(lambda images: sum(eyes.see(images[:, order]) for order in permutations(range(3))))
read["the pixels"] = probe(lambda images: images.flatten(1))
read["channels sorted"] = probe(lambda images: images.sort(dim=1).values.flatten(1))
for name, shares in read.items():
    print(f"{name:45} digit {shares['digit']:.0%}, ink {shares['ink']:.0%}")

# %% tags=["numbers"]
given("the mean colour finds 87 % of them among 128; ink and paper by name would find 14 %", "33 % with colours left alone, 44 % with random weights and 51 % with colours shuffled; after the head in 29 %",
      "leaves 31 % of 44 %", "in 81 % with colours shuffled, after the head in 35 %")
says("After the head, where the loss looks, it is 34 %", read["moved, colours shuffled, after the head"]["ink"], within=3, whole=True)
says("after the head is read in 33 %", read["moved, colours shuffled, after the head"]["digit"], within=3, whole=True)
says("averaged over all orders has 69 % (and 34 % of the inks), sorted channels have 91 %, and the pixels as they are 33 %", *read["random weights, all orders averaged"].values(), read["channels sorted"]["digit"],
     read["the pixels"]["digit"], within=2)
says("it is read in 35 % of the pictures, less than with random weights (46 %)", read["moved"]["digit"], read["random weights"]["digit"], within=3, whole=True)
says("With colours shuffled it is 51 %, and the ink falls from 100 % to 84 %", read["moved, colours shuffled"]["digit"], read["moved"]["ink"],
     read["moved, colours shuffled"]["ink"], within=3, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With colours left alone, the exact shades tell the partners apart (the mean colour finds 87 % of them among 128; ink and
paper by name would find 14 %), and little of the digit is kept: it is read in 35 % of the pictures, less than with
random weights (46 %). With colours shuffled it is 51 %, and the ink falls from 100 % to 84 %. A vector that ignores the
order of the channels cannot tell red, green and blue apart, nor yellow, purple and cyan, so it names a third of the inks
at most. After the head, where the loss looks, it is 34 %; the digit after the head is read in 33 %. The layer before the
head has kept more of both: this is why SimCLR is probed there.

But the random network averaged over all orders has 69 % (and 34 % of the inks), sorted channels have 91 %, and the
pixels as they are 33 %. If you can write an invariance down, build it in; the loss is for those that you cannot. (One
run each. Means of five seeds: the digit is read in 33 % with colours left alone, 44 % with random weights and 51 % with
colours shuffled; after the head in 29 %, but a random head loses, too, and leaves 31 % of 44 %. The ink is read in 81 %
with colours shuffled, after the head in 35 %.)
</details>

### 1.5 Without negatives

The loss pulls partners together and pushes all others apart. Leave only the first half: $-\mathrm{sim}(z_i, z_{i+N})$.

**Before you run it:** the cell prints the *spread*, the standard deviation of the normalised vectors' numbers times
$\sqrt{32}$: vectors spread evenly over the sphere have 1. What will it be after training, with negatives and without?
"""

# %% tags=["experiment"]
def pull_only(model, views):
    """Return minus the mean cosine of partners: no negatives."""
    a, b = F.normalize(model(views), dim=1).chunk(2)
    return -(a * b).sum(dim=1).mean()


spreads = {}
for name, loss in (("untrained", None), ("pulled together only", pull_only), ("with negatives", lambda model, views: nt_xent(model(views), 0.2))):
    torch.manual_seed(0)
    eyes = Eyes()
    if loss is not None:
        fit(eyes, loss, two_views(augment), steps=200, learning_rate=2e-3, warmup=20, device="cpu", show=False)
    with torch.no_grad():
        z = F.normalize(eyes(tested.images), dim=1)
    spreads[name] = z.std(dim=0).mean().item() * math.sqrt(32)                   # 1 if spread evenly over the sphere
    print(f"{name:30} spread {spreads[name]:.2f}")

# %% tags=["numbers"]
says("An untrained network begins at 0.03", spreads["untrained"])
says("they stay so (0.00)", spreads["pulled together only"], whole=True)
says("they spread to 0.96", spreads["with negatives"], within=2, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

An untrained network begins at 0.03: its vectors are nearly alike. Pulled together only, they stay so (0.00); with
negatives they spread to 0.96, nearly evenly over the sphere. The loss does not reveal this **collapse**: it is perfect
exactly where the vectors are useless. (SimSiam, Chen and He 2021, needs no negatives: it stops the gradient on one side,
and predicts that side from the other by a small network. Without either of the two it collapses, too.)
</details>

## 2 A picture and its caption

### 2.1 The loss of CLIP

In CLIP (Radford et al. 2021) two encoders, one for pictures and one for texts, end in **one** space; a batch of $B$
pairs gives a table of $B \times B$ similarities. Each picture looks for its text among all texts of the batch, and each
text for its picture:

$$E = s\, I\, T^\top \qquad L = \tfrac12 \big(\mathrm{CE}(\text{rows of } E) + \mathrm{CE}(\text{columns of } E)\big)$$

$I$ and $T$ hold vectors of length 1, and $s = e^{\log s}$ is $1 / \tau$. Its logarithm, `log_scale`, is learned. (The
paper keeps $s$ at 100 or below in training. The loss takes it as it is.)

Two pairs of a batch may have the **same caption**. `same[i, j]` says that pairs $i$ and $j$ say the same, and the target
of row $i$ is 1 shared equally among all such $j$ (UniCL, Yang et al. 2022). Without `same`, each pair is alone.

**Where in the B × B table are the right pairs?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    [cross-entropy: rows and columns]
    (E: similarities, B × B)
    (picture vectors: B × D) | (text vectors: B × D)
    [image encoder] | [text encoder]
    (pictures: B) | (captions: B)
    pictures -> image encoder
    captions -> text encoder
    image encoder -> picture vectors
    text encoder -> text vectors
    picture vectors, text vectors -> E
    E -> cross-entropy
""", title="CLIP: every picture against every caption of the batch");

# %% [markdown]
r"""
**Exercise 4.** ●● Write `clip_loss`. What is it for vectors that are all equal, whatever `same` is?

<details><summary>Hint: soft targets</summary>

`F.cross_entropy` also takes probabilities as targets: a tensor of the shape of the logits, whose rows sum to 1. For the
columns, transpose.
</details>
"""

# %% nbgrader={"grade_id": "clip_loss", "solution": true}
def clip_loss(images, texts, log_scale, same=None):
    """Return the mean of both directions' cross-entropies, one number (Radford et al. 2021, figure 3).

    images, texts: (B, D), vectors of length 1. log_scale: the logarithm of the scale, a tensor with one number.
    same: None or a symmetric bool tensor (B, B), True where pairs i and j say the same; its diagonal is True.
    """
    ### BEGIN SOLUTION Scale the similarities, share each target among all that say the same, and average rows and columns.
    E = log_scale.exp() * images @ texts.T                                       # (B, B)
    targets = torch.arange(len(E), device=E.device) if same is None else same.to(E.dtype) / same.sum(dim=1, keepdim=True)
    return (F.cross_entropy(E, targets) + F.cross_entropy(E.T, targets)) / 2
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-clip_loss", "grade": true}
check("clip_loss")

# %% [markdown]
r"""
### 2.2 Two encoders, one space

Texts are padded (id 0): nobody may attend to padding, and the mean is over real words only. Pictures are cut into
patches by a convolution whose kernel is as large as its stride (lesson 11, section 1.4).

**Exercise 5.** ●●● Write `encode_images` and `encode_texts`.

$$X = \text{tokens} + \text{positions} \qquad Y = \mathrm{Encoder}(X) \qquad y = W\, \mathrm{mean}(Y) \qquad \text{result} = y / \lVert y \rVert$$

`self.image_encoder(X, allowed, need_weights=False)` gives `(Y, [])`. `allowed` has to broadcast to `(B, heads, N, N)`.

<details><summary>Hint: patches</summary>

`self.patches(images)` is `(B, D, rows, columns)`. The encoder wants `(B, N, D)`, row by row.
</details>
<details><summary>Hint: the mean of the real words</summary>

Set the rows of padding to 0, add up over the words, and divide by the number of real words of each text.
</details>
"""

# %%
@dataclass(frozen=True)
class DualConfig:
    """The sizes of a DualEncoder. The side of a picture is a multiple of the patch size."""

    vocab_size: int = len(captioned_vocabulary())
    max_length: int = 8
    side: int = 8
    patch_size: int = 2
    model_width: int = 64
    num_heads: int = 4
    image_blocks: int = 2
    text_blocks: int = 1
    hidden_width: int = 128
    shared_width: int = 32

# %% nbgrader={"grade_id": "DualEncoder", "solution": true}
class DualEncoder(nn.Module):
    """An encoder of pictures and one of texts that end in one space (Radford et al. 2021)."""

    def __init__(self, config):
        super().__init__()
        c, D = config, config.model_width
        self.patches = nn.Conv2d(3, D, kernel_size=c.patch_size, stride=c.patch_size)
        self.image_positions = nn.Parameter(0.1 * torch.randn((c.side // c.patch_size) ** 2, D))
        self.image_encoder = layers.Encoder(c.image_blocks, D, c.num_heads, c.hidden_width, norm="pre", activation="gelu")
        self.image_projection = nn.Linear(D, c.shared_width, bias=False)
        self.tokens = nn.Embedding(c.vocab_size, D)
        self.text_positions = nn.Parameter(0.1 * torch.randn(c.max_length, D))
        self.text_encoder = layers.Encoder(c.text_blocks, D, c.num_heads, c.hidden_width, norm="pre", activation="gelu")
        self.text_projection = nn.Linear(D, c.shared_width, bias=False)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))          # as in the paper

    def encode_images(self, images):
        """Return one vector of length 1 for each of images (B, 3, side, side): (B, shared_width)."""
        ### BEGIN SOLUTION Add positions to the patches, encode, take the mean, project, and make its length 1.
        X = self.patches(images).flatten(2).mT + self.image_positions            # (B, N, D)
        Y, _ = self.image_encoder(X, need_weights=False)
        return F.normalize(self.image_projection(Y.mean(dim=1)), dim=-1)
        ### END SOLUTION

    def encode_texts(self, ids):
        """Return one vector of length 1 for each of the texts ids (B, T): (B, shared_width). Id 0 is padding, after the text."""
        ### BEGIN SOLUTION Do the same with words: nobody attends to padding, and the mean is over real words.
        real = ids != 0                                                          # (B, T)
        X = self.tokens(ids) + self.text_positions[: ids.shape[1]]
        Y, _ = self.text_encoder(X, real[:, None, None], need_weights=False)
        mean = (Y * real[..., None]).sum(dim=1) / real.sum(dim=1, keepdim=True)
        return F.normalize(self.text_projection(mean), dim=-1)
        ### END SOLUTION

    def forward(self, images, ids):
        """Return the vectors of the pictures and those of the texts."""
        return self.encode_images(images), self.encode_texts(ids)

# %% nbgrader={"grade_id": "check-DualEncoder", "grade": true}
check("DualEncoder")

# %% [markdown]
r"""
### 2.3 Training

**Exercise 6.** ● `my_clip` takes no arguments and returns the `DualEncoder` that you train and hand in, with new random
weights. It has to be a plain `DualEncoder` of section 2.2: the grader loads your file into what it returns and into its
own, compares the two on a few pairs, and grades its own. Keep the vocabulary and the pictures' side; choose the widths
as you like, up to a file of 16 MB. (A larger encoder of texts or a wider shared space leaves more room to learn pairs by
heart, which costs on combinations that training does not show.)

Then run the cell, which trains the model in about a minute on two idle cores and writes `clip.safetensors`. An
interrupted training continues from the file (`resume=True`), and a finished one is only loaded; after a change of
`my_clip`, or of anything that it is trained with, pass `resume=False` once. If you wrote `train` in lesson 5 and its folder
lies next to this one, that loop takes the steps (`own_train`); otherwise `fit` takes them itself.

**Ten of the sixty combinations of digit and ink never occur in training**: zeros are never red, ones never green, and
so on. Section 3 asks about them.

The check draws new pictures of held-out handwriting. For full points, retrieval at 1 among 100 pictures has to reach 93
% of the bound set by equal captions, on average over both directions, and on unseen combinations at least 80 % of the
digits have to be named. Two controls must hurt: with shuffled captions, and with black pictures, at most a quarter of the
retrieval may be left.

**Before you run it:** what is the loss of a model that cannot tell 128 pairs apart?
"""

# %% nbgrader={"grade_id": "my_clip", "solution": true}
def my_clip():
    """Return the model whose weights are handed in as clip.safetensors, with new weights."""
    ### BEGIN SOLUTION Return a DualEncoder with the vocabulary and the pictures of this lesson.
    return DualEncoder(DualConfig())
    ### END SOLUTION

# %% tags=["experiment"]
SEED, BATCH, STEPS = 0, 128, 1200
vocabulary = captioned_vocabulary()
pairs = draw_captioned_digits(20_000, seed=SEED, variation=0.8, combinations="seen")
ids, _ = vocabulary.batch(pairs.captions)


def say_the_same(said):
    """Return (B, B), True where two captions are the same."""
    return (said[:, None] == said).all(dim=-1)


def draw_pairs(generator):
    """Return a random batch: pictures, the ids of their captions, and which of them say the same."""
    rows = torch.randint(len(pairs), (BATCH,), generator=generator)
    return pairs.images[rows], ids[rows], say_the_same(pairs.said[rows])


def loss_of_pairs(model, batch):
    """Return the loss of a batch, as `fit` asks for it."""
    images, ids, same = batch
    return clip_loss(*model(images, ids), model.log_scale, same)


torch.manual_seed(SEED)
clip = my_clip()
optimizer = torch.optim.AdamW(clip.parameters(), lr=3e-3, weight_decay=0.5, fused=True)
history = fit(clip, loss_of_pairs, draw_pairs, steps=STEPS, optimizer=optimizer, warmup=100, train=own_train(), seed=SEED,
              checkpoint="clip.safetensors", resume=True)
clip.cpu()
history

# %% nbgrader={"grade_id": "check-my_clip", "grade": true}
check("my_clip")

# %% [markdown]
r"""
### 2.4 How good can retrieval be?

Given a picture and 100 captions, is the right one the most similar? That is *retrieval at 1*, which papers on CLIP call
recall@1. (Elsewhere it is the *hit rate*. In lesson 13, where several documents answer a question, recall is the share
of them that is found.)

**Exercise 7.** ●● Write `retrieval_at_k`: the share of queries (rows) for which something relevant is among the $k$
most similar. A collapsed model makes all similarities equal, and `topk` may then be right by the order of the data
alone. So **ties count against you**: an irrelevant item that is as similar as the best relevant one ranks before it. A
query without anything relevant is a `ValueError`.

<details><summary>Hint: no sorting</summary>

For each query, find the largest similarity of a relevant item. How many irrelevant ones are at least as similar?
</details>
"""

# %% nbgrader={"grade_id": "retrieval_at_k", "solution": true}
def retrieval_at_k(similarities, relevant, k):
    """Return the share of rows of similarities (N, M) with a relevant item among the k most similar, one number.

    relevant: (N, M), bool. k may exceed M. Of items that are equally similar, irrelevant ones come first. Raises
    ValueError if a row has no relevant item.
    """
    ### BEGIN SOLUTION Count, for each row, the irrelevant items that are at least as similar as its best relevant one.
    if not relevant.any(dim=1).all():
        raise ValueError("Expected at least one relevant item in each row.")
    best = similarities.masked_fill(~relevant, -math.inf).amax(dim=1, keepdim=True)
    before = ((similarities >= best) & ~relevant).sum(dim=1)
    return (before < k).double().mean().item()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-retrieval_at_k", "grade": true}
check("retrieval_at_k")

# %% [markdown]
r"""
Suppose that only a picture's *own* caption counts. Of $m$ equal captions even a perfect model names the right one only
once in $m$ times. So the bound is the mean of $1/m$.

**Before you run it:** the pictures have 150 different captions. About what is the bound for a list of 100 pictures?
"""

# %% tags=["experiment"]
shown = draw_captioned_digits(2000, seed=21, part="one_fifth", combinations="seen")
shown_ids, _ = vocabulary.batch(shown.captions)
with torch.no_grad():
    image_vectors, text_vectors = clip(shown.images, shown_ids)
bounds, counts = [], {1: [], 5: []}
for start in range(0, 2000, 100):
    some = slice(start, start + 100)
    same = say_the_same(shown.said[some])
    bounds.append((1 / same.sum(dim=1)).mean().item())
    for k in counts:
        counts[k].append(retrieval_at_k(image_vectors[some] @ text_vectors[some].T, same, k))
bound = sum(bounds) / len(bounds)
found = {k: sum(each) / len(each) for k, each in counts.items()}
print(f"a caption that reads as the right one is found: {found[1]:.1%} at 1, {found[5]:.1%} at 5")
print(f"one's own caption: at most {bound:.1%}; chance is 1 %")
few = slice(0, 10)
captions = [" ".join(words) for words in shown.captions[few]]
plots.show_attention(image_vectors[few] @ text_vectors[few].T, captions, captions, title="Ten pictures (rows) and ten captions; framed: the right ones", label="cosine",
                     highlight=say_the_same(shown.said[few]));

# %% tags=["numbers"]
says("97.9 % of the pictures find a caption that reads as theirs, and 100 % have one among the first five", found[1], found[5], within=5)
says("the bound is 73 %", bound)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

97.9 % of the pictures find a caption that reads as theirs, and 100 % have one among the first five. For one's *own*
caption the bound is 73 %: nearly half of the pictures have a double among 99 others. Without the bound you would take a
perfect model for a poor one.
</details>

### 2.5 The ceiling of the estimate

If you see a picture, you know its caption. So their *mutual information* is the entropy of the caption, the logarithm of
the number of equally likely captions: for the 150 captions with seen combinations $\log 150 = 5.01$ nats. InfoNCE bounds
it from below (van den Oord et al. 2018), with only a picture's own caption as target:

$$I(\text{picture}; \text{caption}) \ge \log B - L$$

$L$ is not negative, so a batch of $B$ pairs can never show more than $\log B$, however good the model. Equal captions
lower it further: of $m$ equal ones, a perfect model gives each $1/m$, so its loss is the mean of $\log m$.

**Before you run it:** sketch the estimate over $B$, from 2 to 2000. Where does it bend?
"""

# %% tags=["experiment"]
sizes, estimates, possible = (2, 8, 32, 128, 512, 2000), [], []
for B in sizes:
    batches = [slice(start, start + B) for start in range(0, 2000 - B + 1, B)][:50]
    with torch.no_grad():
        losses = [clip_loss(image_vectors[each], text_vectors[each], clip.log_scale).item() for each in batches]
    unavoidable = [say_the_same(shown.said[each]).sum(dim=1).log().mean().item() for each in batches]
    estimates.append(math.log(B) - sum(losses) / len(losses))
    possible.append(math.log(B) - sum(unavoidable) / len(unavoidable))
    print(f"B = {B:4}: loss {sum(losses) / len(losses):.3f}, of a perfect model {sum(unavoidable) / len(unavoidable):.3f}; estimate {estimates[-1]:.2f}, at most {possible[-1]:.2f}")
seen_entropy = math.log(150)                                                      # the held-out pictures of seen combinations: 50 x 3 captions
plots.show_curves(sizes, {"log B - L": estimates, "of a perfect model": possible, "log B": [math.log(B) for B in sizes], "entropy of the caption": [seen_entropy] * len(sizes)}, "pairs in a batch B", "nats", "What a batch can show of the mutual information", logx=True);

# %% tags=["numbers"]
says("$\\log 150 = 5.01$ nats", 150, seen_entropy)
claims("For small batches the estimate lies on $\\log B$", abs(estimates[0] - math.log(2)) < 0.05)
says("at $B = 2000$ it is 4.68 nats, where a perfect model shows 4.97", 2000, estimates[-1], possible[-1], within=2)
says("a loss of 0.05, and with batches of 2000 one of 2.9", math.log(8) - estimates[1], 2000, math.log(2000) - estimates[-1])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

For small batches the estimate lies on $\log B$: the task is too easy to show more. For large ones it bends: at
$B = 2000$ it is 4.68 nats, where a perfect model shows 4.97.
</details>

**Before you run it:** take 128 of these pairs, of which more than half have a double. By how much do the loss and its
gradient differ with `same` and without? And if a tenth of the numbers of each text's vector is dropped at random?
"""

# %% tags=["experiment"]
exact, each, changes = copy.deepcopy(clip).double(), slice(0, 128), {}
for name, rate in (("texts as they are", 0.0), ("a tenth dropped", 0.1)):
    torch.manual_seed(0)
    images, texts = exact(shown.images[each].double(), shown_ids[each])
    texts = F.normalize(F.dropout(texts, rate), dim=1)
    losses = [clip_loss(images, texts, exact.log_scale, same) for same in (say_the_same(shown.said[each]), None)]
    one, other = (torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(exact.parameters()), retain_graph=True)]) for loss in losses)
    changes[name] = (losses[0] - losses[1]).abs().item(), ((one - other).abs().max() / one.abs().max()).item()
    print(f"{name:18} loss with same {losses[0].item():.4f}, without {losses[1].item():.4f}; gradients differ by {changes[name][1]:.1e} of the largest")

# %% tags=["numbers"]
claims("nothing, except for rounding", max(changes["texts as they are"]) < 1e-12)
claims("As soon as equal captions have different vectors, it changes both", min(changes["a tenth dropped"]) > 1e-3)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With texts as they are, `same` changes nothing, except for rounding: neither the loss nor any gradient. As soon as equal
captions have different vectors, it changes both. Why? That is question 1 (b).
</details>

### Written question 1 (2 points, graded by hand)

- (a) Someone trains CLIP on these pictures and reports, with batches of 8, a loss of 0.05, and with batches of 2000 one
  of 2.9. The first is "close to perfect", the second "poor". What does each number say? Which part of them could no
  model avoid?
- (b) Without `same`, each picture looks for its own caption only, and equal captions of others count as wrong. Why did
  that change neither the loss nor a gradient above? Name a change to the texts or to their encoder with which `same`
  would matter, and say what the loss would do without it.

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-ceiling", "grade": true, "solution": true, "points": 2}
r"""
(a) Neither number says anything without the batch size. With $B = 8$ the estimate of the mutual information is
$\log 8 - 0.05 = 2.03$ nats, nearly at its ceiling of $\log 8 = 2.08$: the batch cannot show more. With $B = 2000$ it is
$7.6 - 2.9 = 4.7$ nats, near the entropy of the caption, 5.0, so this number is the better news. What no model can avoid
are equal captions: about 13 captions of the large batch are the same, and nothing tells which of them is the picture's
own. That costs about $\log 2000 - \log 150 = 2.6$ of the 2.9; in the small batch, where a double is rare, more than
half of the 0.05.

(b) The encoder makes equal vectors of equal captions, so $E_{ij} = E_{ii}$ for all $j$ that say the same as $i$. In row
$i$ the target takes $-E_{ii}$ or a mean of equal numbers, which is the same, and the logarithm of the sum does not
depend on the target. The columns of equal captions are equal, too; whether each names its own picture or all of them
share their pictures, the sum over these columns is the same. (Or by the gradient: pull and push act on the same vector,
and what remains is $p_i + p_j - 1$ either way.) It matters when texts that say the same have different vectors: "a red
zero" and "a zero in red", or dropout in the encoder. Without `same` the loss then pushes apart what means the same.

=== BEGIN MARK SCHEME ===

- 1 point: (a) compares the loss with $\log B$ (ceiling nearly reached for $B = 8$), and names equal captions as what
  cannot be avoided (half a point each).
- 1 point: (b) equal captions have equal vectors, so equal similarities, among which the target may be shared in any
  way, or pushes and pulls on one vector that cancel (half a point); a case in which texts that say the same have
  different vectors, as other wordings or dropout, and that these would be pushed apart (half a point).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 3 A classifier without training

The classes are sentences. Compare a picture with "a red three", "a red four", … and take the most similar: **zero-shot
classification**. A new class is a new sentence. CLIP averages the vectors of many *prompts* for each class: a *prompt
ensemble*.

$$t_c = \frac{\bar t_c}{\lVert \bar t_c \rVert} \qquad \bar t_c = \frac1P \sum_p t_{c,p} \qquad \text{similarity}(i, c) = v_i^\top t_c$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (class: the nearest)
    [similarities]
    (picture vector: D) | (class vectors: classes × D)
    [image encoder] | [mean over prompts]
    (picture) | [text encoder]
    . | (prompts: for each class)
    picture -> image encoder
    image encoder -> picture vector
    prompts -> text encoder
    text encoder -> mean over prompts
    mean over prompts -> class vectors
    picture vector, class vectors -> similarities
    similarities -> class
""", title="Classes described by words need no training");

# %% [markdown]
r"""
**Exercise 8.** ● Write `zero_shot`.
"""

# %% nbgrader={"grade_id": "zero_shot", "solution": true}
def zero_shot(images, prompts):
    """Return the cosine (N, C) of each picture's vector and each class's, the direction of the mean of its prompts.

    images: (N, D), prompts: (C, P, D), P prompts for each of C classes; all are vectors of length 1.
    """
    ### BEGIN SOLUTION Average the prompts of each class, make the mean's length 1, and multiply.
    return images @ F.normalize(prompts.mean(dim=1), dim=-1).T
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-zero_shot", "grade": true}
check("zero_shot")

# %% [markdown]
r"""
The class "three" gets 18 prompts: three in each ink, on each paper. The control has one prompt for each class, "a red
three", whatever the ink of the picture.

**Before you run it:** no zero in training was red. Does the ensemble gain anything, and can red zeros be read?
"""

# %% tags=["experiment"]
predict("red zeros", "How well are digits read in an ink that they never had in training, with 18 prompts?",
        ["as well as the others (within 3 points)", "worse, but most of them", "hardly better than the 10 % of chance"])

# %% tags=["experiment"]
prompts = [caption_of(digit, ink, paper) for digit in range(10) for ink in range(6) for paper in range(3)]
with torch.no_grad():
    prompt_vectors = clip.encode_texts(vocabulary.batch(prompts)[0]).view(10, 18, -1)
zero_shots = {}
for kind in ("seen", "unseen"):
    drawn = draw_captioned_digits(1000, seed=31, part="one_fifth", combinations=kind)
    with torch.no_grad():
        vectors = clip.encode_images(drawn.images)
    for name, asked in (("one prompt", prompt_vectors[:, :1]), ("18 prompts", prompt_vectors)):
        zero_shots[kind, name] = (zero_shot(vectors, asked).argmax(dim=1) == drawn.said[:, 0]).double().mean().item()
        print(f"{kind + ' combinations':20} {name:11} {zero_shots[kind, name]:.1%}")
seen, unseen = zero_shots["seen", "18 prompts"], zero_shots["unseen", "18 prompts"]
came_out("red zeros", "as well as the others (within 3 points)" if unseen > seen - 0.03 else "worse, but most of them" if unseen > 0.5
         else "hardly better than the 10 % of chance")

# %% tags=["numbers"]
says("Of the combinations that were seen, 94.7 % of the digits are named with one prompt and 94.7 % with 18", zero_shots["seen", "one prompt"], zero_shots["seen", "18 prompts"], 18, within=5)
says("of those never seen, 96.1 % and 96.3 %", zero_shots["unseen", "one prompt"], zero_shots["unseen", "18 prompts"], within=5)
given("94.0 % of the digits (standard deviation 2.1) in combinations never seen are named, and 93.8 % (1.1) in those seen", "With a decay of 0.1 it is 84.6 % (7.6; the worst seed 74 %) and 92.7 % (0.8)", "the weight decay of 0.5 in the cell that trains",
      "If only the matrices decay, by 0.5,", "87.8 % (3.9) and 93.6 % (1.1)")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Of the combinations that were seen, 94.7 % of the digits are named with one prompt and 94.7 % with 18; of those never
seen, 96.1 % and 96.3 %. The ensemble gains nothing here, and a new combination costs nothing: this is the honest test of
"zero-shot", since a model that has learned every pair by heart would name no red zero.

That does not follow from the loss, which says nothing about red zeros. It depends on the weight decay of 0.5 in the cell
that trains. From five seeds, 94.0 % of the digits (standard deviation 2.1) in combinations never seen are named, and
93.8 % (1.1) in those seen. With a decay of 0.1 it is 84.6 % (7.6; the worst seed 74 %) and 92.7 % (0.8). It is tempting
to say that small weights leave little room for learning each pair separately. But the decay pulls at all parameters,
biases and the scale $s$ among them, which ends near 11. If only the matrices decay, by 0.5, $s$ ends near 23, and it is
87.8 % (3.9) and 93.6 % (1.1): small matrices alone do not explain the gain.
</details>

## 4 A picture and a question (optional)

### 4.1 Scenes, regions and questions

CLIP compares two finished vectors. For "what is left of the two" the words have to look at the picture. Here are scenes
of lesson 6, each as up to six **regions**, the cells in which a trained network sees a digit, and questions about them.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
asked_about = draw_scenes(4, seed=3, part="held_out")
some_questions = ask_questions(asked_about, seed=3)
plots.show_scenes(asked_about.images, asked_about.captions, asked_about.boxes, title="Four held-out scenes")
for scene, words, answer in zip(some_questions.scene.tolist(), some_questions.words, some_questions.answers.tolist()):
    print(f"scene {scene}: {' '.join(words)}? {ANSWERS[answer]}")

# %% [markdown]
r"""
### 4.2 Co-attention

ViLBERT (Lu et al. 2019) keeps two streams, one for regions and one for words. In a **co-attention** block each stream
asks with its **own** queries and gets the **other's** keys and values (cross-attention, both ways). The rest is as in
every block (post-norm, as in BERT).

$$I_1 = \mathrm{norm}(I + \mathrm{Att}(I, T)) \qquad T_1 = \mathrm{norm}(T + \mathrm{Att}(T, I))
\qquad I_2 = \mathrm{norm}(I_1 + \mathrm{FF}(I_1)) \qquad T_2 = \mathrm{norm}(T_1 + \mathrm{FF}(T_1))$$

Both attentions read the streams **as they came in**. Each mask belongs to the stream whose keys are hidden. Dropout
acts on what is added, as in lesson 3.

**Which arrows make this co-attention and not two self-attentions?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (new regions) | (new words)
    f1 = [feed-forward] | f2 = [feed-forward]
    a1 = [image attention] | a2 = [text attention]
    (regions: N_R × D) | (words: N_W × D)
    regions -> a1: queries
    words -> a1
    words -> a2: queries
    regions -> a2: keys and values
    a1 -> f1
    a2 -> f2
    f1 -> new regions
    f2 -> new words
""", title="Co-attention: each side asks the other");

# %% [markdown]
r"""
**Exercise 9 (optional).** ●●● Write the forward of `CoAttentionBlock`. `self.image_attention(queries, keys, allowed=...)`
gives `(Y, A)`; `allowed` has to broadcast to `(B, heads, N_Q, N_K)`.

<details><summary>Hint: which mask where</summary>

When regions ask, the keys are words. So which of the two masks, `image_allowed` or `text_allowed`, hides keys there?
</details>
"""

# %% nbgrader={"grade_id": "CoAttentionBlock", "solution": true}
class CoAttentionBlock(nn.Module):
    """Two streams, each with its own queries and the other's keys and values (Lu et al. 2019, figure 2b)."""

    def __init__(self, model_width, num_heads, hidden_width, dropout=0.0):
        super().__init__()
        self.image_attention = layers.MultiHeadAttention(model_width, num_heads, dropout)
        self.text_attention = layers.MultiHeadAttention(model_width, num_heads, dropout)
        self.image_feed_forward = layers.FeedForward(model_width, hidden_width, dropout, "gelu")
        self.text_feed_forward = layers.FeedForward(model_width, hidden_width, dropout, "gelu")
        self.image_norm_1, self.image_norm_2 = layers.LayerNorm(model_width), layers.LayerNorm(model_width)
        self.text_norm_1, self.text_norm_2 = layers.LayerNorm(model_width), layers.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, image, text, image_allowed=None, text_allowed=None):
        """Return (image (B, N_I, D), text (B, N_T, D), A_image (B, H, N_I, N_T), A_text (B, H, N_T, N_I)).

        image_allowed: None or (B, N_I), text_allowed: None or (B, N_T); bool, True where a region or a word may be attended to.
        """
        ### BEGIN SOLUTION Let each stream attend to the other as it came in; then residual, norm, feed-forward, residual, norm.
        of_image = None if image_allowed is None else image_allowed[:, None, None]
        of_text = None if text_allowed is None else text_allowed[:, None, None]
        to_image, A_image = self.image_attention(image, text, allowed=of_text)
        to_text, A_text = self.text_attention(text, image, allowed=of_image)
        image = self.image_norm_1(image + self.dropout(to_image))
        text = self.text_norm_1(text + self.dropout(to_text))
        image = self.image_norm_2(image + self.dropout(self.image_feed_forward(image)))
        text = self.text_norm_2(text + self.dropout(self.text_feed_forward(text)))
        return image, text, A_image, A_text
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-CoAttentionBlock", "grade": true}
check("CoAttentionBlock")

# %% [markdown]
r"""
### 4.3 A small ViLBERT

Each co-attention block is followed by an ordinary block in each stream, and the answer is read off the first token,
START (BERT's [CLS]). This model is given. The real one is *pretrained* on three million pictures with captions: it
predicts masked words and regions, and whether a caption belongs to a picture.
"""

# %%
@dataclass(frozen=True)
class ViLBERTConfig:
    """The sizes of a ViLBERT."""

    vocab_size: int = len(question_vocabulary())
    answers: int = len(ANSWERS)
    region_width: int = 32
    max_length: int = 12
    model_width: int = 64
    num_heads: int = 4
    num_blocks: int = 2
    hidden_width: int = 128


class ViLBERT(nn.Module):
    """Regions and words, each a stream: co-attention and a block of its own, several times (Lu et al. 2019)."""

    def __init__(self, config):
        super().__init__()
        c, D = config, config.model_width
        self.regions = nn.Linear(c.region_width, D)
        self.tokens = nn.Embedding(c.vocab_size, D)
        self.positions = nn.Parameter(0.1 * torch.randn(c.max_length, D))
        self.co_attention = nn.ModuleList(CoAttentionBlock(D, c.num_heads, c.hidden_width) for _ in range(c.num_blocks))
        own = (D, c.num_heads, c.hidden_width, 0.0, "post", "gelu")
        self.image_blocks = nn.ModuleList(layers.EncoderBlock(*own) for _ in range(c.num_blocks))
        self.text_blocks = nn.ModuleList(layers.EncoderBlock(*own) for _ in range(c.num_blocks))
        self.head = nn.Linear(D, c.answers)

    def forward(self, features, real, ids):
        """Return (logits (B, answers), the weights (B, H, T, R) with which words look at regions, of each co-attention block).

        features: (B, R, region_width); real: (B, R), False where there is no region; ids: (B, T), 0 is padding.
        """
        image, words, weights = self.regions(features), ids != 0, []
        text = self.tokens(ids) + self.positions[: ids.shape[1]]
        for together, of_image, of_text in zip(self.co_attention, self.image_blocks, self.text_blocks):
            image, text, _, A_text = together(image, text, real, words)
            image, _ = of_image(image, real[:, None, None])
            text, _ = of_text(text, words[:, None, None])
            weights.append(A_text)
        return self.head(text[:, 0]), weights

# %% [markdown]
r"""
**Exercise 10 (optional).** ● `my_answers` returns the `ViLBERT` that you train and hand in; the rules of `my_clip` hold.
Keep the vocabulary, the answers and the width of a region. The cell trains it in about two minutes on two idle cores
and writes `answers.safetensors`.

The check asks about new scenes of held-out handwriting. At least 93 % of the answers right earn full points. Each
of two controls must lower that share by at least 25 percentage points: no picture (no region is real), and the pictures of
other questions.

**Before you run it:** half of each batch are yes-or-no questions such as "is the five above the two". If all other
questions were answered and these guessed, how large would the loss be? Sketch the loss over the steps, with that level
in it.
"""

# %% nbgrader={"grade_id": "my_answers", "solution": true}
def my_answers():
    """Return the model whose weights are handed in as answers.safetensors, with new weights."""
    ### BEGIN SOLUTION Return a ViLBERT with the words, answers and regions of this lesson.
    return ViLBERT(ViLBERTConfig())
    ### END SOLUTION

# %% tags=["experiment", "slow"]
question_words = question_vocabulary()


def regions_and_questions(scenes, seed, **asked):
    """Return (features, real, cells, questions, ids): the regions of each scene, and questions about them."""
    questions = ask_questions(scenes, seed, **asked)
    return *scene_regions(scenes.images), questions, question_words.batch(questions.words)[0]


QUESTION_SEED, QUESTION_STEPS = 0, 3000
features, real, _, questions, question_ids = regions_and_questions(draw_scenes(9000, QUESTION_SEED, "train", variation=1.0), QUESTION_SEED, times=4)
yes_or_no = questions.kinds == KINDS.index("relation")
groups = [chosen.nonzero()[:, 0] for chosen in (yes_or_no, ~yes_or_no)]


def draw_questions(generator):
    """Return a random batch, half of it yes-or-no: regions, which are real, the question's words and the answers."""
    rows = torch.cat([group[torch.randint(len(group), (64,), generator=generator)] for group in groups])
    scenes = questions.scene[rows]
    return features[scenes], real[scenes], question_ids[rows], questions.answers[rows]


def loss_of_answers(model, batch):
    """Return the cross-entropy of the answers."""
    return F.cross_entropy(model(*batch[:3])[0], batch[3])


torch.manual_seed(QUESTION_SEED)
answering = my_answers()
history = fit(answering, loss_of_answers, draw_questions, steps=QUESTION_STEPS, learning_rate=2e-3, warmup=200, train=own_train(),
              seed=QUESTION_SEED, checkpoint="answers.safetensors", resume=True)
answering.cpu()
plots.show_losses(history.losses, smooth=50, title="Learning to answer; grey: all but yes or no").axhline(math.log(2) / 2, color="grey", linewidth=0.8)
history

# %% nbgrader={"grade_id": "check-my_answers", "grade": true}
check("my_answers")

# %% [markdown]
r"""
**Before you run it:** what can be answered without the picture? Guess a share for each kind of question.
"""

# %% tags=["experiment"]
new_scenes = draw_scenes(1000, seed=41, part="held_out")
new_features, new_real, new_cells, new_questions, new_ids = regions_and_questions(new_scenes, 41)
rows = new_questions.scene
with torch.no_grad():
    said = {
        "as it is": answering(new_features[rows], new_real[rows], new_ids)[0],
        "another picture": answering(new_features[rows.roll(7)], new_real[rows.roll(7)], new_ids)[0],
        "no picture": answering(torch.zeros_like(new_features[rows]), torch.zeros_like(new_real[rows]), new_ids)[0],
    }
answered = {}
frequent = torch.stack([questions.answers[questions.kinds == kind].mode().values for kind in range(len(KINDS))])   # in the training
said["a guess, by the kind of question"] = F.one_hot(frequent[new_questions.kinds], len(ANSWERS))
for name, logits in said.items():
    right = (logits.argmax(dim=1) == new_questions.answers).double()
    answered[name] = {kind: right[new_questions.kinds == KINDS.index(kind)].mean().item() for kind in KINDS}
    answered[name]["all"] = right.mean().item()
    print(f"{name:33}" + "   ".join(f"{kind} {share:.0%}" for kind, share in answered[name].items()))

# %% tags=["numbers"]
says("would be right in 39.2 %", answered["a guess, by the kind of question"]["all"], within=6)
says("is answered right in 12 %, the most frequent number in 51 %", answered["no picture"]["how many"], answered["a guess, by the kind of question"]["how many"], within=3)
claims("both are *below* a guess", max(answered[name]["all"] for name in ("another picture", "no picture")) < answered["a guess, by the kind of question"]["all"])
says("With its picture, the model answers 99.0 % of the questions right; with another one 36.0 %, and without any 29.2 %", *(answered[name]["all"] for name in ("as it is", "another picture", "no picture")), within=6)
given("(From five seeds, 98.3 % of all questions are answered right, standard deviation 0.6.)")
says("half of log 2, 0.347", 2, math.log(2) / 2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With its picture, the model answers 99.0 % of the questions right; with another one 36.0 %, and without any 29.2 %. The
most frequent answer to each kind of question, whatever the picture, would be right in 39.2 %: so both are *below* a
guess. Without a picture, which it never met in training, "how many digits" is answered right in 12 %, the most frequent
number in 51 %. So compute the guess, too.

The loss above fell slowly towards the grey line, half of log 2, 0.347, and then suddenly far below it. A yes or no takes
more than naming a digit: both digits have to be found, their places compared, and the outcome compared with the word. A
model that lacks any one of these skills can only guess, and the loss does not tell which one is missing. (From five
seeds, 98.3 % of all questions are answered right, standard deviation 0.6.)
</details>

### 4.4 Where does it look?

Hide a region from the model: `real` says which may be attended to.

**Before you run it:** hide what the question asks about, or another digit, or everything else. What will be left of the
right answers?
"""

# %% tags=["experiment"]
centres = (new_scenes.boxes[..., :2] + new_scenes.boxes[..., 2:]) // 2 // 4          # (scenes, 3, 2): column, row
cell_of = centres[..., 1] * 10 + centres[..., 0]
here = (new_cells[rows][:, :, None] == cell_of[rows][:, None]) & new_questions.about[:, None]
is_about = here.any(dim=2)                                                        # (questions, regions)
there = new_real[rows]
another = F.one_hot((there & ~is_about).int().argmax(dim=1), there.shape[1]).bool()     # of the other regions, the one that is surest
hidden = {}
for kind in ("how many of one", "size"):
    chosen = (new_questions.kinds == KINDS.index(kind)) & is_about.any(dim=1) & (there & ~is_about).any(dim=1)
    for name, kept in (("nothing", there), ("what is asked about", there & ~is_about), ("another", there & ~another), ("all others", there & is_about)):
        with torch.no_grad():
            best_answers = answering(new_features[rows][chosen], kept[chosen], new_ids[chosen])[0].argmax(dim=1)
        hidden[kind, name] = (best_answers == new_questions.answers[chosen]).double().mean().item()
        print(f"{kind:16} hidden: {name:20} {hidden[kind, name]:.1%} right, {(best_answers == ANSWERS.index('zero')).double().mean():.0%} of all answers are zero")

# %% tags=["numbers"]
says("When digits are counted, 98 % of the answers are right, 5 % with what is asked about hidden, 98 % with another one hidden, and 97 % with all others hidden",
     *(hidden["how many of one", name] for name in ("nothing", "what is asked about", "another", "all others")), within=2)
says("For sizes it is 100 %, 42 %, 100 % and 100 %", *(hidden["size", name] for name in ("nothing", "what is asked about", "another", "all others")), within=3)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

When digits are counted, 98 % of the answers are right, 5 % with what is asked about hidden, 98 % with another one
hidden, and 97 % with all others hidden. For sizes it is 100 %, 42 %, 100 % and 100 %. So the model needs the region that
the question is about, and no other. (Of three sizes, one can be guessed.)
</details>

### Written question 2 (2 points, graded by hand, optional)

- (a) A colleague's model answers 71 % of all questions right, "far better than chance, which is one in fifteen". Which
  two controls would you ask for, and what would you expect of each?
- (b) CLIP finds a picture among a million in milliseconds; ViLBERT cannot. Why? And why can CLIP's vectors not answer
  "is the five above the two" for every scene and question as well as ViLBERT?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-two-streams", "grade": true, "solution": true, "points": 2}
r"""
(a) The questions without a picture, and with another question's picture; compare both with a guess from the question
alone, the most frequent answer of each kind. Many answers can be guessed: yes or no is right half of the time, and some
numbers are more frequent. If the guess is right in 60 %, only the last 11 in a hundred show that the model looks. With
another picture, or none, it should fall to the guess or below it, as ours does: it was never trained to guess. If it
does not fall, it does not look at all.

(b) CLIP's vectors of pictures do not depend on the question, so they are computed once and searched with a product (or
an index). ViLBERT mixes words and regions from the first block on, so every pair of picture and question has to go
through the whole model. In CLIP, all that will ever be asked has to be in one vector before the question is known, and
only a dot product compares the two; the relations of all pairs of digits do not fit well, while ViLBERT's words can
look for what they name.

=== BEGIN MARK SCHEME ===

- 1 point: (a) without a picture and with another picture, and that guessing from the question is well above one in
  fifteen (half a point for one control with its expectation). A guess computed from the question alone counts as one of
  the two. "About as a guess" and "below a guess" are both right.
- 1 point: (b) independent vectors can be computed ahead, joint attention cannot (half a point); one vector made before
  the question is known, compared by one product (half a point).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 5 A loss that is learned, too (optional)

A generative adversarial network (Goodfellow et al. 2014) has two players. The generator $G$ turns noise into samples;
the discriminator $D$ gives the probability that a sample is real. With $D(x) = \sigma(\text{logit})$:

$$L_D = -\mathbb{E} \log D(x) - \mathbb{E} \log(1 - D(G(z)))$$
$$L_G^{\text{minimax}} = \mathbb{E} \log(1 - D(G(z))) \qquad L_G^{\text{non-saturating}} = -\mathbb{E} \log D(G(z))$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (D: real or made?)
    [discriminator]
    (made picture) | (real picture)
    [generator]
    (noise)
    noise -> generator
    generator -> made picture
    made picture, real picture -> discriminator
    discriminator -> D
""", title="A loss that is learned: two networks play");

# %% [markdown]
r"""
**Exercise 11 (optional).** ●● Write `gan_losses`, from logits. At a logit of −300, $D$ is 0 in float32 and its logarithm
is $-\infty$, yet the losses are finite. Yours must stay finite, too.

<details><summary>Hint</summary>

$\log \sigma(x)$ is `F.logsigmoid(x)`, and $1 - \sigma(x) = \sigma(-x)$.
</details>
"""

# %% nbgrader={"grade_id": "gan_losses", "solution": true}
def gan_losses(real, fake):
    """Return (the discriminator's loss, the generator's in the minimax game, the generator's that does not saturate).

    real, fake: the discriminator's logits (n,) and (m,) for real samples and for generated ones. Each expectation is a mean, and each loss one number.
    """
    ### BEGIN SOLUTION Write the three losses with log-sigmoids of the logits.
    discriminator = -F.logsigmoid(real).mean() - F.logsigmoid(-fake).mean()
    return discriminator, F.logsigmoid(-fake).mean(), -F.logsigmoid(fake).mean()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-gan_losses", "grade": true}
check("gan_losses")

# %% [markdown]
r"""
### 5.1 The best discriminator

If real samples have the density $p$ and generated ones $q$, the best discriminator is $D^*(x) = p(x) / (p(x) + q(x))$,
and where $p = q$ its loss is $2 \log 2$.

Where $D$ is sure that a sample is fake, at a logit of −6, the minimax loss has a gradient of −0.0025, just where the
generator needs it most; the other one has −0.9975.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
logit = torch.linspace(-8, 8, 100)
losses = {"minimax": F.logsigmoid(-logit), "does not saturate": -F.logsigmoid(logit)}
plots.show_curves(logit, losses, "logit of a generated sample", "the generator's loss", "Where D is sure of a fake, minimax is flat");

# %% [markdown]
r"""
### 5.2 Two moons, and modes that are missing

The generator has to make points on two half circles. Nothing in the game says that it has to make **all** of them.

**Before you run it:** half of the generated points should be near the upper moon. What happens if the discriminator
takes five steps for each of the generator's, and what if the generator takes five? The control is a longer game of one
to one, 2000 rounds in place of 400: its discriminator has taken as many steps as that of five to one.
"""

# %% tags=["experiment", "slow"]
def draw_moons(count, generator):
    """Return points (count, 2) on two half circles, with a little noise, and which of the two each lies on."""
    angle, upper = math.pi * torch.rand(count, generator=generator), torch.rand(count, generator=generator) < 0.5
    x, y = torch.where(upper, angle.cos(), 1 - angle.cos()), torch.where(upper, angle.sin(), 0.5 - angle.sin())
    return torch.stack((x, y), dim=1) + 0.05 * torch.randn(count, 2, generator=generator), upper


def play(judge_steps, maker_steps, rounds=400):
    """Return 500 points of a generator after so many rounds of the game."""
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    maker = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 2))
    judge = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    steps = {model: torch.optim.Adam(model.parameters(), lr=2e-3, betas=(0.5, 0.9)) for model in (maker, judge)}
    for _ in range(rounds):
        for model, times, which in ((judge, judge_steps, 0), (maker, maker_steps, 2)):
            for _ in range(times):
                fake = maker(torch.randn(128, 4, generator=generator))
                loss = gan_losses(judge(draw_moons(128, generator)[0])[:, 0], judge(fake)[:, 0])[which]
                steps[model].zero_grad()
                loss.backward()
                steps[model].step()
    with torch.no_grad():
        return maker(torch.randn(500, 4, generator=generator))


real_points, upper = draw_moons(500, torch.Generator().manual_seed(1))
covered = {}
points = {"real, drawn anew": draw_moons(500, torch.Generator().manual_seed(2))[0]} | {f"{a} to {b} steps": play(a, b) for a, b in ((1, 1), (5, 1), (1, 5))}
points["1 to 1, 2000 rounds"] = play(1, 1, rounds=2000)
_, axes = plt.subplots(1, 5, figsize=(11, 2.4), layout="constrained", sharex=True, sharey=True)
for ax, (name, each) in zip(axes, points.items()):
    near = torch.cdist(each, real_points).argmin(dim=1)
    covered[name] = near.unique().numel() / 500
    ax.scatter(*each.T, s=3)
    ax.set(title=name, xlabel="x")
    print(f"{name:19} near the upper moon {upper[near].double().mean():.0%}, real points that are some sample's nearest {covered[name]:.0%}")
axes[0].set_ylabel("y");

# %% tags=["numbers"]
claims("five steps for each of the generator's cover the most", max(list(covered)[1:4], key=covered.get) == "5 to 1 steps")
claims("and still less than real samples do", covered["5 to 1 steps"] < covered["real, drawn anew"])
claims("one to one covers nearly as much after 2000 rounds", covered["1 to 1, 2000 rounds"] > covered["1 to 1 steps"] + 0.1)
claims("ends in one spot", covered["1 to 5 steps"] < 0.1)
given("44 % of the real points are some sample's nearest with five to one, 19 % with one to one, 41 % after 2000 rounds, and 3 % with one to five; with real samples 56 %")

# %% tags=["numbers"]
given("at a logit of −6, the minimax loss has a gradient of −0.0025", "the other one has −0.9975")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Of the three games of 400 rounds, five steps for each of the generator's cover the most, and still less than real
samples do. But most of that is the number of steps: one to one covers nearly as much after 2000 rounds. A generator that
takes five steps against one runs to where the discriminator is weakest at the moment, and ends in one spot: **mode
collapse**. (Means of five seeds: 44 % of the real points are some sample's nearest with five to one, 19 % with one to
one, 41 % after 2000 rounds, and 3 % with one to five; with real samples 56 %.) No number of the game falls steadily:
look at the samples, and count.
</details>

## 6 What to take along

- A contrastive loss is a cross-entropy over a batch. The choice of pairs decides what is learned.
- What is compared by a dot product can be searched; what looks at each other can answer questions.
- A control that must hurt says whether the picture was used at all; hiding one region says which part of it was.

**With real pictures.** `course_lib.data.local_clip(folder)` loads CLIP's weights from a folder in Hugging Face's format
with `transformers` (`pip install "attention-course[clip]"`); its vectors go straight into `clip_loss`, `retrieval_at_k`
and `zero_shot`.

### Sources

T. Chen et al., *A simple framework for contrastive learning of visual representations*, ICML 2020 (SimCLR). X. Chen, K.
He, *Exploring simple Siamese representation learning*, CVPR 2021. A. van den Oord, Y. Li, O. Vinyals, *Representation
learning with contrastive predictive coding*, 2018. A. Radford et al., *Learning transferable visual models from natural
language supervision*, ICML 2021 (CLIP). J. Yang et al., *Unified contrastive learning in image-text-label space*, CVPR 2022.
J. Lu et al., *ViLBERT: pretraining task-agnostic visiolinguistic representations for vision-and-language tasks*,
NeurIPS 2019. I. Goodfellow et al., *Generative adversarial nets*, NeurIPS 2014. S. Jayasumana, *Attention-based
models*, lecture. Z. Kira, *Transformers continued, Vision Transformers*, CS 4644/7643, Georgia Tech. Digits: E.
Alpaydin, C. Kaynak, *Optical recognition of handwritten digits*, UCI, 1998.
"""
