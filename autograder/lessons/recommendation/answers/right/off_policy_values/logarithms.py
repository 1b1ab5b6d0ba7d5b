"""Weights as exp of a difference of logarithms."""


def off_policy_values(rewards, probabilities, new_probabilities):
    if not bool((probabilities > 0).all()):
        raise ValueError("Every probability has to be above 0.")
    weights = torch.exp(torch.log(new_probabilities) - torch.log(probabilities))
    ips = torch.mean(weights * rewards)
    return ips, ips / weights.mean()
