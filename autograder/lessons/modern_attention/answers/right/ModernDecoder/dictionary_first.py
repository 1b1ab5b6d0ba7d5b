"""Renamed in one expression, then the rows of two maps of each block are put in order."""
class ModernDecoder(nn.Module):
    def __init__(self, state, config, layout="half"):
        super().__init__()
        width, self.eps = config["hidden_size"], config["rms_norm_eps"]
        sizes = (width, config["num_attention_heads"], config["num_key_value_heads"], config["intermediate_size"])
        self.embedding = nn.Embedding(config["vocab_size"], width)
        self.blocks = nn.ModuleList(ModernBlock(*sizes, config["rope_theta"], self.eps) for _ in range(config["num_hidden_layers"]))
        self.gamma = nn.Parameter(torch.ones(width))
        if layout not in ("half", "interleaved"):
            raise ValueError(f"no layout {layout!r}")
        self.load(state, config, layout)

    def load(self, state, config, layout):
        own = {llama_name(name): tensor for name, tensor in state.items() if llama_name(name) is not None}
        if layout == "interleaved":
            half = config["hidden_size"] // config["num_attention_heads"] // 2
            for name in own:
                if name.endswith(("attention.W_Q.weight", "attention.W_K.weight")):
                    W = own[name]
                    own[name] = torch.cat(
                        [piece for even, odd in zip(W[0::2].split(half), W[1::2].split(half)) for piece in (even, odd)])
        self.load_state_dict(own)

    def forward(self, ids, caches=None, allowed=None):
        X, kept = self.embedding(ids), []
        for number, block in enumerate(self.blocks):
            X, cache = block(X, caches[number] if caches else None, allowed)
            kept.append(cache)
        return rms_norm(X, self.gamma, self.eps) @ self.embedding.weight.mT, kept
