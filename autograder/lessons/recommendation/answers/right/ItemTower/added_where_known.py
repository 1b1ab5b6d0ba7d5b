"""The own vectors are added at the known places of a flat tensor."""


class ItemTower(nn.Module):
    def __init__(self, num_known, num_features, width, hidden, dropout=0.0):
        super().__init__()
        self.own = nn.Embedding(num_known, width)
        self.layer_1 = nn.Linear(num_features, hidden)
        self.layer_2 = nn.Linear(hidden, width)
        self.dropout = dropout
        nn.init.zeros_(self.own.weight)

    def forward(self, ids, content):
        vectors = self.layer_2(F.gelu(self.layer_1(content)))
        flat, places = vectors.reshape(-1, vectors.shape[-1]), ids.reshape(-1)
        use = places < self.own.num_embeddings
        if self.training:
            use = use & ~(torch.rand(len(places), device=ids.device) < self.dropout)
        rows = use.nonzero()[:, 0]
        return flat.index_add(0, rows, self.own(places[rows])).view(vectors.shape)
