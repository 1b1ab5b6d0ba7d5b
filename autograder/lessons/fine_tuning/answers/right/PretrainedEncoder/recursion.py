"""Each module loads its own part; own renaming by replacement."""
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        own = {}
        for name in state:
            if our_name(name):
                own[our_name(name)] = state[name]

        def fill(module, prefix):
            for kind, parameter in module.named_parameters(recurse=False):
                tensor = own.pop(prefix + kind)
                if tensor.shape != parameter.shape:
                    raise ValueError(f"{prefix}{kind} should be {tuple(parameter.shape)}")
                with torch.no_grad():
                    parameter[...] = tensor
            if hasattr(module, "eps"):
                module.eps = eps
            for name, child in module.named_children():
                fill(child, f"{prefix}{name}.")

        fill(self, "")
        if own:
            raise ValueError(f"no place for {list(own)}")
