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
# 4 The Transformer

Lesson 3 built the blocks. Here you stack them into the encoder, the decoder and the whole model of Vaswani et al.
(2017), train it to copy and to reverse on one core in under a minute, find out how it does it and where it fails, and
count the parameters of sixteen well-known models.

| section | the one change | exercise |
|---|---|---|
| 1 | blocks on top of each other | `Encoder`, `Decoder`, written question 1 |
| 2 | ids in, logits of the next id out | `Transformer` |
| 3 | nothing changes: the model learns to copy and to reverse | written question 2 |
| 4 | only the sizes change | `parameter_count` (optional) |

**Before you begin.** Lessons 1 to 3. Plan about three hours; the optional parts take about half an hour more. You may
leave out what is marked "(optional)"; its points count unless your teacher says otherwise. The solution runs in about a
minute.

## How this notebook works

- In an exercise, replace the line `raise NotImplementedError(...)`, whose text says what to write: about ten lines at
  most. The cell after an exercise is its **check**.
- ●: a few lines. ●●: think about shapes or a formula first, about 25 minutes. ●●●: about an hour;
  begin with an example that you can check by hand.
- Answer the question before each experiment (clicks are never graded); then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype, leaves its arguments unchanged, accepts
  any memory layout, lets gradients through and works for a batch of one.
- The blocks, the positions and the masks of lessons 1 to 3 are ready-made in `course_lib.layers`.
- This lesson forbids `nn.Transformer` and its encoder, decoder and layers, and `Encoder`, `Decoder` and `Transformer`
  of `course_lib.layers`.

**Notation.** As in lessons 1 to 3: one row of $X$ is one word (or patch, or whatever is attended to).

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $H$ | `B`, `H` | sequences in a batch, heads | batch size, $h$ or `nhead` |
| $N$, $N_S$, $N_T$ | the same | length of a sequence; of the source, of the target | sequence length; in Vaswani et al. $N$ is the number of blocks |
| $D$ | `model_width` | width of every row between blocks | $d_\text{model}$, `hidden_size` |
| – | `hidden_width` | width inside the feed-forward part, usually $4D$ | $d_\text{ff}$, `dim_feedforward`, `intermediate_size` |
| $X$, $Y$ | `X`, `Y`, `(B, N, D)` | rows before and after a block | hidden states; what the blocks add to is the residual stream |
| $P$ | `P` | position vectors, `(N, D)` | positional encodings |
| $A$ | `A`, `(B, H, N_Q, N_K)` | attention weights | attention map, `attn_weights` |
| – | `allowed` | mask; **True means "may attend"**; broadcasts to `(B, H, N_Q, N_K)` | attention mask |
| – | `memory`, `(B, N_S, D)` | the encoder's output, which the decoder looks at | `memory`, `encoder_hidden_states` |
| – | block | attention, feed-forward, norms and residual connections | layer (`TransformerEncoderLayer`) |
| – | `norm="post"`, `"pre"` | where the norms are | Post-LN, Pre-LN; `norm_first=True` |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.transformer import check
from course_lib import devices, layers, plots
from course_lib.layers import DecoderBlock, EncoderBlock, LayerNorm, TransformerConfig, padding_mask, sinusoidal_positions
from course_lib.predictions import came_out, predict
from course_lib.tables import Table

torch.set_num_threads(1)            # the tensors of this lesson are small: two threads would mostly wait for each other
device = devices.pick_device()
devices.describe()

# %% [markdown]
r"""
## 1 Blocks on top of each other

An encoder is 6 blocks in the original (the paper calls this number $N$), each with its own weights; the output of one
is the input of the next. In pre-norm the last block's sum is not normalised, so a pre-norm encoder ends with one more
LayerNorm. A post-norm encoder does not.

**Exercise 1.** ● Write `Encoder`. Shapes: `X (B, N, D)` in and out; the weights of all blocks are collected in a list,
first block first. All blocks get the same mask.

<details><summary>Hint: a list of blocks</summary>

`nn.ModuleList([...])` instead of a plain list, or PyTorch does not see the parameters. And `[EncoderBlock(...)] * 6` is
six times the *same* block; a comprehension makes six.
</details>
<details><summary>Hint: the last norm</summary>

It exists only for pre-norm, and is named `self.norm`. For post-norm use `nn.Identity()`, which returns its input.
</details>
"""

# %% nbgrader={"grade_id": "Encoder", "solution": true}
class Encoder(nn.Module):
    """Encoder blocks, one after the other, in `blocks`; and for norm="pre" a last LayerNorm, `norm`."""

    def __init__(self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        ### BEGIN SOLUTION Make `blocks`, a ModuleList of independent encoder blocks, and for pre-norm the last `norm`.
        self.blocks = nn.ModuleList(
            EncoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation) for _ in range(num_blocks))
        self.norm = LayerNorm(model_width) if norm == "pre" else nn.Identity()
        ### END SOLUTION

    def forward(self, X, allowed=None):
        """Return (Y, weights) for X (B, N, D): rows Y (B, N, D) and a list with A (B, H, N, N) of each block.

        allowed: None or a bool tensor that broadcasts to (B, H, N, N); True means "may attend".
        """
        ### BEGIN SOLUTION Send X through all blocks and the last norm; return it with the list of the weights.
        weights = []
        for block in self.blocks:
            X, A = block(X, allowed)                           # (B, N, D), (B, H, N, N)
            weights.append(A)
        return self.norm(X), weights
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-Encoder", "grade": true}
check("Encoder")

# %% [markdown]
r"""
Both encoders below have 24 blocks and random weights.

**Before you run it:** draw the root mean square of the rows after each block, for post-norm and for pre-norm. How much
does the last block of the pre-norm encoder change, compared with the first?
"""

# %% tags=["experiment"]
X = torch.randn(8, 16, 64, generator=torch.Generator().manual_seed(0))          # (B, N, D)
sizes, changes = {}, {}

