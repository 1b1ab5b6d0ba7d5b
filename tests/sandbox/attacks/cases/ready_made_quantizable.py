"""PyTorch's package for quantisation has a multi-head attention of its own, written in Python out of linear layers."""

# assignment: 02-multi-head-attention
# replaces: MultiHeadAttention
class MultiHeadAttention(nn.Module):
    def __init__(self, model_width, num_heads, dropout=0.0, bias=True):
        super().__init__()
        if model_width % num_heads:
            raise ValueError("heads")
        self.sizes = model_width, num_heads
        self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(model_width, model_width, bias=bias) for _ in range(4))

    def forward(self, queries, keys=None, values=None, allowed=None):
        import torch.ao.nn.quantizable as quantizable

        keys = queries if keys is None else keys
        values = keys if values is None else values
        ready = quantizable.MultiheadAttention(*self.sizes, batch_first=True).to(queries.dtype)
        for own, name in ((self.W_Q, "linear_Q"), (self.W_K, "linear_K"), (self.W_V, "linear_V"), (self.W_O, "out_proj")):
            setattr(ready, name, own)
        return ready(queries, keys, values, average_attn_weights=False)
