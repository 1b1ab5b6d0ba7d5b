"""The norms are made anew, as PyTorch's own with this eps."""
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state, eps):
        D = self.embeddings.tokens.embedding_dim
        own = {our_name(name): tensor for name, tensor in state.items() if our_name(name)}
        own = {name.replace(".gamma", ".weight").replace(".beta", ".bias"): tensor for name, tensor in own.items()}
        self.embeddings.norm = nn.LayerNorm(D, eps=eps)
        for block in self.blocks.blocks:
            block.norm_1 = nn.LayerNorm(D, eps=eps)
            block.norm_2 = nn.LayerNorm(D, eps=eps)
        self.load_state_dict(own)
