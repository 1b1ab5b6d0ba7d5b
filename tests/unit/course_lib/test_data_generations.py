import pytest
from torch import nn

from autograder.lessons.translation.references import AttentionDecoder, RecurrentEncoder
from course_lib.data import load_generation
from course_lib.data.generations import GENERATIONS
from course_lib.training import CheckpointError


class Translator(nn.Module):
    """The parts of the lesson's recurrent translator, under its names."""

    def __init__(self, width=128):
        super().__init__()
        self.encoder = RecurrentEncoder(120, width // 2, width // 2)
        self.decoder = AttentionDecoder(222, width, width, width // 2, width // 2)


@pytest.mark.parametrize("name", GENERATIONS)
def test_weights_and_how_they_were_trained(name):
    model = Translator()
    before = model.encoder.embedding.weight.detach().clone()
    record = load_generation(name, model)
    assert not model.training
    assert (model.encoder.embedding.weight != before).any()
    assert len(record["steps"]) == len(record["gaps"])
    assert record["steps"] == sorted(record["steps"])


def test_attention_comes_near_the_optimum_and_one_vector_does_not():
    lowest = {name: min(load_generation(name, Translator())["gaps"]) for name in GENERATIONS}
    assert 0 < lowest["attention"] < 0.01
    assert lowest["one vector"] > 10 * lowest["attention"]


def test_training_stopped_when_nothing_got_better():
    for name in GENERATIONS:
        gaps = load_generation(name, Translator())["gaps"]
        assert min(gaps[-4:]) > min(gaps)


def test_another_name_and_another_model_are_refused():
    with pytest.raises(ValueError, match="Expected one of 'one vector', 'attention', got 'Transformer'"):
        load_generation("Transformer", Translator())
    with pytest.raises(CheckpointError):
        load_generation("attention", Translator(64))
