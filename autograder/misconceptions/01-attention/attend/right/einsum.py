"""einsum."""


def attend(q, X):
    e = torch.einsum("d,nd->n", q, X)
    a = e.softmax(-1)
    return torch.einsum("n,nd->d", a, X), a
