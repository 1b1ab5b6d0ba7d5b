"""The two trained encoders know their language; they are no file that lesson 09 accepts."""

import pytest
import torch
from known import COURSE

from course_lib.data import MASK, agreement_words, draw_sentences, framed, load_encoder
from course_lib.data.trained_encoders import ENCODERS
from course_lib.layers.bert import MaskedLanguageModel
from course_lib.training import CheckpointError, load_checkpoint


def model(width=64):
    return MaskedLanguageModel(len(agreement_words()), width, num_heads=4, num_blocks=2, max_length=19, dropout=0.0)


@pytest.mark.parametrize(
    ("name", "file"), [("80/10/10", "language_model.safetensors"), ("[MASK] alone", "always_mask.safetensors")]
)
def test_they_are_those_of_lesson_09(name, file):
    whole, part = model(), model().encoder
    load_checkpoint(COURSE.solution_notebook("09-mlm-pretraining").parent / file, whole)
    load_encoder(name, part)
    ids = framed(draw_sentences(3, seed=1))
    ids[:, 2] = MASK
    with torch.no_grad():
        torch.testing.assert_close(part(ids)[0], whole.eval().encoder(ids)[0])


def test_a_wrong_name_or_size_is_refused():
    with pytest.raises(ValueError, match="Expected one of"):
        load_encoder("BERT", model().encoder)
    with pytest.raises(CheckpointError):
        load_encoder("80/10/10", model(32).encoder)


@pytest.mark.parametrize("name", ENCODERS)
def test_their_files_have_no_output(name, tmp_path):
    """So nobody hands them in as the model that lesson 09 trains."""
    from course_lib.data import trained_encoders

    file = COURSE.root / "course_lib" / "data" / trained_encoders.ENCODERS[name]
    with pytest.raises(CheckpointError):
        load_checkpoint(file, model())
