"""The course's own BERT does the work, called on its class's methods one by one, with the weights of the exercise."""

# assignment: 09-mlm-pretraining
# may earn: 1
# replaces: BertEmbeddings
import course_lib.layers.bert as ready


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, model_width, max_length, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, model_width)
        self.segments = nn.Embedding(2, model_width)
        self.positions = nn.Embedding(max_length, model_width)
        self.norm = nn.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)
        config = layers.TransformerConfig(
            kind="encoder", vocab_size=vocab_size, model_width=model_width, num_heads=1, encoder_blocks=0,
            max_length=max_length, segments=2, dropout=0.0)
        self.__dict__["model"] = getattr(ready, "Token" + "Encoder")(config)

    def forward(self, ids, segments=None):
        weights = dict(zip([name for name, _ in self.model.named_parameters()], self.parameters(), strict=True))
        return self.dropout(torch.func.functional_call(self.model, weights, (ids, segments))[0])