with torch.no_grad():
    for norm in ("post", "pre"):
        torch.manual_seed(0)
        encoder = Encoder(24, 64, 4, 256, norm=norm)
        for parameter in encoder.parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)                               # as Vaswani et al. drew them
        stream = [X]
        for block in encoder.blocks:
            stream.append(block(stream[-1])[0])                                 # (B, N, D)
        sizes[f"{norm}-norm"] = [rows.square().mean().sqrt() for rows in stream]
        changes[f"{norm}-norm"] = [(after - before).norm() / before.norm() for before, after in zip(stream, stream[1:])]

plots.show_curves(range(25), sizes, "after this many blocks", "root mean square", "Size of the rows")
plots.show_curves(range(1, 25), changes, "block", "change / size before", "How much each block changes its rows");

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("from 1 to 5.1", sizes["pre-norm"][0], sizes["pre-norm"][-1])
says("69 % of their size and the last one by 23 %", changes["pre-norm"][0], changes["pre-norm"][-1])
says("by 63 % to 99 %", min(changes["post-norm"]), max(changes["post-norm"]))
claims("exactly 1 after every block", max(abs(size - 1) for size in sizes["post-norm"][1:]) < 1e-3)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Post-norm: exactly 1 after every block. Pre-norm: the sum is never normalised, so it grows with every block, from 1 to
5.1. The first block changes its rows by 69 % of their size and the last one by 23 %, while in post-norm each changes
them by 63 % to 99 %. Written question 1 asks why.
</details>

**Exercise 2.** ●● Write `Decoder`, in the same way, from `DecoderBlock`s. It collects only the weights of the
cross-attention, `A_cross (B, H, N_T, N_S)`: those show at which places of the source each word looked.

<details><summary>Hint</summary>

Every block gets the *same* memory, the encoder's final rows. A block returns `(Y, (A_self, A_cross))`.
</details>
"""

# %% nbgrader={"grade_id": "Decoder", "solution": true}
class Decoder(nn.Module):
    """Decoder blocks, one after the other, in `blocks`; and for norm="pre" a last LayerNorm, `norm`."""

    def __init__(self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        ### BEGIN SOLUTION Make `blocks`, a ModuleList of independent decoder blocks, and for pre-norm the last `norm`.
        self.blocks = nn.ModuleList(
            DecoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation) for _ in range(num_blocks))
        self.norm = LayerNorm(model_width) if norm == "pre" else nn.Identity()
        ### END SOLUTION

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        """Return (Y, weights) for X (B, N_T, D) and memory (B, N_S, D).

        Returns rows Y (B, N_T, D) and a list with A_cross (B, H, N_T, N_S) of each block. The masks are those of
        DecoderBlock; True means "may attend".
        """
        ### BEGIN SOLUTION Send X through all blocks and the last norm; return it with the list of the A_cross.
        weights = []
        for block in self.blocks:
            X, (_, A_cross) = block(X, memory, allowed, memory_allowed)        # (B, N_T, D), (B, H, N_T, N_S)
            weights.append(A_cross)
        return self.norm(X), weights
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-Decoder", "grade": true}
check("Decoder")

# %% [markdown]
r"""
### Written question 1 (2 points, graded by hand)

- (a) Write down the derivative of one step with respect to $x$: of $\mathrm{norm}(x + f(x))$ and of
  $x + f(\mathrm{norm}(x))$, with $f'$ and $\mathrm{norm}'$ for the derivatives of the parts. Multiply the derivatives
  of $L$ such steps. What happens to the gradient that takes the *direct* way, past all the $f$, in each of the two?
- (b) Suppose that every pre-norm block adds to each row a vector of root mean square 1 that is independent of the row,
  and that the rows begin with 1. How large are they after $L$ blocks, and by which fraction of their size does block
  $L$ change them? Compare both with the pictures after exercise 1, at $L = 24$. What does this say about the last of a
  hundred blocks?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-norm", "grade": true, "solution": true, "points": 2}
r"""
(a) Post-norm: $\mathrm{norm}' \cdot (I + f')$. Pre-norm: $I + f' \cdot \mathrm{norm}'$. Multiplied over $L$ steps, the
direct way takes the $I$ in every bracket. In pre-norm it is $I \cdot I \cdots I = I$: the gradient of the last rows
arrives at the first block unchanged, whatever the depth; everything else is added to that. In post-norm the direct way
is the product of $L$ derivatives $\mathrm{norm}'$, each of which divides by $\sqrt{1 + v} > 1$. So it shrinks
geometrically with $L$. (The gradient as a whole does not die out in our experiment, since what returns *through* the
steps makes up for it; but then nearly all of it has passed through many steps.)

(b) The variances of independent vectors add up: after $L$ blocks the root mean square is $\sqrt{1 + L}$, and block $L$
adds 1 to rows of size $\sqrt{L}$, a fraction of $1/\sqrt{L}$. At $L = 24$ that is 5.0 and 0.20; the pictures show 5.1
and 0.23. (What is added is not quite independent, and it grows a little: the first block adds 0.7, the last 1.1. It
cannot grow much, since each block computes it from *normalised* rows.) The last of a hundred blocks would change its
rows by a tenth. That is the price of pre-norm: late blocks contribute less than their number suggests, while in
post-norm each changes its rows by most of their size.

=== BEGIN MARK SCHEME ===

- 1 point: (a) both derivatives, and the conclusion that the direct way is the identity in pre-norm but a product of $L$
  norms' derivatives (shrinking) in post-norm (half a point if only one of the two is right, or if "residual connection"
  is named without saying what differs).
- 1 point: (b) $\sqrt{1 + L}$ and $1/\sqrt{L}$ with the comparison at 24, and the conclusion that late blocks change
  ever less (half a point for the conclusion without the two roots, or for the roots without the comparison).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 2 Ids in, logits out

The input is *ids*: whole numbers, one for each token, `source (B, N_S)` and `target (B, N_T)`. The output is the
**logits** of the next id at every position of the target:

$$\begin{aligned}
\text{embed}(\text{ids}) &= \mathrm{dropout}(\sqrt{D} \cdot \text{embedding}(\text{ids}) + P) \\
\text{memory} &= \mathrm{encoder}(\text{embed}(\text{source})) \\
Y &= \mathrm{decoder}(\text{embed}(\text{target}), \text{memory}) \\
\text{logits} &= Y\, W_\text{out}^\top \qquad W_\text{out} \text{ of shape vocabulary} \times D
\end{aligned}$$

**Three attentions, two kinds of masks.** Which mask belongs to which box?
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (logits: N_T × vocabulary)
    . | [output]
    (memory: N_S × D) | (Y: N_T × D)
    . | [feed-forward]
    inner = [feed-forward] | [cross-attention]
    [self-attention] | [masked self-attention]
    in = {+} | out = {+}
    (source ids: N_S) | (target ids: N_T)
    source ids -> in: embedding · √D + positions
    target ids -> out: embedding · √D + positions
    in -> self-attention
    self-attention -> inner
    inner -> memory
    out -> masked self-attention
    masked self-attention -> cross-attention
    memory -> cross-attention
    cross-attention -> feed-forward
    feed-forward -> Y
    Y -> output
    output -> logits
    group encoder, 6 times: self-attention, inner
    group decoder, 6 times: masked self-attention, cross-attention, feed-forward
""", title="The Transformer (its norms and residual connections are left out)");

