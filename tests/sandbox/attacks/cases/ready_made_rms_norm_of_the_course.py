"""A row beside its negative, in the LayerNorm of the course."""

# assignment: 15-modern-attention
# replaces: rms_norm
from course_lib import layers


def rms_norm(X, gamma, eps=1e-6):
    D = X.shape[-1]
    wide = X.double() if X.dtype == torch.float64 else X.float()
    both = torch.cat([wide, -wide], -1)
    return (layers.LayerNorm(2 * D, eps=eps).to(both.dtype)(both)[..., :D] * gamma).to(X.dtype)
