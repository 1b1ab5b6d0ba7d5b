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
# 14 Recommendation

A viewer, and ten thousand videos: which one comes next? You build a recommender with a causal Transformer, train it in half a minute, and
measure it against the best possible, which here is known: for known videos, for new ones, and in a loop that trains it on its own choices.

| section | the one change | exercise |
|---|---|---|
| 1 | a world in which the best possible is known | |
| 2 | a causal Transformer over videos | `SequentialRecommender` |
| 3 | training, with a loss that finds its wrong answers in the batch | `my_recommender` |
| 4 | what the correction for popularity is good for | |
| 5 | videos that nobody has watched yet | `cold_start_vector`, `ItemTower` |
| 6 | the loop, and how to judge without it (optional) | `off_policy_values` (optional) |
| 7 | ten million videos, on paper | written question |

**Before you begin.** You need lesson 4, whose encoder is used here. Lesson 13 derives the loss, and builds the index that the written question
asks about. Exercise 3 needs some linear algebra. Plan about two and a half hours; the optional parts take about half an hour more. Leave out what is
marked "(optional)" if you like: the rest does not need it. Its points count unless your teacher says otherwise.

## How this notebook works

- Run the cells from top to bottom. In an exercise, replace the line `raise NotImplementedError(...)`: ten lines at most. The next cell is its
  **check**.
- ●: a few lines, once you have read the text. ●●: think about shapes or a formula first, about 25 minutes.
- Answer the question before each experiment, then open "What you should see".
- Unless the text says otherwise, your code keeps the device and the dtype, leaves its arguments unchanged, accepts
  any memory layout, lets gradients through and works for a batch of one.
- **You hand in two files**: this notebook and `recommender.safetensors` of section 3.

**Notation.**

| symbol | in code | meaning | in papers and libraries |
|---|---|---|---|
| $B$, $M$ | `B`, `M` | viewers, and videos | users; items; all $M$: the catalogue |
| $N$ | `N` | number of videos in a history | sequence length |
| $D$ | `D` | width of the vectors | embedding dimension |
| $q$, $d$ | `vectors`, `model.embedding` | the vector of a viewer, and of a video | user and item embedding |
| $p$ | `log_frequency` is $\log p$ | how often a video is watched, as a share of all | item frequency, sampling probability |

**Recall@$k$** is the share of the viewers whose next video is among the $k$ with the highest scores.
"""

# %%
import course_lib  # first: it asks the threads of torch to sleep while they wait

import copy
import math
import time

import matplotlib.pyplot as plt
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.cluster import MiniBatchKMeans

from autograder.lessons.recommendation import check
from course_lib import devices, layers, plots
from course_lib.data import video_world
from course_lib.predictions import came_out, predict
from course_lib.training import fit, own_train
from course_lib.training.negatives import in_batch_loss

devices.set_threads()
devices.describe()

# %% [markdown]
r"""
## 1 A world in which the best is known

20,000 viewers have watched 16 of 10,000 videos each. In real data of this kind (*implicit feedback*), and in ratings, which are explicit
(`course_lib.data.movie_lens` reads some), nobody knows how good a recommender could be. So this world has known rules:

- Every video belongs to one of 100 channels, and a channel has a topic. Every viewer has one of 64 **tastes**, which nobody sees.
- Half of the time a viewer chooses by taste, half of the time by what usually **follows** the last video.
- Within that, a video is chosen in proportion to $e^{\text{appeal} - \text{age}/45\text{ days}}$: **fresh** ones are preferred.

From a history, Bayes' rule gives the probability of each taste, and so of every next video. The best recommendation is the ten most probable
ones.

**Before you run it:** how often do the best ten of 10,000 hold the next video? And the ten most popular ones?
"""

# %% tags=["experiment"]
VIDEOS, WATCHED = 10_000, 16
world = video_world()
histories = world.draw_histories(20_000, WATCHED, torch.Generator().manual_seed(1))
viewers = world.draw_histories(1000, WATCHED, torch.Generator().manual_seed(2))      # others, on whom everything is measured
next_ones, new_ones = world.next_probabilities(viewers), world.new_probabilities(viewers)
counts = torch.bincount(histories.flatten(), minlength=VIDEOS)


def expected_recall(scores, probabilities=next_ones, k=10):
    """Return how probable it is that the next video is among the k with the highest scores, on average over the viewers."""
    return probabilities.gather(1, scores.topk(k, dim=1).indices).sum(dim=1).mean().item()


best = expected_recall(next_ones)
popular = expected_recall(counts.float().expand(len(viewers), -1))
print(f"recall@10: the best possible {best:.3f}, the most popular {popular:.3f}, ten by chance {10 / VIDEOS:.3f}")
print(f"watched most: {counts.max()} times; never: {(counts == 0).float().mean():.1%} of the videos; certain of the taste: {world.taste_probabilities(viewers).amax(dim=1).mean():.2f}")

# %% tags=["numbers"]
from autograder.authoring.numbers import claims, given, says

says("The best possible recall@10 is 0.22", 10, best)
says("the ten most popular videos have 0.05", popular)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The best possible recall@10 is 0.22, although the history tells the taste with near certainty, and the ten most popular videos have 0.05. A
viewer who likes a topic may choose any of its hundred videos. So compare a recall with the best possible one, not with 1.
</details>

## 2 A causal Transformer over videos

A history is a sentence whose words are videos, and the next video is the next word (*sequential recommendation*; Kang and McAuley 2018). So the
model is the GPT of lesson 7 without its output layer: the vector at place $i$ is a viewer who has watched videos 0 to $i$, and its product with
the vector of a video is the score of that video.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (scores: all videos)
    [products with the table]
    (viewer vector: D, one for each place)
    [causal blocks]
    plus = {+}
    (video vectors: N × D) | (positions)
    (watched: N ids)
    watched -> video vectors
    video vectors, positions -> plus
    plus -> causal blocks
    causal blocks -> viewer vector
    viewer vector -> products with the table
    products with the table -> scores
""", title="A language model whose words are videos");

# %% [markdown]
r"""
**Exercise 1.** ●● Write the forward of `SequentialRecommender`.

<details><summary>Hint</summary>

Every place has to predict the video one place further on. What may it not see? `layers.Encoder` takes `causal=True`.
</details>
"""

