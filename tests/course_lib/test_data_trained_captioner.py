import pytest
import torch
import torch.nn.functional as F

from autograder.lessons.captioning.references import TransformerCaptioner
from course_lib.data import draw_scenes, load_trained_captioner, scene_features, scene_vocabulary
from course_lib.training import CheckpointError


def test_it_knows_more_of_a_caption_than_an_untrained_one_and_looks_at_the_picture():
    scenes, vocabulary = draw_scenes(60, seed=77, part="held_out"), scene_vocabulary()
    cells = scene_features(scenes.images).flatten(2).transpose(1, 2)
    words, _ = vocabulary.batch(scenes.captions)
    model = TransformerCaptioner(len(vocabulary), 32).train()

    @torch.no_grad()
    def loss(cells):
        logits, _ = model(cells, words[:, :-1])
        return float(F.cross_entropy(logits.transpose(1, 2), words[:, 1:], ignore_index=0))

    before = loss(cells)
    load_trained_captioner(model)
    assert not model.training
    assert loss(cells) < 0.4 < 0.8 < loss(cells.roll(1, 0))  # of another scene
    assert loss(cells) < 0.1 * before


def test_another_model_is_refused():
    with pytest.raises(CheckpointError):
        load_trained_captioner(TransformerCaptioner(33, 32, model_width=32))
