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
# 5 Translation

In 2014 a recurrent network read a sentence into one vector, and another wrote the translation from it. In 2015 the
writer was allowed to look back at every word; in 2017 the recurrence was gone and only the looking was left. You build
the second and the third generation, write the training loop, and measure all three against a language whose best
possible translator is known exactly.

| section | the one change | exercise |
|---|---|---|
| 1 | two languages of which everything is known | |
| 2 | a recurrent network reads, in both directions | `RecurrentEncoder` |
| 3 | how well does a word fit? | `AdditiveScores`, `dot_scores` (optional) |
| 4 | a decoder that looks back before every word | `AttentionDecoder`, written question 1 |
| 5 | training, every line of it | `shifted_targets`, `smoothed_loss` (optional), `warmup_rate` (optional), `train` |
| 6 | from probabilities to a sentence | `greedy_translate`, `beam_search` (optional) |
| 7 | how good is a translation? | `bleu`, `alignment_error_rate` (optional) |
| 8 | nothing but attention | `TransformerTranslator`, `my_translator` |
| 9 | one vector, attention, Transformer: what each buys and costs | written question 2 |

**Before you begin.** You need lesson 4, whose encoder and decoder section 8 uses. Recurrent networks are explained from
the beginning. Plan about five and a half hours; the optional parts take about two and a half more. You may leave out
what is marked "(optional)"; its points count unless your teacher says otherwise. The solution took 4 minutes and 13
seconds of one core, most of it for the two trainings (sections 8.3 and 9.5).

## How this notebook works

- In an exercise, replace the line `raise NotImplementedError(...)`, whose text says what to write: about ten lines at
  most, except `train`, `bleu` and the beam search (up to twenty). The cell after an exercise is its **check**.
- ●: a few lines. ●●: think about shapes or a formula first, about 25 minutes. ●●●: about an hour;
  begin with an example that you can check by hand.
- Answer the question before each experiment (clicks are never graded); then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype, leaves its arguments unchanged, accepts
  any memory layout, lets gradients through and works for a batch of one.
- Use `nn.GRU`, `nn.GRUCell` and `course_lib.layers`. `nn.Transformer` and `layers.Transformer` are forbidden.
- **You hand in two files**: this notebook, and `translator.safetensors`, which section 8 writes beside it.

**Notation.** Code uses the same letters.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$ | `B` | sentences in a batch | batch size |
| $N$, $T$ | `N`, `T` | words of the source (English) and of the target (French), with START and END | source and target length; `<s>`, `<bos>` and `</s>`, `<eos>` |
| $x_i$, $y_t$ | `source (B, N)`, `words (B, T)` | ids of source words and of target words | `input_ids`, `decoder_input_ids` |
| $h_i$, $M$ | `memory`, `(B, N, M)` | what the encoder makes of source word $i$, a vector of width $M$ | annotations (Bahdanau et al.), `encoder_hidden_states`, `memory` |
| $s_t$, $S$ | `state`, `(B, S)` | the decoder's state after it has read $y_1 \dots y_t$ | hidden state |
| $e_{t,i}$, $a_{t,i}$ | –, `weights`, `(B, T, N)` | attention score of state $t$ and source word $i$, and its weight: softmax over the source | energy, and $\alpha$ (Bahdanau et al.); `cross_attentions` |
| $c_t$ | `context` | $\sum_i a_{t,i} h_i$ | context vector |
| – | `allowed`, `(B, N)` | mask over the source; **True means "may attend"**, so False at padding | `attention_mask`; PyTorch's `key_padding_mask` is its opposite |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math
import time
from collections import Counter

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.translation import check
from course_lib import devices, layers, plots
from course_lib.data import (
    END,
    PAD,
    START,
    draw_pairs,
    english_vocabulary,
    european_economic_area,
    french_vocabulary,
    load_generation,
)
from course_lib.layers import TableDecoder
from course_lib.predictions import came_out, predict
from course_lib.training import fit

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 Two languages about which everything is known

This lesson draws sentences from a small English grammar, and a second grammar says them in French. The difficulties are
real:

- most adjectives follow the noun (*a green bike*, *un vélo vert*), some precede it (*un vieux roi*);
- an object pronoun precedes the verb (*she sees them*, *elle les voit*);
- "not" is two words, one on each side (*ne … pas*);
- in a question, subject and verb change places (*veut-il la lettre ?*);
- articles, adjectives and verbs agree with a noun that may be far away, and words lose a letter before a vowel
  (*l'oiseau*).

A few words have more than one translation: "bike" is *vélo* three times out of four and *bicyclette* otherwise, "you"
is *tu* or *vous*. The probabilities are known, and with them three things that nobody knows about a newspaper: the
**best reachable cross-entropy**, the **best reachable share of exact translations**, and **which words belong
together**.

Sentences are held out **by combination**. One in seven pairs of an adjective and a noun, and of a verb and the noun of
its object, never occurs in training: a model that has seen *green bird* and *old king* but never *green king* has to
combine them itself. Every held-out sentence has such a pair.

A model reads and writes ids. `PAD` fills up short sentences, `START` comes before the first word and `END` after the
last.

The picture below shows which words belong together in the sentence of Bahdanau et al.'s figure (2015), in which three
words are in the opposite order.

**Before you run it:** which three? And which rows will have no cell of 1, because French needs more words there than
English?
"""

# %% tags=["experiment"]
held_out = draw_pairs(500, seed=5, part="held_out")
for place in (0, 6, 8, 9):
    print(" ".join(held_out.english[place]))
    for text, chance in [*held_out.translations(place).items()][:4]:
        print(f"    {chance:.3f}  {' '.join(text)}")
print(f"lowest cross-entropy {held_out.lowest_loss():.4f} nats per word, best share of exact translations {held_out.best().mean():.3f}")

english, french = english_vocabulary(), french_vocabulary()
print(f"{len(english)} English and {len(french)} French ids; PAD {PAD}, START {START}, END {END}")
source, lengths = english.batch(held_out.english[8:11])
print(source)
print("lengths:", lengths.tolist())

famous = european_economic_area()
sure, possible = famous.alignment(0)
plots.show_attention(
    sure + 0.4 * (possible & ~sure), queries=famous.french[0], keys=famous.english[0], values=False,
    title="Which words belong together", label="1: translates it, 0.4: depends on it",
);

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

given("A cell of 0.4")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*zone économique européenne* against *European Economic Area*: a small diagonal from the lower left to the upper right.
In *a été signé*, *a* and *été* have no cell of 1, because French needs two words where English has "was". A cell of 0.4
marks a word that decides about the form: *la* translates "the", and it is *la* because *zone* is feminine.
</details>

## 2 A network that reads

### 2.1 One word after the other

A **recurrent network** (RNN) keeps a state, a vector, and changes it with every word that it reads:

$$h_t = f_W(x_t, h_{t-1}) \qquad \text{in the simplest case} \qquad h_t = \tanh(W_x x_t + W_h h_{t-1} + b)$$

$x_t$ is here the embedding of word $t$. The same $W$ is used at every step. Backwards, each step multiplies the
gradient by the slope of the tanh, at most 1, and by $W_h^\top$, so it shrinks or grows exponentially (*vanishing* and
*exploding gradients*). A **gated recurrent unit** (GRU; Cho et al. 2014) lets the state pass unchanged where a gate
says so:

$$z_t = \sigma(W_z x_t + U_z h_{t-1}) \qquad r_t = \sigma(W_r x_t + U_r h_{t-1}) \qquad
\tilde h_t = \tanh(W x_t + r_t \odot U h_{t-1}) \qquad h_t = z_t \odot h_{t-1} + (1 - z_t) \odot \tilde h_t$$

Where $z_t$ is near 1, $h_t$ is nearly $h_{t-1}$, and the gradient passes undiminished. This is `nn.GRU` without its
biases; in Cho et al. $r_t$ acts on $h_{t-1}$, before $U$.

Later words matter too: the noun decides between *le* and *la* before it. So a second GRU reads from right to left (a
*bidirectional* RNN; Schuster and Paliwal 1997), and the two states of a word are concatenated:

$$h_i = [\overrightarrow{h}_i ; \overleftarrow{h}_i]$$

### 2.2 In batches

The forward direction meets the padding of a short sentence last, where its results can be thrown away. The backward
direction meets it *first*, and would carry it into all its states. `nn.utils.rnn.pack_padded_sequence` takes the
padding out, and `pad_packed_sequence` puts zeros in its place.

**Exercise 1.** ●● Write the forward of `RecurrentEncoder`. It returns the states of both directions for every word, and
zeros at padding, so that a sentence gives the same numbers in any batch. Every length is at least 1.

<details><summary>Hint: packing</summary>

`pack_padded_sequence` takes the embedded words and their lengths, on the CPU. Our batches are `batch_first` and not
sorted by length: two arguments say so. The GRU takes the packed sequence in place of the tensor.
</details>
<details><summary>Hint: back to a tensor</summary>

Which argument of `pad_packed_sequence` must match the one of packing? If every sentence is shorter than the batch is
wide, some columns are padding everywhere; `total_length` keeps them.
</details>
"""

# %% nbgrader={"grade_id": "RecurrentEncoder", "solution": true}
class RecurrentEncoder(nn.Module):
    """A GRU that reads in both directions (Cho et al. 2014; Bahdanau et al. 2015, section 3.2)."""

    def __init__(self, vocab_size, embedding_width, state_width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.gru = nn.GRU(embedding_width, state_width, batch_first=True, bidirectional=True)

    def forward(self, source, lengths):
        """Return the states (B, N, 2 · state_width) of the words source (B, N): forward beside backward, 0 at padding.

        lengths (B,): how many words of each sentence are no padding.
        """
        ### BEGIN SOLUTION Pack the embedded words, run the GRU, and fill up with zeros again.
        embedded = self.embedding(source)                                            # (B, N, E)
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths.cpu(), batch_first=True, enforce_sorted=False)
        states, _ = self.gru(packed)
        return nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])[0]
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-RecurrentEncoder", "grade": true}
check("RecurrentEncoder")

# %% [markdown]
r"""
**Before you run it:** the gradient of a state says which words it depends on. Which triangle will the forward direction
fill, and which the backward one?
"""

# %% tags=["experiment"]
torch.manual_seed(0)
reader = RecurrentEncoder(len(english), 16, 16)
words, count = english.batch(held_out.english[8:9])                             # (1, N)
N = words.shape[1]
_, axes = plt.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
for ax, half, name in zip(axes, (slice(0, 16), slice(16, 32)), ("forward", "backward")):
    influence = torch.zeros(N, N)
    for i in range(N):
        reader.zero_grad()
        reader(words, count)[0, i, half].sum().backward()
        influence[i] = reader.embedding.weight.grad[words[0]].norm(dim=1)       # a row for each word of the sentence
    names = ["<start>", *held_out.english[8], "<end>"]
    plots.show_attention(influence / influence.max(), queries=names, keys=names, values=False, ax=ax,
                         title=f"{name}: the state of a row depends on …", label="gradient, of the largest")
    ax.set(xlabel="word", ylabel="state of")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Forward, a state depends on its own word and those before it, the lower triangle; backward, the upper one. A word that
