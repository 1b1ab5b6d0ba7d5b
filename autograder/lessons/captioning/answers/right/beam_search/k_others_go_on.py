"""What has finished leaves the beam and k others go on."""
@torch.no_grad()
def beam_search(decoder, features, k, max_length=20):
    beam, sums, state = torch.tensor([[START]]), torch.zeros(1, dtype=torch.float64), decoder.first_state(features)
    finished = []
    for length in range(1, max_length + 1):
        logits, state, _ = decoder.step(beam[:, -1], state, features.repeat(len(beam), 1, 1))
        scores = sums.unsqueeze(1) + F.log_softmax(logits, dim=1)
        B, V = scores.shape
        values, places = torch.topk(scores.view(-1), min(2 * k, B * V))
        rows, words = torch.div(places, V, rounding_mode="floor"), places.remainder(V)
        for value, row, word in zip(values[:k].tolist(), rows.tolist(), words.tolist()):
            if word == END:
                finished.append((value / length, [*beam[row, 1:].tolist(), END]))
        going = (words != END).nonzero()[:k, 0]
        rows, words, sums = rows[going], words[going], values[going]
        beam, state = torch.cat([beam[rows], words[:, None]], 1), state.index_select(0, rows)
    if not finished:
        finished = [(float(sums[0]) / max_length, beam[0, 1:].tolist())]
    score, words = max(finished)
    return torch.tensor(words), torch.tensor(score)
