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
# 9 Pretraining with masked words

Labels are expensive; text is abundant. BERT (Devlin et al. 2019) learns from text alone (*self-supervised* learning): words are hidden, and an encoder
guesses them from both sides. A few labels are then enough (lesson 10). You build the masking, the loss and the model, and train it on this machine:
first on a language whose probabilities are all known, then on real English.

| section | the one change | exercise |
|---|---|---|
| 1 | a language whose every probability is known | `exact_limit` |
| 2 | hide words, and guess them | `mask_tokens`, `mlm_loss` |
| 3 | a Transformer that sees both sides | `BertEmbeddings`, `BertEncoder`, `MaskedLanguageModel` |
| 4 | pretraining, measured against the limit | `my_language_model`, `losses_by_fate`, written question 1 |
| 5 | real English: word pieces and pairs of sentences | `sentence_pairs` (optional), written question 2 (optional) |
| 6 | what T5 and XLM change (optional) | |

**Before you begin.** Lesson 4 (section 3 uses its encoder). Plan about four and a half hours; the optional parts take about two more. Nothing else
needs a part marked "(optional)"; its points count unless your teacher says otherwise. Run from scratch, all cells of the solution take about six
minutes on one core.

## How this notebook works

- Run the cells in order. In an exercise, write about ten lines at most **in place of** `raise NotImplementedError(...)`. Run its **check** below as
  often as you like: it shows the smallest example that fails.
- ●: a few lines. ●●: about 25 minutes. ●●●: about an hour; try your code on an example that you can check by hand.
- Answer the question before each experiment, run the cell, then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype (float64 in, float64 out), leaves its
  arguments unchanged, takes tensors in any memory order, lets gradients through and works for a batch of one. Most
  checks test that too.
- Use the ready-made layers in `course_lib.layers`, but not its BERT, `course_lib.layers.bert`: you are building it.
- **You hand in four files**: this notebook, and `language_model.safetensors`, `always_mask.safetensors` and `results.json`, which section 4 writes
  beside it.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $N$, $V$ | `B`, `N`, `V` | sequences in a batch, tokens in a sequence, tokens in the vocabulary | batch size, sequence length, vocabulary size |
| $D$, $H$ | `D`, `H` | model width, heads | `hidden_size`, `num_attention_heads` |
| – | `ids`, `(B, N)` | token ids; the first five, below `ORDINARY`, are special: `[PAD]` 0, `[UNK]` (unknown), `[CLS]`, `[SEP]`, `[MASK]` | `input_ids` |
| – | `inputs`, `labels`, `(B, N)` | ids with some of them hidden; the hidden ids, and −100 everywhere else | corrupted input and targets; −100 is `ignore_index` |
| – | `segments`, `(B, N)` | 0 for tokens of the first sentence, 1 for those of the second | `token_type_ids`, segment A and B |
| $Y$ | `Y`, `(B, N, D)` | one vector for each token, after the encoder | last hidden state, contextual embeddings |
| – | `allowed` | mask; **True means "may attend"** | `attention_mask`; in `key_padding_mask` True means the opposite |
| – | limit | the lowest loss that any model can have | (conditional) entropy, irreducible loss |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import copy
import json
import math

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from autograder.lessons.mlm_pretraining import check
from course_lib import devices, layers, plots
from course_lib.predictions import came_out, predict
from course_lib.data import (
    CLS, MASK, ORDINARY, PAD, SEP, TAGS, Masking, agreement_language, agreement_words, draw_sentences, framed,
    lowest_loss, posterior, python_english, sentences_of, subject_classes, train_wordpieces, unframed, word_tags,
)
from course_lib.training import fit, own_train, save_results

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 A language whose every probability is known

How good is a language model whose loss is 0.9? For English nobody knows, since nobody knows how predictable English is. So we begin with a small
language drawn from a grammar. It has 70 words, and words agree with words far away:

- *the tall **queen** near the robots **sleeps** and **she** likes **herself**.*
- *some **monks** that the girl hears **wait**.*

The verb, the pronoun and the reflexive agree with the **subject** in number and gender. The nouns between (*robots*, *girl*) mislead. If both *she* and
*herself* are hidden, only *queen*, six and eight words before, reveals them.

A model takes a sentence as `[CLS] … [SEP]`; `framed` adds the two. `[CLS]` can gather information about the whole sentence (lesson 10).

### 1.1 Three sentences, by hand

Hide a word: which words can it have been, and how probable is each? Take a language of three sentences: *the queen sleeps* with probability 0.5, *the
king sleeps* with 0.3, *the king waits* with 0.2. Hide the second word. In *the [MASK] sleeps* the first two fit, in the ratio 0.5 : 0.3, so the gap
holds *queen* with probability 0.5/0.8 = 0.625 and *king* with 0.375. In *the [MASK] waits* there is no doubt. This is Bayes' rule. For sentences
$s_1 \dots s_K$ with probabilities $p_k$,

$$P(v \text{ at place } n \mid \text{what is seen of } s_k) = \frac{\sum_j p_j \, [s_j \text{ fits}] \, [s_{j,n} = v]}{\sum_j p_j \, [s_j \text{ fits}]}$$

where a bracket is 1 if it holds and 0 if not, and $s_j$ fits if it agrees with $s_k$ at every visible place.

A model that gives the right word probability $q$ has a loss of $-\log q$ there, in *nats*: $q = 1/e$ costs 1. A model that knows the language gives
exactly $P$. Its loss, averaged over the hidden places and over the sentences, each as often as it occurs, is the **limit**

$$L = \frac{1}{\text{number of hidden places}} \sum_k p_k \sum_{n \text{ hidden}} -\log P(s_{k,n} \text{ at } n \mid \text{what is seen of } s_k).$$

No model can lose less (Gibbs' inequality: the mean of $-\log q$ is smallest if $q$ is the true distribution). For the second word above it is
$-0.5 \log 0.625 - 0.3 \log 0.375 - 0.2 \log 1 = 0.529$ nats.

**Exercise 1.** ●● Write `exact_limit`, which returns $P$ for all sentences at once, and $L$.

<details><summary>Hint: which sentences fit</summary>

Compare all pairs of sentences: `sentences[:, None] == sentences` has the shape `(K, K, N)`. At which places may two sentences differ and still fit?
</details>
<details><summary>Hint: from there to P</summary>

You have a table `(K, K)` of what fits. Weight its columns by the sentences' probabilities, then divide each row by its sum: row $k$ says how probable
each sentence is, given what is seen of sentence $k$. `F.one_hot(sentences, V)`, `(K, N, V)`, marks each sentence's own words.
</details>
"""

# %% nbgrader={"grade_id": "exact_limit", "solution": true}
def exact_limit(sentences, probabilities, hidden, V):
    """Return (P, L): what can be known of every word, P (K, N, V), and the lowest mean loss at a hidden place, L, in nats.

    sentences: ids below V, (K, N), no two sentences alike; probabilities: (K,), all above 0, with the sum 1; hidden: bool, (N,), True
    for the places that are hidden in every sentence, at least one. P[k, n, v]: the probability that v stood at place n, given what is
    seen of sentence k, in the dtype of the probabilities; 1 for a word that is seen.
    """
    ### BEGIN SOLUTION Find the sentences that fit what is seen, weight them, and average -log P of the right words.
    fits = ((sentences[:, None] == sentences) | hidden).all(dim=2)                # (K, K)
    given = fits * probabilities
    given = given / given.sum(dim=1, keepdim=True)                               # row k: what is known, if k is seen
    P = torch.einsum("kj,jnv->knv", given, F.one_hot(sentences, V).to(given))
    right = P.gather(2, sentences[..., None])[..., 0]                            # (K, N)
    return P, (probabilities @ -right.log())[hidden].mean()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-exact_limit", "grade": true}
check("exact_limit")

# %% [markdown]
r"""
**Before you run it:** one place is hidden, or several. Where is the limit 0? Does the second word cost as much when the third is hidden, too?
"""

# %% tags=["experiment"]
three = ("the", "queen", "king", "sleeps", "waits")
known = torch.tensor([[0, 1, 3], [0, 2, 3], [0, 2, 4]])
shares = torch.tensor([0.5, 0.3, 0.2])
for gaps in ((0,), (1,), (2,), (1, 2), (0, 1, 2)):
    hidden = torch.tensor([n in gaps for n in range(3)])
    P, L = exact_limit(known, shares, hidden, len(three))
    seen = " ".join("[MASK]" if n in gaps else three[i] for n, i in enumerate(known[0]))
    guesses = [", ".join(f"{three[v]} {P[0, n, v]:.3f}" for v in range(len(three)) if P[0, n, v] > 0) for n in gaps]
    print(f"limit {L:.3f} nats;  {seen}: {';  '.join(guesses)}")

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

by_place = [exact_limit(known, shares, torch.tensor([n in gaps for n in range(3)]), 5)[1].item() for gaps in ((0,), (1,), (2,), (1, 2), (0, 1, 2))]
says("The second word costs 0.529 nats if it is hidden alone", by_place[1])
says("0.597 each if the third is hidden with it", by_place[3])
says("so hiding all three costs 0.398 for each", by_place[4])
claims("*the* occurs in every sentence", by_place[0] < 1e-6)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*the* occurs in every sentence, so it costs nothing. The second word costs 0.529 nats if it is hidden alone, and the two cost 0.597 each if the third is
hidden with it: less context, higher loss. *the* lowers the mean again, so hiding all three costs 0.398 for each place. A masked language model, too,
guesses each place by itself: it cannot say that two words depend on each other.
</details>

### 1.2 Too many to list

`posterior` computes the same $P$ for the whole grammar, also where a visible word may have been replaced at random (section 2).

**Before you run it:** in *the queen [MASK] .*, how many words are possible in the gap? And in *the queen near the [MASK] sleeps .*?
"""

# %% tags=["experiment"]
words = agreement_words()
V = len(words)                                                                   # 75: 70 words and five special tokens
masking = Masking(V, MASK, ORDINARY)                                             # what is known of how words are hidden


def text(ids):
    """Return a row of ids as text, padding left out."""
    return " ".join(words[i] for i in ids if i != PAD)


def ids_of(sentence):
    """Return the ids of one sentence, (1, N)."""
    return torch.tensor([[words.index(word) for word in sentence.split()]])


def guesses_of(probabilities, places, known=words, most=4):
    """Return place → the most probable tokens with their probabilities, as plots.show_gaps wants it."""
    return {
        int(n): [(known[i], probabilities[n, i].item()) for i in probabilities[n].topk(most).indices.tolist()]
        for n in places
    }


for row in draw_sentences(6, seed=1):
    print(text(row))
for sentence in ("the queen [MASK] .", "the queen near the [MASK] sleeps .", "the queen near the robots [MASK] and [MASK] like [MASK] ."):
    ids = ids_of(sentence)
    best = posterior(agreement_language(), F.pad(ids, (0, 17 - ids.shape[1])), masking)[0]
    gaps = (ids[0] == MASK).nonzero()[:, 0]
    plots.show_gaps(sentence.split(), guesses_of(best, gaps), title="The exact probabilities");

# %% [markdown]
r"""
<details><summary>What you should see</summary>

After *the queen* the grammar allows nine words, but a full stop can follow only five of them, verbs without an object. In the second sentence any of
the 24 nouns is possible: nothing agrees with it. In the third, *like* says that the subject is plural, but *the queen* is singular. So one of the
visible words was replaced at random, and the exact answer allows for that.
</details>

## 2 Hide words, and guess them

### 2.1 Which words, and what becomes of them

A model that sees both sides cannot be trained to predict every next word: it would look at the answer. So some tokens are hidden, and only they are
predicted. BERT's recipe, as libraries have it but for one detail:

- every ordinary token is **chosen** with probability 15 %, independently; special tokens never are;
- of the chosen ones, **80 %** become `[MASK]`, **10 %** become a random ordinary token (libraries draw from all tokens), **10 %** stay as they are;
- the **labels** are the ids of the chosen tokens as they were, and $-100$ everywhere else.

Why not always `[MASK]`? Later the model reads text without `[MASK]`, and might make nothing of other tokens, the paper argues; section 4.2 measures it.
Nor is 15 % a law: Wettig et al. (2023) found 40 % better for large models.

The masking is *dynamic*: a sentence is masked differently each time (Liu et al. 2019). The given `generator` draws everything.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (token) | .
    . | chosen = [chosen: 15 %] | not = (not chosen: 85 %, label −100)
    m = (MASK: 80 %) | r = (a random token: 10 %) | k = (itself: 10 %)
    token -> chosen
    token -> not
    chosen -> m, r, k
""", title="What becomes of a token");

