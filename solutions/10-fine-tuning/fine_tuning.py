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
# 10 Fine-tuning

Lesson 9 trained an encoder on text without labels. What is it worth when labels are few? You put **heads** on it, train
them on 8 to 128 labelled sentences, and compare with the same model from scratch, with a frozen encoder, and with
programs that only look up. Then an encoder that others trained on real text runs in your own code.

| section | the one change | exercise |
|---|---|---|
| 1 | three heads | `SequenceClassifier`, `TokenTagger`, `SpanHead`, `best_span` |
| 2 | few labels, with and without pretraining | |
| 3 | a question and its answer | |
| 4 | weights that others trained, in your own encoder | `our_name`, `PretrainedEncoder`, `mean_pooling` |

**Before you begin.** You need sections 1 to 4 of lesson 9: its language and its encoder are used here. Exercises 4 and 6
are the hardest. Plan about three hours.

## How this notebook works

- Run the cells from top to bottom, replace each `raise NotImplementedError(...)`, and run the **check** below the
  exercise as often as you like.
- ●: a few lines. ●●: think about shapes or a formula first, a quarter of an hour.
- Answer the question before each experiment (clicks are never graded); then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype (float64 in, float64 out), leaves its
  arguments unchanged, accepts any memory layout, lets gradients through and works for a batch of one.
- The layers of lessons 3 and 4 are ready-made in `course_lib.layers`, and so are `BertEncoder` and `MaskedLanguageModel`
  of lesson 9; use them.
- You hand in this notebook.

**Notation.** Code uses the same letters.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $N$ | `B`, `N` | sequences in a batch, tokens in a sequence | batch size, sequence length |
| – | `ids`, `(B, N)` | token ids; the first five are special: `[PAD]` 0, `[UNK]`, `[CLS]`, `[SEP]`, `[MASK]` | `input_ids` |
| $Y$ | `Y`, `(B, N, D)` | one vector for each token, after the encoder | last hidden state, contextual embeddings |
| – | `allowed` | mask; **True means "the answer may lie here"** | the opposite of `p_mask` |
| – | `start`, `end`, `(B, N)` | scores of each token as the first and as the last of the answer | `start_logits`, `end_logits` |
| – | `state` | the tensors of a checkpoint by their names there | `state_dict` |
| – | `mask`, `(B, N)` | **True for a token, False for padding** | `attention_mask`, of 1 and 0 |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import copy
import re
import time
from collections import Counter

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.fine_tuning import check
from course_lib import devices, plots
from course_lib.data import (
    CLS, PAD, SEP, SUBJECTS, TAGS, agreement_words, draw_sentences, framed, load_encoder, pretrained_or_random, python_english,
    subject_classes, who_does_it, word_tags,
)
from course_lib.layers.bert import BertEncoder, MaskedLanguageModel
from course_lib.predictions import came_out, predict
from course_lib.training import fit

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
In the sentences of lesson 9 verb, pronoun and reflexive agree with the **subject**: *the tall **queen** near the robots
**sleeps** and **she** likes **herself** .* Its encoder was trained twice: with 80 % of the chosen words hidden, 10 %
replaced and 10 % unchanged, and with `[MASK]` alone. A third one is untrained. `probe` fits a linear classifier.
"""

# %% tags=["experiment"]
words = agreement_words()
V = len(words)                                                                   # 75: 70 words and five special tokens


def text(ids):
    """Return a row of ids as text, padding left out."""
    return " ".join(words[i] for i in ids if i != PAD)


def new_model():
    """Return the model of lesson 9 with new weights."""
    return MaskedLanguageModel(V, 64, num_heads=4, num_blocks=2, max_length=19, dropout=0.0)


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


encoders = {}
for name in ("80/10/10", "[MASK] alone"):
    encoders[name] = new_model().encoder
    load_encoder(name, encoders[name])
torch.manual_seed(3)
encoders["untrained"] = new_model().eval().encoder

# %% [markdown]
r"""
Using the language model of lesson 9 for other tasks is *transfer learning*; Dai and Le (2015) did so with a recurrent
one. A small **head** is put on the encoder. Either both are trained on the few labels (*fine-tuning*), or the
encoder is *frozen* and only the head is trained (*feature-based*).
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    c = (class) | t = (a tag for each token) | s = (start and end) | w = (words)
    [SequenceClassifier] | [TokenTagger] | [SpanHead] | lm = [output of pretraining]
    e = [pretrained encoder]
    i = (ids: N)
    i -> e
    e -> SequenceClassifier: row of CLS
    e -> TokenTagger
    e -> SpanHead
    e -> lm
    SequenceClassifier -> c
    TokenTagger -> t
    SpanHead -> s
    lm -> w
""", title="One encoder, four ways to use it");

# %% [markdown]
r"""
## 1 Three heads

**Exercise 1.** ● Write `SequenceClassifier`: one of several classes for the whole sequence. BERT takes the vector of the
first token, `[CLS]`, which has attended to all others: a linear layer with tanh (the *pooler*), dropout, and a linear
layer to the classes.
"""

# %% nbgrader={"grade_id": "SequenceClassifier", "solution": true}
class SequenceClassifier(nn.Module):
    """Classes of a sequence, from the vector of its first token (Devlin et al. 2019, section 4.1)."""

    def __init__(self, model_width, classes, dropout=0.1):
        super().__init__()
        self.pooler = nn.Linear(model_width, model_width)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, classes)

    def forward(self, Y):
        """Return logits (B, classes) for the encoder's vectors Y (B, N, D)."""
        ### BEGIN SOLUTION Pool the vector of the first token, and map it to the classes.
        return self.output(self.dropout(torch.tanh(self.pooler(Y[:, 0]))))
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-SequenceClassifier", "grade": true}
check("SequenceClassifier")

# %% [markdown]
r"""
**Exercise 2.** ● Write `TokenTagger`: a tag for every token, from its own vector: dropout and a linear layer.
"""

# %% nbgrader={"grade_id": "TokenTagger", "solution": true}
class TokenTagger(nn.Module):
    """A tag for every token (Devlin et al. 2019, section 5.3)."""

    def __init__(self, model_width, tags, dropout=0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y):
        """Return logits (B, N, tags) for the encoder's vectors Y (B, N, D)."""
        ### BEGIN SOLUTION Map every token's vector to the tags.
        return self.output(self.dropout(Y))
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-TokenTagger", "grade": true}
check("TokenTagger")

