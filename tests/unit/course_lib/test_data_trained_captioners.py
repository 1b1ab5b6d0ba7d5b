import pytest
import torch
import torch.nn.functional as F
from torch import nn

from autograder.lessons.captioning.references import CaptionDecoder, TransformerCaptioner
from course_lib.data import draw_scenes, load_captioner, scene_features, scene_vocabulary
from course_lib.data.trained_captioners import CAPTIONERS
from course_lib.training import CheckpointError


class OneVector(nn.Module):
    """As in the lesson: the parts and their names."""

    def __init__(self, width):
        super().__init__()
        self.decoder = CaptionDecoder(33, width, state_width=128, embedding_width=32, hidden_width=32)
        self.see = nn.Sequential(nn.Linear(32, 128), nn.ReLU())
        self.pack = nn.Linear(128, width)

    def forward(self, features, captions):
        return self.decoder(self.pack(self.see(features).mean(dim=1, keepdim=True)), captions)


class FixedVector(nn.Module):
    """As in the lesson."""

    def __init__(self):
        super().__init__()
        self.decoder = CaptionDecoder(33, 90, state_width=128, embedding_width=32, hidden_width=32)

    def forward(self, features, captions):
        p = features[..., :30] / 10
        sums = [(p * by).sum(dim=1, keepdim=True) for by in (1, features[..., 30:31], features[..., 31:])]
        return self.decoder(torch.cat(sums, dim=2), captions)


MODELS = dict(
    zip(
        CAPTIONERS,
        (lambda: OneVector(8), lambda: OneVector(512), FixedVector, lambda: TransformerCaptioner(33, 32)),
        strict=True,
    )
)


@pytest.fixture(scope="module")
def held_out():
    """Features of 60 scenes and their captions."""
    scenes = draw_scenes(60, seed=77, part="held_out")
    words, _ = scene_vocabulary().batch(scenes.captions)
    return scene_features(scenes.images).flatten(2).transpose(1, 2), words


@pytest.mark.parametrize("name", CAPTIONERS)
@torch.no_grad()
def test_captions_depend_on_the_picture(name, held_out):
    cells, words = held_out
    model = MODELS[name]().train()

    def loss(cells):
        logits = model(cells, words[:, :-1])[0]
        return float(F.cross_entropy(logits.transpose(1, 2), words[:, 1:], ignore_index=0))

    before = loss(cells)
    load_captioner(name, model)
    assert not model.training
    assert loss(cells) < 0.5 < 0.8 < loss(cells.roll(1, 0))  # of another scene
    assert loss(cells) < 0.15 * before


def test_another_name_and_another_model_are_refused():
    with pytest.raises(ValueError, match=r"Expected one of 'one vector of 8', .*, got 'GRU'"):
        load_captioner("GRU", OneVector(8))
    with pytest.raises(CheckpointError):
        load_captioner("one vector of 512", OneVector(8))