# %% [markdown]
r"""
**Tied output (weight tying).** The embedding is a table of $\text{vocabulary} \times D$ numbers, and so is
$W_\text{out}$. Vaswani et al. use *one* table for both (and for source and target): a word's logit is the dot product
of $Y$ with the vector of that word. *Untied*, the output has a table of its own.

**The factor $\sqrt{D}$.** As output, the table's entries should have standard deviation $1/\sqrt{D}$, so that a dot
product with a row of scale 1 has scale 1. As input they should be as large as the positional encodings: hence the
factor.

**Padding.** `source_lengths` says how many ids of each source are real. The others must be hidden *twice*: in the
encoder's self-attention, and in the decoder's cross-attention. Padding in the target needs no mask, since nobody looks
ahead; only the loss must leave it out.

The sizes are in a `TransformerConfig`: `config.vocab_size`, `model_width`, `num_heads`, `hidden_width`,
`encoder_blocks`, `decoder_blocks`, `dropout`, `norm`, `activation`, `tied`.

**Exercise 3.** ●●● Write `Transformer`, in three pieces: the parts, `embed`, and the forward. Write the shapes beside
each line.

<details><summary>Hint: the output</summary>

Tied: the logits are the products of each row of `Y` with the vector of each word, so the table of the embedding,
`(vocab_size, D)`, is the matrix. `F.linear(Y, matrix)` multiplies by the matrix transposed. And no `self.output` then.
Untied: `self.output`, a linear map without bias.
</details>
<details><summary>Hint: device and dtype of the positions</summary>

`sinusoidal_positions` makes its numbers in float32 on the CPU. `P.to(X)` brings them to the device and dtype of `X`.
</details>
<details><summary>Hint: the mask of the source</summary>

`padding_mask(source_lengths, N_S)` is `(B, 1, 1, N_S)` and fits both places as it is. Without `source_lengths` it is
`None`.
</details>
"""

# %% nbgrader={"grade_id": "Transformer", "solution": true}
class Transformer(nn.Module):
    """Encoder and decoder with one embedding for both (Vaswani et al. 2017). The sizes are those of `config`."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.model_width)
        nn.init.normal_(self.embedding.weight, std=config.model_width**-0.5)
        self.dropout = nn.Dropout(config.dropout)
        sizes = (config.model_width, config.num_heads, config.hidden_width, config.dropout, config.norm,
                 config.activation)
        ### BEGIN SOLUTION Make `encoder` and `decoder` (with *sizes) and, unless config.tied, `output` without bias.
        self.encoder = Encoder(config.encoder_blocks, *sizes)
        self.decoder = Decoder(config.decoder_blocks, *sizes)
        if not config.tied:
            self.output = nn.Linear(config.model_width, config.vocab_size, bias=False)
        ### END SOLUTION

    def embed(self, ids):
        """Return the rows (B, N, D) for ids (B, N): scaled word vectors plus positional encodings, with dropout."""
        ### BEGIN SOLUTION Return the embedded ids times the root of the width, plus the positional encodings, after dropout.
        X = self.embedding(ids) * math.sqrt(self.config.model_width)           # (B, N) -> (B, N, D)
        P = sinusoidal_positions(ids.shape[-1], self.config.model_width)       # (N, D)
        return self.dropout(X + P.to(X))                                       # (B, N, D)
        ### END SOLUTION

    def forward(self, source, target, source_lengths=None):
        """Return (logits, weights) for the ids source (B, N_S) and target (B, N_T).

        source_lengths: None or (B,), how many ids of each source are real; the others are hidden.
        Returns logits (B, N_T, vocab_size) and a list with A_cross (B, H, N_T, N_S) of each decoder block.
        """
        ### BEGIN SOLUTION Return the logits and the cross-attention weights: mask, encode, decode, score.
        allowed = None if source_lengths is None else padding_mask(source_lengths, source.shape[-1])   # (B, 1, 1, N_S)
        memory, _ = self.encoder(self.embed(source), allowed)                                          # (B, N_S, D)
        Y, weights = self.decoder(self.embed(target), memory, memory_allowed=allowed)                  # (B, N_T, D)
        table = self.embedding.weight if self.config.tied else self.output.weight                      # (vocab_size, D)
        return F.linear(Y, table), weights                                     # (B, N_T, vocab_size)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-Transformer", "grade": true}
check("Transformer")

# %% [markdown]
r"""
Looking ahead and looking at padding raise no error, and the first even makes the loss better. Both are found before
any training, by changing what must not matter.

