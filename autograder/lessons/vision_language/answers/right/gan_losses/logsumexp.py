"""The logarithm of 1 + exp(x) by logsumexp, in a list."""


def gan_losses(real, fake):
    def log_one_plus_exp(x):
        return torch.logsumexp(torch.stack((torch.zeros_like(x), x)), dim=0)

    return [
        log_one_plus_exp(-real).mean() + log_one_plus_exp(fake).mean(),
        -log_one_plus_exp(fake).mean(),
        log_one_plus_exp(-fake).mean(),
    ]
