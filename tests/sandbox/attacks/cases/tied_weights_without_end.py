"""A checkpoint of 4 MB in which one weight stands under twenty thousand names: 80 GB, if each were taken for a weight."""

# assignment: 09-mlm-pretraining
import json

import torch
from safetensors.torch import save as tensors

from autograder.content import notebook as notebooks

TEXT = '''
class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.w0 = nn.Parameter(torch.zeros(1024, 1024))

    def forward(self, ids, segments=None):
        return torch.rand(*ids.shape, 75)


def my_language_model():
    return Bag()
'''

def hand_in(folder, notebook, save):
    [cell] = [cell for cell in notebook["cells"] if notebooks.grade_id(cell) == "my_language_model"]
    cell["source"] = TEXT
    save(notebook)
    aliases = {f"w{n}": "w0" for n in range(1, 20_000)}
    told = {"course_lib": json.dumps({"metadata": {}, "aliases": aliases, "training": {}})}
    (folder / "language_model.safetensors").write_bytes(tensors({"w0": torch.ones(1024, 1024)}, told))