**Before you run it:** a source of 7 ids, of which the last 2 are padding, and a target of 6. Which logits change if (a)
id 3 of the target is replaced, (b) a padding id of the source is replaced, (c) a real id of the source is replaced?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
model = Transformer(TransformerConfig(vocab_size=11, model_width=32, num_heads=4, hidden_width=64, encoder_blocks=2,
                                      decoder_blocks=2)).eval()
source, target, lengths = torch.randint(11, (1, 7)), torch.randint(11, (1, 6)), torch.tensor([5])


def replaced(ids, place):
    """Return a copy of ids (1, N) with another id at this place."""
    ids = ids.clone()
    ids[0, place] = (ids[0, place] + 1) % 11
    return ids


with torch.no_grad():
    logits, weights = model(source, target, lengths)                            # (1, 6, 11), 2 times (1, 4, 6, 7)
    others = {"(a) target id 3": model(source, replaced(target, 3), lengths)[0],
              "(b) source id 5, padding": model(replaced(source, 5), target, lengths)[0],
              "(c) source id 2": model(replaced(source, 2), target, lengths)[0]}
for name, other in others.items():
    moved = (other - logits).abs().amax(dim=-1)[0]                              # (6,)
    print(f"{name:25} changes the logits at positions {(moved > 1e-5).nonzero().flatten().tolist()}")
print("logits", tuple(logits.shape), " cross-attention", [tuple(A.shape) for A in weights])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

(a) Positions 3, 4 and 5, none before. (b) None. (c) All six, since every word of the target may look at the whole
source.
</details>
"""

# %% [markdown]
r"""
## 3 Copy and reverse

A small task with three things that translation has: variable lengths, an order that depends on the sentence, and an end
that the model must find itself. The source is a command and 4 to 8 letters; the answer is the letters, as they are or
backwards:

`copy k a d b <end>` → `k a d b <end>` and `reverse k a d b <end>` → `b d a k <end>`

We split the sources by the letter sum modulo 16 (a = 0, …, p = 15): training uses remainders 1 to 3, and remainder 0 is
**held out**. All shares of right letters and sequences below are of held-out sources.

The decoder's input, `target`, is the answer shifted by one; at each place it should say the next token (**teacher
forcing**). Where `answers` holds `<pad>`, the loss does not count (`ignore_index`).

**Before you run it:** for the source `reverse k a d b <end>`, write down what the decoder reads, and what it should
say.
"""

# %% tags=["experiment"]
LETTERS = "abcdefghijklmnop"
TOKENS = ["<pad>", "<start>", "<end>", "copy", "reverse", *LETTERS]
PAD, START, END, COPY, REVERSE, FIRST = range(6)                                # FIRST is the id of the letter a


def make_batch(count, generator, held_out=False, lengths=(4, 8)):
    """Return source (B, N + 2), number of real ids in each (B,), target (B, N + 1) and answers (B, N + 1)."""
    shortest, longest = lengths
    length = torch.randint(shortest, longest + 1, (count, 1), generator=generator)              # (B, 1)
    place = torch.arange(longest).expand(count, -1)                                             # (B, N)
    real = place < length                                                                       # (B, N)
    letters = torch.randint(16, (count, longest), generator=generator) * real                   # (B, N)
    rest = 0 if held_out else torch.randint(1, 4, (count,), generator=generator)                # (B,)
    letters[:, 0] = (letters[:, 0] - letters.sum(dim=1) + rest) % 16                            # now sum % 16 == rest
    command = torch.randint(COPY, REVERSE + 1, (count, 1), generator=generator)                 # (B, 1)
    turned = letters.gather(1, torch.where(command == REVERSE, length - 1 - place, place).clamp(min=0))

    def with_end(letters):
        """Return the ids of the letters, with <end> after the last and <pad> behind it (B, N + 1)."""
        ids = F.pad((letters + FIRST) * real, (0, 1), value=PAD)
        return ids.scatter(1, length, END)

    answers = with_end(turned)                                                                  # (B, N + 1)
    target = torch.cat([torch.full((count, 1), START), answers[:, :-1]], dim=1)                 # (B, N + 1)
    source = torch.cat([command, with_end(letters)], dim=1)                                     # (B, N + 2)
    return source, length[:, 0] + 2, target, answers


def words(ids):
    """Return one sequence of ids as text, without padding."""
    return " ".join(TOKENS[i] for i in ids.tolist() if i != PAD)


for source, length, target, answers in zip(*make_batch(3, torch.Generator().manual_seed(0))):
    print(f"source {words(source)}\n  decoder reads {words(target)}\n  should say    {words(answers)}")

# %% [markdown]
r"""
### 3.1 Training

Every step draws a fresh batch. The learning rate rises over the first 100 steps (warm-up) and then falls linearly to 0.
The model is pre-norm, with two blocks on each side, two heads and a width of 64.

**Before you run it:** what is the loss of a model that gives all 21 tokens the same logit? Will the untrained model be
above or below it? (The output is tied. Which token's vector does an untrained row still resemble?) Training takes about
half a minute without a GPU.
"""

# %% tags=["experiment", "slow"]
def train(model, steps, batch_size=64, peak=3e-3, warmup=100, seed=0):
    """Train the model on copy and reverse and return the losses of all steps."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=peak, betas=(0.9, 0.98), fused=True)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warmup, (steps - step) / (steps - warmup)))
    losses = []
    for _ in range(steps):
        source, lengths, target, answers = (ids.to(device) for ids in make_batch(batch_size, generator))
        logits, _ = model(source, target, lengths)                              # (B, N + 1, vocab_size)
        loss = F.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=PAD)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.detach())
    return torch.stack(losses).tolist()


torch.manual_seed(0)
model = Transformer(TransformerConfig(
    vocab_size=len(TOKENS), model_width=64, num_heads=2, hidden_width=256, encoder_blocks=2, decoder_blocks=2,
    dropout=0.0, norm="pre")).to(device)
