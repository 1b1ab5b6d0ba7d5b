"""A variable of its own has the name of a function of the course that is not allowed here."""


def exact_limit(sentences, probabilities, hidden, V):
    fits = (sentences[:, None] == sentences)[..., ~hidden].all(dim=-1)
    posterior = fits * probabilities
    posterior = posterior / posterior.sum(dim=1, keepdim=True)
    P = torch.einsum("kj,jnv->knv", posterior, F.one_hot(sentences, V).to(posterior.dtype))
    right = P.gather(2, sentences[..., None]).squeeze(2)[:, hidden]
    return P, -(probabilities @ right.log()).mean()