occurs twice has one embedding and shows the gradients of both places.
</details>
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    h1 = (h₁) | . | h2 = (h₂) | . | h3 = (h₃) | .
    . | b1 = [←] | . | b2 = [←] | . | b3 = [←]
    f1 = [→] | . | f2 = [→] | . | f3 = [→] | .
    x1 = (word 1) | . | x2 = (word 2) | . | x3 = (word 3) | .
    x1 -> f1
    x2 -> f2
    x3 -> f3
    f1 -> f2: state
    f2 -> f3: state
    b3 -> b2: state
    b2 -> b1: state
    x1 -> b1
    x2 -> b2
    x3 -> b3
    f1 -> h1
    f2 -> h2
    f3 -> h3
    b1 -> h1
    b2 -> h2
    b3 -> h3
""", title="An encoder that reads in both directions");

# %% [markdown]
r"""
### 2.3 One vector for everything

The neural translators of 2014 were **sequence-to-sequence** models (Sutskever et al.; Cho et al.): a second
recurrent network, the **decoder**, writes the translation from the **encoder**'s last state. They read in one direction
only; we give them both, $c = [\overrightarrow{h}_N ; \overleftarrow{h}_1]$:

$$s_t = g_U(y_t, s_{t-1}, c)$$

The same vector has to do for a sentence of five words and for one of fifty. Section 9 measures what happens up to
forty words. (There the decoder is that of section 4, with $c$ in place of every context: $c$ makes the first state and
joins every $s_t$ on its way to the logits, but the GRU does not read it.)
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | . | . | t1 = (le) | t2 = (chat) | t3 = (END)
    . | . | c = (c: one vector) | . | . | .
    e1 = [encoder] | e2 = [encoder] | . | d1 = [decoder] | d2 = [decoder] | d3 = [decoder]
    x1 = (the) | x2 = (cat) | . | w1 = (START) | w2 = (le) | w3 = (chat)
    x1 -> e1
    x2 -> e2
    e1 -> e2
    e2 -> c
    c -> d1, d2, d3
    d1 -> d2
    d2 -> d3
    w1 -> d1
    w2 -> d2
    w3 -> d3
    d1 -> t1
    d2 -> t2
    d3 -> t3
""", title="A sentence of any length passes through one vector");

# %% [markdown]
r"""
## 3 How well does a word fit?

Bahdanau's idea is a new context for every word: the decoder scores each of the encoder's states against its own, and
takes their weighted mean.

$$e_{t,i} = f_\text{att}(s_t, h_i) \qquad a_{t,\cdot} = \mathrm{softmax}(e_{t,\cdot}) \qquad c_t = \sum_i a_{t,i} h_i$$

Everything is differentiable, so the network learns where to look from the translations alone. (Bahdanau et al. score
with $s_{t-1}$, before $y_t$ is read; we follow Luong et al. 2015.)

### 3.1 Additive scores

Bahdanau et al. take a small network, whose $W$ and $U$ bring state and memory to one width:

$$f_\text{att}(s, h) = v^\top \tanh(W s + U h)$$

**Which box could be computed for the whole sentence before the first word is written?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (e: one number)
    v = [· v]
    [tanh]
    plus = {+}
    w = [W] | u = [U]
    (s: state of the decoder) | (h: state of a source word)
    s -> w
    h -> u
    w, u -> plus
    plus -> tanh
    tanh -> v
    v -> e
""", title="Additive scores: one number for a pair of state and word");

# %% [markdown]
r"""
**Exercise 2.** ● Write the forward of `AdditiveScores` for all states and all source words at once: `E[b, t, i]`
compares state $t$ with source word $i$ of the same sentence.

<details><summary>Hint: all pairs</summary>

$W s$ is `(B, T, hidden)`, $U h$ is `(B, N, hidden)`, and their sum has to be `(B, T, N, hidden)`. Where does each of
them need an axis of length 1?
</details>
"""

# %% nbgrader={"grade_id": "AdditiveScores", "solution": true}
class AdditiveScores(nn.Module):
    """e_{t,i} = vᵀ tanh(W s_t + U h_i) (Bahdanau et al. 2015, section A.1.2)."""

    def __init__(self, state_width, memory_width, hidden_width):
        super().__init__()
        self.W = nn.Linear(state_width, hidden_width, bias=False)
        self.U = nn.Linear(memory_width, hidden_width, bias=False)
        self.v = nn.Linear(hidden_width, 1, bias=False)

    def forward(self, states, memory):
        """Return the scores (B, T, N) of states (B, T, state_width) and memory (B, N, memory_width)."""
        ### BEGIN SOLUTION Bring both to one width, add every pair, and let v judge the tanh.
        pairs = self.W(states)[:, :, None] + self.U(memory)[:, None]                 # (B, T, N, hidden)
        return self.v(torch.tanh(pairs))[..., 0]
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-AdditiveScores", "grade": true}
check("AdditiveScores")

# %% [markdown]
r"""
### 3.2 Dot products (optional)

Luong et al. (2015) take the dot product of vectors of one width, $f_\text{att}(s, h) = s^\top h$.

**Exercise 3 (optional).** ● Write `dot_scores`. Vectors of different widths raise a `ValueError` that says what was
expected.
"""

# %% nbgrader={"grade_id": "dot_scores", "solution": true}
def dot_scores(states, memory):
    """Return the scores (B, T, N) of states (B, T, S) and memory (B, N, S): e_{t,i} = s_tᵀ h_i (Luong et al. 2015).

    Raises ValueError if the widths differ.
    """
    ### BEGIN SOLUTION Check the widths, and take all dot products at once.
    if states.shape[-1] != memory.shape[-1]:
        raise ValueError(f"Expected vectors of one width, got {states.shape[-1]} and {memory.shape[-1]}.")
    return states @ memory.transpose(1, 2)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-dot_scores", "grade": true}
check("dot_scores")

# %% [markdown]
r"""
**Before you run it:** both scores are `(B, T, N)`; on the way, the additive ones make a tensor of `(B, T, N, hidden)`.
Which tensors must autograd keep for the backward pass of a matrix product, and of a tanh? So how many times the numbers
will additive scores keep with 64 hidden units, and how many times the time will they take?
"""

# %% tags=["experiment"]
states, memory = torch.randn(64, 15, 128, requires_grad=True), torch.randn(64, 15, 128, requires_grad=True)
additive = AdditiveScores(128, 128, 64)
comparison = devices.compare_times({
    "dot": lambda: dot_scores(states, memory).sum().backward(),
    "additive": lambda: additive(states, memory).sum().backward(),
})


def numbers_kept(scores):
    """Return how many numbers autograd keeps of these scores for the backward pass, weights among them."""
    sizes = {}
    with torch.autograd.graph.saved_tensors_hooks(lambda X: sizes.update({X.data_ptr(): X.numel()}) or X, lambda X: X):
        scores(states, memory)
    return sum(sizes.values())


kept = {"dot": numbers_kept(dot_scores), "additive": numbers_kept(additive)}
print(", ".join(f"{name}: {count:,} numbers" for name, count in kept.items()))
plots.show_bars(list(kept), [count / 1e6 for count in kept.values()], "millions of numbers", "What the scores keep", "")
comparison

# %% tags=["numbers"]
says("4.8 times the numbers", kept["additive"] / kept["dot"])
claims("states and memory", kept["dot"] == states.numel() + memory.numel())

# %% [markdown]
r"""
<details><summary>What you should see</summary>

4.8 times the numbers, and many times the time. A matrix product keeps its two factors, here states and memory; a tanh
keeps its result, all of `(B, T, N, hidden)`. Without the division by $\sqrt{D}$ of Vaswani et al., additive scores are
better for wide vectors (Britz et al. 2017).
</details>

## 4 A decoder that looks back before every word

For every word, the decoder reads the last word written, looks at the source, joins what it sees and what it knows to
Luong's **attentional state** $\tilde s_t$, and from that says what is next.

$$s_t = \mathrm{GRU}(y_t,\, s_{t-1}) \qquad a_t = \mathrm{softmax}\big(f_\text{att}(s_t, h)\big) \qquad c_t = \sum_i a_{t,i} h_i$$

$$\tilde s_t = \tanh(W_c [c_t ; s_t]) \qquad \text{logits}_t = W_o \tilde s_t + b_o$$

$y_1$ is START, and $\text{logits}_t$, the scores before the softmax, are about $y_{t+1}$.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (logits)
    . | output = [W_c, tanh, W_o]
    (context c: mean of the states) | (new state)
    [attention] | [GRU]
    (encoder's states: B × N × M) | . | (word that goes in)
    old = (state before)
    encoder's states -> attention: keys, values
    word that goes in -> GRU
    old -> GRU
    GRU -> new state
    new state -> attention: query
    attention -> context c
    new state, context c -> output
    output -> logits
""", title="One step of the decoder with attention");

# %% [markdown]
r"""
**Exercise 4.** ●●● `__init__`, `first_state` and `forward` are given. Write `step`, for one word of each sentence.
Padding gets weight 0.

<details><summary>Hint: one state is a sequence of length 1</summary>

`self.scores` wants the states as `(B, T, S)`, and here there is one for each sentence, `(B, S)`. Which axis do you add,
and which do you remove from the scores `(B, 1, N)`?
</details>
<details><summary>Hint: the mask</summary>

A forbidden score has to lose against every other, *before* the softmax, and yet be finite, or a row without any allowed
place becomes NaN: `torch.finfo(E.dtype).min`.
</details>
"""

# %% nbgrader={"grade_id": "AttentionDecoder", "solution": true}
class AttentionDecoder(nn.Module):
    """A GRU that looks at the source with every word (Bahdanau et al. 2015), with Luong's attentional state."""

    def __init__(self, vocab_size, memory_width, state_width=128, embedding_width=64, hidden_width=64):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_width)
        self.start = nn.Linear(memory_width, state_width)
        self.cell = nn.GRUCell(embedding_width, state_width)
        self.scores = AdditiveScores(state_width, memory_width, hidden_width)
        self.combine = nn.Linear(memory_width + state_width, state_width, bias=False)
        self.output = nn.Linear(state_width, vocab_size)

    def first_state(self, memory, allowed=None):
        """Return the state (B, S) before the first word. At the first place, the backward direction has read everything."""
        return torch.tanh(self.start(memory[:, 0]))

    def step(self, words, state, memory, allowed=None):
        """Return (logits (B, V), new state (B, S), weights (B, N)) after reading one more word, words (B,)."""
        ### BEGIN SOLUTION Read the word, look at the source with the new state, and say what may come next.
        state = self.cell(self.embedding(words), state)
        E = self.scores(state[:, None], memory)[:, 0]                                # (B, N)
        if allowed is not None:
            E = E.masked_fill(~allowed, torch.finfo(E.dtype).min)
        weights = torch.softmax(E, dim=-1)
        context = (weights[:, None] @ memory)[:, 0]                                  # (B, M)
        attentional = torch.tanh(self.combine(torch.cat((context, state), dim=1)))
        return self.output(attentional), state, weights
        ### END SOLUTION

    def forward(self, memory, words, allowed=None):
        """Return (logits (B, T, V), weights (B, T, N)): one step for each of the words (B, T) that it is given."""
        state = self.first_state(memory, allowed)
        logits, weights = [], []
        for word in words.T:
            word_logits, state, word_weights = self.step(word, state, memory, allowed)
            logits.append(word_logits)
            weights.append(word_weights)
        return torch.stack(logits, dim=1), torch.stack(weights, dim=1)

