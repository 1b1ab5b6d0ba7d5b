"""A table says for each kind how long its head is and what is done with q."""
def dequantise(data, kind):
    table = {
        "Q8_0": (2, 32, lambda q, d: q.view(torch.int8) * d[0]),
        "Q4_0": (2, 16, lambda q, d: (torch.cat([q % 16, q // 16], -1).int() - 8) * d[0]),
        "Q4_1": (4, 16, lambda q, d: torch.cat([q % 16, q // 16], -1) * d[0] + d[1]),
    }
    if kind not in table:
        raise ValueError("unknown")
    head, body, formula = table[kind]
    if data.shape[1] % (head + body) != 0:
        raise ValueError("rest")
    found = []
    for block in data.split(head + body, dim=1):
        d = block[:, :head].contiguous().view(torch.float16).float().split(1, dim=1)
        found.append(formula(block[:, head:].contiguous(), d))
    return torch.cat(found, dim=1)
