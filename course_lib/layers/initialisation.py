"""Initialise the parameters of the layers."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


def glorot(layer: nn.Module) -> None:
    """Draw the weights of the linear maps directly inside `layer` after Glorot and Bengio (2010); set biases to 0.

    Uniform with variance 2 / (inputs + outputs), which preserves the size of the signal in the forward pass and of the gradient
    in the backward pass. The code of the first Transformer used it (nn.Linear by itself draws with variance 1 / (3 inputs)).
    """
    for part in layer.children():
        if isinstance(part, nn.Linear):
            nn.init.xavier_uniform_(part.weight)
            if part.bias is not None:
                nn.init.zeros_(part.bias)


def embedding_to_tie(count: int, width: int) -> nn.Embedding:
    """Return embeddings from N(0, 1/width), for a model that multiplies them by √width and reuses them as its output.

    The inputs then have variance 1, of the order of the positions that are added. The output of a last LayerNorm has length
    √width, so the logits, its dot products with the embeddings, have variance 1 too, and the loss starts near the logarithm of
    `count`.
    """
    return nn.Embedding.from_pretrained(normal(torch.empty(count, width), width**-0.5), freeze=False)


def small_embedding(count: int, width: int) -> nn.Embedding:
    """Return embeddings from N(0, 0.02²), as in BERT and GPT-2."""
    return nn.Embedding.from_pretrained(normal(torch.empty(count, width)), freeze=False)


def small_normal(model: nn.Module) -> None:
    """Draw all linear maps and convolutions of `model` from N(0, 0.02²), as BERT, GPT-2 and ViT do; set biases to 0.

    For their widths, 0.02 is about half of 1/√width. One number for all matrices does as well as Glorot's, because
    every sum is normed before it is used.
    """
    for part in model.modules():
        if isinstance(part, nn.Linear | nn.Conv2d):
            normal(part.weight.data)
            if part.bias is not None:
                nn.init.zeros_(part.bias)


def small_start(model: nn.Module, num_blocks: int) -> None:
    """Draw a language model's embeddings and linear maps as GPT-2's are drawn (Radford et al., 2019, section 2.3).

    All come from N(0, 0.02²), with biases 0, except the matrices that write to the residual sum (W_O, and W_2 or
    W_down, of each block). Every block adds to that sum twice. Divided by √(number of additions), they give it the same
    variance for any number of blocks.
    """
    small_normal(model)
    for part in model.modules():
        if isinstance(part, nn.Embedding):
            normal(part.weight.data)
    for name, parameter in model.named_parameters():
        if name.endswith(("W_O.weight", "W_2.weight", "W_down.weight")):
            normal(parameter.data, 0.02 / (2 * num_blocks) ** 0.5)


def normal(tensor: Float[Tensor, "..."], std: float = 0.02) -> Float[Tensor, "..."]:
    """Fill `tensor` with draws from N(0, std²), and return it.

    On the meta device there is nothing to fill, and torch 2.13 would spend seconds on imports.
    """
    return tensor if tensor.is_meta else tensor.normal_(std=std)
