"""Translations that have ended leave the batch."""
@torch.no_grad()
def greedy_translate(decoder, memory, allowed=None, max_length=20):
    B, N, _ = memory.shape
    translations = torch.full((B, max_length), PAD, device=memory.device)
    weights = memory.new_full((B, max_length, N), float("nan"))
    rows = torch.arange(B, device=memory.device)
    words, state, L = torch.full_like(rows, START), decoder.first_state(memory, allowed), 0
    while L < max_length and len(rows):
        mask = None if allowed is None else allowed[rows]
        logits, state, A = decoder.step(words, state, memory[rows], mask)
        words = logits.topk(1, dim=-1).indices.squeeze(1)
        translations[rows, L], weights[rows, L] = words, A
        go_on = words != END
        rows, words, state, L = rows[go_on], words[go_on], state[go_on], L + 1
    return translations[:, :L], weights[:, :L]