# %% [markdown]
r"""
**Exercise 3.** ●● Write `SpanHead`: the answer to a question is a piece of the text, from a first token to a last one
(*extractive* question answering). A linear layer gives two scores for every token: as the start, and as the end. Where
an answer cannot lie, for instance in the question, both are $-\infty$ (or the smallest number that there is,
`torch.finfo(dtype).min`).

**Exercise 4.** ●● Write `best_span`: of all spans that do not end before they begin, the one with the largest sum
$\text{start}_i + \text{end}_j$, $i \le j$. A span may be one token long.

<details><summary>Hint for 4: all sums</summary>

Every start with every end makes a table `(B, N, N)`. Which two axes of length 1 make it broadcast? In which triangle
does the end precede the start, and which value there never wins?
</details>
<details><summary>Hint for 4: the largest</summary>

Flatten the two axes; `argmax` then gives one number for each table. Row and column are its quotient and its remainder.
</details>
"""

# %% nbgrader={"grade_id": "SpanHead", "solution": true}
class SpanHead(nn.Module):
    """Where an answer begins and where it ends (Devlin et al. 2019, section 4.2)."""

    def __init__(self, model_width):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y, allowed=None):
        """Return (start, end), each (B, N), for the encoder's vectors Y (B, N, D): columns 0 and 1 of the linear layer.

        allowed: None or a bool tensor (B, N). Where it is False, no answer begins or ends: both scores are so low that a softmax gives them nothing.
        """
        ### BEGIN SOLUTION Give every token a number as start and one as end, and hide those that are not allowed.
        scores = self.output(Y)                                                      # (B, N, 2)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[..., None], -torch.inf)
        return scores[..., 0], scores[..., 1]
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-SpanHead", "grade": true}
check("SpanHead")

# %% nbgrader={"grade_id": "best_span", "solution": true}
def best_span(start, end):
    """Return (first, last), each (B,), of the span with the largest start[first] + end[last], first <= last.

    start, end: (B, N), -infinity where no answer may begin or end.
    """
    ### BEGIN SOLUTION Look for the largest sum among the spans that do not end before they begin.
    N = start.shape[1]
    scores = start[:, :, None] + end[:, None, :]                                     # (B, N, N)
    backwards = torch.ones(N, N, dtype=torch.bool, device=start.device).tril(-1)
    best = scores.masked_fill(backwards, -torch.inf).flatten(1).argmax(dim=1)
    return best // N, best % N
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-best_span", "grade": true}
check("best_span")

# %% [markdown]
r"""
## 2 Does pretraining help, and up to how many labels?

Two tasks. *Which pronoun fits the subject*, he, she, it or they: one label for each sentence. And a *tag for every
word*: determiner, adjective, the subject, another noun, and so on.

Two models of the same size are trained in the same way, for 200 steps: one begins with the pretrained encoder,
the other with random weights. Their rivals train no network: `probe` on the *frozen* encoder, and two programs. One looks
up the label of the first noun, or the commonest tag of every word, and otherwise says what is most frequent. The other
looks for a pronoun first: *the queen sleeps and she likes herself* contains the answer.

**Before you run it:** there are 12 nouns, each singular or plural. With 8 labelled sentences, at most 8 of these 24 were
seen as subjects. What can a model know about the others? Which of the five will be best with 8, and which with 128?
"""

# %% tags=["experiment", "slow"]
test = draw_sentences(500, seed=50)
SIZES = (8, 32, 128)


class FineTuned(nn.Module):
    """A body and a head."""

    def __init__(self, body, head):
        super().__init__()
        self.body, self.head = body, head

    def forward(self, ids, segments=None, **options):
        """Return what the head makes of the body's vectors."""
        return self.head(self.body(ids, segments, need_weights=False)[0], **options)


TASKS = {                                                                        # name → (head, labels, -100 where there is none)
    "pronoun of the subject": (lambda: SequenceClassifier(64, len(SUBJECTS)), lambda rows: subject_classes(rows)[:, None]),
    "tag of every word": (lambda: TokenTagger(64, len(TAGS)), lambda rows: word_tags(rows).masked_fill(rows == PAD, -100)),
}


def first_nouns(sentences):
    """Return the subjects (B,), as ids."""
    return sentences[word_tags(sentences) == TAGS.index("subject")]


def pronouns_of(sentences):
    """Return the pronoun (B,) that stands in each sentence, PAD where none does."""
    return torch.where(torch.isin(sentences, torch.tensor([words.index(word) for word in SUBJECTS])), sentences, PAD).amax(dim=1)


unlabelled = {}                                                                  # (size, pretrained) → right answers, by whether the subject was labelled


def answers(model, sentences):
    """Return logits (B, 1, classes), or those of every word, (B, T, tags)."""
    logits = model(framed(sentences))
    return logits[:, None] if logits.dim() == 2 else logits[:, 1:-1]


def accuracy_after(task, size, pretrained, seed):
    """Return the share of right answers on the test sentences after training on `size` labelled ones."""
    make_head, labels_of = TASKS[task]
    labelled = draw_sentences(size, seed=1000 + seed)
    torch.manual_seed(seed)
    fresh = new_model().encoder
    model = FineTuned(copy.deepcopy(encoders["80/10/10"]) if pretrained else fresh, make_head())
    fit(model, lambda model, rows: F.cross_entropy(answers(model, rows).transpose(1, 2), labels_of(rows)),
        lambda generator: labelled[torch.randint(size, (16,), generator=generator)],
        steps=200, learning_rate=2e-3, warmup=20, seed=seed, device="cpu", show=False)
    with torch.no_grad():
        right = answers(model, test).argmax(-1) == labels_of(test)
    new, silent = ~torch.isin(first_nouns(test), first_nouns(labelled)), pronouns_of(test) == PAD
    singular = subject_classes(test) != SUBJECTS.index("they")
    unlabelled.setdefault((task, size, pretrained), []).append([right[some].double().mean().item() for some in (~new, new & silent, new & silent & singular)])
    return right[labels_of(test) != -100].double().mean().item()


