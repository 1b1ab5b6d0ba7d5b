import os
import stat

import pytest
import safetensors.torch
import torch
from small_training import make_model, same, state_of
from torch import nn

from course_lib.layers import TransformerConfig
from course_lib.layers import make_model as make_transformer
from course_lib.training import CheckpointError, load_checkpoint, save_checkpoint


class Tied(nn.Module):
    """Two linear maps between ids and a width, by one matrix (tied) or by two."""

    def __init__(self, tied=True):
        super().__init__()
        self.embedding = nn.Embedding(13, 5)
        self.output = nn.Linear(5, 13, bias=False)
        self.again = nn.Linear(5, 13, bias=False)
        if tied:
            self.output.weight = self.again.weight = self.embedding.weight


class Masked(nn.Module):
    """A weight and a buffer that is added to similarities."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("mask", torch.full((3, 3), -torch.inf).triu(1))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def refused(path, model=None, **options):
    """Return the text of the error, after making sure that the model is as it was."""
    before = state_of(model) if model is not None else {}
    with pytest.raises(CheckpointError) as error:
        load_checkpoint(path, model, **options)
    assert model is None or same(state_of(model), before)
    return str(error.value)


def test_loads_a_saved_model(path):
    model, other = make_model(), nn.Sequential(*[make_model()[i] for i in range(4)])
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.zero_()
    assert save_checkpoint(model, path, lesson="05", words=["a", "three"], accuracy=0.97) is None
    checkpoint = load_checkpoint(path, other)
    assert checkpoint.metadata == {"lesson": "05", "words": ["a", "three"], "accuracy": 0.97}
    assert same(state_of(other), state_of(model))
    assert same(checkpoint.weights, state_of(model))
    assert list(checkpoint.metadata) == ["lesson", "words", "accuracy"]
    assert list(checkpoint.weights) == sorted(state_of(model))
    assert repr(checkpoint) == f"Checkpoint(4 tensors, 100 numbers, metadata={checkpoint.metadata})"


def test_the_file_is_plain_safetensors_with_the_names_of_the_state(path):
    save_checkpoint(make_model(), path)
    assert same(safetensors.torch.load_file(path), state_of(make_model()))


def test_files_of_other_programs_are_loaded(path):
    model = make_model()
    safetensors.torch.save_model(model, str(path), metadata={"format": "pt", "note": "[not JSON"})
    assert load_checkpoint(path, make_model()).metadata == {"format": "pt", "note": "[not JSON"}


def test_loading_keeps_the_model_s_dtype_and_layout(path):
    model = make_model().double()
    save_checkpoint(model, path)
    other = make_model().to(torch.bfloat16)
    load_checkpoint(path, other)
    assert other[0].weight.dtype == torch.bfloat16
    assert torch.equal(other[0].weight, model[0].weight.to(torch.bfloat16))


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.int64, torch.bool, torch.complex64]
)
def test_all_kinds_of_numbers_are_saved(path, dtype):
    model = nn.Module()
    model.register_buffer("values", torch.tensor([0.0, 1.0, 5.0]).to(dtype))
    model.register_buffer("one", torch.tensor(1.0).to(dtype))
    model.register_buffer("none", torch.empty(0, 3).to(dtype))
    save_checkpoint(model, path)
    loaded = load_checkpoint(path, model).weights
    assert {name: (tensor.dtype, tensor.shape) for name, tensor in loaded.items()} == {
        name: (dtype, tensor.shape) for name, tensor in model.state_dict().items()
    }
    assert loaded["values"].tolist() == model.values.tolist()


def test_views_and_transposed_tensors_are_saved_by_value(path):
    base = torch.arange(15.0)
    model = nn.Module()
    model.register_buffer("left", base[:10].view(2, 5))
    model.register_buffer("right", base[5:])
    model.register_buffer("turned", base.view(3, 5).T)
    save_checkpoint(model, path)
    loaded = load_checkpoint(path).weights
    assert torch.equal(loaded["left"], base[:10].view(2, 5))
    assert torch.equal(loaded["right"], base[5:])
    assert torch.equal(loaded["turned"], base.view(3, 5).T)


@pytest.mark.parametrize("kind", ["encoder-decoder", "encoder", "decoder", "vision"])
def test_every_model_of_the_course_goes_to_a_file_and_back(path, kind):
    config = TransformerConfig(
        kind=kind, vocab_size=23, model_width=12, num_heads=3, hidden_width=17, encoder_blocks=1, decoder_blocks=1
    )
    model, other = make_transformer(config), make_transformer(config)
    save_checkpoint(model, path)
    load_checkpoint(path, other)
    assert same(state_of(other), state_of(model))


def test_tied_weights_are_written_once_and_stay_tied(path):
    model, other = Tied(), Tied()
    save_checkpoint(model, path)
    assert list(safetensors.torch.load_file(path)) == ["embedding.weight"]
    load_checkpoint(path, other)
    assert other.output.weight is other.embedding.weight
    assert torch.equal(other.output.weight, model.output.weight)


def test_tied_weights_go_into_a_model_without_the_tie(path):
    model, other = Tied(), Tied(tied=False)
    save_checkpoint(model, path)
    load_checkpoint(path, other)
    assert torch.equal(other.again.weight, model.embedding.weight)
    assert other.again.weight is not other.embedding.weight


@pytest.mark.parametrize("name", ["embedding.weight", "output.weight", "again.weight"])
def test_any_one_name_of_tied_weights_is_enough(path, name):
    values, model = torch.randn(13, 5), Tied()
    safetensors.torch.save_file({name: values}, path)
    load_checkpoint(path, model)
    assert torch.equal(model.embedding.weight, values)


def test_different_weights_for_a_tied_model_are_refused(path):
    save_checkpoint(Tied(tied=False), path)
    assert "'output.weight' is tied to 'embedding.weight' in the model, but differs from it" in refused(path, Tied())


def test_reports_mismatched_names(path):
    save_checkpoint(nn.ModuleDict({"a": nn.Linear(3, 2), "b": nn.Linear(3, 2)}), path)
    told = refused(path, nn.ModuleDict({"a": nn.Linear(3, 2), "c": nn.Linear(3, 2, bias=False)}))
    assert "do not fit this ModuleDict, which was left as it is" in told
    assert "missing: 'c.weight'" in told
    assert "unexpected: 'b.bias', 'b.weight'" in told
    assert "the same options" in told


def test_reports_mismatched_shapes(path):
    save_checkpoint(nn.Linear(3, 2), path)
    told = refused(path, nn.Linear(5, 2))
    assert "'weight': expected shape (2, 5), got (2, 3)" in told
    assert "bias" not in told


def test_another_kind_of_number_is_refused(path):
    safetensors.torch.save_file({"weight": torch.ones(2, 3, dtype=torch.int64), "bias": torch.ones(2)}, path)
    assert "'weight': expected torch.float32, got torch.int64" in refused(path, nn.Linear(3, 2))


def test_many_differences_are_cut_and_strange_names_are_escaped(path):
    names = [f"\x1b[31m<script>{index}" + "x" * 500 for index in range(300)]
    safetensors.torch.save_file({name: torch.ones(1) for name in names}, path)
    told = refused(path, nn.Linear(3, 2))
    assert "and 295 more" in told
    assert "\x1b" not in told
    assert len(told) < 1000


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_parameters_that_are_not_finite_are_neither_saved_nor_loaded(path, value):
    model = make_model()
    save_checkpoint(model, path)
    before = path.read_bytes()
    with torch.no_grad():
        model[3].weight[0, 1] = value
    with pytest.raises(
        CheckpointError, match=r"finite weights, got NaN or infinity in '3.weight'.*lower learning_rate"
    ):
        save_checkpoint(model, path)
    assert path.read_bytes() == before
    safetensors.torch.save_file(state_of(model), path)
    assert "NaN or infinity in '3.weight'" in refused(path, make_model())


def test_numbers_that_overflow_in_the_model_s_dtype_are_refused(path):
    safetensors.torch.save_file({"weight": torch.full((2, 3), 1e300, dtype=torch.float64), "bias": torch.ones(2)}, path)
    assert "NaN or infinity in 'weight'" in refused(path, nn.Linear(3, 2))


def test_a_buffer_may_hold_infinities_but_no_nan(path):
    model = Masked()
    save_checkpoint(model, path)
    assert torch.equal(load_checkpoint(path, Masked()).weights["mask"], model.mask)
    assert torch.equal(load_checkpoint(path).weights["mask"], model.mask)
    model.mask[0, 0] = torch.nan
    with pytest.raises(CheckpointError, match="'mask'"):
        save_checkpoint(model, path)
    safetensors.torch.save_file(state_of(model), path)
    assert "'mask'" in refused(path)


def test_the_same_model_gives_the_same_bytes(path):
    save_checkpoint(make_model(), path, lesson="05", words=["a"], accuracy=0.5, more=None)
    before = path.read_bytes()
    save_checkpoint(make_model(), path, lesson="05", words=["a"], accuracy=0.5, more=None)
    assert path.read_bytes() == before


@pytest.mark.parametrize("value", [object(), {1, 2}, torch.ones(2), b"bytes", {(1, 2): 3}])
def test_metadata_that_json_cannot_express_is_refused(path, value):
    with pytest.raises(CheckpointError, match="metadata that JSON can express"):
        save_checkpoint(make_model(), path, thing=value)
    assert not path.exists()


def test_a_model_with_more_than_plain_tensors_is_refused(path):
    class Extra(nn.Linear):
        def get_extra_state(self):
            return {"anything": 1}

        def set_extra_state(self, state):
            """Nothing to set."""

    for model, name in [
        (Extra(3, 2), "_extra_state"),
        (nn.LazyLinear(2), "weight"),
        (nn.Linear(3, 2, device="meta"), "weight"),
    ]:
        with pytest.raises(CheckpointError, match=rf"dense tensors with values, got something else under .*'{name}'"):
            save_checkpoint(model, path)


def test_folders_are_made_and_the_file_can_be_read_by_others(tmp_path):
    path = tmp_path / "a" / "b" / "model.safetensors"
    mask = os.umask(0o022)
    try:
        save_checkpoint(make_model(), path)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [file.name for file in path.parent.iterdir()] == ["model.safetensors"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_write_that_is_interrupted_leaves_the_old_file(path, monkeypatch, error, call):
    save_checkpoint(make_model(), path, run=1)
    before = path.read_bytes()

    def broken(*_):
        raise error

    monkeypatch.setattr(os, "fsync", broken) if call == "fsync" else monkeypatch.setattr(type(path), "replace", broken)
    with pytest.raises(error):
        save_checkpoint(nn.Linear(3, 2), path, run=2)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_until_the_last_moment_the_old_file_is_there(path, monkeypatch):
    save_checkpoint(make_model(), path, run=1)
    seen, really = [], os.fsync

    def watching(handle):
        seen.append(load_checkpoint(path).metadata)
        really(handle)

    monkeypatch.setattr(os, "fsync", watching)
    save_checkpoint(make_model(), path, run=2)
    assert seen == [{"run": 1}]
    assert load_checkpoint(path).metadata == {"run": 2}


@pytest.mark.parametrize("prefix", ["_orig_mod.", "module.", "module._orig_mod."])
def test_weights_of_a_wrapped_model_are_those_of_the_model(path, prefix):
    """As torch.compile and DataParallel name them."""
    saved, other = make_model(), make_model()
    with torch.no_grad():
        next(other.parameters()).zero_()
    safetensors.torch.save_file({f"{prefix}{name}": tensor for name, tensor in saved.state_dict().items()}, path)
    load_checkpoint(path, other)
    assert same(state_of(other), state_of(saved))


def test_a_model_may_have_a_part_that_is_called_module(path):
    class Wrapper(nn.Module):
        def __init__(self):
            super().__init__()
            self.module = nn.Linear(2, 3)

    saved = Wrapper()
    save_checkpoint(saved, path)
    load_checkpoint(path, Wrapper())
    assert set(load_checkpoint(path).weights) == {"module.weight", "module.bias"}
    wrapped = nn.Module()
    wrapped._orig_mod = nn.Linear(2, 3)
    save_checkpoint(wrapped, path)
    load_checkpoint(path, wrapped)
