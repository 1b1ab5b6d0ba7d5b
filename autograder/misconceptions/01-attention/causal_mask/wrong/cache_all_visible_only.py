"""With N_K > N_Q the earlier keys are all allowed, but among the new ones nothing is hidden. Look
at what the first of several new queries may see of the later ones."""


def causal_mask(N_Q, N_K=None, device=None):
    if N_K is not None and N_K > N_Q:
        return torch.ones(N_Q, N_K, dtype=torch.bool, device=device)
    return torch.tril(torch.ones(N_Q, N_Q, dtype=torch.bool, device=device))
