"""Hand-ins as they really come: odd names, odd formats, odd notebooks. Each is graded, or has a reason on which one can act.

A case hands in, into the folder of its student, what ``Kit`` offers: a released notebook in which softmax and causal_mask are
solved (12 points). It says what it should earn, or that it needs a human, and what a person is told. The same work in another
wrapping is graded once.
"""

import io
import json
import unicodedata
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NAME = "attention.ipynb"
FULL = 12.0

#: The lines of a right softmax.
SHARES = "    W = torch.exp(E - E.amax(dim, keepdim=True))\n    return W / W.sum(dim, keepdim=True)\n"


@dataclass(frozen=True)
class Case:
    """``earns``: points, or None where a human is needed. ``told``: parts of what a person is told."""

    student: str
    hand_in: Callable[["Kit", Path], None]
    earns: float | None = FULL
    told: tuple[str, ...] = ()


CASES: list[Case] = []


def case(student: str, *told: str, earns: float | None = FULL) -> Callable[[Any], Any]:
    def add(hand_in: Any) -> Any:
        CASES.append(Case(student, hand_in, earns, told))
        return hand_in

    return add


class Kit:
    """What cases are made of: the release, and the right answers of the solution."""

    def __init__(self, released: dict, solution: dict):
        self.released = released
        self.answers = {self.id_of(cell): self.text(cell) for cell in solution["cells"]}

    @staticmethod
    def id_of(cell: dict) -> str:
        return cell.get("metadata", {}).get("nbgrader", {}).get("grade_id", "")

    @staticmethod
    def text(cell: dict) -> str:
        return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])

    def notebook(self, **replaced: str) -> dict:
        """Return the released notebook with two exercises solved, and the cells of these names replaced."""
        copy = json.loads(json.dumps(self.released))
        texts = {name: self.answers[name] for name in ("softmax", "causal_mask")} | {
            name.replace("_dash_", "-"): text for name, text in replaced.items()
        }
        for cell in copy["cells"]:
            cell["source"] = texts.get(self.id_of(cell), self.text(cell))
        return copy

    def place(self, notebook: dict, grade_id: str) -> int:
        return next(n for n, cell in enumerate(notebook["cells"]) if self.id_of(cell) == grade_id)

    def imports(self, notebook: dict) -> dict:
        return next(cell for cell in notebook["cells"] if "import check\n" in self.text(cell))


def save(folder: Path, notebook: Any, name: str = NAME) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(notebook), encoding="utf8")


def code(text: str, **metadata: Any) -> dict:
    return {"cell_type": "code", "metadata": metadata, "source": text, "outputs": [], "execution_count": None}


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


# ------------------------------------------------------------ names of students

for _name in (
    "plain",
    "ada@example.org",
    "Ada Lovelace",
    "o'brien",
    "d-angelo_2",
    "jürgen",
    unicodedata.normalize("NFD", "zoë"),
    "王小明",
    "[guest] 7",
    "a[1-3]",
    "x*y",
    "what?",
    "100%",
    "comma, jr",
    "=1+1",
    "semi;colon",
    'quote"d',
    "-dash",
    "a+b",
    "{curly}",
    "ends.",
    "ß",
    "Ω",
):
    case(_name)(lambda kit, folder: save(folder, kit.notebook()))

# ------------------------------------------------------------ files and folders


@case("second-download", "the notebook is called “attention (1).ipynb”")
def _(kit, folder):
    save(folder, kit.notebook(), "attention (1).ipynb")


@case("beside-the-release", "graded “attention (1).ipynb”, and not “attention.ipynb”")
def _(kit, folder):
    save(folder, kit.released)
    save(folder, kit.notebook(), "attention (1).ipynb")


@case("two-versions", "graded “attention.ipynb”, and not “old.ipynb”")
def _(kit, folder):
    save(folder, kit.notebook())
    save(folder, kit.notebook(softmax="def softmax(E, dim=-1):\n    return E"), "old.ipynb")


@case("two-wrong-names", "several notebooks", "there is none of that name", earns=None)
def _(kit, folder):
    save(folder, kit.notebook(), "a.ipynb")
    save(folder, kit.notebook(softmax="def softmax(E, dim=-1):\n    return E"), "b.ipynb")


@case("moodle-zip")
def _(kit, folder):
    inner = json.dumps(kit.notebook()).encode()
    (folder / "Ada Lovelace_123_assignsubmission_file_.zip").write_bytes(zipped({f"work/{NAME}": inner}))