def probed_accuracy(task, size, encoder, seed):
    """Return the same for a probe on the frozen encoder."""
    labels_of, labelled = TASKS[task][1], draw_sentences(size, seed=1000 + seed)
    places = slice(0, 1) if task == "pronoun of the subject" else slice(1, -1)
    known, asked = labels_of(labelled), labels_of(test)
    read = probe(vectors_of(encoder, framed(labelled))[:, places][known != -100], known[known != -100], len(TAGS))
    return (read(vectors_of(encoder, framed(test))[:, places][asked != -100]) == asked[asked != -100]).double().mean().item()


def looked_up(task, size, seed):
    """Return the same for a program that looks up the first noun, or the word."""
    labels_of, labelled = TASKS[task][1], draw_sentences(size, seed=1000 + seed)
    keys = (lambda rows: first_nouns(rows)[:, None]) if task == "pronoun of the subject" else lambda rows: rows
    known, asked = labels_of(labelled), labels_of(test)
    table = torch.zeros(V, len(TAGS))
    table.index_put_((keys(labelled)[known != -100], known[known != -100]), torch.ones(()), accumulate=True)
    table += 0.01 * table.sum(dim=0) / table.sum()                               # the most frequent answer, for what was never seen
    return (table.argmax(dim=1)[keys(test)[asked != -100]] == asked[asked != -100]).double().mean().item()


def pronoun_first(size, seed):
    """Return the same for a program that looks up the pronoun in the sentence, and the first noun where that says nothing."""
    labelled = draw_sentences(size, seed=1000 + seed)
    classes, table, said = subject_classes(labelled), torch.zeros(V, len(SUBJECTS)), pronouns_of(test)
    for keys in (first_nouns(labelled), pronouns_of(labelled)):
        table.index_put_((keys, classes), torch.ones(()), accumulate=True)
    table[PAD] = 0
    keys = torch.where(table[said].sum(dim=1) > 0, said, first_nouns(test))
    table += 0.01 * classes.bincount(minlength=len(SUBJECTS)) / size
    return (table[keys].argmax(dim=1) == subject_classes(test)).double().mean().item()


_, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharey=True, layout="constrained")
shares = {}
for ax, task in zip(axes, TASKS):
    curves, bands = {}, {}
    for name, pretrained in (("pretrained, fine-tuned", True), ("from scratch", False)):
        found = torch.tensor([[accuracy_after(task, size, pretrained, seed) for seed in range(3)] for size in SIZES])
        shares[task, name] = curves[name] = found.mean(dim=1)
        bands[name] = (found.amin(dim=1), found.amax(dim=1))
        print(f"{task}, {name}:", ", ".join(f"{n} {m:.1%} (sd {d:.1%})" for n, m, d in zip(SIZES, found.mean(1), found.std(1))))
    for name, measure in (("pretrained, frozen", lambda size, seed: probed_accuracy(task, size, encoders["80/10/10"], seed)),
                          ("looked up", lambda size, seed: looked_up(task, size, seed))):
        shares[task, name] = curves[name] = torch.tensor([sum(measure(size, seed) for seed in range(3)) / 3 for size in SIZES])
        print(f"{task}, {name}:", ", ".join(f"{n} {m:.1%}" for n, m in zip(SIZES, curves[name])))
    plots.show_curves(SIZES, curves, "labelled sentences", "right answers", task, logx=True, bands=bands, ax=ax)
pronouns = subject_classes(test)
looks = [sum(pronoun_first(size, seed) for seed in range(3)) / 3 for size in SIZES]
print("a pronoun looked up first:", ", ".join(f"{n} {m:.1%}" for n, m in zip(SIZES, looks)), f"; it stands in {(pronouns_of(test) != PAD).double().mean():.1%} of the sentences")
print(f'always saying "they": {(pronouns == SUBJECTS.index("they")).double().mean():.1%} of the pronouns')
for (task, size, pretrained), found in unlabelled.items():
    if task == "pronoun of the subject" and size < 128:
        old, new, singular = (sum(share) / len(share) for share in zip(*found))
        print(f"{size} labels, {'pretrained' if pretrained else 'from scratch'}: {old:.0%} where the subject was labelled; where it was not, "
              f"in sentences without a pronoun, {new:.0%}, of the singular ones {singular:.0%}")

# %% [markdown]
r"""
**Before you run it:** was it worth replacing 10 % and keeping 10 % of the chosen words in pretraining? The cell probes
all three frozen encoders.
"""

# %% tags=["experiment", "slow"]
# The frozen encoders on the same tasks, eight draws of labelled sentences each.
frozen = {}
for task in TASKS:
    for name, encoder in encoders.items():
        frozen[task, name] = [sum(probed_accuracy(task, size, encoder, seed) for seed in range(8)) / 8 for size in SIZES]
        print(f"{task}, {name}:", ", ".join(f"{n} {share:.1%}" for n, share in zip(SIZES, frozen[task, name])))


def probed_singular(encoder, size, at_subject):
    """Return the share of right pronouns for unlabelled singular subjects, without a pronoun in the sentence, of a probe at [CLS] or at the subject."""
    def vectors(rows):
        places = 1 + (word_tags(rows) == TAGS.index("subject")).int().argmax(dim=1) if at_subject else torch.zeros(len(rows), dtype=torch.int64)
        return vectors_of(encoder, framed(rows))[torch.arange(len(rows)), places]

    shares = []
    for seed in range(3):
        labelled = draw_sentences(size, seed=1000 + seed)
        right = probe(vectors(labelled), subject_classes(labelled), len(TAGS))(vectors(test)) == subject_classes(test)
        new = ~torch.isin(first_nouns(test), first_nouns(labelled)) & (pronouns_of(test) == PAD)
        shares.append(right[new & (subject_classes(test) != SUBJECTS.index("they"))].double().mean().item())
    return sum(shares) / len(shares)


singular = {(name, place, size): probed_singular(encoders[name], size, place == "subject")
            for name in ("80/10/10", "untrained") for place in ("[CLS]", "subject") for size in SIZES[:2]}
for (name, place, size), share in singular.items():
    print(f"unlabelled singular subjects, {size} labels, {name}, probe at {place}: {share:.0%}")


# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