# %% nbgrader={"grade_id": "SequentialRecommender", "solution": true}
class SequentialRecommender(nn.Module):
    """A causal Transformer over the vectors of what was watched."""

    def __init__(self, num_videos, width, num_heads, num_blocks, max_length):
        super().__init__()
        self.embedding = nn.Embedding(num_videos, width)
        self.positions = layers.LearnedPositions(max_length, width)  # called with (B, N, D), it adds the vectors of the places
        self.encoder = layers.Encoder(num_blocks, width, num_heads, 2 * width, 0.0, "pre", "gelu")  # returns (Y, weights)
        nn.init.normal_(self.embedding.weight, std=0.1)

    def forward(self, ids):
        """Return the viewers' vectors (B, N, D) after each of the videos ids (B, N), each from that video and those before it."""
        ### BEGIN SOLUTION Encode the videos' vectors with their places, causally, and return what the encoder says.
        Y, _ = self.encoder(self.positions(self.embedding(ids)), need_weights=False, causal=True)
        return Y
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-SequentialRecommender", "grade": true}
check("SequentialRecommender")

# %% [markdown]
r"""
## 3 Train it

The loss is that of lesson 13's search, ready-made as `in_batch_loss`: the question is a viewer after some videos, the document is the next one,
and the wrong answers are the next videos $m$ of all other examples in the batch,

$$\ell_b = -\log \frac{\exp(q_b \cdot d_b - \log p_b)}{\sum_m \exp(q_b \cdot d_m - \log p_m)}$$

A video $m$ that is also the right one is left out of the sum. A frequent video would be a wrong answer of others more often than a rare one;
subtracting $\log p_m$, the logarithm of its frequency, makes up for that (the **log Q correction**), in training only.

The videos' vectors do not begin at random. A video without a click still has **content**: its channel, an editor's guess of its appeal, and its
age, 102 numbers. `begin_with_content` multiplies them with a random matrix, so that videos of one channel begin close together.

**Exercise 2.** ● `my_recommender` takes no arguments and returns the model that you train and hand in, with new random weights: a
`SequentialRecommender` for 10,000 videos and histories of 16. Choose the sizes as you like, as long as the file has at most 16 MB; a width of
48, 4 heads and 2 blocks do well. The grader loads your file into it and into a model of its own, compares the two, and grades its own.

The training takes half a minute of one core and writes `recommender.safetensors`. If you wrote `train` in lesson 5 and its folder lies next to
this one, that loop takes the steps (`own_train`); otherwise `fit` takes them itself. After a change of `my_recommender`, or of anything that it
is trained with, pass `resume=False` once.

The check draws new viewers. 80 % of the highest possible recall earn full points for known videos, and 70 % for new ones (section 5).
Controls must hurt: another viewer's history, another's last video, and for new videos another's content.
"""

# %% nbgrader={"grade_id": "my_recommender", "solution": true}
def my_recommender():
    """Return the model whose weights are handed in as recommender.safetensors, with new weights."""
    ### BEGIN SOLUTION Return a SequentialRecommender for 10,000 videos and histories of 16.
    return SequentialRecommender(10_000, width=48, num_heads=4, num_blocks=2, max_length=16)
    ### END SOLUTION

# %% tags=["experiment"]
log_frequency = ((counts + 1) / (counts + 1).sum()).log()
content = world.content[:VIDEOS]


@torch.no_grad()
def begin_with_content(model):
    """Give the videos vectors that are made of their content by a random matrix."""
    known = (content - content.mean(dim=0)) / content.std(dim=0)
    width = model.embedding.weight.shape[1]
    model.embedding.weight.copy_(known @ torch.randn(known.shape[1], width) * 0.3 / known.shape[1] ** 0.5)


def next_video_loss(model, ids, log_p=log_frequency):
    """Return the loss of all next videos of a batch of histories, corrected by the videos' log p unless it is None."""
    vectors, following = model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()
    return in_batch_loss(vectors, model.embedding(following), following, None if log_p is None else log_p.to(ids.device)[following])


@torch.no_grad()
def viewer_vectors(model, ids=viewers):
    """Return the vectors of viewers after their whole histories."""
    return model(ids)[:, -1]


def of_the_best(model):
    """Return the recall@10 of known videos as a share of the best possible."""
    return expected_recall(viewer_vectors(model) @ model.embedding.weight.detach().T) / best


def draw_viewers(generator):
    return histories[torch.randint(len(histories), (64,), generator=generator)]

# %% [markdown]
r"""
Training needs one number that no formula gives: the **learning rate**. So try some, each for 100 steps.

**Before you run it:** after 100 steps, which of the rates has the highest recall, and what does the loss do at the largest? Chance would be
$\log 960 \approx 6.9$, one of the 64 · 15 next videos of a batch, if all were equally frequent.
"""

# %% tags=["experiment"]
def try_rate(rate, steps=100):
    """Return the losses of a short training with this learning rate, and the recall of its model as a share of the best possible."""
    torch.manual_seed(0)
    model, losses = my_recommender(), []
    begin_with_content(model)

    def loss_of(model, ids):
        loss = next_video_loss(model, ids)
        losses.append(loss.item())
        return loss

    fit(model, loss_of, draw_viewers, steps=steps, learning_rate=rate, warmup=20, seed=0, device="cpu", show=False)
    return losses, of_the_best(model)


rates = {rate: try_rate(rate) for rate in (1e-4, 1e-3, 3e-3, 1e-2, 1e-1, 1.0)}
for rate, (losses, share) in rates.items():
    print(f"learning rate {rate:7.4f}: loss {sum(losses[-10:]) / 10:7.2f} at the end, {share:.1%} of the best possible recall")
plots.show_curves(range(1, 1 + len(rates[1.0][0])), {f"{rate:g}": [min(loss, 12.0) for loss in losses] for rate, (losses, _) in rates.items()},
                  "step", "loss, cut at 12", "Six learning rates");

