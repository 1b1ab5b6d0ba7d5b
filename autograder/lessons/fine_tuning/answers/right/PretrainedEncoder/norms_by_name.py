"""assign=True, and the norms are found by their names."""
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        named = ((our_name(name), tensor.clone()) for name, tensor in state.items())
        self.load_state_dict({own: tensor for own, tensor in named if own}, strict=True, assign=True)
        self.embeddings.norm.eps = eps
        for block in self.blocks.blocks:
            block.norm_1.eps = block.norm_2.eps = eps
