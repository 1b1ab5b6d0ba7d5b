"""Row by row, with plain numbers."""


def off_policy_values(rewards, probabilities, new_probabilities):
    total = weight = 0.0
    for reward, old, new in zip(rewards.tolist(), probabilities.tolist(), new_probabilities.tolist()):
        if old <= 0:
            raise ValueError(f"Expected a probability above 0, got {old}.")
        total += new / old * reward
        weight += new / old
    return total / len(rewards), total / weight if weight > 0 else float("nan")
