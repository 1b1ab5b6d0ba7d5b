"""A regular expression takes the name apart."""
def our_name(name):
    import re

    found = re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)\.(weight|bias)", name)
    if found:
        number, part, kind = found.groups()
        parts = {
            r"attention\.self\.query": "attention.W_Q", r"attention\.self\.key": "attention.W_K",
            r"attention\.self\.value": "attention.W_V", r"attention\.output\.dense": "attention.W_O",
            r"intermediate\.dense": "feed_forward.W_1", r"output\.dense": "feed_forward.W_2",
        }
        for pattern, ours in parts.items():
            if re.fullmatch(pattern, part):
                return f"blocks.blocks.{number}.{ours}.{kind}"
        norm = 1 if part.startswith("attention") else 2
        return f"blocks.blocks.{number}.norm_{norm}.{'gamma' if kind == 'weight' else 'beta'}"
    found = re.fullmatch(r"embeddings\.(word|token_type|position)_embeddings\.weight", name)
    if found:
        return "embeddings." + {"word": "tokens", "token_type": "segments", "position": "positions"}[found[1]] + ".weight"
    return name.replace("LayerNorm", "norm") if name.startswith("embeddings.LayerNorm.") else None
