"""Everything is loaded, and then the rows of the two maps are put in order in place."""
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
        self.load_state_dict({own: state[name].float() for name in state if (own := llama_name(name))})
        if layout == "half":
            return
        with torch.no_grad():
            for block in self.blocks:
                attention = block.attention
                for linear, heads in ((attention.W_Q, attention.num_heads), (attention.W_K, attention.num_groups)):
                    W = linear.weight.view(heads, -1, 2, linear.in_features)
                    linear.weight.copy_(torch.cat([W[:, :, 0], W[:, :, 1]], dim=1).flatten(0, 1))

    def forward(self, ids, caches=None, allowed=None):
        X, kept = self.embedding(ids), []
        for number, block in enumerate(self.blocks):
            X, cache = block(X, caches[number] if caches else None, allowed)
            kept.append(cache)
        return rms_norm(X, self.gamma, self.eps) @ self.embedding.weight.mT, kept
