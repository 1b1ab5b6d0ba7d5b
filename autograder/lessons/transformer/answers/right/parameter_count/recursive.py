"""Odd: a recursion over the children that remembers what it has seen."""
def _count(module, seen):
    number = 0
    for parameter in module._parameters.values():
        if parameter is not None and parameter not in seen:
            seen.add(parameter)
            number += parameter.numel()
    return number + sum(_count(child, seen) for child in module.children())


def parameter_count(config):
    with torch.device("meta"):
        model = layers.make_model(config)
    return _count(model, set())
