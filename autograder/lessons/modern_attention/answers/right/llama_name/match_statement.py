"""The parts of the name are matched."""
def llama_name(name):
    match name.split("."):
        case ["model", "embed_tokens", kind]:
            return f"embedding.{kind}"
        case ["model", "norm", _]:
            return "gamma"
        case ["model", "layers", n, "self_attn", part, kind] if part != "rotary_emb":
            return f"blocks.{n}.attention.W_{part[0].upper()}.{kind}"
        case ["model", "layers", n, "mlp", part, kind]:
            return f"blocks.{n}.feed_forward.W_{part.split('_')[0]}.{kind}"
        case ["model", "layers", n, norm, "weight"]:
            return f"blocks.{n}.gamma_{1 if norm.startswith('input') else 2}"
    return None
