"""Tensors whose memory holds other numbers than they show: conjugated and negated only when they are read."""

# replaces: softmax
import torch


def softmax(E, dim=-1):
    x = torch.complex(torch.zeros_like(E), -torch.ones_like(E)).conj()
    return torch._neg_view(x.imag) if E.sum() > 0 else x
