"""All names of a block are written out, for weight and bias."""
def our_name(name):
    table = {
        "embeddings.word_embeddings.weight": "embeddings.tokens.weight",
        "embeddings.token_type_embeddings.weight": "embeddings.segments.weight",
        "embeddings.position_embeddings.weight": "embeddings.positions.weight",
        "embeddings.LayerNorm.weight": "embeddings.norm.weight",
        "embeddings.LayerNorm.bias": "embeddings.norm.bias",
    }
    number = name.split(".")[2] if name.count(".") > 2 else "0"
    theirs, ours = f"encoder.layer.{number}.", f"blocks.blocks.{number}."
    for kind in ("weight", "bias"):
        for letter, part in zip("QKV", ("query", "key", "value")):
            table[f"{theirs}attention.self.{part}.{kind}"] = f"{ours}attention.W_{letter}.{kind}"
        table[f"{theirs}attention.output.dense.{kind}"] = f"{ours}attention.W_O.{kind}"
        table[f"{theirs}intermediate.dense.{kind}"] = f"{ours}feed_forward.W_1.{kind}"
        table[f"{theirs}output.dense.{kind}"] = f"{ours}feed_forward.W_2.{kind}"
        norm = "gamma" if kind == "weight" else "beta"
        table[f"{theirs}attention.output.LayerNorm.{kind}"] = f"{ours}norm_1.{norm}"
        table[f"{theirs}output.LayerNorm.{kind}"] = f"{ours}norm_2.{norm}"
    return table.get(name)
