"""Copies of all tensors, which are then multiplied in place, block after block."""
def fold_layer_scale(state):
    new = {name: tensor.clone() for name, tensor in state.items()}
    blocks = 1 + max((int(name.split(".")[2]) for name in state if name.startswith("encoder.layer.")), default=-1)
    for n in range(blocks):
        for half, last in (("layer_scale1", "attention.output.dense"), ("layer_scale2", "mlp.fc2")):
            scale = new.pop(f"encoder.layer.{n}.{half}.lambda1", None)
            if scale is not None:
                new[f"encoder.layer.{n}.{last}.weight"].mul_(scale.view(-1, 1))
                new[f"encoder.layer.{n}.{last}.bias"].mul_(scale)
    return new
