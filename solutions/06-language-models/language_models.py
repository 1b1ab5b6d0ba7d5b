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
# 6 Language models

HEAD (written at the end by the editor)
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from autograder.lessons.language_models import check
from course_lib import devices, layers, plots

# part A imports
import argparse
import heapq
import inspect
import time
from collections import Counter, defaultdict

from course_lib.data import gpt2_words, python_english, word_counts

# part B imports

# part C imports

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 Tokens

### 1.1 What are the symbols?

A language model says how probable each symbol of a fixed list is as the next one. What should be on the list?

- **Words?** There are too many, and there is always one more. What is not on the list cannot be read, and cannot be written.
- **Characters?** Unicode has about 150,000, and most of them are rare. English needs few, but its texts become five times as long as in words.
- **Bytes?** Every text is a list of bytes, by UTF-8. With 256 symbols *nothing* is ever unknown. But the lists are longer still.

**Byte-pair encoding** goes from the last towards the first, as far as one likes: begin with the 256 bytes, find the two neighbours that stand side by
side most often, make them *one* new symbol, and repeat. It was a method to compress files (Gage 1994). Sennrich et al. (2016) used it for the rare words of translation, and GPT
(2018) with 40,000 merges; GPT-2 (2019) began from bytes, as we do here.

**Before you run it:** how many bytes are there in each of these? A guess for each line will do.
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

*naïve* has 6 bytes: the letters of ASCII are one byte each, and ï is two. Greek letters have two bytes, Japanese characters three. The smiling face is
one character of 4 bytes. The astronaut is not one character: a woman, a skin colour, a sign that joins, and a rocket are four, and 15 bytes together. Bytes from
128 on mean something only together, so not every list of bytes is a text.
</details>

An **id** is a number for a symbol. In this section the ids 0 to 255 are the bytes, and the merge number $k$ (from 0) makes the id $256 + k$. So a tokenizer is nothing but
a list of pairs: its merges, in order.

### 1.2 Count

Merges do not reach from one word into the next, so it is enough to know each word and how often it comes. The lectures have this example:

| word | low | lower | newest | widest |
|---|---|---|---|---|
| how often | 5 | 2 | 6 | 3 |

A pair of neighbours counts once for every place in a word, times how often the word comes. With $n_w$ for how often word $w$ comes, and $w_i$ for its ids:

$$c(a, b) = \sum_w n_w \cdot \bigl|\{\, i : w_i = a,\; w_{i+1} = b \,\}\bigr|$$

Which pair comes most often in the table? Two of them do, equally often. Find them before you write the code: they are your first test.

**Exercise 1.** ● Write `count_pairs`. A word is a list of ids.

<details><summary>Hint: neighbours</summary>

Write the ids 5 6 7 8 in a row, and the same without the first one below it. Which function walks through two lists together, and what does it do at the end of the shorter one?
</details>
"""

# %% nbgrader={"grade_id": "count_pairs", "solution": true}
def count_pairs(words, counts):
    """Return how often each pair of neighbours comes: a dictionary (or a Counter) from (a, b) to a number.

    words: lists of ids. counts: for each of them, how often it comes. A pair that does not come is not in the dictionary.
    """
    ### BEGIN SOLUTION Add up, for every pair of neighbours in every word, how often the word comes.
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

To merge $(a, b)$ is to walk from left to right and to write the new id wherever $a$ is followed by $b$. An id belongs to one pair at most: what has just been merged is behind you.

$$[\,7, 8, 5, 7, 8\,] \xrightarrow{(7, 8) \to 256} [\,256, 5, 256\,] \qquad\qquad [\,7, 7, 7\,] \xrightarrow{(7, 7) \to 256} \;?$$

**Exercise 2.** ● Write `merge_pair`.

<details><summary>Hint: how far to go</summary>

At place $i$ there are two cases. How many ids does each of them write, and by how much does $i$ grow? A `for` over the places cannot jump; which loop can?
</details>
<details><summary>Hint: the last id</summary>

It has no neighbour, and must not be lost. What is `ids[i : i + 2]` at the last place?
</details>
"""

# %% nbgrader={"grade_id": "merge_pair", "solution": true}
def merge_pair(ids, pair, new):
    """Return a new list in which each place where the pair (a, b) stands is one id, `new`; from left to right, without overlaps."""
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

Training is these two steps, over and over: count, then merge the pair that comes most often everywhere, and count again.

$$(a, b)^\ast = \arg\max_{(a, b)} c(a, b)$$

Two pairs can be equally frequent. Then **the smallest pair is merged: the one with the smaller $a$, and of equal $a$ the one with the smaller $b$**. Any rule would do, but
there has to be one. Otherwise the ids depend on the order in which a dictionary happens to be, and the model that was trained with them reads nonsense. This is also the rule of
Hugging Face's `tokenizers`; with ids in our order, its merges are those of your function to the last one.

**Exercise 3.** ●● Write `train_bpe`. The words come as text, with how often each comes. Where no pair is left there is nothing more to merge.

<details><summary>Hint: the loop</summary>

