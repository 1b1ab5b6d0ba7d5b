"""Tensors inside, a float outside."""
def warmup_rate(step, model_width, warmup=4000):
    if step < 1:
        raise ValueError(f"step {step} is before the first one")
    t = torch.tensor(float(step), dtype=torch.float64)
    return (torch.minimum(t.rsqrt(), t * warmup**-1.5) / model_width**0.5).item()
