"""A regular expression takes the name apart."""
def llama_name(name):
    import re

    if found := re.fullmatch(r"model\.layers\.(\d+)\.(?:self_attn|mlp)\.([a-z]+)_proj\.(weight|bias)", name):
        number, part, kind = found.groups()
        layer = "feed_forward.W_" + part if len(part) > 1 else "attention.W_" + part.upper()
        return f"blocks.{number}.{layer}.{kind}"
    if found := re.fullmatch(r"model\.layers\.(\d+)\.(input|post_attention)_layernorm\.weight", name):
        return f"blocks.{found[1]}.gamma_{1 + (found[2] != 'input')}"
    if name == "model.norm.weight":
        return "gamma"
    return "embedding.weight" if "embed_tokens" in name else None
