"""The names taken apart with a regular expression, the products by einsum."""
def fold_layer_scale(state):
    import re

    folded = dict(state)
    for name in list(state):
        found = re.fullmatch(r"(.*)\.layer_scale([12])\.lambda1", name)
        if found:
            scale = folded.pop(name)
            target = found[1] + (".attention.output.dense" if found[2] == "1" else ".mlp.fc2")
            folded[target + ".weight"] = torch.einsum("o,oi->oi", scale, folded[target + ".weight"])
            folded[target + ".bias"] = torch.einsum("o,o->o", scale, folded[target + ".bias"])
    return folded
