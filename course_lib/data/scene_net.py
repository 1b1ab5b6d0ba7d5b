"""A small convolutional network that recognises the digit in each cell of a scene, and its training.

Show, Attend and Tell (Xu et al. 2015) took its features from a frozen network that had learned to name objects. This one has
learned to name digits: for every cell of the grid, the digit and size whose centre is there, or none. Its probabilities are the
features for a decoder. Its weights are beside this file; `python -m course_lib.data.scene_net` trains them again.
"""

from collections import OrderedDict
from functools import cache
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int64
from torch import Tensor, nn

from course_lib.data.scenes import CANVAS, HEIGHTS, Scenes, draw_scenes

WEIGHTS = Path(__file__).with_name("scene_net.safetensors")
GRID = 10  # cells, in height and in width
HIDDEN = 64  # channels before the last layer
KINDS = 1 + 10 * len(HEIGHTS)  # nothing, or a digit of a size
SURE = 10.0  # the feature for a probability of 1: a decoder learns faster from numbers that are not all near 0
AT_ONCE = 256  # pictures
VARIATION = 1.0  # of the handwriting in its training


class SceneNet(nn.Module):
    """Convolutions down to one cell for every 4 x 4 pixels, each with the logits of its content (KINDS)."""

    def __init__(self) -> None:
        super().__init__()
        self.see = nn.Sequential(
            _layer(1, 24, 5, 2),
            _layer(24, 48),
            _layer(48, 80, 3, 2),
            _layer(80, 80),
            _layer(80, 80),
            nn.Conv2d(80, HIDDEN, 1),
            nn.ReLU(),
        )
        self.name = nn.Conv2d(HIDDEN, KINDS, 1)
        # Pictures and weights with their channels last take a fifth less time on a CPU.
        nn.utils.convert_conv2d_weight_memory_format(self, torch.channels_last)

    def forward(self, images: Float[Tensor, "B 1 H W"]) -> Float[Tensor, "B K height width"]:
        return self.name(self.see(images.contiguous(memory_format=torch.channels_last)))


def _layer(channels: int, wanted: int, kernel: int = 3, stride: int = 1) -> nn.Sequential:
    parts = {
        "convolution": nn.Conv2d(channels, wanted, kernel, stride, kernel // 2, bias=False),
        "norm": nn.BatchNorm2d(wanted),
        "relu": nn.ReLU(),
    }
    return nn.Sequential(OrderedDict(parts))


@cache
def _trained(device: torch.device) -> SceneNet:
    from course_lib.training import load_checkpoint

    net = SceneNet()
    load_checkpoint(WEIGHTS, net)
    return net.to(device).eval().requires_grad_(False)


@torch.no_grad()
def scene_features(images: Float[Tensor, "..."]) -> Float[Tensor, "B 32 10 10"]:
    """Return a trained network's features for every cell of a 10 x 10 grid over the pictures: D = 32 numbers for each.

    The first 30 are ten times the probability that the centre of a digit of a size is in the cell, from 0 to 10: number 3 digit +
    size, with size 0 for small, 1 for middle and 2 for large. If all are near 0, there is no digit. The last two are the position
    of the cell: x from -2 (left) to 2, and y from -2 (above) to 2. Raises ValueError for pictures of another size than those of
    `draw_scenes`.
    """
    if images.ndim != 4 or images.shape[1:] != (1, CANVAS, CANVAS):
        raise ValueError(f"Expected images of shape (B, 1, {CANVAS}, {CANVAS}), got {tuple(images.shape)}.")
    net = _trained(images.device)
    parts = [net(some).softmax(dim=1)[:, 1:] for some in images.split(AT_ONCE)]  # without "nothing"
    seen = SURE * torch.cat(parts).contiguous()
    line = torch.linspace(-2, 2, GRID, device=images.device)
    places = torch.stack(torch.meshgrid(line, line, indexing="xy"))  # (2, 10, 10): x, then y
    return torch.cat((seen, places.expand(len(seen), -1, -1, -1)), dim=1)


def kinds_in_cells(scenes: Scenes) -> Int64[Tensor, "B 10 10"]:
    """Return the content of each cell: 1 + 3 digit + size if the centre of a digit's box is in the cell, otherwise 0.

    Each digit counts in exactly one cell, so that the counts of all cells add up to the number of digits.
    """
    middle = (scenes.boxes[..., :2] + scenes.boxes[..., 2:]) * GRID // (2 * CANVAS)  # (B, O, 2): column, row
    size = torch.bucketize(scenes.boxes[..., 3] - scenes.boxes[..., 1], torch.tensor(HEIGHTS))
    kind = (1 + len(HEIGHTS) * scenes.labels + size) * (scenes.labels >= 0)
    kinds = torch.zeros(len(scenes), GRID * GRID, dtype=torch.int64)
    return kinds.scatter_reduce(1, middle[..., 1] * GRID + middle[..., 0], kind, "amax").unflatten(1, (GRID, GRID))


def cell_loss(net: nn.Module, batch: tuple[Tensor, Tensor]) -> Float[Tensor, ""]:
    """Return the mean cross-entropy over all cells, most of them empty, for calibrated probabilities."""
    images, kinds = batch
    return F.cross_entropy(net(images), kinds)


def train(path: Path = WEIGHTS, steps: int = 4000, seed: int = 0) -> None:
    """Train the network on scenes of the training part and save it (21 minutes on one core of a busy machine)."""
    from course_lib.training import fit, save_checkpoint

    def draw(random: torch.Generator) -> tuple[Tensor, Tensor]:
        scenes = draw_scenes(64, int(torch.randint(2**40, (), generator=random)), variation=VARIATION)
        return scenes.images, kinds_in_cells(scenes)

    torch.manual_seed(seed)
    net = SceneNet()
    optimizer = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.05)
    fit(net, cell_loss, draw, steps=steps, warmup=100, optimizer=optimizer, seed=seed)
    save_checkpoint(net, path, steps=steps, seed=seed)


if __name__ == "__main__":
    train()