# %% nbgrader={"grade_id": "check-AttentionDecoder", "grade": true}
check("AttentionDecoder")

# %% [markdown]
r"""
Every translator of this lesson has three functions: `encode` makes the memory, once; `first_state` and `step` write,
word by word. `forward` is for training.
"""

# %%
class RecurrentTranslator(nn.Module):
    """A recurrent encoder, and a recurrent decoder that looks at all of its states."""

    def __init__(self, source_words, target_words, width=128):
        super().__init__()
        self.encoder = RecurrentEncoder(source_words, width // 2, width // 2)
        self.decoder = AttentionDecoder(target_words, width, width, width // 2, width // 2)
        self.first_state, self.step = self.decoder.first_state, self.decoder.step

    def encode(self, source, allowed):
        """Return the memory (B, N, width)."""
        return self.encoder(source, allowed.sum(dim=1))

    def forward(self, source, words, allowed):
        """Return (logits (B, T, V), weights (B, T, N))."""
        return self.decoder(self.encode(source, allowed), words, allowed)

# %% [markdown]
r"""
### Written question 1 (2 points, graded by hand)

- (a) Apart from its first state, made from $h_1$, the decoder never uses that $h_1, h_2, \dots$ is a sequence: mix up
  all but $h_1$, and the weights are mixed up in the same way while the context, a sum, stays as it is. How can the
  translation then still depend on the order of the English words?
- (b) Give two different reasons why the decoder of section 2.3, with its one vector, may get long sentences wrong more
  often than short ones, and one comparison that would tell which of the two it is: what is changed, what stays the
  same, and what would each result mean?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-order", "grade": true, "solution": true, "points": 2}
r"""
(a) The order is in the vectors themselves. Each $h_i$ is made by a recurrent network that has read the words before and
after it in order, so another order of the words gives other vectors, not only the same ones in other places. (So is the
first state.) The decoder also has an order of its own: its state knows what has been written so far. A Transformer's
encoder has no recurrence, which is why it needs positional encodings.

(b) Room: the vector holds a limited number of independent choices (which noun, which adjective, singular or plural),
and a long sentence has more of them. Path: a word far from the ends has to survive more steps of the recurrence,
forwards and backwards. Counting: if every word were right with the same probability $p$, a sentence of $L$ words would
be right with $p^L$. Room against path: make the vector wider, or compare sentences of equal length with few and with
many free choices. If room is the reason, the first helps and the second differ; if it is the path, neither. Counting
shows in the share of right *words*: it stays the same if nothing else is wrong.

=== BEGIN MARK SCHEME ===

- 1 point: (a) the order is in the vectors, because the recurrent encoder that made them read the words in order (half a
  point for "the encoder does it" without what another order changes in the vectors, or for the decoder's own state or
  its first state alone).
- 1 point: (b) half a point for two different reasons (room for choices, steps of the recurrence, more words that can
  each go wrong, fewer long sentences in training, …); half a point for a comparison that changes one of them and holds
  the other, with what each result would mean. Nobody has measured it at this point, so no reason is the right one.

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 5 Training, every line of it

### 5.1 Teacher forcing

In training the decoder reads the right translation, whatever it would have written itself, and predicts each next word:
**teacher forcing**. Input and target are the same sentence, one place apart:

| input | START | le | roi | voit | END | PAD |
|---|---|---|---|---|---|---|
| target | le | roi | voit | END | PAD | PAD |

The last column is never an input, and START is never a target. The loss leaves out targets that are padding.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    t1 = (le) | t2 = (chat) | t3 = (dort) | t4 = (END)
    d1 = [decoder] | d2 = [decoder] | d3 = [decoder] | d4 = [decoder]
    w1 = (START) | w2 = (le) | w3 = (chat) | w4 = (dort)
    w1 -> d1
    w2 -> d2
    w3 -> d3
    w4 -> d4
    d1 -> t1: loss
    d2 -> t2: loss
    d3 -> t3: loss
    d4 -> t4: loss
    d1 -> d2
    d2 -> d3
    d3 -> d4
""", title="Teacher forcing: the right word goes in, whatever the model would have said");

# %% [markdown]
r"""
**Exercise 5.** ● Write `shifted_targets`. Sentences of fewer than two places raise a `ValueError`: there is nothing to
predict.
"""

# %% nbgrader={"grade_id": "shifted_targets", "solution": true}
def shifted_targets(translations):
    """Return (inputs, expected), both (B, T - 1): what the decoder is given, and what it has to say next.

    translations (B, T): ids from START to END, filled up with padding. Raises ValueError if T is less than 2.
    """
    ### BEGIN SOLUTION Leave out the last column of what goes in, and the first of what comes out.
    if translations.shape[1] < 2:
        raise ValueError(f"Expected START and at least one word, got {translations.shape[1]} places.")
    return translations[:, :-1], translations[:, 1:]
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-shifted_targets", "grade": true}
check("shifted_targets")

# %% [markdown]
r"""
### 5.2 A loss that does not ask for certainty (optional)

**Label smoothing** (Szegedy et al. 2016) does not ask for a probability of 1: of the $V$ words, the right one should
get $1 - \varepsilon + \varepsilon / V$ and every other one $\varepsilon / V$.

$$\ell = -(1 - \varepsilon) \log p_{y} - \frac{\varepsilon}{V} \sum_{v=1}^{V} \log p_v$$

The loss is the mean of this over the **real** words of the whole batch; targets that are padding do not count.

**Exercise 6 (optional).** ●● Write `smoothed_loss`. Without any real word the loss is 0, and its gradient is zero.
`F.cross_entropy` does all of this, so it is not allowed here.

<details><summary>Hint: both parts from one tensor</summary>

`logs = torch.log_softmax(logits, dim=-1)`. The first part picks one of each row (`gather`), the second is the mean of
each row.
</details>
<details><summary>Hint: the mean over no word</summary>

$0/0$ is NaN. Add up, and divide by a count that is never 0.
</details>
"""

# %% nbgrader={"grade_id": "smoothed_loss", "solution": true}
def smoothed_loss(logits, expected, smoothing=0.1, pad=PAD):
    """Return the mean cross-entropy of logits (B, T, V) about expected (B, T), with smoothed targets.

    The mean is over the places that do not expect `pad`. Szegedy et al. (2016), section 7. Without any the loss is 0.
    """
    ### BEGIN SOLUTION Mix the right word's loss with the mean over all words, and average over the real places.
    logs = torch.log_softmax(logits, dim=-1)                                         # (B, T, V)
    right = logs.gather(2, expected[:, :, None])[:, :, 0]                            # (B, T)
    losses = -(1 - smoothing) * right - smoothing * logs.mean(dim=-1)
    real = expected != pad
    return (losses * real).sum() / real.sum().clamp(min=1)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-smoothed_loss", "grade": true}
check("smoothed_loss")

# %% [markdown]
r"""
**Before you run it:** in our language "bike" is *vélo* with probability 0.75 exactly. Which probability will a model
reach if it is trained with $\varepsilon = 0.1$, with 10 words to choose from?
"""

# %% tags=["experiment"]
drawn = torch.tensor([4] * 75 + [5] * 25)[:, None]                              # vélo is 4, bicyclette is 5
learned = {}
for smoothing in (0.0, 0.1):
    free = torch.zeros(1, 1, 10, requires_grad=True)
    for _ in range(1000):                                                       # plain gradient descent
        [gradient] = torch.autograd.grad(smoothed_loss(free.expand(100, 1, 10), drawn, smoothing), free)
        free.data -= 5.0 * gradient
    learned[smoothing] = torch.softmax(free[0, 0], dim=0)
    print(f"smoothing {smoothing}: vélo {learned[smoothing][4]:.3f}, bicyclette {learned[smoothing][5]:.3f}, "
          f"each of the other eight {learned[smoothing][6]:.3f}")

# %% tags=["numbers"]
says("Without smoothing 0.75 and 0.25.", *learned[0.0][4:6])
says("= 0.685$ and 0.235, and 0.01 for words that never occur", *learned[0.1][4:7])
given(r"$0.9 \cdot 0.75 + 0.01")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without smoothing 0.75 and 0.25. With it $0.9 \cdot 0.75 + 0.01 = 0.685$ and 0.235, and 0.01 for words that never occur.
The order is the same, so greedy search writes the same; the probabilities are wrong on purpose. For real sentences this
often makes the translations better (by BLEU, section 7); we train without it, since we compare with the known optimum.
</details>

### 5.3 The learning rate (optional)

At the beginning Adam has seen too few gradients to scale them well. Vaswani et al. (2017) let the rate rise in a
straight line (**warm-up**) and then fall as $1 / \sqrt{\text{step}}$:

$$\text{rate} = D^{-0.5} \cdot \min\left(\text{step}^{-0.5},\ \text{step} \cdot \text{warmup}^{-1.5}\right)$$

**Exercise 7 (optional).** ● Write `warmup_rate`. Steps count from 1; a smaller one raises a `ValueError`.
"""

# %% nbgrader={"grade_id": "warmup_rate", "solution": true}
def warmup_rate(step, model_width, warmup=4000):
    """Return the learning rate of a step (1, 2, …), a float. Vaswani et al. (2017), equation 3.

    Raises ValueError if step is less than 1.
    """
    ### BEGIN SOLUTION Take the smaller of the two branches, and divide by the root of the width.
    if step < 1:
        raise ValueError(f"Expected steps that count from 1, got {step}.")
    return model_width**-0.5 * min(step**-0.5, step * warmup**-1.5)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-warmup_rate", "grade": true}
check("warmup_rate")

# %% [markdown]
r"""
**Before you run it:** half the warm-up, or half the width: what does each do to the peak, and what to the rates long
after it?
"""

# %% tags=["experiment"]
steps = range(1, 12_001, 50)
rates = {f"D = {D}, warm-up {warmup}": [warmup_rate(step, D, warmup) for step in steps] for D, warmup in ((512, 4000), (512, 2000), (256, 4000))}
plots.show_curves(steps, rates, "step", "learning rate", "Up in a straight line, down as 1 / √step");

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The two branches meet at step = warm-up, so the peak is $1 / \sqrt{D \cdot \text{warm-up}}$: half of either makes it
$\sqrt{2}$ times as high. After the peak the warm-up plays no part, and the two curves of one width are one. The width
still does.
</details>

### 5.4 The loop

Every training step has the same six parts, and their order matters:

1. set the learning rate of all parameter groups: every `group` in `optimizer.param_groups` is a dictionary with an
   entry `"lr"`;
2. clear the gradients, or those of the last step are added to the new ones;
3. forward: the loss of the batch;
4. backward: the gradients;
5. clip: if their norm, all together, is above `clip`, shrink them to it (`nn.utils.clip_grad_norm_`; the `grad` of a
   parameter that is frozen, as some will be later, is `None`);
6. step.

Put the model into training mode before the first step and into evaluation mode after the last one (dropout knows the
difference).

**Exercise 8.** ●● Write `train`. Steps count from 1, one for each batch. It returns the losses as plain numbers: a list
of tensors would keep the whole computation of every step alive. The library's `fit` is such a loop, so it is not
allowed here.

<details><summary>Hint: the optimiser</summary>

`make_optimizer` is a function such as `torch.optim.Adam`: call it once, with `model.parameters()`.
</details>
"""

# %% nbgrader={"grade_id": "train", "solution": true}
def train(model, loss_of, batches, make_optimizer, rate_of, clip=1.0):
    """Take one step for every batch, and return the list of their losses, as floats. The model ends in evaluation mode.

    loss_of(model, batch): the loss of a batch, a tensor of shape (). make_optimizer(parameters): the optimiser.
    rate_of(step): the learning rate of step 1, 2, … clip: the largest norm of all gradients together.
    batches: gone through once; they may come one by one from a generator, which has no length.
    """
    ### BEGIN SOLUTION For every batch: rate, zero_grad, forward, backward, clip, step.
    optimizer = make_optimizer(model.parameters())
    losses = []
    model.train()
    for step, batch in enumerate(batches, start=1):
        for group in optimizer.param_groups:
            group["lr"] = rate_of(step)
        optimizer.zero_grad()
        loss = loss_of(model, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-train", "grade": true}
check("train")

# %% [markdown]
r"""
First let a small translator learn sixteen sentences by heart.

**Before you run it:** there are 222 French ids. What is the loss of a model that knows nothing? How low can it go if
only these sentences are to be learned, and what is added to that for *tu* or *vous*?
"""

# %%
def loss_of(model, batch):
    """Return the loss of a batch (source, translations)."""
    source, translations = batch
    inputs, expected = shifted_targets(translations)
    logits, _ = model(source, inputs, source != PAD)
    return F.cross_entropy(logits.flatten(0, 1), expected.flatten(), ignore_index=PAD)


# %% tags=["experiment"]
torch.manual_seed(0)
few = draw_pairs(16, seed=1, clauses=1)
batch = english.batch(few.english)[0], french.batch(few.french)[0]
toy = RecurrentTranslator(len(english), len(french), 64)
losses = train(toy, loss_of, [batch] * 100, torch.optim.Adam, lambda step: 0.01 * min(1, step / 20))
plots.show_losses({"sixteen sentences": losses}, title="Learning sixteen sentences by heart", logy=True)
print(f"at first {losses[0]:.2f} (log {len(french)} = {math.log(len(french)):.2f}), at last {losses[-1]:.4f}")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

It begins near the logarithm of the number of ids and falls to almost nothing: each sentence occurs once, with one
translation, so nothing is uncertain.
</details>

## 6 From probabilities to a sentence

### 6.1 Greedy

Now nobody gives the decoder the right words. It begins with START, takes the most probable word, reads that, and so on
until it says END: it is **autoregressive**. In training it never had to read a mistake of its own; this mismatch is
called **exposure bias** (Ranzato et al. 2016).

**Exercise 9.** ●● Write `greedy_translate` for a batch of sentences; pass the state on as it is. The translations end
at different times: after its END a translation holds PAD only, and the search stops as soon as all have ended.

<details><summary>Hint: what is kept from step to step</summary>

`words (B,)`, `state`, and which translations have ended, `ended (B,)` of booleans. `words.masked_fill(ended, PAD)`
writes the padding.
</details>
<details><summary>Hint: the order</summary>

A translation that ends in this step still gets its END. So first replace by PAD where it ended *before*, then update
`ended`.
</details>
"""

# %% nbgrader={"grade_id": "greedy_translate", "solution": true}
@torch.no_grad()
def greedy_translate(decoder, memory, allowed=None, max_length=20):
    """Return (translations (B, L), weights (B, L, N)): the most probable word at each step, after START.

    Each translation ends with END, unless max_length cuts it off, and is filled up with PAD, which the decoder itself never
    says. L <= max_length is the length of the longest one, END included, START not. weights[:, t] are those with which word
    t was chosen; after an END they do not matter.
    """
    ### BEGIN SOLUTION Take the most probable words until every translation has ended.
    words = torch.full((len(memory),), START, device=memory.device)                  # (B,)
    ended = torch.zeros_like(words, dtype=torch.bool)
    state = decoder.first_state(memory, allowed)
    translations, weights = [], []
    while len(translations) < max_length and not ended.all():
        logits, state, looked = decoder.step(words, state, memory, allowed)
        words = logits.argmax(dim=-1).masked_fill(ended, PAD)
        ended = ended | (words == END)
        translations.append(words)
        weights.append(looked)
    return torch.stack(translations, dim=1), torch.stack(weights, dim=1)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-greedy_translate", "grade": true}
check("greedy_translate")

# %% [markdown]
r"""
### 6.2 Beam search (optional)

Greedy search cannot take back a word, and there are $V^L$ sentences of $L$ words. **Beam search** keeps a few
unfinished sentences, the *hypotheses*, at most $k$ (the *beam width*): it extends each by every word and keeps the best
$k$ of all these, by their log-probability

$$\log p(w_1 \dots w_L) = \sum_{t=1}^{L} \log p(w_t \mid w_1 \dots w_{t-1})$$

where $w_1 \dots w_L$ are the words after START. Every further word makes this sum smaller, so finished sentences are
compared with a **length penalty** (Wu et al. 2016 have $((5 + L)/6)^\alpha$ in place of $L^\alpha$):

$$\text{score} = \frac{\log p(w_1 \dots w_L)}{L^\alpha}$$

With $\alpha = 0$ this is the sum, with $\alpha = 1$ the mean per word. END counts as a word, START does not.

**Which hypothesis of the second row is dropped, and by which number?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | START | .
    a = (le: −0.5) | b = (un: −1.2) | c = (la: −2.5)
    d = (le chat: −1.0) | e = (le chien: −1.7) | f = (un chat: −1.5) | g = (un chien: −3.0)
    START -> a
    START -> b
    START -x> c
    a -> d
    a -x> e
    b -> f
    b -x> g
""", title="A beam of two: log-probabilities and their sums");

# %% [markdown]
r"""
**Exercise 10 (optional).** ●●● Write `beam_search` for one sentence. Hypotheses among the best $k$ that have just said
END are finished: set them aside with their score, and do not extend them. In the next step, take the best $k$
extensions of the others: a finished sentence does not make the beam narrower. Stop when none is left, or after
`max_length` words. Return the finished one with the highest score; if none has finished, the best unfinished one with
its score.

You may stop as soon as no unfinished hypothesis can win any more: a sum only falls, so no extension of a hypothesis
with the sum $s$ has a score above $s / L_\text{max}^\alpha$ ($L_\text{max}$ is `max_length`).

<details><summary>Hint: extending all at once</summary>

Treat the $k$ hypotheses as a batch: `memory.expand(k, -1, -1)`. `total[:, None] + log_softmax(logits)` is `(k, V)`;
`flatten().topk(...)` finds the best of all, and from the place you get row (`place // V`) and word (`place % V`).
</details>
<details><summary>Hint: the state belongs to its hypothesis</summary>

Two of the best may come from the same row. `state[rows]` takes the state along, just as `texts[rows]` takes the words.
</details>
<details><summary>Hint: few words</summary>

In the first step there is one hypothesis and thus only $V$ candidates: `min(k, number of candidates)`.
</details>
"""

# %% nbgrader={"grade_id": "beam_search", "solution": true}
@torch.no_grad()
def beam_search(decoder, memory, k, max_length=20, power=1.0):
    """Return (translation (L,), score) for one sentence, memory (1, N, M).

    The translation, START left out and END included, is the finished hypothesis with the highest score, the sum of its
    log-probabilities divided by L ** power; if none has finished after max_length words, the best unfinished one.
    """
    ### BEGIN SOLUTION Keep the k best hypotheses at every step, and return the best finished one with its score.
    texts = torch.full((1, 1), START, device=memory.device)                          # (k, 1 + words so far)
    total, state = torch.zeros(1, device=memory.device), decoder.first_state(memory)
    finished = []
    for length in range(1, max_length + 1):
        logits, state, _ = decoder.step(texts[:, -1], state, memory.expand(len(texts), -1, -1))
        sums = total[:, None] + torch.log_softmax(logits, dim=-1)                    # (k, V)
        total, places = sums.flatten().topk(min(k, sums.numel()))
        rows, words = places // sums.shape[1], places % sums.shape[1]
        texts, state = torch.cat((texts[rows], words[:, None]), dim=1), state[rows]
        ended = words == END
        finished += [(value.item() / length**power, text[1:]) for value, text in zip(total[ended], texts[ended])]
        texts, state, total = texts[~ended], state[~ended], total[~ended]
        if len(texts) == 0:
            break
    finished = finished or [(total[0].item() / max_length**power, texts[0, 1:])]
    score, text = max(finished, key=lambda pair: pair[0])
    return text, score
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-beam_search", "grade": true}
check("beam_search")

# %% [markdown]
r"""
`TableDecoder` lets you follow a search by hand: it looks the next word's probabilities up in a table indexed by the two
words before. In the table below, "a" is a little more probable as the first word than "the", but nothing is likely
after "a", and one sentence is almost certain after "the".

**Before you run it:** what will greedy search write? And which $\alpha$ lets the sentence that ends at once win?
"""

# %% tags=["experiment"]
spoken = ["PAD", "START", "END", "?", "a", "the", "cat", "sat"]
V = len(spoken)
table = torch.full((V, V, V), -20.0)


def say(earlier, last, **chances):
    """Write into the table how probable the next words are."""
    for word, chance in chances.items():
        table[spoken.index(earlier), spoken.index(last), spoken.index(word)] = math.log(chance)


say("START", "START", a=0.4, the=0.35, END=0.25)
say("START", "a", cat=0.26, sat=0.25, the=0.25, END=0.24)                       # after "a" nothing is likely
say("START", "the", cat=0.8, sat=0.2)                                           # after "the" almost all is clear
for earlier in ("a", "the"):
    say(earlier, "cat", sat=0.8, END=0.2)
    for last in ("sat", "the", "a"):
        say(earlier, last, END=1.0)
say("cat", "sat", END=1.0)

nothing = torch.zeros(1, 1, V)                                                  # (1, N, M): a source that says nothing
print("greedy:", " ".join(spoken[word] for word in greedy_translate(TableDecoder(table), nothing)[0][0]))
for k, power in ((1, 1.0), (2, 1.0), (3, 1.0), (3, 0.5), (3, 0.0)):
    text, score = beam_search(TableDecoder(table), nothing, k, power=power)
    chance = math.exp(float(score) * len(text) ** power)
    print(f"k = {k}, alpha = {power}: {' '.join(spoken[word] for word in text)}, probability {chance:.3f}")

# %% tags=["numbers"]
given(r"$0.4 \cdot 0.26 \cdot 0.8 = 0.083$", r"$0.35 \cdot 0.8 \cdot 0.8 = 0.224$", "its probability 0.25", "or already with 0.5")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Greedy writes "a cat sat", whose probability is $0.4 \cdot 0.26 \cdot 0.8 = 0.083$. With $k = 2$ the search keeps "the"
for one more step and finds "the cat sat", $0.35 \cdot 0.8 \cdot 0.8 = 0.224$. With three hypotheses the empty sentence,
END at once, has its place too: its probability 0.25 is higher than that of any sentence with words, so by the plain sum
($\alpha = 0$) it wins. The wider beam did search better. With $\alpha = 1$, or already with 0.5, the sentence wins
again.
</details>

## 7 How good is a translation?

### 7.1 BLEU

BLEU (Papineni et al. 2002) compares translations with one or more references. It counts runs of $n$ words, *n-grams*,
for $n = 1 \dots 4$, over the whole corpus. In one sentence, an n-gram of the candidate counts as a match at most as
often as it occurs in the reference that has it most often (it is *clipped*; otherwise "the the the" would be perfect
for "the cat"). With $p_n$ = matches / n-grams of the candidates, $c$ = words of all candidates and $r$ = the sum of the
lengths of the references closest in length to each candidate (the shorter one of two equally close),

$$\text{BLEU} = \underbrace{\min\left(1, e^{1 - r / c}\right)}_{\text{brevity penalty}} \cdot \left(p_1 p_2 p_3 p_4\right)^{1/4}$$

**Exercise 11.** ●● Write `bleu` for any largest $n$. Add all counts up over the corpus *before* you divide. If an
n-gram size has no match at all, BLEU is 0.

<details><summary>Hint: counting</summary>

How many pieces of length n are there in a sentence of m words? Make them tuples, and a `Counter` counts them. Clipping
takes the smaller of two counts; before that, of several references, the largest. `Counter` has `&` and `|` for that.
</details>
<details><summary>Hint: the closest length</summary>

`min` with a `key`. If the key is a pair, its second part decides between equal first parts: which of two equally close
lengths is wanted?
</details>
"""

# %% nbgrader={"grade_id": "bleu", "solution": true}
def bleu(candidates, references, longest=4):
    """Return the BLEU of a corpus, between 0 and 1 (Papineni et al. 2002), from n-grams up to `longest` words.

    candidates: a list of sentences, each a list of words; references: for each of them a list of one or more right sentences.
    """
    ### BEGIN SOLUTION Add up clipped matches, n-grams and lengths over the corpus, and combine them at the end.
    matches, totals = [0] * longest, [0] * longest
    length = closest = 0
    for words, rights in zip(candidates, references):
        length += len(words)
        closest += min((len(right) for right in rights), key=lambda n: (abs(n - len(words)), n))
        for n in range(1, longest + 1):
            found, most = ngrams(words, n), Counter()
            for right in rights:
                most |= ngrams(right, n)                                             # the larger count of each
            matches[n - 1] += sum((found & most).values())                           # the smaller count of each
            totals[n - 1] += sum(found.values())
    if 0 in matches:
        return 0.0
    precision = math.prod(match / total for match, total in zip(matches, totals)) ** (1 / longest)
    return min(1.0, math.exp(1 - closest / length)) * precision


def ngrams(words, n):
    """Count the runs of n words."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-bleu", "grade": true}