What has to be known before the first merge: the words, as lists of ids, and their counts. What changes with each merge, and what stays? Which of it does `count_pairs` need again?
</details>
<details><summary>Hint: the tie</summary>

`min` and `max` take a key, and tuples are compared from the left. You want many first, and then small. Which sign makes both of them a question of the smallest?
</details>
"""

# %% nbgrader={"grade_id": "train_bpe", "solution": true}
def train_bpe(word_counts, num_merges):
    """Return a list of at most num_merges pairs of ids, in the order in which they are merged; fewer if no pair is left.

    word_counts: a dictionary from each word (str) to how often it comes. Merge k makes the id 256 + k.
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
The lecture's slide shows the first three merges: e + s, es + t, l + o. **Before you run it:** which will be the fourth? And will *lower* ever become one token, if one goes on?
"""

# %% tags=["experiment"]
lecture = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
merges = train_bpe(lecture, 100)
texts = [bytes([byte]) for byte in range(256)]                    # what each id stands for
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

The fourth is lo + w: it comes in *low* and in *lower*, 7 times. e + s and s + t come equally often at the start, 9 times. The rule takes e + s, because 101 is less than 115, and with it s + t is gone.
*est* is a token before *low* is, though nobody said what an ending is. If one goes on, all four words are one token each, *lower* last of all, and
after 12 merges no pair is left.
</details>

### 1.5 Encode and decode

A text that was not in the training data is encoded by the same merges, **in the order in which they were learned**: of the merges that are possible somewhere, the earliest one is carried out
first. This is not the same as to look for the longest token at each place.

$$[\,a, b, c\,] \text{ with merges } \bigl(0\colon (b, c),\; 1\colon (a, b)\bigr) \;\to\; [\,a,\, bc\,]$$

**Exercise 4.** ●● Write `bpe_encode`. The text comes as a list of bytes, `list(text.encode("utf8"))`, and may be any bytes, also such as are no text.

<details><summary>Hint: order</summary>

Can a merge make a place where an *earlier* merge is possible? Its new id is larger than all those that earlier merges know. So how often must each merge be tried?
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
The way back needs no search. Each id stands for fixed bytes: a byte for itself, and the id $256 + k$ for those of its two parts,

$$\mathrm{bytes}(256 + k) = \mathrm{bytes}(a_k)\,\mathrm{bytes}(b_k)$$

It gives back the **bytes**, not text. A model may write any ids in any order, and the bytes of its first three tokens can end in the middle of a character. So what is returned
is a list of numbers from 0 to 255, and only `bytes(…).decode("utf8", errors="replace")` makes a text of it, with � where there is none.

**Exercise 5.** ● Write `bpe_decode`. An id that is neither a byte nor made by one of the merges raises a `ValueError` that says what was expected.

<details><summary>Hint: what an id stands for</summary>

The two parts of a merge are older than the merge. If you go through the merges in their order, what is already known about $a_k$ and $b_k$?
</details>
<details><summary>Hint: the error</summary>

Which ids does Python's indexing accept though they should be refused?
</details>
"""

# %% nbgrader={"grade_id": "bpe_decode", "solution": true}
def bpe_decode(ids, merges):
    """Return the list of bytes (0 to 255) that these ids stand for. Raises ValueError for an id that no merge makes."""
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
Words that the tokenizer has never seen: **before you run it**, how will *lowest*, *slower* and *bright* be cut with the 12 merges of the lecture's example?
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

*lowest* is low + est, as a reader of English would cut it. *slower* is s + lower. *bright* stays six bytes: no pair of it was frequent, and nothing is unknown for that. The two bytes of ï
are two tokens here, each of which is no character by itself: �.
</details>

### 1.6 Without counting everything again

`train_bpe` counts all pairs of all words for every merge. But a merge changes few words: those that hold the pair. All other counts stay as they are. GPT-2 has 50,000 merges; with millions of different words, counting everything again would take
days.

Three things have to be kept up to date instead:

| what | what for | after a merge |
|---|---|---|
| `pairs`: pair → how often | the next maximum | subtract the pairs of each changed word, change it, add its new ones |
| `where`: pair → the words that hold it | which words change | new pairs get these words |
| a way to the largest count | not to look through all pairs | see below |

To find the maximum, a **heap** is the usual way: `heapq` gives the smallest entry of a list in logarithmic time, here of entries `(-count, pair)`, so that ties are right by themselves. A heap cannot change an entry. But old pairs only
become rarer (why?), so an entry can be *too early* but never too late. When it comes out, compare it with `pairs`: if it is out of date, put it back with the count of today.

**Exercise 6.** ●●● Write `train_bpe_fast`, with the same merges as `train_bpe` to the last. About twenty lines. It is timed against counting everything again: at most a fifth of the time earns all points, at most two fifths half of them.

<details><summary>Hint: begin without a heap</summary>

First write it with `pairs` and `where` alone, and take the best pair with the line of `train_bpe`. Compare the merges with `train_bpe`'s on `{"banana": 3, "bandana": 2}`. When they are equal, see what takes the time.
</details>
<details><summary>Hint: what to subtract</summary>

