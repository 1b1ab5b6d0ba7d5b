"""heapq.nlargest; stops when no unfinished hypothesis can still become better."""
import heapq


@torch.no_grad()
def beam_search(decoder, memory, k, max_length=20, power=1.0):
    """The sum never rises, so sum / max_length**power bounds the score of whatever comes of a hypothesis."""
    beam, best, bound = [(0.0, (), decoder.first_state(memory))], None, -math.inf
    for length in range(1, max_length + 1):
        heap = []
        for total, words, state in beam:
            last = words[-1] if words else START
            logits, new, _ = decoder.step(torch.as_tensor([last]), state, memory)
            P = logits[0] - torch.logsumexp(logits[0], 0)
            heap.extend((total + p, (*words, w), new) for w, p in enumerate(P.tolist()))
        beam = []
        for candidate in heapq.nlargest(k, heap, key=lambda c: c[0]):
            if candidate[1][-1] == END:
                if candidate[0] / length**power > bound:
                    best, bound = candidate[1], candidate[0] / length**power
            else:
                beam.append(candidate)
        if not beam or bound >= beam[0][0] / max_length**power:
            break
    if best is None:
        best, bound = beam[0][1], beam[0][0] / max_length**power
    return torch.tensor(best), bound
