"""A checkpoint comes back with thousands of names, each as long as one may be, of characters that take six in JSON."""

# assignment: 11-vit
# replaces: fold_layer_scale
# may earn: 0
def fold_layer_scale(state):
    return {f"\x1b[2J{number}" + "\u202e\x9b" * 2000: True for number in range(15_000)}
