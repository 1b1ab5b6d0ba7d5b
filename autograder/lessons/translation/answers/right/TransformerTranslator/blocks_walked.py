"""The blocks walked by hand."""
class TransformerTranslator(nn.Module):
    def __init__(self, source_words, target_words, model_width=64, num_heads=4, num_blocks=2, hidden_width=128):
        super().__init__()
        self.source_embedding = nn.Embedding(source_words, model_width)
        self.target_embedding = nn.Embedding(target_words, model_width)
        self.encoder = layers.Encoder(num_blocks, model_width, num_heads, hidden_width, norm="pre")
        self.decoder = layers.Decoder(num_blocks, model_width, num_heads, hidden_width, norm="pre")
        self.output = nn.Linear(model_width, target_words)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=model_width**-0.5)

    def embed(self, embedding, ids):
        D = embedding.embedding_dim
        X = embedding(ids) * math.sqrt(D)
        return X + layers.sinusoidal_positions(ids.shape[1], D).to(X)

    def encode(self, source, allowed=None):
        X = self.embed(self.source_embedding, source)
        mask = None if allowed is None else allowed[:, None, None]
        memory, _ = self.encoder(X, mask)
        return memory

    def decode(self, words, memory, allowed=None):
        X = self.embed(self.target_embedding, words)
        hidden = None if allowed is None else allowed[:, None, None]
        A = []
        for block in self.decoder.blocks:
            X, (_, cross) = block(X, memory, None, hidden)
            A.append(cross)
        return self.output(self.decoder.norm(X)), torch.cat(A, dim=1).mean(dim=1)

    def forward(self, source, words, allowed=None):
        return self.decode(words, self.encode(source, allowed), allowed)

    def first_state(self, memory, allowed=None):
        return torch.empty(len(memory), 0, dtype=torch.int64, device=memory.device)

    def step(self, words, state, memory, allowed=None):
        state = torch.cat((state, words[:, None]), dim=1)
        logits, weights = self.decode(state, memory, allowed)
        return logits[:, -1], state, weights[:, -1]