@case("zip-in-a-zip")
def _(kit, folder):
    inner = zipped({NAME: json.dumps(kit.notebook()).encode()})
    (folder / "hand-in.zip").write_bytes(zipped({"week 1/01-attention.zip": inner, "week 1/notes.txt": b"hello"}))


@case("zip-in-a-zip-in-a-zip", "no other notebook in the folder", earns=None)
def _(kit, folder):
    inner = zipped({"b.zip": zipped({NAME: json.dumps(kit.notebook()).encode()})})
    (folder / "hand-in.zip").write_bytes(zipped({"a.zip": inner}))


@case("canvas-zip", "the notebook is called “lovelaceada_LATE_4711_0815_attention-2.ipynb”")
def _(kit, folder):
    inner = json.dumps(kit.notebook()).encode()
    files = {
        "lovelaceada_LATE_4711_0815_attention-2.ipynb": inner,
        "__MACOSX/._attention.ipynb": b"\0\5\26\7",
        ".DS_Store": b"x",
    }
    (folder / "submissions.zip").write_bytes(zipped(files))


@case("broken-zip", "cannot be opened", earns=None)
def _(kit, folder):
    (folder / "work.zip").write_bytes(zipped({NAME: b"x" * 5000})[:60])


@case("zip-of-bzip2", "compressed with bzip2", "ask for the notebook itself", earns=None)
def _(kit, folder):
    """A kilobyte of it is a gigabyte, of which zipfile unpacks as much as four kilobytes hold, however little is asked for."""
    with zipfile.ZipFile(folder / "work.zip", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr(NAME, json.dumps(kit.notebook()))


@case("folders-without-end", "nested more than 50 deep", earns=None)
def _(kit, folder):
    save(folder, kit.notebook())
    folder.joinpath(*60 * ["deep"]).mkdir(parents=True)


@case("zip-without-end", "which is not opened", earns=None)
def _(kit, folder):
    (folder / "work.zip").write_bytes(zipped({60 * "deep/" + NAME: json.dumps(kit.notebook()).encode()}))


@case("damaged-zip", "cannot be opened", earns=None)
def _(kit, folder):
    data = bytearray(zipped({NAME: json.dumps(kit.notebook()).encode()}))
    data[len(data) // 2 : len(data) // 2 + 30] = bytes(30)
    (folder / "work.zip").write_bytes(data)


@case("untouched-among-others", "several notebooks", "it is untouched", earns=None)
def _(kit, folder):
    save(folder, kit.released)
    save(folder, kit.notebook(), "a.ipynb")
    save(folder, kit.notebook(softmax="def softmax(E, dim=-1):\n    return E"), "b.ipynb")


@case("empty-module")
def _(kit, folder):
    save(folder, kit.notebook(softmax="import tools.shares\nsoftmax = tools.shares.softmax"))
    (folder / "tools").mkdir()
    (folder / "tools" / "__init__.py").touch()
    (folder / "tools" / "shares.py").write_text(f"import torch\n\ndef softmax(E, dim=-1):\n{SHARES}")


@case("zip-with-a-corpus", "MB of others", earns=None)
def _(kit, folder):
    files = {NAME: json.dumps(kit.notebook()).encode(), "corpus.txt": bytes(60 * 2**20)}
    (folder / "work.zip").write_bytes(zipped(files))


@case("file-and-folder", "both a file and a folder", earns=None)
def _(kit, folder):
    (folder / "work.zip").write_bytes(zipped({NAME: json.dumps(kit.notebook()).encode(), "a": b"1", "a/b": b"2"}))


@case("half-an-emoji")
def _(kit, folder):
    notebook = kit.notebook(
        softmax=kit.answers["softmax"] + "\n# \ud83d\ude00 \ud800", written_dash_scaling="\udc00 because"
    )
    save(folder, notebook)


@case("a-million-cells", "There are", earns=None)
def _(kit, folder):
    save(folder, kit.notebook() | {"cells": [*kit.notebook()["cells"], *([{}] * 100_000)]})


@case("picture-in-the-text")
def _(kit, folder):
    notebook, picture = kit.notebook(), "![my notes](data:image/png;base64," + "iVBORw0KGgo" * 90_000 + ")"
    notebook["cells"].insert(3, {"cell_type": "markdown", "metadata": {}, "source": picture})
    save(folder, notebook)


@case("very-much-code", "of them code", earns=None)
def _(kit, folder):
    save(folder, kit.notebook(softmax=kit.answers["softmax"] + "\n# again" * 60_000))


@case("millions-of-empty-lists", "values beside its outputs", earns=None)
def _(kit, folder):
    text = json.dumps(kit.notebook())[:-1] + ', "more": [' + "[]," * 2_100_000 + "[]]}"
    (folder / NAME).write_text(text)


@case("zip-with-very-many-names", "more than 2000 entries", earns=None)
def _(kit, folder):
    (folder / "work.zip").write_bytes(zipped({f"{number}": b"" for number in range(2100)}))


@case("zip-that-climbs", "is not opened", earns=None)
def _(kit, folder):
    (folder / "work.zip").write_bytes(zipped({f"../../{NAME}": b"{}"}))


@case("in-a-folder")
def _(kit, folder):
    save(folder, kit.notebook(softmax="from helper import softmax"), f"01-attention/{NAME}")
    (folder / "01-attention" / "helper.py").write_text(f"import torch\n\ndef softmax(E, dim=-1):\n{SHARES}")


@case("jupyters-own-folders")
def _(kit, folder):
    save(folder, kit.notebook())
    save(folder, kit.released, ".ipynb_checkpoints/attention-checkpoint.ipynb")
    (folder / ".DS_Store").write_bytes(b"x")


@case("safari-adds-txt", "the notebook is called “attention.ipynb.txt”")
def _(kit, folder):
    save(folder, kit.notebook(), "attention.ipynb.txt")


@case("upper-case-ending", "the notebook is called “ATTENTION.IPYNB”")
def _(kit, folder):
    save(folder, kit.notebook(), "ATTENTION.IPYNB")


@case("helper-module")
def _(kit, folder):
    save(folder, kit.notebook(softmax="import my_helper\nsoftmax = my_helper.softmax"))
    (folder / "my_helper.py").write_text(f"import torch\n\ndef softmax(E, dim=-1):\n{SHARES}")


@case("empty-folder", "there is no attention.ipynb", earns=None)
def _(kit, folder):
    pass


@case("zero-bytes", "it is empty", earns=None)
def _(kit, folder):
    (folder / NAME).write_bytes(b"")


@case("half-a-file", "is not a Jupyter notebook", earns=None)
def _(kit, folder):
    (folder / NAME).write_text(json.dumps(kit.notebook())[:9000])


@case("html-page", "is not a Jupyter notebook", earns=None)
def _(kit, folder):
    (folder / NAME).write_text("<!DOCTYPE html><title>Sign in</title>")


@case(
    "a-rar", "there is no attention.ipynb", "only 'work.rar'; such an archive is not opened, so unpack it", earns=None
)
def _(kit, folder):
    folder.joinpath("work.rar").write_bytes(b"Rar!")
    folder.joinpath("timestamp.txt").write_text("2026-10-05 10:00:00 UTC")


@case("a-pdf-instead", "there is no attention.ipynb", "only 'attention.pdf'", earns=None)
def _(kit, folder):
    (folder / "attention.pdf").write_bytes(b"%PDF-1.7")


@case("other-lesson", "it belongs to 02-multi-head-attention", earns=None)
def _(kit, folder):
    notebook = {"cells": [code("x = 1")], "metadata": {"course": {"assignment": "02-multi-head-attention"}}}
    save(folder, notebook | {"nbformat": 4, "nbformat_minor": 5})


@case("a-link", "symbolic link", earns=None)
def _(kit, folder):
    save(folder, kit.notebook())
    (folder / "data").symlink_to("/etc/passwd")


@case("bad-time-stamp", "timestamp.txt cannot be read")
def _(kit, folder):
    save(folder, kit.notebook())
    (folder / "timestamp.txt").write_text("yesterday, about noon-ish")


@case("much-too-much", "Expected at most", earns=None)
def _(kit, folder):
    save(folder, kit.notebook())
    for number in range(230):
        (folder / f"{number}.csv").touch()


# ------------------------------------------------------------ formats


@case("byte-order-mark")
def _(kit, folder):
    (folder / NAME).write_bytes(b"\xef\xbb\xbf" + json.dumps(kit.notebook()).encode())


@case("utf-16")
def _(kit, folder):
    (folder / NAME).write_bytes(json.dumps(kit.notebook()).encode("utf-16"))


@case("windows-lines")
def _(kit, folder):
    notebook = kit.notebook(softmax=kit.answers["softmax"].replace("\n", "\r\n"))
    (folder / NAME).write_bytes(json.dumps(notebook, indent=1).replace("\n", "\r\n").encode())


@case("nbformat-4.2")
def _(kit, folder):
    notebook = kit.notebook() | {"nbformat": 4, "nbformat_minor": 2}
    for cell in notebook["cells"]:
        cell.pop("id", None)
    save(folder, notebook)


@case("nbformat-3", "recognised by their content")
def _(kit, folder):
    cells = [
        {
            "cell_type": "code",
            "input": kit.text(cell),
            "language": "python",
            "outputs": [],
            "metadata": {},
            "collapsed": False,
        }
        for cell in kit.notebook()["cells"]
        if cell["cell_type"] == "code"
    ]
    save(
        folder,
        {
            "metadata": {"name": ""},
            "nbformat": 3,
            "nbformat_minor": 0,
            "worksheets": [{"cells": cells, "metadata": {}}],
        },
    )


@case("saved-by-colab")
def _(kit, folder):
    notebook = kit.notebook()
    notebook |= {"nbformat_minor": 0}
    notebook["metadata"] |= {"colab": {"provenance": [], "gpuType": "T4"}, "accelerator": "GPU"}
    for number, cell in enumerate(notebook["cells"]):
        cell.pop("id", None)
        cell["metadata"] |= {"id": f"aB{number}", "executionInfo": {"status": "ok", "user": {"displayName": "Ada"}}}
        cell["source"] = kit.text(cell).splitlines(keepends=True)
    notebook["cells"].append(code("from google.colab import files\nfiles.download('x')"))
    save(folder, notebook)


@case("saved-by-vs-code")
def _(kit, folder):
    notebook = kit.notebook()
    notebook["metadata"] = {
        "kernelspec": {"display_name": ".venv", "language": "python", "name": "python3"},
        "language_info": {},
    }
    for cell in notebook["cells"]:
        cell["metadata"]["vscode"] = {"languageId": "python"}
    save(folder, notebook)


@case("fifty-mb-of-output")
def _(kit, folder):
    notebook = kit.notebook()
    cell = notebook["cells"][kit.place(notebook, "softmax")]
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "0123456789abcdef\n" * 3_100_000}]
    save(folder, notebook)


