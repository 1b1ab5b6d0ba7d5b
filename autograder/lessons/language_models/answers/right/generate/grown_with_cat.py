"""Columns in a list, joined anew for what is to be read; chunks by range."""
def generate(model, prompts, lengths, total, window, chunk=64, temperature=0.0, top_k=None, top_p=None, generator=None):
    shortest = int(lengths.min())
    columns = list(prompts[:, :shortest].unbind(1))
    cache, held, waiting = None, 0, shortest
    with torch.no_grad():
        while len(columns) < total:
            if held + waiting > window:
                cache, held, waiting = None, 0, window // 2
            block = torch.stack(columns[len(columns) - waiting :], dim=1)
            for at in range(0, waiting, chunk):
                logits, cache = model(block[:, at : at + chunk], cache)
            held, waiting = held + waiting, 1
            new = sample(logits[:, -1, :], temperature=temperature, top_k=top_k, top_p=top_p, generator=generator)
            n = len(columns)
            if n < prompts.shape[1]:
                new = torch.where(lengths > n, prompts[:, n], new)
            columns.append(new)
    return torch.stack(columns, dim=1)
