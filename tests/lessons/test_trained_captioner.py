"""The checkpoint that is handed in: what cannot be used gets a clear message and no points, and nothing is unpickled."""

import json
import pickle
import zipfile

import pytest
import torch
from known import LESSONS
from safetensors.torch import save

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.lessons.captioning import references
from autograder.lessons.captioning.checks import check_pointing
from autograder.lessons.captioning.checks.trained import (
    FEW,
    FILE,
    SCENES,
    Written,
    cells_of,
    exact,
    pointing,
    scenes_of,
)
from autograder.runtime.files import files_in
from autograder.verdict.runner import run_checks
from course_lib.data import scene_vocabulary
from course_lib.training import save_checkpoint

pytestmark = pytest.mark.slow

OWN = LESSONS.of("06-captioning")


def my_captioner():
    return references.CaptionDecoder(33, 32, 128, 32, 32)


def report_on(folder, make=my_captioner):
    names = namespace(OWN) | {"my_captioner": make}
    return run_checks("my_captioner", NotebookStudent(names, OWN, file=files_in(folder)), 3)


class Touch:
    """Unpickling this makes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (str(self.path), "w")


def written_by_torch(path, trace):
    torch.save({"weights": Touch(trace)}, path)


def a_pickle(path, trace):
    path.write_bytes(pickle.dumps(Touch(trace)))


def gigantic(path, trace):
    with path.open("wb") as file:
        file.truncate(60 * 2**20)


def too_large(path, trace):
    path.write_bytes(save({"start.bias": torch.zeros(5 * 2**20)}))


def cut_off(path, trace):
    save_checkpoint(my_captioner(), path)
    path.write_bytes(path.read_bytes()[:-9])


def boundless_header(path, trace):
    path.write_bytes((2**62).to_bytes(8, "little") + b"{}")


def overlapping(path, trace):
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    header = json.dumps({"start.bias": entry, "output.bias": entry}).encode()
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))


def not_a_number(path, trace):
    weights = {name: tensor.clone() for name, tensor in my_captioner().state_dict().items()}
    weights["output.bias"][0] = torch.nan
    path.write_bytes(save(weights))


def a_zip(path, trace):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("../../outside", "x")


def empty(path, trace):
    path.write_bytes(b"")


def a_folder(path, trace):
    path.mkdir()


HOSTILE = (
    written_by_torch,
    a_pickle,
    gigantic,
    too_large,
    cut_off,
    boundless_header,
    overlapping,
    not_a_number,
    a_zip,
    empty,
    a_folder,
)


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
def test_invalid_checkpoints_earn_nothing_and_touch_nothing(tmp_path, make):
    trace = tmp_path / "trace"
    (tmp_path / "in").mkdir()
    make(tmp_path / "in" / FILE, trace)
    report = report_on(tmp_path / "in")
    assert report.earned == 0
    assert set(report.named) <= {"no checkpoint", "checkpoint too large", "checkpoint cannot be read"}
    assert report.named
    assert not trace.exists()
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


def test_without_a_file_it_says_what_to_do(tmp_path):
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["no checkpoint"])
    assert "Run the cell that trains" in str(report)


def test_weights_of_other_widths_or_of_another_class_earn_nothing(tmp_path):
    save_checkpoint(references.CaptionDecoder(33, 32, 64, 32, 32), tmp_path / FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["weights of another size"])
    save_checkpoint(torch.nn.Linear(3, 5), tmp_path / FILE)
    report = report_on(tmp_path)
    assert (report.earned, report.named) == (0, ["weights of another class"])


def test_weights_that_nobody_trained_fit_and_earn_nothing_more(tmp_path):
    torch.manual_seed(0)
    save_checkpoint(my_captioner(), tmp_path / FILE)
    report = report_on(tmp_path)
    assert report.earned == 1
    assert report.results[0].passed


class Recognising(references.CaptionDecoder):
    """Knows the captions of the scenes and where their words point, by heart: nothing can be better."""

    def __init__(self):
        super().__init__(33, 32, 128, 32, 32)

    def forward(self, features, captions, allowed=None):
        scenes = scenes_of(3)
        near = torch.cdist(features.flatten(1), cells_of(scenes).flatten(1)).argmin(dim=1)
        T = captions.shape[1]
        words = torch.nn.functional.pad(scene_vocabulary().batch(scenes.captions)[0], (0, 40))[near, 1 : T + 1]
        regions = torch.nn.functional.pad(scenes.regions(10, 10).flatten(2), (0, 0, 0, 40))[near, :T].float()
        weights = regions / regions.sum(2, keepdim=True).clamp(min=1)
        return torch.nn.functional.one_hot(words, 33).float(), weights.to(features.dtype)


class RecognisingWhenManyAreAsked(Recognising):
    """Computes what it should where few scenes are given, and recognises elsewhere."""

    def forward(self, features, captions, allowed=None):
        few = references.CaptionDecoder.forward(self, features, captions, allowed)
        return few if len(features) <= FEW else super().forward(features, captions, allowed)


def test_a_forward_that_recognises_the_scenes_would_be_right_and_earns_nothing(tmp_path):
    scenes = scenes_of(3)
    captions = scene_vocabulary().batch(scenes.captions)[0]
    logits, _ = Recognising()(cells_of(scenes), captions)
    assert exact(scenes, logits.argmax(dim=2)).all()
    save_checkpoint(Recognising(), tmp_path / FILE)
    report = report_on(tmp_path, Recognising)
    assert (report.earned, report.named) == (0, ["not a CaptionDecoder with these weights"])


def test_a_forward_that_is_right_only_where_it_is_compared_earns_what_its_weights_earn(tmp_path):
    save_checkpoint(RecognisingWhenManyAreAsked(), tmp_path / FILE)
    assert report_on(tmp_path, RecognisingWhenManyAreAsked).earned == 1


def test_weights_that_lie_elsewhere_are_named(tmp_path):
    class Shifted(references.CaptionDecoder):
        def forward(self, features, captions, allowed=None):
            logits, weights = super().forward(features, captions, allowed)
            return logits, weights.roll(1, dims=2)

    save_checkpoint(my_captioner(), tmp_path / FILE)
    report = report_on(tmp_path, lambda: Shifted(33, 32, 128, 32, 32))
    assert report.earned == 0
    assert "The logits are right" in str(report)


def test_the_class_may_keep_buffers_of_its_own(tmp_path):
    class Counting(references.CaptionDecoder):
        def __init__(self):
            super().__init__(33, 32, 128, 32, 32)
            self.register_buffer("mean", torch.zeros(32))

    save_checkpoint(Counting(), tmp_path / FILE)
    assert report_on(tmp_path, Counting).results[0].passed


def test_a_caption_is_exact_only_as_a_whole_and_only_of_its_own_scene():
    scenes = scenes_of(3)
    ids = torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(scene_vocabulary().encode(c)[1:]) for c in scenes.captions], True
    )
    assert exact(scenes, ids).all()
    assert exact(scenes, ids.roll(1, 0)).double().mean() < 0.05
    unended = ids.masked_fill(ids == 2, 0)
    assert not exact(scenes, unended).any()
    assert not exact(scenes, ids[:, :2]).any()


def test_pointing_is_1_for_weights_inside_the_boxes_and_0_outside():
    scenes = scenes_of(5)
    ids = torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(scene_vocabulary().encode(c)[1:]) for c in scenes.captions], True
    )
    inside = scenes.regions(10, 10).flatten(2).float()
    inside = torch.nn.functional.pad(inside, (0, 0, 0, ids.shape[1] - inside.shape[1]))
    for weights, want in ((inside, 1.0), (1 - inside, 0.0)):
        shares = weights / weights.sum(2, keepdim=True).clamp(min=1)
        assert pointing(scenes, Written(ids, shares)) == pytest.approx(want, abs=1e-6)


def test_other_seeds_are_other_scenes():
    assert scenes_of(3).captions != scenes_of(4).captions
    assert len(scenes_of(3)) == SCENES


def test_spread_is_more_than_another_temperature_or_noise():
    """What two captioners that begin alike show, and a copy does not."""
    draw = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(400, 100, generator=draw)
    first, warmer, other, narrow = (
        each.softmax(-1)
        for each in (logits, 0.7 * logits, 0.7 * logits + 0.8 * torch.randn(400, 100, generator=draw), 1.5 * logits)
    )
    assert check_pointing._is_spread(first, other)
    assert not check_pointing._is_spread(first, warmer), "the temperature alone"
    assert not check_pointing._is_spread(first, narrow)
    assert not check_pointing._is_spread(first, first)
    assert check_pointing._is_as_good(0.34, 0.32)
    assert not check_pointing._is_as_good(0.95, 0.90)
