"""Only one hypothesis is kept, whatever k is. Keep the k best."""


@torch.no_grad()
def beam_search(decoder, features, k, max_length=20):
    words, total = [], 0.0
    last, state = START, decoder.first_state(features)
    while len(words) < max_length and last != END:
        logits, state, _ = decoder.step(torch.tensor([last]), state, features)
        value, word = torch.log_softmax(logits, dim=-1)[0].max(dim=0)
        last, total = int(word), total + float(value)
        words.append(last)
    return torch.tensor(words), total / len(words)