given("75.7 % (4.8) against 51.1 % (2.3) with 8 labels, and 98.7 % (1.3) against 92.8 % (1.1) with 128", "the 10/10 of lesson 9, section 4.2,")
few = {key: curve.tolist() for key, curve in shares.items()}
with_it, without_it = few["pronoun of the subject", "pretrained, fine-tuned"], few["pronoun of the subject", "from scratch"]
tags_with, tags_without = few["tag of every word", "pretrained, fine-tuned"], few["tag of every word", "from scratch"]
says("| pronoun: pretrained, fine-tuned | 74 | 85 | 99 |", *(100 * share for share in with_it), within=2, whole=True)
says("| from scratch | 52 | 68 | 93 |", *(100 * share for share in without_it), within=2, whole=True)
says("| tags: pretrained, fine-tuned | 93 | 100 | 100 |", *(100 * share for share in tags_with), within=2, whole=True)
says("| from scratch (tags) | 72 | 95 | 100 |", *(100 * share for share in tags_without), within=2, whole=True)
says("| pretrained, frozen (tags) | 90 | 99 | 100 |", *(100 * share for share in few["tag of every word", "pretrained, frozen"]), within=2)
says("| commonest tag looked up | 70 | 84 | 88 |", *(100 * share for share in few["tag of every word", "looked up"]), within=2)
says("51 % are *they*", (pronouns == SUBJECTS.index("they")).double().mean())
says("| pretrained, frozen | 73 | 88 | 94 |", *(100 * share for share in few["pronoun of the subject", "pretrained, frozen"]), within=2)
says("55 % of the sentences contain the pronoun itself", (pronouns_of(test) != PAD).double().mean())
says("| pronoun looked up, else first noun | 63 | 93 | 100 |", *(100 * share for share in looks))
by_seen = {key[1:]: [sum(share) / len(share) for share in zip(*found)] for key, found in unlabelled.items() if key[0] == "pronoun of the subject" and key[1] < 128}
says("though it names 76 % of the subjects", by_seen[8, False][0], within=4, whole=True)
says("it is right for 65 % of the subjects that were not labelled, and of the singular ones among them 24 %; with 32 labels it is 76 and 44 %",
     *by_seen[8, True][1:], 32, 100 * by_seen[32, True][1], by_seen[32, True][2], within=4, whole=True)
says("| first noun looked up | 52 | 90 | 100 |", *(100 * share for share in few["pronoun of the subject", "looked up"]), within=2)
says("81, 95 and 97 % of the pronouns", *(100 * share for share in frozen["pronoun of the subject", "[MASK] alone"][:2]),
     frozen["pronoun of the subject", "[MASK] alone"][2], within=2)
says("99.4 % of the tags with 128 labels instead of 99.9 %", frozen["tag of every word", "[MASK] alone"][2], 128, frozen["tag of every word", "80/10/10"][2], within=2)
says("gets 7 and 20 %", 100 * singular["untrained", "[CLS]", 8], singular["untrained", "[CLS]", 32], within=3)
says("(9 and 21 %)", 100 * singular["untrained", "subject", 8], singular["untrained", "subject", 32], within=3)
says("a probe of the frozen encoder gets 53 %, and at the subject's own vector 74 %", singular["80/10/10", "[CLS]", 32], singular["80/10/10", "subject", 32], within=3)
given("With 32 labels")
says("the other one 79, 89 and 95 %", *(100 * share for share in frozen["pronoun of the subject", "80/10/10"][:2]),
     frozen["pronoun of the subject", "80/10/10"][2], within=2)
says("45, 55 and 70 %", *(100 * share for share in frozen["pronoun of the subject", "untrained"][:2]), frozen["pronoun of the subject", "untrained"][2], within=2)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

| right answers, in % | 8 labels | 32 | 128 |
|---|---|---|---|
| pronoun: pretrained, fine-tuned | 74 | 85 | 99 |
| from scratch | 52 | 68 | 93 |
| pretrained, frozen | 73 | 88 | 94 |
| first noun looked up | 52 | 90 | 100 |
| pronoun looked up, else first noun | 63 | 93 | 100 |
| tags: pretrained, fine-tuned | 93 | 100 | 100 |
| from scratch (tags) | 72 | 95 | 100 |
| pretrained, frozen (tags) | 90 | 99 | 100 |
| commonest tag looked up | 70 | 84 | 88 |

The more labels there are, the less pretraining helps. (Means of three seeds; from five, for the pronouns, 75.7 % (4.8)
against 51.1 % (2.3) with 8 labels, and 98.7 % (1.3) against 92.8 % (1.1) with 128.) For the pronoun, the frozen encoder is
as good as fine-tuning up to 32 labels.

51 % are *they*: with 8 labels the model from scratch is no better than that, though it names 76 % of the subjects that
were labelled. And 55 % of the sentences contain the pronoun itself, which a program can look up. So from 32 labels on, the pretrained model needs
to know no more than that program: **where the subject is**, and that *she* goes with *she*.

Does what is learned about *queen* hold for *nun*? Ask the fine-tuned model about sentences without a pronoun: with 8
labels, it is right for 65 % of the subjects that were not labelled, and of the singular ones among them 24 %; with 32
labels it is 76 and 44 %. Of the singular ones, a probe of the untrained encoder gets 7 and 20 %, and at the subject's own
vector no more (9 and 21 %). With 32 labels a probe of the frozen encoder gets 53 %, and at the subject's own vector 74 %:
the encoder knows the gender of an unlabelled noun, and fine-tuning on `[CLS]` uses only a part of that.

Was the 10/10 of lesson 9, section 4.2, worth it? Trained with `[MASK]` alone, the frozen encoder gets 81, 95 and 97 % of
the pronouns (the other one 79, 89 and 95 %; eight draws of labels), but 99.4 % of the tags with 128 labels instead of
99.9 %: small differences that go both ways (one training of each). Untrained, it gets 45, 55 and 70 % of the pronouns.
</details>

## 3 A question and its answer

The question is a verb, the text a sentence; the answer is who does it. In *the queen that the robots like sleeps*, the
question *like* has the answer *the robots*, and *sleeps* has *the queen*. Question and text go in as a pair, `[CLS]
question [SEP] text [SEP]`, with segments 0 and 1. The pretraining knows nothing about segment 1, nor about a word in
front of the sentence.

