"""An if for the two branches."""
def warmup_rate(step, model_width, warmup=4000):
    if not step >= 1:
        raise ValueError("Steps count from 1.")
    highest = 1 / math.sqrt(model_width * warmup)
    if step <= warmup:
        return highest * step / warmup
    return highest * (warmup / step) ** 0.5
