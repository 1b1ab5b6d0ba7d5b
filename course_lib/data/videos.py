"""A world of videos whose viewers choose by known rules, so that the best possible recommendation can be computed exactly.

Every video belongs to a channel, and every channel has a topic, a point on a sphere. A viewer has one of 64 tastes, also a
point, which nobody sees. Each choice is made in one of two ways, by chance: from all videos by the viewer's taste, or as a
sequel of the last video, by the topic that usually follows. In both ways a video is chosen with a probability proportional to

    exp(sharpness · (point · topic) + appeal − age / lifetime)

so taste, content, popularity, freshness and the order of watching all matter. Which taste a viewer has can be inferred from the
history, by Bayes' rule over all 64, and that gives the exact probability of every next video.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from torch import Tensor

KNOWN, NEW = 10_000, 500
CHANNELS, TASTES, TOPIC_WIDTH = 100, 64, 8
SHARPNESS, APPEAL = 15.0, 1.2
SEQUELS = 0.5  # of all choices follow the last video, the others the viewer's taste
LIFETIME = 45.0  # days in which a video's weight falls to 1 / e
MEAN_AGE = 60.0  # days, of known videos; new ones are published today
APPEAL_NOISE = 0.3  # with which an editor guesses a video's appeal


@dataclass(frozen=True)
class VideoWorld:
    """10,000 videos watched before, 500 that are new today, and the rules by which viewers choose among them.

    content: (10,500, 102), features of each video without a click: its channel (one-hot, 100 numbers), an editor's guess of its
    appeal, and its age divided by 60 days. The known videos come first; a video's id is its row.
    """

    content: Tensor
    channels: Tensor  # (10,500,)
    taste_weights: Tensor  # (64, 10,500), not normalised
    sequel_weights: Tensor  # (100, 10,500), by the last video's channel, not normalised

    def draw_histories(self, count: int, length: int, generator: torch.Generator) -> Tensor:
        """Return (count, length) ids of known videos, a row for each new viewer in the order of watching. Videos may repeat.

        Raises ValueError for fewer than one viewer or video.
        """
        if count < 1 or length < 1:
            raise ValueError(f"Expected at least one viewer and one video, got {count} viewers and {length} videos.")
        tastes = torch.randint(TASTES, (count,), generator=generator)
        taste, sequels = (_ladder(weights[:, :KNOWN]) for weights in (self.taste_weights, self.sequel_weights))
        ids = torch.empty(count, length, dtype=torch.int64)
        for place in range(length):
            ids[:, place] = _drawn(taste, tastes, generator)
            if place:
                sequel = torch.rand(count, generator=generator) < SEQUELS
                rows = self.channels[ids[sequel, place - 1]]
                ids[sequel, place] = _drawn(sequels, rows, generator)
        return ids

    def next_probabilities(self, histories: Tensor) -> Tensor:
        """Return the exact probability of every known video as the next one, (B, 10,000) in float64.

        histories: (B, N) ids of known videos, N ≥ 1.
        """
        known = slice(0, KNOWN)
        return self._mixture(histories, self._shares(self.taste_weights[:, known]), self.sequel_weights[:, known])

    def new_probabilities(self, histories: Tensor) -> Tensor:
        """Return the probability of every new video, (B, 500), given that the next video is one of the new ones.

        From today on, all 10,500 are available; the histories are from before.
        """
        new = self.today_probabilities(histories)[:, KNOWN:]
        return new / new.sum(dim=1, keepdim=True)

    def today_probabilities(self, histories: Tensor) -> Tensor:
        """Return the probability of every video, known or new, as the next one from today on, (B, 10,500)."""
        return self._mixture(histories, self._shares(self.taste_weights), self.sequel_weights)

    def taste_probabilities(self, histories: Tensor) -> Tensor:
        """Return the probability of each of the 64 tastes after these histories, by Bayes' rule, (B, 64)."""
        known = slice(0, KNOWN)
        taste = self._shares(self.taste_weights[:, known]).T.contiguous()  # (10,000, 64)
        sequel = self._shares(self.sequel_weights[:, known])
        logs = taste[histories[:, 0]].log()
        for before, ids in zip(histories.T[:-1], histories.T[1:], strict=True):
            follows = sequel[self.channels[before], ids][:, None]
            logs += ((1 - SEQUELS) * taste[ids] + SEQUELS * follows).log()
        return logs.softmax(dim=1)

    def _mixture(self, histories: Tensor, taste: Tensor, sequel_weights: Tensor) -> Tensor:
        sequel = self._shares(sequel_weights[self.channels[histories[:, -1]]])
        return (1 - SEQUELS) * self.taste_probabilities(histories) @ taste + SEQUELS * sequel

    @staticmethod
    def _shares(weights: Tensor) -> Tensor:
        return weights / weights.sum(dim=1, keepdim=True)


@cache
def video_world() -> VideoWorld:
    """Return the world, always the same one: trained weights depend on its ids."""
    random = np.random.RandomState(24)  # the one generator whose numbers NumPy promises never to change

    def points(count: int) -> np.ndarray:
        found = random.normal(size=(count, TOPIC_WIDTH))
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    topics, tastes = points(CHANNELS), points(TASTES)
    turn = np.linalg.qr(random.normal(size=(TOPIC_WIDTH, TOPIC_WIDTH)))[0]  # from a topic to the following one
    channels = random.randint(CHANNELS, size=KNOWN + NEW)
    appeal = APPEAL * random.normal(size=KNOWN + NEW)
    age = random.exponential(MEAN_AGE, size=KNOWN + NEW)
    age[KNOWN:] = 0.0
    own = topics[channels]
    base = appeal - age / LIFETIME
    guessed = appeal + APPEAL_NOISE * random.normal(size=appeal.shape)
    content = np.column_stack([np.eye(CHANNELS)[channels], guessed, age / MEAN_AGE]).astype(np.float32)
    return VideoWorld(
        torch.from_numpy(content),
        torch.from_numpy(channels.astype(np.int64)),
        torch.from_numpy(np.exp(SHARPNESS * (tastes @ own.T - 1) + base)),
        torch.from_numpy(np.exp(SHARPNESS * (topics @ turn.T @ own.T - 1) + base)),
    )


def _ladder(weights: Tensor) -> Tensor:
    """Return the cumulative shares of all rows in one sorted sequence: those of row r are between r and r + 1."""
    sums = weights.cumsum(1)
    return (sums / sums[:, -1:] + torch.arange(len(sums), dtype=sums.dtype)[:, None]).flatten()


def _drawn(ladder: Tensor, rows: Tensor, generator: torch.Generator) -> Tensor:
    """Draw a known video for each of these rows by the shares in the ladder."""
    chance = torch.rand(len(rows), generator=generator, dtype=ladder.dtype)
    found = torch.searchsorted(ladder, rows + chance, right=True) - rows * KNOWN
    return found.clamp(max=KNOWN - 1)
