"""Both shifts at once, by broadcasting, as gguf does it in NumPy."""
def dequantise(data, kind):
    size = {"Q8_0": 34, "Q4_0": 18, "Q4_1": 20}.get(kind)
    if size is None or data.shape[-1] % size:
        raise ValueError(f"cannot read {data.shape[-1]} bytes as {kind}")
    x = data.reshape(-1, size)
    d = x[:, :2].clone(memory_format=torch.contiguous_format).view(torch.float16).float()
    if kind == "Q8_0":
        return (x[:, 2:].to(torch.int8) * d).reshape(data.shape[0], -1)
    q = (x[:, None, -16:] >> torch.tensor([[0], [4]], dtype=torch.uint8)) & 15
    q = q.reshape(-1, 32).float()
    if kind == "Q4_0":
        return ((q - 8.0) * d).reshape(data.shape[0], -1)
    m = x[:, 2:4].clone(memory_format=torch.contiguous_format).view(torch.float16).float()
    return torch.addcmul(m, q, d).reshape(data.shape[0], -1)
