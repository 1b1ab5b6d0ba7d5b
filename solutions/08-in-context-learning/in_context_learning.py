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
# 8 In-context learning

What does a model know that only ever predicts the next token? This lesson compares language models with the best possible predictor, which for two
small languages is known: one whose every sequence has rules of its own, which can only be learned from the input (**in-context learning**), and one
with a grammar. You find the heads that do the learning, and switch them off.

| section | the one change | exercise |
|---|---|---|
| 1 | two directions, kept apart (ELMo) | `BidirectionalLanguageModel` (optional), `scalar_mix` (optional) |
| 2 | learning in context, against the best possible | `predict_by_counts`, `my_learner`, `induction_score`, written question 1 |
| 3 | the entropy of a language | `next_token_limit`, `my_gpt`, written question 2 |
| 4 | what came of it: GPT, GPT-3, sizes, assistants, and section 2 again in a model that others trained | `dpo_loss` (optional) |

**Before you begin.** You need lesson 7, sections 2 and 3.1 (the model, its loss, perplexity and temperature); for section 1 alone, recurrent networks
(lesson 5, section 2.1). Plan about three and a half hours; the optional parts take about one and a half more. Nothing else needs a part marked
"(optional)"; its points count unless your teacher says otherwise. With the checkpoints at hand the solution takes less than two minutes of one core;
section 4.5 takes two more if you have its model.

## How this notebook works

- Run the cells in order. In an exercise, write about ten lines at most **in place of** `raise NotImplementedError(...)`. Run its **check** below as
  often as you like: it shows the smallest example that fails.
- ●: a few lines. ●●: about 25 minutes. ●●●: about an hour; begin with an example that you can check by hand.
- Answer the question before each experiment (clicks are never graded), run the cell, then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype, leaves its arguments unchanged, accepts
  any memory layout, lets gradients through and works for a batch of one.
- `GPT` and `next_token_loss` are ready-made here: what you built in lesson 7, with the same arguments.
- **You hand in five files**: this notebook; `in_context.safetensors`, `one_block.safetensors` and `results.json`, which section 2 writes beside it; and
  `gpt.safetensors` of section 3.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $N$ | `B`, `N` | rows of a batch, tokens of a row | batch size; sequence length, context length (`n_ctx`, `T` in nanoGPT) |
| $V$ | `V` | how many tokens there are | vocabulary size (`vocab_size`) |
| $x_i$ | `ids`, `(B, N)` | the token in place $i$, a number from 0 to $V - 1$ | `input_ids`; the place is a position (`position_ids`) |
| – | `logits`, `(B, N, V)` | `logits[:, i]` are about the token in place $i + 1$ | logits, of a language-modelling head (`lm_head`) |
| $A$ | `A`, `(B, H, N, N)` | the attention weights of one block | `attentions` |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import contextlib
import copy
import math

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.in_context_learning import check
from course_lib import devices, layers, plots
from course_lib.data import (
    MASK,
    ORDINARY,
    PAD,
    SEP,
    TAGS,
    agreement_language,
    agreement_words,
    draw_chains,
    draw_sentences,
    framed,
    pretrained_or_random,
    python_english,
    subject_classes,
    word_tags,
)
from course_lib.layers.gpt import LanguageModel as GPT
from course_lib.predictions import came_out, predict
from course_lib.training import fit, own_train, save_results
from course_lib.training.next_token import next_token_loss

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 Two directions, kept apart (optional)

### 1.1 ELMo

A language model that reads from left to right knows nothing of the words after. That is right for *generating*, but not for *understanding*: in *the
queen near the robots sleeps*, the verb of *queen* is four words later. Peters et al. (2018) therefore trained **two** language models on the same text,
one from left to right and one from right to left,

$$\sum_t \log P(w_t \mid w_1 \dots w_{t-1}) \; + \; \sum_t \log P(w_t \mid w_{t+1} \dots w_N),$$

