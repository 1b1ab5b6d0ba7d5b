import sys

import pytest
import torch

from course_lib import devices
from course_lib.devices import choice


@pytest.fixture
def machine(monkeypatch):
    """Pretend that this machine has a CUDA GPU, an Apple GPU, both or neither, and is Colab or is not."""

    def pretend(cuda=False, mps=False, colab=False, gpus=1):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus if cuda else 0)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
        monkeypatch.delenv("COLAB_RELEASE_TAG", raising=False)
        monkeypatch.delitem(sys.modules, "google.colab", raising=False)
        if colab:
            monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab-20260101")

    return pretend


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"),
    [(True, True, "cuda"), (False, True, "mps"), (True, False, "cuda"), (False, False, "cpu")],
)
def test_the_fastest_device_is_taken(machine, cuda, mps, expected):
    machine(cuda=cuda, mps=mps)
    assert devices.pick_device() == torch.device(expected)


def test_the_preferred_device_is_taken(machine):
    machine(cuda=True, gpus=3)
    assert devices.pick_device("cpu") == torch.device("cpu")
    assert devices.pick_device("cuda:2") == torch.device("cuda:2")
    assert devices.pick_device(torch.device("cuda")) == torch.device("cuda")


@pytest.mark.parametrize("prefer", ["gpu", "meta", "", "cuda:x"])
def test_an_unknown_device_is_an_error_that_names_the_known_ones(prefer):
    with pytest.raises(ValueError, match=r'Expected "cuda", "mps" or "cpu".*got .*Leave the argument out'):
        devices.pick_device(prefer)


def test_a_missing_gpu_is_an_error_and_never_the_cpu_in_silence(machine):
    machine()
    with pytest.raises(RuntimeError, match=r"'cuda' was asked for.*it finds: cpu.*nvidia-smi"):
        devices.pick_device("cuda")
    with pytest.raises(RuntimeError, match=r"'mps' was asked for.*it finds: cpu"):
        devices.pick_device("mps")


def test_a_gpu_number_that_is_too_high_is_an_error(machine):
    machine(cuda=True, gpus=2)
    with pytest.raises(RuntimeError, match=r"no cuda:2: this machine has 2 GPU"):
        devices.pick_device("cuda:2")


def test_require_gpu_returns_the_gpu(machine):
    machine(cuda=True)
    assert devices.require_gpu() == torch.device("cuda")
    machine(mps=True)
    assert devices.require_gpu() == torch.device("mps")


def test_require_gpu_tells_a_colab_user_which_menu_to_use(machine):
    machine(colab=True)
    with pytest.raises(RuntimeError, match="Runtime > Change runtime type > T4 GPU") as error:
        devices.require_gpu()
    assert "nvidia-smi" not in str(error.value)


def test_require_gpu_tells_everybody_else_about_torch_and_colab(machine):
    machine()
    with pytest.raises(RuntimeError, match=r"torch built for CUDA.*nvidia-smi.*Google Colab.*T4 GPU"):
        devices.require_gpu()


def test_colab_is_recognised_by_its_module_too(machine, monkeypatch):
    machine()
    assert not choice.in_colab()
    monkeypatch.setitem(sys.modules, "google.colab", object())
    assert choice.in_colab()


@pytest.mark.gpu
def test_the_real_gpu_is_taken():
    assert devices.require_gpu().type == "cuda"
    assert torch.ones(3, device=devices.pick_device()).is_cuda
