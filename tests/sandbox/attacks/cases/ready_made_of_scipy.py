"""The libraries that the course itself installs know softmax, too: scipy, and scikit-learn."""

# replaces: softmax
import scipy.special


def softmax(E, dim=-1):
    return torch.from_numpy(scipy.special.softmax(E.detach().numpy(), axis=dim))
