"""The fate of each token is drawn from three by torch.multinomial."""
def mask_tokens(ids, vocab_size, generator, rate=0.15):
    chosen = (torch.rand(ids.shape, generator=generator) < rate).logical_and(ids.ge(ORDINARY))
    shares = torch.tensor([0.8, 0.1, 0.1])
    fate = torch.multinomial(shares, ids.numel(), replacement=True, generator=generator).view(ids.shape)
    words = torch.empty_like(ids).random_(ORDINARY, vocab_size, generator=generator)
    stack = torch.stack((torch.full_like(ids, MASK), words, ids))
    changed = stack.gather(0, fate[None])[0]
    return torch.where(chosen, changed, ids), torch.where(chosen, ids, torch.tensor(-100))
