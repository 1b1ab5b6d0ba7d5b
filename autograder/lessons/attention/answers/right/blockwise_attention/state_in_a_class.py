"""The running maximum, sum and output are kept by a small class."""
class _Running:
    def __init__(self, q, D_V):
        self.largest = torch.full_like(q[..., :1], float("-inf"))
        self.total = torch.zeros_like(q[..., :1])
        self.output = q.new_zeros(*q.shape[:-1], D_V)

    def update(self, e, v):
        largest = torch.maximum(self.largest, e.amax(dim=-1, keepdim=True))
        e = e.sub(largest).exp_()
        rescale = self.largest.sub(largest).exp_()
        self.total = self.total * rescale + e.sum(-1, keepdim=True)
        self.output = self.output * rescale + torch.matmul(e, v)
        self.largest = largest

    def result(self):
        return self.output / self.total


def blockwise_attention(
    Q: torch.Tensor,
    K: torch.Tensor,
    V: torch.Tensor,
    causal: bool = False,
    block_size: int = 256,
) -> torch.Tensor:
    scale = math.sqrt(Q.shape[-1])
    finished = []
    for i in range(0, Q.shape[-2], block_size):
        q = Q[..., i : i + block_size, :] / scale
        running = _Running(q, V.shape[-1])
        for j in range(0, K.shape[-2], block_size):
            if causal and j > i:
                continue
            e = torch.einsum("...id,...jd->...ij", q, K[..., j : j + block_size, :])
            if causal and j == i:
                e = e + torch.full_like(e, float("-inf")).triu(1)
            running.update(e, V[..., j : j + block_size, :])
        finished.append(running.result())
    return torch.cat(finished, dim=-2)
