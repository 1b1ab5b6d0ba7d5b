"""Inner products, and a mean that is the sum over the length."""


def off_policy_values(rewards, probabilities, new_probabilities):
    if probabilities.min() <= 0:
        raise ValueError("Something was shown that had no chance.")
    weights = torch.div(new_probabilities, probabilities)
    return weights.dot(rewards) / rewards.numel(), torch.dot(weights, rewards) / weights.sum()
