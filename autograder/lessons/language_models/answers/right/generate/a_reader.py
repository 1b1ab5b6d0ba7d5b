"""A small class that reads and knows how much is in its cache."""
class Reader:
    def __init__(self, model, window, chunk):
        self.model, self.window, self.chunk, self.forget = model, window, chunk, None
        self.cache, self.first, self.next = None, 0, 0

    def read(self, ids):
        end = ids.shape[1]
        if end - self.first > self.window:
            self.cache, self.first = None, end - self.window // 2
            self.next = self.first
        while self.next < end:
            stop = min(self.next + self.chunk, end)
            given = (ids[:, self.next : stop],) if self.cache is None else (ids[:, self.next : stop], self.cache)
            logits, self.cache = self.model(*given)
            self.next = stop
        return logits[:, -1]


@torch.inference_mode()
def generate(model, prompts, lengths, total, window, chunk=64, temperature=0.0, top_k=None, top_p=None, generator=None):
    reader, ids = Reader(model, window, chunk), prompts[:, : int(lengths.min())]
    while ids.shape[1] < total:
        new = sample(reader.read(ids), temperature, top_k, top_p, generator)
        n = ids.shape[1]
        for b in range(len(prompts)):
            if n < lengths[b]:
                new[b] = prompts[b, n]
        ids = torch.cat((ids, new[:, None]), dim=1)
    return ids.clone()
