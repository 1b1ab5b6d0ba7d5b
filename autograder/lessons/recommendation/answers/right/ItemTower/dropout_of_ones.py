"""nn.functional.dropout on one number for each id, whose scale is taken back."""


class ItemTower(nn.Module):
    def __init__(self, num_known, num_features, width, hidden, dropout=0.0):
        super().__init__()
        self.own = nn.Embedding(num_known, width)
        self.layer_1 = nn.Linear(num_features, hidden)
        self.layer_2 = nn.Linear(hidden, width)
        self.dropout = dropout
        nn.init.zeros_(self.own.weight)

    def forward(self, ids, content):
        known = ids < self.own.num_embeddings
        factor = known.to(content.dtype)
        kept = (F.dropout(factor, self.dropout, self.training) > 0).to(content.dtype).unsqueeze(-1)
        own = self.own(torch.where(known, ids, torch.zeros_like(ids)))
        return torch.addcmul(self.layer_2(F.gelu(self.layer_1(content))), own, kept)