check("bleu")

# %% [markdown]
r"""
**Before you run it:** suppose somebody translates perfectly, but chooses anew between *tu* and *vous*, *vélo* and
*bicyclette*. What is the BLEU of such a translator, with one reference and with all of them? And of one that forgets
every *pas*?
"""

# %% tags=["experiment"]
predict("every pas", "Which translator gets the higher BLEU with one reference: the rarest right translation, or every pas forgotten?",
        ["the rarest right translation", "every pas forgotten", "they differ by less than 0.02"])

# %% tags=["experiment"]
again = held_out.again(seed=1).french
other = [[*held_out.translations(place)][-1] for place in range(500)]           # the least probable right translation
careless = [[word for word in text if word != "pas"] for text in held_out.french]
one = [[text] for text in held_out.french]
every = [[*held_out.translations(place)] for place in range(500)]
for name, texts in (("right, decided anew", again), ("right, always the rarest", other), ("every pas forgotten", careless)):
    print(f"{name}: {bleu(texts, one):.3f} with one reference, {bleu(texts, every):.3f} with all")
lead = bleu(other, one) - bleu(careless, one)
came_out("every pas", "the rarest right translation" if lead > 0.02 else "every pas forgotten" if lead < -0.02
         else "they differ by less than 0.02")

# %% tags=["numbers"]
says("reaches 0.89 with one reference", bleu(again, one))
says("gets 0.81, and 1.", bleu(other, one), bleu(other, every))
says("and still gets 0.88", bleu(careless, one))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