# ------------------------------------------------------------ cells


@case("cells-deleted")
def _(kit, folder):
    notebook = kit.notebook()
    gone = ("check-softmax", "attend", "check-attend", "written-order", "set-up")
    notebook["cells"] = [cell for cell in notebook["cells"] if kit.id_of(cell) not in gone]
    save(folder, notebook)


@case("cells-moved", "its check comes before cells that it needs")
def _(kit, folder):
    notebook = kit.notebook()
    cells = notebook["cells"]
    cells.append(cells.pop(kit.place(notebook, "causal_mask")))
    save(folder, notebook)


@case("cells-doubled")
def _(kit, folder):
    notebook = kit.notebook()
    for name in ("softmax", "check-softmax"):
        place = kit.place(notebook, name)
        notebook["cells"].insert(place, json.loads(json.dumps(notebook["cells"][place])))
    save(folder, notebook)


@case("cell-split")
def _(kit, folder):
    notebook = kit.notebook()
    place = kit.place(notebook, "softmax")
    marks = notebook["cells"][place]["metadata"]
    notebook["cells"][place : place + 1] = [
        code("def _largest(E, dim):\n    return E.amax(dim, keepdim=True)", **marks),
        code(
            "def softmax(E, dim=-1):\n    e = torch.exp(E - _largest(E, dim))\n    return e / e.sum(dim, keepdim=True)",
            **marks,
        ),
    ]
    save(folder, notebook)


