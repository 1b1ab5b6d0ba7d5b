"""A row of zeros at the end of the table, which all new ids read."""


class ItemTower(nn.Module):
    def __init__(self, num_known, num_features, width, hidden, dropout=0.0):
        super().__init__()
        self.own = nn.Embedding(num_known, width)
        self.layer_1 = nn.Linear(num_features, hidden)
        self.layer_2 = nn.Linear(hidden, width)
        self.dropout = dropout
        nn.init.zeros_(self.own.weight)

    def forward(self, ids, content):
        none = len(self.own.weight)
        rows = ids.clamp(max=none)
        if self.training and self.dropout > 0:
            lost = torch.bernoulli(torch.full(ids.shape, self.dropout, device=ids.device)).bool()
            rows = rows.masked_fill(lost, none)
        table = F.pad(self.own.weight, (0, 0, 0, 1))
        return F.embedding(rows, table) + self.layer_2(F.gelu(self.layer_1(content)))