A translator that decides anew reaches 0.89 with one reference and 1 with all of them; one that always takes the rarest
right translation gets 0.81, and 1. One that forgets every *pas* says the opposite in more than a third of the
sentences, and still gets 0.88. BLEU does not know which words matter, and with a single reference it counts right words
as wrong.
</details>

### 7.2 Alignment error rate (optional)

Did the model look at the right words? For every French word, take the English word with the largest weight: that is its
alignment $A$, a set of pairs. The gold alignment has *sure* pairs $S$, which have to be found, and *possible* pairs
$P$, which may be; every sure pair is also possible. Och and Ney (2003), who had people mark both, define

$$\text{AER} = 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}$$

Our grammar marks both. A pair is sure where one word translates the other; where one language has two words for one of
the other, at most one of the pairs is sure. Also possible are the second word of such a pair, and a word that decides a
form.

**Exercise 12 (optional).** ● Write `alignment_error_rate` for boolean tensors of any one shape. Other shapes raise a
`ValueError`; if nothing was found and nothing is sure, the rate is 0. It returns a float.
"""

# %% nbgrader={"grade_id": "alignment_error_rate", "solution": true}
def alignment_error_rate(found, sure, possible):
    """Return 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|), a float (Och and Ney 2003).

    found, sure, possible: bool tensors of one shape, such as (T, N) or (B, T, N); what is sure is possible as well. Raises
    ValueError if the shapes differ.
    """
    ### BEGIN SOLUTION Count the pairs, and put the counts into the equation.
    if not found.shape == sure.shape == possible.shape:
        raise ValueError(f"Expected three alignments of one shape, got {found.shape}, {sure.shape}, {possible.shape}.")
    total = int(found.sum() + sure.sum())
    right = int((found & sure).sum() + (found & possible).sum())
    return 1 - right / total if total else 0.0
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-alignment_error_rate", "grade": true}
check("alignment_error_rate")

# %% [markdown]
r"""
## 8 Nothing but attention

### 8.1 The Transformer translates

Vaswani et al. (2017) leave the recurrent network out. **Positional encodings** bring in the order, self-attention lets
the words of a sentence see each other, and the decoder's state is simply **all words so far**. The parts are those of
lesson 4:

- `layers.Encoder`: `self.encoder(X, mask)` gives `(memory, weights)`;
- `layers.Decoder`: `self.decoder(X, memory, memory_allowed=mask)` gives `(Y, [A of each block])`, each `(B, H, T, N)`.
  It makes the causal mask itself;
- `layers.sinusoidal_positions(T, D)`.

**Exercise 13.** ●● Write `embed`, `encode` and `decode`. Words become vectors as in the paper: embedding times
$\sqrt D$, plus positions. The weights that `decode` returns are the mean over all heads of all blocks, `(B, T, N)`.

<details><summary>Hint: the mask</summary>

`allowed` is `(B, N)`, and has to broadcast to `(B, H, T, N)`. Which axes are missing, and where? It is needed twice:
words must not look at padding, neither in the encoder nor from the decoder.
</details>
<details><summary>Hint: the mean over blocks and heads</summary>

`torch.stack(A)` is `(blocks, B, H, T, N)`.
</details>
"""

# %% nbgrader={"grade_id": "TransformerTranslator", "solution": true}
class TransformerTranslator(nn.Module):
    """An encoder and a decoder of pre-norm blocks, with an embedding for each language (Vaswani et al. 2017)."""

    def __init__(self, source_words, target_words, model_width=64, num_heads=4, num_blocks=2, hidden_width=128):
        super().__init__()
        self.source_embedding = nn.Embedding(source_words, model_width)
        self.target_embedding = nn.Embedding(target_words, model_width)
        self.encoder = layers.Encoder(num_blocks, model_width, num_heads, hidden_width, norm="pre")
        self.decoder = layers.Decoder(num_blocks, model_width, num_heads, hidden_width, norm="pre")
        self.output = nn.Linear(model_width, target_words)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=model_width**-0.5)            # times √D: about 1, like the positions

    def embed(self, embedding, ids):
        """Return the vectors (B, T, D) of ids (B, T): embedding times √D, plus sinusoidal positions."""
        ### BEGIN SOLUTION Scale the embeddings, and add the positions.
        D = embedding.embedding_dim
        X = embedding(ids) * math.sqrt(D)
        return X + layers.sinusoidal_positions(ids.shape[1], D).to(X)
        ### END SOLUTION

    def encode(self, source, allowed=None):
        """Return the memory (B, N, D) of source (B, N). allowed (B, N): False at padding; None if there is none."""
        ### BEGIN SOLUTION Embed the source, and let its words see each other, but no padding.
        mask = None if allowed is None else allowed[:, None, None]                   # (B, 1, 1, N)
        return self.encoder(self.embed(self.source_embedding, source), mask)[0]
        ### END SOLUTION

    def decode(self, words, memory, allowed=None):
        """Return (logits (B, T, V), weights (B, T, N)) for the words (B, T) so far: logits[:, t] are about word t + 1."""
        ### BEGIN SOLUTION Embed the words, let the decoder look at the memory, and average its weights.
        mask = None if allowed is None else allowed[:, None, None]
        Y, A = self.decoder(self.embed(self.target_embedding, words), memory, memory_allowed=mask)
        return self.output(Y), torch.stack(A).mean(dim=(0, 2))
        ### END SOLUTION

    def forward(self, source, words, allowed=None):
        """Return (logits (B, T, V), weights (B, T, N))."""
        return self.decode(words, self.encode(source, allowed), allowed)

    def first_state(self, memory, allowed=None):
        """Return the state before the first word: no word at all, (B, 0)."""
        return torch.empty(len(memory), 0, dtype=torch.int64, device=memory.device)

    def step(self, words, state, memory, allowed=None):
        """Return (logits (B, V), all words so far, weights (B, N)) after one more word, words (B,)."""
        state = torch.cat((state, words[:, None]), dim=1)
        logits, weights = self.decode(state, memory, allowed)
        return logits[:, -1], state, weights[:, -1]

# %% nbgrader={"grade_id": "check-TransformerTranslator", "grade": true}
check("TransformerTranslator")

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (logits: T × vocabulary)
    (memory: N × D) | [decoder]
    [encoder] | into = (target shifted: T)
    (source: N)
    source -> encoder
    encoder -> memory
    memory -> decoder: keys, values
    into -> decoder
    decoder -> logits
""", title="The Transformer translates: every word of the source in one step");