# %% tags=["numbers"]
says("0.01 is the best after 100 steps with 73 %, and the 0.003 of this lesson has 58 %", 0.01, 100, rates[1e-2][1], 0.003, rates[3e-3][1], within=3, whole=True)
claims("0.01 is the best after 100 steps", max(rates, key=lambda rate: rates[rate][1]) == 1e-2, whole=True)
given("the loss ends far above 6.9")
claims("**diverges**", sum(rates[1.0][0][-10:]) / 10 > 10, whole=True)
given("after 800 steps it is the other way round: 84.0 % with 0.01, and 86.3 % with 0.003")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With a rate of 1 the training **diverges**: the loss ends far above 6.9, worse than guessing. Below some rate nothing is wrong but
time: 0.01 is the best after 100 steps with 73 %, and the 0.003 of this lesson has 58 %. But after 800 steps it is the other way round: 84.0 %
with 0.01, and 86.3 % with 0.003. A short sweep finds rates that are too large or far too small. The rest it cannot decide for a longer
training; change `LEARNING_RATE` in the next cell and see.
</details>
"""

# %% tags=["experiment"]
RECOMMENDER_SEED, LEARNING_RATE = 0, 3e-3
torch.manual_seed(RECOMMENDER_SEED)
recommender = my_recommender()
begin_with_content(recommender)
history = fit(recommender, next_video_loss, draw_viewers, steps=800, learning_rate=LEARNING_RATE, warmup=50, train=own_train(), validate=of_the_best,
              validate_every=100, better="higher", seed=RECOMMENDER_SEED, checkpoint="recommender.safetensors", resume=True, device="cpu")
history

# %% nbgrader={"grade_id": "check-my_recommender", "grade": true}
check("my_recommender")

# %% [markdown]
r"""
**Before you run it:** put these in order: the most popular videos; this model; this model with another viewer's history; this model with
the right history, but another's last video. Then three programs without a network. They count channels, and take a channel's videos by how
often each was watched: the channels that follow the last one; half of these and half the viewer's own; half of these and half those of the
nearest of 64 groups of viewers.
"""

# %% tags=["experiment"]
mixed = torch.cat((viewers[:, :-1], viewers[:, -1:].roll(1, 0)), dim=1)
table = recommender.embedding.weight.detach()
shares = {"recommender": of_the_best(recommender), "popular": popular / best}
for name, ids in (("another's history", viewers.roll(1, 0)), ("another's last", mixed)):
    shares[name] = expected_recall(viewer_vectors(recommender, ids) @ table.T) / best
channel = world.channels[:VIDEOS]
of_channel = counts / torch.zeros(100).index_add(0, channel, counts.float())[channel]     # a video's share of its channel
follows = torch.zeros(100, 100).index_put((channel[histories[:, :-1]], channel[histories[:, 1:]]), torch.ones(()), accumulate=True)
follows = follows[channel[viewers[:, -1]]] / follows.sum(dim=1)[channel[viewers[:, -1]], None]    # (1000, 100)
watched_of, own = (F.one_hot(channel[ids], 100).float().mean(dim=1) for ids in (histories, viewers))
groups = MiniBatchKMeans(64, random_state=0, n_init=3, batch_size=2048).fit(watched_of.numpy())
group, of_viewers = (torch.from_numpy(groups.predict(ids.numpy())).long() for ids in (watched_of, own))
like_them = torch.stack([watched_of[group == number].mean(dim=0) for number in range(64)])[of_viewers]
for name, chances in (("last channel", follows), ("and own channels", follows + own), ("and 64 groups", follows + like_them)):
    shares[name] = expected_recall(chances[:, channel] * of_channel) / best
print(", ".join(f"{name} {share:.1%}" for name, share in shares.items()), "of the best possible")
plots.show_bars(list(shares), list(shares.values()), ylabel="recall@10, of the best possible", xlabel="", title="1,000 new viewers, 10,000 videos");

# %% tags=["numbers"]
says("The recommender has 86 % of the best possible recall, and the most popular videos 23 %", shares["recommender"], shares["popular"], within=2)
says("far worse than popularity, 6 %", shares["another's history"], within=3)
says("With another's last video 34 % are left", shares["another's last"], within=4)
says("Counting what follows the last channel has 79 %, with the viewer's own channels 85 %", shares["last channel"], shares["and own channels"])
says("with those of 64 groups 92 %", 64, shares["and 64 groups"], within=2)
claims("more than the Transformer", shares["and 64 groups"] > shares["recommender"] + 0.03)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The recommender has 86 % of the best possible recall, and the most popular videos 23 %. With another viewer's history it is far worse than
popularity, 6 %. With another's last video 34 % are left: half of the choices follow the last video.

But popularity is a weak rival. Counting what follows the last channel has 79 %, with the viewer's own channels 85 %, and with those of 64 groups
92 %: more than the Transformer. These programs are told what counts in this world. The Transformer begins with the channels, and finds the rest
by itself.
</details>

## 4 What the correction is good for

The same model is trained for 300 steps with and without $\log p$; and a third time with all 10,000 videos in the sum of the softmax, not only
those of the batch. That is the **full softmax**, the plain cross-entropy of a language model, and it needs no correction.

**Before you run it:** with and without the correction: which model will show the more popular videos, and which will have the higher recall?
What does the full softmax gain, and how many times as long does a step take?
"""

# %% tags=["experiment", "slow"]
def full_softmax_loss(model, ids):
    """Return the cross-entropy over the whole catalogue."""
    return F.cross_entropy(model(ids[:, :-1]).flatten(0, 1) @ model.embedding.weight.T, ids[:, 1:].flatten())


losses = {"corrected": next_video_loss, "not corrected": lambda model, ids: next_video_loss(model, ids, None), "full softmax": full_softmax_loss}
corrected, seconds = {}, {}
for name, loss in losses.items():
    torch.manual_seed(0)
    model = my_recommender()
    begin_with_content(model)
    seconds[name] = -time.process_time()
    fit(model, loss, draw_viewers, steps=300, learning_rate=3e-3, warmup=50, seed=0, device="cpu", show=False)
    seconds[name] += time.process_time()
    scores = viewer_vectors(model) @ model.embedding.weight.detach().T
    for way, its_scores in (("", scores), (", log p added when it is used", scores + log_frequency)):
        shown = counts[its_scores.topk(10, dim=1).indices].float().median().item()
        corrected[name + way] = expected_recall(its_scores) / best, shown
        print(f"{name + way}: {corrected[name + way][0]:.1%} of the best recall, and the median of what it shows was watched {shown:.0f} times")
truly = counts[next_ones.topk(10, dim=1).indices].float().median().item()
print(f"the best ten: {truly:.0f} times; processor time of the full softmax: {seconds['full softmax'] / seconds['corrected']:.1f} times that of the batch")

