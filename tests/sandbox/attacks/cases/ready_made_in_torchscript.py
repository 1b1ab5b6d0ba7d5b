"""The forbidden function in TorchScript."""

# replaces: blockwise_attention
import pathlib

pathlib.Path("scripted.py").write_text(
    "import torch\n"
    "def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool):\n"
    "    return torch.nn.functional.scaled_dot_product_attention(q, k, v, None, 0.0, causal)\n")
import scripted

compiled = torch.jit.script(scripted.attention)


def blockwise_attention(Q, K, V, causal=False, block_size=64):
    return compiled(Q, K, V, causal)