**Before you run it:** will it help all the same? And how often would a program be right that always answers with the
beginning of the sentence, up to the first noun?
"""

# %% tags=["experiment"]
predict("the beginning", "How often is a program right that always answers with the beginning of the sentence, up to the first noun?",
        ["under a third", "a third to two thirds", "over two thirds"])

# %% tags=["experiment"]
def asked(sentences, generator):
    """Return (ids, segments, allowed, first, last) of questions about these sentences."""
    verbs, first, last = who_does_it(sentences, generator)
    start = torch.tensor([[CLS, 0, SEP]]).repeat(len(sentences), 1)
    start[:, 1] = verbs
    ids = torch.cat((start, framed(sentences)[:, 1:]), dim=1)                    # (B, 3 + 18)
    segments = (torch.arange(ids.shape[1]) >= 3).long().expand_as(ids)
    allowed = (segments == 1) & (ids != PAD) & (ids != SEP)
    return ids, segments, allowed, first + 3, last + 3


def longer(encoder, places):
    """Return a copy of the encoder with new positions behind the ones that it has."""
    encoder = copy.deepcopy(encoder)
    old = encoder.embeddings.positions.weight.data
    encoder.embeddings.positions = nn.Embedding(places, old.shape[1])
    encoder.embeddings.positions.weight.data[:len(old)] = old
    return encoder


def span_loss(model, batch):
    """Return the mean loss of first and last token of the answer."""
    ids, segments, allowed, first, last = batch
    start, end = model(ids, segments, allowed=allowed)
    return (F.cross_entropy(start, first) + F.cross_entropy(end, last)) / 2


ASKED = 16                                                                       # labelled sentences
questions, right_spans = asked(test, torch.Generator().manual_seed(7)), {}
for name, body in (("pretrained", encoders["80/10/10"]), ("from scratch", None)):
    right_spans[name] = []
    for seed in range(3):
        labelled = draw_sentences(ASKED, seed=60 + seed)
        torch.manual_seed(seed)
        reader = FineTuned(longer(body or new_model().encoder, 21), SpanHead(64))
        fit(reader, span_loss, lambda generator: asked(labelled[torch.randint(ASKED, (32,), generator=generator)], generator),
            steps=300, learning_rate=2e-3, warmup=20, seed=seed, device="cpu", show=False)
        with torch.no_grad():
            first, last = best_span(*reader(*questions[:2], allowed=questions[2]))
        right_spans[name].append(((first == questions[3]) & (last == questions[4])).double().mean().item())
    print(f"{name}: of 500 answers right, three seeds: {', '.join(f'{share:.1%}' for share in right_spans[name])}")
    for b in range(3):
        row = questions[0][b]
        print(f"    {words[row[1]]}? {text(row[3:])} → {text(row[first[b]:last[b] + 1])}")
beginning = (questions[3] == 3).double().mean().item()                           # the answer begins with the sentence, and ends with the first noun
print(f"always the beginning of the sentence, up to the first noun: {beginning:.1%}")
came_out("the beginning", "under a third" if beginning < 1 / 3 else "over two thirds" if beginning > 2 / 3 else "a third to two thirds")

# %% tags=["numbers"]
means = {name: sum(shares) / 3 for name, shares in right_spans.items()}
given("(From five, 93.2 % against 66.9 %, with standard deviations of 4.8 and 4.9.)")
says("94 % of the answers right against 65 %", means["pretrained"], means["from scratch"], within=3, whole=True)
says("is right in 79 % with no labels", beginning)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

It does. With 16 labelled sentences, it gets 94 % of the answers right against 65 % from scratch, on average over three
seeds. (From five, 93.2 % against 66.9 %, with standard deviations of 4.8 and 4.9.) But the program that always answers
with the beginning is right in 79 % with no labels, only a list of the nouns: the model from scratch has not even found
that.
</details>

## 4 BERT in your own encoder

Put weights that others trained into the encoder that you built in lesson 9. The model is `all-MiniLM-L6-v2`, BERT's
encoder with 6 layers of 384. They are every second layer of MiniLM (Wang et al. 2020), which was made by *distillation*
(a student network learns to compute what a larger one computes), and were then trained on a billion pairs so that
sentences with the same meaning get vectors that point in the same direction.

In a terminal, `autograder models get minilm` fetches it (91 MB, once); restart the kernel afterwards. Without it,
everything below runs on a **small random checkpoint** with the same names, and the results mean nothing. The next cell
says which of the two you have.

**Before you run it:** how many tensors does a block of your encoder have?
"""

# %% tags=["experiment"]
model = pretrained_or_random("minilm")
state, config = model.state_dict, model.config
print({name: value for name, value in config.items() if not isinstance(value, str)})
sizes = (config["vocab_size"], config["hidden_size"], config["num_attention_heads"], 1, config["max_position_embeddings"])
print("\nIn your encoder:")
for name, parameter in BertEncoder(*sizes, hidden_width=config["intermediate_size"]).named_parameters():
    print(f"    {name:42} {tuple(parameter.shape)}")
print("\nIn the checkpoint, without blocks 1 and later:")
for name, tensor in state.items():
    if not name.startswith("encoder.layer.") or name.startswith("encoder.layer.0."):
        print(f"    {name:58} {tuple(tensor.shape)}")

# %% [markdown]
r"""
Both lists describe one architecture, so every tensor of your encoder is in the checkpoint. What can still go wrong?

- **Names.** Which is which? `output.dense` occurs twice in a block.
- **Transposed or not.** GPT-2's published weights are (in, out), `nn.Linear` keeps (out, in). With square matrices no
  error tells you. Compare the shapes of `intermediate.dense`.
- **Where the norm is.** BERT's blocks are post-norm, as in lesson 9.
- **What is not in the tensors.** The $\varepsilon$ of every LayerNorm is in the configuration; `nn.LayerNorm` takes
  $10^{-5}$ by default.

**Exercise 5.** ● Write `our_name`: the name that a tensor of the checkpoint has in your encoder, and None for one that
has no place there, such as those of the pooler.

<details><summary>Hint for 5: two kinds of names</summary>

Which names have a number, and where? Take the name apart there, and look up the rest in a table.
</details>
<details><summary>Hint for 5: the parts of a block</summary>

Four layers belong to the attention. Of the two others, the shapes tell you which widens the vectors. Which norm follows
which layer?
</details>
<details><summary>Hint for 5: the last word</summary>

`name.rpartition(".")` cuts off `weight` or `bias`. Inside a block, how does a norm of your encoder name these two? And
the norm of the embeddings?
</details>
"""

