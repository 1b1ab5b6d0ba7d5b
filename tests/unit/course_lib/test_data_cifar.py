"""The CIFAR-10 loader on small files in the formats of both published versions."""

import pickle
import struct

import numpy as np
import pytest
import torch

from course_lib.data import CIFAR_CLASSES, cifar10

PIXELS = 3 * 32 * 32


def numbers(count: int, seed: int) -> tuple[np.ndarray, list[int]]:
    """Pixels (count, 3072) and labels."""
    random = np.random.default_rng(seed)
    return random.integers(256, size=(count, PIXELS), dtype=np.uint8), random.integers(10, size=count).tolist()


def text(value: bytes) -> bytes:
    """A string as Python 2 pickled it in protocol 2."""
    return b"U" + bytes([len(value)]) + value if len(value) < 256 else b"T" + struct.pack("<i", len(value)) + value


def python_2_pickle(pixels: np.ndarray, labels: list[int]) -> bytes:
    """What the published data_batch files hold: a dictionary of strings, an array and lists, pickled by Python 2."""
    shape = b"".join(b"J" + struct.pack("<i", size) for size in pixels.shape) + b"\x86"
    dtype = (
        b"cnumpy\ndtype\n"
        + text(b"u1")
        + b"K\x00K\x01\x87R(K\x03"
        + text(b"|")
        + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    )
    array = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85" + text(b"b") + b"\x87R"
    array += b"(K\x01" + shape + dtype + b"\x89" + text(pixels.tobytes()) + b"tb"
    listed = b"](" + b"".join(b"K" + bytes([label]) for label in labels) + b"e"
    names = b"](" + b"".join(text(b"leptodactylus_pentadactylus_s_%06d.png" % n) for n in range(len(labels))) + b"e"
    items = text(b"batch_label") + text(b"training batch 1 of 5") + text(b"labels") + listed + text(b"data") + array
    return b"\x80\x02}(" + items + text(b"filenames") + names + b"u."


def python_3_pickle(pixels: np.ndarray, labels: list[int]) -> bytes:
    """The same, as somebody's own script writes it today."""
    return pickle.dumps({b"data": pixels, b"labels": labels, b"batch_label": b"testing batch 1 of 1"}, protocol=2)


def binary(pixels: np.ndarray, labels: list[int]) -> bytes:
    """What the published data_batch_1.bin holds: a byte for the label, then the pixels."""
    return b"".join(bytes([label]) + row.tobytes() for label, row in zip(labels, pixels, strict=True))


WRITERS = {"": python_2_pickle, " of Python 3": python_3_pickle, ".bin": binary}


def fill(folder, ending, count=3):
    """Write all six files; return the pixels and labels of the training part."""
    parts = [numbers(count, seed) for seed in range(6)]
    names = [*(f"data_batch_{n}" for n in range(1, 6)), "test_batch"]
    for name, part in zip(names, parts, strict=True):
        suffix = ".bin" if ending == ".bin" else ""
        (folder / (name + suffix)).write_bytes(WRITERS[ending](*part))
    return np.concatenate([pixels for pixels, _ in parts[:5]]), [label for _, labels in parts[:5] for label in labels]


@pytest.mark.parametrize("ending", WRITERS)
def test_both_versions_hold_the_same(tmp_path, ending):
    pixels, labels = fill(tmp_path, ending)
    pictures = cifar10(tmp_path)
    assert len(pictures) == 15
    assert pictures.images.shape == (15, 3, 32, 32)
    assert pictures.images.dtype == torch.float32
    assert np.array_equal((pictures.images * 255).round().numpy().astype(np.uint8).reshape(15, -1), pixels)
    assert pictures.labels.tolist() == labels
    assert len(cifar10(tmp_path, "test")) == 3


