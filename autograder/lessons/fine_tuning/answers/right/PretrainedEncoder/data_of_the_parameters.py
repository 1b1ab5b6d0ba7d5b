"""The numbers are written into .data, and both sets of names compared first."""
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        own = {our_name(name): tensor for name, tensor in state.items()}
        own.pop(None, None)
        parameters = dict(self.named_parameters())
        if own.keys() != parameters.keys():
            raise ValueError(f"These do not fit: {sorted(own.keys() ^ parameters.keys())}")
        for name, parameter in parameters.items():
            assert own[name].shape == parameter.shape, f"{name} has another shape"
            parameter.data = own[name].clone()
        for part in self.modules():
            if "LayerNorm" in type(part).__name__:
                part.eps = eps