# %% nbgrader={"grade_id": "our_name", "solution": true}
def our_name(name):
    """Return the name in BertEncoder of the tensor that Hugging Face's BERT calls `name`, or None if it has no place there.

    "encoder.layer.2.attention.self.query.bias" → "blocks.blocks.2.attention.W_Q.bias"
    """
    ### BEGIN SOLUTION Look the parts of the name up in a table, and put the number of the block back in.
    around = {"word_embeddings": "tokens", "token_type_embeddings": "segments", "position_embeddings": "positions", "LayerNorm": "norm"}
    inside = {"attention.self.query": "attention.W_Q", "attention.self.key": "attention.W_K", "attention.self.value": "attention.W_V",
              "attention.output.dense": "attention.W_O", "intermediate.dense": "feed_forward.W_1", "output.dense": "feed_forward.W_2",
              "attention.output.LayerNorm": "norm_1", "output.LayerNorm": "norm_2"}
    part, _, kind = name.rpartition(".")
    if part.startswith("encoder.layer."):
        number, _, part = part.removeprefix("encoder.layer.").partition(".")
        kind = {"weight": "gamma", "bias": "beta"}[kind] if part.endswith("LayerNorm") else kind
        return f"blocks.blocks.{number}.{inside[part]}.{kind}"
    part = part.removeprefix("embeddings.")
    return f"embeddings.{around[part]}.{kind}" if part in around else None
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-our_name", "grade": true}
check("our_name")

# %% [markdown]
r"""
**Exercise 6.** ●● Write `PretrainedEncoder`: your encoder with the weights of a checkpoint. `load_pretrained` copies
every tensor to its place, and sets the $\varepsilon$ of every LayerNorm. A weight that is forgotten keeps its random
numbers: such a model runs, and gives worse results. So raise an error if a checkpoint does not fit: a tensor is missing, it
has more blocks than the encoder, or a shape differs.

<details><summary>Hint for 6: the weights</summary>

`self.load_state_dict` copies from a dictionary whose keys are the names of *this* encoder, and refuses one whose names
or shapes do not fit. How do you get such a dictionary with `our_name`? What has to stay out? (Leave `strict` as it
is.)
</details>
<details><summary>Hint for 6: the norms</summary>

`self.modules()` yields every part, however deep. Which attribute do only the norms have?
</details>
"""

# %% nbgrader={"grade_id": "PretrainedEncoder", "solution": true}
class PretrainedEncoder(BertEncoder):
    """The encoder of lesson 9 with the weights of a checkpoint of BERT (Devlin et al. 2019)."""

    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        """Copy the tensors of `state`, named as Hugging Face names them, into this encoder, and give every LayerNorm this eps.

        Tensors without a place here (`our_name` gives None) are left out. Raises an error that names the weight if one of this encoder's is missing or
        has another shape, or if `state` has weights of more blocks than there are.
        """
        ### BEGIN SOLUTION Load the tensors under their new names, and set eps in every LayerNorm.
        self.load_state_dict({our_name(name): tensor for name, tensor in state.items() if our_name(name) is not None})
        for part in self.modules():
            if hasattr(part, "eps"):
                part.eps = eps
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-PretrainedEncoder", "grade": true}
check("PretrainedEncoder")

# %% [markdown]
r"""
**Exercise 7.** ● Write `mean_pooling`: BERT gives a vector for each token, and a search needs one for each sentence. This
model was trained with the **mean** of all its tokens. In a batch, short sentences are padded; the vectors of padding must
not count, or the vector of a sentence depends on its neighbours.

<details><summary>Hint for 7</summary>

Set the vectors of padding to 0: which axis has to be added to the mask? By which number do you divide each row's sum?
</details>
"""

# %% nbgrader={"grade_id": "mean_pooling", "solution": true}
def mean_pooling(Y, mask):
    """Return the mean (B, D) of each row's vectors, padding left out.

    Y: (B, N, D). mask: bool (B, N), True for a token, False for padding, which may stand at either end. Every row has a token.
    """
    ### BEGIN SOLUTION Add up the vectors of the tokens, and divide by their number.
    total = Y.masked_fill(~mask[..., None], 0.0).sum(dim=1)                          # (B, D)
    return total / mask.sum(dim=1, keepdim=True)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-mean_pooling", "grade": true}
check("mean_pooling")

# %% [markdown]
r"""
### 4.1 A question finds its answer

`embed` gives each sentence a vector of length 1, so that a product of two vectors is their cosine. The controls: the same
encoder with its weights **shuffled** within each tensor, and the **number of words** that two sentences share. The last
line shows what an $\varepsilon$ of $10^{-5}$ would have changed.

**Before you run it:** no question shares a word of content with its answer. What can the number of common words find?
"""

# %% tags=["experiment"]
SENTENCES = [
    "Paris is the capital of France.",
    "The cat sleeps on the warm windowsill.",
    "Water boils at one hundred degrees.",
    "He repaired the engine of his car.",
    "The stock market fell sharply on Monday.",
    "She plays the violin in an orchestra.",
    "Bees collect nectar from flowers.",
    "The train to Berlin leaves at noon.",
]
QUESTIONS = {                                                                    # question → the number of its answer
    "Where does the pet take a nap?": 1,
    "Who makes music with a string instrument?": 5,
    "When can I travel by rail to Germany?": 7,
    "How do insects make honey?": 6,
}


def batch_of(texts, longest=64):
    """Return ids (B, N) of texts as the model's tokenizer cuts them, at most `longest` tokens each, padding (0) at the end."""
    rows = [torch.tensor(encoded.ids[:longest]) for encoded in model.tokenizer.encode_batch(list(texts))]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=config["pad_token_id"])


@torch.no_grad()
def embed(encoder, texts, rows=64):
    """Return vectors of length 1, (B, D), in batches of texts of about the same length."""
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    found = []
    for at in range(0, len(order), rows):
        ids = batch_of([texts[number] for number in order[at:at + rows]])
        found.append(F.normalize(mean_pooling(encoder(ids, need_weights=False)[0], ids != config["pad_token_id"]), dim=-1))
    return torch.cat(found)[torch.tensor(order).argsort()]


bert = PretrainedEncoder(state, config).eval()
torch.manual_seed(0)
shuffled = {name: tensor.flatten()[torch.randperm(tensor.numel())].view(tensor.shape) for name, tensor in state.items()}
without_training = PretrainedEncoder(shuffled, config).eval()                    # the same numbers, each in a random place of its tensor


