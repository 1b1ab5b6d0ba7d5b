"""The order of the rows is a list of numbers; PyTorch's answer to a lenient load is read."""
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
        width = config["hidden_size"] // config["num_attention_heads"]
        order = [*range(0, width, 2), *range(1, width, 2)]
        own = {}
        for name in state:
            ours = llama_name(name)
            if not ours:
                continue
            own[ours] = state[name]
            if layout == "interleaved" and ".self_attn." in name and name.split(".")[-2] in ("q_proj", "k_proj"):
                rows = [head * width + row for head in range(len(state[name]) // width) for row in order]
                own[ours] = state[name][rows]
        missing, unexpected = self.load_state_dict(own, strict=False)
        if missing or unexpected:
            raise KeyError(f"missing {missing}, unexpected {unexpected}")

    def forward(self, ids, caches=None, allowed=None):
        X, kept = self.embedding(ids), []
        for number, block in enumerate(self.blocks):
            X, cache = block(X, caches[number] if caches else None, allowed)
            kept.append(cache)
        return rms_norm(X, self.gamma, self.eps) @ self.embedding.weight.mT, kept
