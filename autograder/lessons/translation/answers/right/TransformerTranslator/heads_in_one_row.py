"""Helpers for the mask and the weights; padding_mask by lengths; the encoder without its weights."""
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

    @staticmethod
    def mask(allowed):
        return allowed if allowed is None else allowed.reshape(allowed.shape[0], 1, 1, allowed.shape[1])

    def embed(self, embedding, ids):
        X = F.embedding(ids, embedding.weight)
        D = X.shape[-1]
        positions = layers.sinusoidal_positions(ids.size(1), D).to(device=X.device, dtype=X.dtype)
        return torch.add(positions, X, alpha=D**0.5)

    def encode(self, source, allowed=None):
        memory, nothing = self.encoder(self.embed(self.source_embedding, source), self.mask(allowed), need_weights=False)
        return memory

    def decode(self, words, memory, allowed=None):
        X = self.embed(self.target_embedding, words)
        Y, A = self.decoder(X, memory, None, self.mask(allowed))
        return self.output(Y), torch.cat(A, dim=1).mean(dim=1)

    def forward(self, source, words, allowed=None):
        return self.decode(words, self.encode(source, allowed), allowed)

    def first_state(self, memory, allowed=None):
        return torch.empty(len(memory), 0, dtype=torch.int64, device=memory.device)

    def step(self, words, state, memory, allowed=None):
        state = torch.cat((state, words[:, None]), dim=1)
        logits, weights = self.decode(state, memory, allowed)
        return logits[:, -1], state, weights[:, -1]