def test_a_pixel_lies_where_it_should(tmp_path):
    pixels = np.zeros((1, PIXELS), np.uint8)
    pixels[0, 1024 + 2 * 32 + 5] = 255  # green, row 2, column 5
    (tmp_path / "test_batch.bin").write_bytes(binary(pixels, [9]))
    pictures = cifar10(tmp_path, "test")
    assert pictures.images.nonzero().tolist() == [[0, 1, 2, 5]]
    assert CIFAR_CLASSES[int(pictures.labels)] == "truck"


def test_a_limit_reads_no_more_files_than_it_must(tmp_path):
    pixels, labels = numbers(4, 0)
    (tmp_path / "data_batch_1").write_bytes(python_2_pickle(pixels, labels))
    assert cifar10(tmp_path, limit=3).labels.tolist() == labels[:3]
    with pytest.raises(FileNotFoundError, match=r"data_batch_2 nor data_batch_2\.bin beside it.*cifar-10-python"):
        cifar10(tmp_path, limit=5)


class Evil:
    def __reduce__(self):
        import os

        return os.system, ("touch evil",)


@pytest.mark.parametrize("protocol", range(6))
def test_a_hostile_pickle_runs_nothing(tmp_path, monkeypatch, protocol):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_batch").write_bytes(pickle.dumps({b"data": Evil(), b"labels": [1]}, protocol=protocol))
    with pytest.raises(ValueError, match=r"it asks for .*system"):
        cifar10(tmp_path, "test")
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    "data",
    [
        {b"data": np.zeros((2, PIXELS)), b"labels": [1, 2]},
        {b"data": np.zeros((2, PIXELS), np.uint8), b"labels": [1]},
        {b"data": np.zeros((1, PIXELS), np.uint8), b"labels": ["cat"]},
        {b"data": np.zeros((1, PIXELS), np.uint8), b"fine_labels": [1]},
        {b"data": np.array([object()]), b"labels": [1]},
        {b"data": np.zeros((1, PIXELS), np.uint8), b"labels": b"\x01"},
        {b"data": np.zeros((1, PIXELS), np.uint8), b"labels": {1: 0}},
        {b"data": np.zeros((1, PIXELS), np.uint8), b"labels": [True]},
        {b"data": np.zeros((1, PIXELS), np.uint8), b"labels": [2**70]},
        {b"data": np.zeros((0, PIXELS), np.uint8), b"labels": []},
        [1, 2],
    ],
)
def test_unexpected_contents_are_errors(tmp_path, data):
    (tmp_path / "test_batch").write_bytes(pickle.dumps(data, protocol=2))
    with pytest.raises(ValueError, match=r"Expected .*test_batch to be a file of CIFAR-10's Python version"):
        cifar10(tmp_path, "test")


def test_damaged_files_are_refused(tmp_path):
    whole = python_2_pickle(*numbers(2, 0))
    for part in (b"", whole[:100], whole[:-1], b"not a pickle"):
        (tmp_path / "test_batch").write_bytes(part)
        with pytest.raises(ValueError, match="Python version"):
            cifar10(tmp_path, "test")
    (tmp_path / "test_batch.bin").write_bytes(b"1234")
    with pytest.raises(ValueError, match=r"records of 3073 bytes, got 4 bytes\. Is it cut short\?"):
        cifar10(tmp_path, "test")


def test_labels_of_another_data_set_are_refused(tmp_path):
    pixels, _ = numbers(1, 0)
    (tmp_path / "test_batch.bin").write_bytes(binary(pixels, [57]))
    with pytest.raises(ValueError, match=r"got 57\. Is it CIFAR-100\?"):
        cifar10(tmp_path, "test")


def test_arguments_are_checked(tmp_path):
    with pytest.raises(ValueError, match="Expected part to be one of 'train', 'test', got 'held_out'"):
        cifar10(tmp_path, "held_out")
    with pytest.raises(ValueError, match="Expected limit to be at least 1, got 0"):
        cifar10(tmp_path, limit=0)