and concatenated the states of both as the vectors of the words: ELMo, "embeddings from language models". Each direction is a stack of LSTMs (`nn.LSTM`,
the older relative of lesson 5's GRU, Hochreiter and Schmidhuber 1997). Both share the embeddings and the output.

The forward state at place $t$ has read $w_1 \dots w_t$, so it predicts $w_{t+1}$. The backward state at place $t$ has read $w_N \dots w_t$, so it
predicts $w_{t-1}$.

There is a trap: `nn.LSTM(..., num_layers=2, bidirectional=True)` is one line, has the right shapes, and trains wonderfully. But its second layer reads
*both* directions of the first. **Keep the directions apart in all layers**; they meet only in the states that are handed out.

**Why would one network that reads both ways see the answer?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    n1 = (next word) | n2 = (word before)
    [forward LSTMs: from left to right] | [backward LSTMs: from right to left]
    e = (word vectors: N × D)
    e -> forward LSTMs, backward LSTMs
    forward LSTMs -> n1
    backward LSTMs -> n2
    forward LSTMs -x> backward LSTMs
""", title="ELMo: two language models that never meet below the output");

# %% [markdown]
r"""
**Exercise 1 (optional).** ●● Write the forward of `BidirectionalLanguageModel`. (The sentences of a batch are equally long, with no padding.)

<details><summary>Hint: the backward direction</summary>

How can an LSTM read from right to left, when all you have is `flip`? A state belongs to its own token: where do you have to turn the states round
again, and where not yet?
</details>
<details><summary>Hint: which states predict</summary>

Write the places 0 to 4 of five tokens under each other. Which forward state has no next token? And which backward state?
</details>
"""

# %% nbgrader={"grade_id": "BidirectionalLanguageModel", "solution": true}
class BidirectionalLanguageModel(nn.Module):
    """Two stacks of LSTMs, one for each direction, with shared embeddings and a shared output (Peters et al. 2018)."""

    def __init__(self, vocab_size, width, num_layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.ahead = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(num_layers))
        self.back = nn.ModuleList(nn.LSTM(width, width, batch_first=True) for _ in range(num_layers))
        self.output = nn.Linear(width, vocab_size)

    def forward(self, ids):
        """Return (ahead, back, states) for the sentences ids (B, N).

        ahead (B, N - 1, vocab_size): logits of ids[:, 1:], each from the tokens before it alone. back (B, N - 1, vocab_size): logits of
        ids[:, :-1], each from the tokens after it alone. states (num_layers + 1, B, N, 2 · width): for each layer the forward state of a
        token beside its backward state; states[0] is the embedding, twice.
        """
        ### BEGIN SOLUTION Run both stacks, the backward one over the sentence from right to left, and keep them apart.
        X = self.embedding(ids)                                                      # (B, N, W)
        ahead, back, states = X, X.flip(1), [torch.cat((X, X), dim=2)]
        for forward, backward in zip(self.ahead, self.back):
            ahead, back = forward(ahead)[0], backward(back)[0]
            states.append(torch.cat((ahead, back.flip(1)), dim=2))
        return self.output(ahead[:, :-1]), self.output(back.flip(1)[:, 1:]), torch.stack(states)
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-BidirectionalLanguageModel", "grade": true}
check("BidirectionalLanguageModel")

# %% [markdown]
r"""
Now look at its gradients: for each token, which other tokens can change its logits? Compare the trap, a bidirectional `nn.LSTM` of two layers.

**Before you run it:** what will the diagonal say?
"""

# %% tags=["experiment"]
class Leaking(nn.Module):
    """The trap: a bidirectional LSTM whose second layer reads both directions of the first."""

    def __init__(self, vocab_size, width):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True, bidirectional=True)
        self.output = nn.Linear(width, vocab_size)

    def forward(self, ids):
        ahead, back = self.lstm(self.embedding(ids))[0].chunk(2, dim=2)
        return self.output(ahead[:, :-1]), self.output(back[:, 1:]), None


words = agreement_words()
V = len(words)
sentence = torch.tensor([[words.index(word) for word in "the queen near some robots sleeps .".split()]])
torch.manual_seed(0)
_, axes = plt.subplots(2, 2, figsize=(9, 8), layout="constrained")
for row, (name, model) in zip(axes, (("kept apart", BidirectionalLanguageModel(V, 16, 2)), ("the trap", Leaking(V, 16)))):
    for ax, part, targets in zip(row, (0, 1), (range(1, 7), range(6))):
        influence = torch.zeros(7, 7)
        for i, target in enumerate(targets):
            model.zero_grad()
            model(sentence)[part][0, i].sum().backward()
            influence[target] = model.embedding.weight.grad[sentence[0]].norm(dim=1)
        names = [words[i] for i in sentence[0]]
        plots.show_attention(influence / influence.max(), queries=names, keys=names, values=False, ax=ax,
                             title=f"{name}: {('forward', 'backward')[part]}", label="size of the gradient")
        ax.set(xlabel="depends on", ylabel="logits of")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Kept apart, the forward logits of a word depend on the words before it and the backward ones on the words after it; the diagonal is empty. In the trap
both squares are full: the forward state of layer 2 reads the backward states of layer 1, and these have read the word that is to be predicted.
</details>

### 1.2 A loss below the limit

What happens to a model that sees its answers? We train both for the same number of steps on a small language of 70 words (section 3.2 describes it).
Its probabilities are known, so the lowest possible loss is known as well: $-\log P(\text{sentence})$ divided by the number of predictions.

**Before you run it:** is the lowest possible loss from right to left higher or lower than the one from left to right?
"""

# %% tags=["experiment"]
def equally_long(ids, size):
    """Return batches of sentences of one length, without padding."""
    lengths = (ids != PAD).sum(dim=1)
    return [part for n in lengths.unique().tolist() for part in ids[lengths == n, :n].split(size)]


def both_ways(model, ids):
    """Return the mean loss of both directions, in nats."""
    ahead, back, _ = model(ids)
    return (F.cross_entropy(ahead.transpose(1, 2), ids[:, 1:]) + F.cross_entropy(back.transpose(1, 2), ids[:, :-1])) / 2


@torch.no_grad()
def mean_loss(model, batches):
    """Return the loss over all predictions in these batches."""
    sizes = [ids[:, 1:].numel() for ids in batches]
    return sum(both_ways(model.cpu(), ids).item() * size for ids, size in zip(batches, sizes)) / sum(sizes)


known = equally_long(framed(draw_sentences(20_000, seed=2)), 64)
new_sentences = draw_sentences(2000, seed=5)
unknown = equally_long(framed(new_sentences), 500)
chances = agreement_language().log_probability(F.one_hot(new_sentences, V).double())  # of each sentence
limit = -(chances.sum() / sum(ids[:, 1:].numel() for ids in unknown)).item()
elmo, losses = {}, {}
for name, make in (("kept apart", lambda: BidirectionalLanguageModel(V, 48, 2)), ("the trap", lambda: Leaking(V, 48))):
    torch.manual_seed(0)
    elmo[name] = make()
    run = fit(elmo[name], both_ways, lambda generator: known[torch.randint(len(known), (), generator=generator)], steps=600,
              learning_rate=8e-3, warmup=50, validate=lambda model: mean_loss(model, unknown), validate_every=60, seed=0, device="cpu", show=False)
    losses[name] = run.validation
plots.show_curves(run.validation_steps, losses | {"the lowest possible": [limit] * len(run.validation)}, "steps", "nats per word",
                  "Two directions, kept apart or not", logy=True)
print(f"the lowest possible {limit:.3f};", ", ".join(f"{name} {curve[-1]:.3f}" for name, curve in losses.items()))

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("the lowest possible is 1.25 nats", limit)
says("kept apart, the model comes to 1.32 after 600 steps", losses["kept apart"][-1], 600, within=1, whole=True)
says("The trap goes through the line at once and ends at 0.04", losses["the trap"][-1], within=1, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In both directions the lowest possible is 1.25 nats: the probabilities of a sentence's words multiply to that of the sentence from either end. In the
course's run, kept apart, the model comes to 1.32 after 600 steps. The trap goes through the line at once and ends at 0.04 nats. A model can get below
the line only by luck or by cheating.
</details>

What is the trap worth where it cannot see the answer? Take one word out of each sentence and ask both models for it, with another word or `[MASK]` in
its place.

**Before you run it:** how will the loss of each of the two change?
"""

# %% tags=["experiment"]
generator = torch.Generator().manual_seed(3)
frequent = torch.bincount(torch.cat([ids[:, 1:-1].flatten() for ids in known]), minlength=V) + 1
by_frequency = []
taken = {(name, there): [] for name in elmo for there in ("the answer", "another word", "[MASK]")}
kinds_of_word = V - ORDINARY
for ids in unknown:
    place = torch.randint(1, ids.shape[1] - 1, (len(ids), 1), generator=generator)
    right = ids.gather(1, place)
    by_frequency.append(-(frequent / frequent.sum()).log()[right])
    further = torch.randint(1, kinds_of_word, place.shape, generator=generator)      # never the same word
    other = ids.scatter(1, place, ORDINARY + (right - ORDINARY + further) % kinds_of_word)
    for name, model in elmo.items():
        for there, seen in (("the answer", ids), ("another word", other), ("[MASK]", ids.scatter(1, place, MASK))):
            with torch.no_grad():
                ahead, back, _ = model(seen)
            for logits, at in ((ahead, place - 1), (back, place)):
                found = logits.log_softmax(-1).gather(1, at[..., None].expand(-1, -1, V))[:, 0]
                taken[name, there].append(-found.gather(1, right)[:, 0])
print(f"knowing nothing but how frequent each word is: {torch.cat(by_frequency).mean():.2f} nats")
for (name, there), values in taken.items():
    print(f"{name:10} in its place {there:12}: {torch.cat(values).mean():.2f} nats")

# %% tags=["numbers"]
means = {key: torch.cat(values).mean().item() for key, values in taken.items()}
apart = [means["kept apart", there] for there in ("the answer", "another word", "[MASK]")]
says("1.52 nats with the answer and 1.52 without", *apart[:2], within=3, whole=True)
says("0.05 nats where it sees the answer, 3.74 where it sees another word, and 3.22 at `[MASK]`", *(means["the trap", there] for there in ("the answer", "another word", "[MASK]")), within=60, whole=True)
says("by frequency alone one has 3.73", torch.cat(by_frequency).mean(), within=2)

claims("the same to the last digit", max(apart) - min(apart) < 1e-5)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Kept apart, nothing changes: 1.52 nats with the answer and 1.52 without, the same to the last digit, because no logits for a word ever depended on it.
The trap has 0.05 nats where it sees the answer, 3.74 where it sees another word, and 3.22 at `[MASK]`; by frequency alone one has 3.73. The trap has
learned to copy, and a little of the language.
</details>

### 1.3 A mixture of layers

Peters et al. let every task choose among the layers: it learns one number for each layer, and a scale,

$$\text{ELMo}_t = \gamma \sum_{j=0}^{L} s_j \, h_{t,j} \qquad s = \mathrm{softmax}(w),$$

while the language model stays as it is: the **feature-based** use of a pretrained model, as opposed to fine-tuning.

**Exercise 2 (optional).** ● Write `scalar_mix`.

<details><summary>Hint</summary>

`weights` has one axis and `states` four. Which of them belongs to the layers? Give the weights the others.
</details>
"""

# %% nbgrader={"grade_id": "scalar_mix", "solution": true}
def scalar_mix(states, weights, gamma):
    """Return γ Σ_j softmax(weights)_j states[j], of shape (B, N, D).

    states: (layers, B, N, D). weights: (layers,), any numbers. gamma: one number, a tensor of shape ().
    """
    ### BEGIN SOLUTION Add up the layers with the softmax of the weights, and scale the sum.
    return gamma * (weights.softmax(0)[:, None, None, None] * states).sum(0)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-scalar_mix", "grade": true}
check("scalar_mix")

# %% [markdown]
r"""
A task: tag each word with its part in the sentence (a determiner, the subject, the subject's verb, another's verb, ...; ten kinds). Only 100 sentences
have labels. One linear layer reads the states, which are frozen.

**Before you run it:** layer 0 is the embedding, which knows a word and not its sentence. Which layer will be best, and what will the mixture choose?
"""

# %% tags=["experiment", "slow"]
def tagged(sentences, model):
    """Return [(a model's states, tags)] of sentences, in batches of one length."""
    found = []
    for ids in equally_long(framed(sentences), 500):
        with torch.no_grad():
            found.append((model(ids)[2][:, :, 1:-1], word_tags(ids[:, 1:-1])))
    return found


def tagger_accuracy(layer=None):
    """Return (share of words that are tagged right, the mixture) with one layer, or with a mixture of all."""
    torch.manual_seed(0)
    top, weights, gamma = nn.Linear(96, len(TAGS)), nn.Parameter(torch.zeros(3)), nn.Parameter(torch.ones(()))
    optimizer = torch.optim.Adam([*top.parameters(), weights, gamma], lr=1e-2)

    def scores(states):
        return top(scalar_mix(states, weights, gamma) if layer is None else states[layer])

    for _ in range(200):
        losses = [F.cross_entropy(scores(states).transpose(1, 2), tags, reduction="sum") for states, tags in few]
        optimizer.zero_grad()
        (sum(losses) / sum(tags.numel() for _, tags in few)).backward()
        optimizer.step()
    right = sum((scores(states).argmax(-1) == tags).sum().item() for states, tags in many)
    return right / sum(tags.numel() for _, tags in many), weights.detach().softmax(0)


torch.manual_seed(0)
shares = {}
for name, model in (("untrained, ", BidirectionalLanguageModel(V, 48, 2)), ("", elmo["kept apart"])):
    few, many = (tagged(draw_sentences(count, seed=seed), model) for count, seed in ((100, 6), (1000, 7)))
    shares |= {f"{name}layer {layer}": tagger_accuracy(layer)[0] for layer in range(3)}
shares["mixture"], mixture = tagger_accuracy()
print("words tagged right:", ", ".join(f"{name} {share:.1%}" for name, share in shares.items()))
print("weights of the mixture:", ", ".join(f"layer {j} {s:.2f}" for j, s in enumerate(mixture.tolist())))
plots.show_bars(list(shares), list(shares.values()), ylabel="words tagged right", title="100 labelled sentences", xlabel="states");

# %% tags=["numbers"]
says("The embedding tags 88 % of the words", shares["layer 0"], within=2, whole=True)
says("of an untrained model get 92 % and 57 %", shares["untrained, layer 1"], shares["untrained, layer 2"], within=3)
claims("From layer 1 on, nearly all are right", min(shares["layer 1"], shares["layer 2"], shares["mixture"]) > 0.98, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The embedding tags 88 % of the words: it cannot tell the subject from another noun. From layer 1 on, nearly all are right, with a hundred labelled
sentences: the context is in the states. As a control, layers 1 and 2 of an untrained model get 92 % and 57 %: a random LSTM mixes in some of the
context, and loses words on the way. The mixture does as well as the best layer, and nobody had to choose one.
</details>
"""

# %% [markdown]
r"""
## 2 Learning in context

GPT-3 is shown three examples of a task in its input and does the fourth (Brown et al. 2020): **in-context learning**. No weight changes; it learns in
one forward pass, from its own context. How can attention do that, and how well? In a small model, for a small task, we can measure it.

### 2.1 A new language in every sequence

Every sequence here is written by a **Markov chain of its own**: a table $T$ of $V \times V$ numbers, whose row $T_{ab}$ says how probable token $b$ is
after token $a$. The rows are drawn at random from a symmetric Dirichlet distribution: it favours no token on average, and a small
concentration $\alpha$ gives a few tokens of a row nearly everything. No table occurs twice. So what follows $a$ can only be read off the
sequence: what has followed $a$ *so far*? (The task is that of Edelman et al. 2024.)

The best possible answer is known. If $b$ has followed $a$ $n_{ab}$ times, Bayes' rule gives the mean of all tables, each weighted by how probable the
sequence makes it,

$$P(b \mid a, \text{context}) = \frac{\alpha + n_{ab}}{V \alpha + \sum_{c} n_{ac}}.$$

Count, and add $\alpha$ to each count (with $\alpha = 1$, Laplace's rule). By Gibbs' inequality no model has a lower loss on average.

By hand: $V = 3$, $\alpha = 0.5$ and the sequence 0 1 0 1 0. The last 0 has occurred twice before, and both times 1 followed. So 1 has the probability
$(0.5 + 2)/(1.5 + 2) = 0.714$, and 0 and 2 have $0.5/3.5 = 0.143$ each. After the first 0, nothing is known: 1/3 each.

**Exercise 3.** ●● Write `predict_by_counts`: these probabilities at every place of every sequence, from the tokens up to and including that place.

<details><summary>Hint: pairs</summary>

`F.one_hot(ids, V)` has the shape `(B, N, V)`. From those of a token and the next one, make a table $V \times V$ for each pair, with a 1 in one place.
What does `cumsum` make of these tables?
</details>
<details><summary>Hint: which pairs have been seen</summary>

At place $i$ there are $i$ pairs; at place 0 there is none, so a table of zeros comes first. Of each table you need one row: `gather` takes it; or
multiply by the one-hot of the token and add up.
</details>
"""

# %% nbgrader={"grade_id": "predict_by_counts", "solution": true}
def predict_by_counts(ids, V, concentration):
    """Return P (B, N, V): P[b, i, v] is the probability that v follows ids[b, i], given ids[b, : i + 1].

    ids: (B, N), below V, each row written by a Markov chain of its own, whose rows have a Dirichlet prior of this concentration.
    """
    ### BEGIN SOLUTION Count the pairs up to each place, take the row of the token at that place, and add the concentration.
    one_hot = F.one_hot(ids, V)                                                      # (B, N, V)
    pairs = one_hot[:, :-1, :, None] * one_hot[:, 1:, None, :]                       # (B, N - 1, V, V)
    counts = F.pad(pairs.cumsum(dim=1), (0, 0, 0, 0, 1, 0))                          # (B, N, V, V), at place 0 nothing
    row = torch.einsum("bnv,bnvw->bnw", one_hot, counts) + concentration
    return row / row.sum(dim=2, keepdim=True)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-predict_by_counts", "grade": true}
check("predict_by_counts")

# %% [markdown]
r"""
**Before you run it:** how fast does the loss of the best predictor fall over the context, and where does it end? At the entropy of the chain?
"""

# %% tags=["experiment"]
STATES, ALPHA, LENGTH, LAST = 8, 0.2, 65, 16
chains, tables = draw_chains(1000, LENGTH, torch.Generator().manual_seed(999), STATES, ALPHA)
print("one sequence:", "".join("abcdefgh"[i] for i in chains[0]))


def losses_by_place(probabilities, ids):
    """Return the mean of -log P of the token that came, for each of the 64 places, (64,)."""
    return -probabilities.gather(2, ids[:, 1:, None])[..., 0].clamp(min=1e-12).log().mean(dim=0)


by_counts = losses_by_place(predict_by_counts(chains[:, :-1], STATES, ALPHA), chains)
knowing = losses_by_place(tables.gather(1, chains[:, :-1, None].expand(-1, -1, STATES)), chains)
places = range(1, LENGTH)
plots.show_curves(places, {"counts, the best possible": by_counts, "knows the table": knowing}, "tokens seen", "nats per token",
                  "What can be known from the context");
print(f"at the first token {by_counts[0]:.3f}, over the last {LAST} {by_counts[-LAST:].mean():.3f}; knowing the table {knowing[-LAST:].mean():.3f}")

# %% tags=["numbers"]
says(r"$\log 8 = 2.08$ nats", STATES, by_counts[0].item())
says("1.25 over the last 16 tokens", by_counts[-LAST:].mean().item(), LAST)
says("a predictor that knows the table has 1.01", knowing[-LAST:].mean().item())

# %% [markdown]
r"""
<details><summary>What you should see</summary>

At the first token nothing is known: $\log 8 = 2.08$ nats. From there the loss falls, quickly and then slowly, to 1.25 over the last 16 tokens; a
predictor that knows the table has 1.01, from the first token on. The difference is the cost of learning eight rows from 64 tokens, each seen about
eight times.
</details>

### 2.2 A model that learns to learn

Nobody tells a model to count. We give it sequences, and let it predict the next token.

**Exercise 4.** ● `my_learner(num_blocks)` returns the model that you train and hand in, with new random weights: a `GPT` for 8 tokens and 65 places.
Dropout is of no use here. A width of 32, 2 heads and a feed-forward width of 128 do; the most are a width of 256 and 8 heads. With two blocks you hand
it in as `in_context.safetensors`, and with one block as `one_block.safetensors`, for comparison in section 2.3. The grader calls `my_learner()` and
`my_learner(1)`.

The check draws new chains and compares the loss at the end of the context, over the last 16 of 64 places, with that of `predict_by_counts`. Up to 6 %
more earn full points, and 40 % more none; the solution had 3.3 % more on average over five seeds. Two controls must hurt, and count only below those
40 %: with the beginning of another chain, or with its own in another order, the loss there has to be at least 1.2 times as large.

The cell after the exercise trains both from the same seed, in under two minutes of one core. If you wrote `train` in lesson 5 and its folder lies next
to this one, that loop takes the steps (`own_train`); otherwise `fit` takes them itself. (After a change of `my_learner`, pass `resume=False` once.
The dashed curve is the loss at the end of the context as a multiple of the best possible.)

**Before you run it:** the first block can look at any earlier token. Is one block enough to find out what followed the last $a$?
"""

# %% tags=["experiment"]
predict("one block", "How much of the way from frequencies alone to the best possible loss does a single block go?",
        ["over three quarters", "a quarter to three quarters", "under a quarter"])

# %% nbgrader={"grade_id": "my_learner", "solution": true}
def my_learner(num_blocks=2):
    """Return the model of section 2 with this many blocks, and with new weights."""
    ### BEGIN SOLUTION Return a GPT for 8 tokens and 65 places.
    return GPT(layers.TransformerConfig(kind="decoder", vocab_size=8, model_width=32, num_heads=2, hidden_width=128,
                                        decoder_blocks=num_blocks, max_length=65, dropout=0.0, activation="gelu"))
    ### END SOLUTION

# %% tags=["experiment"]
LEARNER_SEED = 0


def loss_in_context(model, ids):
    """Return the mean loss of all next tokens."""
    return next_token_loss(model(ids)[0], ids)


@torch.no_grad()
def times_the_best(model, ids=chains):
    """Return the model's loss over the last places, divided by that of the best predictor."""
    found = losses_by_place(model(ids[:, :-1])[0].softmax(-1), ids)
    return (found[-LAST:].mean() / losses_by_place(predict_by_counts(ids[:, :-1], STATES, ALPHA), ids)[-LAST:].mean()).item()


choosing, _ = draw_chains(300, LENGTH, torch.Generator().manual_seed(998), STATES, ALPHA)  # they choose the weights, so nothing is reported on them
learners, runs, train = {}, {}, own_train()
for num_blocks, file in ((2, "in_context.safetensors"), (1, "one_block.safetensors")):
    torch.manual_seed(LEARNER_SEED)
    name = "two blocks" if num_blocks == 2 else "one block"
    learners[name] = my_learner(num_blocks)
    runs[name] = fit(learners[name], loss_in_context, lambda generator: draw_chains(64, LENGTH, generator, STATES, ALPHA)[0],
                     steps=1500, learning_rate=3e-3, warmup=100, train=train, validate=lambda model: times_the_best(model, choosing), validate_every=75,
                     seed=LEARNER_SEED, checkpoint=file, resume=True, device="cpu")
plots.show_curves(runs["two blocks"].validation_steps, {name: run.validation for name, run in runs.items()}, "steps",
                  "loss / best possible loss", "The end of the context, while the model is trained")

so_far = F.one_hot(chains[:, :-1], STATES).cumsum(dim=1) + 0.5                      # how often each token has occurred, whatever was before it
curves = {"counts, the best possible": by_counts, "frequencies alone": losses_by_place(so_far / so_far.sum(dim=2, keepdim=True), chains)}
with torch.no_grad():
    for name, model in learners.items():
        curves[name] = losses_by_place(model(chains[:, :-1])[0].softmax(-1), chains)
plots.show_curves(places, curves, "tokens seen", "nats per token", "The loss over the context")
alone = (curves["frequencies alone"][-LAST:].mean() / by_counts[-LAST:].mean()).item()
print(", ".join(f"{name} {times_the_best(model):.3f} times the best" for name, model in learners.items()), f"; frequencies alone {alone:.3f}")
way = (alone - times_the_best(learners["one block"])) / (alone - 1)
came_out("one block", "over three quarters" if way > 0.75 else "a quarter to three quarters" if way > 0.25 else "under a quarter")

# %% nbgrader={"grade_id": "check-my_learner", "grade": true}
check("my_learner")

# %% tags=["numbers"]
says("With two blocks the model ends at 1.02 times the best possible loss", times_the_best(learners["two blocks"]))
says("With one block at 1.43", times_the_best(learners["one block"]))
says("(1.48 times the best)", alone)
given("(From five seeds, two blocks end at 1.03 on average; from four seeds, one block ends at 1.43.)")


# %% [markdown]
r"""
<details><summary>What you should see</summary>

With two blocks the model ends at 1.02 times the best possible loss, and its curve over the context is that of the counts nearly everywhere: nobody told
it to count. With one block at 1.43 the model hardly does better than counting how frequent each token is (1.48 times the best): it does not know what
follows which. (From five seeds, two blocks end at 1.03 on average; from four seeds, one block ends at 1.43.)
</details>

### 2.3 How does it do that?

To answer "what followed the last $a$?", a token $a$ has to find the *token after* the earlier $a$. A query can look for what a key says of itself, so
the key of a token has to say which token is **before** it. That takes two heads in a row: a head of the first block, the *previous-token head*, looks
at the previous token and writes down what it was; a head of the second block, the **induction head**, then looks for tokens with $a$ before them.
Together they are an **induction circuit** (Elhage et al. 2021; Olsson et al. 2022): *... a b ... a → b*. One block cannot do it: when its keys are
made, no token has looked at its neighbour yet. Measure how much weight a head puts on the tokens after earlier copies:

$$\text{score}_h = \text{mean over all } (b, i) \text{ with an earlier copy} \quad \sum_{j < i, \; x_{b,j} = x_{b,i}} A_{b,h,i,j+1}.$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | . | out = (B: predicted)
    . | . | two = [induction head: block 2]
    . | after = (B, after A) | .
    . | one = [previous-token head: block 1] | .
    a1 = (A) | b1 = (B) | a2 = (A, again)
    a1 -> one: key, value
    b1 -> one: query
    one -> after
    after -> two: key: after A; value: B
    a2 -> two: query: what came after A?
    two -> out
""", title="An induction head: look for what followed last time");

# %% [markdown]
r"""
**Exercise 5.** ●● Write `induction_score`. (The last two rows of its table are about `results.json`, which the experiment below writes; check again
after it.)

<details><summary>Hint: the earlier copies</summary>

`ids[:, :, None] == ids[:, None, :]` is `(B, N, N)`, with the query first. Which triangle of it are the *earlier* ones, without the token itself?
</details>
<details><summary>Hint: one place later</summary>

You have a mask of the copies $j$, and want one of the places $j + 1$: move every column one place to the right. What is in the first column?
</details>
"""

# %% nbgrader={"grade_id": "induction_score", "solution": true}
def induction_score(A, ids):
    """Return the weight of each head, (H,), on the tokens right after earlier copies of the query's token.

    A: (B, H, N, N), causal attention weights. ids: (B, N). It is the mean over all queries that have an earlier copy, in all
    sequences together; without any such query it is 0. It is for measuring: gradients may stop here.
    """
    ### BEGIN SOLUTION Find the earlier copies, go one place to the right, add up the weights there, and average over the queries that have a copy.
    copies = (ids[:, :, None] == ids[:, None, :]).tril(-1)                           # (B, N, N): i looks like the earlier j
    behind = F.pad(copies[:, :, :-1], (1, 0))                                        # ... and here like j - 1
    some = behind.any(dim=2)                                                         # (B, N)
    weight = (A * behind[:, None]).sum(dim=3)                                        # (B, H, N), 0 without a copy
    return weight.sum(dim=(0, 2)) / some.sum().clamp(min=1)
    ### END SOLUTION

# %% tags=["experiment"]
check("induction_score")

# %% [markdown]
r"""
That a head *looks* there does not show that the model needs it. So **ablate** it: `switched_off` returns the model without the heads whose score is
above 0.5, by setting to 0 what $W_O$ makes of their outputs. An output of 0, which the later layers have never seen, may do harm by itself. So the
control, `averaged`, gives every token the mean of these heads' outputs over all tokens.

**Before you run it**, write into `predicted` what you expect of the loss at the end of the context, as a multiple of the best possible: with two
blocks, with one block, and with two blocks without their induction heads. (1 is perfect. Guessing all 8 tokens alike is $\log 8$ nats, 1.67 times the
best.) A prediction is not graded for being right, only for being there.
"""

# %% nbgrader={"grade_id": "predicted", "solution": true}
### BEGIN SOLUTION Write down predicted = {"two blocks": ..., "one block": ..., "induction heads off": ...}.
predicted = {"two blocks": 1.05, "one block": 1.3, "induction heads off": 1.3}
### END SOLUTION

# %% tags=["experiment"]
def scores_of(model):
    """Return the induction score of each head, one row for each block, on the first 500 sequences."""
    with torch.no_grad():
        return torch.stack([induction_score(A, chains[:500, :-1]) for A in model(chains[:500, :-1])[1]])


def switched_off(model, heads):
    """Return a copy of the model in which the outputs of these heads, (block, head), count for nothing."""
    model = copy.deepcopy(model)
    for block, head in heads:
        weight = model.decoder.blocks[block].attention.W_O.weight                    # (D, D): a column for each number of a head
        columns = weight.shape[1] // model.decoder.blocks[block].attention.num_heads
        weight.data[:, head * columns : (head + 1) * columns] = 0
    return model


def averaged(model, heads):
    """Return a copy of the model in which these heads give every token the mean of their outputs over all tokens of all rows."""
    model = copy.deepcopy(model)
    for block, head in heads:
        attention = model.decoder.blocks[block].attention
        columns = torch.arange(attention.W_O.in_features).chunk(attention.num_heads)[head]

        def hook(_, inputs, columns=columns):
            X = inputs[0].clone()
            X[..., columns] = X[..., columns].mean(dim=(0, 1))
            return X

        attention.W_O.register_forward_pre_hook(hook)
    return model


two = learners["two blocks"]
scores = scores_of(two)
equal = torch.ones(500, 1, LENGTH - 1, LENGTH - 1).tril()
equal = induction_score(equal / equal.sum(dim=3, keepdim=True), chains[:500, :-1]).item()    # who looks at all tokens so far alike
found = [tuple(place) for place in (scores > 0.5).nonzero().tolist()]
print("induction scores, block by block:", [[round(score, 2) for score in row] for row in scores.tolist()], "above 0.5:", found,
      f"; looking at all alike: {equal:.2f}")
measured = {"two blocks": times_the_best(two), "one block": times_the_best(learners["one block"]),
            "induction heads off": times_the_best(switched_off(two, found))}
print(", ".join(f"{name} {value:.3f}" for name, value in measured.items()), f"; their mean instead {times_the_best(averaged(two, found)):.3f}")
save_results("results.json", predicted, measured)

text = chains[7:8, :24]
names = ["abcdefgh"[i] for i in text[0]]
with torch.no_grad():
    weights = two(text)[1]
plots.show_heads(torch.cat([A[0] for A in weights]), names, names, [f"{b}.{h}: {scores[b, h]:.2f}" for b in range(2) for h in range(2)])  # block.head: score
with torch.no_grad():
    previous = [A.diagonal(-1, 2, 3).mean(dim=(0, 2)).tolist() for A in two(chains[:500, :-1])[1]]
without = {(block, head): times_the_best(switched_off(two, [(block, head)])) for block in range(2) for head in range(2)}
for (block, head), value in without.items():
    print(f"block {block}, head {head}: {previous[block][head]:.2f} of the weight on the previous token; without it {value:.3f} times the best")

# %% nbgrader={"grade_id": "check-induction_score", "grade": true}
check("induction_score")

# %% tags=["numbers"]
says("the heads of the second block have scores of 0.87 and 0.90", *scores[1].tolist())
says("scores 0.22", equal)
says("the loss is 1.66", times_the_best(averaged(two, found)))
claims("both heads of the second block", found == [(1, 0), (1, 1)])
says("From 1.02 the loss rises to 1.74 times the best", measured["two blocks"], measured["induction heads off"])
given("guessing all tokens alike, 1.67")
given("(Three more seeds gave scores of 0.86 to 0.92, and 1.68 to 1.76 times the best without these heads.)")
says("puts 0.78 of its weight on the previous token", max(previous[0]))
says("(without the block's other head 1.04)", without[0, min(range(2), key=lambda head: previous[0][head])])
says("without it alone the loss is 1.58 times the best", without[0, max(range(2), key=lambda head: previous[0][head])])
says("one of the two induction heads costs less: 1.10 and 1.26", without[1, 0], without[1, 1])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the course's run, the heads of the second block have scores of 0.87 and 0.90 (looking at all tokens so far alike scores 0.22): nearly all their
weight lies just after earlier copies. Without both heads of the second block the model knows nothing any more. From 1.02 the loss rises to 1.74 times
the best, even more than guessing all tokens alike, 1.67. With the mean of their outputs in place of 0 the loss is 1.66, as good as guessing. (Three
more seeds gave scores of 0.86 to 0.92, and 1.68 to 1.76 times the best without these heads.)

In the first block one head puts 0.78 of its weight on the previous token. It has nothing to do with copies, and yet without it alone the loss is 1.58
times the best (without the block's other head 1.04): no token has written down its predecessor. Losing just one of the two induction heads costs less:
1.10 and 1.26. The other does most of the work alone. So a head that you can remove without harm is not necessarily idle.
</details>

### Written question 1 (2 points, graded by hand)

- (a) A classmate says: "The two-block model has learned the transition tables of the chains." Why is this impossible here, and what has it learned
  instead? Where is what it knows about one sequence while it reads it?
- (b) Switching a head off makes the loss worse. Why is this stronger evidence than the picture of its attention weights? And what does it still not
  show?

Write three to six sentences.
"""

# %% [markdown] nbgrader={"grade_id": "written-context", "grade": true, "solution": true, "points": 2}
r"""
(a) Every sequence has a table of its own that never occurs again, so there is nothing to remember: a model with a table
in its weights would be wrong about the next sequence. The weights hold a procedure (look at the token before, find the
token after the earlier copies, mix what is there). What is known of one sequence is in the activations: in the keys and
values of its own tokens, and it is gone with the sequence.

(b) The picture shows where a head looks, not whether anything further up uses it: values may be small, or other heads
may do the same work. Switching off is an intervention, so a loss that rises shows that the model's output depends on
the head. It does not show that the head does this alone (without the head of block 0 it fails as well), nor what it
does; and if nothing changes, another head may do its work.

=== BEGIN MARK SCHEME ===

- 1 point: (a) no table occurs twice, so a table in the weights would not help, *and* the knowledge about a sequence is
  in its activations (keys, values, the context), while the weights hold how to use it (half a point for one of the
  two).
- 1 point: (b) an intervention shows that the output depends on the head, while weights show only where it looks; *and*
  one limit (other heads work with it or could replace it, the model was never trained without it, how it works remains
  open) (half a point for one of the two).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 3 A language about which everything is known

### 3.1 The entropy of three sentences

How low can the loss of a language model be? Take a language of three sentences: *the queen sleeps* with probability 0.5, *the king sleeps* with 0.3,
*the king waits* with 0.2. The first word is certain and costs nothing. *queen* and *king* follow *the* with 0.5 each: $\log 2 = 0.693$ nats. *the
queen* is surely followed by *sleeps*. *the king* is followed by *sleeps* with $0.3/0.5 = 0.6$ and by *waits* with 0.4; that costs
$-0.6 \log 0.6 - 0.4 \log 0.4 = 0.673$ nats, in half of the sentences: 0.337. In general, with sentences $s_k$ that have the probabilities $p_k$,

$$P(v \text{ at place } n \mid s_{k,1} \dots s_{k,n-1}) =
\frac{\sum_j p_j \, [s_j \text{ begins as } s_k \text{ does, up to } n-1] \, [s_{j,n} = v]}
{\sum_j p_j \, [s_j \text{ begins as } s_k \text{ does, up to } n-1]}$$

where a bracket is 1 if it holds and 0 if not, and the lowest possible loss at place $n$ is the **entropy** of the next token there,

$$H_n = \sum_k p_k \cdot -\log P(s_{k,n} \text{ at } n \mid s_{k,1} \dots s_{k,n-1}).$$

By the chain rule, the sum of all $H_n$ is the entropy of the sentences, $-\sum_k p_k \log p_k$.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    qs = (sleeps) | . | ks = (sleeps) | kw = (waits)
    q = (queen) | . | k = (king) | .
    . | the = (the) | . | .
    the -> q: 0.5
    the -> k: 0.5
    q -> qs: 1
    k -> ks: 0.6
    k -> kw: 0.4
""", title="Three sentences: a word costs where paths part");

# %% [markdown]
r"""
**Exercise 6.** ●● Write `next_token_limit`.

<details><summary>Hint: which sentences begin alike</summary>

`sentences[:, None] == sentences`, of the shape `(K, K, N)`, says where two sentences agree. They begin alike if they agree at *all* places before.
Which running product says so?
</details>
<details><summary>Hint: from there to P</summary>

Each sentence gives its probability to its own word at place $n$, `F.one_hot(sentences, V)`. One `torch.einsum` does it; then divide by the sum.
</details>
"""

# %% nbgrader={"grade_id": "next_token_limit", "solution": true}
def next_token_limit(sentences, probabilities, V):
    """Return (P, H): what can be known of every next token, P (K, N, V), and the lowest mean loss at each place, H (N,), in nats.

    sentences: ids below V, (K, N), no two sentences alike; probabilities: (K,), all above 0, with the sum 1. P[k, n, v]: the
    probability of v at place n, given the tokens of sentence k before n. Both in the dtype of the probabilities.
    """
    ### BEGIN SOLUTION Find the sentences that begin alike, weight them, and average -log P of the right words.
    same = (sentences[:, None] == sentences).long()                                  # (K, K, N)
    alike = F.pad(same.cumprod(dim=2)[..., :-1], (1, 0), value=1).to(probabilities)  # before n
    P = torch.einsum("kjn,j,jnv->knv", alike, probabilities, F.one_hot(sentences, V).to(probabilities))
    P = P / P.sum(dim=2, keepdim=True)
    return P, probabilities @ -P.gather(2, sentences[..., None])[..., 0].log()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-next_token_limit", "grade": true}
check("next_token_limit")

# %% [markdown]
r"""
### 3.2 Too many to list

The language of agreement draws its sentences from a grammar of 70 words:

- *the tall **queen** near the robots **sleeps** and **she** likes **herself** .*
- *some **monks** that the girl hears **wait** .*

Verb, pronoun and reflexive agree with the subject in number and gender, over any distance; the nouns between mislead. There are too many sentences to
list, but the grammar is a probabilistic **automaton**: `following` keeps the probability of every state that it can be in after the words so far (the
forward algorithm of hidden Markov models).

**Before you run it:** what can follow *the queen*? And *the queen near the robots*?
"""

# %% tags=["experiment"]
words, language = agreement_words(), agreement_language()
V = len(words)
for start in ("the queen", "the queen near the robots", "some monks that the girl", "the queen near the robots sleeps and", "the king near the robots sleeps and"):
    more = language.following(torch.tensor([[words.index(word) for word in start.split()]]), V)[0, -1]
    best = more.topk(6)
    print(f"{start} ...", ", ".join(f"{words[i]} {p:.3f}" for p, i in zip(best.values.tolist(), best.indices.tolist()) if p > 0))

# %% tags=["numbers"]
begun = language.following(torch.tensor([[words.index(word) for word in "the queen near the robots".split()]]), V)[0, -1]
says("*that* with 0.4", begun[words.index("that")].item())
begun_she, begun_he = (language.following(torch.tensor([[words.index(word) for word in f"the {noun} near the robots sleeps and".split()]]), V)[0, -1] for noun in ("queen", "king"))
claims("with *king* it would be *he*", begun_she[words.index("he")] == 0 == begun_he[words.index("she")] and begun_she[words.index("she")] > 0 < begun_he[words.index("he")])
claims("*sleeps* is", begun[words.index("sleeps")] > 0.2 and begun[words.index("sleep")] == 0)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

After *the queen near the robots* the grammar allows *that* with 0.4, which begins a relative clause, or a verb that agrees with *queen*: *sleeps* is
possible and *sleep* is not. After *sleeps and* it allows *she*; with *king* it would be *he*: the automaton has not forgotten the queen. Even where the
kind of word is known, the word is not. That is the entropy.
</details>

**Exercise 7.** ● `my_gpt` takes no arguments and returns the model that you train and hand in, with new random weights: the grader calls it and loads
your file into what it returns. It has to be a plain `GPT` of lesson 7: the grader compares it on a few sentences with its own model with your weights,
whose loss counts. The vocabulary is `len(agreement_words())`; a sentence is framed by `[CLS]` and `[SEP]`, and has at most 19 tokens. Choose the sizes
as you like, as long as the file has at most 16 MB and the model computes at most ten times as much as with these, which do well: a width of 64, 4 heads,
2 blocks, a feed-forward width of 256 and no dropout.

The check draws new sentences. Up to 0.03 nats above their exact entropy earn full points, and 0.4 none; the solution was 0.0061
nats above it on average over five seeds. Three controls must cost at least 0.1 nats each, and count only below those 0.4: the words before the last one
in another order, those of another sentence, or none of them.

The cell after the exercise trains the model in half a minute of one core and writes `gpt.safetensors`. (After a change of `my_gpt` or of what trains
it, pass `resume=False` once. The dashed curve is the part of the loss that is above the entropy.)

**Before you run it:** knowing nothing costs $\log 75 = 4.3$ nats. After how many of the 1200 steps is the model within 0.1 nats of the entropy?
"""

# %% nbgrader={"grade_id": "my_gpt", "solution": true}
def my_gpt():
    """Return the model whose weights are handed in as gpt.safetensors, with new weights."""
    ### BEGIN SOLUTION Return a GPT for the tokens of the language and at most 19 places, without dropout.
    return GPT(layers.TransformerConfig(kind="decoder", vocab_size=len(agreement_words()), model_width=64, num_heads=4, hidden_width=256,
                                        decoder_blocks=2, max_length=19, dropout=0.0, activation="gelu"))
    ### END SOLUTION

# %% tags=["experiment"]
GPT_SEED, BATCH = 0, 128
ids = framed(draw_sentences(100_000, seed=GPT_SEED))
lengths = (ids != PAD).sum(dim=1)
gpt_batches = [ids[rows, : lengths[rows].max()] for rows in lengths.argsort(stable=True).split(BATCH)]  # short ones together


def gpt_loss(model, ids):
    """Return the mean loss of all next tokens but padding."""
    return next_token_loss(model(ids)[0], ids, pad=PAD)


def entropy_of(sentences):
    """Return the mean of -log of the exact probabilities of all tokens, in nats."""
    exact = language.following(sentences, V)[:, :-1]                                 # (B, 17, V): for each word, given those before it
    return -(exact.gather(2, sentences[..., None]).log().sum() / (framed(sentences)[:, 1:] != PAD).sum()).item()


@torch.no_grad()
def above(model, sentences):
    """Return by how many nats the loss on these sentences is above their entropy."""
    return gpt_loss(model, framed(sentences).to(next(model.parameters()).device)).item() - entropy_of(sentences)


choosers, unseen = draw_sentences(1000, seed=9), draw_sentences(4000, seed=5)        # the first choose the weights, so results are reported on the others
torch.manual_seed(GPT_SEED)
gpt = my_gpt()
history = fit(gpt, gpt_loss, lambda generator: gpt_batches[torch.randint(len(gpt_batches), (), generator=generator)], steps=1200, learning_rate=4e-3,
              warmup=100, train=own_train(), validate=lambda model: above(model, choosers), validate_every=100, seed=GPT_SEED,
              checkpoint="gpt.safetensors", resume=True)
history

# %% nbgrader={"grade_id": "check-my_gpt", "grade": true}
check("my_gpt")

# %% [markdown]
r"""
**Before you run it:** the entropy is the loss of knowing everything. Which words will come near it last?
"""

# %% tags=["experiment"]
plots.show_curves(history.validation_steps, {"above the entropy": history.validation}, "steps", "nats per token", "Pretraining: the gap", logy=True)
gpt.cpu()
gap, lowest = above(gpt, unseen), entropy_of(unseen)
print(f"entropy {lowest:.3f}, GPT {lowest + gap:.3f} nats per token: {gap:.4f} above")
sure = 0.0
for text in ("every queen near the robots sleeps and she likes herself .", "some monks that the girl hears wait ."):
    ids = framed(torch.tensor([[words.index(word) for word in text.split()]]))
    with torch.no_grad():
        P = gpt(ids[:, :-1])[0].softmax(-1)[0]
    right = language.following(ids[:, 1:-1], V)[0]
    sure = max(sure, P[9, words.index("herself")].item()) if len(P) > 9 else sure
    print("\n".join(f"    {words[i]:10} exact {right[n, i]:.3f}, GPT {P[n, i]:.3f}" for n, i in enumerate(ids[0, 1:-1])))

other_subjects = {}
for noun, pronoun in (("queen", "she"), ("king", "he"), ("robot", "it")):
    ids = framed(torch.tensor([[words.index(word) for word in f"every {noun} near the robots sleeps and she likes herself .".split()]]))
    with torch.no_grad():
        P = gpt(ids[:, :-1])[0].softmax(-1)[0]
    other_subjects[noun] = P[7, words.index(pronoun)].item(), P[9, words.index("herself")].item()
    print(f"every {noun} near the robots sleeps and ... {pronoun} {other_subjects[noun][0]:.3f}; ... she likes ... herself {other_subjects[noun][1]:.3f}")

# %% tags=["numbers"]
says("The entropy of these sentences is 1.246 nats per token, and the model is 0.006 above it", lowest, gap)
claims("*herself* is certain", sure > 0.98)
says("0.997 with *king* and with *robot*", min(other_subjects["king"][1], other_subjects["robot"][1]), within=4)
says("at least 0.998", min(chance for chance, _ in other_subjects.values()), within=3)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The entropy of these sentences is 1.246 nats per token, and the model is 0.006 above it. *herself* is certain, eight words after the queen. But that
shows no long memory: *she* is two words before it, and *herself* has still 0.997 with *king* and with *robot* in the place of *queen*. The evidence is
*she* itself, six words after the queen and past the robots: it has at least 0.998, as *he* has after a king and *it* after a robot.
</details>

### Written question 2 (2 points, graded by hand)

- (a) Two models are compared by perplexity: one with 30,000 pieces of words says 25, one with bytes says 2.6. Which is the better model of the text?
  What would you compute before you answer?
- (b) Your model is 0.006 nats per token above the entropy, and its loss on the held-out sentences is higher than on the sentences of another seed. Is
  it overfitted? What does the entropy of each of the two sets say about that?

Write three to six sentences.
"""

# %% [markdown] nbgrader={"grade_id": "written-entropy", "grade": true, "solution": true, "points": 2}
r"""
(a) The numbers cannot be compared: perplexity counts per token, and a token of one is a byte while one of the other is
some four or five bytes. Both have to be brought to the same unit, nats or bits per byte of the same text: $\log_2(25)$
bits divided by the bytes per piece, against $\log_2(2.6) = 1.4$ bits per byte. With 4.6 bytes per piece the first has
$4.64/4.6 = 1.0$ bit per byte and is the better one; with three it would be the worse.

(b) Not necessarily: one set of sentences may simply be harder than the other, with longer or rarer sentences. The exact
probability of each set says how low the loss could be on it. And 0.006 nats above the entropy of new sentences leave
overfitting no room for more than that. Overfitting shows as a larger *distance* from the entropy
on new sentences than on those of the training, not as a higher loss.

=== BEGIN MARK SCHEME ===

- 1 point: (a) perplexities of different tokens cannot be compared, *and* a common unit (bits or nats per byte or
  character, with the number of bytes per token) (half a point for one of the two).
- 1 point: (b) sets can be differently hard, so compare the distances from the entropy of each set (half a point for
  "not necessarily" with another sound reason, such as chance with few sentences). That on new sentences overfitting can
  cost 0.006 nats at most earns the point, too. "Yes, because the loss is higher"
  earns nothing.

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 4 What came of it

Nothing in 4.1 to 4.3 is graded.

### 4.1 Fine-tuning: GPT, 2018

GPT (Radford et al. 2018), trained on over 7,000 books, went on to classify texts (as a recurrent network did in Dai and Le 2015). **Task tokens** were
put around a text: START text EXTRACT, and for two texts START one DELIM other EXTRACT. EXTRACT is last, so its vector in the last block has read the
whole text; one new linear layer makes classes of it. (BERT's `[CLS]` is first, which only works if every token sees every other.) During fine-tuning,
the language model's own loss goes on with half its weight.

Here the task is the subject of a sentence of section 3: *he*, *she*, *it* or *they*? `[SEP]`, at the end, is our EXTRACT. The same model is trained
from the weights of section 3, from scratch, and, because that may simply need more steps, from scratch with four times as many. The rival is a
program that looks up words in the labelled sentences.

**Before you run it:** with how many labelled sentences will all be equally good?
"""

# %% tags=["experiment", "slow"]
class SubjectClassifier(nn.Module):
    """A GPT, and a linear layer on what it says at the last token."""

    def __init__(self, gpt):
        super().__init__()
        self.gpt, self.head = gpt, nn.Linear(gpt.embedding.weight.shape[1], 4)

    def forward(self, ids):
        """Return the scores of the four classes, (B, 4), at [SEP]."""
        Y, _ = self.gpt.decoder(self.gpt.positions(self.gpt.embedding(ids)), causal=True)
        return self.head(Y[torch.arange(len(ids)), (ids == SEP).int().argmax(dim=1)])


def tuned_accuracy(gpt, count, steps=100):
    """Return the share of new sentences whose subject is right, after training with this many labelled ones."""
    classifier = SubjectClassifier(copy.deepcopy(gpt))
    sentences = draw_sentences(count, seed=11)
    ids, classes = framed(sentences), subject_classes(sentences)

    def loss(model, rows):
        return F.cross_entropy(model(ids[rows]), classes[rows]) + 0.5 * gpt_loss(model.gpt, ids[rows])

    fit(classifier, loss, lambda generator: torch.randint(count, (32,), generator=generator), steps=steps, learning_rate=1e-3, warmup=10,
        seed=0, device="cpu", show=False)
    others = draw_sentences(1000, seed=12)
    with torch.no_grad():
        return (classifier(framed(others)).argmax(-1) == subject_classes(others)).float().mean().item()


labels, tuned = (10, 30, 100, 300), {}
for name, start, steps in (("pretrained", gpt, 100), ("from scratch", None, 100), ("from scratch, 400 steps", None, 400)):
    tuned[name] = []
    for count in labels:
        torch.manual_seed(0)
        tuned[name].append(tuned_accuracy(my_gpt() if start is None else start, count, steps))
    print(f"{name:12}", ", ".join(f"{count} labels {share:.1%}" for count, share in zip(labels, tuned[name])))


def pronouns_of(sentences):
    """Return the pronoun (B,) that stands in each sentence, PAD where none does."""
    pronouns = torch.tensor([words.index(word) for word in ("he", "she", "it", "they")])
    return torch.where(torch.isin(sentences, pronouns), sentences, PAD).amax(dim=1)


def looked_up(count):
    """Return the share for a program that looks up the pronoun in the sentence, or else the subject, among the labelled ones."""
    known, others, table = draw_sentences(count, seed=11), draw_sentences(1000, seed=12), torch.zeros(V, 4)
    subjects, other_subjects = (rows[word_tags(rows) == TAGS.index("subject")] for rows in (known, others))
    for keys in (subjects, pronouns_of(known)):
        table.index_put_((keys, subject_classes(known)), torch.ones(()), accumulate=True)
    table[PAD] = 0
    keys = torch.where(table[pronouns_of(others)].sum(dim=1) > 0, pronouns_of(others), other_subjects)
    table += 0.01 * subject_classes(known).bincount(minlength=4) / count             # the most frequent class, for what was never seen
    return (table[keys].argmax(dim=1) == subject_classes(others)).float().mean().item()


tuned["looked up"] = [looked_up(count) for count in labels]
stands = (pronouns_of(draw_sentences(1000, seed=12)) != PAD).float().mean().item()
print("looked up   ", ", ".join(f"{count} labels {share:.1%}" for count, share in zip(labels, tuned["looked up"])), f"; a pronoun stands in {stands:.0%} of the sentences")
plots.show_curves(labels, tuned, "labelled sentences", "right subjects", "Fine-tuning with a task token", logx=True);

# %% tags=["numbers"]
says("73 % with 10 labelled sentences, 90 % with 30 and 100 % with 100", tuned["pretrained"][0], 10, tuned["pretrained"][1], 30, tuned["pretrained"][2], 100, within=4, whole=True)
says("with 400 they come to 51 %, 82 % and 100 %", 400, *tuned["from scratch, 400 steps"][:3], within=5, whole=True)
says("In 58 % of these sentences", stands)
says("gets 78 %, 98 % and 100 %", *tuned["looked up"][:3])
says("from scratch 41 %, 69 % and 93 %", *tuned["from scratch"][:3], within=5, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Pretrained, the model is right in 73 % with 10 labelled sentences, 90 % with 30 and 100 % with 100; from scratch 41 %, 69 % and 93 %. A part of the
difference is only that a hundred steps are few for new weights: with 400 they come to 51 %, 82 % and 100 %. The rest is what pretraining saves in
labels, for this model, in one run of each. In 58 % of these sentences the pronoun itself stands, as in *and she likes herself*. A program that looks up
that pronoun, or else the subject, among the labelled sentences gets 78 %, 98 % and 100 %.
</details>

### 4.2 A few shots: GPT-3, 2020

GPT-3's authors stopped fine-tuning. They wrote the task into the prompt: no example, one or a few (**zero-shot**, **one-shot**, **few-shot**), and then
the question. We can ask our model of section 2 in this way as well. The task is a secret code: a permutation $f$ of the 8 tokens. The prompt is
$x_1 f(x_1) \; x_2 f(x_2) \dots$ and ends with a query $x$; what is $f(x)$? The model has never seen such a prompt.

In one kind of prompt the query is among the examples, and its answer can be copied; in the other it is *new*, as GPT-3's queries are. (Even then,
$f(x)$ is none of the answers given to other tokens, and with all seven of them it would be certain.)

**Before you run it:** with $n$ examples, of which one is the query's, how often will it be right? Do more examples help once the query's own is there?
And if the query is new?
"""

# %% tags=["experiment"]
shots = (0, 1, 2, 4, 8, 16, 31)
generator, right = torch.Generator().manual_seed(4), {name + more: [] for more in ("", ", new query") for name in ("two blocks", "one block", "counts")}
for n, more in [(n, more) for more in ("", ", new query") for n in shots]:
    codes = torch.rand(2000, STATES, generator=generator).argsort(dim=1)             # a permutation for each prompt
    asked = torch.randint(STATES, (2000, n + 1), generator=generator)
    if more:
        asked[:, :-1] = (asked[:, -1:] + torch.randint(1, STATES, (2000, n), generator=generator)) % STATES  # none is the query
    elif n:
        asked[:, -1] = asked.gather(1, torch.randint(n, (2000, 1), generator=generator))[:, 0]  # one of the examples is asked for
    prompt = torch.stack((asked, codes.gather(1, asked)), dim=2).flatten(1)[:, :-1]  # the last answer is missing
    answer = codes.gather(1, asked[:, -1:])[:, 0]
    with torch.no_grad():
        guesses = {name: model(prompt)[0][:, -1].argmax(-1) for name, model in learners.items()}
    guesses["counts"] = predict_by_counts(prompt, STATES, ALPHA)[:, -1].argmax(-1)
    for name, guess in guesses.items():
        right[name + more].append((guess == answer).float().mean().item())
for name, values in right.items():
    print(f"{name:21}", ", ".join(f"{n}: {share:.0%}" for n, share in zip(shots, values)))
plots.show_curves(shots, right, "examples in the prompt", "right answers", "Few shots");

# %% tags=["numbers"]
says("Without an example the model guesses, 14 % where chance is one in eight", right["two blocks"][0], within=3)
says("it is right in 100 % of all prompts, with four in 84 %, and with 31 in 95 %", right["two blocks"][1], right["two blocks"][3], 31, right["two blocks"][-1], within=4)
says("84 % become 86 % and 95 % become 97 %", right["two blocks"][3], right["counts"][3], right["two blocks"][-1], right["counts"][-1], within=4)
says("8 % with one example, 11 % with four and 14 % with 31", *(right["two blocks, new query"][i] for i in (1, 3, 6)), 31, within=4)
says("The counts have 12 %, 11 % and 13 %", *(right["counts, new query"][i] for i in (1, 3, 6)), within=4)
says("falls from 59 % to 22 %", right["one block"][1], right["one block"][-1], within=4)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without an example the model guesses, 14 % where chance is one in eight. With one example it is right in 100 % of all prompts, with four in 84 %, and
with 31 in 95 %. The best predictor for Markov chains has the dip as well (84 % become 86 % and 95 % become 97 %), because counts take the pairs between
two examples for examples, until the true ones are frequent enough. With one block, the share of right answers falls from 59 % to 22 %.

With a new query nothing is left of it: 8 % with one example, 11 % with four and 14 % with 31, where nearly always all seven other answers are there and
the eighth would be certain. The counts have 12 %, 11 % and 13 %: chains teach no more than to look up and copy. GPT-3's few shots ask for more: what
the examples have in common. Our induction heads cannot explain that.
</details>

### 4.3 Larger

Between 2017 and 2020 much of the progress was this: the same blocks, more of them, on more text.

| model | blocks | width | heads | parameters | text | training |
|---|---|---|---|---|---|---|
| Transformer-Base (Vaswani et al. 2017) | 6 + 6 | 512 | 8 | 65M | | 8 × P100, 12 hours |
| BERT-Large (Devlin et al. 2019) | 24 | 1024 | 16 | 340M | 13 GB | 16 Cloud TPUs, 4 days |
| GPT-2 XL (Radford et al. 2019) | 48 | 1600 | 25 | 1.5B | 40 GB | not published |
| Megatron-LM (Shoeybi et al. 2019) | 72 | 3072 | 32 | 8.3B | 174 GB | 512 V100, 9 days |
| GPT-3 (Brown et al. 2020) | 96 | 12,288 | 96 | 175B | 300B tokens | $3.14 \cdot 10^{23}$ operations |

A Transformer of $P$ parameters needs about $6P$ operations for each training token, two for each weight forwards, four backwards (Kaplan et al. 2020).
For GPT-3 that is $6 \cdot 175 \cdot 10^9 \cdot 300 \cdot 10^9 = 3.15 \cdot 10^{23}$: 357 years of one V100 with 28 of its 125 teraflops in use.
"""

# %% [markdown]
r"""
### 4.4 From a predictor to an assistant (optional)

A pretrained model continues a text as its training texts would go on. An assistant answers. Two more stages turn the one into the other (Ouyang
et al. 2022), and both are small compared with pretraining:

1. **Supervised fine-tuning** (SFT): the same loss, on some ten thousand prompts with the answers that people wrote.
2. **Preferences**: people see two answers $y_w$ and $y_l$ of the model and say which is better. In **RLHF** a *reward model* $r$ learns to predict
   that, $P(y_w \succ y_l) = \sigma(r(y_w) - r(y_l))$ (Bradley and Terry 1952), and the model $\pi$ is trained by reinforcement learning (PPO) for a
   high reward, while it stays near the model $\pi_0$ with which it began.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (text of the web) | (demonstrations) | (pairs: which is better?)
    p = [pretraining] | f = [supervised fine-tuning] | d = [RLHF or DPO]
    (base model) | (instruction model) | (assistant)
    text of the web -> p
    demonstrations -> f
    pairs -> d
    p -> base model
    f -> instruction model
    d -> assistant
    base model -> f
    instruction model -> d
""", title="Three stages");

# %% [markdown]
r"""
What is the best that can come out of the second stage? Take one prompt. The model that maximises
$\mathbb{E}_\pi[r(y)] - \beta \operatorname{KL}(\pi \,\|\, \pi_0)$ is known:

$$\pi^*(y) \propto \pi_0(y) \, e^{r(y)/\beta} \qquad \Rightarrow \qquad r(y) = \beta \log \frac{\pi^*(y)}{\pi_0(y)} + \text{const}$$

So a model *is* a reward. Put that into the probability of a preference, and the constant cancels: no reward model and no reinforcement
learning is left, only a loss on pairs. This is **direct preference optimisation** (DPO; Rafailov et al. 2023, equation 7):

$$L = -\log \sigma\Big(\beta \log \frac{\pi(y_w)}{\pi_0(y_w)} - \beta \log \frac{\pi(y_l)}{\pi_0(y_l)}\Big)$$

**Exercise 8 (optional).** ● Write `dpo_loss`. The log-probabilities of whole answers, summed over their tokens, come ready-made. Differences may be
large, as those of long answers are: the loss of a pair is right for any.

<details><summary>Hint</summary>

What is the loss while the model still is its own reference? And what is $\log \sigma(-1000)$ in float32? See `F.logsigmoid`.
</details>
"""

# %% nbgrader={"grade_id": "dpo_loss", "solution": true}
def dpo_loss(chosen, rejected, reference_chosen, reference_rejected, beta):
    """Return the mean DPO loss of B pairs: one number.

    All four are (B,): the log-probabilities of the better and the worse answers, under the model and under the reference.
    Raises ValueError unless beta is above 0.
    """
    ### BEGIN SOLUTION Compare how far the model has moved to the chosen and to the rejected answers.
    if beta <= 0:
        raise ValueError(f"Expected beta above 0, got {beta}.")
    margin = (chosen - reference_chosen) - (rejected - reference_rejected)
    return -F.logsigmoid(beta * margin).mean()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-dpo_loss", "grade": true}
check("dpo_loss")

# %% [markdown]
r"""
Our model of section 3 writes sentences. Suppose people like sentences about *many*: the reward is 1 for a plural subject, else 0, and they choose
between two sentences as Bradley and Terry say, so often also the other one. Without any training, half of its sentences have a plural subject,
$p = 0.50$. The best possible model has

$$p^* = \frac{p \, e^{1/\beta}}{p \, e^{1/\beta} + 1 - p}$$

of them, and its grammar is as good as before: nothing but the subject was rewarded. Three controls: SFT on the chosen sentences; DPO with the loss
of SFT added; and no training at all, but a sieve that keeps a sentence of the old model with probability $e^{(r - 1)/\beta}$.

**Before you run it:** will the model reach $p^*$ for $\beta = 2, 1, 0.5, 0.2$? And what happens to its grammar?
"""

# %% tags=["experiment", "slow"]
def sentence_log_probs(model, ids):
    """Return the log-probabilities (B,) of whole sentences, framed and padded, ids (B, N)."""
    of_next = model(ids[:, :-1])[0].log_softmax(-1).gather(2, ids[:, 1:, None])[..., 0]
    return (of_next * (ids[:, 1:] != PAD)).sum(dim=1)


@torch.no_grad()
def written(model, count, generator):
    """Return sentences (count, 17) that the model writes."""
    ids, done = torch.full((count, 19), PAD), torch.zeros(count, dtype=torch.bool)
    ids[:, 0] = framed(draw_sentences(1, seed=0))[0, 0]                              # [CLS]
    for place in range(1, 19):
        drawn = torch.multinomial(model(ids[:, :place])[0][:, -1].softmax(-1), 1, generator=generator)[:, 0]
        ids[:, place] = torch.where(done, PAD, drawn)
        done |= drawn == SEP
    return torch.where(ids == SEP, PAD, ids)[:, 1:-1]


@torch.no_grad()
def judged(model, count=2000):
    """Return the shares of its sentences that have a plural subject, and that the grammar allows; and the change of log P of both kinds of sentences."""
    sentences = written(model, count, torch.Generator().manual_seed(9))
    allowed = language.log_probability(F.one_hot(sentences, V).double()).isfinite()
    moved = [(sentence_log_probs(model, side[:1000]) - side_before[:1000]).mean().item() for side, side_before in zip((better, worse), references)]
    return (subject_classes(sentences) == 3).float().mean().item(), allowed.float().mean().item(), *moved


either = [draw_sentences(10_000, seed=seed) for seed in (21, 22)]
rewards = [(subject_classes(sentences) == 3).float() for sentences in either]
first_wins = torch.rand(10_000, generator=torch.Generator().manual_seed(3)) < torch.sigmoid(rewards[0] - rewards[1])
better, worse = (framed(torch.where(wins[:, None], *either)) for wins in (first_wins, ~first_wins))
with torch.no_grad():
    references = [torch.cat([sentence_log_probs(gpt, ids) for ids in side.split(1000)]) for side in (better, worse)]


def preferred(beta=None, with_sft=0.0, steps=150):
    """Return the judgement after training with DPO, with so much of the loss of SFT added, or with SFT alone if beta is None."""
    model = copy.deepcopy(gpt)

    def loss(model, rows):
        if beta is None:
            return gpt_loss(model, better[rows])
        log_probs = [sentence_log_probs(model, side[rows]) for side in (better, worse)]
        return dpo_loss(*log_probs, *(side[rows] for side in references), beta) - with_sft * log_probs[0].mean()

    fit(model, loss, lambda generator: torch.randint(len(better), (64,), generator=generator), steps=steps, learning_rate=1e-3, warmup=10,
        seed=0, device="cpu", show=False)
    return judged(model)


often = torch.cat(rewards).mean().item()
after = {"as it was": judged(gpt), "SFT": preferred()}
after |= {beta: preferred(beta) for beta in (2.0, 1.0, 0.5, 0.2)}
after["DPO, 0.2 + SFT"] = preferred(0.2, with_sft=0.1)
old = written(gpt, 2000, torch.Generator().manual_seed(9))
plural_before, fine_before = subject_classes(old) == 3, language.log_probability(F.one_hot(old, V).double()).isfinite()
sieved = {}
for beta in (2.0, 1.0, 0.5, 0.2):
    kept = torch.where(plural_before, 1.0, math.exp(-1 / beta))                      # how probably the sieve keeps each sentence
    sieved[beta] = ((kept * plural_before).sum() / kept.sum()).item(), ((kept * fine_before).sum() / kept.sum()).item()
    print(f"sieve, beta {beta}: plural subjects {sieved[beta][0]:.0%}, grammatical {sieved[beta][1]:.0%}; it keeps {kept.mean():.0%}")
best_shares = {beta: often * math.exp(1 / beta) / (often * math.exp(1 / beta) + 1 - often) for beta in (2.0, 1.0, 0.5, 0.2)}
for name, (plural, grammatical, up, down) in after.items():
    print(f"{name if isinstance(name, str) else f'DPO, beta {name}':14} plural subjects {plural:.0%}{f' (the best possible: {best_shares[name]:.0%})' if name in best_shares else '':25} "
          f"grammatical {grammatical:.0%}; log P of the chosen {up:+.2f}, of the rejected {down:+.2f}")

# %% tags=["numbers"]
says("$p = 0.50$", often)
says("61 %, 72 %, 87 % and 99 % where 62 %, 73 %, 88 % and 99 % are the best", *(after[beta][0] for beta in best_shares), *best_shares.values(), within=3, whole=True)
says("from 96 % to 93 %, 93 %, 94 % and 72 %", after["as it was"][1], *(after[beta][1] for beta in best_shares), within=8, whole=True)
says("With $\\beta = 0.2$ their log-probability falls by 1.7", 0.2, -after[0.2][2], within=6, whole=True)
claims("chosen sentences become *less* probable, too", all(after[beta][2] < 0 for beta in best_shares), whole=True)
says("SFT has 60 % plural subjects (among the chosen sentences they are 62 %), and 97 % of its sentences are grammatical", after["SFT"][0],
     torch.where(first_wins, *rewards).mean().item(), after["SFT"][1], within=3, whole=True)
says("With $\\beta = 0.2$ and a tenth of that loss, 78 % of the subjects are plural, and 97 % of the sentences grammatical", 0.2,
     *after["DPO, 0.2 + SFT"][:2], within=6, whole=True)
says("has 99 % plural subjects for $\\beta = 0.2$, with 97 % grammatical", sieved[0.2][0], 0.2, sieved[0.2][1], within=2, whole=True)
claims("throws half of the sentences away", abs(kept.mean().item() - 0.5) < 0.05, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

DPO comes near the best possible share for every $\beta$: 61 %, 72 %, 87 % and 99 % where 62 %, 73 %, 88 % and 99 % are the best. But it does not come
near the best possible *model*. Grammatical sentences fall from 96 % to 93 %, 93 %, 94 % and 72 %, though nobody preferred bad grammar. The loss sees
only the difference of two sentences: chosen sentences become *less* probable, too, if rejected ones lose more. With $\beta = 0.2$ their log-probability
falls by 1.7. What they lose goes to sentences that are in no pair, and many of those are ungrammatical. SFT has 60 % plural subjects (among the chosen
sentences they are 62 %), and 97 % of its sentences are grammatical: it can copy the choices, not exaggerate them. In practice one therefore watches
what was *not* rewarded, keeps $\beta$ large, or adds some of the SFT loss. With $\beta = 0.2$ and a tenth of that loss, 78 % of the subjects are
plural, and 97 % of the sentences grammatical: the grammar is saved at the price of a part of the reward.

The sieve needs no training, and has 99 % plural subjects for $\beta = 0.2$, with 97 % grammatical: the best possible model. Its price is that it
needs the reward of each sentence, and throws half of the sentences away.
</details>
"""

# %% [markdown]
r"""
### 4.5 The same in a model that others trained (optional)

What section 2 found, it found in a model of two blocks that was made for it. Does it hold in one that others trained for other purposes? **SmolLM2**
(Ben Allal et al. 2025) has 135 million weights in 30 blocks of 9 heads, and has read two trillion tokens, mostly of the web. In a terminal,
`autograder models get smollm2` fetches it (98 MB, 4 bits a weight, and already fine-tuned to follow instructions;
`pip install "attention-course[models]"` first). Without it, everything below runs on a small *random* checkpoint, and means nothing. Its architecture is
that of lesson 15; here it is ready-made. The cells take about three minutes.

1. **Copying.** 32 random tokens, and then the same 32 again: the second half can be predicted only from the first. Your `induction_score` looks for the
   heads, and those above 0.5 are switched off. The controls: as many other heads, drawn from all blocks or from the same ones; and what the same heads
   are worth on ordinary English.
2. **Markov chains**, as in section 2.1: eight sequences of 257, and of the model's probabilities only those of the eight states. Nothing in a chain
   depends on what its states are called, so they are called by letters, then by digits, then by words. The controls: the best possible, and a count of
   *how frequent* each state has been, whatever came before it.
3. **A few shots with a new query**: lines such as `France: Paris`, and then a country that is not among them. The control has wrong answers: each example
   has the capital of the next one (Min et al. 2022). And again without the induction heads, and without all heads that have a score above 0.1.
"""

# %% tags=["experiment"]
predict("heads of the world", "The heads of SmolLM2 with an induction score above 0.5 are switched off. What does it cost?",
        ["copying, and as much in English", "copying, and next to nothing in English", "next to nothing in either: other heads do it, too"])

# %% tags=["experiment", "slow"]
smol = pretrained_or_random("smollm2")
world = layers.load_modern(smol.state_dict, smol.config).float().eval()
smol.state_dict.clear()                                                          # 0.3 GB that are not needed any more
blocks, heads_of_world, width_of_head = smol.config["num_hidden_layers"], smol.config["num_attention_heads"], smol.config["head_dim"]


@contextlib.contextmanager
def without_heads(heads):
    """Set to 0 what W_O makes of these heads of `world`, (block, head), for as long as this lasts."""
    kept = {block: world.blocks[block].attention.W_O.weight.clone() for block, _ in heads}
    try:
        with torch.no_grad():
            for block, head in heads:
                world.blocks[block].attention.W_O.weight[:, head * width_of_head:(head + 1) * width_of_head] = 0
        yield
    finally:
        with torch.no_grad():
            for block, weight in kept.items():
                world.blocks[block].attention.W_O.weight.copy_(weight)


@torch.no_grad()
def token_losses(ids):
    """Return -log P of each token but the first, (B, N - 1)."""
    some = [F.cross_entropy(world(rows)[0][:, :-1].transpose(1, 2), rows[:, 1:], reduction="none") for rows in ids.split(2)]
    return torch.cat(some)


generator = torch.Generator().manual_seed(0)
once = [torch.randint(min(100, smol.config["vocab_size"] // 2), smol.config["vocab_size"], (8, 32), generator=generator) for _ in range(2)]
searched, tested = (torch.cat((ids, ids), dim=1) for ids in once)                      # heads are found in one half, and tested in the other
with torch.no_grad():
    attention = world(searched, need_weights=True)[2]
world_scores = torch.stack([induction_score(A, searched) for A in attention])
looking_back = torch.stack([A.diagonal(-1, 2, 3).mean(dim=(0, 2)) for A in attention])
del attention
copying = [tuple(place) for place in (world_scores > 0.5).nonzero().tolist()]
alike = torch.ones(8, 1, 64, 64).tril()
alike = induction_score(alike / alike.sum(dim=3, keepdim=True), searched).item()
print("score above 0.5, as (block, head):", {place: round(world_scores[place].item(), 2) for place in copying}, f"of {blocks * heads_of_world} heads; looking at all alike: {alike:.2f}")
previous_token = [tuple(place) for place in (looking_back > 0.5).nonzero().tolist()]
print("more than half of the weight on the previous token:", previous_token)

others = [(block, head) for block in range(blocks) for head in range(heads_of_world) if (block, head) not in copying]
beside = [(block, head) for block, head in others if any(block == one for one, _ in copying)]
sets = {"none": [], "induction": copying, "previous token": previous_token}
for name, choice in (("from all blocks", others), ("from the same blocks", beside)):
    sets |= {f"{name}, {n + 1}": [choice[i] for i in torch.randperm(len(choice), generator=generator)[:len(copying)].tolist()] for n in range(3)}
english = " ".join(paragraph for document in python_english("held_out") for paragraph in document.paragraphs)[:2000]
english = torch.tensor([smol.tokenizer.encode(english).ids[:384]])
copy_loss, english_loss = {}, {}
for name, heads in sets.items():
    with without_heads(heads):
        copy_loss[name], english_loss[name] = token_losses(tested)[:, 32:].mean().item(), token_losses(english).mean().item()
    print(f"heads off: {name:23} loss of the second half {copy_loss[name]:5.2f}, of English {english_loss[name]:.2f}")
came_out("heads of the world", "next to nothing in either: other heads do it, too" if copy_loss["induction"] < 1.5 * copy_loss["none"]
         else "copying, and next to nothing in English" if english_loss["induction"] < 1.1 * english_loss["none"] else "copying, and as much in English")

# %% tags=["experiment"]
called = {"letters": [f" {letter}" for letter in "abcdefgh"], "digits": list("01234567"),
          "words": [" river", " seven", " Monday", " green", " table", " music", " Peter", " cold"]}
called = {name: torch.tensor([smol.tokenizer.encode(text).ids[-1] for text in texts]) for name, texts in called.items()}
long_chains, _ = draw_chains(8, 257, torch.Generator().manual_seed(999), STATES, ALPHA)
so_far = F.one_hot(long_chains[:, :-1], STATES).cumsum(dim=1) + ALPHA


def end_of_context(probabilities):
    """Return the loss over the last 16 places."""
    return -probabilities.gather(2, long_chains[:, 1:, None])[:, -LAST:].log().mean().item()


best_there = end_of_context(predict_by_counts(long_chains[:, :-1], STATES, ALPHA))
chain_loss = {"how frequent": end_of_context(so_far / so_far.sum(dim=2, keepdim=True)), "guessing": math.log(STATES)}
for signs, states in called.items():
    for name, heads in (("", []), (" without the induction heads", copying), (" without as many others", sets["from the same blocks, 1"])):
        with without_heads(heads), torch.no_grad():
            logits = torch.cat([world(ids)[0][..., states] for ids in states[long_chains[:, :-1]].split(2)])
        chain_loss[signs + name] = end_of_context(logits.softmax(dim=2))
print("times the best:", ", ".join(f"{name} {value / best_there:.2f}" for name, value in chain_loss.items()))

# %% tags=["experiment"]
CAPITALS = dict(pair.split(":") for pair in (
    "France:Paris Italy:Rome Spain:Madrid Germany:Berlin Japan:Tokyo China:Beijing Russia:Moscow Egypt:Cairo Greece:Athens Turkey:Ankara Poland:Warsaw "
    "Austria:Vienna Hungary:Budapest Portugal:Lisbon Norway:Oslo Sweden:Stockholm Finland:Helsinki Denmark:Copenhagen Ireland:Dublin Cuba:Havana "
    "Peru:Lima Chile:Santiago Kenya:Nairobi Iran:Tehran Iraq:Baghdad India:Delhi Thailand:Bangkok Vietnam:Hanoi").split())


@torch.no_grad()
def share_of_capitals(examples, wrong=False):
    """Return how often the first token of the capital is the most probable one, over two prompts for each country."""
    generator, right = torch.Generator().manual_seed(0), []
    for _ in range(2):
        rows, answers = [], []
        for country, capital in CAPITALS.items():
            others = [name for name in CAPITALS if name != country]
            shown = [others[i] for i in torch.randperm(len(others), generator=generator)[:examples].tolist()]
            told = [CAPITALS[name] for name in (shown[1:] + shown[:1] if wrong else shown)]
            prompt = "".join(f"{name}: {answer}\n" for name, answer in zip(shown, told)) + f"{country}:"
            rows.append(torch.tensor(smol.tokenizer.encode(prompt).ids))
            answers.append(smol.tokenizer.encode(" " + capital).ids[0])
        for at in range(0, len(rows), 7):
            some = rows[at:at + 7]
            last = torch.tensor([len(row) - 1 for row in some])                       # what fills up the rows comes after it, and is not seen
            logits = world(nn.utils.rnn.pad_sequence(some, batch_first=True))[0][torch.arange(len(some)), last]
            right += (logits.argmax(dim=1) == torch.tensor(answers[at:at + 7])).tolist()
    return sum(right) / len(right)


world_shots, capitals = (0, 1, 2, 4, 8), {}
weaker = [tuple(place) for place in (world_scores > 0.1).nonzero().tolist()]
beside = [(block, head) for block, head in others if (block, head) not in weaker and any(block == one for one, _ in weaker)]
for name, heads, wrong in (("SmolLM2", [], False), ("wrong answers in the examples", [], True), ("without the induction heads", copying, False),
                           ("without scores above 0.1", weaker, False)):
    with without_heads(heads):
        capitals[name] = [share_of_capitals(n, wrong) for n in world_shots]
    print(f"{name:29}", ", ".join(f"{n}: {share:.0%}" for n, share in zip(world_shots, capitals[name])))
without_others, generator = [], torch.Generator().manual_seed(1)
for _ in range(3):
    with without_heads([beside[i] for i in torch.randperm(len(beside), generator=generator)[:len(weaker)].tolist()]):
        without_others.append(share_of_capitals(world_shots[-1]))
print(f"without {len(weaker)} others of the same blocks, three times, {world_shots[-1]}:", ", ".join(f"{share:.0%}" for share in without_others))
plots.show_curves(world_shots, capitals, "examples in the prompt", "right capitals", "Few shots, new query")

# %% tags=["numbers"]
if smol.random:
    given("7 of its 270 heads have a score above 0.5", "from 0.51 to 0.90; looking at all alike, 0.02", "from 2.7 to 11.4 nats")
    given("(2.5 to 3.0)", "(5.2 and 8.6)", "the 8 heads that put more than half")
    given("it is 11.0", "3.68 becomes 3.75, and 3.71 to 3.77", "1.70 after 256 with letters, 1.53 with digits and 2.50 with words")
    given("has 2.00, and guessing 2.23", "it has 2.49, 2.00 and 3.05", "others, 1.71, 1.54 and 2.34")
    given("0 % without an example, 41 % with one, 88 % with eight", "32 % and 88 % without", "still 79 %", "the 21 heads with scores above 0.1 it is 21 %",
          "of the same blocks leave 29 %, 71 % and 88 %")
else:
    others_loss = {name: [copy_loss[f"{name}, {n}"] for n in (1, 2, 3)] for name in ("from all blocks", "from the same blocks")}
    others_english = [value for name, value in english_loss.items() if name.startswith("from")]
    says("7 of its 270 heads have a score above 0.5", len(copying), blocks * heads_of_world, 0.5)
    says("from 0.51 to 0.90; looking at all alike, 0.02", min(world_scores[place].item() for place in copying), world_scores.max().item(), alike, within=2)
    claims("all in the blocks 17, 18 and 23", {block for block, _ in copying} == {17, 18, 23})
    says("from 2.7 to 11.4 nats", copy_loss["none"], copy_loss["induction"], within=3)
    says("(2.5 to 3.0)", min(others_loss["from the same blocks"]), max(others_loss["from the same blocks"]), within=3)
    says("(5.2 and 8.6)", *sorted(others_loss["from all blocks"])[1:], within=3)
    says("the 8 heads that put more than half", len(previous_token))
    says("it is 11.0", copy_loss["previous token"], within=3)
    says("3.68 becomes 3.75, and 3.71 to 3.77", english_loss["none"], english_loss["induction"], min(others_english), max(others_english), within=2)
    chain_times = {name: value / best_there for name, value in chain_loss.items()}
    says("1.70 after 256 with letters, 1.53 with digits and 2.50 with words", chain_times["letters"], long_chains.shape[1] - 1, chain_times["digits"],
         chain_times["words"], within=3)
    says("has 2.00, and guessing 2.23", chain_times["how frequent"], chain_times["guessing"], within=2)
    says("it has 2.49, 2.00 and 3.05", *(chain_times[f"{signs} without the induction heads"] for signs in called), within=4)
    says("others, 1.71, 1.54 and 2.34", *(chain_times[f"{signs} without as many others"] for signs in called), within=4)
    says("0 % without an example, 41 % with one, 88 % with eight", *(capitals["SmolLM2"][n] for n in (0, 1, 4)), within=4)
    says("32 % and 88 % without", *(capitals["without the induction heads"][n] for n in (1, 4)), within=4)
    says("still 79 %", capitals["wrong answers in the examples"][4], within=4)
    says("the 21 heads with scores above 0.1 it is 21 %", len(weaker), 0.1, capitals["without scores above 0.1"][4], within=4)
    says("of the same blocks leave 29 %, 71 % and 88 %", *sorted(without_others), within=4)
given("all in the blocks 17, 18 and 23", "1.02 times the best after 64", "half of 56 prompts is uncertain by 13 points", "log 49,152 is 10.8")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* none of this is there. With SmolLM2:

**The circuit is there.** 7 of its 270 heads have a score above 0.5 (from 0.51 to 0.90; looking at all alike, 0.02), all in the blocks 17, 18 and 23. Without
them the loss of the second half rises from 2.7 to 11.4 nats, a guess among all tokens (log 49,152 is 10.8). As many other heads of the same blocks cost next to
nothing (2.5 to 3.0). But two of the three sets that are drawn from all blocks cost much (5.2 and 8.6), so copying needs more than these 7. One part
has a name: without the 8 heads that put more than half of their weight on the previous token it is 11.0. English hardly notices the induction heads: 3.68
becomes 3.75, and 3.71 to 3.77 without as many others.

**The chains are learned badly.** Our model of two blocks ended at 1.02 times the best after 64 tokens. SmolLM2 has 1.70 after 256 with letters, 1.53
with digits and 2.50 with words, though the chains are the same. Counting how frequent each state was has 2.00, and guessing 2.23: with words it is
worse than a guess. From the letters alone we would have concluded that it beats these counts. The induction heads do help: without them
it has 2.49, 2.00 and 3.05; without as many others, 1.71, 1.54 and 2.34.

**Whether the few shots need them remains open.** Of the capitals it names 0 % without an example, 41 % with one, 88 % with eight; 32 % and 88 % without
the induction heads. But without the 21 heads with scores above 0.1 it is 21 % with eight. Three sets of as many others of the same blocks leave 29 %,
71 % and 88 %, so this may be plain damage. With wrong answers in the examples it is still 79 %. (A share of half of 56 prompts is uncertain by 13
points.) So here the examples mostly show what *kind* of answer is asked for, and the capitals are in the weights.

That is one model, and heads set to 0. It is less than "this is how language models learn in context".
</details>
"""

# %% [markdown]
r"""
## 5 What to take along

- A loss below the possible is a leak. So know what is possible: an entropy, or counts that Bayes' rule makes the best.
- A model can learn from its context without a change of its weights. Here it does so by copying, with two heads in a row. Switching a head off can show
  whether the output depends on it; a picture cannot.
- What holds in a small model is a question to ask of a large one, not an answer about it.

### Sources

J. Johnson, *Attention*, lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and Transformers*, CS 4644/7643. Y. Yao,
*Attention, Transformer, and BERT*, HKUST. S. Hochreiter, J. Schmidhuber, *Long short-term memory*, Neural Computation 9, 1997. A. Dai, Q. Le,
*Semi-supervised sequence learning*, NeurIPS 2015. A. Vaswani et al., *Attention is all you need*, NeurIPS 2017. M. Peters et al., *Deep contextualized
word representations*, NAACL 2018. A. Radford et al., *Improving language understanding by generative pre-training*, 2018. J. Devlin et al., *BERT*,
NAACL 2019. A. Radford et al., *Language models are unsupervised multitask learners*, 2019. M. Shoeybi et al., *Megatron-LM*, 2019. J. Kaplan et al.,
*Scaling laws for neural language models*, 2020. T. Brown et al., *Language models are few-shot learners*, NeurIPS 2020. N. Elhage et al., *A
mathematical framework for Transformer circuits*, 2021. C. Olsson et al., *In-context learning and induction heads*, 2022. L. Ouyang et al., *Training
language models to follow instructions with human feedback*, NeurIPS 2022. R. Bradley, M. Terry, *Rank analysis of incomplete block designs*, Biometrika
39, 1952. R. Rafailov et al., *Direct preference optimization: your language model is secretly a reward model*, NeurIPS 2023. B. Edelman et al., *The
evolution of statistical induction heads: in-context learning Markov chains*, NeurIPS 2024. S. Min et al., *Rethinking the role of demonstrations: what
makes in-context learning work?*, EMNLP 2022. L. Ben Allal et al., *SmolLM2: When smol goes big*, 2025. L. Rabiner, *A tutorial on hidden Markov
models*, Proceedings of the IEEE 77, 1989.
"""