# %% [markdown]
r"""
**Exercise 2.** ●●● Write `mask_tokens`.

<details><summary>Hint: who is chosen</summary>

`torch.rand(shape, generator=generator)` draws uniform numbers between 0 and 1. With which probability is one of them below `rate`?
</details>
<details><summary>Hint: 80, 10, 10</summary>

Draw a *second* uniform number for each token, and give each fate an interval of it. (The first number decides nothing more: if it is below 0.15, it is
below 0.8 anyway.)
</details>
<details><summary>Hint: random ids</summary>

`torch.randint(low, high, shape, generator=generator)` draws from `low` to `high - 1`. Draw one for every token and use those that are needed:
`torch.where(condition, a, b)`.
</details>
"""

# %% nbgrader={"grade_id": "mask_tokens", "solution": true}
def mask_tokens(ids, vocab_size, generator, rate=0.15):
    """Return (inputs, labels), both (B, N) like ids: what the model sees, and what it has to predict.

    Each token with an id from ORDINARY on is chosen with probability `rate`, independently of all others. A chosen token
    becomes MASK with probability 0.8 and any id from ORDINARY to vocab_size - 1, each as probable, with probability 0.1; otherwise
    it stays. labels: the chosen tokens' ids as they were, -100 elsewhere. All randomness comes from `generator`; ids is not changed.
    """
    ### BEGIN SOLUTION Choose tokens, keep what they were as labels, and hide most of them.
    chosen = (ids >= ORDINARY) & (torch.rand(ids.shape, generator=generator) < rate)
    labels = ids.masked_fill(~chosen, -100)
    fate = torch.rand(ids.shape, generator=generator)
    others = torch.randint(ORDINARY, vocab_size, ids.shape, generator=generator)
    inputs = torch.where(chosen & (fate < 0.8), MASK, ids)
    inputs = torch.where(chosen & (fate >= 0.8) & (fate < 0.9), others, inputs)
    return inputs, labels
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-mask_tokens", "grade": true}
check("mask_tokens")

# %% [markdown]
r"""
### 2.2 The loss

The model gives logits $(B, N, V)$. Only the chosen places count: the loss is the mean of $-\log p(\text{label})$ over all labels of the batch that are
not $-100$.

A short batch may have no chosen token. The mean of nothing is $0/0$, NaN, and one such step spoils every weight. The loss is then **0**, with a
gradient of zero.

**Exercise 3.** ● Write `mlm_loss`. `F.cross_entropy` may be used; it leaves out labels of $-100$ by itself.

<details><summary>Hint: the axis of the classes</summary>

`F.cross_entropy` wants the classes on axis 1. Make one long list of tokens, `(B · N, V)` and `(B · N,)`; or swap two axes, `(B, V, N)`, with
`transpose`. (`reshape` to that shape gives wrong numbers.)
</details>
<details><summary>Hint: no chosen token</summary>

The mean is what fails. Take the sum (`reduction="sum"`), and divide by a count that is never 0.
</details>
"""

# %% nbgrader={"grade_id": "mlm_loss", "solution": true}
def mlm_loss(logits, labels):
    """Return the mean cross-entropy of logits (B, N, V) with labels (B, N), over the labels that are not -100.

    Without any such label the loss is 0, and so is its gradient.
    """
    ### BEGIN SOLUTION Average -log p(label) over the labels that are not -100, and give 0 where there is none.
    total = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-mlm_loss", "grade": true}
check("mlm_loss")

# %% [markdown]
r"""
The scale of the loss: $\log 75 = 4.3$ nats for knowing nothing, and the **limit** on these very gaps, which `lowest_loss` computes.

**Before you run it:** are the same words hidden the second time? Is the limit 0? If not, what cannot be known?
"""

# %% tags=["experiment"]
generator = torch.Generator().manual_seed(4)
few = framed(draw_sentences(3, seed=2))
for time in (1, 2):
    inputs, labels = mask_tokens(few, V, generator)
    print(f"time {time}")
    for seen, wanted in zip(inputs, labels):
        hidden = ", ".join(f"{words[i]} at {n}" for n, i in enumerate(wanted.tolist()) if i != -100)
        print("  ", text(seen), "| to predict:", hidden or "nothing")

held_out = framed(draw_sentences(4000, seed=5))                                 # (4000, 19)
held_out_inputs, held_out_labels = mask_tokens(held_out, V, torch.Generator().manual_seed(6))
limit = lowest_loss(agreement_language(), unframed(held_out_inputs), held_out_labels[:, 1:-1], masking).item()
print(f"knowing nothing {math.log(V):.3f} nats, the limit {limit:.3f} nats, over {(held_out_labels != -100).sum()} chosen tokens")

# %% tags=["numbers"]
says("The limit is 0.863 nats.", limit)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Other words are hidden each time. The limit is 0.863 nats. Which of five things a queen does is anybody's guess; that the verb ends in *s* is not.
</details>

## 3 A Transformer that sees both sides

BERT is *encoder-only*, GPT (lesson 7) *decoder-only*; the translator of lesson 5 and T5 (section 6) are *encoder–decoder* models.

### 3.1 Three vectors for each token

The encoder's input is the sum of three vectors: what the token is, which sentence it belongs to (section 5 has two side by side), and where it is:

