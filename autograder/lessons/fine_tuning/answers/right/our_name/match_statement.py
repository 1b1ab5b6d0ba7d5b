"""The parts of the name are matched."""
def our_name(name):
    match name.split("."):
        case ["embeddings", "word_embeddings", kind]:
            return f"embeddings.tokens.{kind}"
        case ["embeddings", "token_type_embeddings", kind]:
            return f"embeddings.segments.{kind}"
        case ["embeddings", "position_embeddings", kind]:
            return f"embeddings.positions.{kind}"
        case ["embeddings", "LayerNorm", kind]:
            return f"embeddings.norm.{kind}"
        case ["encoder", "layer", n, "attention", "self", part, kind]:
            return f"blocks.blocks.{n}.attention.W_{part[0].upper()}.{kind}"
        case ["encoder", "layer", n, "attention", "output", "dense", kind]:
            return f"blocks.blocks.{n}.attention.W_O.{kind}"
        case ["encoder", "layer", n, "intermediate" | "output" as part, "dense", kind]:
            return f"blocks.blocks.{n}.feed_forward.W_{1 if part == 'intermediate' else 2}.{kind}"
        case ["encoder", "layer", n, *between, "output", "LayerNorm", kind]:
            return f"blocks.blocks.{n}.norm_{1 if between else 2}.{dict(weight='gamma', bias='beta')[kind]}"
    return None
