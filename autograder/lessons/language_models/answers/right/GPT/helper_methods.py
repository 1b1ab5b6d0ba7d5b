"""Helper methods; a named pair; einsum for the logits."""
from collections import namedtuple

Result = namedtuple("Result", "logits weights")


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        sizes = {"model_width": config.model_width, "num_heads": config.num_heads, "hidden_width": config.hidden_width}
        self.decoder = layers.Encoder(config.decoder_blocks, **sizes, dropout=config.dropout, norm="pre",
                                      activation=config.activation)
        self.positions = layers.LearnedPositions(config.max_length, config.model_width)
        self.embedding = nn.Embedding(config.vocab_size, config.model_width)
        self.dropout = nn.Dropout(config.dropout)
        if config.tied:
            self.output = None
        else:
            self.output = nn.Linear(config.model_width, config.vocab_size, bias=False)
        layers.small_start(self, config.decoder_blocks)

    def matrix(self):
        return self.output.weight if self.output is not None else self.embedding.weight

    def embed(self, ids, places=None):
        X = self.embedding(ids)
        return self.dropout(self.positions(X) if places is None else X + F.embedding(places, self.positions.table))

    def forward(self, ids, need_weights=True, documents=None):
        allowed, places = (None, None) if documents is None else packed(documents)
        Y, weights = self.decoder(self.embed(ids, places), allowed=allowed, need_weights=need_weights, causal=True)
        return Result(torch.einsum("bnd,vd->bnv", Y, self.matrix()), weights)