# %% [markdown]
r"""
### 8.2 The data

Sentences of similar length go into the same batch: a batch costs as much as its longest sentence.

**Before you run it:** what share of the French places would be padding if the sentences of a batch were drawn at
random? And if they are about equally long?
"""

# %% tags=["experiment"]
SEED, PAIRS, BATCH = 0, 60_000, 64


def batches_of(pairs):
    """Return batches (source, translations) of pairs that are about equally long."""
    source, source_lengths = english.batch(pairs.english)
    target, target_lengths = french.batch(pairs.french)
    order = (100 * target_lengths + source_lengths).argsort()
    return [(source[rows, :source_lengths[rows].max()], target[rows, :target_lengths[rows].max()])
            for rows in order.split(BATCH)]


training = draw_pairs(PAIRS, seed=SEED)
batches = batches_of(training)


def draw_batch(generator):
    """Return a batch, each time a random one."""
    return batches[torch.randint(len(batches), (), generator=generator)]


check_pairs = draw_pairs(300, seed=SEED + 1, part="held_out")                   # to follow the training; not the ones judged at the end


def gap(model, pairs=check_pairs):
    """Return by how many nats per word the model's cross-entropy on these sentences lies above the lowest possible."""
    device = next(model.parameters()).device
    batch = english.batch(pairs.english)[0].to(device), french.batch(pairs.french)[0].to(device)
    with torch.no_grad():
        return float(loss_of(model, batch)) - pairs.lowest_loss()


print(f"{len(batches)} batches; the first has T = {batches[0][1].shape[1]}, the last T = {batches[-1][1].shape[1]}")
padding, sizes = {}, torch.tensor([len(text) + 2 for text in training.french])     # with START and END
for name, order in (("drawn at random", torch.randperm(len(sizes), generator=torch.Generator().manual_seed(0))),
                    ("about equally long", sizes.argsort())):
    places = sum(len(rows) * int(sizes[rows].max()) for rows in order.split(BATCH))
    padding[name] = 1 - int(sizes.sum()) / places
    print(f"{name}: {padding[name]:.1%} of the French places would be padding")

# %% tags=["numbers"]
says("At random 45 %", padding["drawn at random"], within=2)
says("almost none, 0.1 %", padding["about equally long"], whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

At random 45 %: each sentence is filled up to the longest of 64. Sorted by length almost none, 0.1 %.
</details>

### 8.3 The model that you hand in

**Exercise 14.** ● `my_translator` takes no arguments and returns the model that you train and hand in, with new random
weights. The grader calls it and loads your file into what it returns. It has to be a `TransformerTranslator` for
`english_vocabulary()` and `french_vocabulary()`. Choose the widths as you like, up to a file of 16 MB; the defaults do
well.

Then run the cell, which trains the model and writes `translator.safetensors`. An interrupted training continues from
the file (`resume=True`), and a finished one is only loaded; after a change of anything that the model is trained with,
pass `resume=False` once. With `train=train`, `fit` lets your loop take the steps; without it, it takes the same six parts
itself. It brings AdamW and a rate that falls along a cosine, saves and validates between two batches, and at the end keeps
the weights that were best on `check_pairs`.

The check draws new held-out sentences, puts your weights into the grader's own model, and lets that translate. Points
depend on

- the probability of its translations, relative to the best possible;
- how far its cross-entropy lies above the lowest possible;
- its alignment error rate, which is low if each word's largest weight lies on a word that it translates (section 7.2;
  0.28 is what the diagonal gives without any network, and a model that does not translate gets nothing for it);
- three controls: the words of the source shuffled, the source of another sentence, and equal attention to all source
  words. The first item of this list has to be at least 50 %, and each control has to bring it down to half or less.

From five seeds, each trained in two to two and a half minutes of one core, the solution reached on average 98.8 % of
the best possible exact match, 0.0047 nats and 0.082. Full points begin well below that: at 90 %, 0.05 nats and 0.20.

**Before you run it:** the *gap* is how far the cross-entropy lies above the lowest possible. After how many of the 4000
steps will it be below 0.01 nats per word?
"""

# %% nbgrader={"grade_id": "my_translator", "solution": true}
def my_translator():
    """Return the model whose weights are handed in as translator.safetensors, with new weights."""
    ### BEGIN SOLUTION Return a TransformerTranslator for the two vocabularies.
    return TransformerTranslator(len(english_vocabulary()), len(french_vocabulary()))
    ### END SOLUTION

# %% tags=["experiment"]
torch.set_num_threads(1)            # a step is made of many small tensors: two threads would mostly wait for each other
torch.manual_seed(SEED)
translator = my_translator()
history = fit(translator, loss_of, draw_batch, steps=4000, learning_rate=5e-3, warmup=100, train=train, validate=gap, validate_every=200,
              seed=SEED, checkpoint="translator.safetensors", resume=True)
history

# %% nbgrader={"grade_id": "check-my_translator", "grade": true}
check("my_translator")

# %% [markdown]
r"""
## 9 What each of them buys

### 9.1 How near is it to the best that is possible?

**Before you run it:** the gap is measured on sentences with combinations that no training sentence has. Will it still
reach 0? And how many sentences will a program translate that puts one French word in the place of each English one?
"""

# %% tags=["experiment"]
plots.show_curves(history.validation_steps, {"Transformer": history.validation}, "training step", "nats per word above the lowest",
                  "The gap to the best possible translator", logy=True)


def translate(model, pairs, part=100):
    """Return what a model writes, greedily, about the English sentences of `pairs`: lists of words."""
    device, texts = next(model.parameters()).device, []
    source = english.batch(pairs.english)[0].to(device)
    for ids in source.split(part):
        with torch.no_grad():
            memory = model.encode(ids, ids != PAD)
        allowed = (ids != PAD) if memory.shape[1] == ids.shape[1] else None
        words, _ = greedy_translate(model, memory, allowed, max_length=60)
        texts += [french.decode(row) for row in words]
    return texts


def exact(pairs, texts):
    """Return the expected share of exact translations, as a part of the best that is possible."""
    return float(pairs.probabilities(texts).sum() / pairs.best().sum())


texts = translate(translator, held_out)
print(f"gap at the end: {history.validation[-1]:.4f} nats per word")
print(f"exact: {exact(held_out, texts):.1%} of the best possible; BLEU with all references: {bleu(texts, every):.3f}")
for place, text in enumerate(texts[:40]):
    if tuple(text) not in held_out.translations(place):
        print(f"    {' '.join(held_out.english[place])}  ->  {' '.join(text)}")

both, one_side = Counter(), Counter()                                           # in how many sentences do two words occur, and one?
for text, words in zip(training.english[:20_000], training.french[:20_000]):
    both.update((a, b) for a in set(text) for b in set(words))
    one_side.update([*(("English", a) for a in set(text)), *(("French", b) for b in set(words))])


def fits(a, b):
    """Return how well a French word b fits the English a: sentences with both, over those with a plus those with b; 1/2 is the most."""
    return both[a, b] / (one_side["English", a] + one_side["French", b])


dictionary = dict(sorted(both, key=lambda pair: (fits(*pair), pair)))           # for each English word, the last pair counts: the best
by_word = [[dictionary[word] for word in text] for text in held_out.english]
print(f"word by word, without a network: {exact(held_out, by_word):.1%} of the best possible, BLEU {bleu(by_word, every):.3f}")

# %% tags=["numbers"]
first = next(step for step, gap in zip(history.validation_steps, history.validation) if gap < 0.01)
says("below 0.01 after some 2500 steps", 0.01, first, within=250)
says("ends at 0.006 nats per word", history.validation[-1])
says("99.2 % of the best possible", exact(held_out, texts), within=2)
says("gets 2 % of the best possible, and a BLEU of 0.25", exact(held_out, by_word), bleu(by_word, every))
says("BLEU is 1.000", bleu(texts, every))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the course's run it falls below 0.01 after some 2500 steps and ends at 0.006 nats per word, although every sentence
has a combination that was never seen. The translations reach 99.2 % of the best possible, and with all right
translations as references BLEU is 1.000. (Yours will differ a little.) Word by word, with a dictionary that is only
counted, one gets 2 % of the best possible, and a BLEU of 0.25. So the model has learned words and rules, not sentences.
</details>

### 9.2 Where it looks

**Before you run it:** queries are rows, one for each French word. What will the three words in reverse order look like?
And where will the model look for the *a* of *a été signé*, which translates nothing of its own?
"""

# %% tags=["experiment"]
def alignment_of(model, pairs, place):
    """Return the weights (T, N) of the words of `pairs.french[place]` on those of the English sentence, START and END left out."""
    device = next(model.parameters()).device
    source = english.batch(pairs.english[place:place + 1])[0].to(device)
    inputs, _ = shifted_targets(french.batch(pairs.french[place:place + 1])[0].to(device))
    with torch.no_grad():
        weights = model(source, inputs, source != PAD)[1][0]
    return weights[:-1, 1:-1].cpu()                                             # the last row is about END


_, axes = plt.subplots(1, 2, figsize=(10, 5.2), layout="constrained")
plots.show_attention(sure + 0.4 * (possible & ~sure), queries=famous.french[0], keys=famous.english[0], values=False, ax=axes[0],
                     title="Gold", label="1: translates it, 0.4: depends on it", largest=1.0)
plots.show_attention(alignment_of(translator, famous, 0), queries=famous.french[0], keys=famous.english[0], values=False, ax=axes[1],
                     title="Transformer, mean over blocks and heads", largest=1.0)