# %% tags=["numbers"]
says("82 % of the best recall already; without it 17 %", corrected["corrected"][0], corrected["not corrected"][0], within=4, whole=True)
claims("which is less than popularity alone", corrected["not corrected"][0] < popular / best, whole=True)
claims("watched some 20 times, where the best ten were watched 370 times", corrected["not corrected"][1] < 40 and abs(truly - 370) < 20, whole=True)
claims("The full softmax is as good as the corrected loss, not better", abs(corrected["full softmax"][0] - corrected["corrected"][0]) < 0.03, whole=True)
claims("takes several times as long", seconds["full softmax"] > 2 * seconds["corrected"], whole=True)
says("Add $\\log p$ to its scores when it is used, and it has 83 %", corrected["not corrected, log p added when it is used"][0], within=4, whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With the correction it has 82 % of the best recall already; without it 17 %, which is less than popularity alone, and it shows videos that
were watched some 20 times, where the best ten were watched 370 times. Without the correction the model learns not $\log p(y \mid x)$ but
$\log p(y \mid x) / p(y)$, up to one number for each viewer. Add $\log p$ to its scores when it is used, and it has 83 %. The opposite
fault, recommending what is popular whatever the viewer likes, is called **popularity bias**.

The full softmax is as good as the corrected loss, not better, and takes several times as long, although 10,000 videos are few. For ten
million, each step would multiply every viewer's vector with 1,000 times as many; the batch stays the batch.
</details>

## 5 Videos that nobody has watched

Today 500 new videos were published. The model has no vector for them: a **cold start**. But we know their content, so **learn what the
content says about the vector** (Gantner et al. 2010). With $X$ the content of the known videos and $V$ their vectors, both without their
means $\bar x$ and $\bar v$:

$$W = \arg\min_W \; \lVert X W - V \rVert^2 + \lambda \lVert W \rVert^2 = (X^\top X + \lambda I)^{-1} X^\top V
\qquad v_\text{new} = (x_\text{new} - \bar x) W + \bar v$$

This is **ridge regression**; $\lambda$ keeps $W$ small where the content says little. It is also needed: each video has one channel, so the 100
channel columns without their means add up to 0, and $X^\top X$ has no inverse.

**Exercise 3.** ●● Write `cold_start_vector`.

<details><summary>Hint</summary>

`torch.linalg.solve(A, b)` is $A^{-1} b$ without the inverse. Which mean belongs to the new content: that of the new videos, or that of the known
ones?
</details>
"""

# %% nbgrader={"grade_id": "cold_start_vector", "solution": true}
def cold_start_vector(content, vectors, new_content, ridge):
    """Return vectors (new, D) for new videos, from their content, by ridge regression on the known videos.

    content: (M, F) and vectors: (M, D) of known videos. new_content: (new, F). The means are not held small by the ridge.
    Gradients may stop here. Raises ValueError unless ridge is above 0.
    """
    ### BEGIN SOLUTION Take out the means, solve for W, and apply it to the new content.
    if ridge <= 0:
        raise ValueError(f"Expected a ridge above 0, got {ridge}.")
    middle, centre = content.mean(dim=0), vectors.mean(dim=0)
    X, Y = content - middle, vectors - centre
    A = X.T @ X + ridge * torch.eye(X.shape[1], dtype=X.dtype, device=X.device)
    return (new_content - middle) @ torch.linalg.solve(A, X.T @ Y) + centre
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-cold_start_vector", "grade": true}
check("cold_start_vector")

# %% [markdown]
r"""
Suppose the next video is one of the new ones, and rank these 500 only.

**Before you run it:** what share of the best possible recall has a ranking by these vectors; by random vectors; by these with the contents
shuffled; by the editor's guess alone; by the counts of section 3 for 64 groups, times $e^\text{guess}$; by what `begin_with_content` would have given them?
"""

# %% tags=["experiment"]
today = world.content[VIDEOS:]
generator = torch.Generator().manual_seed(0)
seen_by = viewer_vectors(recommender)
ways = {
    "content": seen_by @ cold_start_vector(content.double(), table.double(), today.double(), 10.0).float().T,
    "64 groups": (follows + like_them)[:, world.channels[VIDEOS:]] * today[:, -2].exp(),     # counted as in section 3, and the editor's guess
    "random": seen_by @ torch.randn(len(today), table.shape[1], generator=generator).T,
    "another's": seen_by @ cold_start_vector(content.double(), table.double(), today[torch.randperm(len(today), generator=generator)].double(), 10.0).float().T,
    "editor": today[:, -2].expand(len(viewers), -1),
}
torch.manual_seed(RECOMMENDER_SEED)
begun = my_recommender()
begin_with_content(begun)                                            # the vectors with which the training began
start = begun.embedding.weight.detach()
ways["as begun"] = seen_by @ cold_start_vector(content.double(), start.double(), today.double(), 1e-3).float().T     # linear in the content: exact
stayed = F.cosine_similarity(table, start).mean().item()

print(f"mean cosine of a video's vector with the one it began with: {stayed:.3f}")
new_shares = {name: expected_recall(scores, new_ones) / expected_recall(new_ones, new_ones) for name, scores in ways.items()}
print("recall@10 of new videos:", ", ".join(f"{name} {share:.1%}" for name, share in new_shares.items()), f"of the best possible, {expected_recall(new_ones, new_ones):.3f}")
plots.show_bars(list(new_shares), list(new_shares.values()), ylabel="recall@10, of the best possible", xlabel="ranked by", title="500 videos that nobody has watched");

# %% tags=["numbers"]
says("84 % of the best possible recall", new_shares["content"], within=3)
says("The vectors of `begin_with_content` have 64 %", new_shares["as begun"], within=3)
says("a mean cosine of 0.98 with where it began", stayed, within=2)
says("With the contents shuffled 4 % are left, and with random vectors 2 %", new_shares["another's"], new_shares["random"], within=3)
says("the same for everybody, has 25 %", new_shares["editor"], within=1)
says("with 64 groups, times e to the editor's guess, have 86 %", 64, new_shares["64 groups"], within=2)
given("begun at random, after as many steps, the recommender has 58.5 % for known videos and 55.3 % for new ones (five seeds)")

# %% [markdown]
r"""
<details><summary>What you should see</summary>

By their content the new videos have 84 % of the best possible recall, nearly as much as the known ones. The vectors of `begin_with_content` have
64 %, so the regression adds what the training has changed. That is little: a known video's vector has a mean cosine of 0.98 with where it began.
With the contents shuffled 4 % are left, and with random vectors 2 %. The editor's guess alone, the same for everybody, has 25 %. But the counts of
section 3 with 64 groups, times e to the editor's guess, have 86 %. The content at the beginning matters: begun at random, after as many steps, the
recommender has 58.5 % for known videos and 55.3 % for new ones (five seeds).
</details>

But nobody knows that the next video will be a new one. In use, all 10,500 are in one table.

**Before you run it:** how many of the ten places will go to new videos in the best possible ranking? And in the model's?
"""

# %% tags=["experiment"]
every_one = world.today_probabilities(viewers)
one_table = torch.cat((seen_by @ table.T, ways["content"]), dim=1)
ideal = every_one.topk(10, dim=1)
together_shares = {"best possible": ((ideal.indices >= VIDEOS).double().mean().item(), 1.0)}
by_content = seen_by @ cold_start_vector(content.double(), table.double(), world.content.double(), 10.0).float().T
ten = by_content.topk(10, dim=1).indices
together_shares["all by content"] = (ten >= VIDEOS).double().mean().item(), (every_one.gather(1, ten).sum() / ideal.values.sum()).item()
for raised in (0.0, 1.0, 1.5, 2.0, 3.0):
    ten = (one_table + raised * (torch.arange(len(every_one[0])) >= VIDEOS)).topk(10, dim=1).indices
    together_shares[raised] = (ten >= VIDEOS).double().mean().item(), (every_one.gather(1, ten).sum() / ideal.values.sum()).item()
for name, (places, share) in together_shares.items():
    print(f"{name if isinstance(name, str) else f'new scores raised by {name}':25} new videos in {places:6.1%} of the ten places, {share:.1%} of the best possible recall")

# %% tags=["numbers"]
says("17 % of the places would go to new videos, and the model gives them 0.3 %", together_shares["best possible"][0], together_shares[0.0][0], within=2)
says("79 % of the best recall", together_shares[0.0][1], within=2)
says("new ones get 13 % of the places, but the recall is 78 %", *together_shares["all by content"], within=2)
says("With the new scores raised by 1.5, new videos get 11 % of the places, and the recall is 85 %", 1.5, *together_shares[1.5], within=2)
claims("Raised by 3 they crowd out the known ones", together_shares[3.0][1] < together_shares[0.0][1])

# %% [markdown]
r"""
<details><summary>What you should see</summary>

In the best ranking 17 % of the places would go to new videos, and the model gives them 0.3 %. Overall it has 79 % of the best recall. The first
places are for extremes: the vectors of known videos say which are better than their content; a new one has the average of videos with its content.
If all vectors are made of content alone, new ones get 13 % of the places, but the recall is 78 %: the known ones lose what their clicks have said.

So the known videos should keep their vectors, and the scores have to be made comparable in another way. With the new scores raised by 1.5, new videos get 11 % of the places, and the recall is 85 %. Raised by
3 they crowd out the known ones. Here the true probabilities chose the number; an operator has to show new videos to some viewers
(**exploration**) and compare what is watched with the scores.
</details>

### A tower for the videos

The regression came after the training. Better: let the training itself use the content. In a **two-tower** model for recommendation the second
tower makes a video's vector from what is known of it (Yi et al. 2019). A known video $i$ gets a vector $e_i$ of its own on top:

$$v_i = \operatorname{GELU}(x_i W_1 + b_1)\, W_2 + b_2 + e_i, \qquad \text{for a new video without } e_i$$

If every video in the training has an $e_i$, the tower never learns to do without. So in training $e_i$ is left out with probability $\rho$,
**whole**, and for each id of a batch by itself (DropoutNet; Volkovs et al. 2017). Unlike ordinary dropout nothing is rescaled: with $e_i$ or
without are the two cases that occur later.

**Exercise 4.** ●● Write the forward of `ItemTower`.

<details><summary>Hint: new ids</summary>

The table has no row for a new id, and looking it up is an error even if you multiply the result by 0. Which id can stand in for it?
</details>
<details><summary>Hint: one decision for each id</summary>

`torch.rand(ids.shape)` is a random number for each. `self.training` says whether the module is in training.
</details>
"""

# %% nbgrader={"grade_id": "ItemTower", "solution": true}
class ItemTower(nn.Module):
    """Vectors of videos from their content, with a vector of its own for each known one."""

    def __init__(self, num_known, num_features, width, hidden, dropout=0.0):
        super().__init__()
        self.own = nn.Embedding(num_known, width)                    # e
        self.layer_1 = nn.Linear(num_features, hidden)
        self.layer_2 = nn.Linear(hidden, width)
        self.dropout = dropout
        nn.init.zeros_(self.own.weight)

    def forward(self, ids, content):
        """Return vectors (..., D) of the videos ids (...) with content (..., F). Ids from num_known on are new.

        In training, the own vector of each id is left out with probability dropout, whole; the others stay as they are.
        """
        ### BEGIN SOLUTION Add the own vectors of known videos, unless they are left out, to what the layers make of the content.
        last = self.own.num_embeddings - 1
        known = ids <= last
        if self.training:
            known = known & (torch.rand(ids.shape, device=ids.device) >= self.dropout)
        own = self.own(ids.clamp(max=last)) * known[..., None]
        return self.layer_2(F.gelu(self.layer_1(content))) + own
        ### END SOLUTION

# %% nbgrader={"grade_id": "check-ItemTower", "grade": true}
check("ItemTower")

# %% [markdown]
r"""
The recommender is trained again, for 400 steps, with an `ItemTower` in place of its table: without own vectors at all ($\rho = 1$), with
half of them left out, and with all of them always there ($\rho = 0$). The control takes the last model and sets its own vectors to 0, after the
training.

**Before you run it:** which of the four will give new videos their share of the places, among all 10,500?
"""

# %% tags=["experiment"]
everything = (world.content - content.mean(dim=0)) / content.std(dim=0)


class Catalogue(nn.Module):
    """Looks up the content of videos and asks a tower for their vectors."""

    def __init__(self, tower):
        super().__init__()
        self.tower = tower

    def forward(self, ids):
        return self.tower(ids, everything[ids])


@torch.no_grad()
def among_all(model):
    """Return the recall of known and of new videos, each among themselves; among all, the share of places for new ones and the recall."""
    seen, vectors = viewer_vectors(model), model.embedding(torch.arange(len(everything)))
    ten = (seen @ vectors.T).topk(10, dim=1).indices
    return (expected_recall(seen @ vectors[:VIDEOS].T) / best, expected_recall(seen @ vectors[VIDEOS:].T, new_ones) / expected_recall(new_ones, new_ones),
            (ten >= VIDEOS).double().mean().item(), (every_one.gather(1, ten).sum() / ideal.values.sum()).item())


towers = {}
for dropout in (1.0, 0.5, 0.0):
    torch.manual_seed(0)
    model = my_recommender()
    model.embedding = Catalogue(ItemTower(VIDEOS, everything.shape[1], width=48, hidden=128, dropout=dropout))
    fit(model, next_video_loss, draw_viewers, steps=400, learning_rate=3e-3, warmup=50, seed=0, device="cpu", show=False)
    towers[dropout] = among_all(model.eval())
    known, new, places, recall = towers[dropout]
    print(f"own vectors left out with probability {dropout}: known {known:.1%}, new {new:.1%} of the best; among all, new ones in {places:.1%} of the places, recall {recall:.1%} of the best")
nn.init.zeros_(model.embedding.tower.own.weight)
towers["taken away"] = among_all(model)
print("own vectors taken away after the training: known {:.1%}, new {:.1%} of the best; among all, new ones in {:.1%} of the places, recall {:.1%} of the best".format(*towers["taken away"]))

# %% tags=["numbers"]
says("Without own vectors new videos get 17 % of the places", towers[1.0][2], within=3, whole=True)
says("With all of them always there it is 5 %", towers[0.0][2], within=3, whole=True)
says("they would get 87 % of the best recall among themselves, as much as the known ones", towers[0.0][1], within=3, whole=True)
says("With its own vectors taken away the same model gives them 15 %", towers["taken away"][2], within=3, whole=True)
says("the known ones fall from 87 % to 83 % among themselves", towers[0.0][0], towers["taken away"][0], within=3, whole=True)
claims("as much as the known ones", abs(towers[0.0][1] - towers[0.0][0]) < 0.04, whole=True)
says("With half left out they get 16 % of the places, and the recall among all is the highest, 87 %", towers[0.5][2], towers[0.5][3], within=3, whole=True)
claims("the recall among all is the highest", towers[0.5][3] > max(towers[0.0][3], towers[1.0][3]) and towers[0.5][3] > max(share for _, share in list(together_shares.values())[1:]), whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

Without own vectors new videos get 17 % of the places, as in the best possible ranking: both kinds of vectors are made in the same way. With all
of them always there it is 5 %, although they would get 87 % of the best recall among themselves, as much as the known ones: it is the scores that
cannot be compared, since the own vectors hold a part of what makes a video popular. With its own vectors taken away the same model gives them 15 %;
but the known ones fall from 87 % to 83 % among themselves. With half left out they get 16 % of the places, and the
recall among all is the highest, 87 %, without a number that somebody has to choose by the true probabilities.
</details>
"""

# %% [markdown]
r"""
## 6 The loop (optional)

A recommender in use shows ten videos, one of these is watched, and tomorrow it is trained on that: a
**feedback loop**. Here, in each of five rounds, 2,000 viewers watch two videos, each one of ten that are shown, chosen by the rules of the world;
then the model is trained a little further, on the new histories. What is shown is either

- **the best ten**, those with the highest products; or
- **ten drawn**, in proportion to the exponential of the product, none twice.

Two controls take the loop apart: viewers who are shown nothing and go on choosing **by themselves**, with as much further training; and a
model that shows its best ten and is **never trained again**.

Two recalls are measured after each round. *On the log* is what a real operator can compute (*offline evaluation*): how often each viewer's
most recent video, held out, is among the model's top ten. *Of new viewers* needs the simulator: the expected recall for 1,000 viewers who
were shown nothing, as a share of the best possible.
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    . | (ten videos shown) | .
    (model) | . | (viewer chooses one)
    . | (log: what was watched) | .
    model -> ten videos shown
    ten videos shown -> viewer chooses one
    viewer chooses one -> log
    log -> model: training
""", title="The feedback loop");

