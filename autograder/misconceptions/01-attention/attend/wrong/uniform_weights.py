"""Every input gets the same weight 1 / N_X, whatever the query asks. Look at where q enters the
weights."""


def attend(q, X):
    a = torch.full((X.shape[0],), 1 / X.shape[0], dtype=X.dtype, device=X.device)
    return a @ X, a
