"""A diagonal matrix in front of the map."""
def fold_layer_scale(state):
    new = {name: tensor for name, tensor in state.items() if not name.endswith("lambda1")}
    for name in state:
        for half, last in (("layer_scale1.lambda1", "attention.output.dense"), ("layer_scale2.lambda1", "mlp.fc2")):
            if name.endswith(half):
                D, target = torch.diag(state[name]), name[: -len(half)] + last
                new[target + ".weight"] = D @ state[target + ".weight"]
                new[target + ".bias"] = D @ state[target + ".bias"]
    return new
