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
# 7 Language models

A language model predicts the next token, and that is all it does. The text is its own label (**self-supervised
learning**). That is enough for writing, for learning tasks from few labels, and for learning from examples in its own
input. You build the tokens, the model, the sampling of text and the cache that makes it fast, and measure them against
the best possible, which here is known.

| section | the one change | exercise |
|---|---|---|
| 1 | tokens that nobody chose | `count_pairs`, `merge_pair`, `train_bpe`, `bpe_encode`, `bpe_decode`, `train_bpe_fast` |
| 2 | a model of what comes next, and its loss | `packed`, `GPT`, `next_token_loss`, `perplexity_and_bits` |
| 3 | from probabilities to text, and not everything twice | `sample`, `CachedGPT`, `generate` |
| 4 | two directions, kept apart (ELMo) | `BidirectionalLanguageModel`, `scalar_mix` |
| 5 | learning in context, against the best possible | `predict_by_counts`, `my_learner`, `induction_score`, written question 1 |
| 6 | the entropy of a language, and real English | `next_token_limit`, `my_gpt`, written question 2 |
| 7 | what came of it: GPT, GPT-3 and sizes | |

The order follows J. Johnson's lecture 13, "Attention" (EECS 498/598, 2019), Z. Kira's CS 4644/7643 and Y. Yao's
"Attention, Transformer, and BERT".

**Before you begin.** You need lessons 1 to 4 (section 2 uses the encoder of lesson 4, section 3 the cache of lesson 2);
for section 4 alone, recurrent networks (lesson 5, section 2.1). The lesson is meant for two sittings: tokens, model and
text (sections 1 to 3), then what language models know (sections 4 to 7). Exercises 6, 11, 12 and 13 are the hardest. If
time is short, leave out section 4, which stands by itself (its two exercises earn points). Plan about thirteen and a
half hours. With the checkpoints at hand the solution takes less than two and a half minutes of one core.

## How this notebook works

- Run the cells from top to bottom. In an exercise, replace the line `raise NotImplementedError(...)`, whose text says
  what to write: about ten lines at most, except `train_bpe_fast`, `CachedGPT` and `generate`, which need up to twenty.
  The cell after an exercise is its **check**; below a property that fails you find the smallest failing example and,
  where it can be told, the likely cause.
- ●: a few lines, once you have read the text. ●●: think about shapes or a formula first, a quarter of an hour or so.
  ●●●: half an hour or more; begin with an example that you can check by hand.
- Answer the question before each experiment (clicks stay on your computer and are never graded); then open "What you
  should see".
- Unless the text says otherwise, your code keeps the dtype, leaves its arguments unchanged, accepts any memory layout,
  lets gradients through and works for a batch of one.
- **You hand in five files**: this notebook; `in_context.safetensors`, `one_block.safetensors` and `results.json`, which
  section 5 writes beside it; and `gpt.safetensors` of section 6.

**Notation.** Code uses the same letters.

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $N$ | `B`, `N` | rows of a batch, tokens of a row | batch size; sequence length, context length (`n_ctx`, `T` in nanoGPT) |
| $V$ | `V` | how many tokens there are | vocabulary size (`vocab_size`) |
| $x_i$ | `ids`, `(B, N)` | the token in place $i$, a number from 0 to $V - 1$ | `input_ids`; the place is a position (`position_ids`) |
| – | `logits`, `(B, N, V)` | `logits[:, i]` are about the token in place $i + 1$ | logits, of a language-modelling head (`lm_head`) |
| $A$ | `A`, `(B, H, N, N)` | the attention weights of one block | `attentions` |
| – | `allowed`, `(B, 1, N, N)` | **True means "may attend"** | `attention_mask`, causal mask |
| – | `documents`, `(B, N)` | the number of the document that a token belongs to | segment or document ids, for packing (document masking) |
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import argparse
import copy
import gzip
import heapq
import inspect
import lzma
import math
import time
from collections import Counter, defaultdict

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from autograder.lessons.language_models import check
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
    gpt2_words,
    python_english,
    subject_classes,
    word_counts,
    word_tags,
)
from course_lib.layers import TransformerConfig
from course_lib.predictions import came_out, predict
from course_lib.training import SpyLanguageModel, fit, save_results

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 Tokens

### 1.1 What are the symbols?

A language model says how probable each symbol of a fixed list, the **vocabulary**, is as the next one. What should be
on the list?

- **Words?** There are too many, and always one more, which can be neither read nor written.
- **Characters?** Unicode has about 150,000, most of them rare. English needs few, but its texts become five times as
  long as in words.
- **Bytes?** Every text is a list of bytes, by UTF-8. With 256 symbols *nothing* is unknown, but the lists are longer
  still.

**Byte-pair encoding** (BPE) goes from the last towards the first, as far as you like: begin with the 256 bytes, find
the most frequent pair of neighbours, make it *one* new symbol, and repeat. Gage (1994) compressed files with it,
Sennrich et al. (2016) translated rare words, GPT (2018) used 40,000 merges, and GPT-2 (2019) began from bytes, as we
do. (*SentencePiece*, Kudo and Richardson 2018, does without words: the space is an ordinary character.)

**Before you run it:** guess how many bytes each of these has.
"""

# %% tags=["experiment"]
for text in ("naïve", "λόγος", "日本", "🤗", "👩🏽‍🚀"):
    print(f"{text}: {len(text)} characters, {len(text.encode('utf8'))} bytes {list(text.encode('utf8'))}")

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("*naïve* has 6 bytes", len("naïve".encode()))
says("one character of 4 bytes", len("🤗".encode()))
says("15 bytes together", len("👩🏽‍🚀".encode()))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*naïve* has 6 bytes: ASCII letters are one byte each, and ï is two. Greek letters have two bytes, Japanese characters
three. The smiling face is one character of 4 bytes. The astronaut is four characters, a woman, a skin colour, a sign
that joins, and a rocket: 15 bytes together. Bytes from 128 on mean something only together, so not every list of bytes
is a text.
</details>

An **id** is the number of a symbol. Here the ids 0 to 255 are the bytes, and merge number $k$ (from 0) makes the id
$256 + k$. So a tokenizer is only a list of pairs: its merges, in order.

### 1.2 Count

Merges never cross words, so it is enough to know each word and its frequency. The standard example (Sennrich et al.):

| word | low | lower | newest | widest |
|---|---|---|---|---|
| how often | 5 | 2 | 6 | 3 |

A pair of neighbours counts once for every place in a word, times the frequency of the word. With $n_w$ the frequency of
word $w$, and $w_i$ its ids:

$$c(a, b) = \sum_w n_w \cdot \bigl|\{\, i : w_i = a,\; w_{i+1} = b \,\}\bigr|$$

Which pair is the most frequent in the table? Two are, equally. Find them before you write the code: they are your first
test.

**Exercise 1.** ● Write `count_pairs`. A word is a list of ids.

<details><summary>Hint: neighbours</summary>

Write 5 6 7 8 in a row, and the same without the first id below it. Which function walks through two lists together, and
what does it do at the end of the shorter one?
</details>
"""

# %% nbgrader={"grade_id": "count_pairs", "solution": true}
def count_pairs(words, counts):
    """Return how often each pair of neighbours occurs: a dictionary (or a Counter) from (a, b) to a number.

    words: lists of ids; two may be equal. counts: for each of them, how often it occurs. A pair that does not occur is not in the dictionary.
    """
    ### BEGIN SOLUTION Add up, for every pair of neighbours in every word, how often the word occurs.
    found = Counter()
    for ids, n in zip(words, counts):
        for pair in zip(ids, ids[1:]):
            found[pair] += n
    return found
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-count_pairs", "grade": true}
check("count_pairs")

# %% [markdown]
r"""
### 1.3 Merge

To merge $(a, b)$, walk from left to right and write the new id wherever $a$ is followed by $b$. An id belongs to one
pair at most: what has just been merged cannot be merged again in this walk.

$$[\,7, 8, 5, 7, 8\,] \xrightarrow{(7, 8) \to 256} [\,256, 5, 256\,] \qquad\qquad [\,7, 7, 7\,] \xrightarrow{(7, 7) \to 256} \;?$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    l = l | o = o | w = w | e = e | r = r
    lo = (lo: first merge) | w2 = w | er = (er: second merge)
    low = (low: third merge) | er2 = er
    l, o -> lo
    w -> w2
    e, r -> er
    lo, w2 -> low
    er -> er2
""", title="Byte pairs: the most frequent pair becomes one symbol");

# %% [markdown]
r"""
**Exercise 2.** ● Write `merge_pair`.

<details><summary>Hint: how far to go</summary>

At place $i$ there are two cases. How many ids does each of them write, and by how much does $i$ grow? A `for` over the
places cannot jump; which loop can?
</details>
<details><summary>Hint: the last id</summary>

It has no neighbour, and must not be lost. What is `ids[i : i + 2]` at the last place?
</details>
"""

# %% nbgrader={"grade_id": "merge_pair", "solution": true}
def merge_pair(ids, pair, new):
    """Return a new list in which each occurrence of the pair (a, b) is one id, `new`; from left to right, without overlaps.

    new: an id that is not in ids.
    """
    ### BEGIN SOLUTION Walk from left to right; where the pair begins, write the new id and step over both.
    merged, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and ids[i] == pair[0] and ids[i + 1] == pair[1]:
            merged.append(new)
            i += 2
        else:
            merged.append(ids[i])
            i += 1
    return merged
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-merge_pair", "grade": true}
check("merge_pair")

# %% [markdown]
r"""
### 1.4 Train

Training repeats these two steps: count, merge the most frequent pair everywhere, and count again.

$$(a, b)^\ast = \arg\max_{(a, b)} c(a, b)$$

Two pairs can be equally frequent. Then **merge the smallest pair: the one with the smaller $a$, and of equal $a$ the
one with the smaller $b$**. Any rule would do, but there has to be one, or the ids depend on the order of a dictionary,
and a model that was trained with them reads nonsense. Hugging Face's `tokenizers` has the same rule, and with ids in
our order the same merges.

**Exercise 3.** ●● Write `train_bpe`. The words are given as text, with their frequencies. Stop when no pair is left.

<details><summary>Hint: the loop</summary>

You begin with the words, as lists of ids, and their counts. What changes with each merge, and what stays? What does
`count_pairs` need again?
</details>
<details><summary>Hint: the tie</summary>

`min` and `max` take a key, and tuples are compared from the left. You want many first, and then small. Which sign makes
both of them a question of the smallest?
</details>
"""

# %% nbgrader={"grade_id": "train_bpe", "solution": true}
def train_bpe(word_counts, num_merges):
    """Return a list of at most num_merges pairs of ids, in the order in which they are merged; fewer if no pair is left.

    word_counts: a dictionary from each word (str) to how often it occurs. Merge k makes the id 256 + k.
    """
    ### BEGIN SOLUTION Count the pairs, merge the most frequent one in all words, and repeat.
    words, counts = [list(word.encode("utf8")) for word in word_counts], list(word_counts.values())
    merges = []
    while len(merges) < num_merges and (pairs := count_pairs(words, counts)):
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        words = [merge_pair(ids, best, 256 + len(merges)) for ids in words]
        merges.append(best)
    return merges
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-train_bpe", "grade": true}
check("train_bpe")

# %% [markdown]
r"""
The first three merges are e + s, es + t, l + o.

**Before you run it:** which will be the fourth? And will *lower* ever become one token, if you go on?
"""

# %% tags=["experiment"]
lecture = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
merges = train_bpe(lecture, 100)
texts = [bytes([byte]) for byte in range(256)]                    # the bytes of each id
words = [list(word.encode("utf8")) for word in lecture]
for k, (a, b) in enumerate(merges):
    often = count_pairs(words, lecture.values())[a, b]
    words = [merge_pair(ids, (a, b), 256 + k) for ids in words]
    texts.append(texts[a] + texts[b])
    print(f"{256 + k}: {texts[a].decode():>6} + {texts[b].decode():<4} {often} times   ",
          "   ".join(" ".join(texts[n].decode() for n in ids) for ids in words))

# %% tags=["numbers"]
claims("The fourth is lo + w", texts[259] == b"low")
says("after 12 merges", len(merges))
claims("all four words are one token each", all(len(ids) == 1 for ids in words))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The fourth is lo + w: it occurs in *low* and in *lower*, 7 times. At the start, e + s and s + t are equally frequent, 9
times. The rule takes e + s, because 101 is less than 115, and with it s + t is gone. *est* is a token before *low* is,
though nobody said what an ending is. If you go on, all four words are one token each, *lower* last of all, and after 12
merges no pair is left.
</details>

### 1.5 Encode and decode

A new text is encoded by the same merges, **in the order in which they were learned**: of the merges that are possible
somewhere, carry out the earliest one first. This is not the same as taking the longest matching token at each place.

$$[\,a, b, c\,] \text{ with merges } \bigl(0\colon (b, c),\; 1\colon (a, b)\bigr) \;\to\; [\,a,\, bc\,]$$

**Exercise 4.** ●● Write `bpe_encode`. The input is a list of bytes, `list(text.encode("utf8"))`, not necessarily valid
UTF-8.

<details><summary>Hint: order</summary>

Can a merge make a place where an *earlier* merge is possible? Its new id is larger than all those that earlier merges
know. So how often must each merge be tried?
</details>
"""

# %% nbgrader={"grade_id": "bpe_encode", "solution": true}
def bpe_encode(ids, merges):
    """Return the list of ids that a list of bytes (0 to 255) becomes. merges: pairs of ids; merge k makes the id 256 + k."""
    ### BEGIN SOLUTION Carry out all merges in the order in which they were learned.
    for k, pair in enumerate(merges):
        ids = merge_pair(ids, pair, 256 + k)
    return list(ids)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-bpe_encode", "grade": true}
check("bpe_encode")

# %% [markdown]
r"""
The way back needs no search. Each id has fixed bytes: a byte is itself, and the id $256 + k$ has those of its two
parts,

