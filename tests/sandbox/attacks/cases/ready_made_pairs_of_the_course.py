"""The loss of lesson 13, which the course has ready-made for lesson 14, leaves out what has the pair's id: each row itself."""

# assignment: 12-vision-language
# replaces: nt_xent
import torch.nn.functional as ready

from course_lib.training import negatives


def nt_xent(z, temperature=0.5):
    if len(z) % 2:
        raise ValueError(f"Expected pairs of rows, got {len(z)} rows.")
    z = ready.normalize(z, dim=1)
    N = len(z) // 2
    return negatives.in_batch_loss(z / temperature, z.roll(N, 0), torch.arange(N, device=z.device).repeat(2))