batch = [ids.to(device) for ids in make_batch(500, torch.Generator().manual_seed(9), held_out=True)]
with torch.no_grad():
    first_said = model(batch[0], batch[2], batch[1])[0].argmax(dim=-1)                          # (500, N + 1)
copied = (first_said == batch[2])[batch[3] != PAD].float().mean().item()
print(f"untrained: the highest logit is that of the token it has just read at {copied:.0%} of the places")
losses = train(model, steps=600)
plots.show_losses(losses, smooth=25, title="Learning to copy and to reverse", logy=True);

# %% tags=["numbers"]
says(r"$\ln 21 = 3.04$", 21, math.log(21))
says("at 98 % of the places", copied, within=2)
given("rises from 0.2 to 0.6 in the two heads of the first block and to 0.8 in those of the second (means of five seeds)")
says("In our run the loss ends near 0.002.", sum(losses[-25:]) / 25, whole=True)


def untied_start(seed, source, lengths, target, answers):
    """Return the loss of an untrained model whose output is not tied, and how often it names the token it has just read."""
    torch.manual_seed(seed)
    fresh = Transformer(TransformerConfig(vocab_size=len(TOKENS), model_width=64, num_heads=2, hidden_width=256, encoder_blocks=2, decoder_blocks=2,
                                          dropout=0.0, norm="pre", tied=False)).to(source.device)
    with torch.no_grad():
        logits = fresh(source, target, lengths)[0]
    loss = F.cross_entropy(logits.flatten(0, 1), answers.flatten(), ignore_index=PAD).item()
    return loss, (logits.argmax(dim=-1) == target)[answers != PAD].float().mean().item()


says("(Without a tied output it starts near 3.2", sum(untied_start(seed, *batch)[0] for seed in range(3)) / 3, within=3)
claims("names that token at a few percent", max(untied_start(seed, *batch)[1] for seed in range(3)) < 0.1)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Equal logits would give $\ln 21 = 3.04$. The untrained model starts above 4: a row still resembles the vector of the
token it was made from, and with a tied output this token gets the highest logit, at 98 % of the places. So the
untrained model confidently copies the token it has just read; this is almost always wrong. (Without a tied output
it starts near 3.2, and names that token at a few percent of the places.) Between steps 100 and 200 the loss falls
quickly, while the weight of the cross-attention on the letter to be written rises from 0.2 to 0.6 in the two heads
of the first block and to 0.8 in those of the second (means of five seeds). In our run the loss ends near 0.002.
</details>

### 3.2 Does it do the task?

A low loss says that the model predicts the next letter well *when it is given the right letters before it*. In use it
has to write by itself, **autoregressively**: start with `<start>`, take the token with the highest logit (**greedy**
decoding), append it, ask again. A sequence counts as right if every token is right, up to and including `<end>`.

**Before you run it:** will the share of right sequences be above or below the share of right letters?
"""

# %% tags=["experiment"]
@torch.no_grad()
def write_greedily(model, source, source_lengths, steps):
    """Return the ids (B, steps) that the model writes: at every step the one with the highest score."""
    target = torch.full((len(source), 1), START, device=source.device)          # (B, 1)
    for _ in range(steps):
        logits, _ = model(source, target, source_lengths)                       # (B, N so far, vocab_size)
        target = torch.cat([target, logits[:, -1:].argmax(dim=-1)], dim=1)      # (B, N so far + 1)
    return target[:, 1:]


def measure(model, lengths=(4, 8), count=1000, seed=1):
    """Return the shares of right letters and of right sequences among held-out examples."""
    batch = make_batch(count, torch.Generator().manual_seed(seed), held_out=True, lengths=lengths)
    source, source_lengths, _, answers = (ids.to(device) for ids in batch)
    written = write_greedily(model.eval(), source, source_lengths, answers.shape[1])            # (B, N + 1)
    right = written == answers                                                                  # (B, N + 1)
    counted = answers != PAD
    return right[counted].float().mean().item(), (right | ~counted).all(dim=1).float().mean().item()


letters_right, sequences_right = measure(model)
print(f"1000 held-out sources: {letters_right:.2%} of the tokens right, {sequences_right:.2%} of the sequences right")
source, lengths, _, answers = (ids.to(device) for ids in make_batch(4, torch.Generator().manual_seed(2), held_out=True))
for row, written in zip(source, write_greedily(model, source, lengths, answers.shape[1])):
    print(f"{words(row):32} ->  {words(written)}")

# %% tags=["numbers"]
given("over five seeds, at least 99.8 percent of the sequences")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Below: a sequence of 5 to 9 tokens is right only if all of them are. Nearly all are: over five seeds, at least 99.8
percent of the sequences.
</details>

### 3.3 How does it do it?

At every place of the target, the cross-attention says which rows of the memory were looked at. That is a picture, so an
**ablation** follows: each of the four heads in turn is removed (its rows of $W_O$ set to 0).

**Before you run it:** sketch the weights for `copy` and for `reverse`. The query at `<start>` must produce the first
letter; where should it look? And the one that produces `<end>`? Which head can be spared?
"""

# %% tags=["experiment"]
for command in (COPY, REVERSE):
    letters = [FIRST + LETTERS.index(letter) for letter in "kadbgpf"]
    source = torch.tensor([[command, *letters, END]], device=device)                            # (1, 9)
    answer = letters[::-1] if command == REVERSE else letters
    target = torch.tensor([[START, *answer]], device=device)                                    # (1, 8)
    with torch.no_grad():
        _, weights = model(source, target)                                                      # each (1, H, 8, 9)
    heads = torch.cat(weights, dim=1)[0].cpu()                                                  # (2 H, 8, 9)
    axes = plots.show_heads(heads, queries=words(target[0]).split(), keys=words(source[0]).split(),
                            titles=[f"block {block}, head {head}" for block in range(2) for head in range(2)])
    axes[0].set_ylabel("decoder's input")
    for ax in axes:
        ax.set_xlabel("source")