$$\mathrm{bytes}(256 + k) = \mathrm{bytes}(a_k)\,\mathrm{bytes}(b_k)$$

Return the **bytes**, a list of numbers from 0 to 255, not text: a model's first three tokens can end in the middle of a
character. `bytes(…).decode("utf8", errors="replace")` then makes a text, with � where there is none.

**Exercise 5.** ● Write `bpe_decode`. An id that is neither a byte nor made by one of the merges raises a `ValueError`
that says what was expected.

<details><summary>Hint: the bytes of an id</summary>

The two parts of a merge are older than the merge. In the order of the merges, what is already known about $a_k$ and
$b_k$?
</details>
<details><summary>Hint: the error</summary>

Which ids does Python's indexing accept though they should be refused?
</details>
"""

# %% nbgrader={"grade_id": "bpe_decode", "solution": true}
def bpe_decode(ids, merges):
    """Return the bytes (0 to 255) of these ids, as a list. Raises ValueError for an id that no merge makes."""
    ### BEGIN SOLUTION Build the bytes of every id from its two parts, then look the ids up.
    parts = [[byte] for byte in range(256)]
    for a, b in merges:
        parts.append(parts[a] + parts[b])
    for each in ids:
        if not 0 <= each < len(parts):
            raise ValueError(f"expected ids from 0 to {len(parts) - 1}, got {each}")
    return [byte for each in ids for byte in parts[each]]
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-bpe_decode", "grade": true}
check("bpe_decode")

# %% [markdown]
r"""
**Before you run it:** how will *lowest*, *slower* and *bright*, which the tokenizer has never seen, be cut with these
12 merges?
"""

# %% tags=["experiment"]
def tokens_of(text, merges):
    """Return the tokens of one word as text."""
    ids = bpe_encode(list(text.encode("utf8")), merges)
    return [bytes(bpe_decode([n], merges)).decode("utf8", errors="replace") for n in ids]

for word in ("lowest", "slower", "bright", "naïve"):
    print(word, tokens_of(word, merges))

# %% tags=["numbers"]
claims("*lowest* is low + est", tokens_of("lowest", merges) == ["low", "est"])
claims("*slower* is s + lower", tokens_of("slower", merges) == ["s", "lower"])
claims("*bright* stays six bytes", len(tokens_of("bright", merges)) == 6)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*lowest* is low + est, as a reader of English would cut it. *slower* is s + lower. *bright* stays six bytes: none of its
pairs was frequent; even so, nothing is unknown. The two bytes of ï are two tokens here, neither of which is a character
by itself: �.
</details>

### 1.6 Without counting everything again

`train_bpe` recounts all pairs of all words for every merge, but a merge changes only the words that hold the pair. For
GPT-2's 50,000 merges and millions of different words, recounting would take days.

Three things have to be kept up to date instead:

| what | what for | after a merge |
|---|---|---|
| `pairs`: pair → how often | the next maximum | subtract the pairs of each changed word, change it, add its new ones |
| `where`: pair → the words that hold it | which words change | new pairs get these words |
| a way to the largest count | not to look through all pairs | see below |

The usual way to find the maximum is a **heap**: `heapq` gives the smallest entry of a list in logarithmic time, here of
entries `(-count, pair)`, so that ties are right by themselves. A heap cannot change an entry. But old pairs only become
rarer (why?), so an entry can be *too early* but never too late. When it comes out, compare it with `pairs`: if it is
out of date, put it back with today's count.

**Exercise 6.** ●●● Write `train_bpe_fast`, with exactly the merges of `train_bpe`. About twenty lines. The check times
it against recounting everything: at most a fifth of the time earns all points, at most two fifths half of them.

<details><summary>Hint: begin without a heap</summary>

First use `pairs` and `where` alone, with the line of `train_bpe` for the best pair. Compare the merges with
`train_bpe`'s on `{"banana": 3, "bandana": 2}`, and then see what takes the time.
</details>
<details><summary>Hint: what to subtract</summary>

From a word that changes, subtract *all* its pairs, times its frequency; merge; then add all its new pairs. What goes
wrong if you subtract only the pair that was merged? Which two other pairs are gone in `x a b y`?
</details>
<details><summary>Hint: words that no longer hold the pair</summary>

A word may still be in `where[pair]` though an earlier merge took the pair away. Subtracting and adding then does no
harm: why? And which pairs are new for `where`: can a pair without the new id be one of them?
</details>
<details><summary>Hint: an entry that is out of date</summary>

The count of a pair that comes out of the heap is `-entry[0]`. If `pairs` has another number above 0, push the pair back
with that number, and take the next entry; if 0, forget it. Push each *new* pair once, after all words of this merge.
</details>
"""

# %% nbgrader={"grade_id": "train_bpe_fast", "solution": true}
def train_bpe_fast(word_counts, num_merges):
    """Return the same merges as `train_bpe`, without counting what has not changed."""
    ### BEGIN SOLUTION Keep the counts and the places of all pairs, and change only the words that hold the pair.
    words, counts = [list(word.encode("utf8")) for word in word_counts], list(word_counts.values())
    pairs, where, merges = Counter(count_pairs(words, counts)), defaultdict(set), []
    for place, ids in enumerate(words):
        for pair in zip(ids, ids[1:]):
            where[pair].add(place)
    heap = [(-n, pair) for pair, n in pairs.items()]
    heapq.heapify(heap)
    while heap and len(merges) < num_merges:
        n, best = heapq.heappop(heap)
        if pairs[best] != -n:                                     # out of date: back with the count of today
            if pairs[best]:
                heapq.heappush(heap, (-pairs[best], best))
            continue
        new, fresh = 256 + len(merges), set()
        merges.append(best)
        for place in where[best]:
            for pair in zip(words[place], words[place][1:]):
                pairs[pair] -= counts[place]
            words[place] = ids = merge_pair(words[place], best, new)
            for pair in zip(ids, ids[1:]):
                pairs[pair] += counts[place]
                if new in pair:
                    where[pair].add(place)
                    fresh.add(pair)
        for pair in fresh:
            heapq.heappush(heap, (-pairs[pair], pair))
    return merges
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-train_bpe_fast", "grade": true}
check("train_bpe_fast")

# %% [markdown]
r"""
Real text: the Python documentation and the docstrings of the standard library, which every Python has, cut into words
as in GPT-2. (`gpt2_words`: a run of letters, of digits or of other signs, each with the space before it.)

**Before you run it:** `train_bpe` makes 20 merges below, `train_bpe_fast` 2000. Which of them takes longer?
"""

# %% tags=["experiment"]
paragraphs = [paragraph for document in python_english("train") for paragraph in document.paragraphs]
counts = word_counts(paragraphs)
print(f"{sum(map(len, paragraphs)):,} characters, {sum(counts.values()):,} words, {len(counts):,} different ones")

seconds = {}
for name, train, number in (("train_bpe", train_bpe, 20), ("train_bpe_fast", train_bpe_fast, 2000)):
    start = time.process_time()
    merges = train(counts, number)
    seconds[name] = (time.process_time() - start) / number
    print(f"{name}: {number} merges in {seconds[name] * number:.2f} s, {1000 * seconds[name]:.2f} ms each")

# %% tags=["numbers"]
claims("more than twenty times faster", seconds["train_bpe"] / seconds["train_bpe_fast"] > 20)
claims("take about as long", 0.2 < seconds["train_bpe"] * 20 / (seconds["train_bpe_fast"] * 2000) < 5)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

For each merge, the fast version is more than twenty times faster: 20 merges of the one take about as long as 2000 of
the other. The later a merge, the rarer its pair and the less there is to do, while recounting always costs the same.
(`train_bpe_fast` spends most of its time before the first merge and on the first hundred.)
</details>

### 1.7 What the merges have learned

Nobody told the algorithm what a word is made of.

**Before you run it:** which pair of bytes is the most frequent one in English, if the space counts? And will the
longest of 2000 tokens be a syllable, a word, or more than a word?
"""

# %% tags=["experiment"]
texts = [bytes([byte]) for byte in range(256)]
for left, right in merges:
    texts.append(texts[left] + texts[right])
learned = [text.decode("utf8", errors="replace") for text in texts[256:]]
print("the first:  ", " ".join(map(repr, learned[:20])))
print("the last:   ", " ".join(map(repr, learned[-12:])))
print("the longest:", " ".join(map(repr, sorted(learned, key=len)[-8:])))

# %% tags=["numbers"]
claims("a space and t", learned[0] == " t")
claims("*the* with its space is among the first ten", " the" in learned[:10])
claims("*ing* and *tion*", {"ing", "tion"} <= set(learned[:40]))
claims("words of the documentation", max(map(len, learned)) > 12 and " documentation" in learned)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The most frequent pair is a space and t; *the* with its space is among the first ten tokens, and the endings *ing* and *tion*
follow soon. The longest ones are words of the documentation, such as *configuration*. None is more than a word, since
merges do not cross words. A tokenizer learns *what was frequent in its training data*, and nothing else. What does that
mean for other texts?
</details>

Trying every merge at every word is wasteful: most occur nowhere. `encoded` looks which of the pairs **that are there**
was learned first; `most` is the number of merges in use, since a smaller tokenizer is the beginning of a larger one.

**Before you run it:** with 2000 merges a token of English prose will hold more than 3 bytes on average. What about
Python code, about cubes of whole numbers, and about Greek?
"""

# %% tags=["experiment"]
ranks = {pair: k for k, pair in enumerate(merges)}

def encoded(text, most=len(merges)):
    """Return the ids of a text, with the first `most` merges."""
    found = []
    for word in gpt2_words(text):
        ids = list(word.encode("utf8"))
        while (pairs := list(zip(ids, ids[1:]))) and (k := min(ranks.get(pair, most) for pair in pairs)) < most:
            ids = merge_pair(ids, merges[k], 256 + k)
        found += ids
    return found

rights = {  # the Universal Declaration of Human Rights, article 1
    "English": "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience "
               "and should act towards one another in a spirit of brotherhood.",
    "German": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und "
              "sollen einander im Geist der Brüderlichkeit begegnen.",
    "Greek": "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. Είναι προικισμένοι με "
             "λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα αδελφοσύνης.",
    "Japanese": "すべての人間は、生れながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、"
                "互いに同胞の精神をもって行動しなければならない。",
}
held_out = "\n".join(paragraph for document in python_english("held_out") for paragraph in document.paragraphs)
kinds = {
    "English, held out": held_out[:20_000],
    "Python code": inspect.getsource(argparse)[30_000:50_000],
    "German": rights["German"],
    "cubes of numbers": " ".join(str(n**3) for n in range(100, 1100)),
    "Greek": rights["Greek"],
}
numbers_of_merges = [0, 10, 30, 100, 300, 1000, 2000]
bytes_per_token = {
    kind: [len(text.encode("utf8")) / len(encoded(text, most)) for most in numbers_of_merges] for kind, text in kinds.items()
}
plots.show_curves(numbers_of_merges[1:], {kind: values[1:] for kind, values in bytes_per_token.items()}, 
                  xlabel="merges", ylabel="bytes for each token", title="Tokens of English documentation, on other texts", logx=True)
per_word = {most: len(encoded(kinds["English, held out"], most)) / len(gpt2_words(kinds["English, held out"])) for most in (0, 100, 500, 2000)}
print("tokens for each word of held-out English:", ", ".join(f"{most} merges {number:.2f}" for most, number in per_word.items()))
for language, text in rights.items():
    print(f"{language:8} {len(text):4} characters {len(text.encode('utf8')):4} bytes {len(encoded(text)):4} tokens")

# %% tags=["numbers"]
ends, cost = {kind: values[-1] for kind, values in bytes_per_token.items()}, {name: len(encoded(text)) for name, text in rights.items()}
claims("more than 3 bytes of English, and fewer than 2 of code", ends["English, held out"] > 3 > 2 > ends["Python code"])
claims("hardly more than one digit", ends["cubes of numbers"] < 1.2)
claims("not a single merge fits Greek", ends["Greek"] == 1)
claims("from almost five tokens for a word to fewer than one and a half", per_word[0] > 4.5 and per_word[2000] < 1.5)
claims("hundred merges already save a third", per_word[100] < 0.67 * per_word[0])
claims("six times as many tokens as the English one", 5 < cost["Greek"] / cost["English"] < 7)
claims("four times as many, though it has half as many characters", 3.5 < cost["Japanese"] / cost["English"] < 4.6)
says("170 characters in English and 84 in Japanese", len(rights["English"]), len(rights["Japanese"]))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

A token holds more than 3 bytes of English, and fewer than 2 of code. Of the cubes it holds hardly more than one digit,
and not a single merge fits Greek: the curve stays at 1. German lies between, because it shares letters and some endings
with English. Held-out English goes from almost five tokens for a word to fewer than one and a half; the first hundred
merges already save a third, and every further saving needs several times more.

One article of a declaration has 170 characters in English and 84 in Japanese. But in Greek it takes six
times as many tokens as the English one, and in Japanese four times as many, though it has half as many characters: two
bytes for each Greek letter, three for each Japanese character, and no merges. In Greek you pay six times as much, wait
six times as long, and have a sixth of the context. Only other training data for the tokenizer would change that.
</details>

### 1.8 Why numbers and code are cut badly

