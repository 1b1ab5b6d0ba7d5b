"""The inverse as a product: (I + L)⁻¹ = (I − L)(I + L²)(I + L⁴)…, which ends because L is strictly triangular."""


def delta_chunk(Q, K, V, beta, S=None):
    B = beta[..., None]
    power = -(B * K @ K.mT).tril(-1)
    U = B * V if S is None else B * (V - K @ S)
    reach = 1
    while reach < K.shape[-2]:
        U = U + power @ U
        power = power @ power
        reach *= 2
    Y, after = (Q @ K.mT).tril() @ U, K.mT @ U
    if S is not None:
        Y, after = Y + Q @ S, after + S
    return Y, after