device = next(translator.parameters()).device
source = english.batch(famous.english)[0].to(device)
with torch.no_grad():
    looked = translator(source, french.batch(famous.french)[0].to(device)[:, :-1], source != PAD)[1][0, famous.french[0].index("a")]
most = sorted(zip(looked.tolist(), ["START", *famous.english[0], "END"]), reverse=True)[:6]
print("the weights of *a*, START and END included:", ", ".join(f"{word} {weight:.2f}" for weight, word in most))

# %% tags=["numbers"]
says("0.21 on START, 0.21 on *economic*", *(weight for weight, _ in most[:2]), within=3)
claims("on *economic*, the rest spread", {word for _, word in most[:2]} == {"START", "economic"})

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The three words lie on the opposite diagonal, as in the gold alignment. *a* looks at nothing in particular: 0.21 on
START, 0.21 on *economic*, the rest spread.
</details>

### 9.3 What happens to long sentences?

*One vector* is in the manner of 2014: the decoder's memory has a single place, which holds the last states of
both directions. *Attention* is in the manner of 2015, with the same encoder, decoder, data and stopping rule. The Transformer is
yours; all three have about as many parameters.

The two recurrent networks were trained until they stopped improving, at three rates in turn. Their weights come with
the course; `AGAIN = True` trains them here.

Training had sentences of one or two clauses. The single points on grey are for sentences of three or four.

**Before you run it:** draw the three curves. Where will they part? Which of them will break down in the grey area, and
why might the Transformer be no better there than the others?
"""

# %% tags=["experiment", "slow"]
class OneVector(RecurrentTranslator):
    """The same network, whose memory is one vector: the last state of each direction (Sutskever et al. 2014; Cho et al. 2014)."""

    def encode(self, source, allowed):
        """Return the memory (B, 1, width)."""
        states, half = super().encode(source, allowed), self.encoder.gru.hidden_size
        last = allowed.sum(dim=1) - 1
        forward = states[torch.arange(len(states), device=last.device), last, :half]
        return torch.cat((forward, states[:, 0, half:]), dim=1)[:, None]

    def forward(self, source, words, allowed):
        """Return (logits (B, T, V), weights (B, T, 1))."""
        return self.decoder(self.encode(source, allowed), words)


AGAIN = False                   # True: train both here, in ten minutes of one core


def train_until_it_stops(model):
    """Train with three rates in turn, with each until nothing gets better. Return after which steps the gap was how large."""
    steps, gaps = [], []
    for number, rate in enumerate((4e-3, 1e-3, 2.5e-4)):
        before = steps[-1] if steps else 0
        run = fit(model, loss_of, draw_batch, steps=20_000, learning_rate=rate, warmup=100, decay="none", validate=gap,
                  validate_every=250, patience=4, seed=number)
        steps += [before + step for step in run.validation_steps]
        gaps += run.validation
    return {"steps": steps, "gaps": gaps}


models, gaps = {}, {"Transformer": dict(zip(history.validation_steps, history.validation))}
for name, kind in (("one vector", OneVector), ("attention", RecurrentTranslator)):
    torch.manual_seed(SEED)
    models[name] = kind(len(english), len(french))
    record = train_until_it_stops(models[name]) if AGAIN else load_generation(name, models[name])
    gaps[name] = dict(zip(record["steps"], record["gaps"]))
models["Transformer"] = translator

steps = range(1000, max(max(record) for record in gaps.values()) + 1, 1000)
plots.show_curves(steps, {name: [record.get(step, math.nan) for step in steps] for name, record in gaps.items()}, "training step",
                  "nats per word above the lowest", "Until it stops: the gap on sentences with new combinations", logy=True)

for name, record in gaps.items():
    print(f"{name:12} smallest gap {min(record.values()):.4f} nats per word, last step {max(record)}")

groups = [(1, 6), (7, 8), (9, 11), (12, 15), (16, 24), (25, 40)]                # words of the English sentence, from and to
sets = [draw_pairs(800, seed=9, part="held_out")] * 5 + [draw_pairs(400, seed=9, part="long")]
rows = [[place for place, text in enumerate(pairs.english) if low <= len(text) <= high]
        for pairs, (low, high) in zip(sets, groups)]
shares, clauses = {}, {}
for name, model in models.items():
    written = translate(model, sets[-1])
    found = {id(sets[-2]): sets[-2].probabilities(translate(model, sets[-2])), id(sets[-1]): sets[-1].probabilities(written)}
    clauses[name] = [sum(word in ("et", "mais", "parce") for word in written[place]) for place in rows[-1][:40]]
    shares[name] = [float(found[id(pairs)][some].sum() / pairs.best()[some].sum()) for pairs, some in zip(sets, rows)]
places = [sum(len(pairs.english[place]) for place in some) / len(some) for pairs, some in zip(sets, rows)]
apart = {name: [*share[:-1], math.nan, share[-1]] for name, share in shares.items()}     # no line to the last point: there is nothing between
ax = plots.show_curves([*places[:-1], 24, places[-1]], apart, "words of the English sentence", "exact, as a share of the best possible",
                       "Three generations, against the length of the sentence")
ax.axvspan(24, places[-1] + 1, color="0.9", zorder=0)                           # longer than any sentence of the training
print("sentences:", ", ".join(f"{low} to {high} words: {len(some)}" for (low, high), some in zip(groups, rows)))
for name, model in models.items():
    count = sum(parameter.numel() for parameter in model.parameters())
    print(f"{name:12} {count:,} parameters;", ", ".join(f"{share:.1%}" for share in shares[name]))
written_words = [sum(len(pairs.french[place]) + 1 for place in some) / len(some) for pairs, some in zip(sets, rows)]        # with END
each = [share ** (1 / number) for share, number in zip(shares["one vector"], written_words)][:5]
print("one vector, if all words of a sentence were right equally often:", ", ".join(f"{share:.1%}" for share in each))
for name, joined in clauses.items():
    print(f"{name:12} of 40 long sentences, {joined.count(1)} come out with two clauses")
print(" ".join(sets[-1].english[rows[-1][0]]), " -> ", " ".join(written[rows[-1][0]]))

# %% tags=["numbers"]
smallest = {name: min(record.values()) for name, record in gaps.items()}
says("*One vector* stops at a gap of 0.10 nats, the other two below 0.01.", smallest["one vector"], max(smallest["attention"], smallest["Transformer"]))
reached = shares["one vector"]
says("it reaches 95 % of the best possible, with seven or eight 90 %, with twelve to fifteen 45 %, and with more 20 %", *(reached[i] for i in (0, 1, 3, 4)), within=3)
says("falls from 99.3 % to 91.5 %", each[0], each[-1], within=6)
claims("almost nine in ten", 0.8 < each[0] ** written_words[4] < 0.95)
says("stays at 98 % or 99 % wherever", min(shares["attention"][:5]), max(shares["attention"][:5]))
says("the Transformer at 95 % or", min(shares["Transformer"][:5]), within=3)
says("(only 35 sentences have sixteen words or more)", len(rows[4]))
claims("most of these sentences come out with two clauses", min(joined.count(1) for joined in clauses.values()) >= 30)
says("after 7750, the Transformer ended after its 4000", max(gaps["attention"]), max(gaps["Transformer"]), whole=True)
claims("Beyond 24 words, all three are at 0", max(share[5] for share in shares.values()) < 0.005)
given("the gap of *one vector* was 0.090 on average, that of attention 0.002, that of the Transformer 0.006.")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*One vector* stops at a gap of 0.10 nats, the other two below 0.01. Up to six words it reaches 95 % of the best
possible, with seven or eight 90 %, with twelve to fifteen 45 %, and with more 20 %. That is not only because more words
can each go wrong: with the share per word of the shortest sentences, almost nine in ten of the longest would be right,
but that share falls from 99.3 % to 91.5 %. Whether 128 numbers are too few, or the way through the recurrence too hard
to learn, this does not tell.

Attention, with the same number of parameters, stays at 98 % or 99 % wherever training had sentences, and the
Transformer at 95 % or more (only 35 sentences have sixteen words or more). All of this holds for each of five seeds, in
which the gap of *one vector* was 0.090 on average, that of attention 0.002, that of the Transformer 0.006. (These gaps
are on the 300 sentences of `check_pairs`; on others they differ by some thousandths.)

Beyond 24 words, all three are at 0; most of these sentences come out with two clauses. No training sentence has a third
one, and the Transformer has never seen the positions.

So here the recurrent network with attention translates about as well as the Transformer. It was given more steps: it
stopped improving after 7750, the Transformer ended after its 4000. The Transformer computes all words of a
training step in parallel. With sentences as short as ours that saves little time on one core: a step of the recurrent
network takes up to one and a half times as long. It counts where sentences are long (section 9.4) or the hardware is
parallel.
</details>

#### How often it looks at a wrong word (optional)

**Before you run it:** which words may look anywhere, since nothing is left to decide when they are written?
"""

# %% tags=["experiment"]
def alignments(model, pairs, count=500):
    """Yield (French words, found, sure, possible) for the first pairs. Found is where the largest weight of a word lies."""
    for place in range(count):
        weights = alignment_of(model, pairs, place)
        yield pairs.french[place], F.one_hot(weights.argmax(dim=1), weights.shape[1]).bool(), *pairs.alignment(place)


def error_rate(model, pairs):
    """Return the alignment error rate of the largest weights."""
    parts = [[one.flatten() for one in all_three] for _, *all_three in alignments(model, pairs)]
    return alignment_error_rate(*(torch.cat(some) for some in zip(*parts)))


def alignment_without_network(score):
    """Return the alignment error rate if each French word belongs to the English one with the largest score(text, words, t, i)."""
    parts = []
    for place, (text, words) in enumerate(zip(held_out.english, held_out.french)):
        best = [max(range(len(text)), key=lambda i: score(text, words, t, i)) for t in range(len(words))]
        parts.append([F.one_hot(torch.tensor(best), len(text)).bool().flatten(), *(one.flatten() for one in held_out.alignment(place))])
    return alignment_error_rate(*(torch.cat(some) for some in zip(*parts)))


no_network = {
    "along the diagonal": alignment_without_network(lambda text, words, t, i: -abs(i / len(text) - t / len(words))),
    "by counting": alignment_without_network(lambda text, words, t, i: fits(text[i], words[t])),
}
print("without a network:", ", ".join(f"{name} {rate:.3f}" for name, rate in no_network.items()))
missed = Counter(word for words, found, _, possible in alignments(translator, held_out)
                 for word, right in zip(words, (found & possible).any(dim=1).tolist()) if not right)
print(f"alignment error rate: Transformer {error_rate(translator, held_out):.3f}, recurrent network {error_rate(models['attention'], held_out):.3f}")
print(f"{missed.total()} words of the Transformer have their largest weight in an impossible place:",
      ", ".join(f"{word} {number}" for word, number in missed.most_common(10)))