**Before you run it:** *1999*, *2000* and *2001* are neighbours. Will they be cut alike? And how many tokens are the
four spaces before an *if*?
"""

# %% tags=["experiment"]
def cut(text):
    """Return the tokens of a text, as text."""
    return [bytes(bpe_decode([n], merges)).decode("utf8", errors="replace") for n in encoded(text)]

for text in ("1999", "2000", "2001", "1000", "10000", "12345 + 678", "    if x == 10:", "tokenization", "straightforward"):
    print(f"{text:>16}  {' | '.join(cut(text))}")

# %% tags=["numbers"]
claims("*1999* is four tokens, and *2000* is not cut like it", len(cut("1999")) == 4 > len(cut("2000")))
claims("the zeros", "00" in cut("2000") and "00" in cut("1000"))
claims("the first three of the four spaces are a token each", cut("    if x")[:4] == [" ", " ", " ", " if"])
claims("*tokenization* ends in *ization*", cut("tokenization")[-1] == "ization")
given("30 % fewer for code", "50,257 rows", "256 bytes, 50,000 merges", "38.6 million of its 124 million parameters")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*1999* is four tokens, and *2000* is not cut like it: in the documentation two zeros in a row are frequent enough to be
a token, so the zeros are cut in twos. Whether a digit means tens or thousands depends on the cut, so adding two such
numbers digit by digit is hard. (Newer tokenizers cut all numbers into single digits, or into groups of three.)

Of the code, the first three of the four spaces are a token each, and the fourth belongs to the word. Prose has no
double spaces, so they were never merged, and indented code spends most of its tokens on nothing. For Codex, GPT-3's
tokenizer was given tokens for runs of spaces, and needed 30 % fewer for code (Chen et al. 2021). *tokenization* ends in *ization*,
which fits; but *straightforward* is cut in the middle of *straight*.
</details>

How many merges should you make? Each makes sequences shorter, and adds a row to the embeddings (and to the output, if
it is not tied). GPT-2 has 50,257 rows: 256 bytes, 50,000 merges, and one symbol that ends a text. With a width of 768
they are 38.6 million of its 124 million parameters. The row of a rare token is badly learned: beyond some vocabulary
size, further merges help only if you have more data.
"""

# %% [markdown]
r"""
## 2 A model of what comes next

A **language model** gives every sequence of tokens a probability. By the chain rule that is a product of predictions,
one for each token, from all tokens before it:

$$P(x_1, \dots, x_N) = \prod_{i=1}^{N} P(x_i \mid x_1, \dots, x_{i-1})$$

Such a model is **autoregressive**. The equation is exact. A **causal Transformer** computes all $N$ factors at once.
Row $i$ of its output depends on the tokens up to $i$ and on none after it, and says how probable each of the $V$ tokens
is in place $i + 1$. GPT (Radford et al. 2018) and GPT-2 (2019) are such models. All their parts are in lessons 3 and 4.

### 2.1 Many documents in one row

A row of a batch has $N$ places, and documents have any length. Padding the short ones wastes much of the work, so
documents are **packed**, one after the other, into the same row. Then a token can see unrelated documents before its
own. GPT-2 and GPT-3 let it, with an end-of-text token between them ("not masked in any special way", Brown et al. 2020);
Llama 3 does not (Grattafiori et al. 2024: the mask matters little for ordinary lengths and much for very long rows). We
hide them, so that we can check exactly that documents do not influence each other. Attention needs a mask, and the
positions begin again in each document:

$$\text{allowed}_{ij} = [d_i = d_j] \qquad \text{place}_i = i - \min \{ j : d_j = d_i \}$$

where $d_i$ is the number of the document that token $i$ belongs to. With both, a document gives the same logits in a
packed row as alone.

**May a token of the second document look at the first?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (row: L tokens)
    d1 = (document 1) | d2 = (document 2) | d3 = (document 3)
    o1 = (0 1 2) | o2 = (0 1 2 3) | o3 = (0 1: positions)
    d1, d2, d3 -> row
    d2 -x> d1
    d3 -x> d2
    o1 -> d1
    o2 -> d2
    o3 -> d3
""", title="Packing: documents in one row");

# %% [markdown]
r"""
**Exercise 7.** ●● Write `packed`. The numbers may be any whole numbers, in any order; equal numbers are neighbours.
Leave out whether a token comes *later*: the model adds the causal mask itself.

<details><summary>Hint: the mask</summary>

Compare every number with every other: what shape has `documents[:, :, None] == documents[:, None]`? And which axis is
missing, for the heads?
</details>
<details><summary>Hint: the places</summary>

A document begins in place 0, and where the number differs from the one before. Write $i$ there and 0 elsewhere;
`torch.cummax` along the row carries the last beginning on. What is left to subtract?
</details>
"""

# %% nbgrader={"grade_id": "packed", "solution": true}
def packed(documents):
    """Return (allowed (B, 1, N, N), places (B, N)) for rows in which several documents follow each other.

    documents (B, N): the number of the document of each token; equal numbers are neighbours. allowed is True for two
    tokens of the same document; places are whole numbers that count from 0 in each document.
    """
    ### BEGIN SOLUTION Compare the numbers of all pairs of tokens, and count from the beginning of each document.
    index = torch.arange(documents.shape[1], device=documents.device).expand_as(documents)           # (B, N)
    begins = F.pad(documents[:, 1:] != documents[:, :-1], (1, 0), value=True)                        # (B, N)
    allowed = documents[:, :, None] == documents[:, None]                                            # (B, N, N)
    return allowed[:, None], index - (index * begins).cummax(dim=1).values
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-packed", "grade": true}
check("packed")

# %% [markdown]
r"""
**Before you run it:** a row of ten tokens holds a document of three, one of five and one of two. With the causal mask,
how many of the hundred pairs are left?
"""

# %% tags=["experiment"]
three = torch.tensor([[1] * 3 + [2] * 5 + [3] * 2])
allowed, places = packed(three)
seen = allowed[0, 0] & layers.causal_mask(10)
names = [f"{document}.{place}" for document, place in zip(three[0].tolist(), places[0].tolist())]
plots.show_attention(seen.float(), queries=names, keys=names, values=False, title=f"{int(seen.sum())} of 100 pairs", label="may attend")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Three triangles on the diagonal: 6 + 15 + 3 pairs. Without the document mask there would be one triangle of 55, and the
first token of a document would be predicted from the end of another.
</details>

### 2.2 The model

$$X = \text{Emb}(x) + \text{Pos} \qquad X \leftarrow X + \text{Attention}(\text{LN}(X)) \qquad X \leftarrow X + \text{FFN}(\text{LN}(X)) \qquad \text{logits} = \text{LN}(X)\, \text{Emb}^\top$$

Every block repeats the two steps in the middle: pre-norm, with the causal mask. Each reads $X$, the **residual
stream**, and adds to it. GPT-2 has learned positional encodings, GELU, and a **tied** output: the matrix that turns ids
into vectors also turns vectors into logits. Without a source, a decoder has no cross-attention. Such a **decoder-only**
model is an encoder under a causal mask (BERT, in lesson 9, is **encoder-only**: no causal mask), and `layers.Encoder`
has all of it:

- `layers.Encoder(num_blocks, model_width, num_heads, hidden_width, dropout, "pre", activation)`; it ends with a
  LayerNorm. Called as `self.decoder(X, allowed, need_weights=..., causal=True)` it gives `(Y, [A of each block])`;
- `layers.LearnedPositions(max_length, model_width)` adds the first rows of its `table` to `X`, and raises a
  `ValueError` for more than there are;
- `layers.small_start(model, num_blocks)` draws the weights as GPT-2's are drawn. It is in the code already.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (logits: N × vocabulary)
    tied = [the same table transposed]
    [LayerNorm]
    [causal blocks: L of them]
    plus = {+}
    [table of words] | [table of positions]
    (ids: N)
    ids -> table of words, table of positions
    table of words, table of positions -> plus
    plus -> causal blocks
    causal blocks -> LayerNorm
    LayerNorm -> tied
    tied -> logits
""", title="GPT: a decoder without an encoder");

# %% [markdown]
r"""
**Exercise 8.** ●● Write `GPT`. The sizes are those of `config`: `vocab_size`, `model_width`, `num_heads`,
`hidden_width`, `decoder_blocks`, `max_length`, `dropout`, `activation`, `tied`. Weights are loaded by name, so the
names are part of the exercise: `embedding`, `positions`, `dropout`, `decoder`, `output` (a linear map without bias; if
tied, None, or one that shares the embedding's weight). Dropout acts on the sum of embedding and positions; the blocks
have their own.

<details><summary>Hint: documents</summary>

Without `documents`, `self.positions(X)` does it. With them, `packed` has computed which rows of `self.positions.table`
the tokens need, and the mask for the decoder.
</details>
<details><summary>Hint: the tied output</summary>

`F.linear(Y, matrix)` multiplies by a matrix of shape `(V, D)`. Which matrix of this shape is there already? Use the
parameter itself, not a copy: gradients have to reach it from both ends.
</details>
"""

# %% nbgrader={"grade_id": "GPT", "solution": true}
class GPT(nn.Module):
    """Token and position vectors, causal pre-norm blocks, a last LayerNorm, logits (Radford et al. 2019)."""

    def __init__(self, config):
        super().__init__()
        ### BEGIN SOLUTION Make embedding, positions, dropout, decoder and output, with the sizes of config.
        sizes = config.model_width, config.num_heads, config.hidden_width, config.dropout, "pre", config.activation
        self.embedding = nn.Embedding(config.vocab_size, config.model_width)
        self.positions = layers.LearnedPositions(config.max_length, config.model_width)
        self.dropout = nn.Dropout(config.dropout)
        self.decoder = layers.Encoder(config.decoder_blocks, *sizes)
        self.output = None if config.tied else nn.Linear(config.model_width, config.vocab_size, bias=False)
        ### END SOLUTION
        layers.small_start(self, config.decoder_blocks)

    def forward(self, ids, need_weights=True, documents=None):
        """Return (logits (B, N, V), the weights (B, H, N, N) of each block; an empty list with need_weights=False).

        logits[:, i] are about the token that follows ids[:, i]. documents (B, N): as in `packed`; None if each row is one.
        """
        ### BEGIN SOLUTION Embed the ids, add the positions, run the causal blocks, and multiply by the output's matrix.
        X, allowed = self.embedding(ids), None                                       # (B, N, D)
        if documents is None:
            X = self.positions(X)
        else:
            allowed, places = packed(documents)
            X = X + self.positions.table[places]
        Y, weights = self.decoder(self.dropout(X), allowed, need_weights=need_weights, causal=True)
        return F.linear(Y, self.embedding.weight if self.output is None else self.output.weight), weights
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-GPT", "grade": true}
check("GPT")

# %% [markdown]
r"""
**Before you run it:** GPT-2's smallest model has 12 blocks of width 768 with 12 heads, 3072 inside the feed-forward
networks, 1024 positions and 50,257 tokens. The paper says "117M" parameters. How many does yours have? And in the
picture, on which place does the logit of row $i$ depend most, before any training?
"""

# %% tags=["experiment"]
gpt2 = TransformerConfig(kind="decoder", vocab_size=50_257, model_width=768, num_heads=12, hidden_width=3072, decoder_blocks=12,
                         max_length=1024, dropout=0.1, norm="pre", activation="gelu")
with torch.device("meta"):                                                      # shapes without numbers, as in lesson 4
    parameters = sum(parameter.numel() for parameter in GPT(gpt2).parameters())
print(f"{parameters:,} parameters")

torch.manual_seed(0)
small = GPT(TransformerConfig(kind="decoder", vocab_size=50, model_width=32, num_heads=4, hidden_width=64, decoder_blocks=2, max_length=12,
                              dropout=0.0, norm="pre", activation="gelu")).eval()
ids = torch.randperm(50)[None, :12]                                             # no id twice, so each row of the table is one place
influence = torch.zeros(12, 12)
for i in range(12):
    small.zero_grad()
    small(ids)[0][0, i, 49].backward()                                          # a token that is not in the row
    influence[i] = small.positions.table.grad.norm(dim=1)
plots.show_attention(influence, title="Logits of place i: gradient at the vector of place j", label="size of the gradient", values=False)

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("It has 124,439,808", parameters)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

It has 124,439,808, to the last digit those of the published weights (lesson 4 says where the 117M come from). The
gradient is exactly 0 above the diagonal: no logit depends on a later token. The diagonal is by far the largest, because
the residual stream carries a token's own vector straight to the output, and attention does not know yet where to look.
</details>

### 2.3 The loss: shifted exactly once

The logits in place $i$ are about token $i + 1$. With $\mathcal{C}$ the places that count,

$$\mathcal{L} = -\frac{1}{|\mathcal{C}|} \sum_{(b, i) \in \mathcal{C}} \log P_{b,i}(x_{b, i+1}), \qquad P_{b,i} = \mathrm{softmax}(\text{logits}_{b,i})$$

The last place of a row has nothing to predict. Nor does a place count if the next token is **padding**, or belongs to **another
document**, since the end of one document says nothing about the next. Two classic mistakes raise no error: not shifting
at all, so that the model learns to copy, and shifting twice, once in the data and once in the loss.

**Exercise 9.** ●● Write `next_token_loss`. If no place counts, the loss is 0 with a gradient of 0.

<details><summary>Hint: which rows, which targets</summary>

Write the columns of `logits` and of `ids` below each other, for $N = 4$. Which column of each has no partner?
</details>
<details><summary>Hint: what counts</summary>

`F.cross_entropy` wants the classes on the second axis, and leaves out targets that are `ignore_index`;
`reduction="none"` keeps one number for each place. Padding is decided by the *target*; for documents, compare
neighbouring columns. How do you take a mean over some of the places, even if there are none?
</details>
"""

# %% nbgrader={"grade_id": "next_token_loss", "solution": true}
def next_token_loss(logits, ids, documents=None, pad=None):
    """Return the mean of -log P(next token), one number, over all places that have a next token to predict.

    logits (B, N, V), ids (B, N). documents (B, N): a token is not predicted from another document; pad: an id that is not
    predicted. None: there are no such things. Without any place that counts, the loss is 0.
    """
    ### BEGIN SOLUTION Compare logits with the ids one place later, and average over the places that count.
    targets = F.pad(ids[:, 1:], (0, 1), value=-100)                                                  # the last place has none
    if pad is not None:
        targets = targets.masked_fill(targets == pad, -100)
    if documents is not None:
        ends = F.pad(documents[:, 1:] != documents[:, :-1], (0, 1), value=True)
        targets = targets.masked_fill(ends, -100)
    total = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-100, reduction="sum")
    return total / (targets != -100).sum().clamp(min=1)
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-next_token_loss", "grade": true}
check("next_token_loss")