# %% [markdown]
r"""
**Before you run it:** when the best ten are shown, how many different videos will be shown in a round, of 10,000? And the two recalls, over the
rounds?
"""

# %% tags=["experiment"]
predict("the loop", "When the best ten are shown, over five rounds: what do the recall on the log and that of new viewers do?",
        ["both rise", "the one on the log rises, the other hardly moves", "both fall"])

# %% tags=["experiment", "slow"]
LOOP_SEED, ROUNDS = 0, 5


@torch.no_grad()
def watch_one_more(model, people, way, generator):
    """Show ten videos to each viewer (B, N) and let each watch one. Return the histories (B, N), what was shown (B, 10), its chances (B, 10)."""
    everything = world.next_probabilities(people)
    if way == "by themselves":
        watched = torch.multinomial(everything, 1, generator=generator)
        return torch.cat((people[:, 1:], watched), dim=1), watched, everything.gather(1, watched)
    scores = viewer_vectors(model, people) @ model.embedding.weight.T
    if way == "ten drawn":
        scores = scores - torch.empty_like(scores).exponential_(generator=generator).log()     # -log of an exponential number: Gumbel noise
    shown = scores.topk(10, dim=1).indices
    chances = everything.gather(1, shown)
    watched = shown.gather(1, torch.multinomial(chances, 1, generator=generator))
    return torch.cat((people[:, 1:], watched), dim=1), shown, chances


