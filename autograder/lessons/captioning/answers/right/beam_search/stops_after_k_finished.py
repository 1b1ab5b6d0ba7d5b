"""k others go on, until k hypotheses have finished."""
def beam_search(decoder, features, k, max_length=20):
    going = [(0.0, [START], decoder.first_state(features))]
    finished = []
    for _ in range(max_length):
        candidates = []
        for total, words, state in going:
            logits, new, _ = decoder.step(torch.tensor(words[-1:]), state, features)
            values = logits.log_softmax(-1)[0].tolist()
            candidates += [(total + value, words + [word], new) for word, value in enumerate(values)]
        candidates.sort(key=lambda candidate: candidate[0], reverse=True)
        finished += [c for c in candidates[:k] if c[1][-1] == END]
        going = [c for c in candidates if c[1][-1] != END][:k]
        if len(finished) >= k or not going:
            break
    total, words, _ = max(finished or going, key=lambda c: c[0] / (len(c[1]) - 1))
    return torch.tensor(words[1:]), total / (len(words) - 1)
