"""A Vision Transformer (Dosovitskiy et al., 2021)."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.layers.config import TransformerConfig
from course_lib.layers.dropout import Dropout
from course_lib.layers.initialisation import small_normal
from course_lib.layers.positions import LearnedPositions
from course_lib.layers.stacks import Encoder


class VisionTransformer(nn.Module):
    """Patches as tokens, with a class token before them; a pre-norm Encoder; a head on the class token."""

    def __init__(self, config: TransformerConfig):
        super().__init__()
        width, size = config.model_width, config.patch_size
        sizes = (width, config.num_heads, config.hidden_width, config.dropout, "pre", config.activation)
        # A convolution whose kernels do not overlap applies one linear map to every patch of three colours.
        self.patches = nn.Conv2d(3, width, kernel_size=size, stride=size)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))  # its position distinguishes it from patches
        self.positions = LearnedPositions(config.max_length, width)
        self.dropout = Dropout(config.dropout)
        self.encoder = Encoder(config.encoder_blocks, *sizes)
        self.head = nn.Linear(width, config.classes) if config.classes else None
        small_normal(self)

    def forward(
        self, pictures: Float[Tensor, "B 3 height width"], need_weights: bool = True
    ) -> tuple[Float[Tensor, "B outputs"], list[Tensor]]:
        """Return (logits, the weights (B, H, N, N) of each block); with need_weights=False the list is empty.

        Position 0 is the class token; the patches follow row by row, so N = 1 + height · width / patch_size². A model
        without a head returns the class token's output vector (B, D) in place of logits.
        Raises ValueError if height or width is no multiple of the patch size, or N exceeds max_length.
        """
        X = self._tokens(pictures)
        Y, weights = self.encoder(self.dropout(self.positions(X)), need_weights=need_weights)
        return (Y[:, 0] if self.head is None else self.head(Y[:, 0])), weights

    def _tokens(self, pictures: Tensor) -> Tensor:
        """Return the class token and one token for each patch, (B, N, D)."""
        size = self.patches.kernel_size[0]
        if pictures.shape[-2] % size or pictures.shape[-1] % size:
            raise ValueError(
                f"Expected height and width to be multiples of the patch size {size}, got {tuple(pictures.shape[-2:])}. "
                "Resize or crop the pictures, or choose another patch_size."
            )
        patches = self.patches(pictures).flatten(2).mT  # (B, D, rows, columns), then (B, rows · columns, D)
        return torch.cat((self.class_token.expand(len(pictures), -1, -1), patches), dim=1)
