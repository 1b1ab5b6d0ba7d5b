"""The method of the class below Tensor."""

# replaces: softmax
import torch


def softmax(E, dim=-1):
    return getattr(super(torch.Tensor, E), "soft" "max")(dim)