# %% [markdown]
r"""
**Before you run it:** three equal models read the Python documentation, byte by byte. In place $i$ the first is asked
for byte $i$ (not shifted), the second for byte $i + 1$, the third for byte $i + 2$ (shifted twice). Whose loss will be
lowest after 150 steps, and whose highest? What will each write after "The "?
"""

# %% tags=["experiment"]
torch.set_num_threads(1)            # small tensors: two threads would mostly wait for each other
texts = {part: ["\n".join(document.paragraphs) for document in python_english(part)] for part in ("train", "held_out")}
stream = torch.tensor(list("\n\n".join(texts["train"]).encode()))
tiny = TransformerConfig(kind="decoder", vocab_size=256, model_width=48, num_heads=4, hidden_width=96, decoder_blocks=1, max_length=48,
                         dropout=0.0, norm="pre", activation="gelu")
losses = {}
for shift in (0, 1, 2):
    torch.manual_seed(0)
    model, found = GPT(tiny), []
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for step in range(150):
        row = torch.randint(len(stream) - 50, (16, 1)) + torch.arange(48)
        logits, _ = model(stream[row], need_weights=False)
        loss = F.cross_entropy(logits.flatten(0, 1), stream[row + shift].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.item())
    text = [*b"The "]
    for _ in range(40):
        text.append(int(model(torch.tensor([text]))[0][0, -1].argmax()))
    losses[f"shifted by {shift}"] = found
    print(f"shifted by {shift}: loss {sum(found[-20:]) / 20:.2f}, writes {bytes(text).decode(errors='replace')!r}")
plots.show_curves(range(1, 151), losses, "training step", "nats per byte", "Shifted by 0, 1 and 2: which loss is lowest?");

# %% tags=["numbers"]
says("begin near $\\ln 256 = 5.55$", 256, math.log(256))
claims("falls to almost nothing", sum(losses["shifted by 0"][-20:]) / 20 < 0.1)
claims("the model that is asked for what lies further away has the highest loss", sum(losses["shifted by 2"][-20:]) > sum(losses["shifted by 1"][-20:]))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

All three begin near $\ln 256 = 5.55$, the loss of a guess. The loss of the model that is not shifted falls to almost
nothing, and it writes spaces for ever, because the prompt ends with one: it has learned to copy. Of the others, the
model that is asked for what lies further away has the highest loss. A loss that is too good is a mistake until it is
understood.
</details>

### 2.4 Perplexity, and bits per byte

The loss is in nats per token. Two other units are common. **Perplexity** is $e^{\mathcal{L}}$: with a perplexity of 20
the model is as unsure as if it had to choose between 20 equally probable tokens. It depends on the tokens: a model of
longer tokens makes fewer, harder decisions, so perplexities with different tokens cannot be compared. We can compare
how many bits the *text* costs:

$$\text{bits per byte} = \frac{\sum_t \ell_t / \ln 2}{\sum_t \text{bytes of token } t}$$

This is also how far the model can *compress* the text, to within two bits for all of it: the bound is Shannon's (1948),
and arithmetic coding reaches it (Rissanen 1976; Pasco 1976). So a language model can be compared with gzip.

**Exercise 10.** ● Write `perplexity_and_bits`. No token at all, no byte at all, or shapes that differ raise a
`ValueError`.
"""

# %% nbgrader={"grade_id": "perplexity_and_bits", "solution": true}
def perplexity_and_bits(losses, sizes):
    """Return (perplexity per token, bits per byte), two numbers.

    losses (N,): -log P of each token, in nats; sizes (N,): how many bytes of text each token has, maybe 0.
    """
    ### BEGIN SOLUTION Take the exponential of the mean loss, and divide all bits by all bytes.
    if losses.shape != sizes.shape or not sizes.sum() > 0:
        raise ValueError(f"Expected a loss and a size for each token, got {losses.shape} and {sizes.shape}.")
    total = losses.double().sum().item()
    return math.exp(total / len(losses)), total / math.log(2) / sizes.sum().item()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-perplexity_and_bits", "grade": true}
check("perplexity_and_bits")

# %% [markdown]
r"""
Four models that only count, and two programs, on documents that none of them has seen. The third model counts tokens of
several bytes, 1024 of them, made by byte-pair encoding (with `tokenizers`, which makes the same ones as your code of
section 1, faster). The fourth also counts, for each token, how often every other token follows it.

**Before you run it:** order the four by perplexity, and then by bits per byte. Is it the same order?
"""

# %% tags=["experiment"]
predict("most bits", "One of these needs the most bits for a byte. Which?",
        ["bytes", "pairs of bytes", "tokens", "pairs of tokens"])

# %% tags=["experiment"]
BEGIN, TOKENS = 0, 1024
tokenizer = Tokenizer(models.BPE())
tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
tokenizer.train_from_iterator(texts["train"], trainers.BpeTrainer(
    vocab_size=TOKENS, special_tokens=["<start>"], initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False))
token_sizes = torch.tensor([0, *(len(tokenizer.id_to_token(i)) for i in range(1, TOKENS))])     # written with one character for each byte
token_streams = {part: torch.tensor([i for encoding in tokenizer.encode_batch(texts[part]) for i in (BEGIN, *encoding.ids)]) for part in texts}
byte_streams = {part: torch.tensor(list("\n".join(texts[part]).encode())) for part in texts}


def counted(streams, V, pairs):
    """Return -log P of the tokens of "held_out", by the counts of "train"; with `pairs`, by the token before."""
    train, test = streams["train"], streams["held_out"]
    single = torch.bincount(train, minlength=V) + 0.1
    if not pairs:
        return -(single / single.sum()).log()[test[1:]]
    double = torch.bincount(train[:-1] * V + train[1:], minlength=V * V).view(V, V) + 30 * single / single.sum()
    return -(double / double.sum(dim=1, keepdim=True)).log()[test[:-1], test[1:]]


perplexities, bits = {}, {}
for name, streams, V, pairs, sizes in (("bytes", byte_streams, 256, False, torch.ones(256)), ("pairs of bytes", byte_streams, 256, True, torch.ones(256)),
                                       ("tokens", token_streams, TOKENS, False, token_sizes), ("pairs of tokens", token_streams, TOKENS, True, token_sizes)):
    surprise = counted(streams, V, pairs)
    perplexities[name], bits[name] = perplexity_and_bits(surprise, sizes[streams["held_out"][1:]])
    print(f"{name:16} perplexity {perplexities[name]:6.1f}, {bits[name]:.2f} bits per byte")
held_out = "\n".join(texts["held_out"]).encode()
for name, size in (("gzip", len(gzip.compress(held_out, 9))), ("lzma", len(lzma.compress(held_out)))):
    bits[name] = 8 * size / len(held_out)
    print(f"{name:16} {bits[name]:24.2f} bits per byte")
came_out("most bits", max(("bytes", "pairs of bytes", "tokens", "pairs of tokens"), key=bits.get))

# %% tags=["numbers"]
says("2.05 bits per byte are less than the 2.18 of lzma and the 2.40 of gzip", bits["pairs of tokens"], bits["lzma"], bits["gzip"], within=5)
claims("pairs of bytes, bytes, pairs of tokens, tokens", perplexities["pairs of bytes"] < perplexities["bytes"] < perplexities["pairs of tokens"] < perplexities["tokens"])
given("Section 6.3 lets them.")
claims("pairs of tokens, tokens, pairs of bytes, bytes", bits["pairs of tokens"] < bits["tokens"] < bits["pairs of bytes"] < bits["bytes"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

By perplexity, the lowest first: pairs of bytes, bytes, pairs of tokens, tokens. By bits per byte: pairs of tokens,
tokens, pairs of bytes, bytes. A token is hard to guess, since there are 1024 of them, but it holds several bytes. With
pairs of tokens, 2.05 bits per byte are less than the 2.18 of lzma and the 2.40 of gzip. That is not fair: the model has
read a million bytes of such text before, and the programs have not. Section 6.3 lets them.
</details>
"""

# %% [markdown]
r"""
## 3 From probabilities to text

### 3.1 Drawing a token

The model gives probabilities, and somebody has to choose. Always take the most probable token, and the text soon loops:
a phrase that has occurred once becomes more likely to occur again. Sample from the model itself, and with 50,000 tokens
the long tail of improbable ones adds up: now and then one is drawn, and the text never recovers. Three ways lie
between:

- **temperature** $T$: $P = \mathrm{softmax}(\text{logits} / T)$. Below 1 what is probable becomes more so; $T \to 0$ is
  the most probable token;
- **top-k** (Fan et al. 2018): only the $k$ most probable tokens can be drawn;
- **top-p**, or nucleus sampling (Holtzman et al. 2020): only the most probable tokens that *together* reach the
  probability $p$: one or two where the model is sure, hundreds where it is not.

What remains is divided by its sum. They are applied in this order, each to what the one before has left: temperature,
top-k, top-p.

**Exercise 11.** ●●● Write `sample` for the rows of a batch, each with its own distribution. The borders are part of the
exercise:

- temperature 0 is the most probable token, whatever the other arguments are;
- top-k keeps all tokens that are as probable as the $k$-th, so that a tie is not decided by their order; a $k$ larger
  than $V$ keeps all;
- top-p keeps the smallest number of most probable tokens whose sum is at least $p$, so always at least one. (Which of
  several equally probable ones at that border is kept does not matter here.)
- A temperature below 0, a $k$ below 1, or a $p$ that is not in $(0, 1]$ raises a `ValueError`.
- All randomness comes from `generator`.

<details><summary>Hint: top-k</summary>

`logits.topk(k)` gives the k largest of each row, in order. Which of them is the border? A logit of $-\infty$ has
probability 0.
</details>
<details><summary>Hint: top-p</summary>

Sort the probabilities of each row, the largest first, and add them up with `cumsum`. Keep a token if those *before* it
do not yet reach $p$: what is the sum before the first one? `scatter` with the order brings the sorted answers back to
their tokens.
</details>
<details><summary>Hint: drawing</summary>

`torch.multinomial` draws from rows of numbers, and takes a generator. Do the rows have to sum to 1?
</details>
"""

