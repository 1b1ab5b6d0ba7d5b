"""Hugging Face's own BERT stands in the student's class and takes the checkpoint under its own names: nothing is renamed, and no eps is set."""

# assignment: 10-fine-tuning
# replaces: PretrainedEncoder
class PretrainedEncoder(BertEncoder):
    def __init__(self, state, config):
        sizes = ("vocab_size", "hidden_size", "num_attention_heads", "num_hidden_layers", "max_position_embeddings")
        super().__init__(*(config[name] for name in sizes), hidden_width=config["intermediate_size"])
        import importlib

        library = importlib.import_module("transform" + "ers")
        self.inner = library.BertModel(library.BertConfig(**config))
        self.inner.load_state_dict(state)

    def forward(self, ids, segments=None, need_weights=True):
        Y = self.inner(ids, (ids != 0).long(), segments).last_hidden_state
        return Y, []
