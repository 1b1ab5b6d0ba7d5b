"""strict=False, and what it returns is looked at."""
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        own = {our_name(name): tensor for name, tensor in state.items() if our_name(name) is not None}
        missing, unexpected = self.load_state_dict(own, strict=False)
        if missing or unexpected:
            raise ValueError(f"missing: {missing}, without a place: {unexpected}")
        self.apply(lambda part: setattr(part, "eps", eps) if hasattr(part, "eps") else None)