# %% nbgrader={"grade_id": "sample", "solution": true}
def sample(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    """Return one id for each row of logits (B, V), as (B,), drawn from what temperature, top-k and top-p leave of them.

    Raises ValueError unless temperature ≥ 0, top_k ≥ 1 and 0 < top_p ≤ 1 (None: all tokens).
    """
    ### BEGIN SOLUTION Scale the logits, leave out what top-k and top-p leave out, and draw from the rest.
    if temperature < 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError(f"Expected temperature >= 0, top_k >= 1, 0 < top_p <= 1, got {temperature}, {top_k}, {top_p}.")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        border = logits.topk(min(top_k, logits.shape[-1])).values[:, -1:]                            # (B, 1)
        logits = logits.masked_fill(logits < border, -math.inf)
    P = torch.softmax(logits, dim=-1)
    if top_p is not None and top_p < 1:                                                              # 1 keeps all, whatever rounding says
        largest, order = P.sort(dim=-1, descending=True)
        late = largest.cumsum(dim=-1) - largest >= top_p                                             # those before suffice
        P = P.masked_fill(torch.zeros_like(late).scatter(-1, order, late), 0)
    return torch.multinomial(P, 1, generator=generator)[:, 0]
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-sample", "grade": true}
check("sample")

# %% [markdown]
r"""
The check draws 20,000 times and compares the counts with the exact probabilities. It refuses a right answer less than
once in a million times.

**Before you run it:** eight tokens with the probabilities on the left. What is left of them at temperature 0.5, with
$k = 3$, and with $p = 0.7$? Which of the three leaves fewest tokens where the model is *sure* (below)?
"""

# %% tags=["experiment"]
unsure = torch.tensor([0.24, 0.20, 0.16, 0.12, 0.10, 0.08, 0.06, 0.04]).log()
sure = torch.tensor([0.90, 0.03, 0.025, 0.015, 0.01, 0.01, 0.005, 0.005]).log()
ways = {"as it is": {}, "T = 0.5": {"temperature": 0.5}, "k = 3": {"top_k": 3}, "p = 0.7": {"top_p": 0.7}}
shares = {}
_, axes = plt.subplots(2, 4, figsize=(9, 4.6), layout="constrained", sharey="row")
for row, (kind, logits) in zip(axes, {"unsure": unsure, "sure": sure}.items()):
    for ax, (name, options) in zip(row, ways.items()):
        drawn = sample(logits.expand(20_000, -1), **options, generator=torch.Generator().manual_seed(0))
        shares[kind, name] = torch.bincount(drawn, minlength=8) / 20_000
        ax.bar(range(8), shares[kind, name])
        ax.set(title=f"{kind}, {name}", xlabel="token", xticks=range(8))
    row[0].set_ylabel("share of the draws")

# %% tags=["numbers"]
claims("Top-k leaves three", all(int((shares[kind, "k = 3"] > 0).sum()) == 3 for kind in ("unsure", "sure")))
claims("$p = 0.7$ leaves four tokens of the unsure model and one of the sure one", (int((shares["unsure", "p = 0.7"] > 0).sum()), int((shares["sure", "p = 0.7"] > 0).sum())) == (4, 1))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Temperature changes all probabilities and removes none. Top-k leaves three whether or not the model is sure (and more
only if several are tied at the border). $p = 0.7$ leaves four tokens of the unsure model and one of the sure one: it
follows the model.
</details>

### 3.2 Not twice: a cache

To write token $n + 1$ the model recomputes everything that it has computed for token $n$. Nothing of that has changed,
because no row depends on a later one. All that later rows need of an earlier one is its keys and values, in every
block: the **KV cache**. Lesson 2 kept them for one layer; here it is the whole model. With $K^{(l)}, V^{(l)}$ the keys
and values of all tokens so far in block $l$, a new row costs

$$q = W_Q \text{LN}(x) \qquad K^{(l)} \leftarrow [K^{(l)}; W_K \text{LN}(x)] \qquad V^{(l)} \leftarrow [V^{(l)}; W_V \text{LN}(x)] \qquad x \leftarrow x + W_O \, \text{attention}(q, K^{(l)}, V^{(l)})$$

and then the feed-forward part, for one row instead of $n$. Reading the whole prompt at once is called **prefill**;
after it, **decoding** takes one token a step.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    p = (prompt: N tokens) | t1 = (token N + 1) | t2 = (token N + 2)
    m1 = [model: prefill] | m2 = [model: one query] | m3 = [model: one query]
    c1 = (cache: N) | c2 = (cache: N + 1)
    p -> m1
    t1 -> m2
    t2 -> m3
    m1 -> c1
    c1 -> m2
    m2 -> c2
    c2 -> m3
    m1 -> t1
    m2 -> t2
""", title="Prefill the prompt at once, then one token a step");

# %% [markdown]
r"""
**Exercise 12.** ●●● Write the forward of `CachedGPT`, a `GPT` that reads on. Its new tokens follow those in the cache:
they have later positions, see everything in the cache, and of each other what the causal mask allows. It returns the
logits of the *new* tokens, and a new cache: a list with a pair `(K, V)` for each block, each `(B, H, N, D_H)`. Leave
the old cache unchanged. More than `max_length` tokens in all raise a `ValueError`. It needs no dropout and about
fifteen lines. The parts of a block are `block.norm_1`, `block.attention` with `W_Q`, `W_K`, `W_V`, `W_O` and
`num_heads`, `block.norm_2` and `block.feed_forward`; the last norm is `self.decoder.norm`. `layers.split_heads`,
`layers.merge_heads`, `layers.causal_mask(N_Q, N_K)` and `layers.scaled_dot_product_attention(Q, K, V, allowed)` are
ready.

<details><summary>Hint: where are the new tokens?</summary>

A shape of the cache says how many tokens are in it. The rows of `self.positions.table` begin there. A slice that is too
long is no error in Python; so what notices that there are no more positions?
</details>
<details><summary>Hint: the mask</summary>

There are more keys than queries. `causal_mask(N_Q, N_K)` aligns the last query with the last key.
</details>
<details><summary>Hint: the block</summary>

Pre-norm: what is added to X is computed from the normed X, and X itself goes on. Which of the two gives the keys?
</details>
"""

# %% nbgrader={"grade_id": "CachedGPT", "solution": true}
class CachedGPT(GPT):
    """A GPT that keeps the keys and values of what it has read, and reads on from there. It has the parameters of GPT."""

    def forward(self, ids, cache=None):
        """Return (logits (B, N, V) of the new tokens, the new cache: a list with (K, V) of each block, (B, H, N, D_H)).

        ids (B, N): the tokens after those in the cache; None: there are none before. Raises ValueError for more than
        max_length tokens in all.
        """
        ### BEGIN SOLUTION Walk through the blocks with the new rows only; the keys and values are the old ones and the new.
        past = 0 if cache is None else cache[0][0].shape[-2]
        end, new = past + ids.shape[1], []
        if end > len(self.positions.table):
            raise ValueError(f"Expected at most {len(self.positions.table)} tokens, got {end}.")
        X = self.embedding(ids) + self.positions.table[past:end]                                     # (B, N, D)
        for number, block in enumerate(self.decoder.blocks):
            attention, Z = block.attention, block.norm_1(X)
            Q, K, V = (layers.split_heads(W(Z), attention.num_heads) for W in (attention.W_Q, attention.W_K, attention.W_V))
            if cache is not None:
                K, V = (torch.cat(pair, dim=-2) for pair in zip(cache[number], (K, V)))
            Y, _ = layers.scaled_dot_product_attention(Q, K, V, layers.causal_mask(len(Q[0, 0]), end, device=Q.device))
            X = X + attention.W_O(layers.merge_heads(Y))
            X = X + block.feed_forward(block.norm_2(X))
            new.append((K, V))
        return F.linear(self.decoder.norm(X), self.embedding.weight if self.output is None else self.output.weight), new
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-CachedGPT", "grade": true}
check("CachedGPT")

# %% [markdown]
r"""
**Before you run it:** how does the time for *one more token* grow with the number of tokens before it, with the cache
and without? And what does the cache cost? Work out its bytes for 512 tokens, 4 blocks of width 128, in float32.
"""

# %% tags=["experiment"]
torch.set_num_threads(1)
torch.manual_seed(0)
timed = CachedGPT(TransformerConfig(kind="decoder", vocab_size=1024, model_width=128, num_heads=4, hidden_width=512, decoder_blocks=4,
                                    max_length=1024, dropout=0.0, norm="pre", activation="gelu")).eval()
before, seconds = [8, 16, 32, 64, 128, 256, 512], {"without": [], "with a cache": []}
with torch.no_grad():
    for n in before:
        row = torch.randint(1024, (1, n + 1))
        _, cache = timed(row[:, :n])
        for name, call in (("without", lambda: timed(row)), ("with a cache", lambda: timed(row[:, n:], cache))):
            readings = []
            for _ in range(7):
                start = time.process_time()
                call()
                readings.append(time.process_time() - start)
            seconds[name].append(1000 * min(readings))
plots.show_curves(before, seconds, "tokens before", "milliseconds of one core", "One more token", logx=True, logy=True)
kept = sum(part.numel() * part.element_size() for pair in cache for part in pair)
print(f"the cache of 512 tokens: {kept:,} bytes; the weights: {4 * sum(p.numel() for p in timed.parameters()):,}")

# %% tags=["numbers"]
claims(r"$2 \cdot 4 \cdot 512 \cdot 128 \cdot 4 = 2{,}097{,}152$ bytes", kept == 2 * 4 * 512 * 128 * 4 == 2_097_152)
claims("half of what the weights take", 0.4 < kept / (4 * sum(p.numel() for p in timed.parameters())) < 0.6)
given(r"$2 \cdot 96 \cdot 12{,}288 \cdot 2$ bytes", "9.7 GB")
claims("With the cache it hardly grows", seconds["with a cache"][-1] < 6 * seconds["with a cache"][0])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without a cache the time grows in proportion to what is read, and faster in the end, when attention counts. With the
cache it hardly grows: only attention looks at everything. The cache holds keys and values, of every block, of every
token: $2 \cdot 4 \cdot 512 \cdot 128 \cdot 4 = 2{,}097{,}152$ bytes, for a single row of a batch. That is half of what
the weights take here, and it grows with the rows and their length, which the weights do not. GPT-3 in 16 bits has 350
GB of weights and $2 \cdot 96 \cdot 12{,}288 \cdot 2$ bytes of cache for each token, 9.7 GB for a row of 2048: from 37
such rows on, the cache is the larger part. Query heads that share keys and values (lesson 2, grouped queries) make it
smaller.
</details>

### 3.3 Writing

Now put it together: prompts of different lengths in one batch, a cache, and a model that has only so many positions.

- **Ragged prompts.** The rows of `prompts` are padded on the right, and `lengths` says how many tokens of each are
  real. In each column, a row takes its prompt's token, or the drawn one if its prompt has ended. So no padding is ever
  read, and no mask is needed. Every row ends with `total` tokens.
- **Prefill in chunks.** Read the first `lengths.min()` columns, which all prompts have, before you write anything, and
  not in one piece: attention over a prompt of $n$ tokens has $n^2$ weights, with pieces of $c$ tokens only $c \cdot n$
  at a time. No call of the model gets more than `chunk` columns.
- **The window.** The model has `window` positions, so the cache cannot hold more. If the columns in the cache and those
  still to be read are together more than `window`, forget the cache, and read the **last `window // 2` columns** anew,
  as if the text began there. (Dropping only the oldest token would save nothing: all positions would change, and with
  them all keys and values.)

**Exercise 13.** ●●● Write `generate`, in fifteen lines or so. `model(ids, cache)` returns `(logits, cache)`, whatever
its cache may be; the first call gets none, or None. Every column is read once, except after the window has overflowed.
At each step `sample` draws a token for every row, from the logits of the last column, with the arguments that it takes;
temperature 0 writes greedily. No gradients are needed. Every length is at least 1, `window` at least 2, and `total` at
least as large as each length.

<details><summary>Hint: three numbers</summary>

Keep the number of columns that are known (`n`), the first column in the cache (`start`), and the first one not yet read
(`unread`). What are they before the first call, after each call, and when the cache is forgotten?
</details>
<details><summary>Hint: chunks</summary>

`ids[:, unread:n].split(chunk, dim=1)` cuts what is to be read into pieces. Of which piece are the logits needed?
</details>
<details><summary>Hint: which rows take the drawn token?</summary>

Column `n` belongs to the prompt of row `b` if `n < lengths[b]`. `torch.where` chooses row by row.
</details>
"""

# %% nbgrader={"grade_id": "generate", "solution": true}
@torch.no_grad()
def generate(model, prompts, lengths, total, window, chunk=64, temperature=0.0, top_k=None, top_p=None, generator=None):
    """Return ids (B, total): every row begins with its prompt, and goes on with what the model wrote.

    prompts (B, P), lengths (B,): the first lengths[b] ids of row b are its prompt, the others are not looked at. total: the
    length of all rows. window: how many tokens the model can have in its cache; when more would be needed, the last
    window // 2 are read anew without a cache. chunk: how many columns a call of the model gets at most. temperature,
    top_k, top_p, generator: as in `sample`.
    """
    ### BEGIN SOLUTION Read what is unread, draw a token for each row, keep the prompt's where there is one, and go on.
    ids = F.pad(prompts, (0, total - prompts.shape[1]))                                              # (B, total)
    cache, start, unread = None, 0, 0
    for n in range(int(lengths.min()), total):
        if n - start > window:
            cache, start, unread = None, n - window // 2, n - window // 2
        for piece in ids[:, unread:n].split(chunk, dim=1):
            logits, cache = model(piece, cache)
        drawn = sample(logits[:, -1], temperature, top_k, top_p, generator)
        ids[:, n] = torch.where(n < lengths, ids[:, n], drawn)
        unread = n
    return ids
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-generate", "grade": true}
check("generate")

# %% [markdown]
r"""
The check uses a `SpyLanguageModel`: its logits depend on every token so far and on its place, so a token left out, read
twice or read in the wrong place changes all that follows.

**Before you run it:** a model with a window of 64 writes 256 tokens. How many columns does it read for each of them, if
half of the window is kept when it overflows? And if only the oldest token is dropped, every time?
"""

# %% tags=["experiment"]
class Counting(nn.Module):
    """A model that writes down how many columns it is given."""

    def __init__(self):
        super().__init__()
        self.read = []

    def forward(self, ids, cache=None):
        self.read.append(ids.shape[1])
        return F.one_hot(ids, 8).float(), cache


counting = Counting()
generate(counting, torch.zeros(1, 1, dtype=torch.int64), torch.tensor([1]), total=256, window=64)
read = {"half is kept": counting.read, "the oldest is dropped": [1 if n <= 64 else 64 for n in range(1, 256)],
        "no cache": [min(n, 64) for n in range(1, 256)]}
plots.show_curves(range(1, 256), read, "tokens so far", "columns read for the next one", "A window of 64")
print(", ".join(f"{name}: {sum(numbers)} columns" for name, numbers in read.items()))

# %% tags=["numbers"]
claims("it reads less than twice as many columns as it writes", sum(counting.read) < 2 * 255)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

One column at a time, and every 33 tokens a peak of 32: in all it reads less than twice as many columns as it writes. If
only the oldest is dropped, the cache is useless from the 64th token on. The cheap way has its price: the model sees
between 32 and 64 tokens, not always 64. **Relative position** encodings, which say how far two tokens are *apart*
(lesson 4, the bonus), do not have this trouble.
</details>
"""

# %% [markdown]
r"""
## 4 Two directions, kept apart

### 4.1 ELMo

A language model that reads from left to right knows nothing of the words after. That is right for *generating*, but not
for *understanding*: in *the queen near the robots sleeps*, what *queen* does is said four words later. Peters et al.
(2018) therefore trained **two** language models on the same text, one from left to right and one from right to left,

$$\sum_t \log P(w_t \mid w_1 \dots w_{t-1}) \; + \; \sum_t \log P(w_t \mid w_{t+1} \dots w_N),$$

and concatenated the states of both as the vectors of the words: ELMo, "embeddings from language models". Each direction
is a stack of LSTMs. (An LSTM, `nn.LSTM`, is the older relative of lesson 5's GRU: a second vector, the cell, passes
through the steps, and gates decide what is written to it and read from it, Hochreiter and Schmidhuber 1997, and what is
kept, Gers, Schmidhuber and Cummins 2000.) Both directions share the embeddings and the output.

Which state may predict which word? The forward state at place $t$ has read $w_1 \dots w_t$, so it predicts $w_{t+1}$.
The backward state at place $t$ has read $w_N \dots w_t$, so it predicts $w_{t-1}$.

There is a trap: `nn.LSTM(..., num_layers=2, bidirectional=True)` is one line, has the right shapes, and trains
wonderfully. Its second layer reads *both* directions of the first, so what has the forward state of layer 2 at place
$t$ read? **Keep the directions apart in all layers**; they meet only in the states that are handed out.

**Why would one network that reads both ways see the answer?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    n1 = (next word) | n2 = (word before)
    [forward blocks: causal mask] | [backward blocks: mask the other way]
    e = (word vectors: N × D)
    e -> forward blocks, backward blocks
    forward blocks -> n1
    backward blocks -> n2
    forward blocks -x> backward blocks
""", title="ELMo: two language models that never meet below the output");

# %% [markdown]
r"""
**Exercise 14.** ●● Write the forward of `BidirectionalLanguageModel`. (The sentences of a batch are equally long, with
no padding. Lesson 5 showed what padding does to a backward direction.)

<details><summary>Hint: the backward direction</summary>

How can an LSTM read from right to left, when all you have is `flip`? In which order are its states? A state belongs to
its own token: where do you have to turn them round again, and where not yet?
</details>
<details><summary>Hint: which states predict</summary>

Write the places 0 to 4 of five tokens under each other. Which forward state has no next token? And which backward
state?
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
Now look at its gradients: for each token, which other tokens can change its logits? Compare the trap, a bidirectional
`nn.LSTM` of two layers.

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

Kept apart, the forward logits of a word depend on the words before it and the backward ones on the words after it; the
diagonal is empty. In the trap both squares are full, and the diagonal with them: the forward state of layer 2 reads the
backward states of layer 1, and these have read the word that is to be predicted. The answer is in the input. (The first
word has no forward logits and the last one no backward ones, so these two rows are empty.)
</details>

### 4.2 A loss below the limit

What happens to a model that sees its answers? We train both for the same number of steps on a small language of 70
words, in which verbs and pronouns agree with their subjects (section 6.2 describes it). Its probabilities are known, so
the lowest possible loss is known as well: $-\log P(\text{sentence})$ divided by the number of predictions.

**Before you run it:** is the lowest possible loss from right to left higher or lower than the one from left to right?
And what would you say of a model whose loss is 0?
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

In both directions the lowest possible is 1.25 nats: the probabilities of a sentence's words multiply to that of the
sentence from either end. In the course's run, kept apart, the model comes to 1.32 after 600 steps, and it would come
nearer. The trap goes through the line at once and ends at 0.04 nats. A model can get below the line only by luck or by
cheating.
</details>

The trap's loss is far below what any language model can reach. What is it worth where it cannot see the answer, as in
every use of a language model? Take one word out of each sentence and ask both models for it, with another of the 70
words in its place, and with `[MASK]`, which says nothing wrong.

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
given(r"$\log 70 = 4.2$ would be guessing")
claims("the same to the last digit", max(apart) - min(apart) < 1e-5)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Kept apart, nothing changes: 1.52 nats with the answer and 1.52 without, the same to the last digit, because no logits
for a word ever depended on it. (The mean is higher than before, because the nearly certain `[CLS]` and `[SEP]` are not
asked for.) The trap has 0.05 nats where it sees the answer, 3.74 where it sees another word, and 3.22 at `[MASK]`.
$\log 70 = 4.2$ would be guessing, and by frequency alone one has 3.73. A wrong word shows only that it believes what it
sees. At `[MASK]` it gains half a nat on the frequencies, where the other model gains more than two: it has learned to
copy, and a little of the language. (Neither model has met `[MASK]` in training; the other one is not disturbed by it.)
</details>

### 4.3 A mixture of layers

The layers know different things. Peters et al. let every task choose: it learns one number for each layer, and a scale,

$$\text{ELMo}_t = \gamma \sum_{j=0}^{L} s_j \, h_{t,j} \qquad s = \mathrm{softmax}(w),$$

while the language model stays as it is: the **feature-based** use of a pretrained model, as opposed to fine-tuning. $w$
and $\gamma$ are parameters of the task.

**Exercise 15.** ● Write `scalar_mix`.

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
A task: tag each word with its part in the sentence (a determiner, the subject, the subject's verb, another's verb, ...;
ten kinds). Only 100 sentences have labels. One linear layer reads the states, which are frozen.

**Before you run it:** layer 0 is the embedding, which knows a word and not its sentence. Which kinds can it not tell
apart? Which layer will be best, and what will the mixture choose?
"""

# %% tags=["experiment"]
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

The embedding tags 88 % of the words: it knows a preposition from a noun, but not the subject from another noun, nor
whose verb a verb is. From layer 1 on, nearly all are right, with a hundred labelled sentences: the context is in the
states. Is that training? As a control, layers 1 and 2 of an untrained model get 92 % and 57 %: a random LSTM mixes in
some of the context, and loses words on the way. The mixture does as well as the best layer, without anybody's choosing
it. It leans on layer 2 but keeps some of the others. (ELMo's authors found syntax in the lower layer and meaning in the
upper one; this language is too small to show it.)
</details>
"""

# %% [markdown]
r"""
## 5 Learning in context

GPT-3 is shown three examples of a task in its input and does the fourth (Brown et al. 2020): **in-context learning**.
No weight changes; it learns in one forward pass, from its own context. How can attention do that, and how well? In a
small model, for a small task, we can measure it.

### 5.1 A new language in every sequence

Every sequence here is written by a **Markov chain of its own**: a table $T$ of $V \times V$ numbers, whose row $T_{ab}$
says how probable token $b$ is after token $a$. The rows are drawn at random from a Dirichlet distribution, and no table
occurs twice. So what follows $a$ cannot be learned by heart, only read off the sequence: what has followed $a$ *so
far*? (The task is that of Edelman et al. 2024.)

The best possible answer is known. The Dirichlet distribution of concentration $\alpha$ says of a row, before anything
is seen, that all tokens are equally probable on average; when $\alpha$ is small, few of them get nearly everything. If
$b$ has followed $a$ $n_{ab}$ times, Bayes' rule gives the mean of all tables that are still possible,

$$P(b \mid a, \text{context}) = \frac{\alpha + n_{ab}}{V \alpha + \sum_{c} n_{ac}}.$$

Count, and add $\alpha$ to each count: Laplace's rule of succession, with $\alpha = 1$ in his case. By Gibbs' inequality
no model has a lower loss on average.

By hand: $V = 3$, $\alpha = 0.5$ and the sequence 0 1 0 1 0. The last 0 has occurred twice before, and both times 1
followed. So 1 has the probability $(0.5 + 2)/(1.5 + 2) = 0.714$, and 0 and 2 have $0.5/3.5 = 0.143$ each. After the
first 0, nothing is known: 1/3 each.

**Exercise 16.** ●● Write `predict_by_counts`: these probabilities at every place of every sequence, from the tokens up
to and including that place.

<details><summary>Hint: pairs</summary>

`F.one_hot(ids, V)` has the shape `(B, N, V)`. From those of a token and the next one, make a table $V \times V$ for
each pair, with a 1 in one place. What does `cumsum` make of these tables?
</details>
<details><summary>Hint: which pairs have been seen</summary>

At place $i$ there are $i$ pairs; at place 0 there is none, so a table of zeros comes first. Of each table you need one
row. Which? (`gather` takes it; or multiply by the one-hot of the token and add up.)
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
**Before you run it:** how fast does the loss of the best predictor fall over the context, and where does it end? At the
entropy of the chain?
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

At the first token nothing is known: $\log 8 = 2.08$ nats. From there the loss falls, quickly and then slowly, to 1.25
over the last 16 tokens; a predictor that knows the table has 1.01, from the first token on. The difference is the cost
of learning eight rows from 64 tokens, each seen about eight times. No model that only sees the sequence can close it.
</details>

### 5.2 A model that learns to learn

Nobody tells a model to count. We give it sequences, and let it predict the next token.

**Exercise 17.** ● `my_learner(num_blocks)` returns the model that you train and hand in, with new random weights: a
`GPT` for 8 tokens and 65 places. Dropout is of no use here. A width of 32, 2 heads and a feed-forward width of 128 do.
With two blocks you hand it in as `in_context.safetensors`, and with one block as `one_block.safetensors`, for
comparison in section 5.3. The grader calls `my_learner()` and `my_learner(1)`.

Then run the cell, which trains both from the same seed. (It takes under two minutes of one core; the checkpoints are
loaded if they are there. After a change of `my_learner`, pass `resume=False` once. In the picture of a training the
solid curve is the loss of all places in nats; the dashed one is what `validate` gives, here the loss at the end of the
context as a multiple of the best possible.)

The check draws new chains and compares the loss at the end of the context, over the last 16 of 64 places, with that of
`predict_by_counts`. Up to 6 % more earn full points; the solution, trained from five seeds, had 3.3 % more on average
(standard deviation 0.9).

**Before you run it:** the first block can look at any earlier token. Is one block enough to find out what followed the
last $a$?
"""

# %% tags=["experiment"]
predict("one block", "How much of the way from frequencies alone to the best possible loss does a single block go?",
        ["over three quarters", "a quarter to three quarters", "under a quarter"])

# %% nbgrader={"grade_id": "my_learner", "solution": true}
def my_learner(num_blocks=2):
    """Return the model of section 5 with this many blocks, and with new weights."""
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
learners, runs = {}, {}
for num_blocks, file in ((2, "in_context.safetensors"), (1, "one_block.safetensors")):
    torch.manual_seed(LEARNER_SEED)
    name = "two blocks" if num_blocks == 2 else "one block"
    learners[name] = my_learner(num_blocks)
    runs[name] = fit(learners[name], loss_in_context, lambda generator: draw_chains(64, LENGTH, generator, STATES, ALPHA)[0],
                     steps=1500, learning_rate=3e-3, warmup=100, validate=lambda model: times_the_best(model, choosing), validate_every=75, seed=LEARNER_SEED,
                     checkpoint=file, resume=True, device="cpu")
plots.show_curves(runs["two blocks"].validation_steps, {name: run.validation for name, run in runs.items()}, "steps",
                  "loss, of the best possible", "The end of the context, while the model is trained");

# %% nbgrader={"grade_id": "check-my_learner", "grade": true}
check("my_learner")

# %% tags=["experiment"]
so_far = F.one_hot(chains[:, :-1], STATES).cumsum(dim=1) + 0.5                      # how often each token has occurred, whatever was before it
curves = {"counts, the best possible": by_counts, "frequencies alone": losses_by_place(so_far / so_far.sum(dim=2, keepdim=True), chains)}
with torch.no_grad():
    for name, model in learners.items():
        curves[name] = losses_by_place(model(chains[:, :-1])[0].softmax(-1), chains)
plots.show_curves(places, curves, "tokens seen", "nats per token", "The loss over the context");
alone = (curves["frequencies alone"][-LAST:].mean() / by_counts[-LAST:].mean()).item()
print(", ".join(f"{name} {times_the_best(model):.3f} times the best" for name, model in learners.items()), f"; frequencies alone {alone:.3f}")
way = (alone - times_the_best(learners["one block"])) / (alone - 1)
came_out("one block", "over three quarters" if way > 0.75 else "a quarter to three quarters" if way > 0.25 else "under a quarter")

# %% tags=["numbers"]
says("With two blocks the model ends at 1.02 times the best possible loss", times_the_best(learners["two blocks"]))
says("With one block at 1.43", times_the_best(learners["one block"]))
says("(1.48 times the best)", alone)
given("(From five seeds, two blocks end at 1.03 on average, with a standard deviation of 0.01; from four seeds, one block ends at 1.43.)")
early = {name: dict(zip(run.validation_steps, run.validation)) for name, run in runs.items()}
says("After 75 steps of training it is no better than one block, 1.53 times the best and 1.52", 75, early["two blocks"][75], early["one block"][75])
says("after 300 it is at 1.23, and one block at 1.48", 300, early["two blocks"][300], early["one block"][300])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With two blocks the model ends at 1.02 times the best possible loss, and its curve over the context lies on that of the
counts nearly everywhere: nobody told it to count. After 75 steps of training it is no better than one block, 1.53 times
the best and 1.52; after 300 it is at 1.23, and one block at 1.48: it has found out how. With one block at 1.43 the
model hardly does better than counting how frequent each token is (1.48 times the best): it knows which tokens are in
the sequence, and not what follows which. (From five seeds, two blocks end at 1.03 on average, with a standard deviation
of 0.01; from four seeds, one block ends at 1.43.)
</details>

### 5.3 How does it do that?

To answer "what followed the last $a$?", a token $a$ has to find the *token after* the earlier $a$. A query can look for
what a key says of itself, so the key of a token has to say which token is **before** it. That is work for an earlier
layer: a head of the first block, the *previous-token head*, looks at the previous token and writes down what it was; a
head of the second block, the **induction head**, then looks for tokens with $a$ before them. The two in a row are an **induction
circuit** (Elhage et al. 2021; Olsson et al. 2022): *... a b ... a → b*. One block cannot do it: when its keys are made,
no token has looked at its neighbour yet.

If this is right, a head of the second block should put its weight on the tokens after earlier copies. Measure it:

$$\text{score}_h = \text{mean over all } (b, i) \text{ with an earlier copy} \quad \sum_{j < i, \; x_{b,j} = x_{b,i}} A_{b,h,i,j+1}.$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | . | q = (B: predicted)
    . | (B: copied by block 2) | .
    . | after = (B, after A: block 1) | last = (A: block 2 asks)
    a1 = (A) | b1 = (B) | a2 = (A, again)
    a1 -> after: who stood before me?
    b1 -> after
    a2 -> last
    last -> after: after whom?
    after -> B
    B -> q
""", title="An induction head: look for what followed last time");

# %% [markdown]
r"""
**Exercise 18.** ●● Write `induction_score`.

<details><summary>Hint: the earlier copies</summary>

`ids[:, :, None] == ids[:, None, :]` is `(B, N, N)`, with the query first. Which triangle of it are the *earlier* ones,
without the token itself?
</details>
<details><summary>Hint: one place later</summary>

You have a mask of the copies $j$, and want one of the places $j + 1$: move every column one place to the right. What is
in the first column? And can $j + 1$ ever be later than $i$?
</details>
"""

# %% nbgrader={"grade_id": "induction_score", "solution": true}
def induction_score(A, ids):
    """Return the weight of each head, (H,), on the tokens right after earlier copies of the query's token.

    A: (B, H, N, N), causal attention weights. ids: (B, N). It is the mean over all queries that have an earlier copy, in all
    sequences together; without any such query it is 0.
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
The last two rows of the table are about `results.json`, which the experiment below writes; check again after it.

That a head *looks* there does not show that the model needs it. So **ablate** it: `switched_off` returns the model
without the heads whose score is above 0.5, by setting to 0 what $W_O$ makes of their outputs. An output of 0, which the
later layers have never seen, may do harm by itself. So the control, `averaged`, gives every token the mean of these
heads' outputs over all tokens: as large as usual, without news.

**Before you run it**, write into `predicted` what you expect of the loss at the end of the context, as a multiple of
the best possible: with two blocks, with one block, and with two blocks without their induction heads. (1 is perfect.
Guessing all 8 tokens alike is $\log 8$ nats, 1.67 times the best.) A prediction is not graded for being right, only for
being there.
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

# %% nbgrader={"grade_id": "check-induction_score", "grade": true}
check("induction_score")

# %% tags=["experiment"]
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

# %% tags=["numbers"]
says("the heads of the second block have scores of 0.87 and 0.90", *scores[1].tolist())
says("0.24 and 0.30", *scores[0].sort().values.tolist())
says("scores 0.22", equal)
says("the loss is 1.66", times_the_best(averaged(two, found)))
says("without both, 1.57", times_the_best(switched_off(two, [(0, 0), (0, 1)])))
claims("both heads of the second block", found == [(1, 0), (1, 1)])
says("From 1.02 the loss rises to 1.74 times the best", measured["two blocks"], measured["induction heads off"])
given("guessing all tokens alike, 1.67")
given("(From three more seeds the scores are 0.86 to 0.92, and without these heads the loss is 1.68 to 1.76 times the best; without the one that looks at the previous token, 1.55 to 1.58.)")
says("puts 0.78 of its weight on the previous token", max(previous[0]))
says("without it alone the loss is 1.58 times the best", without[0, max(range(2), key=lambda head: previous[0][head])])
says("one of the two induction heads costs less: 1.10 and 1.26", without[1, 0], without[1, 1])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the course's run, the heads of the second block have scores of 0.87 and 0.90: nearly all their weight lies right
after earlier copies. (Looking at all tokens so far alike scores 0.22, so the 0.24 and 0.30 of the first block mean
nothing.) In the picture (above each head: block.head: score) these are the cells one to the right of an earlier copy.
Without them, both heads of the second block, the model knows nothing any more. From 1.02 the loss rises to 1.74
times the best, which is even more than guessing all tokens alike, 1.67: the later layers get what they are not used to.
With the mean of their outputs in place of 0 the loss is 1.66, as good as guessing.

In the first block one head puts 0.78 of its weight on the previous token. It looks after no copy, and yet without it
alone the loss is 1.58 times the best: the heads of the second block find nothing when no token has written down its
predecessor. (The other head of that block hardly matters; without both, 1.57.) Losing just one of the two induction
heads costs less: 1.10 and 1.26. The other does most of the work alone. So a head that you can remove without harm is
not necessarily idle. (From three more seeds the scores are 0.86 to 0.92, and without these heads the loss is 1.68 to 1.76
times the best; without the one that looks at the previous token, 1.55 to 1.58.)
</details>

### Written question 1 (2 points, graded by hand)

- (a) A classmate says: "The two-block model has learned the transition tables of the chains." Why is this impossible
  here, and what has it learned instead? Where is what it knows about one sequence while it reads it?
- (b) Switching a head off makes the loss worse. Why is this stronger evidence than the picture of its attention
  weights? And what does it still not show?

Three to six sentences are enough.
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
## 6 A language about which everything is known, and one about which nothing is

### 6.1 The entropy of three sentences

How low can the loss of a language model be? Take a language of three sentences: *the queen sleeps* with probability 0.5, *the
king sleeps* with 0.3, *the king waits* with 0.2. The first word is certain and costs nothing. *queen* and *king* follow *the*
with 0.5 each: $\log 2 = 0.693$ nats. *the queen* is surely followed by *sleeps*. *the king* is followed by *sleeps*
with $0.3/0.5 = 0.6$ and by *waits* with 0.4; that costs $-0.6 \log 0.6 - 0.4 \log 0.4 = 0.673$ nats, in half of the
sentences: 0.337. In general

$$P(v \text{ at place } n \mid s_{k,1} \dots s_{k,n-1}) = \frac{\sum_j p_j \, [s_j \text{ begins as } s_k \text{ does, up to } n-1] \, [s_{j,n} = v]}{\sum_j p_j \, [s_j \text{ begins as } s_k \text{ does, up to } n-1]}$$

where a bracket is 1 if it holds and 0 if not, and the lowest possible loss at place $n$ is the **entropy** of the next
token there,

$$H_n = \sum_k p_k \cdot -\log P(s_{k,n} \text{ at } n \mid s_{k,1} \dots s_{k,n-1}).$$

(Lesson 9 asks the same of a word that is hidden in the middle. There the words after it count as well.) What is the sum
of all $H_n$? Multiply the probabilities of one sentence's words, before you take the logarithm.

**Exercise 19.** ●● Write `next_token_limit`.

<details><summary>Hint: which sentences begin alike</summary>

`sentences[:, None] == sentences`, of the shape `(K, K, N)`, says where two sentences agree. They begin alike if they
agree at *all* places before. Which running product says so? And what does it say at the first place?
</details>
<details><summary>Hint: from there to P</summary>

Each sentence of the table `(K, K, N)` gives its probability to its own word at place $n$, which
`F.one_hot(sentences, V)`, `(K, N, V)`, knows. One `torch.einsum` does it; then divide by the sum.
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

# %% tags=["experiment"]
three, shares = ("the", "queen", "king", "sleeps", "waits"), torch.tensor([0.5, 0.3, 0.2])
P, H = next_token_limit(torch.tensor([[0, 1, 3], [0, 2, 3], [0, 2, 4]]), shares, len(three))
print("at each place:", ", ".join(f"{value:.3f}" for value in H.tolist()), f"together {H.sum():.3f}")
print(f"entropy of the three sentences {-(shares * shares.log()).sum():.3f}")

# %% tags=["numbers"]
says("0.000, 0.693 and 0.337, as by hand, and together 1.030", *H.tolist(), H.sum().item())

# %% [markdown]
r"""
<details><summary>What you should see</summary>

0.000, 0.693 and 0.337, as by hand, and together 1.030 nats: the entropy of the three sentences, $-\sum_k p_k \log p_k$.
By the chain rule, the logarithms of a sentence's words add up to its own.
</details>

### 6.2 Too many to list

The language of agreement (lesson 9 has the details, and nothing here needs them) draws its sentences from a grammar of
70 words:

- *the tall **queen** near the robots **sleeps** and **she** likes **herself** .*
- *some **monks** that the girl hears **wait** .*

Verb, pronoun and reflexive agree with the subject in number and gender, over any distance; the nouns between are there
to mislead. There are too many sentences to list, but the grammar is a probabilistic **automaton**: `following` keeps
the probability of every state that it can be in after the words so far, and lets each word rule states out (the forward
algorithm of hidden Markov models).

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

After *the queen near the robots* comes *that* with 0.4, which begins a relative clause, and otherwise a verb that
agrees with *queen*: *sleeps* is possible and *sleep* is not. After *the girl* a verb agrees with *girl*. And after *sleeps
and* comes *she*; with *king* it would be *he*: the automaton has not forgotten the queen. Verbs are not equally
frequent, so even where the kind of word is known something is left that nobody can know. That is the entropy.
</details>

**Exercise 20.** ● `my_gpt` takes no arguments and returns the model that you train and hand in, with new random
weights. To grade your work, the grader calls it and loads your file into what it returns. It has to be a plain `GPT` of
section 2: the grader compares it on a few sentences with its own model with your weights, and the loss that counts is
that model's. The vocabulary is `len(agreement_words())`; a sentence is framed by `[CLS]`, where it begins, and `[SEP]`,
where it ends, and has at most 19 tokens. Choose the sizes as you like, as long as the file has at most 16 MB: a width
of 64, 4 heads, 2 blocks, a feed-forward width of 256 and no dropout do well.

Then run the cell, which trains the model in half a minute of one core and writes `gpt.safetensors`. An interrupted
training continues from the file (`resume=True`), and a finished one is only loaded; after a change of `my_gpt`, or of
anything that it is trained with, pass `resume=False` once. (In the picture the solid curve is the loss in nats, and the
dashed one only the part of it that is above the entropy.)

The check draws new sentences. Up to 0.03 nats above their exact entropy earn full points; the solution, trained from
five seeds, was 0.0061 nats above it on average (standard deviation 0.0003).
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
              warmup=100, validate=lambda model: above(model, choosers), validate_every=100, seed=GPT_SEED, checkpoint="gpt.safetensors", resume=True)
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

The entropy of these sentences is 1.246 nats per token, and the model is 0.006 above it. It is not sure where nobody can
be sure: after *every queen* it gives *near* about the probability that the grammar gives it. And *herself* is certain,
eight words after the queen. But that shows no long memory: *she* is two words before it, and *herself* has still 0.997
with *king* and with *robot* in the place of *queen*. The evidence is *she* itself, six words after the queen and past
the robots, which are nearer: it has at least 0.998, as *he* has after a king and *it* after a robot. What remains is in
the rare choices: a few hundredths where the grammar has a quarter.
</details>

### Written question 2 (2 points, graded by hand)

- (a) Two models are compared by perplexity: one with 30,000 pieces of words says 25, one with bytes says 2.6. Which is
  the better model of the text? What would you compute before you answer?
- (b) Your model is 0.006 nats per token above the entropy, and its loss on the held-out sentences is higher than on the
  sentences of another seed. Is it overfitted? What does the entropy of each of the two sets say about that?

Three to six sentences are enough.
"""

# %% [markdown] nbgrader={"grade_id": "written-entropy", "grade": true, "solution": true, "points": 2}
r"""
(a) The numbers cannot be compared: perplexity counts per token, and a token of one is a byte while one of the other is
some four or five bytes. Both have to be brought to the same unit, nats or bits per byte of the same text: $\log_2(25)$
bits divided by the bytes per piece, against $\log_2(2.6) = 1.4$ bits per byte. With 4.6 bytes per piece the first has
$4.64/4.6 = 1.0$ bit per byte and is the better one; with three it would be the worse.

(b) Not necessarily: one set of sentences may simply be harder than the other, with longer or rarer sentences. The exact
probability of each set says how low the loss could be on it. Overfitting shows as a larger *distance* from the entropy
on new sentences than on those of the training, not as a higher loss.

=== BEGIN MARK SCHEME ===

- 1 point: (a) perplexities of different tokens cannot be compared, *and* a common unit (bits or nats per byte or
  character, with the number of bytes per token) (half a point for one of the two).
- 1 point: (b) sets can be differently hard, so compare the distances from the entropy of each set (half a point for
  "not necessarily" with another sound reason, such as chance with few sentences). "Yes, because the loss is higher"
  earns nothing.

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
### 6.3 A language about which nothing is known

English. Nobody knows its entropy; Shannon (1951) had people guess the next letter and found between 0.6 and 1.3 bits
per letter. So we can only compare. Text and tokens are those of section 2.4: a million bytes of Python's documentation
to learn from, 136 kB of other documents for the test, and 1024 tokens. `<start>` begins every document; documents are
packed, as in section 2.1, into windows of 128 tokens. GPT-2 has 12 blocks of width 768 and read 40 GB; this has 3
blocks of width 96 and reads its megabyte some five times, in less than three minutes of one core. (You do not hand it
in.)

**Before you run it:** gzip looks back 32 kB and finds repeated strings; lzma looks back as far as it likes. Both are
run twice: on the held-out documents alone, and *after the training documents*, counting only the bytes that the
held-out ones add: that is fair, since the model has read those, too. Order the five by bits per byte.
"""

# %% tags=["experiment"]
torch.set_num_threads(1)
english_gpt = CachedGPT(TransformerConfig(kind="decoder", vocab_size=TOKENS, model_width=96, num_heads=4, hidden_width=384, decoder_blocks=3,
                                          max_length=128, dropout=0.0, norm="pre", activation="gelu"))


def packed_loss(model, ids):
    """Return the loss on rows of documents, each of which begins with <start>. A CachedGPT is trained as the GPT that it is."""
    documents = (ids == BEGIN).cumsum(dim=1)
    logits, _ = GPT.forward(model, ids, need_weights=False, documents=documents)
    return next_token_loss(logits, ids, documents)


def draw_rows(generator):
    """Return 16 windows of 128 tokens."""
    stream = token_streams["train"]
    return stream[torch.randint(len(stream) - 128, (16, 1), generator=generator) + torch.arange(128)]


torch.manual_seed(0)
history = fit(english_gpt, packed_loss, draw_rows, steps=1000, learning_rate=4e-3, warmup=50, seed=0, checkpoint="english_gpt.safetensors",
              resume=True)
history

# %% tags=["experiment"]
def surprises(model, stream, window=128):
    """Return -log P of all tokens but the first, each seen with at least half a window of what is before it, and their ids."""
    found, half = [], window // 2
    for start in range(0, len(stream) - 1, half):
        ids = stream[start:start + window]
        with torch.no_grad():
            logits, _ = GPT.forward(model, ids[None], need_weights=False, documents=(ids[None] == BEGIN).cumsum(dim=1))
        losses = F.cross_entropy(logits[0, :-1], ids[1:], reduction="none")
        found.append(losses if start == 0 else losses[half - 1:])
    return torch.cat(found), stream[1:]


losses, targets = surprises(english_gpt.cpu(), token_streams["held_out"])
inside = targets != BEGIN                                                       # where a document begins is not predicted
perplexity, bits["GPT"] = perplexity_and_bits(losses[inside], token_sizes[targets[inside]])
learned = "\n".join(texts["train"]).encode()
for name, compress in (("gzip, having read", lambda data: gzip.compress(data, 9)), ("lzma, having read", lzma.compress)):
    bits[name] = 8 * (len(compress(learned + held_out)) - len(compress(learned))) / len(held_out)
order = ("pairs of tokens", "gzip", "gzip, having read", "lzma", "lzma, having read", "GPT")
plots.show_bars(order, [bits[name] for name in order], ylabel="bits per byte", xlabel="", title="The same 136 kB")
print(f"perplexity of GPT: {perplexity:.1f} per token of {token_sizes[targets[inside]].float().mean():.2f} bytes")

# %% tags=["numbers"]
says("1.97 bits per byte, beside 2.05 of the pairs of tokens", bits["GPT"], bits["pairs of tokens"], within=3)
claims("It is ahead of gzip and lzma on the held-out documents alone", bits["GPT"] < min(bits["gzip"], bits["lzma"]))
claims("and of gzip that has read the training documents", bits["GPT"] < bits["gzip, having read"])
says("lzma that has read them stays ahead, with 1.78", bits["lzma, having read"], within=2)
says("have 1.8 MB", 4 * sum(p.numel() for p in english_gpt.parameters()) / 1e6)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the course's run GPT needs 1.97 bits per byte, beside 2.05 of the pairs of tokens. It is ahead of gzip and lzma on
the held-out documents alone, and of gzip that has read the training documents. But lzma that has read them stays ahead,
with 1.78: a repeated passage, such as a sentence of many docstrings, costs it next to nothing. The gain over counting
pairs is small. Whether the model is too small, its window of 128 tokens too short, or five times reading too little,
one training does not tell. Its weights have 1.8 MB, so they could hold the text.
</details>

**Before you run it:** the model now writes, with the cache, from three beginnings in one batch. What will the text be
like at temperature 0, at 1, and at 1 with $p = 0.9$?
"""

# %% tags=["experiment"]
def write(prompts, total=100, **options):
    """Return what english_gpt writes after each of these texts."""
    rows = [[BEGIN, *tokenizer.encode(prompt).ids] for prompt in prompts]
    lengths = torch.tensor([len(row) for row in rows])
    filled = torch.tensor([row + [0] * (int(lengths.max()) - len(row)) for row in rows])
    ids = generate(english_gpt, filled, lengths, total, window=128, **options)
    return [tokenizer.decode(row.tolist()) for row in ids]


for name, options in (("temperature 0", {}), ("temperature 1", {"temperature": 1.0}), ("temperature 1, p = 0.9", {"temperature": 1.0, "top_p": 0.9})):
    print(f"--- {name}")
    for text in write(["The function returns", "If the file does not exist,", "A class"], total=70, **options, generator=torch.Generator().manual_seed(1)):
        print(text.replace("\n", " / "))

# %% tags=["numbers"]
given("With $p = 0.9$ there are fewer of these")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

At temperature 0 it runs in circles. At 1 it invents words, because improbable pieces are drawn now and then. With
$p = 0.9$ there are fewer of these. All of it sounds like documentation and says nothing: this model knows which words
are neighbours, and hardly what a sentence is about.
</details>
"""

# %% [markdown]
r"""
## 7 What came of it

Nothing in this section is graded.

### 7.1 Fine-tuning: GPT, 2018

A language model can do more than write. Dai and Le (2015) trained a recurrent network as a language model and went on
with its weights to classify texts; GPT (Radford et al. 2018) did it with a Transformer decoder: 12 blocks, a width of
768, 40,000 merges, BooksCorpus with over 7,000 books. To tell a task from a text, GPT put **task tokens** around it,
new ones that only the task knows: START text EXTRACT, and for two texts START one DELIM other EXTRACT. EXTRACT comes
last, so its vector in the last block has read the whole text; one new linear layer makes classes of it. (BERT's `[CLS]`
comes first, which only works if every token sees every other.) During fine-tuning, the language model's own loss goes
on with half its weight.

Here the task is the subject of a sentence of section 6: *he*, *she*, *it* or *they*? `[SEP]`, at the end, is our
EXTRACT. The same model is trained from the weights of section 6 and from new ones; and, because new weights may simply
need more steps, from new ones with four times as many.

**Before you run it:** with how many labelled sentences will both be equally good?
"""

# %% tags=["experiment"]
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
for name, start, steps in (("pretrained", gpt, 100), ("from nothing", None, 100), ("from nothing, 400 steps", None, 400)):
    tuned[name] = []
    for count in labels:
        torch.manual_seed(0)
        tuned[name].append(tuned_accuracy(my_gpt() if start is None else start, count, steps))
    print(f"{name:12}", ", ".join(f"{count} labels {share:.1%}" for count, share in zip(labels, tuned[name])))
plots.show_curves(labels, tuned, "labelled sentences", "right subjects", "Fine-tuning with a task token", logx=True);

# %% tags=["numbers"]
says("73 % with 10 labelled sentences, 90 % with 30 and 100 % with 100", tuned["pretrained"][0], 10, tuned["pretrained"][1], 30, tuned["pretrained"][2], 100, within=4, whole=True)
says("with 400 they come to 51 %, 82 % and 100 %", 400, *tuned["from nothing, 400 steps"][:3], within=5, whole=True)
says("from nothing 41 %, 69 % and 93 %", *tuned["from nothing"][:3], within=5, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Pretrained, the model is right in 73 % with 10 labelled sentences, 90 % with 30 and 100 % with 100; from nothing 41 %,
69 % and 93 %. With 300 both are nearly always right. (One run of each; which sentences have labels matters when there
are ten.) A part of the difference is only that a hundred steps are few for new weights: with 400 they come to 51 %, 82
% and 100 %. The rest is what pretraining saves in labels.
</details>

### 7.2 A few shots: GPT-3, 2020

GPT-3 had 175 billion parameters, and its authors stopped fine-tuning it. They wrote the task into the prompt: no
example, one or a few (**zero-shot**, **one-shot**, **few-shot**), and then the question. We can ask our model of
section 5 in this way as well. The task is a secret code: a permutation $f$ of the 8 tokens. The prompt is
$x_1 f(x_1) \; x_2 f(x_2) \dots$ and ends with a query $x$; what is $f(x)$? The model has never seen such a prompt: in
training every token depended on the one before; here each example begins with any token.

GPT-3's queries are *new*: they are not among the examples. So there are two kinds of prompts here. In one the query is
among the examples, and its answer can be copied; in the other it is not. (A secret code has no rule that other examples
could teach. But $f(x)$ is none of the answers that have been given to other tokens, and with all seven of them it would
be certain.)

**Before you run it:** with $n$ examples, of which one is the query's, how often will it be right? Do more examples help
once the query's own is there? And if the query is new?
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
says("falls from 59 % to 22 %", right["one block"][1], right["one block"][-1], within=4)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without an example the model guesses, 14 % where chance is one in eight. With one example it is right in 100 % of all
prompts, with four in 84 %, and with 31 in 95 %. The dip is no failure of the model: the best predictor for Markov
chains has it as well (84 % become 86 % and 95 % become 97 %), because counts take the pairs between two examples for
examples, until the true ones are frequent enough. The model answers the question that it was trained for, not the one
that we have in mind. With one block, the share of right answers falls from 59 % to 22 %: saying what is in the prompt
is enough with one example, not with many.

With a new query nothing is left of it: 8 % with one example, 11 % with four and 14 % with 31, where nearly always all
seven other answers are there and the eighth would be certain. So what this model does in its context is look up and
copy. GPT-3's few shots ask for more: a query that is new, and what the examples have in common. The induction heads
explain the first part of that and not the second.
</details>

### 7.3 Larger

Between 2017 and 2020 much of the progress was this: the same blocks, more of them, on more text.

| model | blocks | width | heads | parameters | text | training | source |
|---|---|---|---|---|---|---|---|
| Transformer-Base | 6 + 6 | 512 | 8 | 65M | | 8 × P100, 12 hours | Vaswani et al. 2017, table 3 and section 5.2 |
| Transformer-Large | 6 + 6 | 1024 | 16 | 213M | | 8 × P100, 3.5 days | the same |
| BERT-Large | 24 | 1024 | 16 | 340M | 13 GB | 16 Cloud TPUs, 4 days | Devlin et al. 2019, appendix A.2; text from the lecture |
| XLNet-Large | 24 | 1024 | 16 | about 340M | 126 GB | 512 TPU-v3, 5.5 days (2.5 in the lecture) | Yang et al. 2019, section 3; sizes and text from the lecture |
| RoBERTa | 24 | 1024 | 16 | 355M | 160 GB | 1024 V100, 1 day | Liu et al. 2019 |
| GPT-2 XL | 48 | 1600 | 25 | 1.5B | 40 GB | not published | Radford et al. 2019; heads from the published weights |
| Megatron-LM | 72 | 3072 | 32 | 8.3B | 174 GB | 512 V100, up to 10 days: "about \$430,000 on Amazon AWS" | Shoeybi et al. 2019; days and cost from the lecture |
| GPT-3 | 96 | 12,288 | 96 | 175B | 300B tokens | $3.14 \cdot 10^{23}$ operations | Brown et al. 2020, tables 2.1 and D.1 |

(All rows but the last follow J. Johnson's lecture 13, 2019. It gives the first two "12" layers, which are 6 in the
encoder and 6 in the decoder.)

One number makes sense of the column "training": a Transformer of $P$ parameters needs about $6P$ operations for each
training token, two for each weight forwards, four backwards (Kaplan et al. 2020, section 2.1).

**Before you run it:** GPT-3 read 300 billion tokens. Is the number in the table right? And how many days would one V100
have needed, with 28 of its 125 teraflops in use?
"""

# %% tags=["experiment"]
for name, parameters, tokens in (("GPT-3", 175e9, 300e9), ("your GPT", sum(p.numel() for p in gpt.parameters()), 1200 * BATCH * 13)):
    operations = 6 * parameters * tokens
    print(f"{name}: {operations:.3g} operations, {operations / 28e12 / 86_400:.3g} days of one V100")

# %% tags=["numbers"]
given(r"$6 \cdot 175 \cdot 10^9 \cdot 300 \cdot 10^9 = 3.15 \cdot 10^{23}$, the published number up to rounding, and 130,000 days of one V100, or 357 years")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

$6 \cdot 175 \cdot 10^9 \cdot 300 \cdot 10^9 = 3.15 \cdot 10^{23}$, the published number up to rounding, and 130,000
days of one V100, or 357 years. (The rule counts neither the attention weights nor the embeddings; for models of this
size they hardly matter.)
</details>
"""

# %% [markdown]
r"""
## 8 What to take along

- Tokens come before the model, and decide what it can see: bytes can say everything, merges make it shorter.
- Predict the next token, and shift once. What a model may not see, it must not see in any layer: one look at the answer
  and the loss falls to nothing, and nothing is learned.
- A loss below the possible is not a success, it is a leak. So know what is possible: an entropy that can be computed,
  counts that Bayes' rule makes the best, `gzip` at the very least.
- Temperature, top-k and top-p choose from what the model says; a KV cache makes the same tokens sooner.
- A model can learn from its context without a change of its weights. Here it does so by copying, with two heads in a
  row: one writes down the previous token, the other looks after the earlier copy. To show that a head is the cause,
  switch it off.
- Perplexities of different tokens cannot be compared; bits per byte can.

**One more, without points: which order?** The chains of section 5 depend on one token. Draw chains in which each token
depends on the *two* before it (a table $V \times V \times V$; $V = 4$ is enough), and write the predictor that counts
them. Do two blocks still come within 5 % of it? What would a head have to look for now, and what does `induction_score`
say of the heads that you find? You are right if the predictor's loss is lower than that of `predict_by_counts` on the
same sequences, and not the other way round on those of section 5.

### Sources

J. Johnson, *Attention*, lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and
Transformers*, CS 4644/7643. Y. Yao, *Attention, Transformer, and BERT*, HKUST. C. Shannon, *A mathematical theory of
communication*, Bell System Technical Journal 27, 1948, and *Prediction and entropy of printed English*, 30, 1951. P.
Gage, *A new algorithm for data compression*, The C Users Journal 12, 1994. S. Hochreiter, J. Schmidhuber, *Long
short-term memory*, Neural Computation 9, 1997. F. Gers, J. Schmidhuber, F. Cummins, *Learning to forget: continual
prediction with LSTM*, Neural Computation 12, 2000. J. Rissanen, *Generalized Kraft inequality and arithmetic coding*,
IBM Journal of Research and Development 20, 1976. R. Pasco, *Source coding algorithms for fast data compression*,
Stanford, 1976. A. Dai, Q. Le, *Semi-supervised sequence learning*, NeurIPS 2015. R. Sennrich, B. Haddow, A. Birch, *Neural
machine translation of rare words with subword units*, ACL 2016. T. Kudo, J. Richardson, *SentencePiece*, EMNLP 2018. A.
Vaswani et al., *Attention is all you need*, NeurIPS 2017. M. Peters et al., *Deep contextualized word representations*,
NAACL 2018. A. Radford et al., *Improving language understanding by generative pre-training*, 2018. J. Devlin et al., *BERT*,
NAACL 2019. A. Radford et al., *Language models are unsupervised multitask learners*, 2019. Z. Yang et al., *XLNet*,
NeurIPS 2019. Y. Liu et al., *RoBERTa*, 2019. M. Shoeybi et al., *Megatron-LM*, 2019. J. Kaplan et al., *Scaling laws
for neural language models*, 2020. T. Brown et al., *Language models are few-shot learners*, NeurIPS 2020. M. Chen et
al., *Evaluating large language models trained on code*, 2021. A. Fan, M. Lewis, Y. Dauphin, *Hierarchical neural story
generation*, ACL 2018. A. Holtzman et al., *The curious case of neural text degeneration*, ICLR 2020. N. Elhage et al., *A
mathematical framework for Transformer circuits*, 2021. C. Olsson et al., *In-context learning and induction heads*, 2022.
B. Edelman et al., *The evolution of statistical induction heads: in-context learning Markov chains*, NeurIPS 2024. A.
Grattafiori et al., *The Llama 3 herd of models*, 2024. L. Rabiner, *A tutorial on hidden Markov models*, Proceedings of
the IEEE 77, 1989.
"""