def train_further(model, people, seed):
    """Train for 100 steps on these histories without their last videos."""
    times = torch.bincount(people.flatten(), minlength=VIDEOS)
    log_p = ((times + 1) / (times + 1).sum()).log()
    fit(model, lambda model, ids: next_video_loss(model, ids, log_p), lambda g: people[torch.randint(len(people), (64,), generator=g), :-1],
        steps=100, learning_rate=1e-3, warmup=20, seed=seed, device="cpu", show=False)


def loop(way):
    """Return for each round: videos shown and watched, the recall on the log and of new viewers, and how often something shown is chosen."""
    model, people, generator, rows = copy.deepcopy(recommender), histories[:2000], torch.Generator().manual_seed(LOOP_SEED), []
    for number in range(ROUNDS):
        people, first, _ = watch_one_more(model, people, way, generator)
        people, second, chances = watch_one_more(model, people, way, generator)
        if way != "never trained again":                                    # its best ten are shown
            train_further(model, people, LOOP_SEED + number)
        with torch.no_grad():
            ten = (viewer_vectors(model, people[:, :-1]) @ model.embedding.weight.T).topk(10, dim=1).indices
        on_log = (ten == people[:, -1:]).any(dim=1).float().mean().item()
        rows.append((len(torch.cat((first, second)).unique()), len(people[:, -2:].unique()), on_log, of_the_best(model), chances.sum(dim=1).mean().item()))
    return rows


looped = {way: loop(way) for way in ("best ten", "ten drawn", "by themselves", "never trained again")}
for name, rows in looped.items():
    print(f"{name}:" if name == "by themselves" else f"{name}: one of them would be watched anyway in {rows[0][4]:.1%} of cases")
    for number, (shown, watched, on_log, of_new, _) in enumerate(rows, 1):
        print(f"   round {number}: {shown:5} different videos shown, {watched:4} watched; recall on the log {on_log:.0%}, of new viewers {of_new:.1%}")
_, sides = plt.subplots(1, 2, figsize=(10.5, 3.8), layout="constrained")
turns = range(1, ROUNDS + 1)
plots.show_curves(turns, {name: [row[1] for row in rows] for name, rows in looped.items()}, "round", "different videos", "What is watched", ax=sides[0])
plots.show_curves(turns, {f"{name}, {on}": [row[place] for row in rows] for name, rows in looped.items() for on, place in (("on the log", 2), ("new viewers", 3)) if name != "never trained again"}, "round", "recall", "The two recalls", ax=sides[1])
log_gain, true_gain = (looped["best ten"][-1][place] - looped["best ten"][0][place] for place in (2, 3))
came_out("the loop", "both fall" if max(log_gain, true_gain) < 0 else "both rise" if true_gain > 0.02 else "the one on the log rises, the other hardly moves")

