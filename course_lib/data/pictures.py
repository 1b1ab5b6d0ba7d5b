"""Captioned photographs, opened one at a time."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Float
from PIL import Image
from torch import Tensor
from torch.utils.data import Dataset


def to_tensor(picture: Image.Image, size: int) -> Float[Tensor, "3 size size"]:
    """Return the central square of the picture, resized to `size` pixels, as red, green and blue from 0 to 1.

    The square is as wide as the picture's shorter side. Grey pictures get three equal channels; transparency is dropped.
    Raises ValueError if `size` is below 1.
    """
    if size < 1:
        raise ValueError(f"Expected size to be at least 1 pixel, got {size}.")
    width, height = picture.size
    side = min(width, height)
    middle = ((width - side) / 2, (height - side) / 2, (width + side) / 2, (height + side) / 2)
    square = picture.convert("RGB").resize((size, size), Image.Resampling.BILINEAR, box=middle)
    pixels = np.array(square, dtype=np.float32) / 255
    return torch.from_numpy(pixels).permute(2, 0, 1).contiguous()


class CaptionedPictures(Dataset):
    """Pictures with one or more captions each. Item i is (picture (3, size, size), captions as lists of words).

    `captions` holds all captions, from which a Vocabulary is made without opening a picture. `open_picture` returns the picture
    with a given index; it is called for each access to an item.
    """

    def __init__(
        self, captions: Sequence[list[list[str]]], open_picture: Callable[[int], Image.Image], size: int
    ) -> None:
        self.captions = captions
        self.open_picture = open_picture
        self.size = size

    def __len__(self) -> int:
        return len(self.captions)

    def __getitem__(self, index: int) -> tuple[Float[Tensor, "3 size size"], list[list[str]]]:
        if not -len(self) <= index < len(self):
            raise IndexError(f"Expected an index below {len(self)}, the number of pictures, got {index}.")
        place = index % len(self)
        return to_tensor(self.open_picture(place), self.size), self.captions[place]
