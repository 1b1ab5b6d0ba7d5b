"""Right versions of the exercises of 11-vit."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.mlm_pretraining.references import ReadyEncoder


@dataclass(frozen=True)
class ViTConfig:
    """The sizes of a Vision Transformer, as the notebook defines them."""

    height: int = 8
    width: int = 8
    channels: int = 3
    patch_size: int = 2
    model_width: int = 64
    num_heads: int = 4
    num_blocks: int = 3
    hidden_width: int = 128
    classes: int = 10
    dropout: float = 0.0


def patchify(images: Tensor, patch_size: int) -> Tensor:
    """Cut pictures (B, C, H, W) into patches (B, N, C·P·P): row by row, each flattened channel by channel."""
    H, W = images.shape[-2:]
    if H % patch_size or W % patch_size:
        raise ValueError(f"{H} x {W} pixels cannot be cut into patches of {patch_size} x {patch_size}")
    cut = images.unflatten(3, (-1, patch_size)).unflatten(2, (-1, patch_size))  # (B, C, rows, P, columns, P)
    return cut.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


def unpatchify(patches: Tensor, patch_size: int, height: int, width: int) -> Tensor:
    """Put patches (B, N, C·P·P) together to pictures (B, C, height, width) again."""
    P = patch_size
    if height % P or width % P or patches.shape[1] != (height // P) * (width // P) or patches.shape[2] % P**2:
        raise ValueError(f"{tuple(patches.shape)} are not the patches of pictures of {height} x {width} pixels")
    rows = patches.unflatten(1, (height // P, width // P)).unflatten(3, (-1, P, P))
    return rows.permute(0, 3, 1, 4, 2, 5).flatten(4, 5).flatten(2, 3)


def shuffle_patches(images: Tensor, patch_size: int, order: Tensor) -> Tensor:
    """Pictures (B, C, H, W) whose patch n is patch order[b, n] of picture b."""
    patches = patchify(images, patch_size)
    moved = patches.gather(1, order[..., None].expand_as(patches))
    return unpatchify(moved, patch_size, *images.shape[-2:])


class PatchEmbedding(nn.Module):
    """One vector for each patch: the same linear map for all (Dosovitskiy et al. 2021, equation 1)."""

    def __init__(self, channels: int, patch_size: int, model_width: int):
        super().__init__()
        self.patch_size = patch_size
        self.projection = nn.Linear(channels * patch_size**2, model_width)

    def forward(self, images: Tensor) -> Tensor:
        return self.projection(patchify(images, self.patch_size))


class VisionTransformer(nn.Module):
    """Patches with a class token before them, learned positions, a pre-norm encoder, a head on the class token."""

    def __init__(self, config: ViTConfig):
        super().__init__()
        D = config.model_width
        N = (config.height // config.patch_size) * (config.width // config.patch_size)
        self.embedding = PatchEmbedding(config.channels, config.patch_size, D)
        self.class_token = nn.Parameter(torch.zeros(1, 1, D))
        self.positions = nn.Parameter(0.02 * torch.randn(N + 1, D))
        self.dropout = nn.Dropout(config.dropout)
        self.encoder = ReadyEncoder(
            config.num_blocks, D, config.num_heads, config.hidden_width, config.dropout, "pre", "gelu"
        )
        self.head = nn.Linear(D, config.classes)

    def forward(self, images: Tensor, need_weights: bool = True) -> tuple[Tensor, list[Tensor]]:
        patches = self.embedding(images)
        first = self.class_token.expand(patches.shape[0], 1, -1)
        X = torch.cat((first, patches), dim=1) + self.positions
        Y, weights = self.encoder(self.dropout(X), need_weights=need_weights)
        return self.head(Y[:, 0]), weights


def attention_rollout(weights: Sequence[Tensor]) -> Tensor:
    """Multiply (mean over heads + identity) / 2 of all blocks, the last one first (Abnar and Zuidema 2020)."""
    steps = [0.5 * A.mean(dim=1) + 0.5 * torch.eye(A.shape[-1], dtype=A.dtype, device=A.device) for A in weights]
    total = steps[0]
    for step in steps[1:]:
        total = step @ total
    return total


def interpolate_positions(positions: Tensor, new_grid: tuple[int, int]) -> Tensor:
    """Stretch learned positions (1 + n·n, D) to another grid, bicubically; the class token's stays."""
    n = math.isqrt(positions.shape[0] - 1)
    if n * n != positions.shape[0] - 1 or n == 0:
        raise ValueError(f"{positions.shape[0] - 1} positions are no square grid")
    grid = positions[1:].T.reshape(1, -1, n, n)
    new = F.interpolate(grid, size=tuple(new_grid), mode="bicubic", align_corners=False)
    return torch.cat((positions[:1], new[0].flatten(1).T))


def fold_layer_scale(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Multiply each layer scale into the linear map before it, weight and bias, and leave it out (Touvron et al. 2021)."""
    belongs = {"attention.output.dense": "layer_scale1", "mlp.fc2": "layer_scale2"}
    folded = dict[str, Tensor]()
    for name, tensor in state.items():
        if name.endswith((".layer_scale1.lambda1", ".layer_scale2.lambda1")):
            continue
        block, part, kind = ".".join(name.split(".")[:3]), ".".join(name.split(".")[3:-1]), name.rpartition(".")[2]
        scale = state.get(f"{block}.{belongs.get(part)}.lambda1")
        if scale is not None:
            tensor = (scale[:, None] if kind == "weight" else scale) * tensor
        folded[name] = tensor
    return folded


def shifted_windows(X: Tensor, window: int, shift: int) -> tuple[Tensor, Tensor]:
    """Cut tokens (B, rows, columns, D), rolled by `shift`, into windows. Return also the attention mask."""
    _, rows, columns, _ = X.shape
    if rows % window or columns % window or not 0 <= shift < window:
        raise ValueError(f"{rows} x {columns} tokens, windows of {window}, shift {shift}")
    down, across = torch.arange(rows, device=X.device), torch.arange(columns, device=X.device)
    # Which of nine regions each token lies in after the roll: only tokens of one region are neighbours in the picture.
    region = _bands(down, rows, window, shift)[:, None] * 3 + _bands(across, columns, window, shift)
    moved = torch.roll(X, (-shift, -shift), (1, 2))
    cut = region[None, ..., None]
    windows, labels = (_windows(x, window) for x in (moved, cut))
    same = labels[0, :, :, 0]
    return windows, same[:, :, None] == same[:, None, :]


def _bands(places: Tensor, length: int, window: int, shift: int) -> Tensor:
    return (places >= length - window).long() + (places >= length - shift).long()


def _windows(X: Tensor, window: int) -> Tensor:
    cut = X.unflatten(2, (-1, window)).unflatten(1, (-1, window))  # (B, rows, window, columns, window, D)
    return cut.transpose(2, 3).flatten(3, 4).flatten(1, 2)


#: Names that the notebook imports from ``course_lib.layers``.
layers = SimpleNamespace(Encoder=ReadyEncoder)


def my_vit() -> VisionTransformer:
    """Build the model of the course's own checkpoint."""
    return VisionTransformer(ViTConfig())
