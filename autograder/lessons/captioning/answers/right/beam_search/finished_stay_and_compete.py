"""Finished hypotheses keep their place in the beam as long as they are among the best k;
dictionaries."""
@torch.no_grad()
def beam_search(decoder, features, k, max_length=20):
    beam = [{"words": [], "sum": 0.0, "state": decoder.first_state(features)}]

    def over(hypothesis):
        return hypothesis["words"][-1:] == [END]

    def mean(hypothesis):
        return hypothesis["sum"] / len(hypothesis["words"])

    for _ in range(max_length):
        candidates = [h for h in beam if over(h)]
        for h in beam:
            if over(h):
                continue
            last = torch.tensor([h["words"][-1] if h["words"] else START])
            logits, state, _ = decoder.step(last, h["state"], features)
            for word, value in enumerate(torch.log_softmax(logits[0], 0).tolist()):
                candidates.append({"words": h["words"] + [word], "sum": h["sum"] + value, "state": state})
        beam = sorted(candidates, key=lambda h: -h["sum"])[:k]
        if all(over(h) for h in beam):
            break
    best = max([h for h in beam if over(h)] or beam, key=mean)
    return torch.tensor(best["words"]), mean(best)