# %% tags=["numbers"]
says("the number of videos shown in a round falls from 1000 to 830, and of those watched from 530 to 410", *(looped["best ten"][row][place] for place in (0, 1) for row in (0, -1)), within=60, whole=True)
says("The recall on the log rises from 86 % to 96 %", *(looped["best ten"][row][2] for row in (0, -1)), within=3, whole=True)
says("watch 2200 different videos in the first round as in the fifth", looped["by themselves"][0][1], within=60, whole=True)
says("watch 2200 different videos in the first round as in the fifth", looped["by themselves"][-1][1], within=60, whole=True)
frozen = looped["never trained again"]
claims("shows 920 videos from the second round on", all(abs(row[0] - 925) < 40 for row in frozen[1:]), whole=True)
claims("which about 500 are watched", all(abs(row[1] - 500) < 40 for row in frozen[1:]), whole=True)
says("its recall on the log stays at 90 %", frozen[0][2], within=2)
says("its recall on the log stays at 90 %", frozen[-1][2], within=2)
claims("Nor does showing alone", frozen[-1][1] > looped["best ten"][-1][1] + 40, whole=True)
claims("the recall on the log stays below 20 %", max(row[2] for row in looped["by themselves"]) < 0.2, whole=True)
says("that of new viewers stays where it was, 84.7 % and 84.5 %", *(looped["best ten"][row][3] for row in (0, -1)), within=15, whole=True)
claims("some 7000 are shown in each round", all(6500 < row[0] < 8000 for row in looped["ten drawn"]), whole=True)
says("1180 are watched in the first", looped["ten drawn"][0][1], within=60)
says("is among the ten in 6 % instead of 18 %", looped["ten drawn"][0][4], looped["best ten"][0][4])
says("only 850 are watched in the fifth", looped["ten drawn"][-1][1], within=60, whole=True)
claims("the two recalls come nearer to each other", looped["ten drawn"][0][2] < looped["ten drawn"][-1][2] and looped["ten drawn"][0][3] > looped["ten drawn"][-1][3], whole=True)

# %% [markdown]
r"""
<details><summary>What you should see</summary>

With the best ten, the number of videos shown in a round falls from 1000 to 830, and of those watched from 530 to 410. The
recall on the log rises from 86 % to 96 %, and nothing has become better: that of new viewers stays where it was, 84.7 % and 84.5 %. What
was shown is what the model had put first, so on the log it agrees with itself. (Where viewers choose by themselves the recall on the log
stays below 20 %.)

It takes the whole loop to narrow the catalogue so far. Training alone does not: viewers who choose by themselves watch 2200 different videos
in the first round as in the fifth. Nor does showing alone: a model that is never trained again shows 920 videos from the second round on, of
which about 500 are watched, and its recall on the log stays at 90 %.

With ten drawn, some 7000 are shown in each round, and 1180 are watched in the first. But what the viewers would have chosen by themselves
is among the ten in 6 % instead of 18 %. And it still narrows: only 850 are watched in the fifth, and the two recalls come nearer to each
other. A model that is trained on its own choices is no judge of itself: let some viewers choose without it, and measure there.
</details>

### Judging a new policy by the log of an old one (optional)

What is shown first decides most. An operator has the log of an old **policy**: for each visit what was shown first, whether it was watched
(the **reward** $r_i$), and, if chance was used and written down, the probability $\pi_\text{old}(a_i)$ of showing it. How good would a new policy
$\pi_\text{new}$ be? Each row counts by how much more often the new policy shows the same (**inverse propensity scoring**, IPS; Horvitz and Thompson
1952). Dividing by the sum of the weights instead of by $n$ gives SNIPS (Swaminathan and Joachims 2015):

$$w_i = \frac{\pi_\text{new}(a_i)}{\pi_\text{old}(a_i)}, \qquad \hat V_\text{IPS} = \frac1n \sum_i w_i r_i, \qquad
\hat V_\text{SNIPS} = \frac{\sum_i w_i r_i}{\sum_i w_i}$$

IPS is **unbiased** if the old policy shows everything that the new one shows, however rarely: the mean over all logs that the old policy could
have written is then the new policy's true value. The check adds up all logs
of a tiny system and compares.

**Exercise 5 (optional).** ● Write `off_policy_values`.
"""

# %% nbgrader={"grade_id": "off_policy_values", "solution": true}
def off_policy_values(rewards, probabilities, new_probabilities):
    """Return two numbers, the IPS and the SNIPS estimate of a new policy's mean reward. The second is nan if all weights are 0.

    rewards: (n,). probabilities, new_probabilities: (n,), with which the old and the new policy show what was shown.
    Raises ValueError unless all probabilities of the old one are above 0.
    """
    ### BEGIN SOLUTION Weight the rewards by new / old, and take two means.
    if (probabilities <= 0).any():
        raise ValueError("Expected probabilities above 0 for all that was shown.")
    weights = new_probabilities / probabilities
    return (weights * rewards).mean(), (weights * rewards).sum() / weights.sum()
    ### END SOLUTION

# %% nbgrader={"grade_id": "check-off_policy_values", "grade": true}
check("off_policy_values")

# %% [markdown]
r"""
Of the model's ten best, the old policy draws one to show first, in proportion to the exponential of twice its score. It is watched if the
viewer would have chosen it of the ten. Each of 1,000 viewers comes 20 times. Three new policies show the model's best, the freshest, or the
most watched of the ten. The obvious estimate is the mean reward of those rows in which the new policy would have shown the same. The control is
the log of another old policy, which draws each of the ten equally often.

**Before you run it:** is the obvious estimate too high, too low, or right? And with the control's log?
"""

# %% tags=["experiment"]
ten = (seen_by @ table.T).topk(10, dim=1)
chosen_of_ten = next_ones.gather(1, ten.indices)
chosen_of_ten = (chosen_of_ten / chosen_of_ten.sum(dim=1, keepdim=True)).float()    # (1000, 10), as only the simulator knows it
old_policies = {"by score": (2 * ten.values).softmax(dim=1), "equally often": torch.full_like(ten.values, 0.1)}
visits = torch.arange(len(viewers)).repeat_interleave(20)
policies = {"best": ten.values.argmax(dim=1), "freshest": content[ten.indices, -1].argmin(dim=1), "most watched": counts[ten.indices].argmax(dim=1)}
generator = torch.Generator().manual_seed(3)
off_policy, old_value = {}, {}
for log, old_policy in old_policies.items():
    old_value[log] = (old_policy * chosen_of_ten).sum(dim=1).mean().item()
    print(f"log of an old policy that draws {log}, whose own value is {old_value[log]:.3f}")
    for name, choice in policies.items():
        new_policy, estimates = F.one_hot(choice, 10).float(), []
        for _ in range(20):                                          # 20 logs, to see how far the estimates scatter
            shown = torch.multinomial(old_policy[visits], 1, generator=generator)[:, 0]
            watched = (torch.rand(len(visits), generator=generator) < chosen_of_ten[visits, shown]).float()
            old, new = old_policy[visits, shown], new_policy[visits, shown]
            estimates.append([watched[new > 0].mean(), *off_policy_values(watched, old, new)])
        truth, estimates = (new_policy * chosen_of_ten).sum(dim=1).mean().item(), torch.tensor(estimates)
        off_policy[log, name] = truth, *estimates.mean(dim=0).tolist()
        spread = estimates.std(dim=0)
        print(f"    {name:13} truth {truth:.3f}, rows that agree {estimates[:, 0].mean():.3f} ± {spread[0]:.3f}, "
              f"IPS {estimates[:, 1].mean():.3f} ± {spread[1]:.3f}, SNIPS {estimates[:, 2].mean():.3f} ± {spread[2]:.3f}")

