import os
import subprocess

import pytest
import torch

from course_lib import devices
from course_lib.devices import precision, processor, report

T4 = ((7, 5), "Tesla T4")
A100 = ((8, 0), "NVIDIA A100-SXM4-40GB")


@pytest.fixture
def gpu(monkeypatch):
    """Pretend that this machine has one GPU of this compute capability and name."""

    def pretend(capability, name):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
        monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device=None: capability)
        monkeypatch.setattr(torch.cuda, "get_device_name", lambda device=None: name)
        monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device=None: (7 * 2**30, 15 * 2**30))
        monkeypatch.setattr(report, "_driver_version", lambda: "580.1")

    return pretend


@pytest.mark.parametrize(("card", "bfloat16"), [(T4, "no (mixed precision uses float16 here)"), (A100, "yes")])
def test_a_gpu_is_described(gpu, card, bfloat16):
    gpu(*card)
    rows = dict(devices.describe("cuda").rows)
    assert rows["GPU"] == card[1]
    assert rows["memory"] == "15.0 GiB, of which 7.0 GiB free"
    assert rows["compute capability"] == f"{card[0][0]}.{card[0][1]}"
    assert rows["driver"] == "580.1"
    assert rows["bfloat16"] == bfloat16
    assert rows["torch"] == torch.__version__
    assert rows["threads"] == str(torch.get_num_threads())


def test_a_cpu_is_described_with_the_way_to_a_gpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    table = devices.describe()
    rows = dict(table.rows)
    assert {"processor", "usable cores", "memory", "bfloat16", "threads", "torch"} <= rows.keys()
    assert "Runtime > Change runtime type > T4 GPU" in rows["GPU"]
    assert "<table>" in table._repr_html_()
    assert "computes on: cpu" in str(table)


def test_an_apple_gpu_is_described(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert "Apple" in dict(devices.describe().rows)["GPU"]
    assert devices.autocast_dtype() == torch.float32


def test_report_without_information_from_the_system(monkeypatch, tmp_path):
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "missing")
    monkeypatch.setattr(processor.platform, "processor", lambda: "")
    monkeypatch.setattr(processor.platform, "machine", lambda: "")
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.delenv("LOKY_MAX_CPU_COUNT", raising=False)  # which the workers of pytest set
    rows = dict(devices.describe("cpu").rows)
    assert rows["processor"] == "unknown"
    assert rows["memory"] == "unknown"
    assert rows["usable cores"] == str(os.cpu_count())


def test_the_processor_is_read_from_cpuinfo(monkeypatch, tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nmodel name\t: Some CPU @ 3 GHz\nflags\t\t: fpu avx2 amx_bf16\n\nprocessor\t: 1\n")
    monkeypatch.setattr(processor, "CPUINFO", file)
    assert processor.cpu_name() == "Some CPU @ 3 GHz"
    assert processor.cpu_flags() == {"fpu", "avx2", "amx_bf16"}
    assert devices.autocast_dtype("cpu") == torch.bfloat16


@pytest.mark.parametrize("failure", [FileNotFoundError(), subprocess.TimeoutExpired("nvidia-smi", 10)])
def test_driver_version_is_unknown_without_nvidia_smi(monkeypatch, failure):
    def fail(*args, **kwargs):
        raise failure

    monkeypatch.setattr(subprocess, "run", fail)
    assert report._driver_version() == "unknown"


def test_the_driver_version_comes_from_nvidia_smi(monkeypatch):
    done = subprocess.CompletedProcess([], 0, stdout="580.159.03\n580.159.03\n")
    monkeypatch.setattr(subprocess, "run", lambda *args, **kwargs: done)
    assert report._driver_version() == "580.159.03"


@pytest.mark.parametrize(("card", "dtype"), [(T4, torch.float16), (A100, torch.bfloat16)])
def test_mixed_precision_follows_the_compute_capability(gpu, card, dtype):
    gpu(*card)
    assert devices.autocast_dtype("cuda") == dtype


@pytest.mark.parametrize(("flags", "dtype"), [({"avx512_bf16"}, torch.bfloat16), ({"avx2"}, torch.float32)])
def test_mixed_precision_on_a_cpu_follows_its_instructions(monkeypatch, flags, dtype):
    monkeypatch.setattr(precision, "cpu_flags", lambda: flags)
    assert devices.autocast_dtype("cpu") == dtype
    with devices.autocast("cpu"):
        assert (torch.ones(2, 3) @ torch.ones(3, 5)).dtype == dtype


@pytest.mark.parametrize(("setting", "threads"), [("3", 3), ("2,5", 2)])
def test_omp_num_threads_is_respected(monkeypatch, setting, threads):
    asked = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    monkeypatch.setenv("OMP_NUM_THREADS", setting)
    assert devices.set_threads() == threads
    assert asked == [threads]


@pytest.mark.parametrize("setting", [None, "", "many", "0"])
def test_without_a_setting_every_usable_core_gets_a_thread(monkeypatch, setting):
    asked = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0}, raising=False)
    if setting is None:
        monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    else:
        monkeypatch.setenv("OMP_NUM_THREADS", setting)
    assert devices.set_threads() == 1
    assert asked == [1]


@pytest.mark.gpu
def test_the_real_gpu_is_described_and_computes_in_its_dtype():
    rows = dict(devices.describe().rows)
    assert rows["GPU"] == torch.cuda.get_device_name()
    assert rows["driver"] != "unknown"
    with devices.autocast("cuda"):
        product = torch.ones(2, 3, device="cuda") @ torch.ones(3, 5, device="cuda")
    assert product.dtype == devices.autocast_dtype("cuda") != torch.float32
