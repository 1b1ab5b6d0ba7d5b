"""A loop over the blocks with f-strings, without our_name."""
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        table = {"embeddings.tokens": "embeddings.word_embeddings", "embeddings.segments": "embeddings.token_type_embeddings",
                 "embeddings.positions": "embeddings.position_embeddings", "embeddings.norm": "embeddings.LayerNorm"}
        for n in range(len(self.blocks.blocks)):
            ours, theirs = f"blocks.blocks.{n}", f"encoder.layer.{n}"
            for letter, part in zip("QKV", ("query", "key", "value")):
                table[f"{ours}.attention.W_{letter}"] = f"{theirs}.attention.self.{part}"
            table[f"{ours}.attention.W_O"] = f"{theirs}.attention.output.dense"
            table[f"{ours}.feed_forward.W_1"] = f"{theirs}.intermediate.dense"
            table[f"{ours}.feed_forward.W_2"] = f"{theirs}.output.dense"
            table[f"{ours}.norm_1"] = f"{theirs}.attention.output.LayerNorm"
            table[f"{ours}.norm_2"] = f"{theirs}.output.LayerNorm"
        if f"encoder.layer.{len(self.blocks.blocks)}.output.dense.bias" in state:
            raise ValueError("The checkpoint has more blocks than this encoder.")
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                part, _, kind = name.rpartition(".")
                theirs = f"{table[part]}.{dict(gamma='weight', beta='bias').get(kind, kind)}"
                if state[theirs].shape != parameter.shape:
                    raise ValueError(f"{theirs} has the shape {tuple(state[theirs].shape)}.")
                parameter.copy_(state[theirs])
        for part in self.modules():
            if hasattr(part, "eps"):
                part.eps = eps