| input | [CLS] | my | dog | is | cute | [SEP] | he | likes | play | ##ing | [SEP] |
|---|---|---|---|---|---|---|---|---|---|---|---|
| token | $E_{[CLS]}$ | $E_{my}$ | $E_{dog}$ | $E_{is}$ | $E_{cute}$ | $E_{[SEP]}$ | $E_{he}$ | $E_{likes}$ | $E_{play}$ | $E_{\#\#ing}$ | $E_{[SEP]}$ |
| segment | $S_0$ | $S_0$ | $S_0$ | $S_0$ | $S_0$ | $S_0$ | $S_1$ | $S_1$ | $S_1$ | $S_1$ | $S_1$ |
| position | $P_0$ | $P_1$ | $P_2$ | $P_3$ | $P_4$ | $P_5$ | $P_6$ | $P_7$ | $P_8$ | $P_9$ | $P_{10}$ |

$$X = \mathrm{dropout}(\mathrm{LayerNorm}(E_{\text{token}} + S_{\text{segment}} + P_{\text{position}}))$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (X: N × D)
    norm = [LayerNorm and dropout]
    plus = {+}
    (token vectors) | (segment vectors) | (position vectors)
    ids = (ids: N) | segments = (0 or 1: N) | places = (0 … N − 1)
    ids -> token vectors
    segments -> segment vectors
    places -> position vectors
    token vectors, segment vectors, position vectors -> plus
    plus -> norm
    norm -> X
""", title="What goes into BERT is a sum of three vectors");

# %% [markdown]
r"""
The positional embeddings are learned, one vector for each place up to `max_length`. The three are **added**, not concatenated.

**Exercise 4.** ● Write the forward of `BertEmbeddings`. Without `segments`, all tokens belong to segment 0.

<details><summary>Hint: the positions</summary>

Look up the numbers of the places, 0 to N − 1, on the device of `ids`. The result, `(N, D)`, broadcasts over the batch.
</details>
"""

# %% nbgrader={"grade_id": "BertEmbeddings", "solution": true}
class BertEmbeddings(nn.Module):
    """Token, segment and position vectors, added and normalised (Devlin et al. 2019, figure 2)."""

    def __init__(self, vocab_size, model_width, max_length, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, model_width)
        self.segments = nn.Embedding(2, model_width)
        self.positions = nn.Embedding(max_length, model_width)
        self.norm = nn.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)
        for table in (self.tokens, self.segments, self.positions):
            nn.init.normal_(table.weight, std=0.2)                                   # why so small? See section 3.3

    def forward(self, ids, segments=None):
        """Return X (B, N, D) for ids (B, N) and segments (B, N) of 0 and 1; None means 0 for all."""
        ### BEGIN SOLUTION Add the three vectors of every token, and apply the norm and dropout.
        if segments is None:
            segments = torch.zeros_like(ids)
        places = torch.arange(ids.shape[1], device=ids.device)                       # (N,)
        X = self.tokens(ids) + self.segments(segments) + self.positions(places)      # (B, N, D)
        return self.dropout(self.norm(X))
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-BertEmbeddings", "grade": true}
check("BertEmbeddings")

# %% [markdown]
r"""
### 3.2 The encoder

The encoder is that of lesson 4, ready-made as `layers.Encoder`, post-norm (`norm="post"`) and with GELU. There is **no causal mask**: a gap is filled
from both sides (the model is *bidirectional*). The only mask hides **padding**: a sentence's meaning must not depend on how long its neighbours in the
batch are.

**Which arrows would a causal mask cut, and which does padding cut?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    y = (row of MASK)
    a = (the) | b = (dog) | m = (MASK) | c = (the) | d = (cat) | p = (padding)
    a, b, m, c, d -> y
    p -x> y
""", title="A gap is filled from both sides");

# %% [markdown]
r"""
**Exercise 5.** ●● Write the forward of `BertEncoder`: the mask, the embeddings, the blocks. `self.blocks(X, allowed, need_weights)` gives
`(Y, [A of each block])`.

<details><summary>Hint: the shape of the mask</summary>

`allowed` has to broadcast to `(B, H, N_Q, N_K)`. `ids != PAD` is `(B, N)`: is its N the queries or the keys? It is the **keys** that are hidden, for
every head and every query. The output at the padding itself does not matter.
</details>
"""

# %% nbgrader={"grade_id": "BertEncoder", "solution": true}
class BertEncoder(nn.Module):
    """Embeddings and an encoder in which every token sees the whole sequence, padding left out."""

    def __init__(self, vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, model_width, max_length, dropout)
        self.blocks = layers.Encoder(
            num_blocks, model_width, num_heads, 4 * model_width, dropout, norm="post", activation="gelu"
        )

    def forward(self, ids, segments=None, need_weights=True):
        """Return (Y (B, N, D), the weights (B, H, N, N) of each block); with need_weights=False the list is empty."""
        ### BEGIN SOLUTION Embed the tokens, and let each attend to all that are no padding.
        allowed = (ids != PAD)[:, None, None]                                        # (B, 1, 1, N)
        X = self.embeddings(ids, segments)                                           # (B, N, D)
        return self.blocks(X, allowed, need_weights)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-BertEncoder", "grade": true}
check("BertEncoder")

# %% [markdown]
r"""
### 3.3 From vectors to words

Each vector $y$ of the encoder passes through one more layer and is compared with the vectors of all tokens, **the same** $E$ as at the input (*weight
tying*); a number $b_v$ for each token can say how frequent it is:

$$z = \mathrm{LayerNorm}(\mathrm{GELU}(W y + c)) \qquad \text{logit}_v = z \cdot E_v + b_v$$

**Exercise 6.** ●● Write the forward of `MaskedLanguageModel`. The encoder's weights are not needed: `need_weights=False` is faster.

Two lines of the given code matter. The embeddings begin with a standard deviation of 0.2. With PyTorch's 1 an untrained model is *sure* of nonsense: it
begins at about 20 nats. With BERT's 0.02 it begins at 4.3, but in the 2200 steps of section 4 it does not learn to repeat what it sees, and ends 0.073
nats above the limit instead of 0.025 (means of five seeds). And $W$ begins as the identity, which is not in the paper: at first a visible token is
predicted as itself.

<details><summary>Hint: the product with all token vectors</summary>

The vectors of all tokens, `(V, D)`, are in the encoder's embedding. `(B, N, D)` times what gives `(B, N, V)`?
</details>
"""

# %% nbgrader={"grade_id": "MaskedLanguageModel", "solution": true}
class MaskedLanguageModel(nn.Module):
    """BERT's masked language model: encoder, one more layer, and the token vectors as output."""

    def __init__(self, vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1):
        super().__init__()
        self.encoder = BertEncoder(vocab_size, model_width, num_heads, num_blocks, max_length, dropout)
        self.transform = nn.Linear(model_width, model_width)
        nn.init.eye_(self.transform.weight)
        self.output_norm = nn.LayerNorm(model_width)
        self.output_bias = nn.Parameter(torch.zeros(vocab_size))

    def forward(self, ids, segments=None):
        """Return the logits (B, N, V) of what stands at each place, for ids (B, N) and segments (B, N) or None."""
        ### BEGIN SOLUTION Encode, transform, and compare with the vectors of all tokens.
        Y, _ = self.encoder(ids, segments, need_weights=False)                       # (B, N, D)
        Z = self.output_norm(F.gelu(self.transform(Y)))                              # (B, N, D)
        return F.linear(Z, self.encoder.embeddings.tokens.weight, self.output_bias)  # (B, N, V)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-MaskedLanguageModel", "grade": true}
check("MaskedLanguageModel")

# %% [markdown]
r"""
## 4 Pretraining, measured against the best that is possible

**Exercise 7.** ● `my_language_model` returns the model that you want to train and hand in, with new random weights, and takes no arguments: the grader
calls it and loads your file into what it returns. It has to be a `MaskedLanguageModel` as in section 3, and nothing else: on a few sentences it is
compared with the grader's own model with your weights, whose loss counts. The vocabulary is `len(agreement_words())`; a framed sentence has at most 19
tokens, so `max_length` is 19 or more. You choose the widths, as long as the file has at most 16 MB: a width of 64, 4 heads, 2 blocks and no dropout
(there are 100 000 sentences, masked differently every time) do well.

The check draws new sentences and compares the loss of a model with your weights to the limit on them. Up to 0.12 nats above it earn full points; the
solution was 0.025 nats above it on average over five seeds. A control asks whether the model reads the other words:
its loss has to be nearer to the limit than to the lowest loss that is possible without seeing them.

The cell after the exercise trains the model in about a minute and a half on two cores and writes `language_model.safetensors`. If you wrote `train` in
lesson 5 and its folder lies next to this one, that loop takes the steps (`own_train`); otherwise `fit` takes them itself. If you interrupt it,
`resume=True` continues from the file. After a change to the model or to what trains it, pass `resume=False` once.

**Before you run it:** at which loss does the training begin, above or below 4.3? Does the loss fall steadily?
"""

# %% nbgrader={"grade_id": "my_language_model", "solution": true}
def my_language_model():
    """Return the model whose weights are handed in as language_model.safetensors, with new weights."""
    ### BEGIN SOLUTION Return a MaskedLanguageModel for the 75 tokens and at most 19 places.
    return MaskedLanguageModel(len(agreement_words()), 64, num_heads=4, num_blocks=2, max_length=19, dropout=0.0)
    ### END SOLUTION

# %% tags=["experiment"]
SEED, BATCH = 0, 128
ids = framed(draw_sentences(100_000, seed=SEED))
lengths = (ids != PAD).sum(dim=1)
batches = [ids[rows, :lengths[rows].max()] for rows in lengths.argsort(stable=True).split(BATCH)]  # short ones together


def draw_batch(generator, rate=0.15):
    """Return (inputs, labels) of a random batch, masked anew."""
    return mask_tokens(batches[torch.randint(len(batches), (), generator=generator)], V, generator, rate)


def loss_of(model, batch):
    """Return the loss of a batch, as `fit` asks for it."""
    inputs, labels = batch
    return mlm_loss(model(inputs), labels)


choosing = mask_tokens(framed(draw_sentences(2000, seed=9)), V, torch.Generator().manual_seed(10))


@torch.no_grad()
def validation_loss(model):
    """Return the loss on 2000 sentences of their own. The weights that do best on them are kept, so no result is reported on them."""
    device = next(model.parameters()).device
    return loss_of(model, tuple(ids.to(device) for ids in choosing)).item()


def train_model(draw, checkpoint):
    """Return (a language model, the history of its training), always from the same seed."""
    torch.manual_seed(SEED)
    model = my_language_model()
    return model, fit(model, loss_of, draw, steps=2200, learning_rate=4e-3, warmup=100, train=train, validate=validation_loss, validate_every=200,
                      seed=SEED, checkpoint=checkpoint, resume=True)


train = own_train()
language_model, history = train_model(draw_batch, "language_model.safetensors")
history

# %% nbgrader={"grade_id": "check-my_language_model", "grade": true}
check("my_language_model")

# %% [markdown]
r"""
### 4.1 The loss and the limit

The rival is a table that counts, over the same 100 000 sentences, each masked ten times, which token was hidden between which two neighbours.

**Before you run it:** is its loss closer to 4.3 or to the limit? After how many steps does the model pass it?
"""

# %% tags=["experiment"]
def neighbours(ids):
    """Return a number for each token as it is seen with its two neighbours."""
    wide = F.pad(ids, (1, 1))
    return (wide[:, :-2] * V + ids) * V + wide[:, 2:]


counts = torch.zeros(V**3, V)
for number in range(10):                                                         # masked anew ten times
    seen, wanted = mask_tokens(ids, V, torch.Generator().manual_seed(100 + number))
    counts.index_put_((neighbours(seen)[wanted != -100], wanted[wanted != -100]), torch.ones(()), accumulate=True)
counts += 0.5 * counts.sum(dim=0) / counts.sum()                                 # a little of the overall frequencies, for what was never counted


def loss_of_table(inputs, labels):
    """Return the loss of the table of counts."""
    found = counts[neighbours(inputs)[labels != -100]]
    return F.nll_loss((found / found.sum(dim=1, keepdim=True)).log(), labels[labels != -100]).item()


chosen_limit = lowest_loss(agreement_language(), unframed(choosing[0]), choosing[1][:, 1:-1], masking).item()
lines = {"table of the neighbours": loss_of_table(*choosing), "the limit": chosen_limit}
plots.show_curves(history.validation_steps, {"loss": history.validation} | {name: [level] * len(history.validation) for name, level in lines.items()},
                  "steps", "nats for each chosen token", "Pretraining, on the sentences that chose the weights", logy=True)
language_model.cpu()
with torch.no_grad():
    logits = language_model(held_out_inputs)
print(f"{mlm_loss(logits, held_out_labels) - limit:.3f} nats above the limit on the held-out sentences; the table {loss_of_table(held_out_inputs, held_out_labels):.2f} nats")

# %% tags=["numbers"]
gap = (mlm_loss(logits, held_out_labels) - limit).item()
says("The loss begins at 5.5 nats", history.losses[0])
says("falls to 1.2 within 400 steps", history.validation[1], history.validation_steps[1])
given("above 4.3 since with embeddings as large as these (section 3.3)")
says("The table of the neighbours gets 1.46 nats", loss_of_table(held_out_inputs, held_out_labels))

says("After 2200 steps the model is 0.026 nats above the limit", 2200, gap)


# %% [markdown]
r"""
<details><summary>What you should see</summary>

The loss begins at 5.5 nats, above 4.3 since with embeddings as large as these (section 3.3) an untrained model is not undecided but wrong, and falls to
1.2 within 400 steps. The table of the neighbours gets 1.46 nats, so by then the model uses what is further away. The rest is slow. After 2200 steps the model is 0.026 nats above the
limit, on sentences that had no part in training or in the choice of the weights.
</details>

### 4.2 An experiment: why not always [MASK]?

Section 2.1 gave a reason; a reason is not a measurement. So change **one** thing: train the same model from the same seed, on the same sentences with
the same tokens chosen, but make *every* chosen token `[MASK]`.

**Exercise 8.** ● Write `losses_by_fate`: the mean of $-\log p(\text{label})$ for each fate (became `[MASK]`, stayed, became another token), over the
places whose label is not $-100$. If no token has a fate, its loss is 0.0. The last rows of its table are about `results.json`, which the experiment
below writes. They come right when you check again there.

<details><summary>Hint</summary>

`F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")` is `(B, N)`, and 0 where the label is $-100$. Which comparison of `inputs` and
`labels` is True for the tokens of each fate?
</details>
"""

# %% nbgrader={"grade_id": "losses_by_fate", "solution": true}
def losses_by_fate(logits, inputs, labels):
    """Return {"hidden": …, "stayed": …, "replaced": …}, the mean loss in nats, numbers, of the chosen tokens of each fate.

    logits: (B, N, V). inputs, labels: (B, N); a token is chosen where its label is not -100. A chosen token is hidden if it became
    MASK, it stayed if it is its label, and otherwise it was replaced. A fate that no token has gets 0.0.
    """
    ### BEGIN SOLUTION Average the losses of the chosen tokens that became MASK, of those that stayed, and of the others.
    losses = F.cross_entropy(logits.transpose(1, 2), labels, reduction="none")       # (B, N)
    chosen = labels != -100
    hidden, stayed = chosen & (inputs == MASK), chosen & (inputs == labels)
    fates = {"hidden": hidden, "stayed": stayed, "replaced": chosen & ~hidden & ~stayed}
    return {name: losses[fate].mean().item() if fate.any() else 0.0 for name, fate in fates.items()}
    ### END SOLUTION

# %% tags=["experiment"]
check("losses_by_fate")

# %% [markdown]
r"""
The held-out sentences are masked without chance: every third word is chosen; in one sentence it becomes `[MASK]`, in the next it stays, in the third it
becomes the next word of the vocabulary.

**Before you run it**, write into `predicted` what you expect, in nats: 4.3 is the loss of knowing nothing; a word that is seen, and known to be right,
costs 0. Which of the two models is better at `[MASK]`? And what will a model say of a visible word if it was never asked about one? (A prediction is
not graded for being right, only for being there.)
"""

# %% nbgrader={"grade_id": "predicted", "solution": true}
### BEGIN SOLUTION Write down predicted = {"hidden": ..., "stayed": ..., "hidden, always [MASK]": ..., "stayed, always [MASK]": ...}.
predicted = {"hidden": 1.0, "stayed": 0.1, "hidden, always [MASK]": 0.9, "stayed, always [MASK]": 2.0}
### END SOLUTION

# %% tags=["experiment"]
def always_mask(generator):
    """Return a batch as draw_batch does, with every chosen token hidden."""
    inputs, labels = draw_batch(generator)
    return inputs.masked_fill(labels != -100, MASK), labels


def by_turns(ids):
    """Return (inputs, labels): every third word is chosen; it becomes MASK, stays or is replaced, sentence by sentence in turn."""
    rows, places = torch.arange(len(ids))[:, None], torch.arange(ids.shape[1])
    chosen = (ids >= ORDINARY) & ((places + rows // 3) % 3 == 0)
    other = ORDINARY + (ids + 1 - ORDINARY) % (V - ORDINARY)
    fate = torch.where(rows % 3 == 0, MASK, torch.where(rows % 3 == 1, ids, other))
    return torch.where(chosen, fate, ids), ids.masked_fill(~chosen, -100)


always, _ = train_model(always_mask, "always_mask.safetensors")
inputs, labels = by_turns(held_out)
measured = {}
for name, model in (("", language_model), (", always [MASK]", always)):
    with torch.no_grad():
        found = losses_by_fate(model.cpu()(inputs), inputs, labels)
    print(f"trained with {'MASK alone' if name else '80, 10, 10':10}", ", ".join(f"{fate} {loss:.3f}" for fate, loss in found.items()))
    measured |= {f"hidden{name}": found["hidden"], f"stayed{name}": found["stayed"]}
save_results("results.json", predicted, measured)

# %% tags=["numbers"]
says("both are equally good: 0.917 and 0.927 nats", measured["hidden"], measured["hidden, always [MASK]"])
says("the first model loses 0.125 nats and the second 1.085", measured["stayed"], measured["stayed, always [MASK]"])
given("(from five seeds 0.918 and 0.921 on average)", "(from five seeds 0.13 and 1.02)")

# %% nbgrader={"grade_id": "check-losses_by_fate", "grade": true}
check("losses_by_fate")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

At `[MASK]` both are equally good: 0.917 and 0.927 nats (from five seeds 0.918 and 0.921 on average). Where a chosen word stays, the first model loses
0.125 nats and the second 1.085 (from five seeds 0.13 and 1.02): nobody ever asked the second about a visible word. The same holds for words that were
replaced.
</details>

Later we use the vectors $y$, not the output. Do they say less about their own token without the two 10 %? A *linear probe* reads from $y$, in a text
without `[MASK]`, which token it is (a linear classifier, by ridge regression on the one-hot classes).

**Before you run it:** order three encoders by how well it reads: trained with 80/10/10, trained with `[MASK]` alone, not trained at all.
"""

# %% tags=["experiment"]
def probe(vectors, classes, count):
    """Return a function from vectors (n, D) to classes (n,): a linear classifier, by ridge regression on the one-hot classes."""
    def wide(vectors):
        return F.pad(vectors, (0, 1), value=1.0).double()
    X, T = wide(vectors), F.one_hot(classes, count).double()
    W = torch.linalg.solve(X.T @ X + torch.eye(X.shape[1], dtype=X.dtype), X.T @ T)
    return lambda vectors: (wide(vectors) @ W).argmax(dim=-1)


@torch.no_grad()
def vectors_of(encoder, ids):
    """Return Y (B, N, D), for sentences without [MASK]."""
    return encoder(ids, need_weights=False)[0]


torch.manual_seed(3)
encoders = {"80/10/10": language_model.encoder, "[MASK] alone": always.encoder, "untrained": my_language_model().eval().encoder}
probed, tested, own = framed(draw_sentences(2000, seed=51)), framed(draw_sentences(500, seed=50)), {}
for name, encoder in encoders.items():
    read = probe(vectors_of(encoder, probed)[probed >= ORDINARY], probed[probed >= ORDINARY], V)
    own[name] = (read(vectors_of(encoder, tested)[tested >= ORDINARY]) == tested[tested >= ORDINARY]).double().mean().item()
    print(f"{name}: the probe names {own[name]:.1%} of the tokens")

# %% tags=["numbers"]
given("MNLI has 84.3 instead of 84.2 and named entities 94.9 instead of 95.4", "So the two 10 % do not")
says("94 % of the tokens with", own["80/10/10"], within=2)
says("67 % with `[MASK]` alone, and 99 % in an untrained encoder", own["[MASK] alone"], own["untrained"], within=2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

94 % of the tokens with 80/10/10, 67 % with `[MASK]` alone, and 99 % in an untrained encoder: the residual connections carry the token's own embedding
upwards. So the two 10 % do not put the token into its vector; they keep training from overwriting it. After fine-tuning that is hardly worth anything
in the paper (Devlin et al., table 8): with `[MASK]` alone MNLI has 84.3 instead of 84.2 and named entities 94.9 instead of 95.4.
</details>

### 4.3 The gaps, one by one

The pronoun and the reflexive give each other away, so both are hidden: first in examples, then in all held-out sentences that have both. The rival says
what fits the nearest noun.

**Before you run it:** where will the model be sure, and where should it not be? Is it less often right if the subject is further away?
"""

# %% tags=["experiment"]
for sentence, hidden in (("the queen near the robots [MASK] and [MASK] likes [MASK] .", {6: "sleeps", 8: "she", 10: "herself"}),
                         ("some monks that the girl [MASK] wait .", {6: "hears"}),
                         ("[MASK] king behind the aunts sings and [MASK] follows [MASK] .", {1: "every", 8: "he", 10: "himself"})):
    ids = framed(ids_of(sentence))
    with torch.no_grad():
        probabilities = language_model(ids)[0].softmax(-1)
    gaps = (ids[0] == MASK).nonzero()[:, 0]
    plots.show_gaps([words[i] for i in ids[0]], guesses_of(probabilities, gaps), hidden)

# All held-out sentences that have a pronoun and a reflexive, with both hidden. The rival: say what fits the nearest noun.
tags = F.pad(word_tags(unframed(held_out)), (1, 1))
agreeing = (tags == TAGS.index("pronoun")).sum(dim=1) == 2
both, tags = held_out[agreeing], tags[agreeing]
gaps, subject = tags == TAGS.index("pronoun"), (tags == TAGS.index("subject")).int().argmax(dim=1)
row, place = torch.arange(len(both)), torch.arange(both.shape[1])
first_gap, last_gap = gaps.int().argmax(dim=1), (gaps * place).argmax(dim=1)


def agreement(model):
    """Return the probability of the right token at both gaps, and whether the reflexive is the most probable one."""
    with torch.no_grad():
        P = model(both.masked_fill(gaps, MASK)).softmax(-1)
    at_gaps = torch.stack([P[row, gap].gather(1, both[row, gap][:, None])[:, 0] for gap in (first_gap, last_gap)])
    return at_gaps, P[row, last_gap].argmax(-1) == both[row, last_gap]


fits = torch.full((V,), -1)                                                      # noun → the pronoun that fits it
fits[both[row, subject]] = subject_classes(unframed(both))
noun = (tags == TAGS.index("subject")) | (tags == TAGS.index("other noun"))
nearest, first = ((fits[both[row, at]] == fits[both[row, subject]]).double().mean().item() for at in ((noun * place).argmax(dim=1), noun.int().argmax(dim=1)))
chances, named = agreement(language_model)
distance = last_gap - subject
far = distance.unique()
plots.show_curves(far, {name: [chance[distance == d].mean() for d in far] for name, chance in zip(("the pronoun", "the reflexive"), chances)},
                  "words from the subject to the reflexive", "mean probability of the right word", "Both hidden: does the distance matter?").set_ylim(0, 1.05)
print(f"the right reflexive is the most probable in {named.double().mean():.1%} of {len(both)} sentences; that of the nearest noun is right in {nearest:.1%}, of the first noun in {first:.1%}")
print(f"mean probability of the right pronoun {chances[0].mean():.2f}, of the right reflexive {chances[1].mean():.2f}")

# %% tags=["numbers"]
claims("past the nearer *robots*", chances[0].mean() > 0.85)
says("of 2417 sentences, and the nearest noun is right in 48 %", len(both), nearest)
claims("the *first* noun is always right", first == 1)
says("0.90 for the pronoun and 0.97 for the reflexive", *(chance.mean().item() for chance in chances), within=2)
best = torch.cat([posterior(agreement_language(), some, masking) for some in unframed(both.masked_fill(gaps, MASK)).split(400)])
says("where 0.999 is possible", min(best[row, gap - 1].gather(1, both[row, gap][:, None]).mean() for gap in (first_gap, last_gap)))
claims("is the most probable one in all, or nearly all", named.double().mean() > 0.995)
claims("however far the subject is", all(chance[distance == d].mean() > 0.85 for chance in chances for d in far))
with torch.no_grad():
    alone = [language_model(both.masked_fill(torch.arange(both.shape[1]) == gap[:, None], MASK)).softmax(-1)[row, gap].gather(1, both[row, gap][:, None]).mean()
             for gap in (first_gap, last_gap)]
says("With only one of the two hidden, it would be 0.99 and 1.00", *alone)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*she* and *herself* are nearly certain, past the nearer *robots*. In the third sentence, where *every* is hidden too, the model is less sure of *he*
than it could be. *hears* agrees with *girl*, not with *monks*.

The right reflexive is the most probable one in all, or nearly all, of 2417 sentences, and the nearest noun is right in 48 %. But the *first* noun is
always right, since in this grammar it is the subject: the model need only find that one. The mean probability of the right word is 0.90 for the pronoun
and 0.97 for the reflexive, however far the subject is, where 0.999 is possible. With only one of the two hidden, it would be 0.99 and 1.00.
</details>

### 4.4 Who looks where?

To fill these gaps, some head has to look at the subject. A picture of weights is not a proof (lesson 2), so we also switch off one head at a time, by
zeros in its columns of $W_O$, and measure the loss at all gaps of section 4.3.

**Before you run it:** from which token will a head look at the subject, from the gap or from somewhere else? Will the head that costs most be that one?
"""

# %% tags=["experiment", "slow"]
sentence = "the queen near the robots sleeps and [MASK] likes [MASK] ."
ids = framed(ids_of(sentence))
tokens = [words[i] for i in ids[0]]
with torch.no_grad():
    _, weights = language_model.encoder(ids)                                     # each (1, H, N, N)
for number, A in enumerate(weights):
    plots.show_heads(A[0], tokens, tokens, [f"block {number}, head {h}" for h in range(A.shape[1])])

def without_head(block, head):
    """Return the language model without what one head adds."""
    model = copy.deepcopy(language_model)
    attention = model.encoder.blocks.blocks[block].attention
    width = attention.W_O.weight.shape[1] // attention.num_heads
    attention.W_O.weight.data[:, head * width:(head + 1) * width] = 0
    return model


whole, heads = -chances.log().mean().item(), {}
for block, A in enumerate(weights):
    for head in range(A.shape[1]):
        heads[f"{block}, {head}"] = -agreement(without_head(block, head))[0].log().mean().item()
plots.show_bars(["none", *heads], [whole, *heads.values()], "nats at both gaps", "Which head matters?", "without block, head")
with torch.no_grad():
    _, weights = language_model.encoder(both.masked_fill(gaps, MASK))
on_subject = torch.stack([A[row, :, last_gap, subject].mean(dim=0) for A in weights])        # (blocks, H)
for block, shares in enumerate(on_subject):
    print(f"block {block}: weight from the reflexive's gap on the subject, by head:", ", ".join(f"{share:.0%}" for share in shares.tolist()))

# %% tags=["numbers"]
says("Without head 0 of block 1 the loss rises from 0.08 to 0.39 nats, without head 2 to 0.23", 0, 1, whole, heads["1, 0"], 2, heads["1, 2"], within=2)
says("head 0 has 74 % of its weight on the subject there, head 2 has 25 %", 0, on_subject[1, 0], 2, on_subject[1, 2], within=2)
says("head 3 of block 0 costs more than any other there, 0.21", 3, 0, max(found for name, found in heads.items() if name[0] == "0"), within=2)
claims("head 3 of block 0 costs more than any other there", max((found, name) for name, found in heads.items() if name[0] == "0")[1] == "0, 3")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In block 1, head 0 looks from both gaps at *queen*, past the nearer *robots*: at the subject, or at the first noun, which here is the same. Without head
0 of block 1 the loss rises from 0.08 to 0.39 nats, without head 2 to 0.23. Over all sentences, from the reflexive's gap, head 0 has 74 % of its weight
on the subject there, head 2 has 25 %. But head 3 of block 0 costs more than any other there, 0.21, without looking at the subject. In another training
other heads do the same work.
</details>

### Written question 1 (2 points, graded by hand)

- (a) A colleague's model predicts hidden tokens of your held-out sentences with a loss of 0.80 nats, which is below the limit of 0.863. What has gone
  wrong? Name two mistakes that would have this effect.
- (b) Of the chosen tokens, 10 % stay as they are. A model sees such a token and does not know whether it was chosen at all. What should it predict
  there, and why does the answer depend on how well the token fits the sentence?

Write three to six sentences.
"""

# %% [markdown] nbgrader={"grade_id": "written-limit", "grade": true, "solution": true, "points": 2}
r"""
(a) On average nothing can be below the limit, so on 6000 chosen tokens the model must know something that it should not. For example:
the labels were taken from all tokens, so that most of what is "predicted" can be read off the input; or tokens were chosen
and too many of them left as they were, so that copying is right; or the model was trained on the held-out sentences; or the mean was
taken over all positions, the unchosen counting as 0. On very few tokens, luck is possible as well.

(b) The loss counts only if the token was chosen. If it was chosen and is seen, it either stayed (10 %) or became random (10 %, but
then any of 70 words with equal probability). If the token fits the sentence well, it is far more probable that it stayed, since a
random word would hit upon a fitting one in few cases; so the model should predict what it sees. If it does not fit at all, it must be the random
one, and the model should predict from the context, as if there were a gap.

=== BEGIN MARK SCHEME ===

- 1 point: (a) two mistakes, each of which would lower the loss below the limit; half a point for each. An answer that makes training
  better ("more steps", "a larger model") names none: nothing that is learned honestly goes below.
- 1 point: (b) a token that fits most likely stayed, so predict it; one that does not fit must be random, so predict from the context (half a
  point for one of the two cases, or for both without the comparison of probabilities).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 5 Real English (optional)

### 5.1 Pieces of words

English has more words than a vocabulary can hold; letters make long sequences. Between the two are **subwords**, or pieces: begin with the letters, and
join the most frequent pair of neighbours, again and again (byte-pair encoding, Sennrich et al. 2016). No word is unknown as long as its letters have
been seen. (SentencePiece treats the space as one more letter.)

**Before you run it:** the text holds *low* 5 times, *lower* 2 times, *newest* 6 times and *widest* 3 times. Which two letters are neighbours most
often?
"""

# %% tags=["experiment"]
corpus = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3
letters = len(set("".join(corpus)))
for merges in range(1, 7):
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Whitespace()
    bpe.train_from_iterator(corpus, trainers.BpeTrainer(vocab_size=letters + merges, show_progress=False))
    pair = json.loads(bpe.to_str())["model"]["merges"][-1]
    print(f"{merges}. join {' + '.join(pair):8}", " | ".join(" ".join(bpe.encode(word).tokens) for word in dict.fromkeys(corpus)))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*e* + *s* and *s* + *t* occur 9 times each; the first of them is joined, then *es* + *t*, then *l* + *o* (7 times). *lowest*, which never occurred,
would be *low* + *est*.
</details>

BERT's **WordPiece** marks pieces that continue a word with `##`, and cuts text by the longest piece that fits. The text is real: the Python
documentation and the docstrings of the standard library, about 200 000 words. One document in eight is held out.
"""

# %% tags=["experiment", "slow"]
documents, unseen = python_english("train"), python_english("held_out")
PIECES = 2000
tokenizer = train_wordpieces((paragraph for document in documents for paragraph in document.paragraphs), PIECES)
print(f"{len(documents)} documents, {len(unseen)} held out; {tokenizer.get_vocab_size()} pieces")
for sentence in ("The function returns a new list.", "An unforeseeable misconfiguration was deserialized."):
    print(" ".join(tokenizer.encode(sentence).tokens))

# %% [markdown]
r"""
### 5.2 Pairs of sentences

BERT also learns **next-sentence prediction** (NSP): in half of the pairs B is really the sentence after A, in the other half a random one, and a
classifier on `[CLS]` says which.

| ids | `[CLS]` | A … | `[SEP]` | B … | `[SEP]` | `[PAD]` … |
|---|---|---|---|---|---|---|
| segments | 0 | 0 | 0 | 1 | 1 | 0 |

The random sentence comes from **another** document: put the sentences of all the others into one list, and draw from it. Otherwise it might be the next
one after all.

**Exercise 9 (optional).** ●●● Write `sentence_pairs`. Each sentence that has a next one in its document comes first in one pair; the order of the pairs
does not matter.

<details><summary>Hint: drawing</summary>

`torch.rand((), generator=generator).item() < 0.5` is a coin. `torch.randint(len(others), (), generator=generator)` is a place in a list.
</details>
<details><summary>Hint: filling up</summary>

`nn.utils.rnn.pad_sequence(list of tensors, batch_first=True)` fills up with 0, which is PAD, and segment 0.
</details>
"""

# %% nbgrader={"grade_id": "sentence_pairs", "solution": true}
def sentence_pairs(documents, generator):
    """Return (ids (P, L), segments (P, L), is_next (P,)): a pair [CLS] A [SEP] B [SEP] for each sentence A that has a next one.

    documents: a list of documents, each a list of sentences, each a list of ids. With probability 1/2, B is the sentence after
    A and is_next is True; otherwise B is drawn from all sentences of all other documents, each equally probable, and is_next is False. Segments: 0 up
    to the first [SEP], 1 from B on. Rows are filled up to the longest pair with PAD and segment 0. All randomness comes from
    `generator`. Raises ValueError for fewer than two documents.
    """
    ### BEGIN SOLUTION Pair every sentence with its next one or with one of another document, each with probability 1/2.
    if len(documents) < 2:
        raise ValueError(f"Expected at least two documents, got {len(documents)}: a random sentence comes from another one.")
    rows, segments, is_next = [], [], []
    for d, document in enumerate(documents):
        others = [sentence for e, other in enumerate(documents) if e != d for sentence in other]
        for a, b in zip(document, document[1:]):
            follows = torch.rand((), generator=generator).item() < 0.5
            b = b if follows else others[torch.randint(len(others), (), generator=generator)]
            rows.append(torch.tensor([CLS, *a, SEP, *b, SEP]))
            segments.append(torch.tensor([0] * (len(a) + 2) + [1] * (len(b) + 1)))
            is_next.append(follows)
    pad = nn.utils.rnn.pad_sequence
    return pad(rows, batch_first=True), pad(segments, batch_first=True), torch.tensor(is_next)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-sentence_pairs", "grade": true}
check("sentence_pairs")

# %% [markdown]
r"""
### 5.3 BERT on two cores

Here only the hidden pieces are learned, with pairs as input; so small a model does not learn NSP (52 %, a coin). BERT-Base has 110 million
weights and, by the paper's count, saw 3.3 billion words about forty times; this one has 430 thousand and sees some 200 000 words once or twice.

**Before you run it:** what will it learn first? Can it learn what follows what?
"""

# %% tags=["experiment"]
LONGEST = 64                                                                     # two sentences of up to 30 pieces


def read(documents):
    """Return documents as lists of sentences of ids; sentences are cut to 30 pieces."""
    found = [[tokenizer.encode(s).ids[:30] for p in document.paragraphs for s in sentences_of(p)] for document in documents]
    return [[sentence for sentence in document if sentence] for document in found]


def make_pairs(documents, seed):
    """Return batches (ids, segments, is_next) of pairs that are about equally long."""
    ids, segments, is_next = sentence_pairs(read(documents), torch.Generator().manual_seed(seed))
    lengths = (ids != PAD).sum(dim=1)
    return [(ids[rows, :lengths[rows].max()], segments[rows, :lengths[rows].max()], is_next[rows].long())
            for rows in lengths.argsort(stable=True).split(32)]


pairs, pairs_unseen = make_pairs(documents, 0), make_pairs(unseen, 1)


def draw_pairs(generator):
    """Return (inputs, labels, segments) of a random batch of pairs, masked anew."""
    ids, segments, _ = pairs[torch.randint(len(pairs), (), generator=generator)]
    return *mask_tokens(ids, PIECES, generator), segments


torch.manual_seed(SEED)
bert = MaskedLanguageModel(PIECES, 96, num_heads=4, num_blocks=2, max_length=LONGEST, dropout=0.0)
fit(bert, lambda model, batch: mlm_loss(model(batch[0], batch[2]), batch[1]), draw_pairs, steps=500, learning_rate=3e-3, warmup=50,
    seed=SEED, checkpoint="english.safetensors", resume=True)

bert.cpu()
share = torch.cat([ids[ids >= ORDINARY] for ids, _, _ in pairs]).bincount(minlength=PIECES).double()
share /= share.sum()


def by_recipe(seen):
    """Return what stood in the places of seen (n,), (n, PIECES), for one who knows the recipe and the frequencies, and looks at nothing else."""
    P = share.clamp(min=1e-7) * torch.where(seen == MASK, 0.8, 0.1 / (PIECES - ORDINARY))[:, None]       # hidden, or replaced at random
    P[torch.arange(len(seen)), seen] += 0.1 * share[seen] * (seen != MASK)           # or it stayed
    return P / P.sum(dim=1, keepdim=True)


generator, found, at_gaps = torch.Generator().manual_seed(3), [], []
with torch.no_grad():
    for ids, segments, _ in pairs_unseen:
        inputs, labels = mask_tokens(ids, PIECES, generator)
        places = labels.ne(-100)
        if places.any():
            seen, wanted = inputs[places], labels[places]
            rivals = bert(inputs, segments)[places].double().softmax(-1), by_recipe(seen)
            costs = torch.stack([F.nll_loss(P.log(), wanted, reduction="none") for P in rivals])   # (2, n)
            found.append(torch.stack((costs.mean(dim=1), torch.stack([(P.argmax(-1) == wanted).double().mean() for P in rivals]))))
            at_gaps.append(costs[:, seen == MASK])
(loss, recipe_loss), (right, recipe_right) = torch.stack(found).mean(dim=0).tolist()
gap_loss, gap_recipe = torch.cat(at_gaps, dim=1).mean(dim=1).tolist()
print(f"held-out documents: {loss:.2f} nats for each hidden piece, {right:.0%} right. Knowing nothing: {math.log(PIECES):.2f} nats; knowing only how "
      f"frequent each piece is: {torch.special.entr(share).sum():.2f} nats, {share.max():.0%} right")
print(f"the recipe and the frequencies, without a look at any other place: {recipe_loss:.2f} nats, {recipe_right:.0%} right; "
      f"at [MASK] alone {gap_recipe:.2f} nats, the model {gap_loss:.2f}")

# %% tags=["experiment"]
pieces = [tokenizer.id_to_token(i) for i in range(PIECES)]
for sentence, hidden in (("the function returns a new list .", "returns"), ("this is the name of the file .", "of"),
                         ("if the argument is not a string , an exception is raised .", "is"), ("the value can be changed .", "be")):
    tokens = ["[CLS]", *tokenizer.encode(sentence).tokens, "[SEP]"]
    place = tokens.index(hidden)
    ids = torch.tensor([[tokenizer.token_to_id("[MASK]" if n == place else token) for n, token in enumerate(tokens)]])
    with torch.no_grad():
        probabilities = bert(ids)[0].softmax(-1)
    tokens[place] = "[MASK]"
    plots.show_gaps(tokens, guesses_of(probabilities, [place], pieces), {place: hidden})

# %% tags=["numbers"]
says("5.60 nats, where the frequencies alone give 6.12", loss, torch.special.entr(share).sum())
says("17 % of the pieces right, where always saying *the* gives 5 %", right, share.max())
says("comes to 5.63 nats and 15 %", recipe_loss, recipe_right)
says("At `[MASK]` alone the model has 6.09 nats and the program 6.18", gap_loss, gap_recipe)
claims("this one has 430 thousand", 425e3 < sum(p.numel() for p in bert.parameters()) < 435e3)


# %% [markdown]
r"""
<details><summary>What you should see</summary>

It seems to have learned a little: 5.60 nats, where the frequencies alone give 6.12, and 17 % of the pieces right, where always saying *the* gives 5 %.
But a program that looks at no other place, and repeats a visible piece because one in ten stays, comes to 5.63 nats and 15 %. At `[MASK]` alone the
model has 6.09 nats and the program 6.18. In the gaps the model guesses nearly the same in all four sentences. BERT needs its size and its data.
</details>

### 5.4 Next sentence or not: what counting can do

Add up the rarity of the pieces that A and B share: $\sum_{v \in A \cap B} -\log p(v)$. If the sum is above a threshold, chosen on the training
documents, say "next". The order of words does not matter.
"""

# %% tags=["experiment"]
predict("counting", "A coin gets half of the held-out pairs right. What does counting get?",
        ["under 55 %", "55 to 65 %", "65 to 80 %", "over 80 %"])

# %% tags=["experiment"]
rarity = -share.clamp(min=1e-6).log()


def in_common(batches):
    """Return (sums, is_next) of all pairs: how rare the pieces are, taken together, that both sentences hold."""
    sums, answers = [], []
    for ids, segments, is_next in batches:
        for row, segment in zip(ids, segments):
            a, b = (set(row[(segment == part) & (row >= ORDINARY)].tolist()) for part in (0, 1))
            sums.append(sum(float(rarity[piece]) for piece in a & b))
        answers.append(is_next)
    return torch.tensor(sums), torch.cat(answers)


sums, answers_known = in_common(pairs)
threshold = max(sums.quantile(torch.linspace(0, 1, 101)).tolist(), key=lambda t: ((sums > t) == answers_known).double().mean())
sums_unseen, answers_unseen = in_common(pairs_unseen)
counted = ((sums_unseen > threshold) == answers_unseen).double().mean().item()
print(f"counting: {counted:.1%} of {len(sums_unseen)} held-out pairs right")
came_out("counting", "under 55 %" if counted < 0.55 else "55 to 65 %" if counted < 0.65
         else "65 to 80 %" if counted < 0.8 else "over 80 %")

# %% tags=["numbers"]
says("Counting gets 72 % right", counted)
given("97 to 98 % (Devlin et al., section 3.1)")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Counting gets 72 % right, with a single threshold: the random sentence is from another document, and about something else. BERT gets 97 to 98 % (Devlin
et al., section 3.1), on other and longer texts, so the two cannot be subtracted. Liu et al. (2019, RoBERTa) left NSP out, and lost nothing. Lan et al.
(2020, ALBERT) ask instead in which *order* two neighbouring sentences came. There counting is worthless, since $A \cap B$ is $B \cap A$.
</details>

### 5.5 What the large ones cost

BERT read 800 million words of books and 2500 million of Wikipedia about forty times, in a million steps of 131,072 pieces, with AdamW and a learning
rate of $10^{-4}$ that falls linearly. (So the paper counts, 256 sequences of 512 pieces to a step. By its appendix A.2, nine steps in ten had sequences
of 128.) Others (lesson 4, section 4, counts the sizes):

| model | blocks, width, heads | weights | text | training | GLUE |
|---|---|---|---|---|---|
| BERT-Base | 12, 768, 12 | 110M | 13 GB | 16 TPU chips, 4 days | 79.6 |
| BERT-Large | 24, 1024, 16 | 340M | 13 GB | 64 TPU chips, 4 days | 82.1 |
| XLNet-Large (Yang et al., June 2019) | 24, 1024, 16 | about 340M | 126 GB | 512 TPU-v3 chips, 2.5 days | 88.4 |
| RoBERTa (Liu et al. 2019) | 24, 1024, 16 | 355M | 160 GB | 1024 V100 GPUs, about 1 day for the first 100,000 of 500,000 steps | 88.5 |

**GLUE** is the mean of nine tasks on one sentence (is it positive, is it grammatical?) or two (does B follow from A, do both mean the same, does B
answer A?), with a classifier on `[CLS]`. People reach 87.1. (BERT's numbers are those of single models on eight of the tasks, and on all nine
BERT-Large has 80.5; the other two are those of ensembles, on all nine.)

Training takes about 6 operations for each weight and each token: 2 forward, 4 backward.

**Before you run it:** RoBERTa is as large as BERT-Large. How many times its computation did the last six points cost?
"""

# %% tags=["experiment"]
recipes = {                                                                      # name: (weights, tokens of all steps, GLUE)
    "BERT-Base": (110e6, 1e6 * 256 * 512, 79.6),
    "BERT-Large": (340e6, 1e6 * 256 * 512, 82.1),
    "XLNet-Large": (340e6, 500e3 * 2048 * 512, 88.4),
    "RoBERTa": (355e6, 500e3 * 8192 * 512, 88.5),
}
cost = {name: 6 * weights * tokens for name, (weights, tokens, _) in recipes.items()}
for name, (weights, tokens, glue) in recipes.items():
    print(f"{name:12} {tokens:.1e} tokens, {cost[name]:.1e} operations, {cost[name] / cost['BERT-Large']:5.1f} times BERT-Large, GLUE {glue}")
_, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
for name, (_, _, glue) in recipes.items():
    ax.plot(cost[name], glue, "o")
    ax.annotate(f" {name} ", (cost[name], glue), ha="right" if cost[name] > 5e20 else "left", va="bottom" if name == "RoBERTa" else "top")
ax.axhline(87.1, color="grey", linewidth=0.8)
ax.set(xscale="log", xlabel="operations of the training (logarithmic)", ylabel="GLUE score", title="GLUE and computation; the grey line: people");

# %% tags=["numbers"]
given("such as that of section 4.2.")
says("about $4 \\cdot 10^{21}$ operations, 17 times those of BERT-Large, for 6.4 points; XLNet 4 times, for 6.3",
     4, 10, 21, cost["RoBERTa"] / cost["BERT-Large"], 88.5 - 82.1, cost["XLNet-Large"] / cost["BERT-Large"], 88.4 - 82.1, within=1)
says("it is 51 times", cost["RoBERTa"] / (6 * 340e6 * 1e6 * 256 * (0.9 * 128 + 0.1 * 512)))
given("88.5 against 80.5")


# %% [markdown]
r"""
<details><summary>What you should see</summary>

RoBERTa took about $4 \cdot 10^{21}$ operations, 17 times those of BERT-Large, for 6.4 points; XLNet 4 times, for 6.3. Both sides
are to be read with care: on the same nine tasks it is 88.5 against 80.5, and if BERT's short sequences count as short, it is 51 times. The picture does
not say how much is due to the method and how much to the amount, since everything changes at once; only an ablation does, such as that of section 4.2.
</details>

### Written question 2 (2 points, graded by hand, optional)

- (a) Counting gets 72 % in section 5.4. Change *one* thing about how the random sentence is drawn, other than the order that ALBERT asks for, so that
  counting gets clearly less. Why does it lose, and why does something remain? What could a model use then that does not count, but reads?
- (b) A classifier that reads is right on 99 % of the pairs of the training documents and on 60 % of those of held-out ones. Which mistake in
  *splitting* the data could make the second number 99 % too, without the model being any better?

Write three to six sentences.
"""

# %% [markdown] nbgrader={"grade_id": "written-pairs", "grade": true, "solution": true, "points": 2}
r"""
(a) Draw the random sentence from the same document (but not the next one). Counting works because another document is about something else: other
names, other technical words. Within a document the two sentences share these words whether B is next or not. (Tried: 64 % instead of 72 %.) Something
remains because sentences that stand side by side have more
in common than two that stand far apart; drawn from the sentences right around A, even less would remain. What a reader can use is what the order
of sentences does: a pronoun or "this" that needs the sentence before it, "however" or "for example", a name that is introduced in A and used in B.
For that, the words have to be read
in their places.

(b) If sentences or pairs are split at random instead of whole documents, the held-out pairs come from documents whose other sentences were
in the training set. The model can then recognise by names and rare words which sentences belong together, without having learned anything that
holds for a new document. The same happens if copies of a paragraph lie in both parts.

=== BEGIN MARK SCHEME ===

- 1 point: (a) a random sentence of the same document (or one that is chosen to have as many rare words in common), with the reason that both kinds of
  pairs then share
  their subject, *and* something that links neighbouring sentences (half a point for one of the two; that neighbours share more words is the part that
  remains for counting).
- 1 point: (b) the split by sentences or pairs instead of by documents, or copies in both parts, *and* why the number rises: what it
  recognises belongs to these documents (half a point for the split alone).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 6 What T5 and XLM change (optional)

Nothing is graded here. (A third idea after BERT is ELECTRA, Clark et al. 2020: a small masked language model fills the gaps, and the real model says of
*every* token whether it was replaced. So it learns from all tokens.)

### 6.1 T5: hide spans, and write them

T5 (Raffel et al. 2020) has an encoder and a decoder. Each hidden *span* is replaced by one special token (a *sentinel*, `<X>`, `<Y>`, …), and the
decoder writes what is missing, token by token (*span corruption*). One gap may hide any number of words.
"""

# %% tags=["experiment"]
def span_corruption(tokens, generator, rate=0.15, mean=3):
    """Return (input, target): spans of `mean` tokens or so are replaced by <X>, <Y>, ..., and the target tells what they were."""
    N = len(tokens)
    hidden = torch.zeros(N, dtype=torch.bool)
    while hidden.sum() < max(1, round(rate * N)):
        start = int(torch.randint(N, (), generator=generator))
        length = 1 + int(torch.randint(2 * mean - 1, (), generator=generator))
        hidden[start:start + length] = True
    signs, source, target = iter("XYZABCDE"), [], []
    for n, token in enumerate(tokens):
        if hidden[n] and not (n and hidden[n - 1]):                              # a new span begins
            sign = f"<{next(signs)}>"
            source.append(sign)
            target.append(sign)
        (target if hidden[n] else source).append(token)
    return source, [*target, f"<{next(signs)}>"]


generator = torch.Generator().manual_seed(11)
for sentence in ("Thank you for inviting me to your party last week", documents[40].paragraphs[0]):
    source, target = span_corruption(sentence.split()[:24], generator, rate=0.3, mean=2)
    print(" ".join(source), "\n   →", " ".join(target))

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | out = (<X> for inviting <Y> last <Z>)
    [encoder] | [decoder]
    in = (Thank you <X> me to your party <Y> week)
    in -> encoder
    encoder -> decoder: memory
    decoder -> out
""", title="T5: spans are hidden, and a decoder writes them");

# %% [markdown]
r"""
### 6.2 XLM: a sentence and its translation

XLM (Lample and Conneau 2019) hides words in a *pair* of a sentence and its translation (*translation language modelling*): a hidden word can be read
off the other side. Our second language has its own word for each of the 70, in the same order.

**Before you run it:** how far below the limit of the single sentence can the loss fall now?
"""

# %% tags=["experiment"]
def with_translation(ids):
    """Return [CLS] sentence [SEP] translation [SEP], each padded to its full length, and the segments."""
    foreign = torch.where(ids >= ORDINARY, ids + V - ORDINARY, ids)[:, 1:]           # every word has its own word there
    both = torch.cat((ids, foreign), dim=1)                                      # (B, 37)
    return both, (torch.arange(both.shape[1]) >= ids.shape[1]).long().expand_as(both)


rows = framed(draw_sentences(20_000, seed=8))
both_V = 2 * V - ORDINARY


def draw_translations(generator):
    """Return (inputs, labels, segments) of a batch of pairs, masked on both sides."""
    both, segments = with_translation(rows[torch.randint(len(rows), (64,), generator=generator)])
    return *mask_tokens(both, both_V, generator), segments


torch.manual_seed(SEED)
translator = MaskedLanguageModel(both_V, 64, num_heads=4, num_blocks=2, max_length=37, dropout=0.0)
fit(translator, lambda model, batch: mlm_loss(model(batch[0], batch[2]), batch[1]), draw_translations, steps=400,
    learning_rate=3e-3, warmup=50, device="cpu", show=False)
both, segments = with_translation(held_out[:1000])
beside = {}
for name, foreign in (("its own translation", both), ("the translation of another sentence", torch.cat((both[:, :19], both.roll(1, 0)[:, 19:]), 1))):
    inputs = torch.cat((held_out_inputs[:1000], foreign[:, 19:]), dim=1)
    with torch.no_grad():
        beside[name] = mlm_loss(translator(inputs, segments)[:, :19], held_out_labels[:1000]).item()
    print(f"with {name}: {beside[name]:.2f} nats (the limit of a single sentence is {limit:.2f})")

# %% tags=["numbers"]

says("the loss is 0.19 nats, far below 0.86", beside["its own translation"], limit, within=4, whole=True)
says("With the translation of another sentence it is 5.17", beside["the translation of another sentence"], within=30, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With its own translation beside it, the loss is 0.19 nats, far below 0.86, though a word and its translation may both be hidden. With the translation of
another sentence it is 5.17, worse than knowing nothing: the model trusts the other side. Nobody gave it a dictionary. In the paper a model fine-tuned
on *English* pairs of sentences judges pairs in fourteen other languages (*zero-shot* transfer; XNLI, Conneau et al. 2018).
</details>
"""

# %% [markdown]
r"""
## 7 What to take along

- Hide some of a text, and guess it from both sides: no causal mask, only one for padding.
- 15 % are chosen; of these 80 % become `[MASK]`, 10 % a random token, 10 % stay. All of them are predicted, and only they count.
- A loss means something only beside others: the best possible, and that of a program that only counts.
- Split by document. A held-out sentence whose neighbours were trained on is not held out.

In section 5, `course_lib.data.text_files("book.txt")` in place of `python_english` reads files of your own, and `hub_text()` WikiText-2.

### Sources

J. Devlin, M. Chang, K. Lee, K. Toutanova, *BERT: Pre-training of deep bidirectional Transformers for language
understanding*, NAACL 2019. Y. Liu et al., *RoBERTa*, 2019. R. Sennrich, B. Haddow, A. Birch, *Neural machine
translation of rare words with subword units*, ACL 2016. M. Schuster, K. Nakajima, *Japanese and Korean voice search*,
ICASSP 2012 (WordPiece). C. Raffel et al., *Exploring the limits of transfer learning with a unified text-to-text
Transformer*, JMLR 2020. A. Wettig et al., *Should you mask 15 % in masked language modeling?*, EACL 2023. K. Clark, M.
Luong, Q. Le, C. Manning, *ELECTRA*, ICLR 2020. A. Conneau et al., *XNLI: evaluating cross-lingual sentence
representations*, EMNLP 2018. Z. Yang et al., *XLNet: generalized autoregressive pretraining for language
understanding*, NeurIPS 2019. Z. Lan et al., *ALBERT*, ICLR 2020. G. Lample, A. Conneau, *Cross-lingual language model
pretraining*, NeurIPS 2019. S. Merity et al., *Pointer sentinel mixture models*, ICLR 2017 (WikiText). Z. Kira,
*Attention and Transformers*, CS 4644/7643, Georgia Tech. Y. Yao, *Attention, Transformer, and BERT*, HKUST.
A. Wang et al., *GLUE*, ICLR 2019.
"""