# %% tags=["numbers"]
says("The rate is 0.081", error_rate(translator, held_out))
says("along the diagonal one gets 0.28, and by counting 0.076", *no_network.values())
claims("Most of the words that look at a wrong word leave nothing to decide", sum(missed[word] for word in ("pas", "que", "?", ".", "été")) > missed.total() / 2)
says("39 are *ne*", missed["ne"], within=10)


# %% [markdown]
r"""
<details><summary>What you should see</summary>

The rate is 0.081. That is no feat: along the diagonal one gets 0.28, and by counting 0.076, without any network (each
French word goes to the English word of its sentence that occurs with it most often and without it least). Most of the words that look at a wrong word
leave nothing to decide: *pas* once *ne* is written, *que* after *parce*. But 39 are *ne*, which decides that the
sentence says no.
</details>

### 9.4 How long does a step take? (optional)

A recurrence means waiting: no step can begin before the last one has ended.

**Before you run it:** how does the time of one training step grow with the length, for the recurrent network with
attention and for the Transformer? (Processor time of one core, 16 sentences of $n$ words and as many translations.) And
which is faster on the lesson's own batches, of 64 sentences each?
"""

# %% tags=["experiment"]
def step_time(model, some, readings=3):
    """Return the processor time, in milliseconds, of forward and backward for a batch of these: the least of some readings."""
    found = []
    for _ in range(readings):
        start = time.process_time()
        for batch in some:
            loss_of(model, batch).backward()
        found.append(1000 * (time.process_time() - start) / len(some))
    model.zero_grad()
    return min(found)


def of_length(n):
    """Return a batch of 16 sentences of n words and as many translations, drawn at random."""
    return torch.randint(4, len(english), (16, n)), torch.randint(4, len(french), (16, n + 1))


sizes, pair = (8, 16, 32, 64, 128), ("attention", "Transformer")
milliseconds = {name: [step_time(models[name].cpu(), [of_length(n)]) for n in sizes] for name in pair}
of_lesson = {name: step_time(models[name], batches[::50]) for name in pair}
plots.show_curves(sizes, milliseconds, "words of each sentence", "milliseconds of one core", "One training step", logx=True, logy=True)
print("attention / Transformer:", ", ".join(f"{n} words {a / b:.1f}" for n, a, b in zip(sizes, *milliseconds.values())),
      f"; the lesson's own batches {of_lesson['attention'] / of_lesson['Transformer']:.1f}")

# %% tags=["numbers"]
claims("more than twice the time", milliseconds["attention"][-1] > 2 * milliseconds["Transformer"][-1])
claims("network takes up to one and a half times as long", of_lesson["attention"] < 2 * of_lesson["Transformer"], whole=True)
claims("about eleven words, it takes up to one and a half times as long", 10 < sum(batch[0].shape[1] for batch in batches) / len(batches) < 12)
given("$2 n$ steps one after the other", "4 blocks", "(section 9.4)")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The recurrent network takes $2 n$ steps one after the other, through the encoder and the decoder; the Transformer goes
through 4 blocks at any length, in parallel over the words. Even on one core, many small steps cost more than a few
large ones: with 128 words the recurrent network takes more than twice the time. On the lesson's own batches, with
sentences of about eleven words, it takes up to one and a half times as long: there are few steps, and with 64 sentences
at once none is small.
</details>

### 9.5 Greedy against beams (optional)

Search matters only for a model that is not sure. So train *one vector* for only 1000 steps, and compare it with the
finished one, by BLEU with all references.

**Before you run it:** for which $\alpha$ may a wide beam do harm, though it searches better? And what will happen to
the length of the translations?
"""

# %% tags=["experiment"]
predict("wide beam", "After 1000 steps, with alpha = 0: what is the BLEU of 50 hypotheses, compared with that of 5?",
        ["higher", "within 0.01", "lower"])

# %% tags=["experiment", "slow"]
torch.manual_seed(SEED)
unsure = OneVector(len(english), len(french))
fit(unsure, loss_of, draw_batch, steps=1000, learning_rate=5e-3, warmup=100, seed=SEED)
some = draw_pairs(100, seed=4, part="held_out", clauses=2)
rights = [[*some.translations(place)] for place in range(len(some))]
beams = (1, 2, 5, 10, 50)


def searched(model, k, power):
    """Return what beam search writes about the sentences of `some`."""
    device, found = next(model.parameters()).device, []
    for text in some.english:
        source = torch.tensor([english.encode(text)], device=device)
        with torch.no_grad():
            memory = model.encode(source, source != PAD)
        found.append(french.decode(beam_search(model, memory, k, max_length=40, power=power)[0]))
    return found


scores, lengths, words = {}, {}, sum(map(len, some.french))
for name, model, power in (("trained to the end, alpha = 0", models["one vector"], 0.0), ("1000 steps, alpha = 0", unsure, 0.0),
                           ("1000 steps, alpha = 0.5", unsure, 0.5), ("1000 steps, alpha = 1", unsure, 1.0)):
    found = [searched(model, k, power) for k in beams]
    scores[name] = [bleu(texts, rights) for texts in found]
    lengths[name] = [sum(map(len, texts)) / words for texts in found]
    print(f"{name}:", ", ".join(f"k = {k}: BLEU {score:.3f}, length {length:.3f}"
                                for k, score, length in zip(beams, scores[name], lengths[name])))
plots.show_curves(list(beams), {name: scores[name] for name in scores if "1000" in name}, "hypotheses k", "BLEU",
                  "Greedy against beams: one vector after 1000 steps, two clauses", logx=True)
gain = scores["1000 steps, alpha = 0"][beams.index(50)] - scores["1000 steps, alpha = 0"][beams.index(5)]
came_out("wide beam", "higher" if gain > 0.01 else "lower" if gain < -0.01 else "within 0.01")

# %% tags=["numbers"]
sums, short = scores["1000 steps, alpha = 0"], lengths["1000 steps, alpha = 0"]
says("from 0.24 to 0.17 with 50 hypotheses", max(sums), sums[-1], 50, within=1, whole=True)
says("from 92 % of the right length to 66 %", short[0], short[-1], within=3, whole=True)
given("In five trainings the sum gave 0.26 by greedy search and 0.19", "with 50 hypotheses, the mean 0.27.")
says("the length stays near 90 %", lengths["1000 steps, alpha = 1"][-1], within=4, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Trained to the end, the model gains from a second hypothesis, and more make no difference. After 1000 steps the sum
($\alpha = 0$) gets worse, from 0.24 to 0.17 with 50 hypotheses, less than greedy search, and the translations get
shorter, from 92 % of the right length to 66 %. The search is not at fault: it finds what the model considers more
probable. An unsure model loses probability with each word. With the mean ($\alpha = 1$) the length stays near 90 %, and
a wide beam does no harm. In five trainings the sum gave 0.26 by greedy search and 0.19 with 50 hypotheses, the mean
0.27. (In large translators, too, the most probable translation is often too short: Koehn and Knowles 2017; Stahlberg
and Byrne 2019.)
</details>

### Written question 2 (2 points, graded by hand)

- (a) A student reports: "My translator writes 75 % of the references exactly, so every fourth translation is wrong."
  The best possible on these sentences is 76 %. What does the number say about the model, and which figure would you ask
  for instead?
- (b) Section 9.3 names two things that no model had seen: a third clause, and (for the Transformer) the positions
  beyond 24 words. Which of the three models tells you already that positions are not the whole reason? Describe one
  training that would tell how much they matter to the Transformer: what changes, what does not, and what would each
  result mean?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-optimum", "grade": true, "solution": true, "points": 2}
r"""
(a) If 76 % is the best possible, the model is nearly perfect: most of what it "misses" are sentences with several right
translations, of which the reference happens to have another one. Nobody could guess which. Ask for the share relative
to the optimum, or for the gap of the cross-entropy to the lowest possible, or count a translation as right if it is any
of the right ones (BLEU with several references goes that way).

(b) The recurrent network with attention has no positions at all, and is at 0 as well: the missing third clause is
enough to break a model. To see what the positions do, shift every training sentence by a random number of places, so
that all positions up to 40 occur, and leave the sentences as they are (or take relative positions). If the Transformer
still stops after the second clause, the clause was the reason; if it goes on, the positions were. The opposite
training, with sentences of three clauses and no position beyond 24, would do as well.

=== BEGIN MARK SCHEME ===

- 1 point: (a) 75 of 76 is nearly all that can be reached, since several translations are right and nobody can guess
  which one the reference has, *and* a figure relative to that: the share of the optimum, the gap of the cross-entropy,
  or all right translations as references (half a point for one of the two).
- 1 point: (b) the recurrent network, which has no positions and fails too, *and* a training in which only one of the
  two things is new, with what each result would mean (half a point for one of the two). "Longer sentences in training"
  changes both at once, and tells nothing.

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 10 What to take along

- Backwards, a recurrent network meets the padding first, so padding has to be taken out.
- Here long sentences fail with one vector. With a new context for every word they do not, as long as
  training had sentences of that length. Where the decoder looks is learned from the translations alone.
- Here a recurrent network with attention translates about as well as a Transformer. The Transformer takes few large steps
  in place of many that wait for each other, which saves time with long sentences and on parallel hardware.
- Where translations are ambiguous, the best possible is not 100 %.

**With real sentences.** `course_lib.data.tab_separated_pairs("fra.txt")` reads the pairs of manythings.org/anki,
`hub_pairs()` those of the Hugging Face Hub; `Vocabulary.from_captions` makes the vocabularies.

### Sources

P. Koehn, R. Knowles, *Six challenges for neural machine translation*, 2017.
F. Stahlberg, B. Byrne, *On NMT search errors and model errors: cat got your tongue?*, EMNLP 2019. J. Johnson, *Attention*,
lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and Transformers*, CS 4644/7643. I.
Sutskever, O. Vinyals, Q. Le, *Sequence to sequence learning with neural networks*, NeurIPS 2014. K. Cho et al., *Learning
phrase representations using RNN encoder–decoder*, EMNLP 2014. D. Bahdanau, K. Cho, Y. Bengio, *Neural machine
translation by jointly learning to align and translate*, ICLR 2015. D. Britz, A. Goldie, M. Luong, Q. Le, *Massive
exploration of neural machine translation architectures*, EMNLP 2017. M. Luong, H. Pham, C. Manning, *Effective
approaches to attention-based neural machine translation*, EMNLP 2015. M. Schuster, K. Paliwal, *Bidirectional recurrent
neural networks*, 1997. C. Szegedy et al., *Rethinking the Inception architecture*, CVPR 2016. M. Ranzato et al., *Sequence
level training with recurrent neural networks*, ICLR 2016. A. Vaswani et al., *Attention is all you need*, NeurIPS 2017.
Y. Wu et al., *Google's neural machine translation system*, 2016. K. Papineni et al., *BLEU*, ACL 2002. F. Och, H. Ney, *A
systematic comparison of various statistical alignment models*, Computational Linguistics 29, 2003.
"""
