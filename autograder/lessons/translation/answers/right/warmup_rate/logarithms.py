"""min of a list, and logarithms."""
def warmup_rate(step, model_width, warmup=4000):
    if step <= 0:
        raise ValueError(f"Expected step >= 1, got step = {step}.")
    logs = [-0.5 * math.log(step), math.log(step) - 1.5 * math.log(warmup)]
    return float(math.exp(min(logs) - 0.5 * math.log(model_width)))