@case("cells-merged")
def _(kit, folder):
    notebook = kit.notebook(softmax=kit.answers["softmax"] + '\n\ncheck("softmax")')
    del notebook["cells"][kit.place(notebook, "check-softmax")]
    save(folder, notebook)


@case("two-exercises-merged")
def _(kit, folder):
    notebook = kit.notebook(softmax=kit.answers["softmax"] + "\n\n" + kit.answers["causal_mask"])
    del notebook["cells"][kit.place(notebook, "causal_mask")]
    save(folder, notebook)


@case("pasted-into-a-new-notebook", "recognised by their content")
def _(kit, folder):
    cells = [code(kit.text(cell)) for cell in kit.notebook()["cells"] if cell["cell_type"] == "code"]
    save(folder, {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@case("answers-only", "recognised by their content")
def _(kit, folder):
    cells = [code("import torch, math"), *(code(kit.answers[name]) for name in ("softmax", "causal_mask"))]
    save(folder, {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


@case("checks-edited")
def _(kit, folder):
    save(folder, kit.notebook(softmax=kit.answers["softmax"], check_dash_softmax="check('softmax'); 99.0"))


@case("solution-below-its-check", "its check comes before cells that it needs")
def _(kit, folder):
    notebook = kit.notebook(softmax=next(kit.text(c) for c in kit.released["cells"] if kit.id_of(c) == "softmax"))
    notebook["cells"].insert(kit.place(notebook, "check-softmax") + 1, code(kit.answers["softmax"]))
    save(folder, notebook)


@case("check-above-its-solution", "its check comes before cells that it needs")
def _(kit, folder):
    notebook = kit.notebook()
    cells = notebook["cells"]
    cells.insert(kit.place(notebook, "softmax"), cells.pop(kit.place(notebook, "check-softmax")))
    save(folder, notebook)


@case("helper-below", "its check comes before cells that it needs")
def _(kit, folder):
    notebook = kit.notebook(softmax="def softmax(E, dim=-1):\n    return normalised(E, dim)")
    notebook["cells"].append(code(f"def normalised(E, dim):\n{SHARES}"))
    save(folder, notebook)


@case("in-an-experiment", "its check comes before cells that it needs")
def _(kit, folder):
    notebook = kit.notebook(softmax=next(kit.text(c) for c in kit.released["cells"] if kit.id_of(c) == "softmax"))
    place = next(n for n, c in enumerate(notebook["cells"]) if "experiment" in c["metadata"].get("tags", []))
    notebook["cells"][place]["source"] = kit.answers["softmax"]
    save(folder, notebook)


# ------------------------------------------------------------ what cells do


@case("missing-package", "No module named 'seaborn'", "the rest of the cell was run")
def _(kit, folder):
    notebook = kit.notebook()
    cell = kit.imports(notebook)
    cell["source"] = "import seaborn as sns\n" + kit.text(cell)
    save(folder, notebook)


@case("missing-package-in-a-list", "No module named 'seaborn'")
def _(kit, folder):
    notebook = kit.notebook(softmax=f"def softmax(E, dim=-1):\n    E = np.float64(1) * E\n{SHARES}")
    cell = kit.imports(notebook)
    cell["source"] = "import numpy as np, seaborn, torch.nn.functional as F\n" + kit.text(cell)
    save(folder, notebook)


@case("endless-loop")
def _(kit, folder):
    notebook = kit.notebook()
    notebook["cells"].append(code("while True:\n    pass"))
    save(folder, notebook)


@case("endless-exercise", earns=5.0)
def _(kit, folder):
    save(folder, kit.notebook(softmax="def softmax(E, dim=-1):\n    while True:\n        pass"))


@case("waits-for-input")
def _(kit, folder):
    notebook = kit.notebook(softmax=kit.answers["softmax"] + "\nname = input('Your name? ')")
    save(folder, notebook)


for _number, _line in enumerate(
    (
        "breakpoint()",
        "import pdb; pdb.set_trace()",
        "from IPython.core.debugger import set_trace; set_trace()",
    )
):

    @case(f"debugger-{_number}")
    def _(kit, folder, line=_line):
        save(folder, kit.notebook(softmax=f"def softmax(E, dim=-1):\n    {line}\n{SHARES}"))


@case("three-minute-experiment")
def _(kit, folder):
    notebook = kit.notebook()
    cell = next(c for c in notebook["cells"] if "experiment" in c["metadata"].get("tags", []))
    cell["source"] = "import time\nend = time.process_time() + 180\nwhile time.process_time() < end:\n    pass"
    save(folder, notebook)


@case("syntax-error", earns=5.0)
def _(kit, folder):
    save(folder, kit.notebook(softmax="def softmax(E, dim=-1:\n    return E"))


@case("asks-to-leave")
def _(kit, folder):
    """In Jupyter the rest of the cell still runs, too."""
    save(folder, kit.notebook(softmax="exit()\n" + kit.answers["softmax"]))


@case("leaves-the-process", "The process ended")
def _(kit, folder):
    notebook = kit.notebook()
    notebook["cells"].append(code("import os\nos._exit(0)"))
    save(folder, notebook)


@case("prints-without-end")
def _(kit, folder):
    notebook = kit.notebook()
    notebook["cells"].append(code("for number in range(300_000):\n    print('line', number)"))
    save(folder, notebook)


@case("the-same-as-plain", "the same work as")
def _(kit, folder):
    save(folder, kit.notebook())


@case("untouched", earns=0.0)
def _(kit, folder):
    save(folder, kit.released)
