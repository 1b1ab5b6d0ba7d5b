"""A small checkpoint from which the widths of an enormous captioner would be read."""

# assignment: 06-captioning
import torch
from safetensors.torch import save as tensors

from autograder.content import notebook as notebooks

TEXT = '''
class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.start, self.attention = nn.Module(), nn.Module(), nn.Module()
        self.attention.W = nn.Module()
        self.embedding.weight = nn.Parameter(torch.zeros(33, 1))
        self.start.weight = nn.Parameter(torch.zeros(8000, 1))
        self.attention.W.weight = nn.Parameter(torch.zeros(8000, 1))

    def forward(self, features, captions, allowed=None):
        return torch.rand(*captions.shape, 33), torch.rand(*captions.shape, features.shape[1])


def my_captioner():
    return Bag()
'''

def hand_in(folder, notebook, save):
    [cell] = [cell for cell in notebook["cells"] if notebooks.grade_id(cell) == "my_captioner"]
    cell["source"] = TEXT
    save(notebook)
    shapes = {"embedding.weight": (33, 1), "start.weight": (8000, 1), "attention.W.weight": (8000, 1)}
    (folder / "captioner.safetensors").write_bytes(tensors({name: torch.zeros(shape) for name, shape in shapes.items()}))