Of a word that changes, subtract *all* its pairs, as often as the word comes; merge; then add all its new pairs. What goes wrong if you subtract only the pair that was merged? Which two other pairs are gone in `x a b y`?
</details>
<details><summary>Hint: words that no longer hold the pair</summary>

A word may still be in `where[pair]` though an earlier merge took the pair away. What does subtracting and adding do to it? It does no harm. And which pairs are new for `where`: can a pair without the new id be one of them?
</details>
<details><summary>Hint: an entry that is out of date</summary>

The count of a pair that comes out of the heap is `-entry[0]`. If `pairs` says another number, and more than 0, push the pair back with that number, and take the next entry. If it says 0, forget it. And push each *new* pair once, when the words of
this merge are all done.
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
Real text: the Python documentation and the docstrings of the standard library, which every Python brings along, cut into words as GPT-2 does it. (`gpt2_words`: a run of letters, of digits or of other signs, each with the space before it; so no token
holds letters and digits at once, and most words begin with a space.) **Before you run it:** `train_bpe` makes 20 merges below, `train_bpe_fast` 2000. Which of them takes longer?
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

For each merge, the fast version is more than twenty times faster: 20 merges of the one take about as long as 2000 of the other. The first merges change the most words; the later a merge, the rarer its pair and the less there is to do, while counting everything again
always costs the same. (Most of the time of `train_bpe_fast` is spent before the first merge and on the first hundred.)
</details>

### 1.7 What the merges have learned

Nobody told the algorithm what a word is made of. **Before you run it:** which pair of bytes is the most frequent one in English, if the space counts? And will the longest of 2000 tokens be a syllable, a word, or more than a word?
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

The most frequent pair is a space and t; *the* with its space is among the first ten tokens, and the endings *ing* and *tion* follow soon. The longest ones are words of the documentation, such as *configuration*. None is more than a word, since merges do not reach
across words. What a tokenizer has learned is *what was frequent in its training data*, and nothing else: the next experiment shows what that means for other texts.
</details>

To encode whole texts, trying every merge at every word is a waste: most merges are nowhere. It is enough to look which of the pairs **that are there** was learned first. `encoded` does this; and as a tokenizer with fewer merges is the beginning of one
with more, `most` says how many of them count.

**Before you run it:** with 2000 merges a token of English prose will hold more than 3 bytes on average. What about Python code, about cubes of whole numbers, and about Greek?
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

A token holds more than 3 bytes of English, and fewer than 2 of code. Of the cubes it holds hardly more than one digit, and not a single merge fits Greek: the curve stays at 1. German lies between, because it shares letters and some endings with English.
On held-out English it goes from almost five tokens for a word to fewer than one and a half; hundred merges already save a third, and each further saving takes several times as many merges as the one before.

The same article of the same declaration has 170 characters in English and 84 in Japanese. But in Greek it takes six times as many tokens as the English one, and in Japanese four times as many, though it has half as many characters: two bytes for each Greek letter, three for each Japanese character, and no merges.
Who writes Greek to such a model pays six times the price, waits six times as long, and has a sixth of the context. To change that, one has to change what the tokenizer is trained on.
</details>

### 1.8 Why numbers and code are cut badly

**Before you run it:** *1999*, *2000* and *2001* are neighbours. Will they be cut alike? And how many tokens are the four spaces before an *if*?
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

*1999* is four tokens, and *2000* is not cut like it: in the documentation two zeros stand side by side often enough to have become a token, so the zeros are cut in twos. Whether a digit stands for tens or for thousands depends on where it is cut, and that depends on what was frequent. Adding two such
numbers digit by digit is hard for a model that does not see the digits in the same places. (Newer tokenizers cut all numbers into single digits, or into groups of three.)

Of the code, the first three of the four spaces are a token each, and the fourth belongs to the word. In prose two spaces never come together, so they were never merged, and code indented by eight spaces spends most of its tokens on nothing. For Codex, GPT-3's tokenizer was given tokens for runs of spaces, and needed 30 % fewer for code (Chen et al. 2021).
*tokenization* ends in *ization*, which fits; but nothing makes tokens meet the borders of meaning: *straightforward* is cut in the middle of *straight*.
</details>

How many merges should one make? Each of them makes sequences shorter, and adds a row to the table of embeddings (and, if it is not tied, to the output). GPT-2 has 50,257 rows: 256 bytes, 50,000 merges, and one symbol that ends a text. With a width of 768 they are 38.6 million of its 124 million parameters.
A rare token is seldom seen in training, so its row is badly learned: past some size of the vocabulary, more merges only help who has more data.
"""

# %% [markdown]
r"""
## 2 A model of what comes next

PART B
"""

# %% [markdown]
r"""
## 3 From probabilities to text

PART B
"""

# %% [markdown]
r"""
## 4 Two directions, kept apart

PART C
"""

# %% [markdown]
r"""
## 5 Learning in context

PART C
"""

# %% [markdown]
r"""
## 6 A language about which everything is known, and one about which nothing is

PART C (6.1, 6.2: the entropy by hand, my_gpt), PART B (6.3: real English)
"""

# %% [markdown]
r"""
## 7 What came of it

PART C
"""

# %% [markdown]
r"""
## 8 What to take along

PART C
"""