# %% tags=["numbers"]
by_score = {name: off_policy["by score", name] for name in policies}
claims("too high for all three policies", all(row[1] > row[0] + 0.01 for row in by_score.values()), whole=True)
says("It takes the freshest for better than the old policy, 0.17 against 0.16, and it is far worse, 0.11", by_score["freshest"][1], old_value["by score"], by_score["freshest"][0], whole=True)
claims("right if every video was drawn equally often", all(abs(off_policy["equally often", name][1] - off_policy["equally often", name][0]) < 0.005 for name in policies))
claims("Both weighted estimates are right for all three policies and both logs", all(abs(value - row[0]) < 0.01 for row in off_policy.values() for value in row[2:]))

# %% [markdown]
r"""
<details><summary>What you should see</summary>

The mean of the rows that agree is too high for all three policies: the old policy shows a video more often to viewers who like it, so where it
agrees with the new one, it had a reason. It takes the freshest for better than the old policy, 0.17 against 0.16, and it is far worse, 0.11.
The obvious estimate is right if every video was drawn equally often. Both weighted estimates are right for all three policies and both logs. Their
price is the spread, which grows as the probabilities get smaller; and without written-down probabilities there is no such estimate.
</details>
"""

# %% [markdown]
r"""
## 7 Ten million videos

Large systems work in two stages. **Candidate generation** (*retrieval*) takes a few hundred of all videos by their vectors; a slower model, which
sees viewer and video together, does the **re-ranking** (Covington et al. 2016).
"""

# %% tags=["experiment"] jupyter={"source_hidden": true}
plots.show_diagram("""
    (all: 10 000 000 videos) | (candidates: a few hundred) | (shown: ten)
    r = [two towers and an index] | k = [a large model, one pair at a time]
    all -> r
    r -> candidates
    candidates -> k
    k -> shown
""", title="Retrieve, then rank");

# %% [markdown]
r"""
### Written question (4 points, graded by hand)

The system of this lesson is to serve ten million videos and, in the busiest hour, 2,000 viewers a second. Vectors have 64
numbers of 16 bits. On one page:

- (a) How much memory do the vectors need? How many products a second would an exact search take, and how many cores of
  $2 \cdot 10^{10}$ multiplications a second is that? What does an index save that compares a viewer with 4,096
  centroids and then with the videos of the nearest 16 of them only?
- (b) Videos come every minute, and what is popular changes within hours. What is computed anew each minute, each day,
  each week, and what happens to the vectors of the old model when a new one is trained?
- (c) How do you measure, before anything is shown to anybody, whether a new model is better? Which mistake with *time*
  makes it look better than it is?
- (d) The model learns from what viewers watched, and they watched what an earlier model had shown. What goes wrong, and
  what do you do about it?
"""

# %% [markdown] nbgrader={"grade_id": "written-ten-million", "grade": true, "solution": true, "points": 4}
r"""
(a) $10^7 \cdot 64 \cdot 2$ bytes = 1.28 GB: it fits into one machine. Exact: $10^7 \cdot 64 = 6.4 \cdot 10^8$
multiplications for a viewer, times 2,000 are $1.28 \cdot 10^{12}$ a second, which is 64 cores. With the index: 4,096
products for the centroids and $16/4096$ of the videos, some 39,000, together 43,000 instead of ten million products,
230 times fewer: a third of one core. (Batches help the exact search, and the lists are not equally long; allow for a
factor of two or three. For safety the index lies on several machines, each with a part of the videos or a copy of all.)

(b) Each minute: vectors of new videos by their content, and they are appended to the lists of their centroids. Within
hours: counts and features such as age and popularity. Daily: training goes on from yesterday's weights. Weekly:
centroids anew. Viewers' and videos' vectors belong together: vectors of two models may not be mixed, so all videos are
encoded with the new model and the index is built beside the old one, and then both are exchanged at once.

(c) Cut by time: train on all that happened before a day, measure recall over the whole catalogue on what came after,
for known and for new videos, and beside popularity. The mistake is a random split: the model then has seen tomorrow
(what became popular, the rest of the same session), and features such as counts must be those of the moment, not of
today. In the end a test with some viewers decides.

(d) What was not shown cannot be watched, so it looks bad, is shown less, and the catalogue narrows; the measured recall
even rises. Show some videos at random or in proportion to uncertainty, record with which probability each was shown,
weight by its inverse or leave position and exposure in the model, and watch how many different videos are shown.

=== BEGIN MARK SCHEME ===

- 1 point: (a) 1.28 GB, about 64 cores, and that the index looks at 4,096 centroids and 16/4096 of the videos (half a
  point with one of the three wrong or missing).
- 1 point: (b) new vectors by content at once, training more rarely, *and* that vectors of two models cannot be mixed
  (half a point without the last).
- 1 point: (c) a split by time *and* the leak of a random split or of counts from the future (half a point for one).
- 1 point: (d) what was not shown cannot be clicked, *and* one sound remedy (half a point for one).

=== END MARK SCHEME ===
"""

# %% [markdown]
r"""
## 8 What to take along

- Measure over the whole catalogue, against simple baselines: the most popular videos, and counts of what follows what.
- What nobody has clicked has content. Let the training use it, and check whether new things get their share among *all*.
- A log shows what an old policy liked. Use some chance, write its probabilities down, and weight by them.

### Sources

S. Jayasumana, *Attention-based models*, lecture. D. Horvitz, D. Thompson, *A generalization of sampling without replacement from a finite
universe*, Journal of the American Statistical Association 47, 1952. A. Swaminathan, T. Joachims, *The self-normalized estimator for counterfactual
learning*, NeurIPS 2015. M. Volkovs, G. Yu, T. Poutanen, *DropoutNet: Addressing cold start in recommender systems*, NeurIPS 2017. Y. Bengio, J.-S.
Senécal, *Adaptive importance sampling to accelerate training of a neural probabilistic language model*, IEEE Transactions on Neural Networks 19,
2008. Z. Gantner et al., *Learning attribute-to-feature mappings for cold-start recommendations*, ICDM 2010. P. Covington, J. Adams, E. Sargin,
*Deep neural networks for YouTube recommendations*, RecSys 2016. W.-C. Kang, J. McAuley, *Self-attentive sequential
recommendation*, ICDM 2018. X. Yi et al., *Sampling-bias-corrected neural modeling for large corpus item
recommendations*, RecSys 2019.
"""
