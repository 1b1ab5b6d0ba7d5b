"""New parameters take the place of the old ones."""
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        waiting = {name for name, _ in self.named_parameters()}
        for name, tensor in state.items():
            if (own := our_name(name)) is None:
                continue
            place, _, kind = own.rpartition(".")
            part = self.get_submodule(place)
            if getattr(part, kind).shape != tensor.shape:
                raise ValueError(f"{name}: {tuple(tensor.shape)}")
            setattr(part, kind, nn.Parameter(tensor.detach().clone()))
            waiting.remove(own)
            if hasattr(part, "eps"):
                part.eps = eps
        if waiting:
            raise KeyError(f"missing: {sorted(waiting)}")