def common_words(one, other):
    """Return how many words two sentences share."""
    return len(set(one.lower().strip("?.").split()) & set(other.lower().strip("?.").split()))


tables = {name: embed(encoder, list(QUESTIONS)) @ embed(encoder, SENTENCES).T for name, encoder in (("loaded", bert), ("shuffled weights", without_training))}
tables["common words"] = torch.tensor([[float(common_words(q, s)) for s in SENTENCES] for q in QUESTIONS])
answers_at = torch.tensor(list(QUESTIONS.values()))
hits = {name: int((table.argmax(dim=1) == answers_at).sum()) for name, table in tables.items()}
print("questions whose answer comes first:", hits)
for question, row in zip(QUESTIONS, tables["loaded"]):
    print(f"{question:42} → {SENTENCES[row.argmax()]:42} {row.max():.2f}, the next {row.sort().values[-2]:.2f}")
with_usual_eps = PretrainedEncoder(state, {**config, "layer_norm_eps": 1e-5}).eval()
ids = batch_of(SENTENCES)
off = (vectors_of(bert, ids) - vectors_of(with_usual_eps, ids))[ids != 0].abs().max().item()
print(f"with eps = 1e-5 the vectors of the tokens are off by up to {off:.1e}")

# %% tags=["numbers"]
first, second = tables["loaded"].sort(dim=1).values[:, [-1, -2]].unbind(1)
if model.random:  # without the model there is nothing to compare
    given("cosines from 0.41 to 0.60, and the best of the other sentences has 0.17", "off by up to 0.0013")
else:
    says("cosines from 0.41 to 0.60, and the best of the other sentences has 0.17", first.min(), first.max(), second.max())
    says("off by up to 0.0013", off)
    claims("all four answers", hits["loaded"] == 4)
    claims("Shuffled, the same numbers find none", hits["shuffled weights"] == 0)
    claims("counting the words in common finds one", hits["common words"] == 1)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* the order of the answers is chance, and none of the numbers below are yours.

With the model, your encoder finds all four answers: cosines from 0.41 to 0.60, and the best of the other sentences has
0.17. Shuffled, the same numbers find none, and counting the words in common finds one (*the* and *to* are all that they
share). So it is the place of each number that connects a pet with a cat.

With the usual $\varepsilon$ the tokens' vectors are off by up to 0.0013. No answer changes, and that is the trap: a
search hides the mistake, a comparison of the layers does not.
</details>

### 4.2 Real text, few labels