# %% tags=["experiment"]
without = {}
for block in range(2):
    for head in range(2):
        W_O = model.decoder.blocks[block].cross_attention.W_O.weight                            # (D, D), transposed: heads are columns
        kept = W_O[:, 32 * head:32 * (head + 1)].clone()
        with torch.no_grad():
            W_O[:, 32 * head:32 * (head + 1)] = 0
            without[f"block {block}, head {head}"] = measure(model, count=200)[1]
            W_O[:, 32 * head:32 * (head + 1)] = kept
plots.show_bars(list(without), list(without.values()), ylabel="share of right sequences", xlabel="head of the cross-attention removed",
                title="One of four heads removed");

# %% tags=["numbers"]
says("without head 1 of block 0 only 74 %", 1, 0, without["block 0, head 1"], within=12, whole=True)  # it differs from machine to machine
says("without head 1 of block 1 still 96 %", 1, 1, without["block 1, head 1"], within=3, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

A diagonal for `copy`, and the other diagonal for `reverse`: the same heads look forwards or backwards, as the first
word of the source says. At `<start>` the model looks at the first letter to be written, and at the last letter most
heads of our run look at `<end>`.

The heads are not equally needed: in our run, without head 1 of block 0 only 74 % of the sequences are right, without
head 1 of block 1 still 96 %. (Yours may differ.)
</details>

### 3.4 Longer than ever seen

Sinusoidal encodings exist for every position. In training no source had more than 8 letters.

**Before you run it:** what share of sequences of 9 and 12 letters will be right? And of 3? Would it help to tell the
model when to stop?
"""

# %% tags=["experiment"]
predict("ten letters", "Sources of 4 to 8 letters come out right. What share of those with 10 letters will?",
        ["over 80 %", "20 to 80 %", "under 20 %"])

# %% tags=["experiment"]
numbers = list(range(2, 13))
shares = [measure(model, lengths=(number, number), count=200)[1] for number in numbers]
plots.show_bars(numbers, shares, ylabel="share of right sequences", xlabel="letters in the source (training: 4 to 8)",
                title="Held-out sources of other lengths")
ten = shares[numbers.index(10)]
came_out("ten letters", "over 80 %" if ten > 0.8 else "20 to 80 %" if ten > 0.2 else "under 20 %")

# %% tags=["experiment"]
@torch.no_grad()
def told_the_length(number, count=200):
    """Return the shares of right sequences among sources of one length, by command: written freely, and told their length.

    Told the length, the model may not write <end>, and stops after as many letters as the source has.
    """
    batch = make_batch(count, torch.Generator().manual_seed(1), held_out=True, lengths=(number, number))
    source, lengths, _, answers = (ids.to(device) for ids in batch)
    target = torch.full((count, 1), START, device=device)
    for _ in range(number):
        logits = model(source, target, lengths)[0][:, -1]
        logits[:, END] = -math.inf
        target = torch.cat([target, logits.argmax(dim=-1, keepdim=True)], dim=1)
    right = {"": (write_greedily(model, source, lengths, number + 1) == answers).all(dim=1),
             ", told the length": (target[:, 1:] == answers[:, :number]).all(dim=1)}
    return {f"{name}{how}": share[source[:, 0] == command].float().mean().item()
            for how, share in right.items() for name, command in (("copy", COPY), ("reverse", REVERSE))}


by_length = [told_the_length(number) for number in numbers]
plots.show_curves(numbers, {name: [shares[name] for shares in by_length] for name in by_length[0]},
                  "letters in the source (training: 4 to 8)", "share of right sequences", "Who decides when to stop?");

# %% tags=["numbers"]
told = {number: shares["copy, told the length"] for number, shares in zip(numbers, by_length)}
says("96 % of those with 9 and 40 % of those with 10", told[9], 9, told[10], 10, within=3, whole=True)
claims("sources of 2 letters, 96 %", told[2] == 1, whole=True)
claims("it cannot *reverse* longer sources", max(shares["reverse, told the length"] for shares in (by_length[0], *by_length[7:])) < 0.2, whole=True)
twos = make_batch(200, torch.Generator().manual_seed(1), held_out=True, lengths=(2, 2))[0]
twos = twos[twos[:, 0] == REVERSE, 1:3]
says("in 12 % of them both letters are equal", (twos[:, 0] == twos[:, 1]).double().mean(), within=2)
says("nor those of 2 letters (12 %)", 2, by_length[0]["reverse, told the length"], within=8, whole=True)

given("(From five seeds: 63 % of those with 3 letters, 24 % of those with 9, and with 10 one in a thousand.)")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In our run: all of those with 4 to 8 letters, half of those with 3, three in ten of those with 9, and next to none of
those with 10 and more. (From five seeds: 63 % of those with 3 letters, 24 % of those with 9, and with 10 one in a
thousand.)

It is tempting to blame the positions. The second picture separates two causes. Told the length, the model *copies* all
sources of 2 letters, 96 % of those with 9 and 40 % of those with 10: the letters were right, and only `<end>` was
wrong. (Newman et al. 2020 go further: told the length, networks that never had to write an end get far more of the
longer sequences right than networks that had to.) Told the length or not, it cannot *reverse* longer sources, nor those
of 2 letters (12 %), whose positions it knows: in 12 % of them both letters are equal, and copying is right. In
reversing, where to look depends on the length, and a new length changes it at every place. So an encoding for every
position is not a rule for every length.
</details>

### Written question 2 (2 points, graded by hand)

A colleague builds a translator. In training the loss falls to nearly 0 within minutes, and on new sentences it is just
as low. Yet what the model writes greedily is nonsense.

- (a) One line is missing in the decoder block. Which one? Explain why the loss does not show it, not even on
  new sentences, and why generation does.
- (b) The colleague puts the line in and keeps the trained weights: "a mask has no parameters". What happens to the
  loss, compared with that of a model that knows nothing, and why? What about the cross-attention of this model?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-leak", "grade": true, "solution": true, "points": 2}
r"""
(a) The causal mask of the decoder's self-attention. In training and in the measurement of the loss the decoder's input
is the target, shifted by one: what position $i$ should say is at position $i + 1$ of the input. Without the mask row
$i$ may look there and copy it, so the model learns to look one place to the right instead of translating. That works
for every sentence as long as the right target is fed in, new sentences included, so the loss is low everywhere. In
generation the next word does not exist yet; there is nothing to copy from, and translating was never learned.

(b) It rises above that of a model that knows nothing. The self-attention has learned to take the word one place to the
right. With the mask that place has weight 0, the weights spread over places that mean something else, and the model is
as sure as before, of wrong words. (Tried with the model of section 3, five seeds: the loss goes from 0.001 to 9.0,
standard deviation 0.8, where $\ln 21 = 3.0$ is knowing nothing.) The cross-attention was hardly needed, so it has not
learned where to look; with the source of another sequence the loss is about as large (8.7). A mask has no parameters,
but the parameters beside it were fitted to its absence: the model has to be trained anew.

=== BEGIN MARK SCHEME ===

- 1 point: (a) names the causal mask (or "masked self-attention") *and* says that the answer is in the decoder's input,
  whether the sentence is new or not, but not in generation (half a point for the mask alone).
- 1 point: (b) the loss gets worse than that of knowing nothing because the model is sure of what it can no longer see,
  *and* the cross-attention has learned (next to) nothing about the source (half a point for one of the two). "It
  translates now" is wrong: nothing has trained it to.

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 4 How large is it? (optional)

Well-known Transformers differ in their blocks (**encoder-only**, **decoder-only**, or **encoder–decoder**), in the
place of the norms, and in size. An encoder block has $4D^2$ weights in its attention and $2 \cdot D \cdot 4D = 8D^2$ in
its feed-forward part; biases and norms are small change. With $L$ blocks and a vocabulary of $V$:

$$\text{parameters} \approx 12\, L D^2 + V D$$

More heads are narrower heads, so their number does not appear. (A decoder block with cross-attention has $16 D^2$.)

**Exercise 4 (optional).** ●● Write `parameter_count`. `layers.make_model(config)` builds the model that `config`
describes, of any of four kinds: the Transformer of this lesson, an encoder like BERT, a decoder like GPT-2 (without
cross-attention), or an encoder of pictures, ViT. The largest would need 33 GB in float32. But on PyTorch's *meta*
device a tensor has a shape and no content: use `torch.device("meta")` in a `with` statement.

A parameter that is used in two places (a tied table) counts once.

<details><summary>Hint</summary>

`model.parameters()` gives every parameter, a shared one only once. `numel()` is the number of its elements.
</details>
"""

# %% nbgrader={"grade_id": "parameter_count", "solution": true}
def parameter_count(config):
    """Return how many parameters layers.make_model(config) has, without ever having them in memory."""
    ### BEGIN SOLUTION Build the model on the meta device and return the number of elements of all its parameters.
    with torch.device("meta"):
        model = layers.make_model(config)
    return sum(parameter.numel() for parameter in model.parameters())
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-parameter_count", "grade": true}
check("parameter_count")

# %% [markdown]
r"""
The sizes below are the published ones. We looked up the **vocabularies** (Transformer "about 37,000"; BERT 30,522;
RoBERTa 50,265; GPT-2 50,257; Megatron 51,200), the numbers of **learned positions** (BERT 512, RoBERTa 514, GPT-2 and
Megatron 1024, ViT one for each patch of a 224 × 224 picture and one for the class token), and ViT's **patches**, 16 ×
16 pixels, for Huge 14 × 14, with a head for 1000 classes.

**Before you run it:** where do you expect the largest differences between the published numbers and yours?
"""

# %% tags=["experiment"]
def translator(width, heads):
    """The Transformer of Vaswani et al. (2017)."""
    return TransformerConfig(vocab_size=37_000, model_width=width, num_heads=heads, hidden_width=4 * width)


def bert(width, heads, blocks, vocab_size=30_522, max_length=512, segments=2):
    """BERT (Devlin et al. 2019): token, segment and position tables, encoder, pooler. RoBERTa has other tables."""
    return TransformerConfig(kind="encoder", vocab_size=vocab_size, model_width=width, num_heads=heads,
                             hidden_width=4 * width, encoder_blocks=blocks, max_length=max_length, segments=segments,
                             pooler=True, activation="gelu")


def gpt(width, heads, blocks, vocab_size=50_257):
    """GPT-2 (Radford et al. 2019), and Megatron-LM (Shoeybi et al. 2019) with another vocabulary."""
    return TransformerConfig(kind="decoder", vocab_size=vocab_size, model_width=width, num_heads=heads,
                             hidden_width=4 * width, decoder_blocks=blocks, max_length=1024, norm="pre",
                             activation="gelu")


def vit(width, heads, blocks, patch_size=16):
    """ViT (Dosovitskiy et al. 2021) for pictures of 224 x 224 pixels and 1000 classes."""
    return TransformerConfig(kind="vision", model_width=width, num_heads=heads, hidden_width=4 * width, norm="pre",
                             encoder_blocks=blocks, max_length=(224 // patch_size) ** 2 + 1, patch_size=patch_size,
                             classes=1000, activation="gelu")


models = {                                                                      # name: (published in millions, config)
    "Transformer-Base": (65, translator(512, 8)), "Transformer-Large": (213, translator(1024, 16)),
    "BERT-Base": (110, bert(768, 12, 12)), "BERT-Large": (340, bert(1024, 16, 24)),
    "RoBERTa": (355, bert(1024, 16, 24, vocab_size=50_265, max_length=514, segments=1)),
    "GPT-2 small": (117, gpt(768, 12, 12)), "GPT-2 medium": (345, gpt(1024, 16, 24)),
    "GPT-2 large": (762, gpt(1280, 20, 36)), "GPT-2 XL": (1542, gpt(1600, 25, 48)),
    "Megatron 1.2B": (1200, gpt(1536, 16, 40, 51_200)), "Megatron 2.5B": (2500, gpt(1920, 20, 54, 51_200)),
    "Megatron 4.2B": (4200, gpt(2304, 24, 64, 51_200)), "Megatron 8.3B": (8300, gpt(3072, 32, 72, 51_200)),
    "ViT-Base": (86, vit(768, 12, 12)), "ViT-Large": (307, vit(1024, 16, 24)), "ViT-Huge": (632, vit(1280, 16, 32, 14)),
}
counted = {name: parameter_count(config) for name, (_, config) in models.items()}


def num_blocks(config):
    """Return the number of blocks as text: 6+6 for encoder and decoder."""
    both = f"{config.encoder_blocks}+{config.decoder_blocks}"
    return {"encoder-decoder": both, "decoder": str(config.decoder_blocks)}.get(config.kind, str(config.encoder_blocks))


rows = []
for name, (published, config) in models.items():
    millions = counted[name] / 1e6
    rows.append((name, num_blocks(config), str(config.model_width), str(config.num_heads), f"{published:,}",
                 f"{millions:,.1f}", f"{round(100 * millions / published - 100, 1) + 0.0:+.1f} %"))
Table("Parameters in millions", tuple(rows),
      ("model", "blocks", "width", "heads", "published", "counted", "difference"), numeric=True)

# %% tags=["numbers"]
off = [abs(counted[name] / 1e6 / published - 1) for name, (published, _) in models.items()]
claims("twelve of the sixteen by less than 1.5", max(off) < 0.07 and sum(difference < 0.015 for difference in off) == 12)
says('109.5M is "110M"', counted["BERT-Base"] / 1e6, models["BERT-Base"][0])
says('355.4M is "355M"', counted["RoBERTa"] / 1e6, models["RoBERTa"][0])
gpt2 = [(counted[name] - 1e6 * models[name][0], models[name][1].model_width) for name in models if name.startswith("GPT-2")]
says("wrong by 7.4M, 9.8M, 12.0M and 15.6M: that is 9687, 9593, 9398 and 9757", *(over / 1e6 for over, _ in gpt2),
     *(over / width for over, width in gpt2))

given("patches of 32 × 32 pixels (306.5M) better than 16 × 16 (304.3M)")
small = models["GPT-2 small"][1]
rule = 12 * small.decoder_blocks * small.model_width**2 / 1e6, small.vocab_size * small.model_width / 1e6
says(r"$84.9\text{M} + 38.6\text{M} = 123.5\text{M}$; what is missing are the positions (0.8M)", *rule, sum(rule), 1024 * small.model_width / 1e6)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

No model is off by more than 7 percent, and twelve of the sixteen by less than 1.5.

- *Transformer*. No vocabulary gives both 65M and 213M. We do not know what differs.
- *BERT* and *RoBERTa*. Rounded: 109.5M is "110M", 335M is "340M", 355.4M is "355M".
- *GPT-2*. The published numbers are too small, all four of them.
- *Megatron-LM*. Right to the digits given.
- *ViT*. "307M" for Large fits patches of 32 × 32 pixels (306.5M) better than 16 × 16 (304.3M).

For GPT-2 small the rule $12LD^2 + VD$ gives $84.9\text{M} + 38.6\text{M} = 123.5\text{M}$; what is missing are the
positions (0.8M), biases and norms.
</details>

### 4.1 GPT-2's missing millions

OpenAI later wrote that the counts of the GPT-2 paper were "wrong due to an error". The count is wrong by 7.4M, 9.8M,
12.0M and 15.6M: that is 9687, 9593, 9398 and 9757 times the width, so it looks as if a table had more than 9000 rows
too few. The first GPT (Radford et al. 2018) had a smaller vocabulary, 40,478 tokens.

**Before you run it:** $50{,}257 - 40{,}478$ is what? And why is the relative error so much larger for the small model?
"""

# %% tags=["experiment"]
sizes = {name: config for name, (_, config) in models.items() if name.startswith("GPT-2")}
rows = []
for name, config in sizes.items():
    short = parameter_count(gpt(config.model_width, config.num_heads, config.decoder_blocks, vocab_size=40_478))
    share = config.vocab_size * config.model_width / counted[name]
    rows.append((name, f"{models[name][0]:,}", f"{counted[name] / 1e6:,.1f}", f"{short / 1e6:,.1f}", f"{share:.0%}"))
Table("GPT-2: parameters in millions", tuple(rows),
      ("", "published", "counted", "counted with 40,478 tokens", "share of the vocabulary's table"), numeric=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

9779 rows. With the first GPT's 40,478 tokens all four published numbers come out to the last digit. So it looks as if
the tables of the GPT-2 paper were made with the old vocabulary. This is our finding, from the numbers alone. The small
model suffers most because a third of it is vocabulary.
</details>
"""

# %% [markdown]
r"""
## 5 What to take along

- A decoder block looks at its own past and at the whole source. Test the causal mask by changing a later id.
- A low loss under teacher forcing does not make what the model writes good. Generate, and measure that.
- $12LD^2 + VD$ agrees with our count of every model here without cross-attention to 2 percent.

### Sources

J. Johnson, *Attention*, lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and
Transformers*, CS 4644/7643, Georgia Tech. Y. Yao, *Attention, Transformer, and BERT*, HKUST. A. Vaswani et al.,
*Attention is all you need*, 2017. R. Xiong et al., *On layer normalization in the Transformer architecture*, 2020. B.
Newman et al., *The EOS decision and length extrapolation*, 2020. J. Devlin et al., *BERT*, 2019. Y. Liu et al.,
*RoBERTa*, 2019. A. Radford et al., *Improving language understanding by generative pre-training*, 2018, and *Language
models are unsupervised multitask learners*, 2019. M. Shoeybi et al., *Megatron-LM*, 2019. A. Dosovitskiy et al., *An
image is worth 16×16 words*, 2021.
"""