Which package of Python's library does a paragraph of documentation describe: `asyncio`, `email`, `http`, `importlib`,
`logging`, `tkinter`, `unittest` or `xml`? There are 1, 4 or 16 labelled paragraphs for each, 60 others to be
classified, and the names of the packages are removed from the texts. `probe` reads the sentence vectors of the
**frozen** encoder, those of the encoder with **shuffled weights**, and a **bag of words** (how often each word occurs,
with the vector's length 1). The other rivals are an encoder of two blocks **from scratch**, and the **majority**.

**Before you run it:** a bag of words knows only words that it has seen with a label. From how many labels will it have
caught up?
"""

# %% tags=["experiment", "slow"]
TOPICS = ("asyncio", "email", "http", "importlib", "logging", "tkinter", "unittest", "xml")
TOLD = 60                                                                        # paragraphs of each topic to be classified
STEPS = {1: 100, 4: 200, 16: 400}                                                # labelled paragraphs of each topic → training steps from scratch


def paragraphs_about(topic):
    """Return the paragraphs of a package's documentation, without its name, in a random order that is always the same."""
    texts = {text for part in ("train", "held_out") for document in python_english(part) if document.name.startswith(f"module: {topic}/")
             for text in document.paragraphs if len(text) > 60}
    hidden = re.compile("|".join(TOPICS), re.IGNORECASE)
    ordered = sorted(hidden.sub("it", text) for text in texts)
    return [ordered[n] for n in torch.randperm(len(ordered), generator=torch.Generator().manual_seed(0))]


texts, classes = [], []
for number, topic in enumerate(TOPICS):
    some = paragraphs_about(topic)[:TOLD + 40]
    texts += some
    classes += [number] * len(some)
classes = torch.tensor(classes)
in_words = [re.findall("[a-z]+", each.lower()) for each in texts]
common = [word for word, count in Counter(word for each in in_words for word in set(each)).items() if count > 2]
bags = torch.tensor([[float(each.count(word)) for word in common] for each in in_words])
began = time.process_time()
features = {"frozen": embed(bert, texts), "shuffled weights": embed(without_training, texts), "bag of words": F.normalize(bags, dim=-1)}
print(f"{len(texts)} paragraphs, {len(common)} words; vectors computed in {time.process_time() - began:.0f} s of processor time")
pieces, small_ids = batch_of(texts, 32).unique(return_inverse=True)              # for the model from scratch: only the tokens that occur, [PAD] is 0

# %% tags=["experiment", "slow"]
def drawn(size, seed):
    """Return the numbers of the paragraphs to be classified, and of `size` labelled ones of each topic."""
    generator = torch.Generator().manual_seed(seed)
    rows = [(classes == number).nonzero()[:, 0] for number in range(len(TOPICS))]
    labelled = [row[TOLD:][torch.randperm(len(row) - TOLD, generator=generator)[:size]] for row in rows]
    return torch.cat([row[:TOLD] for row in rows]), torch.cat(labelled)


def share_right(answers, told):
    """Return the share of right answers."""
    return (answers == classes[told]).double().mean().item()


class FromScratch(nn.Module):
    """An encoder of two blocks, the mean of its vectors, and a linear layer."""

    def __init__(self):
        super().__init__()
        self.body = BertEncoder(len(pieces), 32, 4, 2, 32)
        self.output = nn.Linear(32, len(TOPICS))

    def forward(self, ids):
        """Return logits (B, classes)."""
        return self.output(mean_pooling(self.body(ids, need_weights=False)[0], ids != 0))


def from_scratch(size, seed):
    """Return the share of right answers of a small encoder that is trained on the labelled paragraphs alone."""
    told, labelled = drawn(size, seed)
    torch.manual_seed(seed)
    small = FromScratch()
    fit(small, lambda small, rows: F.cross_entropy(small(small_ids[rows]), classes[rows]),
        lambda generator: labelled[torch.randint(len(labelled), (16,), generator=generator)],
        steps=STEPS[size], learning_rate=2e-3, warmup=15, seed=seed, device="cpu", show=False)
    small.eval()
    with torch.no_grad():
        return share_right(torch.cat([small(small_ids[part]).argmax(-1) for part in told.split(64)]), told)


def probed(name, size, seed):
    """Return the share of right answers of a linear classifier on these vectors."""
    told, labelled = drawn(size, seed)
    center = features[name][labelled].mean(dim=0)
    read = probe(8 * (features[name][labelled] - center), classes[labelled], len(TOPICS))
    return share_right(read(8 * (features[name][told] - center)), told)


by_way = {name: torch.tensor([[probed(name, size, seed) for seed in range(5)] for size in STEPS]) for name in features}
by_way["from scratch"] = torch.tensor([[from_scratch(size, seed) for seed in range(5)] for size in STEPS])
for name, found in by_way.items():
    print(f"{name:18}", ", ".join(f"{size} {mean:.1%} (sd {sd:.1%})" for size, mean, sd in zip(STEPS, found.mean(1), found.std(1))))
print(f"{'majority':18} {1 / len(TOPICS):.1%}")
plots.show_curves([*STEPS], {name: found.mean(dim=1) for name, found in by_way.items()}, "labelled paragraphs of each topic", "right answers",
                  "Which package is described?", logx=True, bands={name: (found.amin(dim=1), found.amax(dim=1)) for name, found in by_way.items()});

# %% tags=["numbers"]
if model.random:
    given("the frozen encoder gets 39, 55 and 64 %", "a bag of words 18, 29 and 52 %", "the encoder from scratch 14, 20 and 34 %", "with shuffled weights it is 15, 19 and 28 %", "Always the same topic is right in 12.5 %")
else:
    means = {name: (100 * found.mean(dim=1)).tolist() for name, found in by_way.items()}
    says("the frozen encoder gets 39, 55 and 64 %", *means["frozen"][:2], means["frozen"][2] / 100)
    says("a bag of words 18, 29 and 52 %", *means["bag of words"][:2], means["bag of words"][2] / 100)
    says("the encoder from scratch 14, 20 and 34 %", *means["from scratch"][:2], means["from scratch"][2] / 100, within=2, whole=True)
    says("with shuffled weights it is 15, 19 and 28 %", *means["shuffled weights"][:2], means["shuffled weights"][2] / 100)
    says("Always the same topic is right in 12.5 %", 1 / len(TOPICS))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* only the bag of words is as below. Other versions of Python have slightly other texts.

With 1, 4 and 16 labelled paragraphs of each topic, the frozen encoder gets 39, 55 and 64 %, and a bag of words 18, 29 and
52 % (means of five draws). Always the same topic is right in 12.5 %. With 16 the bag of words has not caught up.
(One reason may be words that stand in no labelled paragraph: a bag of words knows nothing of them, and the encoder has met
them in its pretraining.) Still, never leave that rival out.

And the encoder from scratch 14, 20 and 34 %: less than the bag of words. What is worth so much is not the architecture:
with shuffled weights it is 15, 19 and 28 %.
</details>

### 4.3 A gap

MiniLM's teacher had learned to fill gaps, as your model did in lesson 9. MiniLM itself learned to imitate the attention
of the teacher's last layer, and the billion pairs came after that. The cell compares the vector at `[MASK]` with the
vectors of all words, for six sentences. In a vocabulary of 30,522, a word at a random place has a rank of about 15,000.

**Before you run it:** can a model that was never trained to fill gaps do it?
"""

# %% tags=["experiment"]
GAPS = {
    "Paris is the [MASK] of France.": "capital",
    "The cat drinks a bowl of [MASK].": "milk",
    "Bees make [MASK] from nectar.": "honey",
    "She plays the [MASK] in an orchestra.": "violin",
    "Water freezes at zero [MASK].": "degrees",
    "He drove his [MASK] to the airport.": "car",
}
ids = batch_of(GAPS)
places = ids == model.tokenizer.token_to_id("[MASK]")
scores = vectors_of(bert, ids)[places] @ bert.embeddings.tokens.weight.detach().T      # (6, vocab_size)
ranks = []
for sentence, row in zip(GAPS, scores):
    word = model.tokenizer.token_to_id(GAPS[sentence])                           # None with the small random checkpoint, which knows letters only
    ranks.append(None if word is None else int((row > row[word]).sum()) + 1)
    print(f"{sentence:40} {GAPS[sentence]:8} has rank {ranks[-1]}; first: {', '.join(map(model.tokenizer.id_to_token, row.topk(5).indices.tolist()))}")

# %% tags=["numbers"]
if model.random:
    given("between 1,183 and 26,941")
else:
    says("between 1,183 and 26,941", min(ranks), max(ranks), within=20)
    claims("for all six sentences nearly the same words", len({int(row.argmax()) for row in scores}) <= 3)
given("In a vocabulary of 30,522", "of about 15,000")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With the model, the right words have ranks between 1,183 and 26,941, and for all six sentences nearly the same words are
ranked first, which fit none of them. Two things are missing. The **head**: in a masked language model, one more layer
with a norm stands between the encoder and the words (`transform` and `output_norm` in lesson 9), and the checkpoint has
none. And the **task**: no step of MiniLM's training asked for a word in a gap. The teacher's attention was imitated
without its output, and the pairs asked only that the *means* of whole sentences point in the right directions.
</details>

## 5 What to take along

- One encoder, many heads. The fewer labels there are, the more the pretraining is worth. Compare with the most frequent
  answer, with a frozen encoder and with a program that looks up.
- A published model is a list of named tensors and a configuration. Compare layer by layer: the end alone does not say
  where it went wrong.

### Sources

J. Devlin, M. Chang, K. Lee, K. Toutanova, *BERT: Pre-training of deep bidirectional Transformers for language
understanding*, NAACL 2019. A. Dai, Q. Le, *Semi-supervised sequence learning*, NeurIPS 2015. Z. Kira, *Attention and
Transformers*, CS 4644/7643, Georgia Tech. Y. Yao, *Attention, Transformer, and BERT*, HKUST. N. Reimers, I. Gurevych,
*Sentence-BERT: Sentence embeddings using Siamese BERT-networks*, EMNLP 2019. W. Wang et al., *MiniLM: Deep
self-attention distillation for task-agnostic compression of pre-trained Transformers*, NeurIPS 2020.
"""
